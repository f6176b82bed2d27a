"""The looks at a picture for cards of any deck, in the order in which they are taken; a run can leave one out."""

from __future__ import annotations

from enum import Enum


class Look(Enum):
    """Looks after the search for straight edges that agree on one size; the value names the module of each."""

    LONE_AREAS = "lone_areas"
    HALF_FRAMES = "half_frames"
    LEFTOVERS = "card_choice"
    ABOUT_PRINTS = "card_surroundings"
    SECOND_LOOK = "second_look"
    PRINT_CORNERS = "print_corners"
    MORE_OF_THEM = "more_of_them"
    TINTED_LOOK = "tinted_look"
    OFF_PLANE = "cards_off_plane"
    NEAR_CARDS = "near_cards"
    SQUEEZED = "squeezed"


Without = frozenset[Look]
ALL: Without = frozenset()
"""No look is left out."""
