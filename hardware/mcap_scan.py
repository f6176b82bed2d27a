"""The messages of an MCAP file in the order of their time, chunk by chunk, torn and damaged files included.

MCAP's own reader trusts the index at the end of the file, which a torn file does not have. This one walks over the
records (https://mcap.dev/spec), looks only at their heads, and then reads chunk by chunk: a message is given out as
soon as no chunk still to come can hold an earlier one.
"""

from __future__ import annotations

import heapq
import io
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Chunk, McapRecord, Message, Schema
from mcap.stream_reader import breakup_chunk

MAGIC = b"\x89MCAP0\r\n"
RECORD_HEAD = struct.Struct("<BQ")
MESSAGE_HEAD = struct.Struct("<HIQQ")
# A record, or a chunk unpacked, that says it is larger than this is taken for damage: the memory of a Pi is small.
LARGEST = 64 * 1024 * 1024
# What MCAP's own reader raises for bytes that are not what they say.
DAMAGE = (McapError, ValueError, OverflowError, RuntimeError, EOFError, struct.error, zstandard.ZstdError)
INDEXED = frozenset({Opcode.CHUNK, Opcode.MESSAGE, Opcode.SCHEMA, Opcode.CHANNEL})
NEVER = 1 << 64


@dataclass(frozen=True)
class StoredMessage:
    """A message with the channel it came on and that channel's schema (None: it has none)."""

    message: Message
    channel: Channel
    schema: Schema | None


@dataclass(frozen=True)
class _Record:
    """Where a record is and the earliest time that it can hold; NEVER for one without messages."""

    opcode: int
    offset: int
    length: int
    start_ns: int


class McapScan:
    """One MCAP file, walked over when it is made.

    Raises OSError if it cannot be read, McapError if it is no MCAP file. `torn`: the file ends in the middle.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if file.read(len(MAGIC)) != MAGIC:
                raise McapError("not an MCAP file")
            self.profile = ""
            self._records: list[_Record] = []
            self._attached: list[_Record] = []
            self.torn = not self._walk(file, size)

    def messages(self, damaged: Callable[[], None]) -> Iterator[StoredMessage]:
        """Give the messages in the order of their time (those of one time as stored), up to the first damaged chunk.

        damaged: called once if there is one. Raises OSError if the file cannot be read any more.
        """
        earliest_to_come = [NEVER] * (len(self._records) + 1)
        for index in range(len(self._records) - 1, -1, -1):
            earliest_to_come[index] = min(earliest_to_come[index + 1], self._records[index].start_ns)
        waiting: list[tuple[int, int, StoredMessage]] = []
        count = 0
        for index, stored in self._stored(damaged):
            for message in stored:
                heapq.heappush(waiting, (message.message.log_time, count, message))
                count += 1
            while waiting and waiting[0][0] <= earliest_to_come[index + 1]:
                yield heapq.heappop(waiting)[2]
        while waiting:
            yield heapq.heappop(waiting)[2]

    def first_on(self, topic: str, within_bytes: int = 32 * 1024 * 1024) -> StoredMessage | None:
        """Give the first message on a topic, as stored, if it begins within so many bytes of the file; else None."""
        for index, stored in self._stored(lambda: None):
            for message in stored:
                if message.channel.topic == topic:
                    return message
            if self._records[index].offset > within_bytes:
                break
        return None

    def attachments(self) -> dict[str, bytes]:
        """Give what is attached, by name; what is damaged or too large is left out."""
        found = {}
        with self._path.open("rb") as file:
            for record in self._attached:
                file.seek(record.offset)
                try:
                    one = Attachment.read(ReadDataStream(io.BytesIO(file.read(record.length))))
                except DAMAGE:
                    continue
                found[one.name] = one.data
        return found

    def _walk(self, file: BinaryIO, size: int) -> bool:
        """Note where the records are; False if the file ends before its end mark or goes on with no record."""
        offset = len(MAGIC)
        while True:
            head = file.read(RECORD_HEAD.size)
            if len(head) < RECORD_HEAD.size:
                return False
            opcode, length = RECORD_HEAD.unpack(head)
            offset += RECORD_HEAD.size
            if opcode == 0 or length > size - offset:
                return False
            if opcode in (Opcode.DATA_END, Opcode.FOOTER):
                return True
            if opcode == Opcode.HEADER:
                self.profile = _profile(file.read(min(length, 1024)))
            elif opcode == Opcode.ATTACHMENT and length <= LARGEST:
                self._attached.append(_Record(opcode, offset, length, NEVER))
            elif opcode in INDEXED:
                start_ns = _start_ns(opcode, file.read(min(length, 40)))
                record = _Record(opcode, offset, length, start_ns)
                if opcode == Opcode.CHUNK and start_ns == 0 and not _has_messages(file, record):
                    record = replace(record, start_ns=NEVER)
                self._records.append(record)
            offset += length
            file.seek(offset)

    def _stored(self, damaged: Callable[[], None]) -> Iterator[tuple[int, list[StoredMessage]]]:
        """Give, record by record as stored, the messages in it."""
        channels: dict[int, Channel] = {}
        schemas: dict[int, Schema] = {}
        with self._path.open("rb") as file:
            for index, record in enumerate(self._records):
                file.seek(record.offset)
                try:
                    found = _records(record, file.read(min(record.length, LARGEST)))
                except DAMAGE:
                    damaged()
                    return
                messages = []
                for item in found:
                    if isinstance(item, Schema):
                        schemas[item.id] = item
                    elif isinstance(item, Channel):
                        channels[item.id] = item
                    elif isinstance(item, Message) and item.channel_id in channels:
                        channel = channels[item.channel_id]
                        messages.append(StoredMessage(item, channel, schemas.get(channel.schema_id)))
                yield index, messages


def _records(record: _Record, content: bytes) -> list[McapRecord]:
    """Read a schema, a channel, a message, or what is in a chunk. Raises one of DAMAGE if it is not whole."""
    if len(content) < record.length:
        raise EOFError
    stream = ReadDataStream(io.BytesIO(content))
    if record.opcode == Opcode.SCHEMA:
        return [Schema.read(stream)]
    if record.opcode == Opcode.CHANNEL:
        return [Channel.read(stream)]
    if record.opcode == Opcode.MESSAGE:
        return [Message.read(stream, record.length)]
    chunk = Chunk.read(stream)
    if chunk.uncompressed_size > LARGEST:
        raise McapError("a chunk that is too large")
    return breakup_chunk(chunk, validate_crc=True)


def _start_ns(opcode: int, head: bytes) -> int:
    if opcode == Opcode.MESSAGE and len(head) >= MESSAGE_HEAD.size:
        return int(MESSAGE_HEAD.unpack_from(head)[2])
    if opcode == Opcode.CHUNK and len(head) >= 16:
        return int(struct.unpack_from("<Q", head)[0])
    return NEVER


def _has_messages(file: BinaryIO, record: _Record) -> bool:
    """Tell whether a chunk holds messages: one without any says that it begins at 0, as one of that time does."""
    file.seek(record.offset)
    try:
        return any(isinstance(item, Message) for item in _records(record, file.read(min(record.length, LARGEST))))
    except DAMAGE:
        return True


def _profile(content: bytes) -> str:
    (length,) = struct.unpack_from("<I", content.ljust(4, b"\0"))
    return content[4 : 4 + length].decode("utf-8", "replace")
