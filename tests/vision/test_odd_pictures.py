"""Whole pictures in odd files, as cameras, phones and programs write them: what every viewer shows is read."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pillow

from vision.errors import BadImageError
from vision.image import load_image, load_picture

Image = NDArray[np.uint8]
NOISE = np.random.default_rng(5).integers(0, 256, 3000, np.uint8).tobytes()


def scene() -> Image:
    """Soft colours, which any way of storing them keeps."""
    rows, columns = np.indices((80, 96))
    return np.stack([60 + rows, 40 + columns, 200 - rows - columns // 2], axis=2).astype(np.uint8)


def opencv(*options: int, kind: str = ".jpg") -> bytes:
    return bytes(cv2.imencode(kind, scene(), list(options))[1].tobytes())


def pillow(kind: str = "JPEG", mode: str = "RGB", **options: object) -> bytes:
    into = BytesIO()
    Pillow.fromarray(np.ascontiguousarray(scene()[:, :, ::-1])).convert(mode).save(into, kind, **options)
    return into.getvalue()


def segment(marker: int, data: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


JPEG, PNG, WEBP = opencv(), opencv(kind=".png"), opencv(kind=".webp")
COUNTED = opencv(cv2.IMWRITE_JPEG_RST_INTERVAL, 3)
GAIN_MAP = pillow(quality=30)


def with_scan(jpeg: bytes, *numbers: int) -> bytes:
    """The same, with other numbers at the end of its scan's header: the first and last coefficient, and a shift."""
    at = jpeg.index(b"\xff\xda")
    end = at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return jpeg[: end - 3] + bytes(numbers) + jpeg[end:]


def with_segment(data: bytes) -> bytes:
    return JPEG[:2] + data + JPEG[2:]


def without_tables() -> bytes:
    """As the frames of a webcam's film are: with no Huffman tables, for those of the standard are meant."""
    at, kept = 2, JPEG[:2]
    while JPEG[at + 1] != 0xDA:
        length = 2 + int.from_bytes(JPEG[at + 2 : at + 4], "big")
        kept += b"" if JPEG[at + 1] == 0xC4 else JPEG[at : at + length]
        at += length
    return kept + JPEG[at:]


ODD = {
    "a phone's scan header": with_scan(JPEG, 0, 0, 0),
    "another's": with_scan(JPEG, 0, 63, 0x10),
    "a third's": with_scan(COUNTED, 63, 63, 0),
    "in passes": opencv(cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    "with counters": COUNTED,
    "4:1:1": opencv(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_411),
    "4:4:0": opencv(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_440),
    "four inks": pillow(mode="CMYK"),
    "with a profile in two parts": pillow(icc_profile=b"\0" * 70_000),
    "a webcam's frame": without_tables(),
    "another revision": JPEG.replace(b"JFIF\0\x01\x01", b"JFIF\0\x09\x09", 1),
    "an unknown colour transform": with_segment(segment(0xEE, b"Adobe\0\x64\0\0\0\0\x09")),
    "noise in its notes": with_segment(b"".join(segment(0xE0 + k, NOISE) for k in range(1, 16))),
    "torn notes of the camera": with_segment(segment(0xE1, b"Exif\0\0II*\0\xff\xff\xff\xff")),
    "a torn colour profile": with_segment(segment(0xE2, b"ICC_PROFILE\0\x05\x02" + NOISE)),
    "an empty note": with_segment(segment(0xE1, b"")),
    "a note longer than it says": with_segment(segment(0xE5, b"abc") + b"\0\0\x12 and more"),
    "filled up between segments": with_segment(b"\xff" * 17),
    "a thumbnail in its notes": with_segment(segment(0xE1, GAIN_MAP)),
    "two pictures": pillow("MPO", save_all=True, append_images=[Pillow.new("RGB", (40, 30))]),
    "a gain map after it": JPEG + GAIN_MAP,
    "a depth map after it": JPEG + PNG,
    "a film after it": JPEG + b"\0\0\0\x18ftypmp42" + NOISE,
    "zeros after it": JPEG + bytes(5000),
    "zeros before its end": JPEG[:-2] + bytes(900) + JPEG[-2:],
    "no end mark": JPEG[:-2],
    "half an end mark": JPEG[:-1],
    "zeros for an end mark": JPEG[:-2] + bytes(100),
    "PNG with a torn note": PNG[:33] + struct.pack(">I", 3) + b"tEXta\0b\0\0\0\0" + PNG[33:],
    "PNG with a torn profile": PNG[:33] + chunk(b"iCCP", b"x\0\0" + zlib.compress(b"none")) + PNG[33:],
    "PNG with bytes after it": PNG + NOISE,
    "PNG without its end": PNG[:-12],
    "PNG in seven passes, deep": bytes(cv2.imencode(".png", scene().astype(np.uint16) * 257)[1].tobytes()),
    "PNG of several pictures": pillow("PNG", save_all=True, append_images=[Pillow.new("RGB", (96, 80))]),
    "WebP of several pictures": pillow("WEBP", save_all=True, append_images=[Pillow.new("RGB", (96, 80))]),
    "WebP that counts a byte too many": WEBP[:4] + struct.pack("<I", len(WEBP) - 7) + WEBP[8:],
    "WebP with bytes after it": WEBP + NOISE,
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_a_whole_picture_in_an_odd_file_is_read_without_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    path = tmp_path / "odd.jpg"
    path.write_bytes(data)
    assert np.abs(load_image(path).astype(int) - scene()).mean() < 6
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "data",
    [
        with_scan(JPEG, 0, 0, 0)[: len(JPEG) // 2],
        JPEG[: len(JPEG) * 3 // 4] + b"\xff\xd9",
        COUNTED.replace(b"\xff\xd2", b"\xff\xd5", 1),
        PNG[:60],
        PNG[: len(PNG) // 2] + PNG[-12:],
    ],
)
def test_a_picture_that_has_lost_pixels_is_refused_however_odd_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.jpg"
    path.write_bytes(data)
    with pytest.raises(BadImageError, match=r"is torn|is damaged"):
        load_image(path)


def test_a_colour_that_no_pass_brings_is_missed(tmp_path: Path) -> None:
    whole = opencv(
        cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
    )
    scans = [k for k in range(len(whole) - 1) if whole[k : k + 2] == b"\xff\xda"]
    path = tmp_path / "passes.jpg"
    path.write_bytes(whole[: scans[0]] + whole[scans[1] :])
    with pytest.raises(BadImageError, match="is torn"):
        load_image(path)


def half_seen(turn: int = 1) -> Callable[[str], bytes]:
    """White on the left as every viewer shows it; on the right white that is not to be seen."""
    upright = np.full((80, 100, 4), 255, np.uint8)
    upright[:, 50:, 3] = 0
    upright[:20, :50, :3] = (200, 30, 30)
    stored = {
        1: upright,
        3: upright[::-1, ::-1],
        6: np.rot90(upright, 1),
        8: np.rot90(upright, -1),
        2: upright[:, ::-1],
    }
    stored |= {4: upright[::-1], 5: upright.transpose(1, 0, 2), 7: upright[::-1, ::-1].transpose(1, 0, 2)}
    exif = Pillow.Exif()
    exif[0x0112] = turn

    def save(kind: str) -> bytes:
        into = BytesIO()
        Pillow.fromarray(np.ascontiguousarray(stored[turn])).save(into, kind, exif=exif, lossless=True)
        return into.getvalue()

    return save


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize("turn", range(1, 9))
def test_what_is_transparent_is_not_seen_however_the_picture_is_turned(tmp_path: Path, kind: str, turn: int) -> None:
    path = tmp_path / "glass.png"
    path.write_bytes(half_seen(turn)(kind))
    image = load_picture(path).image
    assert image.shape == (80, 100, 3)
    assert (image[:, 50:] == image[0, -1]).all()
    assert (image[40:, :50] == 255).all()
    np.testing.assert_array_equal(image[5, 5], (30, 30, 200))
    assert 60 < image[0, -1].mean() < 200


@pytest.mark.parametrize("mode", ["LA", "P"])
def test_other_ways_of_being_transparent(tmp_path: Path, mode: str) -> None:
    glass = Pillow.fromarray(np.full((70, 70), 250, np.uint8))
    path = tmp_path / "glass.png"
    if mode == "P":
        glass.convert("P").save(path, transparency=250)
    else:
        Pillow.merge("LA", (glass, glass.point(lambda _: 0))).save(path)
    assert load_picture(path).image.max() < 200


def test_a_panorama_is_not_read_at_a_quarter_of_its_size(tmp_path: Path) -> None:
    path = tmp_path / "wide.jpg"
    path.write_bytes(cv2.imencode(".jpg", np.full((1000, 8000, 3), 90, np.uint8))[1].tobytes())
    picture = load_picture(path)
    assert picture.reduction == 1
    assert picture.size_px == (8000, 1000)
