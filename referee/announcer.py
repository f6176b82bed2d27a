"""What the referee says: rulings in, sentences out, in the language of the table. The one place for its words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from hardware.events import Event, SandReason, SandTrouble
from referee.language import Language
from referee.sayings import coloretto, confetti, piccolino, sandtimer

SAYINGS = {
    "confetti": confetti.sentences,
    "piccolino": piccolino.sentences,
    "coloretto": coloretto.sentences,
}
URGENT = frozenset({"ring", "unclear", "time", "foul", "round"})
"""Rulings that cannot wait until an earlier sentence is over."""

CLOWNS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black")


@dataclass(frozen=True)
class Announcement:
    """Sentences to be said one after the other. urgent: they stop what is being said."""

    sentences: tuple[str, ...]
    urgent: bool


class Announcer:
    """Puts a game's rulings into words; `players` are the names by seat."""

    def __init__(self, game: str, players: Sequence[str], language: Language) -> None:
        self._sentences = SAYINGS.get(game)
        self._game = game
        self.players = tuple(players)
        self.language = language

    def sentences(self, ruling: Mapping[str, Any]) -> tuple[str, ...]:
        """Give a ruling's sentences, verdict first; none for a ruling, or a game, that there are no words for."""
        return self._sentences(ruling, self.players, self.language) if self._sentences else ()

    def say(self, ruling: Mapping[str, Any]) -> str:
        """Give a ruling's sentences as one text, "" if there are no words for it."""
        return " ".join(self.sentences(ruling))

    def announce(self, rulings: Sequence[Mapping[str, Any]]) -> Announcement | None:
        """Give what to say about the rulings that one event led to, None if nothing.

        Penalty cards of one player (P5) become one sentence.
        """
        spoken: list[str] = []
        for group in _penalties_together(rulings):
            if len(group) == 1:
                spoken += self.sentences(group[0])
            else:
                giver, cards = self.players[group[0]["from"]], group[0]["count"]
                receivers = [self.players[move["to"]] for move in group]
                spoken.append(piccolino.say_penalty(giver, receivers, cards, self.language))
        if not spoken:
            return None
        return Announcement(tuple(spoken), any(ruling["ruling"] in URGENT for ruling in rulings))

    def announce_event(self, event: Event) -> Announcement | None:
        """Give what to say about something that a device noticed, None if nothing."""
        spoken = sandtimer.sentences(event, self.language)
        return Announcement(spoken, urgent=True) if spoken else None

    def fixed_phrases(self) -> tuple[str, ...]:
        """Give the sentences that will be wanted at once, so that they can be rendered ahead; the likeliest first."""
        phrases = [sentence for ruling in self._likely() for sentence in self.sentences(ruling)]
        if self._game == "confetti":
            for reason in SandReason:
                phrases += sandtimer.sentences(SandTrouble(0, reason), self.language)
        return tuple(dict.fromkeys(phrases))

    def _likely(self) -> Iterable[Mapping[str, Any]]:
        seats = range(len(self.players))
        match self._game:
            case "confetti":
                yield {"ruling": "time"}
            case "piccolino":
                for seat in seats:
                    for reason in ("no_pair", "covered_up"):
                        yield {"ruling": "ring", "valid": False, "seat": seat, "reason": reason}
                for seat in seats:
                    for colour in CLOWNS:
                        yield {"ruling": "ring", "valid": False, "seat": seat, "reason": "sad", "colour": colour}
                        yield {"ruling": "ring", "valid": True, "seat": seat, "colour": colour, "seats": [0, 1]}
                yield from ({"ruling": "out", "seat": seat} for seat in seats)
                for giver, receiver in combinations(seats, 2):
                    yield {"ruling": "cards_move", "from": giver, "to": receiver, "count": 1}
            case "coloretto":
                for seat in seats:
                    yield {"ruling": "round_end", "starts": seat}
                    for reason in ("not_your_turn", "already_out", "row_gone", "row_full", "row_empty"):
                        yield {"ruling": "foul", "seat": seat, "reason": reason}


def sound_check(language: Language) -> str:
    """Give a sentence to try the loudspeaker with."""
    return language.text("The referee is ready.")


def _penalties_together(rulings: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Give the rulings in groups: penalty moves of one player and size, one after the other, together."""
    group: list[Mapping[str, Any]] = []
    for ruling in rulings:
        if group and (_penalty(ruling) is None or _penalty(ruling) != _penalty(group[0])):
            yield group
            group = []
        group.append(ruling)
    if group:
        yield group


def _penalty(ruling: Mapping[str, Any]) -> tuple[int, int] | None:
    if ruling["ruling"] != "cards_move" or ruling["from"] == "piles":
        return None
    return ruling["from"], ruling["count"]
