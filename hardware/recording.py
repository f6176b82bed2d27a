"""Recordings: a game's frames, edges and rulings in one MCAP file on one time line, written and read.

Channels: /game (the header of an event log, once), /camera (foxglove.CompressedImage), /bell, /sandtimer, /rulings. Log
time is the monotonic time of the event; for a frame the end of its middle row's exposure.

Frames are written as protobuf, which needs a quarter less space than base64 in JSON; both are read. Publish time is the
end of the last row's exposure, so that a replay is as exact as the game. Recordings of other programs lack it: log time
replaces it.
"""

from __future__ import annotations

import base64
import binascii
import heapq
import io
import json
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import zstandard
from google.protobuf.message import DecodeError
from mcap.exceptions import McapError
from mcap.records import Attachment, Channel, Chunk, DataEnd, Header, McapRecord, Message
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import CompressionType, Writer

from hardware.camera.frames import SECOND_NS, Frame
from hardware.events import BellEdge, SandEdge, SandLine
from hardware.problems import HardwareError

JPEG_QUALITY = 90
FLUSH_NS = SECOND_NS
CHUNK_BYTES = 4 * 1024 * 1024
SCHEMAS: Mapping[str, Mapping[str, object]] = {
    "game": {"game": {"type": "string"}, "players": {"type": "array"}, "options": {"type": "object"}},
    "bell": {"seat": {"type": ["integer", "null"]}, "pressed": {"type": "boolean"}},
    "sandtimer": {"line": {"enum": [line.value for line in SandLine]}, "level": {"enum": [0, 1]}},
    "rulings": {"t_ns": {"type": "integer"}, "ruling": {"type": "string"}},
    "told": {"event": {"type": "string"}},
}


class RecordingWriter:
    """Writes one recording; may be called from any thread.

    path: a new file. header: the header of an event log, or None without a game. Every second the chunk is flushed: a
    crash loses one second. Every method raises RecordingNotWrittenError if the disk is full or gone.
    """

    def __init__(self, path: str | Path, header: Mapping[str, object] | None, start_ns: int) -> None:
        self.path = Path(path)
        self.frames = 0
        self._lock = threading.Lock()
        self._open = True
        self._flushed_ns = start_ns
        try:
            self._file = self.path.open("xb")
        except FileExistsError as error:
            raise RecordingNotWrittenError(
                "error.recording.is_there_already_choose_another",
                "{path} is there already; choose another name.",
                path=path,
            ) from error
        except OSError as error:
            raise RecordingNotWrittenError(
                "error.recording.cannot_be_written", "{path} cannot be written: {why}.", path=path, why=error.strerror
            ) from error
        # JPEG does not get smaller, and compression would only cost time.
        self._writer = Writer(self._file, chunk_size=CHUNK_BYTES, compression=CompressionType.NONE)
        self._writer.start(profile=PROFILE, library="ringmaster")
        self._channels = {name: self._json_channel(name) for name in SCHEMAS}
        self._channels["camera"] = self._writer.register_channel("/camera", "protobuf", _image_schema(self._writer))
        if header is not None:
            self._json("game", start_ns, header)
            self.flush()

    def frame(self, frame: Frame, jpeg: bytes | None = None) -> None:
        """Write a frame; `jpeg`: the frame as a JPEG file, if there is one already."""
        from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage

        image = CompressedImage(frame_id="table", format="jpeg", data=jpeg or encode_jpeg(frame))
        image.timestamp.FromNanoseconds(frame.t_ns)
        self._add("camera", frame.t_ns, image.SerializeToString(), frame.exposure_end_ns, frame.sequence)
        self.frames += 1

    def edge(self, edge: BellEdge | SandEdge) -> None:
        """Write a raw edge of the bell, or of one of the sandtimer's sensors."""
        found = {"found": True} if edge.found else {}
        if isinstance(edge, BellEdge):
            self._json("bell", edge.t_ns, {"seat": edge.seat, "pressed": edge.pressed, **found})
        else:
            self._json("sandtimer", edge.t_ns, {"line": edge.line.value, "level": edge.level, **found})

    def ruling(self, t_ns: int, ruling: Mapping[str, object]) -> None:
        """Write a ruling with the keys it is printed with."""
        self._json("rulings", t_ns, ruling)

    def input(self, t_ns: int, event: Mapping[str, object]) -> None:
        """Write an event of the game that neither pictures nor edges show."""
        self._json("told", t_ns, event)

    def attach(self, name: str, data: bytes, t_ns: int) -> None:
        """Add a file to the recording."""
        kind = "application/json" if name.endswith(".json") else "application/octet-stream"
        with self._lock:
            self._guarded(lambda: self._writer.add_attachment(t_ns, t_ns, name, kind, data))

    def flush(self) -> None:
        """Flush the chunk to the system."""
        with self._lock:
            self._guarded(self._writer.flush)

    def close(self) -> None:
        """Write the index and close the file; closing twice is allowed."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            try:
                self._guarded(self._writer.finish)
            finally:
                self._guarded(self._file.close)

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _json(self, name: str, t_ns: int, value: Mapping[str, object]) -> None:
        data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self._add(name, t_ns, data, t_ns, 0)

    def _add(self, name: str, t_ns: int, data: bytes, publish_ns: int, sequence: int) -> None:
        with self._lock:
            if not self._open:
                raise RecordingNotWrittenError(
                    "error.recording.is_closed_already", "{path} is closed already.", path=self.path
                )
            self._guarded(lambda: self._writer.add_message(self._channels[name], t_ns, data, publish_ns, sequence))
            if t_ns - self._flushed_ns >= FLUSH_NS:
                self._flushed_ns = t_ns
                self._guarded(self._writer.flush)

    def _json_channel(self, name: str) -> int:
        schema = {"type": "object", "properties": SCHEMAS[name]}
        number = self._writer.register_schema(f"ringmaster.{name.title()}", "jsonschema", json.dumps(schema).encode())
        return self._writer.register_channel(f"/{name}", "json", number)

    def _guarded(self, work: Callable[[], object]) -> None:
        """Do work on the file; after an error the file is closed, readable up to its last whole chunk."""
        try:
            work()
        except OSError as error:
            self._open = False
            self._file.close()
            raise RecordingNotWrittenError(
                "error.recording.cannot_be_written",
                "{path} cannot be written: {why}.",
                path=self.path,
                why=error.strerror or error,
            ) from error


def encode_jpeg(frame: Frame) -> bytes:
    """Return a frame as a JPEG file."""
    import cv2

    done, data = cv2.imencode(".jpg", frame.bgr(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise RecordingNotWrittenError("error.recording.picture_could_not_be_stored", "A picture could not be stored.")
    return data.tobytes()


def _image_schema(writer: Writer) -> int:
    """Register foxglove.CompressedImage with all descriptors it refers to."""
    from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    described = FileDescriptorSet()
    file = CompressedImage.DESCRIPTOR.file
    for needed in (*file.dependencies, file):
        needed.CopyToProto(described.file.add())
    number: int = writer.register_schema(
        CompressedImage.DESCRIPTOR.full_name, "protobuf", described.SerializeToString()
    )
    return number


PROFILE = "ringmaster"
MAGIC = b"\x89MCAP0\r\n"
# A record or an unpacked chunk above this size counts as damage: a Pi has little memory.
LARGEST = 64 * 1024 * 1024
GAME_WITHIN_BYTES = 32 * 1024 * 1024
NEVER = 1 << 64
# Errors of MCAP's reader for damaged bytes.
DAMAGE = (McapError, ValueError, OverflowError, RuntimeError, EOFError, struct.error, zstandard.ZstdError)


class RecordingError(HardwareError):
    """Any error of a recording."""


class BadRecordingError(RecordingError, ValueError):
    """A file is no recording, or a message in it is unreadable."""


class RecordingNotWrittenError(RecordingError, OSError):
    """A recording cannot be written."""


# Returns the picture, (h, w, 3) uint8 BGR, of an encoded file. Raises ValueError with the reason.
Decoder = Callable[[bytes], npt.NDArray[np.uint8]]


def decoded(encoded: bytes) -> npt.NDArray[np.uint8]:
    """Decode a picture of a recording, also a damaged one. Raises ValueError if it is no picture."""
    import cv2

    image = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR) if encoded else None
    if image is None:
        raise ValueError("cannot be read")
    return np.asarray(image, dtype=np.uint8)


@dataclass(frozen=True)
class RecordedFrame:
    """A stored frame; t_ns and exposure_end_ns as in Frame, `encoded` a whole JPEG (or PNG, WebP) file."""

    t_ns: int
    exposure_end_ns: int
    sequence: int
    encoded: bytes

    def frame(self, decode: Decoder = decoded) -> Frame:
        """Decode the frame. Raises BadRecordingError if it is no picture."""
        try:
            image = decode(self.encoded)
        except ValueError as error:
            raise BadRecordingError(
                "error.recording.picture_at_ns_of_recording",
                "The picture at {t_ns} ns of the recording {why}.",
                t_ns=self.t_ns,
                why=error,
            ) from error
        return Frame(self.t_ns, self.exposure_end_ns, image, self.sequence)


@dataclass(frozen=True)
class RecordedRuling:
    """A ruling of the recorded game."""

    t_ns: int
    ruling: Mapping[str, object]


@dataclass(frozen=True)
class RecordedInput:
    """An event that no device shows, such as a setting of the start or an answer by a person."""

    t_ns: int
    event: Mapping[str, object]


Payload = RecordedFrame | BellEdge | SandEdge | RecordedRuling | RecordedInput


class RecordedEvent(NamedTuple):
    """t_ns: monotonic, as recorded; kind: the channel, "camera", "bell", …; payload: the event."""

    t_ns: int
    kind: str
    payload: Payload


class StoredMessage(NamedTuple):
    """A message with its channel; ours: whether Ringmaster has written it."""

    message: Message
    channel: Channel
    ours: bool = False


@dataclass
class RecordingOutline:
    """Result of the first pass over an MCAP file.

    profile: the program that wrote it. starts_ns: the earliest time in each chunk, in the file's order. first: the
    first message on /game. torn: the file is truncated.
    """

    profile: str = ""
    starts_ns: list[int] = field(default_factory=list)
    first: StoredMessage | None = None
    attachments: dict[str, bytes] = field(default_factory=dict)
    torn: bool = False


class Recording:
    """A recording that can be read repeatedly.

    header: the header of an event log, or None if the file does not name its game.
    """

    def __init__(self, path: Path, outline: RecordingOutline, warn: Callable[[str], None]) -> None:
        self.path = path
        self.header = _json(outline.first) if outline.first else None
        self._outline = outline
        self._warn = warn
        self._warned: set[str] = set()

    @property
    def events(self) -> Iterator[RecordedEvent]:
        """All events in the order of time, read from the file on demand.

        Unreadable messages are dropped, with one warning for each channel. A torn or damaged file ends with its last
        whole chunk, with one warning. Repeated reading does not repeat warnings.
        """
        warned: set[str] = set()
        for stored in self._messages():
            reader = READERS.get(stored.channel.topic)
            if reader is None:
                continue
            try:
                payload = reader(stored._replace(ours=self._outline.profile == PROFILE))
            except BadRecordingError as error:
                if stored.channel.topic not in warned:
                    warned.add(stored.channel.topic)
                    self._warn_once(str(error))
                continue
            yield RecordedEvent(payload.t_ns, stored.channel.topic[1:], payload)

    def attachments(self) -> dict[str, bytes]:
        """Return the attached files by name, without damaged ones."""
        return self._outline.attachments

    def _messages(self) -> Iterator[StoredMessage]:
        """Return the messages in the order of time, up to the first damaged chunk.

        A message is released as soon as no later chunk can hold an earlier one. MCAP's own sorting reader needs the
        index at the file's end, which a torn file lacks.
        """
        starts_ns = self._outline.starts_ns
        to_come_ns = [*list(accumulate(reversed(starts_ns), min))[-2::-1], NEVER]
        waiting: list[tuple[int, int, StoredMessage]] = []
        channels: dict[int, Channel] = {}
        chunk = count = 0
        try:
            for record in _records(self.path):
                for stored in _messages_in(record, channels):
                    heapq.heappush(waiting, (stored.message.log_time, count, stored))
                    count += 1
                if isinstance(record, Chunk | Message):
                    while waiting and waiting[0][0] <= to_come_ns[chunk]:
                        yield heapq.heappop(waiting)[2]
                    chunk += 1
        except DAMAGE:
            pass
        while waiting:
            yield heapq.heappop(waiting)[2]
        if chunk < len(starts_ns):
            self._warn_once(f"{self.path} is damaged; what comes after the damage is left out.")
        elif self._outline.torn:
            self._warn_once(f"{self.path} breaks off in the middle; it is read up to the last part that is whole.")

    def _warn_once(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            self._warn(message)


def read_recording(path: str | Path, warn: Callable[[str], None] = lambda message: None) -> Recording:
    """Open a recording. `warn` receives one sentence for each part that was dropped.

    Raises BadRecordingError if it cannot be opened, is no MCAP file, or its header cannot be read.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            known = file.read(len(MAGIC)) == MAGIC
        if not known:
            raise BadRecordingError(
                "error.recording.is_not_recording_mcap_file", "{path} is not a recording (an MCAP file).", path=path
            )
        outline = _outline(path)
    except FileNotFoundError as error:
        raise BadRecordingError(
            "error.recording.there_is_no_recording", "There is no recording {path}.", path=path
        ) from error
    except OSError as error:
        raise BadRecordingError(
            "error.recording.cannot_be_read", "{path} cannot be read: {why}.", path=path, why=error.strerror or error
        ) from error
    return Recording(path, outline, warn)


def _outline(path: Path) -> RecordingOutline:
    found, channels, passed = RecordingOutline(), dict[int, Channel](), 0
    try:
        for record in _records(path):
            if isinstance(record, Header):
                found.profile = record.profile
            elif isinstance(record, Attachment):
                passed += len(record.data)
                if sum(map(len, found.attachments.values())) + len(record.data) <= LARGEST:
                    found.attachments[record.name] = record.data
            elif isinstance(record, Chunk | Message):
                found.starts_ns.append(record.message_start_time if isinstance(record, Chunk) else record.log_time)
            if found.first is None and passed < GAME_WITHIN_BYTES:
                passed += len(record.data) if isinstance(record, Chunk | Message) else 0
                on_game = (one for one in _messages_in(record, channels) if one.channel.topic == "/game")
                found.first = next(on_game, None)
    except DAMAGE:
        found.torn = True
    return found


class _Bounded(io.BufferedReader):
    """A file that limits reads: MCAP's reader trusts lengths within a record."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST:
            raise EOFError
        return super().read(size)


def _records(path: Path) -> Iterator[McapRecord]:
    """Return the records of an MCAP file up to the end of its data. Raises one of DAMAGE if it is torn."""
    with _Bounded(io.FileIO(path)) as file:
        file.seek(len(MAGIC))
        records = StreamReader(file, skip_magic=True, emit_chunks=True, record_size_limit=LARGEST).records
        yield from takewhile(lambda record: not isinstance(record, DataEnd), records)


def _messages_in(record: McapRecord, channels: dict[int, Channel]) -> list[StoredMessage]:
    """Return the messages in a record, and collect its channels. Raises one of DAMAGE if it is not whole."""
    if isinstance(record, Chunk) and record.uncompressed_size > LARGEST:
        raise McapError("a chunk that is too large")
    messages = []
    for item in breakup_chunk(record, validate_crc=True) if isinstance(record, Chunk) else [record]:
        if isinstance(item, Channel):
            channels[item.id] = item
        elif isinstance(item, Message) and item.channel_id in channels:
            messages.append(StoredMessage(item, channels[item.channel_id]))
    return messages


def _json(stored: StoredMessage) -> dict[str, object]:
    topic = stored.channel.topic
    try:
        value = json.loads(stored.message.data)
    except (ValueError, RecursionError) as error:
        raise BadRecordingError(
            "error.recording.recordings_channel_holds_message_that_is_not",
            "The recording's {topic} channel holds a message that is not JSON.",
            topic=topic,
        ) from error
    if not isinstance(value, dict):
        raise BadRecordingError(
            "error.recording.recordings_channel_holds_message_that",
            "The recording's {topic} channel holds a message that is not a JSON object.",
            topic=topic,
        )
    return value


def _bell(stored: StoredMessage) -> BellEdge:
    value = _json(stored)
    seat, pressed = value.get("seat"), value.get("pressed")
    seat_fits = seat is None or (isinstance(seat, int) and not isinstance(seat, bool) and seat >= 0)
    if not seat_fits or not isinstance(pressed, bool):
        raise BadRecordingError(
            "error.recording.recordings_bell_channel_holds_message",
            'The recording\'s /bell channel holds a message without "seat" and "pressed".',
        )
    return BellEdge(stored.message.log_time, seat if isinstance(seat, int) else None, pressed, _was_found(value))


def _sandtimer(stored: StoredMessage) -> SandEdge:
    value = _json(stored)
    line, level = value.get("line"), value.get("level")
    if line not in [known.value for known in SandLine] or not isinstance(level, int) or level not in (0, 1):
        raise BadRecordingError(
            "error.recording.recordings_sandtimer_channel_holds_message",
            'The recording\'s /sandtimer channel holds a message without "line" and "level".',
        )
    return SandEdge(stored.message.log_time, SandLine(line), int(level), _was_found(value))


def _was_found(value: Mapping[str, object]) -> bool:
    """Return whether a message is a line's first level; only our recordings have this key."""
    return value.get("found") is True


def _camera(stored: StoredMessage) -> RecordedFrame:
    message, encoding = stored.message, stored.channel.message_encoding
    if encoding == "json":
        data = _json(stored).get("data")
        try:
            encoded = base64.b64decode(data, validate=True) if isinstance(data, str) else b""
        except (binascii.Error, ValueError) as error:
            raise BadRecordingError(
                "error.recording.recordings_camera_channel_holds_picture",
                "The recording's /camera channel holds a picture that is not base64.",
            ) from error
    elif encoding == "protobuf":
        from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage

        try:
            encoded = CompressedImage.FromString(message.data).data
        except DecodeError as error:
            raise BadRecordingError(
                "error.recording.recordings_camera_channel_holds_message",
                "The recording's /camera channel holds a message that is torn.",
            ) from error
    else:
        raise BadRecordingError(
            "error.recording.recordings_camera_channel_is_encoded",
            "The recording's /camera channel is encoded as {encoding}, not protobuf or JSON.",
            encoding=encoding,
        )
    end_ns = max(message.publish_time, message.log_time) if stored.ours else message.log_time
    return RecordedFrame(message.log_time, end_ns, message.sequence, encoded)


READERS: Mapping[str, Callable[[StoredMessage], Payload]] = {
    "/camera": _camera,
    "/bell": _bell,
    "/sandtimer": _sandtimer,
    "/rulings": lambda stored: RecordedRuling(stored.message.log_time, _json(stored)),
    "/told": lambda stored: RecordedInput(stored.message.log_time, _json(stored)),
}
