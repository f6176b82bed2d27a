"""Sizes that the networks, their training and their runtime share."""

from __future__ import annotations

SHORT_PX = 28  # a card's short side in the view from above that the card network sees
CELL_PX = 2  # the card network answers for cells of 2x2 px
STRIDE_PX = 16  # width and height of a view are multiples of this
ASPECT_ZERO = 1.35  # the card network gets a deck's long side by its short side less this
CHANNELS = 10  # a cell: card, dx, dy, three of the spread of (dx, dy), cos 2t, sin 2t, cos 4t, sin 4t

FINE = 2  # crops are cut from a view that is larger by this
CROP_PX = 80  # a crop's width and height: a hypothesis fills the CARD_PX in its middle, whatever its aspect
CARD_PX = 52
CROP_CELL_PX = 2  # the crop network answers for cells of 2x2 px
CROP_CHANNELS = 5  # a cell: this card, distance to the next side across and along, logarithms of both precisions
