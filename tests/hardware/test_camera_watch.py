import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.camera.frames import Frame, PixelFormat
from hardware.camera.supervisor import CameraState, CameraWatch, is_black
from hardware.problems import Health

MS = 1_000_000
SECOND = 1_000 * MS
START = 500 * SECOND
TABLE = np.full((48, 64, 3), 90, np.uint8)
BLACK = np.full((48, 64, 3), 3, np.uint8)


def frame(end_ns: int, image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]] = TABLE) -> Frame:
    return Frame(end_ns, end_ns, image, 0)


def state_of(watch: CameraWatch) -> CameraState:
    return watch.report.state


def running(now_ns: int = START) -> CameraWatch:
    watch = CameraWatch(now_ns)
    assert watch.accept(frame(now_ns), now_ns)
    return watch


def test_a_camera_is_starting_until_its_first_frame() -> None:
    watch = CameraWatch(START)
    assert state_of(watch) is CameraState.STARTING
    watch.check(START + 20 * SECOND)
    assert state_of(watch) is CameraState.STARTING
    watch.accept(frame(START + 21 * SECOND), START + 21 * SECOND)
    assert state_of(watch) is CameraState.OK
    assert watch.report.since_ns == START + 21 * SECOND


def test_silence_is_reported_within_two_seconds() -> None:
    watch = running()
    watch.check(START + 1_400 * MS)
    assert state_of(watch) is CameraState.OK
    watch.check(START + 1_600 * MS)
    assert state_of(watch) is CameraState.STALLED
    assert watch.reopen(START + 1_600 * MS)


def test_a_camera_that_never_starts_is_opened_anew() -> None:
    watch = CameraWatch(START)
    watch.check(START + 31 * SECOND)
    assert state_of(watch) is CameraState.STALLED
    assert watch.reopen(START + 31 * SECOND)
    watch.opening(START + 31 * SECOND)
    assert not watch.reopen(START + 40 * SECOND)
    assert watch.reopen(START + 62 * SECOND)


def test_black_frames_are_left_out_at_once_and_reported_when_they_last() -> None:
    watch = running()
    for step in range(1, 10):
        now = START + step * 100 * MS
        assert not watch.accept(frame(now, BLACK), now)
        assert (state_of(watch) is CameraState.BLACK) == (step >= 6)
    assert watch.black == 9
    assert not watch.reopen(START + SECOND)
    assert watch.accept(frame(START + SECOND), START + SECOND)
    assert state_of(watch) is CameraState.OK


def noisy(seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.random.default_rng(seed).integers(80, 100, TABLE.shape).astype(np.uint8)


def test_a_picture_that_comes_again_and_again_is_no_news_and_is_reported_when_that_lasts() -> None:
    watch = running()
    taken = []
    for step in range(1, 16):
        now = START + step * 100 * MS
        taken.append(watch.accept(frame(now, noisy(min(step, 3))), now))
        assert (state_of(watch) is CameraState.FROZEN) == (step >= 15)
    # In dim light cameras send each picture twice.
    assert taken == [True] * 4 + [False] * 11
    assert watch.report.health().state is Health.STALLED
    assert watch.accept(frame(START + 2 * SECOND, noisy(4)), START + 2 * SECOND)
    assert state_of(watch) is CameraState.OK


def test_a_camera_black_for_long_is_opened_anew() -> None:
    watch = running()
    now = START
    for _ in range(320):
        now += 100 * MS
        watch.accept(frame(now, BLACK), now)
    assert watch.reopen(now)


@pytest.mark.parametrize("jump", [-6 * SECOND, -3_600 * SECOND, SECOND, 3_600 * SECOND])
def test_frames_that_jump_in_time_are_left_out_and_reported_when_they_go_on(jump: int) -> None:
    watch = running()
    now = START
    for _ in range(4):
        now += 33 * MS
        assert not watch.accept(frame(now + jump), now)
    assert state_of(watch) is CameraState.OK
    for _ in range(20):
        now += 33 * MS
        watch.accept(frame(now + jump), now)
    assert state_of(watch) is CameraState.WRONG_TIME
    assert watch.reopen(now)
    assert watch.wrong_time == 24
    watch.opening(now)
    assert not watch.reopen(now + 33 * MS)
    assert watch.accept(frame(now + 33 * MS), now + 33 * MS)
    assert state_of(watch) is CameraState.OK


def test_a_frame_that_comes_twice_is_left_out() -> None:
    watch = running()
    assert not watch.accept(frame(START), START + 33 * MS)
    assert watch.accept(frame(START + 40 * MS), START + 66 * MS)
    assert state_of(watch) is CameraState.OK


@given(
    st.lists(st.tuples(st.integers(0, 3_000), st.sampled_from(["good", "black", "late", "lost", "open"])), max_size=40)
)
def test_only_good_frames_get_through_and_the_report_is_always_current(steps: list[tuple[int, str]]) -> None:
    watch = CameraWatch(START)
    now, last_good = START, None
    for wait_ms, what in steps:
        now += wait_ms * MS
        watch.check(now)
        if what == "lost":
            watch.lost("The cable is out.", now)
            last_good = None
            assert watch.report.message == "The cable is out."
        elif what == "open":
            watch.opening(now)
            last_good = None
        else:
            end = {"good": now, "black": now, "late": now - 10 * SECOND}[what]
            fresh = last_good is None or end > last_good
            accepted = watch.accept(frame(end, BLACK if what == "black" else TABLE), now)
            assert accepted == (what == "good" and fresh)
            if accepted:
                assert state_of(watch) is CameraState.OK
            if what != "late" and fresh:
                last_good = end
        assert watch.report.since_ns <= now


def test_every_state_has_a_place_on_the_board() -> None:
    watch = running()
    assert watch.report.health().state is Health.OK
    assert watch.report.health().message == ""
    watch.lost("The cable is out.", START + SECOND)
    health = watch.report.health("camera 2")
    assert (health.state, health.device, health.message) == (Health.MISSING, "camera 2", "The cable is out.")


def test_black_is_nothing_at_all_not_a_dark_table() -> None:
    dark_table = np.full((480, 640, 3), 12, np.uint8)
    dark_table[100:200, 100:200] = 60
    assert not is_black(frame(0, dark_table))
    assert is_black(frame(0, BLACK))
    video_black = np.full((72, 64), 128, np.uint8)
    video_black[:48] = 16
    assert is_black(Frame(0, 0, video_black, 0, PixelFormat.NV12))
