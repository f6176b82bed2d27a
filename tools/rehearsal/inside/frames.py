"""Inside the rehearsal machine: reads frames from the Virtual camera through picamera2 and finds cards in one.

frames.py FACE…: the faces on the table; exit status 1 if frames or cards are missing.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time

from hardware.camera.camera import CameraSettings, CameraTimeoutError, open_camera
from hardware.camera.frames import Frame
from hardware.settings import MS
from vision.deck import load_deck
from vision.reading import reader_of

FRAMES = 15


def main(faces: set[str]) -> int:
    """Read frames, then cards, and print the result."""
    camera = open_camera("picamera2", CameraSettings())
    try:
        frames: list[Frame] = []
        ages, late = [], 0
        while len(frames) < FRAMES:
            try:
                frame = camera.read()
            except CameraTimeoutError:
                late += 1
                if late < FRAMES:
                    continue
                raise
            assert frame is not None
            ages.append((time.monotonic_ns() - frame.exposure_end_ns) / MS)
            frames.append(frame)
        notes = camera.notes
    finally:
        camera.close()
    stamps = [frame.t_ns for frame in frames]
    height, width = frames[-1].bgr().shape[:2]
    age = f"age {statistics.median(ages):.0f} ms, {late} late"
    print(f"{FRAMES} frames, {width}x{height} {frames[-1].pixel_format.name}, {age}")
    for note in notes:
        print(f"note: {note}")
    reading = reader_of(load_deck("confetti")).read(frames[-1].bgr())
    read = {card.named.id for card in reading.cards}
    print(f"cards on the table: {len(faces)}; read: {len(read & faces)}; read wrongly: {sorted(read - faces)}")
    rising = all(earlier < later for earlier, later in itertools.pairwise(stamps))
    return 0 if rising and read & faces and read <= faces and min(ages) >= 0 else 1


if __name__ == "__main__":
    sys.exit(main(set(sys.argv[1:])))
