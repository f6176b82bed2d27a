"""Sheets of ruled or squared paper: lines as far apart as one another from one edge to the opposite one."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.quads import points_within

_SAMPLES = 112  # across the lines
_STRIPS = ((0.02, 0.07), (0.28, 0.38), (0.62, 0.72), (0.93, 0.98))  # where lines are looked at, by their length
_ROWS = 2  # in each strip
_ABOUT = 11  # samples: what is darker than the mean of so many is a line
_FEWEST = 6  # lines
_LEAST = 1.5  # grey levels
_AS_PLAIN, _PLAINEST = 0.4, 97  # of the plainest lines, a percentile
_UNEVEN, _MOSTLY = 0.2, 0.7


def are_ruled(image_lab: NDArray[np.uint8], quads: Singles) -> NDArray[np.bool_]:
    """Which of the quadrilaterals (n, 4, 2) have six or more evenly spaced lines all across, either way.

    `image_lab` is (h, w, 3) 8-bit Lab. What is printed on a card leaves its margins free or runs round it as a frame;
    lines that run through both margins and all between are ruled.
    """
    found = np.zeros(len(quads), bool)
    if len(quads) == 0:
        return found
    for turned in (quads, np.roll(quads, 1, axis=1)):
        # Narrow lines fall between coarse places, and coarse ones are uneven in fine places.
        found |= _ruled_across(image_lab, turned, 1) | _ruled_across(image_lab, turned, 2)
    return found


def _ruled_across(image_lab: NDArray[np.uint8], quads: Singles, finer: int) -> NDArray[np.bool_]:
    """Which have such lines along their first and third side, looked at in so many times the usual places."""
    samples = finer * _SAMPLES
    along = np.concatenate([np.linspace(*strip, _ROWS) for strip in _STRIPS])
    shares = np.stack(np.meshgrid(along, np.linspace(0.02, 0.98, samples), indexing="ij"), axis=-1)
    points = np.asarray(points_within(quads, shares[None]), np.float32)
    light = cv2.remap(
        image_lab[..., 0],
        points[..., 0].reshape(-1, samples),
        points[..., 1].reshape(-1, samples),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    strips = np.asarray(light, np.float32).reshape(len(quads), len(_STRIPS), _ROWS, samples).mean(axis=2)
    about = cv2.blur(strips.reshape(-1, samples), (finer * _ABOUT | 1, 1), borderType=cv2.BORDER_REPLICATE)
    stroke = np.ones((1, 2 * finer + 1))
    darker = cv2.dilate(np.maximum(about.reshape(strips.shape) - strips, 0).reshape(-1, samples), stroke)
    # What is as dark in all strips, give or take a little, runs all across.
    lines = np.asarray(darker, np.float32).reshape(strips.shape).min(axis=1)
    least = np.maximum(_LEAST, _AS_PLAIN * np.percentile(lines, _PLAINEST, axis=1, keepdims=True))
    padded = np.pad(lines, ((0, 0), (1, 1)))
    peaks = (lines >= padded[:, :-2]) & (lines > padded[:, 2:]) & (lines > least)
    found = peaks.sum(axis=1) >= _FEWEST
    found[found] = [_evenly_spaced(np.flatnonzero(each), finer) for each in peaks[found]]
    return np.asarray(found, np.bool_)


def _evenly_spaced(places: NDArray[np.intp], near: float) -> bool:
    """Whether most of the lines at `places` (m,), and several in a row, are as far apart, or `near` it."""
    gaps = np.diff(places)
    usual = float(np.median(gaps))
    even = np.abs(gaps - usual) <= max(near, _UNEVEN * usual)
    run = longest = 0
    for each in even:
        run = run + 1 if each else 0
        longest = max(longest, run)
    return bool(longest >= _FEWEST - 1 and even.mean() > _MOSTLY)
