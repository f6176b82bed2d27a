"""Which cards can be used: one sentence, for the commands, the page and the README alike."""

from __future__ import annotations

from referee.language import mark_in

USABLE_CARDS = mark_in("page", "Print Ringmaster's cards, or teach it your own.")
