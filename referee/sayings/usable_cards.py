"""Which cards can be used: one sentence, for the commands, the page and the README alike."""

from __future__ import annotations

from referee.language import mark_in

USABLE_CARDS = mark_in(
    "page",
    "Ringmaster referees Confetti and Piccolino with the cards that it prints itself, and with your own that you teach "
    "it; in Coloretto the moves are told on the page.",
)
