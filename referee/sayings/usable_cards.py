"""Which cards can be used: one sentence, for the commands, the page and the README alike."""

from __future__ import annotations

from referee.language import mark_in

USABLE_CARDS = mark_in(
    "page",
    "Ringmaster referees Confetti, Piccolino and Coloretto with the cards that it prints itself, and with your own "
    "that you teach it; a move of Coloretto that it cannot see is told on the page.",
)
