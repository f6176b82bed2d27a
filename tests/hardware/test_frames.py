"""Frames: the one that decides, their pixels in every layout, and their exposure."""

from __future__ import annotations

import threading

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hardware.camera.frames import Frame, FrameBuffer, PixelFormat, from_stream, to_bgr
from simulation.live import to_nv12

PIXEL = np.zeros((1, 1, 3), np.uint8)


def frame(end_ns: int, sequence: int = 0, readout_ns: int = 0, image: NDArray[np.uint8] = PIXEL) -> Frame:
    return Frame(end_ns - readout_ns // 2, end_ns, image, sequence)


@given(
    ends=st.lists(st.integers(0, 400), max_size=40),
    keep=st.integers(1, 120),
    asked=st.lists(st.integers(-5, 410), min_size=1, max_size=10),
)
def test_buffer_answers_like_a_list(ends: list[int], keep: int, asked: list[int]) -> None:
    buffer = FrameBuffer(keep_ns=keep)
    kept: list[int] = []
    for end in ends:
        taken = buffer.push(frame(end))
        assert taken == (not kept or end > kept[-1])
        if taken:
            kept = [earlier for earlier in [*kept, end] if earlier >= end - keep]
    assert len(buffer) == len(kept)
    for t in asked:
        before = [end for end in kept if end < t]
        found = buffer.last_before(t)
        assert (found.exposure_end_ns if found else None) == (before[-1] if before else None)
        assert buffer.complete_until(t) == any(end >= t for end in kept)
        later = t + 30
        assert [f.exposure_end_ns for f in buffer.between(t, later)] == [end for end in kept if t <= end < later]


@given(st.lists(st.integers(0, 3), max_size=50))
def test_every_frame_that_never_came_is_counted(gaps: list[int]) -> None:
    buffer = FrameBuffer()
    sequence = 10
    buffer.push(frame(0, sequence))
    for number, gap in enumerate(gaps, start=1):
        sequence += 1 + gap
        buffer.push(frame(number, sequence))
    assert buffer.lost == sum(gaps)
    assert buffer.pushed == len(gaps) + 1


def test_a_frame_still_being_exposed_at_the_ring_is_not_the_one_that_decides() -> None:
    buffer = FrameBuffer()
    before, during = frame(1_000, readout_ns=100), frame(2_000, readout_ns=100)
    buffer.push(before)
    buffer.push(during)
    # The middle row of the second frame was done at 1950, but its last rows could still show the ringing hand.
    assert buffer.last_before(1_970) is before
    assert buffer.last_before(2_001) is during


def test_memory_limit_drops_the_oldest_but_never_the_newest() -> None:
    small = np.zeros((10, 10, 3), np.uint8)
    buffer = FrameBuffer(max_bytes=650)
    for end in range(5):
        buffer.push(frame(end, image=small))
    assert [f.exposure_end_ns for f in buffer.between(0, 10)] == [3, 4]
    buffer.push(frame(9, image=np.zeros((100, 100, 3), np.uint8)))
    assert [f.exposure_end_ns for f in buffer.between(0, 10)] == [9]


def test_waiting_for_the_frames_before_a_ring_ends_with_the_frame_that_proves_it() -> None:
    buffer = FrameBuffer()
    results: list[bool] = []
    waiter = threading.Thread(target=lambda: results.append(buffer.wait_complete(50, timeout_s=30)))
    waiter.start()
    buffer.push(frame(49))
    buffer.push(frame(50))
    waiter.join(30)
    assert results == [True]
    assert not buffer.wait_complete(51, timeout_s=0)


WIDTH, HEIGHT = 16, 8


def picture() -> NDArray[np.uint8]:
    """Draw blocks of one colour each: halving the colour planes loses nothing."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for column, colour in enumerate([(40, 40, 200), (40, 180, 40), (200, 60, 40), (230, 230, 230)]):
        image[:, column * 4 : column * 4 + 4] = colour
    return image


@pytest.mark.parametrize("layout", [PixelFormat.I420, PixelFormat.NV12])
def test_colours_come_back_from_video_layouts(layout: PixelFormat) -> None:
    image = np.asarray(cv2.cvtColor(picture(), cv2.COLOR_BGR2YUV_I420), np.uint8)
    if layout is PixelFormat.NV12:
        image = to_nv12(picture())
    assert np.abs(to_bgr(image, layout).astype(int) - picture()).max() <= 6
    seen = Frame(5, 5, image, 0, layout)
    assert (seen.rows, seen.grey().shape) == (HEIGHT, (HEIGHT, WIDTH))


def test_libcameras_packed_formats_are_named_from_the_last_byte() -> None:
    image = picture()
    rgb = np.ascontiguousarray(image[:, :, ::-1])
    four = np.concatenate([rgb, np.full((HEIGHT, WIDTH, 1), 255, np.uint8)], axis=2)
    for kind, stored in (("RGB888", image), ("BGR888", rgb), ("XBGR8888", four)):
        stride = stored.shape[1] * stored.shape[2]
        found, layout = from_stream(np.ascontiguousarray(stored).reshape(-1), (WIDTH, HEIGHT), stride, kind)
        assert layout is PixelFormat.BGR
        assert np.array_equal(found, image)
