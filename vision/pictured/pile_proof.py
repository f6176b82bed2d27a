"""When a framed card is told for certain, and when it is worth a closer look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.arrays import Floats, Image
from vision.pictured.face_match import FaceMatch
from vision.pictured.pile_faces import WHOLE
from vision.pictured.pile_fit import FaceFitter

CARD_ERROR = 0.33  # mean capped error up to which a frame is a card of this deck
_SURE, _SURE_ERROR = 15.0, 0.22
_LEAST_TOLD = 0.6  # of what tells the picture from the next best one
_MOST_HIDDEN = 0.25
_ODDS_SCALE = 4.0
_NO_RIVAL = 200.0
_AT_FIRST_SIGHT, _TOLD_AT_FIRST_SIGHT, _ERROR_AT_FIRST_SIGHT = 80.0, 0.75, 0.15
_ERROR_BY_ODDS = 800.0  # log-odds that outweigh an error of one at first sight
_GUESS_TOLD, _GUESS_HIDDEN, _GUESS_WHITE = 0.85, 0.2, 0.6  # of a guessed frame that is certain at first sight
_GUESS_ERROR = 0.15  # of one that a closer look tells by little
_LOOK_ERROR, _LOOK_WHITE, _LOOK_ODDS = 0.72, 0.25, 2.0  # of a guessed frame that a closer look may tell
_LIKELY, _EVIDENT = 20.0, 0.9  # of one where another one proved to be none: log-odds, or the share of straight sides
_PART_SURE = 25.0  # where something hides a part of the margin
_FIT_ERROR, _PART_ERROR, _FIT_TOLD = 0.17, 0.21, 0.7
_MUCH_SURER = 2.5
_SHADED_ERROR = 0.15
_ALL_EXPLAINED = 0.12  # mean error of a fit that leaves next to nothing unexplained
_OVERWHELMING = 150.0
_LEAST_SEEN = 0.25  # of a print
_LOST, _PART_LOST = 0.1, 0.12  # of a print in plain sight, to glare, dirt and blur; also to skin of its own colour
_CONFIRMED = 100.0  # log-odds of a closer look that a first one confirms
_MORE_LOST = 0.05  # where the first look is as sure of the same picture, and no colour had to be bent
_BACK_LOST = 0.25  # of a back that hardly anything else could be
_BLEACHED_ERROR = 0.8
_MUCH_BLEACHED = 0.2  # of a print
# Standard deviations by which a camera may mix colours, where that leaves more of a print unexplained than noise does.
_MOST_BENT, _MOST_STRAY = 2.5, 0.05
_AGAIN, _STILL = 3, 0.004  # how often a fit is repeated, and by how much of its size a frame must have moved
_PRINTED = 15.0  # log-odds by which a picture must beat smooth colours to be print, where light has bleached the rest
# The same where something hides a part of the margin and the fit leaves much unexplained, for other print may lie
# there, and where it is print for certain.
_PART_PRINT, _PLAIN_PRINT = 50.0, 100.0
# By how much more of the local contrasts one picture must explain than any other, and how like it they must be: what is
# bleached or hidden comes to 14, and a clown to 0.22 of a back's likeness.
_LEAD, _LIKE, _BACK_LIKE = 40.0, 0.35, 0.25
_PATTERN_BENT = 1.5
# By how much another picture must be more like a card: right ones come to 0.004, wrong ones to 0.04.
_UNLIKE = 0.02


def confidence_of(match: FaceMatch) -> float:
    """The probability that the match names the right picture."""
    return float(1 / (1 + np.exp(-match.log_odds / _ODDS_SCALE)))


def doubt_of(match: FaceMatch) -> str | None:
    """Why a match is not certain; None if it is."""
    if match.hidden > _MOST_HIDDEN or match.told < _LEAST_TOLD:
        return "glare" if _bleached(match) else "covered"
    if match.log_odds > _SURE and match.open_error < _SURE_ERROR:
        return None
    return "glare" if _bleached(match) else "colours"


def may_be_card(match: FaceMatch) -> bool:
    """Whether a frame looks like a card of the deck, or like one that glare or a shadow has changed."""
    shaded = match.error < _LOOK_ERROR and _LOOK_WHITE < match.white < WHOLE
    return match.error < CARD_ERROR or may_be_bleached(match) or shaded


def may_be_bleached(match: FaceMatch) -> bool:
    """Whether a frame that looks like no card may be one under glare: its margin is white and whole."""
    return match.error < _BLEACHED_ERROR and match.white > WHOLE


def _bleached(match: FaceMatch) -> bool:
    """Whether a closer look found that light has bleached a good part of a card that nothing covers."""
    return match.white > WHOLE and match.bleached > _MUCH_BLEACHED


def _plain(match: FaceMatch) -> bool:
    """Whether a certain match needs no closer look."""
    return match.log_odds > _NO_RIVAL or _certain_at_once(match)


def _certain_at_once(match: FaceMatch) -> bool:
    """Whether what differs from the art at first sight is little, or as much as hides the margin, too.

    The less sure a look is, the less may differ: a paint that a camera has made pale is not far from black.
    """
    most = min(_ERROR_AT_FIRST_SIGHT, match.log_odds / _ERROR_BY_ODDS)
    little = match.error < most + 1 - match.white and match.told > _TOLD_AT_FIRST_SIGHT
    return little and match.log_odds > _AT_FIRST_SIGHT


def _plausible(closer: FaceMatch, *, confirmed: bool = False) -> bool:
    """Whether what differs from a fitted picture is in little things, or hidden by something that hides margin, too.

    Nothing comes to lie on a card's print but over its margin; a picture of another colour differs everywhere, and asks
    for a camera that mixes colours as none does. So where the first look has `confirmed` the picture and its colours
    are as they should be, somewhat more may differ: small, noisy and overexposed pictures blur what is printed.
    """
    if closer.bent > _MOST_BENT and closer.error > _ALL_EXPLAINED and closer.stray > _MOST_STRAY:
        return False
    if closer.white > WHOLE:
        # The back's drawing comes in no other paint, so what a lamp has changed of it makes no doubt.
        lost = _LOST + (_MORE_LOST * max(0.0, 1 - closer.bent / _MOST_BENT) if confirmed else 0.0)
        lost = _BACK_LOST if closer.face is None and closer.log_odds > _OVERWHELMING else lost
        return closer.open_error < _FIT_ERROR and closer.stray < lost
    # Skin looks much like a red card in a mirrored lamp: what hides margin must leave a better fit, unless hardly
    # anything else is possible, as with the back's many colours.
    fits = closer.error < _PART_ERROR or (closer.log_odds > _OVERWHELMING and closer.open_error < _FIT_ERROR)
    return fits and closer.stray < _PART_LOST


def _certain(closer: FaceMatch, *, confirmed: bool = False) -> bool:
    """Whether a fitted picture is proved by what is in sight of it, or also by a first look that has `confirmed` it."""
    sure = closer.log_odds > (_SURE if closer.white > WHOLE else _PART_SURE)
    sure = sure and (closer.white > WHOLE or closer.error < _ALL_EXPLAINED or closer.printed > _PART_PRINT)
    in_sight = closer.told > _FIT_TOLD and closer.seen > _LEAST_SEEN
    return sure and in_sight and doubt_of(closer) is None and _plausible(closer, confirmed=confirmed)


def _settles(closer: FaceMatch, first: FaceMatch) -> bool:
    """Whether a closer look is certain, and outweighs a sure first one that it contradicts.

    It does if it leaves next to nothing unexplained, or is much surer. At first sight what is bleached passes for paint
    that is pale, so there it need only be surer.
    """
    agreed = closer.face is first.face or doubt_of(first) is not None or first.error >= CARD_ERROR
    agreed = agreed or (_bleached(closer) and closer.log_odds > first.log_odds)
    outweighs = closer.error < _ALL_EXPLAINED or closer.log_odds > _MUCH_SURER * first.log_odds
    confirmed = closer.face is first.face and closer.turn == first.turn and doubt_of(first) is None
    confirmed = confirmed and closer.log_odds > _CONFIRMED
    return _certain(closer, confirmed=confirmed) and (agreed or (closer.log_odds > _AT_FIRST_SIGHT and outweighs))


def _drawn_otherwise(fitter: FaceFitter, image_bgr: Image, closer: FaceMatch, frame_px: Floats) -> bool:
    """Whether local contrasts, which ask nothing of any light, are more like another picture than a closer look found.

    Where white is clipped, a light that no fit knows may make one paint look like another one, but not its drawing.
    """
    if not closer.overexposed or closer.log_odds > _OVERWHELMING:
        return False
    picture = fitter.faces.names.index(closer.face)
    return fitter.patterns.lead(image_bgr, np.roll(frame_px, -closer.turn, axis=0), picture) < -_UNLIKE


def _looked_closer(
    fitter: FaceFitter, image_bgr: Image, first: FaceMatch, frame_px: Floats
) -> tuple[FaceMatch, Floats, bool]:
    """A closer look, the frame (4, 2) where it fits best, and whether it settles what the frame shows.

    Light that bleaches a card carries off its frame's sides, too, by more than a fit moves them at once: it is repeated
    from where it has moved the frame, as long as it moves it and what is there is print.
    """
    for again in range(_AGAIN + 1):
        closer, fitted_px = fitter.read(image_bgr, frame_px)
        settled = _settles(closer, first) and not _drawn_otherwise(fitter, image_bgr, closer, fitted_px)
        moved = float(np.abs(fitted_px - frame_px).max() / np.ptp(frame_px, axis=0).max())
        if settled or again == _AGAIN or moved < _STILL or not (_bleached(closer) and closer.printed > 0):
            break
        first, frame_px = fitter.faces.read(image_bgr, fitted_px), fitted_px
    return closer, fitted_px, settled


def cleared(fitter: FaceFitter, image_bgr: Image, match: FaceMatch, frame_px: Floats) -> tuple[FaceMatch, Floats]:
    """A match of a whole frame, looked at closer where the first look leaves a doubt, or is not far from one.

    Two sure looks that name different pictures leave a doubt, unless the closer one explains nearly all that is seen.
    """
    sure = doubt_of(match) is None and match.error < CARD_ERROR
    if sure and _plain(match):
        return match, frame_px
    if not sure and match.white < WHOLE:
        # A hand, which no fit makes transparent, or its shadow.
        return _told_otherwise(fitter, image_bgr, match, frame_px) or (match, frame_px)
    closer, fitted_px, settled = _looked_closer(fitter, image_bgr, match, frame_px)
    if settled:
        return (match, frame_px) if sure and closer.face is match.face else (closer, fitted_px)
    told = _told_otherwise(fitter, image_bgr, match, frame_px)
    if told is not None:
        return told
    if sure:
        return replace(match, log_odds=0.0), frame_px
    # A card that only the closer look can see is there, even if it cannot be told.
    seen = match.error >= CARD_ERROR and _plausible(closer) and closer.log_odds > 0
    return (replace(closer, log_odds=0.0), fitted_px) if seen else (match, frame_px)


def _told_otherwise(
    fitter: FaceFitter, image_bgr: Image, first: FaceMatch, frame_px: Floats
) -> tuple[FaceMatch, Floats] | None:
    """What a frame proves to be in a shadow, or by its local contrasts; None if neither is certain."""
    return _told_in_shadow(fitter, image_bgr, first, frame_px) or _told_by_pattern(fitter, image_bgr, frame_px)


def _told_by_pattern(fitter: FaceFitter, image_bgr: Image, frame_px: Floats) -> tuple[FaceMatch, Floats] | None:
    """What a frame proves to be by its local contrasts, under whatever reflections; None if it is not certain.

    Nothing else has the back's lozenges. Clowns of all colours are drawn much alike, so a fit of light and paint where
    the contrasts agree best must find the same clown, and little that is unlike it.
    """
    found = fitter.patterns.read(image_bgr, frame_px)
    if found is None or found.lead < _LEAD:
        return None
    face = fitter.faces.names[found.picture]
    told = FaceMatch(face, found.turn, found.lead, _SURE_ERROR * (1 - found.likeness), 0.0, 1.0, 1.0)
    if face is None:
        return (told, found.frame_px) if found.likeness > _BACK_LIKE else None
    if found.likeness < _LIKE:
        return None
    closer, fitted_px = fitter.read(image_bgr, found.frame_px)
    agreed = closer.face is face and closer.turn == found.turn and closer.log_odds > 0
    bent = _MOST_BENT if found.lead > _OVERWHELMING else _PATTERN_BENT
    alike = closer.bent < bent and closer.stray < _LOST
    return (replace(told, white=closer.white), fitted_px) if agreed and alike else None


def _told_in_shadow(
    fitter: FaceFitter, image_bgr: Image, first: FaceMatch, frame_px: Floats
) -> tuple[FaceMatch, Floats] | None:
    """What a frame proves to be if a shadow lies across it; None if none does, or the card is not certain.

    A shadow may lie wherever that makes a picture likely, so little may be left unexplained, unless
    hardly anything else is possible.
    """
    found = fitter.read_in_shadow(image_bgr, frame_px)
    if found is None or found[0].log_odds < (_PART_SURE if found[0].error < _SHADED_ERROR else _OVERWHELMING):
        return None
    return found if _settles(found[0], first) and not _drawn_otherwise(fitter, image_bgr, *found) else None


def worth_a_look(match: FaceMatch) -> bool:
    """Whether a guessed frame may be a card that a closer look would tell."""
    # At first sight, pictures that light has bleached look alike.
    hopeful = match.error < _LOOK_ERROR and match.log_odds > _LOOK_ODDS
    return match.white > _LOOK_WHITE and (hopeful or may_be_bleached(match))


def worth_another_look(match: FaceMatch, straight: float, *, bleached: bool) -> bool:
    """Whether a guessed frame may be a card where another one that was looked at closer proved to be none.

    `straight` is the share of its sides that lies on straight edges. A frame that lies askew on a card has print in its
    margin; light that has `bleached` it makes the right one unlikely at first sight, and leaves its margin white.
    """
    return match.log_odds > _LIKELY or straight > _EVIDENT or (bleached and match.white > WHOLE)


def proved(fitter: FaceFitter, image_bgr: Image, match: FaceMatch, frame_px: Floats) -> tuple[FaceMatch, Floats] | None:
    """What a guessed frame proves to be, with a closer look if need be; a doubt where it probably is a card."""
    if proves_itself(match):
        return match, frame_px
    if not worth_a_look(match):
        return None
    closer, fitted_px, settled = _looked_closer(fitter, image_bgr, match, frame_px)
    # On a bare table there are many frames to guess, and in some of them grain is a little like a picture.
    evident = closer.log_odds > _PART_SURE or closer.error < _GUESS_ERROR or closer.printed > _PLAIN_PRINT
    if evident and settled:
        return closer, fitted_px
    shaded = _told_in_shadow(fitter, image_bgr, match, frame_px) if closer.printed > _PRINTED else None
    told = shaded or _told_by_pattern(fitter, image_bgr, frame_px)
    if told is not None:
        return told
    card = evident and closer.log_odds > _SURE
    card = card or (_bleached(closer) and closer.printed > _PRINTED)
    return (replace(closer, log_odds=0.0, hidden=1.0), fitted_px) if card and _plausible(closer) else None


def misfit_of(match: FaceMatch, straight: float) -> tuple[bool, float]:
    """How little a guessed frame promises, to sort by: a frame that lies off its card has print in its margin.

    `straight` is the share of its sides that lies on straight edges.
    """
    return not proves_itself(match), match.error - match.white - straight


def proves_itself(match: FaceMatch) -> bool:
    """Whether a guessed frame is certain at first sight: a pattern that repeats, as the back's, fits in many places."""
    seen = match.hidden < _GUESS_HIDDEN and match.told > _GUESS_TOLD and match.white > _GUESS_WHITE
    return match.face is not None and seen and _certain_at_once(match)
