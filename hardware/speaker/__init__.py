"""What is said: voices, chimes, and the loudspeakers for them."""
