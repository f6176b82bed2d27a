"""Torn and damaged recordings: readable up to the last whole chunk, one warning, never anything else."""

import random
import struct
from io import BytesIO
from pathlib import Path

import pytest
from mcap.opcode import Opcode
from mcap.records import Chunk, Message
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import CompressionType

from hardware.mcap_scan import MAGIC
from hardware.recording import BadRecordingError, RecordedEvent
from tests.support.recorded_games import HEADER, events_of, opened, write_foreign, write_game


def records(content: bytes) -> list[tuple[int, int, int]]:
    """Where the records are: (opcode, first byte, byte after the last)."""
    found = []
    offset = len(MAGIC)
    while offset < len(content) - len(MAGIC):
        opcode, length = struct.unpack_from("<BQ", content, offset)
        found.append((opcode, offset, offset + 9 + length))
        offset += 9 + length
    return found


def chunks(content: bytes) -> list[tuple[int, int]]:
    return [(start, end) for opcode, start, end in records(content) if opcode == Opcode.CHUNK]


def times_in_chunks(content: bytes) -> list[list[int]]:
    """The times of the events in each chunk, by MCAP's own reader; the first message is the game's header, no event."""
    stored = [
        [item.log_time for item in breakup_chunk(record) if isinstance(item, Message)]
        for record in StreamReader(BytesIO(content), emit_chunks=True).records
        if isinstance(record, Chunk)
    ]
    return [stored[0][1:], *stored[1:]]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[RecordedEvent]]:
    path = tmp_path_factory.mktemp("whole") / "game.mcap"
    write_game(path, seconds=4)
    return path.read_bytes(), events_of(path)


def test_a_game_is_cut_into_chunks_of_about_a_second(game: tuple[bytes, list[RecordedEvent]]) -> None:
    content, events = game
    assert len(chunks(content)) >= 4
    assert len(events) == 17


def test_cut_anywhere_it_reads_up_to_the_last_whole_chunk(
    tmp_path: Path, game: tuple[bytes, list[RecordedEvent]]
) -> None:
    content, events = game
    path = tmp_path / "torn.mcap"
    edges = {offset + d for _, start, end in records(content) for offset in (start, end) for d in (-1, 0, 1, 8, 9, 10)}
    cuts = sorted({*edges, *random.Random(4).sample(range(len(content)), 150)})
    data_end = next(end for opcode, _, end in records(content) if opcode == Opcode.DATA_END)
    times = times_in_chunks(content)
    for cut in cuts:
        if not len(MAGIC) <= cut < len(content):
            continue
        path.write_bytes(content[:cut])
        warnings: list[str] = []
        recording = opened(path, warnings.append)
        found = list(recording.events)
        whole = sum(1 for _, end in chunks(content) if end <= cut)
        assert [event.t_ns for event in found] == sorted(t for chunk in times[:whole] for t in chunk), cut
        assert all(event in events for event in found), cut
        assert (recording.header == HEADER) == (whole >= 1)
        # Once the mark for the end of the data is there, nothing is missing.
        assert len(warnings) == (1 if cut < data_end else 0), cut


def test_shorter_than_its_first_mark_it_is_no_recording(
    tmp_path: Path, game: tuple[bytes, list[RecordedEvent]]
) -> None:
    path = tmp_path / "torn.mcap"
    for cut in range(len(MAGIC)):
        path.write_bytes(game[0][:cut])
        with pytest.raises(BadRecordingError):
            opened(path)


def test_a_tail_of_zeros_after_a_power_cut_is_left_out(tmp_path: Path, game: tuple[bytes, list[RecordedEvent]]) -> None:
    content, _ = game
    path = tmp_path / "torn.mcap"
    start, end = chunks(content)[2]
    path.write_bytes(content[:start] + bytes(4096))
    warnings: list[str] = []
    before = events_of(path, warnings.append)
    assert [event.t_ns for event in before] == sorted(times_in_chunks(content)[1])
    assert before
    assert len(warnings) == 1
    path.write_bytes(content[: start + 40] + bytes(end - start - 40))
    warnings.clear()
    assert events_of(path, warnings.append) == before
    assert len(warnings) == 1


@pytest.mark.parametrize("compression", list(CompressionType))
def test_bytes_changed_anywhere_never_give_a_wrong_event_or_a_traceback(
    tmp_path: Path, compression: CompressionType
) -> None:
    path = tmp_path / "theirs.mcap"
    bells = [("/bell", 10 * n, f'{{"seat": {n}, "pressed": true}}'.encode()) for n in range(30)]
    write_foreign(path, bells, compression=compression, chunk_size=300)
    content = path.read_bytes()
    events = events_of(path)
    chosen = random.Random(7)
    inside = [at for start, end in chunks(content) for at in range(start + 9 + 24, end)]
    for at in [*chosen.sample(inside, 120), *chosen.sample(range(len(MAGIC), len(content)), 120)]:
        changed = bytearray(content)
        changed[at] ^= 1 << chosen.randrange(8)
        path.write_bytes(changed)
        warnings: list[str] = []
        found = events_of(path, warnings.append)
        assert all("\n" not in warning for warning in warnings)
        assert len(warnings) <= 2
        if at in inside:
            assert found == events[: len(found)], at


def test_a_chunk_that_says_it_is_huge_is_damage_not_a_full_memory(
    tmp_path: Path, game: tuple[bytes, list[RecordedEvent]]
) -> None:
    content, events = game
    path = tmp_path / "huge.mcap"
    start, _ = chunks(content)[2]
    changed = bytearray(content)
    struct.pack_into("<Q", changed, start + 9 + 16, 1 << 60)
    path.write_bytes(changed)
    warnings: list[str] = []
    found = events_of(path, warnings.append)
    assert len(found) == len(times_in_chunks(content)[1])
    assert all(event in events for event in found)
    assert len(warnings) == 1
