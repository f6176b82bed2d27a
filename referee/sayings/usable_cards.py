"""Which cards can be used: one sentence, for the commands, the page and the README alike."""

from __future__ import annotations

from referee.language import mark_in

USABLE_CARDS = mark_in(
    "page",
    "Ringmaster reads the Confetti and Piccolino cards that it prints itself, not yet those of other editions; "
    "in Coloretto the moves are told on the page.",
)
