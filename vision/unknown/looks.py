"""The looks at a picture for cards of any deck, in the order in which they are taken; a run can leave one out."""

from __future__ import annotations

from enum import Enum


class Look(Enum):
    """Looks after the search for straight edges that agree on one size; the value names the module of each."""

    LONE_AREAS = "lone_areas"
    LEFTOVERS = "card_choice"
    PANELS = "panels"
    OTHER_LOOKS = "other_looks"
    CARDS_OFF_PLANE = "cards_off_plane"


Without = frozenset[Look]
ALL: Without = frozenset()
"""No look is left out."""
