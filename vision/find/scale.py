"""Sizes that the network, its training and its runtime share."""

from __future__ import annotations

SHORT_PX = 28  # a card's short side in the view from above that the network sees
CELL_PX = 2  # the network answers for cells of 2x2 px
STRIDE_PX = 16  # width and height of a view are multiples of this
ASPECT_ZERO = 1.35  # the network gets a deck's long side by its short side less this
CHANNELS = 11  # a cell: card, dx, dy, three of the spread of (dx, dy), cos 2t, sin 2t, cos 4t, sin 4t, edge
