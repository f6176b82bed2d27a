"""Recordings: what is recorded comes back in order; torn ones as far as they go, with one warning."""

from __future__ import annotations

import json
import random
import struct
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Chunk, Message
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import CompressionType

from hardware.edges import Edge, EdgeTap
from hardware.events import BellEdge, SandEdge, SandLine
from hardware.problems import HardwareError
from hardware.recording import (
    MAGIC,
    BadRecordingError,
    RecordedEvent,
    RecordedFrame,
    RecordedRuling,
    RecordingNotWrittenError,
    RecordingWriter,
)
from tests.support.device_fakes import FakeLines
from tests.support.recorded_games import (
    HEADER,
    MS,
    as_json,
    as_protobuf,
    events_of,
    jpeg,
    opened,
    picture_frame,
    write_foreign,
    write_game,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.mcap"


def read(path: Path) -> tuple[list[RecordedEvent], list[str]]:
    """Return the events of a recording and the warnings."""
    warnings: list[str] = []
    return events_of(path, warnings.append), warnings


def test_what_is_recorded_comes_back_in_the_order_it_happened(path: Path) -> None:
    written = write_game(path)
    warnings: list[str] = []
    recording = opened(path, warnings.append)
    events = list(recording.events)
    assert recording.header == HEADER
    assert [(t_ns, kind) for t_ns, kind, _ in events] == sorted(written)
    assert BellEdge(1_700 * MS, 1, True) in [payload for _, _, payload in events]
    assert SandEdge(2_300 * MS, SandLine.BARRIER, 0) in [payload for _, _, payload in events]
    stored, wanted = events[0].payload, picture_frame(2, 1_100 * MS)
    assert isinstance(stored, RecordedFrame)
    frame = stored.frame()
    assert (frame.t_ns, frame.exposure_end_ns, frame.sequence) == (wanted.t_ns, wanted.exposure_end_ns, 2)
    assert np.abs(frame.image.astype(int) - wanted.image).max() <= 3
    ruling = events[-1].payload
    assert isinstance(ruling, RecordedRuling)
    assert ruling.ruling == {"t_ns": 5, "ruling": "ring", "valid": True}
    assert warnings == []
    assert list(recording.events) == events


def test_foxglove_can_show_it(path: Path) -> None:
    """Read by MCAP's own reader: the channels, schemas and encodings that the design promises."""
    write_game(path)
    with path.open("rb") as file:
        messages = list(make_reader(file, validate_crcs=True).iter_messages())
    topics = [channel.topic for _, channel, _ in messages]
    assert set(topics) == {"/game", "/camera", "/bell", "/sandtimer", "/rulings"}
    assert topics.count("/game") == 1 and topics[0] == "/game"
    by_topic = {channel.topic: (schema, channel, message) for schema, channel, message in messages}
    schema, channel, message = by_topic["/camera"]
    assert schema is not None
    assert (schema.name, schema.encoding) == ("foxglove.CompressedImage", "protobuf")
    assert channel.message_encoding == "protobuf"
    files = {file.name for file in FileDescriptorSet.FromString(schema.data).file}
    assert files == {"google/protobuf/timestamp.proto", "foxglove/CompressedImage.proto"}
    image = CompressedImage.FromString(message.data)
    assert (image.format, image.data[:2]) == ("jpeg", b"\xff\xd8")
    assert image.timestamp.ToNanoseconds() == message.log_time
    for topic, keys in (("/bell", {"seat", "pressed"}), ("/sandtimer", {"line", "level"})):
        schema, channel, message = by_topic[topic]
        assert schema is not None
        assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
        assert set(json.loads(message.data)) == keys


@pytest.mark.parametrize("compression", list(CompressionType))
@pytest.mark.parametrize("camera", ["protobuf", "json"])
@pytest.mark.parametrize("chunked", [True, False])
def test_recordings_of_other_programs_are_read(
    path: Path, compression: CompressionType, camera: str, chunked: bool
) -> None:
    encode = as_json if camera == "json" else as_protobuf
    messages = [
        ("/diagnostics", 0, b"\x00\x01"),
        ("/game", 5, json.dumps(HEADER).encode()),
        ("/camera", 30, encode(jpeg(200))),
        ("/bell", 20, b'{"seat": null, "pressed": true}'),
        ("/camera", 40, encode(jpeg(50))),
        ("/sandtimer", 35, b'{"line": "tilt", "level": 1}'),
    ]
    write_foreign(path, messages, camera, compression, chunked, chunk_size=200)
    warnings: list[str] = []
    recording = opened(path, warnings.append)
    events = list(recording.events)
    assert recording.header == HEADER
    kinds = [(t_ns, kind) for t_ns, kind, _ in events]
    assert kinds == [(20, "bell"), (30, "camera"), (35, "sandtimer"), (40, "camera")]
    frame = events[1].payload
    assert isinstance(frame, RecordedFrame)
    # Nothing is known of their shutter, and their time of publishing may be anything.
    assert frame.exposure_end_ns == 30
    assert abs(int(frame.frame().image.mean()) - 200) <= 3
    assert warnings == []
    for data in (b"", b"\xff\xd8 no jpeg"):
        write_foreign(path, [("/camera", 7, encode(data))], camera)
        (event,) = events_of(path)
        assert isinstance(event.payload, RecordedFrame)
        with pytest.raises(BadRecordingError, match="picture at 7 ns"):
            event.payload.frame()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    times=st.lists(st.integers(0, 50), min_size=1, max_size=40),
    chunk_size=st.sampled_from([1, 120, 400, 100_000]),
    chunked=st.booleans(),
)
def test_any_order_of_writing_gives_the_order_of_time(
    path: Path, times: list[int], chunk_size: int, chunked: bool
) -> None:
    messages = [("/bell", t, json.dumps({"seat": n, "pressed": True}).encode()) for n, t in enumerate(times)]
    write_foreign(path, messages, compression=CompressionType.NONE, chunked=chunked, chunk_size=chunk_size)
    found = [(event.t_ns, event.payload) for event in events_of(path)]
    wanted = sorted(enumerate(times), key=lambda item: item[1])
    assert found == [(t, BellEdge(t, number, True)) for number, t in wanted]


MEANINGLESS: dict[str, list[tuple[str, bytes]]] = {
    "/bell": [
        *(("json", data) for data in (b"not json", b"[1]", b'{"seat": 1}', b"[" * 100_000)),
        *(("json", b'{"seat": %s, "pressed": true}' % seat) for seat in (b'"Ann"', b"true", b"-1")),
    ],
    "/sandtimer": [
        ("json", b'{"line": %s}' % rest) for rest in (b'"lid", "level": 1', b'["tilt"]', b'"tilt", "level": 2')
    ],
    "/rulings": [("json", b"\xff\xfe")],
    "/camera": [
        ("protobuf", b"\xff" * 3),
        ("json", b'{"data": "%%%"}'),
        ("json", b'{"data": "\xc3"}'),
        ("cdr", b"\0\1"),
    ],
}


@pytest.mark.parametrize(
    ("topic", "camera", "data"), [(topic, *case) for topic, cases in MEANINGLESS.items() for case in cases]
)
def test_a_message_that_means_nothing_is_left_out_with_one_warning(
    path: Path, topic: str, camera: str, data: bytes
) -> None:
    good = ("/bell", 9, b'{"seat": 0, "pressed": false}')
    write_foreign(path, [(topic, 1, data), (topic, 2, data), good], camera)
    events, warnings = read(path)
    assert [event.payload for event in events] == [BellEdge(9, 0, False)]
    assert len(warnings) == 1
    assert topic in warnings[0]
    assert "\n" not in warnings[0]


def test_edges_from_the_lines_are_recorded_undebounced_and_levels_differ_from_changes(path: Path) -> None:
    lines = FakeLines([Edge(3, "seat 0", True), Edge(3, "tilt", False)])
    tap = EdgeTap(lines, {"seat 0": 0, "seat 1": 1}, lambda message: None)
    tap.open()
    for t_ns, line, active in ((5, "seat 1", True), (6, "seat 1", False), (7, "tilt", True), (8, "flip", True)):
        lines.move(t_ns, line, active)
    with RecordingWriter(path, None, 0) as writer:
        for edge in tap.fetch():
            writer.edge(edge)
    tap.close()
    assert tap.fetch() == []
    assert [event.payload for event in events_of(path)] == [
        BellEdge(3, 0, True, found=True),
        SandEdge(3, SandLine.TILT, 0, found=True),
        BellEdge(5, 1, True),
        BellEdge(6, 1, False),
        SandEdge(7, SandLine.TILT, 1),
    ]


def test_what_cannot_be_a_recording_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "notes.mcap").write_text("no recording")
    (tmp_path / "empty.mcap").write_bytes(b"")
    write_foreign(tmp_path / "header.mcap", [("/game", 1, b"oops")])
    for name in ("notes.mcap", "empty.mcap", "header.mcap", "missing.mcap", "."):
        with pytest.raises(BadRecordingError) as caught:
            opened(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_recording_is_never_overwritten(tmp_path: Path, path: Path) -> None:
    write_game(path)
    before = path.read_bytes()
    with pytest.raises(RecordingNotWrittenError, match="there already"):
        RecordingWriter(path, None, 0)
    assert path.read_bytes() == before
    with pytest.raises(HardwareError, match="cannot be written"):
        RecordingWriter(tmp_path / "no folder" / "game.mcap", None, 0)


def test_a_full_disk_is_one_clear_error_and_leaves_what_was_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RecordingWriter(path, HEADER, 0)
    writer.edge(BellEdge(1, None, True))
    writer.flush()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer, "_writer", type("Full", (), {"add_message": full, "flush": full, "finish": full})())
    with pytest.raises(RecordingNotWrittenError, match="No space left"):
        writer.edge(BellEdge(2, None, False))
    with pytest.raises(RecordingNotWrittenError, match="closed"):
        writer.edge(BellEdge(3, None, True))
    writer.close()
    assert [event.payload for event in events_of(path)] == [BellEdge(1, None, True)]


Game = tuple[bytes, list[RecordedEvent]]


def records(content: bytes) -> list[tuple[int, int, int]]:
    """Return where the records are: (opcode, first byte, byte after the last)."""
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
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    path = tmp_path_factory.mktemp("whole") / "game.mcap"
    write_game(path, seconds=4)
    return path.read_bytes(), events_of(path)


def test_cut_anywhere_it_reads_up_to_the_last_whole_chunk(path: Path, game: Game) -> None:
    content, events = game
    # A chunk is about a second.
    assert len(chunks(content)) >= 4 and len(events) == 17
    edges = {offset + d for _, start, end in records(content) for offset in (start, end) for d in (-1, 0, 1, 8, 9, 10)}
    cuts = sorted({*edges, *random.Random(4).sample(range(len(content)), 60)})
    data_end = next(end for opcode, _, end in records(content) if opcode == Opcode.DATA_END)
    times = times_in_chunks(content)
    for cut in (cut for cut in cuts if len(MAGIC) <= cut < len(content)):
        path.write_bytes(content[:cut])
        found, warnings = read(path)
        whole = sum(1 for _, end in chunks(content) if end <= cut)
        assert [event.t_ns for event in found] == sorted(t for chunk in times[:whole] for t in chunk), cut
        assert all(event in events for event in found), cut
        assert (opened(path).header == HEADER) == (whole >= 1)
        # Once the mark for the end of the data is there, nothing is missing.
        assert len(warnings) == (1 if cut < data_end else 0), cut
    for cut in range(len(MAGIC)):
        path.write_bytes(content[:cut])
        with pytest.raises(BadRecordingError):
            opened(path)


def test_zeros_after_a_power_cut_and_a_chunk_that_says_it_is_huge_are_left_out(path: Path, game: Game) -> None:
    content, events = game
    start, end = chunks(content)[2]
    huge = bytearray(content)
    struct.pack_into("<Q", huge, start + 9 + 16, 1 << 60)
    for damaged in (content[:start] + bytes(4096), content[: start + 40] + bytes(end - start - 40), bytes(huge)):
        path.write_bytes(damaged)
        found, warnings = read(path)
        assert [event.t_ns for event in found] == sorted(times_in_chunks(content)[1])
        assert all(event in events for event in found)
        assert found and len(warnings) == 1


@pytest.mark.parametrize("compression", list(CompressionType))
def test_bytes_changed_anywhere_never_give_a_wrong_event_or_a_traceback(
    path: Path, compression: CompressionType
) -> None:
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
        found, warnings = read(path)
        assert all("\n" not in warning for warning in warnings)
        assert len(warnings) <= 2
        if at in inside:
            assert found == events[: len(found)], at
