import threading

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.camera.frames import Frame, FrameBuffer, PixelFormat

PIXEL = np.zeros((1, 1, 3), np.uint8)


def frame(end_ns: int, sequence: int = 0, readout_ns: int = 0, image: npt.NDArray[np.uint8] = PIXEL) -> Frame:
    return Frame(end_ns - readout_ns // 2, end_ns, image, sequence)


@given(
    ends=st.lists(st.integers(0, 400), max_size=40),
    keep=st.integers(1, 120),
    asked=st.lists(st.integers(-5, 410), min_size=1, max_size=10),
)
def test_buffer_answers_like_a_plain_list(ends: list[int], keep: int, asked: list[int]) -> None:
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


def test_a_count_that_starts_again_after_reopening_is_no_loss() -> None:
    buffer = FrameBuffer()
    buffer.push(frame(1, 500))
    buffer.restart()
    buffer.push(frame(2, 3))
    buffer.push(frame(3, 4))
    assert buffer.lost == 0


def test_a_frame_still_being_exposed_at_the_ring_is_not_the_one_that_decides() -> None:
    buffer = FrameBuffer()
    before, during = frame(1_000, readout_ns=100), frame(2_000, readout_ns=100)
    buffer.push(before)
    buffer.push(during)
    # The middle row of the second frame was done at 1950, but its last rows could still show the ringing hand.
    assert buffer.last_before(1_970) is before
    assert buffer.last_before(2_001) is during


def test_a_frame_that_is_not_newer_is_turned_away_and_counted() -> None:
    buffer = FrameBuffer()
    first = frame(100)
    assert buffer.push(first)
    assert not buffer.push(frame(100))
    assert not buffer.push(frame(40))
    assert buffer.newest is first
    assert buffer.late == 2


def test_memory_limit_drops_the_oldest_but_never_the_newest() -> None:
    picture = np.zeros((10, 10, 3), np.uint8)
    buffer = FrameBuffer(max_bytes=650)
    for end in range(5):
        buffer.push(frame(end, image=picture))
    assert [f.exposure_end_ns for f in buffer.between(0, 10)] == [3, 4]
    buffer.push(frame(9, image=np.zeros((100, 100, 3), np.uint8)))
    assert [f.exposure_end_ns for f in buffer.between(0, 10)] == [9]


def test_a_slow_reader_gets_the_newest_and_knows_what_it_missed() -> None:
    buffer = FrameBuffer()
    buffer.push(frame(1))
    reader = buffer.reader()
    assert reader.next(timeout_s=0) is None
    for end in (2, 3, 4):
        buffer.push(frame(end))
    newest = reader.next(timeout_s=0)
    assert newest is not None
    assert newest.exposure_end_ns == 4
    assert reader.skipped == 2
    buffer.push(frame(5))
    assert reader.next(timeout_s=0) is buffer.newest
    assert reader.skipped == 2


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


def test_rows_of_a_rolling_shutter_end_one_after_another() -> None:
    picture = Frame(1_000, 1_100, np.zeros((201, 4, 3), np.uint8), 0)
    assert picture.readout_ns == 200
    assert picture.row_exposure_end_ns(0) == 900
    assert picture.row_exposure_end_ns(100) == picture.t_ns
    assert picture.row_exposure_end_ns(200) == picture.exposure_end_ns
    with pytest.raises(ValueError, match="row 201"):
        picture.row_exposure_end_ns(201)


def test_nv12_has_the_rows_of_its_grey_plane() -> None:
    picture = Frame(5, 5, np.zeros((6, 8), np.uint8), 0, PixelFormat.NV12)
    assert picture.rows == 4
    assert picture.grey().shape == (4, 8)
    assert picture.bgr().shape == (4, 8, 3)


def test_a_last_row_before_the_middle_row_is_refused() -> None:
    with pytest.raises(ValueError, match="before its middle row"):
        Frame(10, 9, PIXEL, 0)
