"""Announcer: turns rulings into sentences in the table's language. Each game has its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.games.kind import Words
from referee.games.registry import GAMES
from referee.language import Language

URGENT = frozenset({"ring", "unclear", "time", "foul", "round"})
"""Rulings that interrupt an earlier sentence."""
MOST_KNOWN = 200
"""Number of rulings whose words are cached: a page shows 50."""


@dataclass(frozen=True)
class Announcement:
    """Sentences to be said one after the other. urgent: they interrupt the present one."""

    sentences: tuple[str, ...]
    urgent: bool


class Announcer:
    """Puts a game's rulings into words, each once; `players` are the names by seat."""

    def __init__(self, game: str, players: Sequence[str], language: Language) -> None:
        # A club may receive a game of a newer Ringmaster.
        self._words = GAMES[game].words if game in GAMES else Words(sentences=lambda *_: ())
        self.players = tuple(players)
        self.language = language
        self._known: dict[int, tuple[Mapping[str, Any], tuple[str, ...]]] = {}

    def sentences(self, ruling: Mapping[str, Any]) -> tuple[str, ...]:
        """Return a ruling's sentences, verdict first; empty for a ruling or a game without words."""
        known = self._known.get(id(ruling))
        if known is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            # The cache holds the ruling as well, so that no other one gets its id.
            known = self._known[id(ruling)] = ruling, self._words.sentences(ruling, self.players, self.language)
        return known[1]

    def say(self, ruling: Mapping[str, Any]) -> str:
        """Return a ruling's sentences as one text, "" without words."""
        return " ".join(self.sentences(ruling))

    def texts(self, rulings: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the text of each ruling."""
        return [" ".join(self.sentences(ruling)) for ruling in rulings]

    def announce(self, rulings: Sequence[Mapping[str, Any]]) -> Announcement | None:
        """Return the speech for the rulings of one event, or None.

        Some games join several into one sentence: penalty cards of one player (P5).
        """
        spoken: list[str] = []
        for group in self._words.together(rulings):
            if len(group) == 1:
                spoken += self.sentences(group[0])
            else:
                spoken.append(self._words.said_together(group, self.players, self.language))
        if not spoken:
            return None
        return Announcement(tuple(spoken), any(ruling["ruling"] in URGENT for ruling in rulings))

    def fixed_phrases(self) -> tuple[str, ...]:
        """Return the sentences that may follow soon, to be rendered ahead; the likeliest first."""
        likely = self._words.likely(len(self.players))
        phrases = [sentence for ruling in likely for sentence in self.sentences(ruling)]
        return tuple(dict.fromkeys((*phrases, *self._words.phrases(self.language))))


def sound_check(language: Language) -> str:
    """Return a sentence that tests the loudspeaker."""
    return language.text("announcer.referee_is_ready")
