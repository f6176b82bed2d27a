"""Whether every seat's hand comes out right: what a family asks of a picture of its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from referee.bench.truth import TruePicture
from referee.scoring.seated_reading import SeatedReading

# How much of a hand's most hidden card is to be seen, least, and how people say that.
SIGHTS = ((0.9, "all cards in plain sight"), (0.5, "a card half covered"), (0.0, "a card mostly covered"))
OUTCOMES = ("right", "doubted", "unclear", "wrong")


@dataclass(frozen=True)
class HandVerdict:
    """One seat's hand in one picture.

    sight: see `SIGHTS`. outcome: `right`; `doubted`, right but something is called unclear; `unclear`, not right, and
    said so; `wrong`, not right, and nothing said. missed, extra: faces that the reading lacks, or has too many.
    """

    picture: str
    seat: int
    sight: str
    outcome: str
    missed: tuple[str, ...]
    extra: tuple[str, ...]


def judge_hands(
    picture: TruePicture, seated: SeatedReading, counts_as: Callable[[str], str] = str
) -> Iterator[HandVerdict]:
    """Compare every seat's hand with the truth; seats where nothing lies and nothing was read are left out.

    counts_as: what the card of a face is to the rules, where they know no difference between some.
    """
    true_hands = _by_seat(seated, ((card, seated.table.centre_mm(card.corners_px)) for card in picture.cards))
    read_hands = _by_seat(seated, ((card.face.id, card.centre_mm) for card in seated.reading.cards))
    unclear = _by_seat(seated, ((card, card.centre_mm) for card in seated.reading.unclear))
    for seat in range(seated.ring.players):
        lying = Counter(counts_as(card.face) for card in true_hands[seat] if card.face is not None)
        found = Counter(map(counts_as, read_hands[seat]))
        if not lying and not found and not unclear[seat]:
            continue
        least = min((card.visible for card in true_hands[seat]), default=1.0)
        sight = next(words for share, words in SIGHTS if least >= share)
        if lying == found:
            outcome = "doubted" if unclear[seat] else "right"
        else:
            outcome = "unclear" if unclear[seat] else "wrong"
        missed, extra = (tuple(sorted(rest.elements())) for rest in (lying - found, found - lying))
        yield HandVerdict(picture.path.name, seat, sight, outcome, missed, extra)


def hand_line(verdict: HandVerdict) -> dict[str, Any]:
    """Give a verdict as JSON."""
    return {
        "image": verdict.picture,
        "seat": verdict.seat,
        "sight": verdict.sight,
        "outcome": verdict.outcome,
        "missed": list(verdict.missed),
        "extra": list(verdict.extra),
    }


def hand_summary(verdicts: Iterable[HandVerdict]) -> dict[str, dict[str, int]]:
    """Count the outcomes for each sight."""
    counts = Counter((verdict.sight, verdict.outcome) for verdict in verdicts)
    return {words: {outcome: counts[words, outcome] for outcome in OUTCOMES} for _, words in SIGHTS}


def hand_table(summary: dict[str, dict[str, int]]) -> str:
    """Give the counts for people."""
    lines = [f"{'hands with':28}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES)]
    for words, counts in summary.items():
        lines.append(f"{words:28}" + "".join(f"{counts[outcome]:9}" for outcome in OUTCOMES))
    return "\n".join([*lines, "doubted: right, but something was called unclear; wrong: and nothing was said"])


def _by_seat(seated: SeatedReading, placed: Iterable[tuple[Any, tuple[float, float] | None]]) -> list[list[Any]]:
    hands: list[list[Any]] = [[] for _ in range(seated.ring.players)]
    for thing, centre_mm in placed:
        seat = None if centre_mm is None else seated.ring.seat_at(centre_mm)
        if seat is not None:
            hands[seat].append(thing)
    return hands
