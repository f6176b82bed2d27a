"""The camera step: checks that there is a picture, sharp, upright, not mirrored, and with the whole table."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np

from referee.errors import BadInputError
from referee.language import Language
from referee.scoring.seats import marker_rectangle
from referee.setup import step
from referee.setup.step import Choice, Shape, State, Step, StepFinding, StepInput, Wish, camera_missing, shares
from vision.arrays import Image
from vision.errors import MirroredError, VisionError
from vision.marker_look import blurs_mm
from vision.markers import Marker, table_from_markers, unmirrored_markers

SHARP_PX, SOFT_PX = 1.3, 2.2
"""Sigma of the blur at the marker cards: limit of a sharp and of a readable picture, px."""
LEAST_PX_PER_MM = 0.8
_BEYOND_MM = 20.0
_LIKE_BEST = 0.93
_TREND = 0.04
_LOOKS = 4


class CameraStep(Step):
    """The camera step. Remembers the sharpest picture since its beginning, for lenses that are turned by hand."""

    name = "camera"
    title_key, ask_key = "setup.camera.camera", "setup.camera.aim_camera_so_that_whole"

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=_LOOKS)
        self._best = 0.0

    def begin(self, seen: StepInput) -> Wish:
        """Choose another camera that is plugged in, if the present one gives no picture."""
        others = [camera for camera, _ in seen.cameras() if camera != seen.settings.camera]
        is_missing = seen.image is None and "camera" in seen.troubles
        return Wish({"camera": others[0]} if is_missing and others else {})

    def look(self, seen: StepInput) -> StepFinding:
        """Judge the picture."""
        plugged = seen.cameras()
        cameras = tuple(
            Choice(name, {"camera": camera}, chosen=camera == seen.settings.camera) for camera, name in plugged
        )
        language = seen.language
        if seen.image is None:
            return _missing(seen, cameras)
        if len(cameras) < 2:
            cameras = ()
        turn = (
            *cameras,
            Choice(language.text("setup.camera.turn_picture_upside_down"), {"turn": True}),
            Choice(language.text("setup.camera.swap_left_and_right"), {"mirror": True}),
        )
        try:
            markers = unmirrored_markers(seen.image).markers
        except MirroredError:
            text = language.text("setup.camera.picture_is_mirrored_tap_swap")
            return StepFinding(State.MEND, text, choices=turn[::-1])
        sharp, how = self._sharpness(seen.image, markers, language)
        cut, shapes = _coverage(seen, markers)
        more = tuple(text for text in (how, *seen.notes) if text)
        good = not cut and sharp >= 0.5
        text = cut or (language.text("setup.camera.camera_sees_table_well") if good else how)
        rest = tuple(one for one in more if one != text)
        return StepFinding(State.GOOD if good else State.MEND, text, rest, sharp, shapes, turn)

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Turn or mirror the picture, or choose another camera."""
        if answer.get("camera") in [camera for camera, _ in seen.cameras()]:
            return Wish({"camera": answer["camera"]})
        if answer.get("turn"):
            return Wish({"camera_turned": not seen.settings.camera_turned})
        if answer.get("mirror"):
            return Wish({"camera_mirrored": not seen.settings.camera_mirrored})
        raise BadInputError("error.setup.that_is_no_answer_here")

    def _sharpness(self, image: Image, markers: tuple[Marker, ...], language: Language) -> tuple[float, str]:
        """Return a picture's sharpness, 0 to 1 (sharp from 0.5 on), and a sentence about it."""
        if markers:
            side_px = float(np.median([np.linalg.norm(m.corners_px[1] - m.corners_px[0]) for m in markers]))
            sigma_px = float(np.median(blurs_mm(image, markers))) * side_px / 50.0
            sharp = 1 / (1 + (sigma_px / SHARP_PX) ** 2)
        else:
            sharp = _fine_print(image)
        before = float(np.mean(self._recent)) if self._recent else sharp
        self._recent.append(sharp)
        self._best = max(self._best, sharp)
        if markers and sharp >= 0.5:
            return sharp, language.text("setup.camera.picture_is_sharp")
        if sharp > before * (1 + _TREND):
            return sharp, language.text("setup.camera.sharper_turn_lens_on_little")
        if sharp < self._best * _LIKE_BEST:
            return sharp, language.text("setup.camera.less_sharp_turn_lens_back")
        if markers:
            soft = sharp >= 1 / (1 + (SOFT_PX / SHARP_PX) ** 2)
            if soft:
                return sharp, language.text("setup.camera.picture_is_little_soft_turn")
            return sharp, language.text("setup.camera.picture_is_blurred_turn_lens")
        return 0.5, language.text("setup.camera.lay_marker_cards_on_table")


def _missing(seen: StepInput, cameras: tuple[Choice, ...]) -> StepFinding:
    """Return the finding without a picture, and the other cameras as choices."""
    found = camera_missing(seen)
    if found.state is State.WAIT:
        return replace(found, choices=cameras)
    if not cameras:
        text = seen.language.text("setup.camera.no_camera_is_plugged_in")
        return replace(found, text=text)
    return replace(found, text=seen.language.text("setup.camera.no_picture_comes_from_this"), choices=cameras)


def _coverage(seen: StepInput, markers: tuple[Marker, ...]) -> tuple[str, tuple[Shape, ...]]:
    """Return a fault of the table's coverage ("": none), and its outline."""
    language, size_px = seen.language, seen.size_px
    shapes = tuple(Shape(shares(marker.corners_px, size_px)) for marker in markers)
    try:
        table = table_from_markers(markers, size_px)
        rectangle = marker_rectangle(markers, table)
    except (VisionError, BadInputError):
        return "", shapes
    outwards = rectangle - rectangle.mean(0)
    outline = table.to_px(rectangle + _BEYOND_MM * np.sign(outwards))
    cut = step.sides_cut(outline, size_px)
    shapes += (Shape(shares(outline, size_px), "bad" if cut else "good"),)
    if cut:
        where = step.sides(cut, language)
        return language.text("setup.camera.table_is_cut_off_at", where=where), shapes
    middle = np.array([[size_px[0] / 2, size_px[1] / 2]])
    if float(table.px_per_mm(middle)[0]) < LEAST_PX_PER_MM:
        return language.text("setup.camera.table_is_small_in_picture"), shapes
    return "", shapes


def _fine_print(image: Image) -> float:
    """Return fine detail: the energy of the Laplacian relative to the light (Pertuz et al. 2013)."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    middle = grey[height // 4 : -height // 4, width // 4 : -width // 4].astype(np.float32)
    detail = float(cv2.Laplacian(middle, cv2.CV_32F).std())
    return detail / (detail + max(float(middle.mean()), 1.0) / 4)
