"""From a picture of the table to whose cards are there, what may hide some, and the picture that shows it all."""
