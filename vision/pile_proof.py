"""When a framed card is told for certain, and when it is worth a closer look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.pile_faces import FaceMatch
from vision.pile_fit import FaceFitter

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

CARD_ERROR = 0.33  # mean capped error up to which a frame is a card of this deck
_SURE, _SURE_ERROR = 15.0, 0.22
_LEAST_TOLD = 0.6  # of what tells the picture from the next best one
_MOST_HIDDEN = 0.25
_ODDS_SCALE = 4.0
_NO_RIVAL = 200.0
_AT_FIRST_SIGHT, _TOLD_AT_FIRST_SIGHT, _ERROR_AT_FIRST_SIGHT = 60.0, 0.75, 0.15
_PART_ERROR, _PART_SURE = 0.15, 25.0
_PART_TOLD, _PART_HIDDEN, _PART_WHITE = 0.85, 0.2, 0.6
_LOST = 0.08  # of a print in plain sight, to glare, dirt and blur
_BLEACHED_ERROR, _BLEACHED_WHITE = 0.6, 0.85


def confidence_of(match: FaceMatch) -> float:
    """The probability that the match names the right picture."""
    return float(1 / (1 + np.exp(-match.log_odds / _ODDS_SCALE)))


def doubt_of(match: FaceMatch) -> str | None:
    """Why a match is not certain; None if it is."""
    if match.hidden > _MOST_HIDDEN or match.told < _LEAST_TOLD:
        return "covered"
    return None if match.log_odds > _SURE and match.open_error < _SURE_ERROR else "colours"


def may_be_part(match: FaceMatch) -> bool:
    """Whether a guessed frame is a card of which a part is hidden."""
    return match.hidden < 0.5 and match.open_error < _PART_ERROR and match.told > 0.5 and match.log_odds > 2 * _SURE


def may_be_bleached(match: FaceMatch) -> bool:
    """Whether a frame that looks like no card may be one under glare: its margin is white and whole."""
    return match.error < _BLEACHED_ERROR and match.white > _BLEACHED_WHITE


def _plain(match: FaceMatch) -> bool:
    """Whether a certain match needs no closer look: what differs is little, or as much as hides its margin, too."""
    little = match.error < _ERROR_AT_FIRST_SIGHT + 1 - match.white and match.told > _TOLD_AT_FIRST_SIGHT
    return match.log_odds > _NO_RIVAL or (little and match.log_odds > _AT_FIRST_SIGHT)


def _plausible(closer: FaceMatch) -> bool:
    """Whether what differs from a fitted picture is in little things, or hidden by something that hides margin, too.

    Nothing comes to lie on a card's print but over its margin; a picture of another colour differs everywhere.
    """
    return closer.open_error < _PART_ERROR and closer.hidden < _LOST + 1 - closer.white


def cleared(fitter: FaceFitter, image_bgr: Image, match: FaceMatch, frame_px: Floats) -> tuple[FaceMatch, Floats]:
    """A match of a whole frame, looked at closer where the first look leaves a doubt, or is not far from one.

    Two looks that name different pictures leave a doubt, unless the closer one is very sure.
    """
    sure = doubt_of(match) is None and match.error < CARD_ERROR
    if sure and _plain(match):
        return match, frame_px
    if not sure and match.white < _BLEACHED_WHITE:
        return match, frame_px  # a hand, which no fit makes transparent
    closer, fitted_px = fitter.read(image_bgr, frame_px)
    agreed = closer.face is match.face
    if doubt_of(closer) is None:
        if sure and agreed:
            return match, frame_px
        if _plausible(closer) and (agreed or closer.log_odds > _PART_SURE):
            return closer, fitted_px
    if sure:
        return replace(match, log_odds=0.0), frame_px
    # A card that only the closer look can see is there, even if it cannot be told.
    seen = match.error >= CARD_ERROR and _plausible(closer) and closer.log_odds > 0
    return (replace(closer, log_odds=0.0), fitted_px) if seen else (match, frame_px)


def proved(fitter: FaceFitter, image_bgr: Image, match: FaceMatch, frame_px: Floats) -> tuple[FaceMatch, Floats] | None:
    """What a guessed frame proves to be, with a closer look if need be; a doubt where it probably is a card."""
    part = may_be_part(match)
    if proves_itself(match):
        return match, frame_px
    if not part and not may_be_bleached(match):
        return None
    closer, fitted_px = fitter.read(image_bgr, frame_px)
    if closer.log_odds > _PART_SURE and _mostly_seen(closer) and _plausible(closer):
        return closer, fitted_px
    return (replace(match, log_odds=0.0, hidden=1.0), frame_px) if part and closer.log_odds > _PART_SURE else None


def proves_itself(match: FaceMatch) -> bool:
    """Whether a guessed frame is certain at first sight: a pattern that repeats, as the back's, fits in many places."""
    sure = match.face is not None and match.log_odds > _AT_FIRST_SIGHT
    return sure and may_be_part(match) and _mostly_seen(match)


def _mostly_seen(match: FaceMatch) -> bool:
    return match.hidden < _PART_HIDDEN and match.told > _PART_TOLD and match.white > _PART_WHITE
