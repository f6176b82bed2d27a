"""Recordings for the tests: our own, and ones as other people's programs write them."""

import base64
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from mcap.writer import CompressionType, Writer

from hardware.camera.frames import Frame
from hardware.events import BellEdge, SandEdge, SandLine
from hardware.recording import RecordedEvent, Recording, RecordingWriter, read_recording

HEADER = {"game": "piccolino", "players": ["Ann", "Ben"], "options": {"dealer": 1}}
MS = 1_000_000


def picture_frame(number: int, t_ns: int, readout_ns: int = 20 * MS) -> Frame:
    return Frame(t_ns, t_ns + readout_ns // 2, np.full((12, 16, 3), 10 * number, np.uint8), number)


def write_game(path: Path, seconds: int = 5) -> list[tuple[int, str]]:
    """Write a game with two frames a second, an edge of the bell and the sand in each; give (t_ns, kind) as written."""
    written = []
    with RecordingWriter(path, HEADER, 1_000 * MS) as writer:
        for second in range(1, seconds + 1):
            t = second * 1_000 * MS
            writer.edge(BellEdge(t + 700 * MS, second % 2, True))
            writer.frame(picture_frame(2 * second, t + 100 * MS))
            writer.frame(picture_frame(2 * second + 1, t + 600 * MS))
            writer.edge(SandEdge(t + 300 * MS, SandLine.BARRIER, second % 2))
            written += [(t + 100 * MS, "camera"), (t + 300 * MS, "sandtimer"), (t + 600 * MS, "camera")]
            written.append((t + 700 * MS, "bell"))
        writer.ruling(seconds * 1_000 * MS + 900 * MS, {"t_ns": 5, "ruling": "ring", "valid": True})
    return [*written, (seconds * 1_000 * MS + 900 * MS, "rulings")]


def jpeg(value: int = 128) -> bytes:
    done, data = cv2.imencode(".jpg", np.full((12, 16, 3), value, np.uint8))
    assert done
    return data.tobytes()


def as_protobuf(data: bytes) -> bytes:
    return CompressedImage(frame_id="cam", format="jpeg", data=data).SerializeToString()


def as_json(data: bytes) -> bytes:
    image = {"timestamp": {"sec": 0, "nsec": 1}, "frame_id": "", "format": "jpeg"}
    return json.dumps(image | {"data": base64.b64encode(data).decode()}).encode()


def write_foreign(
    path: Path,
    messages: Iterable[tuple[str, int, bytes]],
    camera: str = "protobuf",
    compression: CompressionType = CompressionType.ZSTD,
    chunked: bool = True,
    chunk_size: int = 1024,
) -> None:
    """Write messages (topic, log time, data) in the order given, with times of publishing that mean nothing."""
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=chunk_size, compression=compression, use_chunking=chunked)
        writer.start(library="somebody else's")
        channels: dict[str, int] = {}
        for topic, t_ns, data in messages:
            if topic not in channels:
                kind = ("foxglove.CompressedImage", camera) if topic == "/camera" else ("", "json")
                schema = writer.register_schema(kind[0], "jsonschema" if kind[1] == "json" else kind[1], b"{}")
                channels[topic] = writer.register_channel(topic, kind[1], schema)
            writer.add_message(channels[topic], t_ns, data, publish_time=t_ns + 10**15)
        finish: Callable[[], None] = writer.finish
        finish()


def events_of(path: Path, warn: Callable[[str], None] = lambda message: None) -> list[RecordedEvent]:
    return list(opened(path, warn).events)


def opened(path: Path, warn: Callable[[str], None] = lambda message: None) -> Recording:
    return read_recording(path, warn)
