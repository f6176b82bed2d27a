"""The table step: by marker cards, a phone as a marker card, sheets of paper or playing cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from calibration.survey import ENOUGH, SHEETS_MM, SheetSurvey, Survey, survey, survey_by_sheets
from referee.errors import BadInputError
from referee.language import Language
from referee.scoring.seats import marker_rectangle, rectangle_of
from referee.setup import step
from referee.setup.measured_table import profile_of, sheet_profile
from referee.setup.step import (
    Choice,
    Shape,
    State,
    Step,
    StepFinding,
    StepInput,
    Wish,
    camera_missing,
    seats_of,
    shares,
)
from vision.arrays import Image, Points
from vision.errors import BadTableError, DoubledMarkerError, VisionError
from vision.markers import Marker, MarkerSight, check_not_doubled, table_from_markers, unmirrored_markers
from vision.profile import REACH_MM, TableProfile, small_grey
from vision.table import Table

PHONE_CORNERS = 4
THICK_MM = 8.0
"""Height of a phone's screen above the table, mm: phones have 7 to 9."""
_STILL_NS = 500_000_000
_STILL_PX, _STILL = 2.0, 0.04


class PhoneSurvey:
    """Remembers the place at which each number stayed still."""

    def __init__(self) -> None:
        self._lay: dict[int, Marker] = {}
        self._coming: dict[int, tuple[int, Marker]] = {}

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Return the still markers, in the order of their numbers."""
        return tuple(self._lay[number] for number in sorted(self._lay))

    @property
    def whole(self) -> bool:
        """Return whether all numbers were seen."""
        return len(self._lay) == PHONE_CORNERS

    @property
    def next_number(self) -> int:
        """The number that the phone must show now."""
        return next((number for number in range(PHONE_CORNERS) if number not in self._lay), PHONE_CORNERS - 1)

    def look(self, markers: Sequence[Marker], t_ns: int) -> None:
        """Take the visible markers; a number counts once, after half a second without movement."""
        for marker in markers:
            if marker.id >= PHONE_CORNERS or marker.id in self._lay:
                continue
            since_ns, before = self._coming.get(marker.id, (t_ns, marker))
            if _moved(before, marker):
                since_ns = t_ns
            self._coming[marker.id] = since_ns, marker
            if t_ns - since_ns >= _STILL_NS and all(_apart(marker, other) for other in self._lay.values()):
                self._lay[marker.id] = marker

    def table(self, size_px: tuple[int, int]) -> Table:
        """Return the table, which is below the screen.

        Raises:
            BadTableError: the markers are not on a flat table.
        """
        return lowered(table_from_markers(self.markers, size_px), THICK_MM)

    def profile(self, empty: Image) -> TableProfile:
        """Return the profile; empty (h, w, 3): the table without the phone.

        Raises:
            BadTableError, BadInputError: the markers are not on a flat table, or do not span one.
        """
        height, width = empty.shape[:2]
        on_top = table_from_markers(self.markers, (width, height))
        table = lowered(on_top, THICK_MM)
        # Points below the seen corners: they define the table itself.
        below = tuple(Marker(one.id, table.to_px(on_top.to_mm(one.corners_px))) for one in self.markers)
        found = profile_of(Survey(table, below, small_grey(empty)), REACH_MM)
        return replace(found, markers_mm={})


def lowered(table: Table, by_mm: float) -> Table:
    """Return the plane that is `by_mm` farther from the camera, with each point below its own."""
    rays = np.linalg.inv(table.camera) @ table.homography
    scale = float(np.sqrt(np.linalg.norm(rays[:, 0]) * np.linalg.norm(rays[:, 1])))
    rays = rays / scale
    away: Points = np.cross(rays[:, 0], rays[:, 1])
    # In front of the camera z grows with distance; the table is seen from above.
    away *= np.sign(rays[2, 2]) * np.sign(away[2])
    lower = rays.copy()
    lower[:, 2] += np.sign(rays[2, 2]) * by_mm * away
    return replace(table, homography=table.camera @ lower * scale)


def _moved(one: Marker, other: Marker) -> bool:
    side = float(np.linalg.norm(one.corners_px[1] - one.corners_px[0]))
    return _way(one, other) > max(_STILL_PX, _STILL * side)


def _apart(one: Marker, other: Marker) -> bool:
    return _way(one, other) > float(np.linalg.norm(one.corners_px[1] - one.corners_px[0]))


def _way(one: Marker, other: Marker) -> float:
    return float(np.linalg.norm(one.corners_px.mean(0) - other.corners_px.mean(0)))


PICTURES = 4
APART_NS = 400_000_000
_USUAL = 4
_KINDS = {
    "markers": "setup.table.kind.markers",
    "a4": "setup.table.kind.a4",
    "letter": "setup.table.kind.letter",
    "poker": "setup.table.kind.poker",
    "bridge": "setup.table.kind.bridge",
    "phone": "setup.table.kind.phone",
}


class TableStep(Step):
    """The table step. Keeps the last pictures with visible markers."""

    name = "table"
    title_key, ask_key = "setup.table.table", "setup.table.lay_marker_cards_0_1"

    def __init__(self) -> None:
        self._kind = "markers"
        self._pictures: list[tuple[int, Image]] = []
        self._sheets: SheetSurvey | None = None
        self._phone = PhoneSurvey()

    def look(self, seen: StepInput) -> StepFinding:
        """Measure the table with the chosen reference."""
        if seen.image is None:
            return camera_missing(seen)
        looks = {"markers": self._by_markers, "phone": self._by_phone}
        found = looks.get(self._kind, self._look_for_sheets)(seen, seen.image)
        language = seen.language
        kinds = tuple(
            Choice(language.text(name), {"reference": kind}, chosen=kind == self._kind) for kind, name in _KINDS.items()
        )
        printed = Choice(language.text("setup.table.marker_cards_to_print"), href="/print/markers.pdf")
        shown = Choice(language.text("setup.table.show_one_on_this_phone"), href="#marker")
        further = {"markers": (printed,), "phone": (shown,)}.get(self._kind, ())
        return replace(found, choices=(*kinds, *further))

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Choose another reference."""
        kind = answer.get("reference")
        if kind not in _KINDS:
            raise BadInputError("error.setup.that_is_no_answer_here")
        self._kind, self._sheets, self._phone = str(kind), None, PhoneSurvey()
        self._pictures.clear()
        return Wish()

    def keep(self, seen: StepInput) -> Wish:
        """Return the profile.

        Raises:
            BadInputError: the table is not measured yet, with the reason.
        """
        empty = self._profile_without_reference(seen.image)
        if empty is not None and seen.image is not None:
            profile = replace(empty, seats=seats_of(seen.kept))
            if profile.texture is None or profile.texture.shift_px(seen.image) is None:
                raise BadInputError("setup.table.this_table_has_no_pattern")
            return Wish(profile=profile)
        try:
            found = survey([(f"picture {k + 1}", image) for k, (_, image) in enumerate(self._pictures)])
            profile = replace(profile_of(found, REACH_MM), seats=seats_of(seen.kept))
        except (BadTableError, BadInputError) as error:
            self._pictures.clear()
            raise BadInputError("setup.table.table_is_not_measured_yet") from error
        return Wish(profile=profile)

    def _profile_without_reference(self, image: Image | None) -> TableProfile | None:
        """Return the profile of a table whose reference is taken away; None: marker cards stay."""
        if image is None or (self._kind == "phone" and not self._phone.whole):
            return None
        if self._kind == "phone":
            return self._phone.profile(image)
        return None if self._sheets is None else sheet_profile(self._sheets, image)

    def _by_phone(self, seen: StepInput, image: Image) -> StepFinding:
        language, size_px = seen.language, seen.size_px
        try:
            sight = unmirrored_markers(image)
        except VisionError:
            return StepFinding(State.MEND, language.text("setup.table.picture_is_mirrored_put_that"))
        self._phone.look(sight.markers, seen.image_t_ns)
        lay = self._phone.markers
        shapes = tuple(Shape(shares(m.corners_px, size_px), label=str(m.id)) for m in lay)
        if not self._phone.whole:
            middles = np.array([marker.corners_px.mean(0) for marker in lay]).reshape(-1, 2)
            empty = step.corners_without(middles, size_px)
            where = step.corner(empty[0], language) if empty else language.text("setup.table.farther_from_others")
            text = language.text("setup.table.lay_phone_showing_number", where=where, n=self._phone.next_number)
            return StepFinding(State.WAIT, text, (), len(lay) / PHONE_CORNERS, shapes)
        try:
            table = self._phone.table(size_px)
            rectangle = rectangle_of(np.array([table.to_mm(m.corners_px).mean(0) for m in lay]))
        except VisionError:
            self._phone = PhoneSurvey()
            return StepFinding(State.WAIT, language.text("setup.table.that_was_no_flat_table"))
        text = language.text("setup.table.measured_take_phone_away_and")
        return StepFinding(State.GOOD, text, (error_in_words(table, rectangle, language),), 1.0, shapes)

    def _by_markers(self, seen: StepInput, image: Image) -> StepFinding:
        language, size_px = seen.language, seen.size_px
        try:
            sight = unmirrored_markers(image)
            check_not_doubled(sight)
        except DoubledMarkerError as error:
            numbers = language.list_of([str(number) for number in error.ids])
            return StepFinding(State.MEND, language.text("setup.table.two_marker_cards_have_number", n=numbers))
        except VisionError:
            return StepFinding(State.MEND, language.text("setup.table.picture_is_mirrored_put_that"))
        shapes = tuple(Shape(shares(m.corners_px, size_px), label=str(m.id)) for m in sight.markers)
        try:
            table = table_from_markers(sight.markers, size_px)
            rectangle = marker_rectangle(sight.markers, table)
        except (VisionError, BadInputError):
            self._pictures.clear()
            return StepFinding(State.WAIT, what_is_missing(sight, size_px, language), shapes=shapes)
        self._remember(seen, image)
        help_ = what_is_missing(sight, size_px, language) if len(sight.markers) < _USUAL else ""
        more = (*([help_] if help_ else []), error_in_words(table, rectangle, language))
        if len(self._pictures) < PICTURES:
            bar = len(self._pictures) / PICTURES
            return StepFinding(State.WAIT, language.text("setup.table.one_moment_table_is_being"), more, bar, shapes)
        text = language.text("setup.table.table_is_measured")
        return StepFinding(State.MEND if help_ else State.GOOD, text, more, 1.0, shapes)

    def _look_for_sheets(self, seen: StepInput, image: Image) -> StepFinding:
        language = seen.language
        text = language.text("setup.table.measured_take_sheets_away_all")
        try:
            self._sheets = survey_by_sheets(image, self._kind)
        except BadTableError:
            if self._sheets is None:
                few = language.text(
                    "setup.table.lay_of_them_near_corners", n=language.number(max(_USUAL, ENOUGH[self._kind]))
                )
                return StepFinding(State.WAIT, few, (_size_in_words(self._kind, language),))
            return StepFinding(State.GOOD, text, bar=1.0)
        quads = [self._sheets.table.to_px(corners) for corners in self._sheets.corners_mm]
        shapes = tuple(Shape(shares(quad, seen.size_px)) for quad in quads)
        rectangle = rectangle_of(self._sheets.corners_mm.reshape(-1, 2))
        return StepFinding(State.GOOD, text, (error_in_words(self._sheets.table, rectangle, language),), 1.0, shapes)

    def _remember(self, seen: StepInput, image: Image) -> None:
        if self._pictures and seen.image_t_ns - self._pictures[-1][0] < APART_NS:
            return
        self._pictures = [*self._pictures, (seen.image_t_ns, image)][-PICTURES:]


def what_is_missing(sight: MarkerSight, size_px: tuple[int, int], language: Language) -> str:
    """Return where one more marker card would help, in words of the table."""
    if not sight.markers:
        return language.text("setup.table.no_marker_card_is_in")
    middles = np.array([marker.corners_px.mean(0) for marker in sight.markers])
    empty = step.corners_without(middles, size_px)
    where = step.corner(empty[0], language) if empty else language.text("setup.table.farther_from_others")
    left = [number for number in range(_USUAL) if number not in {marker.id for marker in sight.markers}]
    if not left:
        return language.text("setup.table.lay_one_of_marker_cards", where=where)
    return language.text("setup.table.put_marker_card", n=left[0], where=where)


def error_in_words(table: Table, rectangle_mm: Points, language: Language) -> str:
    """Return the table's size, and the error of a length on it, in words."""
    width, height = sorted(np.linalg.norm(rectangle_mm[1:3] - rectangle_mm[:2], axis=1) / 10, reverse=True)
    return language.text(
        "setup.table.it_is_cm_between_marks",
        width=round(float(width)),
        height=round(float(height)),
        error=language.decimal(max(0.1, float(table.scale_error) * float(width) * 10 / 2)),
    )


def _size_in_words(kind: str, language: Language) -> str:
    width, height = (language.decimal(mm) for mm in SHEETS_MM[kind])
    return language.text("setup.table.each_is_taken_to_be", width=width, height=height)
