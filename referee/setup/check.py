"""The last step: reads ten cards and hears a ring; reports readiness, or what to improve."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.events import BellPressed
from referee.errors import BadInputError
from referee.phrases import in_language
from referee.setup.seats import chosen_deck
from referee.setup.step import Choice, Shape, State, Step, StepFinding, StepInput, Wish, camera_missing, shares
from vision.arrays import Image
from vision.deck import Deck
from vision.errors import VisionError
from vision.markers import unmirrored_markers
from vision.profile import TableProfile
from vision.profile_check import table_now
from vision.reading import Reading, reader_of, reasons_of

CARDS = 10
LOOK_NS = 1_000_000_000
_REASONS = {
    "covered": "setup.check.reason.covered",
    "glare": "setup.check.reason.glare",
    "colours": "setup.check.reason.colours",
    "no face fits": "setup.check.reason.no_face_fits",
}


_NOTHING = Reading((), ())


class CheckStep(Step):
    """The last step. Keeps the last reading: reading takes long on a small computer."""

    name = "check"
    title_key, ask_key = "setup.check.check", "setup.check.lay_ten_cards_anywhere_on"

    def __init__(self) -> None:
        self._read: tuple[int, Reading] | None = None

    def look(self, seen: StepInput) -> StepFinding:
        """Read the cards, and check for a ring."""
        if seen.image is None:
            return camera_missing(seen)
        language = seen.language
        try:
            reading = self._reading(seen, seen.image)
        except VisionError as error:
            return StepFinding(State.MEND, language.text("setup.check.table_is_not_seen_measure"), (str(error),))
        shapes = tuple(Shape(shares(card.corners_px, seen.size_px)) for card in reading.cards)
        outlined = [card for card in reading.unclear if len(card.corners_px)]
        shapes += tuple(Shape(shares(c.corners_px, seen.size_px), "bad", c.reason or "") for c in outlined)
        read, unclear = len(reading.cards), len(reading.unclear)
        rang = any(isinstance(one.event, BellPressed) for one in seen.heard) or seen.settings.bell == "none"
        again = (Choice(language.text("setup.check.look_again"), {"again": True}),)
        bar = min(1.0, read / CARDS)
        counts = language.text("setup.check.cards_are_read_are_unclear", read=read, unclear=unclear)
        if unclear:
            keys = {_REASONS.get(reason, "setup.check.one_cannot_be_told") for reason in reasons_of(reading.unclear)}
            why = language.list_of(sorted(map(language.text, keys)))
            text = language.text("setup.check.not_all_cards_are_clear", why=why)
            return StepFinding(State.MEND, text, (counts,), bar, shapes, again)
        if read < CARDS:
            text = language.text("setup.check.read_so_far_of_10", n=read)
            return StepFinding(State.WAIT, text, _what_to_mend(seen), bar, shapes, again)
        if not rang and "bell" in seen.troubles:
            text = language.text("setup.check.all_cards_are_read_but", n=read)
            return StepFinding(State.MEND, text, (seen.troubles["bell"],), bar, shapes, again)
        if not rang:
            text = language.text("setup.check.all_cards_are_read_now", n=read)
            return StepFinding(State.WAIT, text, (), bar, shapes, again)
        mend = _what_to_mend(seen)
        text = language.text("setup.check.ready_to_play_cards_are", n=read)
        return StepFinding(State.MEND if mend else State.GOOD, text, mend, bar, shapes, again)

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Read again."""
        if not answer.get("again"):
            raise BadInputError("error.setup.that_is_no_answer_here")
        self._read = None
        return Wish()

    def keep(self, seen: StepInput) -> Wish:
        """Store the numbers of read and unclear cards."""
        reading = self._read[1] if self._read is not None else _NOTHING
        return Wish(data={"read": len(reading.cards), "unclear": len(reading.unclear)})

    def _reading(self, seen: StepInput, image: Image) -> Reading:
        if self._read is None or seen.image_t_ns - self._read[0] >= LOOK_NS:
            self._read = seen.image_t_ns, read_cards(chosen_deck(seen), image, seen.profile)
        return self._read[1]


def read_cards(deck: Deck | None, image: Image, profile: TableProfile | None) -> Reading:
    """Read the cards of a deck in a picture (h, w, 3) BGR; without a profile its marker cards define the table.

    Raises:
        VisionError: the picture shows no table.
    """
    sight = unmirrored_markers(image)
    table = None if profile is None else table_now(profile, image, sight)[0]
    return _NOTHING if deck is None else reader_of(deck).read(image, table, sight.markers)


def _what_to_mend(seen: StepInput) -> tuple[str, ...]:
    """Return the problems of earlier steps, a sentence each."""
    wanting = [kept for name, kept in seen.kept.items() if name != "check" and kept.state in ("mend", "missing")]
    return tuple(in_language(kept.text, seen.language) for kept in wanting if kept.text)
