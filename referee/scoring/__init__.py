"""From a picture of the table to whose cards lie there, what may hide some, and the picture that shows it all."""
