"""Damaged recordings: a short drawn game whose file is damaged, or whole but for what one of its messages holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from random import Random

from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

from referee.bench.mutations import mutated
from referee.bench.replay import record_short_game, rulings_of
from referee.bench.torn_trial import Trial

_LONGEST_NS = 1 << 64
_CHUNK_BYTES = 300_000


def trials(folder: Path, seed: int, count: int) -> Iterator[Trial]:
    """Give so many damaged recordings, one after the other in `folder`; in every other one the damage is inside."""
    random = Random(seed)
    whole = folder / "whole.mcap"
    record_short_game(whole)
    rings = _rings(rulings_of(whole).decode())
    packed = {way: _repacked(whole.read_bytes(), way) for way in CompressionType}
    path = folder / "game.mcap"
    for number in range(count):
        way = random.choice(list(CompressionType))
        if number % 2:
            data, done = _spoiled_inside(packed[way], way, random)
        else:
            data, done = mutated(packed[way], random)
        path.write_bytes(data)
        # A message that holds another thing may well change who rang; damage to the file itself may not.
        truth = rings if number % 2 == 0 or "/camera" in done else {}
        command = ("replay", str(path), "--json") if number % 10 else ("replay", str(path))
        yield Trial(f"{way.name.lower()}: {done}", (command,), partial(_turned_round, truth))


def _repacked(data: bytes, way: CompressionType, change: tuple[int, Random] | None = None) -> bytes:
    """Write a recording anew, with each chunk packed in a way, and one of its messages, by its number, spoiled."""
    out = BytesIO()
    writer = Writer(out, chunk_size=_CHUNK_BYTES, compression=way)
    writer.start(profile="ringmaster", library="ringmaster")
    channels: dict[int, int] = {}
    for number, (schema, channel, message) in enumerate(make_reader(BytesIO(data)).iter_messages()):
        if channel.id not in channels:
            known = 0 if schema is None else writer.register_schema(schema.name, schema.encoding, schema.data)
            channels[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, known)
        content, log_time = message.data, message.log_time
        if change is not None and change[0] == number:
            content = mutated(content, change[1])[0]
            if change[1].random() < 0.1:
                log_time = change[1].randrange(_LONGEST_NS)
        writer.add_message(channels[channel.id], log_time, content, message.publish_time, message.sequence)
    finish: Callable[[], None] = writer.finish
    finish()
    return out.getvalue()


def _spoiled_inside(data: bytes, way: CompressionType, random: Random) -> tuple[bytes, str]:
    topics = [channel.topic for _, channel, _ in make_reader(BytesIO(data)).iter_messages()]
    topic = random.choice(sorted(set(topics)))
    number = random.choice([k for k, one in enumerate(topics) if one == topic])
    return _repacked(data, way, (number, random)), f"a message of {topic}"


def _rings(answer: str) -> dict[int, object]:
    """Whether each ring was valid, by its instant."""
    rulings = [json.loads(line) for line in answer.splitlines() if line.startswith("{")]
    return {ruling["t_ns"]: ruling.get("valid") for ruling in rulings if ruling["ruling"] == "ring"}


def _turned_round(truth: dict[int, object], answers: Sequence[str]) -> str | None:
    for t_ns, valid in _rings(answers[0]).items():
        if {valid, truth.get(t_ns)} == {True, False}:
            return f"the ring at {t_ns} ns was ruled the other way"
    return None
