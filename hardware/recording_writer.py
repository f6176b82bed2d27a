"""Writing a recording: see hardware/recording.py for what is in one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from mcap.writer import CompressionType, Writer

from hardware.camera.frames import SECOND_NS, Frame
from hardware.events import BellEdge, SandEdge, SandLine
from hardware.recording import PROFILE, RecordingNotWrittenError

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

    path: a file that is not there yet. header: the header of an event log, or None if no game is played.
    Every second the chunk is ended and handed to the system, so a program that dies loses a second.
    Every method raises RecordingNotWrittenError if the disk is full or gone.
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
            raise RecordingNotWrittenError(f"{path} is there already; choose another name.") from error
        except OSError as error:
            raise RecordingNotWrittenError(f"{path} cannot be written: {error.strerror}.") from error
        # JPEG does not get smaller, and a Pi has better things to do than to try.
        self._writer = Writer(self._file, chunk_size=CHUNK_BYTES, compression=CompressionType.NONE)
        self._writer.start(profile=PROFILE, library="ringmaster")
        self._channels = {name: self._json_channel(name) for name in SCHEMAS}
        self._channels["camera"] = self._writer.register_channel("/camera", "protobuf", _image_schema(self._writer))
        if header is not None:
            self._json("game", start_ns, header)
            self.flush()

    def frame(self, frame: Frame, jpeg: bytes | None = None) -> None:
        """Write a frame; `jpeg` is the frame as a JPEG file where there is one already."""
        from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage

        image = CompressedImage(frame_id="table", format="jpeg", data=jpeg or encode_jpeg(frame))
        image.timestamp.FromNanoseconds(frame.t_ns)
        self._add("camera", frame.t_ns, image.SerializeToString(), frame.exposure_end_ns, frame.sequence)
        self.frames += 1

    def edge(self, edge: BellEdge | SandEdge) -> None:
        """Write a raw edge of either kind."""
        if isinstance(edge, BellEdge):
            self.bell(edge)
        else:
            self.sandtimer(edge)

    def bell(self, edge: BellEdge) -> None:
        """Write an edge of a bell, as it came: undebounced."""
        self._json("bell", edge.t_ns, {"seat": edge.seat, "pressed": edge.pressed, **_found(edge)})

    def sandtimer(self, edge: SandEdge) -> None:
        """Write a raw edge of one of the sandtimer's sensors."""
        self._json("sandtimer", edge.t_ns, {"line": edge.line.value, "level": edge.level, **_found(edge)})

    def ruling(self, t_ns: int, ruling: Mapping[str, object]) -> None:
        """Write a ruling with the keys it is printed with."""
        self._json("rulings", t_ns, ruling)

    def told(self, t_ns: int, event: Mapping[str, object]) -> None:
        """Write an event of the game that neither pictures nor edges show."""
        self._json("told", t_ns, event)

    def attach(self, name: str, data: bytes, t_ns: int) -> None:
        """Put a file into the recording."""
        kind = "application/json" if name.endswith(".json") else "application/octet-stream"
        with self._lock:
            self._guarded(lambda: self._writer.add_attachment(t_ns, t_ns, name, kind, data))

    def flush(self) -> None:
        """End the chunk and hand it to the system."""
        with self._lock:
            self._guarded(self._writer.flush)

    def close(self) -> None:
        """Write the index and close the file; closing twice is fine."""
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
                raise RecordingNotWrittenError(f"{self.path} is closed already.")
            self._guarded(lambda: self._writer.add_message(self._channels[name], t_ns, data, publish_ns, sequence))
            if t_ns - self._flushed_ns >= FLUSH_NS:
                self._flushed_ns = t_ns
                self._guarded(self._writer.flush)

    def _json_channel(self, name: str) -> int:
        schema = {"type": "object", "properties": SCHEMAS[name]}
        number = self._writer.register_schema(f"ringmaster.{name.title()}", "jsonschema", json.dumps(schema).encode())
        return self._writer.register_channel(f"/{name}", "json", number)

    def _guarded(self, work: Callable[[], object]) -> None:
        """Work on the file; once that has failed the file is left as it is, readable up to its last whole chunk."""
        try:
            work()
        except OSError as error:
            self._open = False
            self._file.close()
            raise RecordingNotWrittenError(f"{self.path} cannot be written: {error.strerror or error}.") from error


def _found(edge: BellEdge | SandEdge) -> dict[str, object]:
    return {"found": True} if edge.found else {}


def encode_jpeg(frame: Frame) -> bytes:
    """Give a frame as a JPEG file."""
    import cv2

    done, data = cv2.imencode(".jpg", frame.bgr(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise RecordingNotWrittenError("A picture could not be stored.")
    return data.tobytes()


def _image_schema(writer: Writer) -> int:
    """Register foxglove.CompressedImage: its description in protobuf's own form, with all it refers to."""
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
