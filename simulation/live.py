"""The simulated table in real time, and the camera over it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from hardware.camera.frames import Frame, PixelFormat
from simulation.art import (
    DeckArt,
    HandArt,
    Patch,
    draw_bell,
    draw_sandtimer,
    marker_piece,
    marker_places,
    patch_of,
    piece_patch,
)
from simulation.art import hand_art as drawn_hand
from simulation.drawing import (
    CardPictures,
    Flyer,
    StillLayer,
    as_jpeg,
    card_corners,
    draw_flyers,
    hand_flyer,
    light_over,
    surface,
)
from simulation.script import FLAT, PINCH, TURN_S, CardNow, Flip, Motion, Script
from simulation.view import Look, Place, view_of
from simulation.waits import Waits
from vision.arrays import Image
from vision.deck import Deck

SECOND_NS = 1_000_000_000
_INSTANTS = 3
_NOISE_MARGIN = 64
_SAND_STEPS = 40


@dataclass(frozen=True)
class Shots:
    """Parameters of filming a table.

    size: width and height of the frames, px. frames_per_s: frames a second. exposure_s: exposure time, all rows at
    once. pixel_format: BGR or NV12. small_width: width of the small grey picture for motion, px; None: without one.
    look: light, lens and noise.
    """

    size: tuple[int, int] = (1280, 720)
    frames_per_s: float = 30.0
    exposure_s: float = 0.008
    pixel_format: PixelFormat = PixelFormat.BGR
    small_width: int | None = None
    look: Look = field(default_factory=Look)


class LiveTable:
    """A table on which a script runs; frame 0 is its beginning.

    start_ns: start of the script, ns on the monotonic clock. waits: pauses of the script; without a call of `hold`
    there are none. Not thread-safe.
    """

    def __init__(
        self,
        script: Script,
        deck: Deck,
        seed: int,
        shots: Shots | None = None,
        start_ns: int = 0,
    ) -> None:
        self.script = script
        self.shots = shots or Shots()
        self.start_ns = start_ns
        self.waits = Waits()
        self.motion = Motion(script)
        look, size = self.shots.look, self.shots.size
        self.view = view_of(script.area_mm, size, look)
        self._deck, self._seed = deck, seed
        random = np.random.default_rng(seed)
        middle = (script.area_mm[0] / 2, script.area_mm[1] / 2)
        self.art = DeckArt(deck, 1.25 * self.view.px_per_mm(*middle))
        self._cards = CardPictures(self.art)
        self.marked: dict[int, Place] = marker_places(random, script.markers, script.area_mm)
        ground = surface(random, look.table, self.view.homography, script.area_mm, size)
        for number, place in self.marked.items():
            piece = marker_piece(number, place)
            patch = piece_patch(piece, self.view.to_px(piece.corners_mm), size)
            if patch is not None:
                patch.blend(ground)
        if script.bell_mm is not None:
            draw_bell(ground, self.view, script.bell_mm)
        self._still = StillLayer(ground, light_over(random, size, look), look)
        noise = (size[1] + _NOISE_MARGIN, size[0] + _NOISE_MARGIN, 3)
        grains = look.noise * random.standard_normal(noise, dtype=np.float32)
        self._brighter = np.rint(np.clip(grains, 0, 255)).astype(np.uint8)
        self._darker = np.rint(np.clip(-grains, 0, 255)).astype(np.uint8)
        self._patches: dict[tuple[object, ...], Patch | None] = {}
        self._hands: dict[tuple[int, str], HandArt] = {}
        self._stands, self._stood = ground.copy(), (-1, 0.0, 0.0, 0)

    def twin(self) -> LiveTable:
        """Return a copy of the table for another thread."""
        table = LiveTable(self.script, self._deck, self._seed, self.shots, self.start_ns)
        table.waits = self.waits
        return table

    def hold(self, now_ns: int) -> None:
        """Pause the script at `now_ns`, or when running sand has run out, which nobody can stop."""
        now_s = self.seconds(now_ns)
        runs = [act for act in self.script.actions if isinstance(act, Flip)]
        out_s = next((act.at_s + act.runs_s for act in runs if -TURN_S <= now_s - act.at_s < act.runs_s), now_s)
        self.waits.hold(now_ns - self.start_ns + round((out_s - now_s) * SECOND_NS))

    def release(self, now_ns: int) -> None:
        """Resume a paused script."""
        self.waits.release(now_ns - self.start_ns)

    @property
    def held(self) -> bool:
        """Return whether the script is paused."""
        return self.waits.held

    @property
    def frames(self) -> int:
        """Return how many frames the script has."""
        return int(self.script.length_s * self.shots.frames_per_s)

    def exposure_end_ns(self, index: int) -> int:
        """Return the end of a frame's exposure, ns on the monotonic clock."""
        return self.start_ns + round((index + 1) * SECOND_NS / self.shots.frames_per_s)

    def seconds(self, t_ns: int) -> float:
        """Return a time of the monotonic clock as seconds of the script, without its pauses."""
        return self.waits.script_ns(t_ns - self.start_ns) / SECOND_NS

    def prepare(self) -> None:
        """Draw slow parts ahead, the first layer and all hands, for an even frame rate."""
        self.frame(0)
        for seat in range(len(self.script.people)):
            for pose in (PINCH, FLAT) if self.script.bell_mm is not None else (PINCH,):
                self.hand_art(seat, pose)

    def frame(self, index: int) -> Frame:
        """Draw any frame; in order it is fastest."""
        t_ns = self.exposure_end_ns(index)
        image = self._drawn(self.seconds(t_ns), index)
        grey = None
        if self.shots.small_width is not None:
            small = (self.shots.small_width, round(self.shots.small_width * image.shape[0] / image.shape[1]))
            grey = cv2.cvtColor(cv2.resize(image, small, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        if self.shots.pixel_format is PixelFormat.NV12:
            image = to_nv12(image)
        return Frame(t_ns, t_ns, image, index, self.shots.pixel_format, None if grey is None else np.asarray(grey))

    def _drawn(self, end_s: float, index: int) -> Image:
        instants = [end_s - self.shots.exposure_s * share for share in np.linspace(1, 0, _INSTANTS)]
        # Still pieces during the whole exposure; a card that lands or is taken in it is drawn in the air.
        cards = self.motion.cards(end_s)
        still = [card for card in cards if card.since_s is not None and card.since_s <= instants[0]]
        self._still.show([(key, patch) for card in still if (patch := self._patch(key := _key(card), card))])
        lying = {card.key for card in still}
        image = self._standing(end_s).copy()
        draw_flyers(
            image,
            self.view,
            self._still,
            self._flyers(instants, [card.key for card in cards if card.key not in lying]),
        )
        return self._noisy(image, index)

    def _standing(self, t_s: float) -> Image:
        """Return the table with all still things; the sandtimer is redrawn only after a change."""
        spot, sand = self.script.sandtimer_mm, self.motion.sand(t_s)
        if spot is None:
            return self._still.picture
        state = (self._still.version, sand.turn_deg, sand.height_mm, round(sand.left * _SAND_STEPS))
        if state != self._stood:
            middle = self.view.to_px(np.array([spot]))[0]
            light = self._still.light_at(float(middle[0]), float(middle[1]))
            np.copyto(self._stands, self._still.picture)
            draw_sandtimer(self._stands, self.view, spot, replace(sand, left=state[3] / _SAND_STEPS), light)
            self._stood = state
        return self._stands

    def _flyers(self, instants: list[float], moving: list[str]) -> list[Flyer]:
        flyers = [
            flyer for key in moving for flyer in self._cards.flyers([self.motion.card(key, t_s) for t_s in instants])
        ]
        hands = [{hand.seat: hand for hand in self.motion.hands(t_s)} for t_s in instants]
        for seat, hand in sorted(hands[-1].items()):
            seen = [moment[seat] for moment in hands if seat in moment]
            quick = np.ptp([(one.x_mm, one.y_mm) for one in seen], axis=0).max() > 1.0
            art = self.hand_art(seat, hand.pose)
            flyers.append(hand_flyer(art, seen if quick else seen[-1:], self.script.people[seat]))
        return flyers

    def hand_art(self, seat: int, pose: str) -> HandArt:
        """Return the picture of a hand, drawn on first use."""
        if (seat, pose) not in self._hands:
            self._hands[seat, pose] = drawn_hand(self.script.people[seat], pose)
        return self._hands[seat, pose]

    def _patch(self, key: tuple[object, ...], card: CardNow) -> Patch | None:
        if key not in self._patches:
            if len(self._patches) > 4 * len(self.script.cards):
                self._patches.clear()
            corners = self.view.project(card_corners(card, self.art.card_mm))
            picture = self.art.picture(card.face, card.side)
            self._patches[key] = patch_of(picture, self.art.cutout, corners, self.view.size)
        return self._patches[key]

    def _noisy(self, image: Image, index: int) -> Image:
        if self.shots.look.noise > 0:
            shifts = np.random.default_rng((self._seed, index)).integers(0, _NOISE_MARGIN, 4).tolist()
            height, width = image.shape[:2]
            cv2.add(image, self._brighter[shifts[0] :, shifts[1] :][:height, :width], dst=image)
            cv2.subtract(image, self._darker[shifts[2] :, shifts[3] :][:height, :width], dst=image)
        return as_jpeg(image, self.shots.look)


def to_nv12(image: Image) -> Image:
    """Return a picture (h, w, 3) BGR with even sides as NV12, (h * 3 / 2, w)."""
    height, width = image.shape[:2]
    planes = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420)
    packed = np.empty((height * 3 // 2, width), np.uint8)
    packed[:height] = planes[:height]
    colours = planes[height:].reshape(2, height // 2, width // 2)
    packed[height:, 0::2], packed[height:, 1::2] = colours
    return packed


def _key(card: CardNow) -> tuple[object, ...]:
    return card.key, card.x_mm, card.y_mm, card.angle_deg, card.side, card.since_s


_LONGEST_NS = SECOND_NS / 2


class SimulatedCamera:
    """Films a table in real time (a `Camera`); frames that it is too slow for are lost.

    A reopened camera continues by the clock. After the script's end the last picture stays. table: returns the present
    table, for each frame.
    """

    name = "the simulated camera"
    notes: tuple[str, ...] = ()

    def __init__(self, table: Callable[[], LiveTable]) -> None:
        self._tables, self._table = table, table()
        self._next = self._before = 0
        self._drawing_ns = 0.0

    def read(self) -> Frame | None:
        """Return the next frame after its exposure, later if drawing took longer."""
        started_ns = time.monotonic_ns()
        # The first frame that can be ready in time: a slow camera loses frames and delays none.
        table = self._tables()
        ready_s = (started_ns + round(self._drawing_ns) - table.start_ns) / SECOND_NS
        due = max(math.ceil(ready_s * table.shots.frames_per_s) - 1, 0)
        if table is not self._table:
            # The camera's own count continues.
            self._before += self._next - due
            self._table, self._next = table, due
        self._next = max(self._next, due)
        drawn = table.frame(self._next)
        frame = replace(drawn, sequence=self._before + self._next)
        self._next += 1
        drawn_ns = time.monotonic_ns()
        self._drawing_ns = max(0.9 * self._drawing_ns, min(1.2 * (drawn_ns - started_ns), _LONGEST_NS))
        if frame.exposure_end_ns > drawn_ns:
            time.sleep((frame.exposure_end_ns - drawn_ns) / SECOND_NS)
        return frame

    def close(self) -> None:
        """Do nothing."""
