"""Pictures from files, odd ones too: whole, upright, small enough; everything else is refused in a sentence."""

from __future__ import annotations

import os
import struct
import zlib
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image as Pillow

from vision.errors import BadImageError
from vision.image import FlawedFileError, header_of, load_image, load_picture

Image = NDArray[np.uint8]
PASSES = (cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)


def quarters(width: int = 320, height: int = 200) -> Image:
    """Four quarters of different colours, with some texture."""
    image = np.zeros((height, width, 3), np.uint8)
    for k, colour in enumerate([(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 60)]):
        y, x = divmod(k, 2)
        image[y * height // 2 : (y + 1) * height // 2, x * width // 2 : (x + 1) * width // 2] = colour
    image[::7, ::5] //= 2
    return image


def encoded(kind: str, image: Image | NDArray[np.uint16] | None = None, *options: int) -> bytes:
    return bytes(cv2.imencode(kind, quarters() if image is None else image, list(options))[1].tobytes())


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_of(width: int, height: int, *, lines: int) -> bytes:
    packer = zlib.compressobj(9)
    pixels = b"".join([packer.compress(b"\0" * (width + 1)) for _ in range(lines)]) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def of_size(jpeg: bytes, width: int, height: int, marker: bytes = b"\xff\xc0") -> bytes:
    at = jpeg.index(marker) + 5
    return jpeg[:at] + struct.pack(">HH", height, width) + jpeg[at + 4 :]


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    tiff = b"II*\0\x08\0\0\0" + struct.pack("<HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def media(*brands: bytes) -> bytes:
    """The begin of a file of the ISO's media kinds, which names its brand first, then a version, then others."""
    named = b"\0\0\0\0".join([brands[0], b"".join(brands[1:])])
    return struct.pack(">I", 12 + 4 * len(brands)) + b"ftyp" + named + bytes(99)


def stored(folder: Path, data: bytes, name: str = "a.jpg") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_grey_and_deep_pictures_are_read_in_colours_of_eight_bits(tmp_path: Path) -> None:
    grey = cv2.cvtColor(quarters(), cv2.COLOR_BGR2GRAY)
    read = load_image(stored(tmp_path, encoded(".png", np.asarray(grey, np.uint8))))
    np.testing.assert_array_equal(read, np.repeat(grey[:, :, None], 3, axis=2))
    read = load_image(stored(tmp_path, encoded(".png", quarters().astype(np.uint16) * 257)))
    np.testing.assert_array_equal(read, quarters())


@pytest.mark.parametrize("kind", [".png", ".jpg", ".webp"])
def test_the_three_kinds_are_read_whatever_the_name_says(tmp_path: Path, kind: str) -> None:
    picture = load_picture(stored(tmp_path, encoded(kind), "picture.dat"))
    assert picture.reduction == 1
    assert picture.size_px == (320, 200)
    assert np.abs(picture.image.astype(int) - quarters()).mean() < 6


def as_stored(upright: Image, orientation: int) -> Image:
    """The pixels in the order of a file whose EXIF orientation turns them upright."""
    turned = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.transpose(1, 0, 2),
        6: np.rot90(upright, 1),
        7: upright[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(upright, -1),
    }[orientation]
    return np.ascontiguousarray(turned)


@pytest.mark.parametrize(
    ("orientation", "size"), [*((turn, (320, 200)) for turn in range(1, 9)), (6, (4000, 800)), (3, (4000, 800))]
)
def test_a_phones_picture_is_turned_as_it_is_displayed(tmp_path: Path, orientation: int, size: tuple[int, int]) -> None:
    data = with_orientation(encoded(".jpg", as_stored(quarters(*size), orientation)), orientation)
    picture = load_picture(stored(tmp_path, data))
    assert (picture.size_px[0] * picture.reduction, picture.size_px[1] * picture.reduction) == size
    width, height = picture.size_px
    corners = picture.image[[10, 10, height - 10, height - 10], [10, width - 10, 10, width - 10]].astype(int)
    assert np.abs(corners - [(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 60)]).max() < 60


@pytest.mark.parametrize("turn", range(1, 9))
def test_a_phones_heic_is_read_and_turned_as_it_is_displayed(tmp_path: Path, turn: int) -> None:
    exif = Pillow.Exif()
    exif[0x0112] = turn
    picture = Pillow.fromarray(as_stored(quarters(160, 100), turn)[:, :, ::-1])
    pillow_heif.from_pillow(picture).save(path := tmp_path / "IMG_1.HEIC", exif=exif.tobytes(), quality=80)
    assert np.abs(load_image(path).astype(int) - quarters(160, 100)).mean() < 12
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadImageError, match="is torn or damaged"):
        load_image(path)


@pytest.mark.parametrize("kind", [".png", ".jpg"])
def test_a_large_picture_is_read_smaller_and_its_points_are_told_in_its_own_pixels(tmp_path: Path, kind: str) -> None:
    image = np.full((2400, 4000, 3), 90, np.uint8)
    image[1000:1200, 3000:3400] = 220
    picture = load_picture(stored(tmp_path, encoded(kind, image)))
    assert (picture.reduction, picture.size_px) == (2, (2000, 1200))
    rows, columns = np.nonzero(picture.image[:, :, 0] > 155)
    edges = np.array([[columns.min() - 0.5, rows.min() - 0.5], [columns.max() + 0.5, rows.max() + 0.5]])
    np.testing.assert_allclose(picture.to_file(edges), [[2999.5, 999.5], [3399.5, 1199.5]], atol=1)
    assert load_image(tmp_path / "a.jpg").shape == (2400, 4000, 3)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is empty"),
        (b"hello\n" * 99, "is not a JPEG, PNG, WebP or HEIC picture"),
        (encoded(".bmp"), "is not a JPEG, PNG, WebP or HEIC picture"),
        (media(b"heic"), "is torn or damaged"),
        (media(b"avif", b"mif1"), "is not a JPEG, PNG, WebP or HEIC picture"),
        (media(b"mp42", b"isom"), "is a film"),
        (media(b"none"), "is not a JPEG, PNG, WebP or HEIC picture"),
        (encoded(".jpg").replace(b"\xff\xc0", b"\xff\xc3"), "is a JPEG of a rare kind"),
        (encoded(".jpg")[:300], "is torn or damaged"),
        (encoded(".jpg")[:3000], "is torn or damaged"),
        (encoded(".jpg")[:3000] + b"\xff\xd9", "is torn or damaged"),
        (encoded(".jpg")[:12], "is torn or damaged"),
        (encoded(".png")[:900], "is torn or damaged"),
        (encoded(".png")[:33] + encoded(".png")[-12:], "is torn or damaged"),
        (encoded(".png")[:20], "is torn or damaged"),
        (encoded(".webp")[:100], "is torn or damaged"),
        (encoded(".png", np.zeros((1, 1, 3), np.uint8)), "is too small"),
        (png_of(300, 200, lines=3), "is torn or damaged"),
        # Their lines are missing: they are refused by the size that they claim.
        (png_of(20_000, 20_000, lines=3), r"too large \(20000 × 20000 pixels\)"),
        (of_size(encoded(".jpg"), 65000, 65000), r"too large \(65000 × 65000 pixels\)"),
        # Decoders hold these whole in memory.
        (png_of(7000, 7000, lines=3), "too large .* for its kind of file"),
        (of_size(encoded(".jpg", None, *PASSES), 8000, 6000, b"\xff\xc2"), "too large .* for its kind of file"),
    ],
)
def test_what_is_no_whole_picture_is_refused_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], data: bytes, complaint: str
) -> None:
    with pytest.raises(BadImageError, match=complaint) as caught:
        load_picture(stored(tmp_path, data))
    assert "a.jpg" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("none.jpg", "there is no picture"), ("", "is a folder"), ("pipe", "a pipe"), ("x" * 300, "cannot be opened")],
)
def test_what_is_no_file_is_refused_in_one_line(tmp_path: Path, name: str, complaint: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadImageError, match=complaint):
        load_picture(tmp_path / name)


WHOLE = {kind: encoded(kind, quarters(96, 80)) for kind in (".jpg", ".png", ".webp")}
WHOLE["in passes"] = encoded(".jpg", quarters(96, 80), cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
WHOLE["with counters"] = encoded(".jpg", quarters(96, 80), cv2.IMWRITE_JPEG_RST_INTERVAL, 1)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(sorted(WHOLE)), share=st.floats(0, 0.999))
def test_wherever_a_file_is_cut_off_it_is_seen_unless_no_pixel_is_lost(tmp_path: Path, kind: str, share: float) -> None:
    data = WHOLE[kind]
    whole = load_image(stored(tmp_path, data))
    try:
        cut = load_image(stored(tmp_path, data[: int(len(data) * share)]))
    except BadImageError:
        return
    assert share > 0.5
    np.testing.assert_array_equal(cut, whole)


@settings(max_examples=150)
@given(st.binary(max_size=300), st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"RIFF....WEBPVP8X"]))
def test_no_bytes_at_all_confuse_the_header(noise: bytes, start: bytes) -> None:
    try:
        header = header_of(start + noise)
    except FlawedFileError:
        return
    assert header.kind in ("JPEG", "PNG", "WEBP", "HEIF")


NOISE = np.random.default_rng(5).integers(0, 256, 3000, np.uint8).tobytes()


def soft() -> Image:
    """Soft colours, which any way of storing them keeps."""
    rows, columns = np.indices((80, 96))
    return np.stack([60 + rows, 40 + columns, 200 - rows - columns // 2], axis=2).astype(np.uint8)


def opencv(*options: int, kind: str = ".jpg") -> bytes:
    return encoded(kind, soft(), *options)


def pillow(kind: str = "JPEG", mode: str = "RGB", **options: object) -> bytes:
    into = BytesIO()
    Pillow.fromarray(np.ascontiguousarray(soft()[:, :, ::-1])).convert(mode).save(into, kind, **options)
    return into.getvalue()


def segment(marker: int, data: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


JPEG, PNG, WEBP = opencv(), opencv(kind=".png"), opencv(kind=".webp")
ODD_WEBP = next(data for q in range(100) if (data := pillow("WEBP", lossless=True, quality=q))[16] % 2)
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
    "a note longer than it says": with_segment(segment(0xE5, b"abc") + b"\0\0\x12 and more"),
    "filled up between segments": with_segment(b"\xff" * 17),
    "a thumbnail in its notes": with_segment(segment(0xE1, GAIN_MAP)),
    "two pictures": pillow("MPO", save_all=True, append_images=[Pillow.new("RGB", (40, 30))]),
    "a gain map after it": JPEG + GAIN_MAP,
    "a film after it": JPEG + b"\0\0\0\x18ftypmp42" + NOISE,
    "zeros after it": JPEG + bytes(5000),
    "zeros before its end": JPEG[:-2] + bytes(900) + JPEG[-2:],
    "no end mark": JPEG[:-2],
    "half an end mark": JPEG[:-1],
    "PNG with a torn profile": PNG[:33] + chunk(b"iCCP", b"x\0\0" + zlib.compress(b"none")) + PNG[33:],
    "PNG with bytes after it": PNG + NOISE,
    "PNG without its end": PNG[:-12],
    "PNG in seven passes, deep": bytes(cv2.imencode(".png", soft().astype(np.uint16) * 257)[1].tobytes()),
    "PNG of several pictures": pillow("PNG", save_all=True, append_images=[Pillow.new("RGB", (96, 80))]),
    "WebP of several pictures": pillow("WEBP", save_all=True, append_images=[Pillow.new("RGB", (96, 80))]),
    "WebP without its last, empty byte": ODD_WEBP[:-1],
    "WebP with bytes after it": WEBP + NOISE,
}


_WHOLE = opencv(*PASSES)
_SCANS = [k for k in range(len(_WHOLE) - 1) if _WHOLE[k : k + 2] == b"\xff\xda"]
MISSING_PASS = _WHOLE[: _SCANS[0]] + _WHOLE[_SCANS[1] :]  # that of a colour


@pytest.mark.parametrize("data", ODD.values(), ids=ODD.keys())
def test_a_whole_picture_in_an_odd_file_is_read_without_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    assert np.abs(load_image(stored(tmp_path, data)).astype(int) - soft()).mean() < 6
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "data",
    [
        with_scan(JPEG, 0, 0, 0)[: len(JPEG) // 2],
        JPEG[: len(JPEG) * 3 // 4] + b"\xff\xd9",
        COUNTED.replace(b"\xff\xd2", b"\xff\xd5", 1),
        PNG[:60],
        PNG[:33] + struct.pack(">I", 3) + b"tEXta\0b\0\0\0\0" + PNG[33:],
        MISSING_PASS,
        ODD["a thumbnail in its notes"][:-200],
        PNG[: len(PNG) // 2] + PNG[-12:],
    ],
)
def test_a_picture_that_has_lost_pixels_is_refused_however_odd_it_is(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(BadImageError, match="is torn or damaged"):
        load_image(stored(tmp_path, data))


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize("turn", range(1, 9))
def test_what_is_transparent_is_not_seen_however_the_picture_is_turned(tmp_path: Path, kind: str, turn: int) -> None:
    # White on the left as every viewer shows it; on the right white that is not to be seen.
    upright = np.full((80, 100, 4), 255, np.uint8)
    upright[:, 50:, 3] = 0
    upright[:20, :50, :3] = (200, 30, 30)
    exif = Pillow.Exif()
    exif[0x0112] = turn
    path = tmp_path / "glass.png"
    Pillow.fromarray(as_stored(upright, turn)).save(path, kind, exif=exif, lossless=True)
    image = load_picture(path).image
    assert image.shape == (80, 100, 3)
    assert (image[:, 50:] == image[0, -1]).all()
    assert (image[40:, :50] == 255).all()
    np.testing.assert_array_equal(image[5, 5], (30, 30, 200))
    assert 60 < image[0, -1].mean() < 200


def test_a_panorama_is_not_read_at_a_quarter_of_its_size(tmp_path: Path) -> None:
    picture = load_picture(stored(tmp_path, encoded(".jpg", np.full((1000, 8000, 3), 90, np.uint8))))
    assert picture.reduction == 1
    assert picture.size_px == (8000, 1000)
