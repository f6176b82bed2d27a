"""Pictures from files: whole, upright, small enough; everything else refused in a sentence."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.errors import BadImageError
from vision.image import load_image, load_picture
from vision.image_header import FlawedFileError, header_of
from vision.search_scale import shrinking

Image = NDArray[np.uint8]


def scene(width: int = 320, height: int = 200) -> Image:
    """Four quarters of different colours, with some texture."""
    image = np.zeros((height, width, 3), np.uint8)
    for k, colour in enumerate([(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 60)]):
        y, x = divmod(k, 2)
        image[y * height // 2 : (y + 1) * height // 2, x * width // 2 : (x + 1) * width // 2] = colour
    image[::7, ::5] //= 2
    return image


def encoded(kind: str, image: Image | NDArray[np.uint16] | None = None, *options: int) -> bytes:
    return bytes(cv2.imencode(kind, scene() if image is None else image, list(options))[1].tobytes())


def png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_of(width: int, height: int, *, lines: int) -> bytes:
    """A grey PNG that claims a size and holds some black lines of it."""
    packer = zlib.compressobj(9)
    pixels = b"".join([packer.compress(b"\0" * (width + 1)) for _ in range(lines)]) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", pixels) + png_chunk(b"IEND", b"")


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    tiff = b"II*\0\x08\0\0\0" + struct.pack("<HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def media(*brands: bytes) -> bytes:
    """The begin of a file of the ISO's media kinds, which names its brand first, then a version, then others."""
    return (
        struct.pack(">I", 12 + 4 * len(brands))
        + b"ftyp"
        + b"\0\0\0\0".join([brands[0], b"".join(brands[1:])])
        + bytes(99)
    )


def stored(folder: Path, data: bytes, name: str = "a.jpg") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("kind", [".png", ".jpg", ".webp"])
def test_the_three_kinds_are_read_whatever_the_name_says(tmp_path: Path, kind: str) -> None:
    picture = load_picture(stored(tmp_path, encoded(kind), "picture.dat"))
    assert picture.reduction == 1
    assert picture.size_px == (320, 200)
    assert np.abs(picture.image.astype(int) - scene()).mean() < 6


def test_grey_and_deep_pictures_become_plain_ones(tmp_path: Path) -> None:
    grey = cv2.cvtColor(scene(), cv2.COLOR_BGR2GRAY)
    deep = scene().astype(np.uint16) * 257
    for data, expected in [
        (encoded(".png", np.asarray(grey, np.uint8)), np.repeat(grey[:, :, None], 3, axis=2)),
        (encoded(".png", deep), scene()),
    ]:
        image = load_image(stored(tmp_path, data))
        assert image.dtype == np.uint8
        np.testing.assert_array_equal(image, expected)


@pytest.mark.parametrize(
    ("orientation", "size"), [*((turn, (320, 200)) for turn in range(1, 9)), (6, (4000, 800)), (3, (4000, 800))]
)
def test_a_phones_picture_is_turned_as_it_is_displayed(tmp_path: Path, orientation: int, size: tuple[int, int]) -> None:
    def as_stored(upright: Image) -> Image:
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

    data = with_orientation(encoded(".jpg", as_stored(scene(*size))), orientation)
    picture = load_picture(stored(tmp_path, data))
    assert (picture.size_px[0] * picture.reduction, picture.size_px[1] * picture.reduction) == size
    width, height = picture.size_px
    corners = picture.image[[10, 10, height - 10, height - 10], [10, width - 10, 10, width - 10]].astype(int)
    assert np.abs(corners - [(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 60)]).max() < 60


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


def test_a_bomb_is_refused_by_what_it_claims(tmp_path: Path) -> None:
    # Its lines are missing: had anybody begun to decode, the complaint would be another one.
    bomb = stored(tmp_path, png_of(20_000, 20_000, lines=3))
    with pytest.raises(BadImageError, match=r"too large \(20000 × 20000 pixels\)"):
        load_picture(bomb)
    with pytest.raises(BadImageError, match=r"too large \(65000 × 65000 pixels\)"):
        jpeg = encoded(".jpg")
        at = jpeg.index(b"\xff\xc0") + 5
        load_picture(stored(tmp_path, jpeg[:at] + struct.pack(">HH", 65000, 65000) + jpeg[at + 4 :]))


def test_what_no_decoder_holds_in_little_memory_is_refused(tmp_path: Path) -> None:
    full = [cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]
    jpeg = encoded(".jpg", None, *full)
    at = jpeg.index(b"\xff\xc2") + 5
    for data in (png_of(7000, 7000, lines=3), jpeg[:at] + struct.pack(">HH", 6000, 8000) + jpeg[at + 4 :]):
        with pytest.raises(BadImageError, match=r"too large .* for its kind of file"):
            load_picture(stored(tmp_path, data))


def test_a_header_tells_what_a_decoder_holds() -> None:
    passes = [cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_SAMPLING_FACTOR]
    for kind, options, held in [
        (".jpg", [], 0),
        (".jpg", [*passes, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420], 3),
        (".jpg", [*passes, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444], 6),
        (".png", [], 3),
        (".webp", [cv2.IMWRITE_WEBP_QUALITY, 80], 3),
        (".webp", [cv2.IMWRITE_WEBP_QUALITY, 101], 4),
    ]:
        assert header_of(encoded(kind, None, *options)).held_per_pixel == held


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is empty"),
        (b"hello\n" * 99, "is not a JPEG, PNG or WebP picture"),
        (encoded(".bmp"), "is not a JPEG, PNG or WebP picture"),
        (media(b"heic"), "is a HEIC picture"),
        (media(b"mif1", b"heix"), "is a HEIC picture"),
        (media(b"msf1", b"hevc"), "is a HEIC picture"),
        (media(b"heis"), "is a HEIC picture"),
        (media(b"hevx"), "is a HEIC picture"),
        (media(b"avif", b"mif1"), "is an AVIF picture"),
        (media(b"mif1", b"miaf", b"avif"), "is an AVIF picture"),
        (media(b"mp42", b"isom"), "is a film"),
        (media(b"none"), "is not a JPEG, PNG or WebP picture"),
        (encoded(".jpg").replace(b"\xff\xc0", b"\xff\xc3"), "is a JPEG of a rare kind"),
        (encoded(".jpg")[:300], "is torn"),
        (encoded(".jpg")[:3000], "is damaged"),
        (encoded(".jpg")[:3000] + b"\xff\xd9", "is damaged"),
        (encoded(".jpg")[:12], "is torn"),
        (encoded(".png")[:900], "is torn"),
        (encoded(".png")[:33] + encoded(".png")[-12:], "is damaged"),
        (encoded(".png")[:20], "is torn"),
        (encoded(".webp")[:100], "is torn"),
        (encoded(".png", np.zeros((1, 1, 3), np.uint8)), "is too small"),
        (png_of(300, 200, lines=3), "is damaged"),
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


def test_what_is_no_file_is_refused_in_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, complaint in [("none.jpg", "there is no picture"), ("", "is a folder"), ("pipe", "a device or a pipe")]:
        with pytest.raises(BadImageError, match=complaint):
            load_picture(tmp_path / name)
    with pytest.raises(BadImageError, match="cannot be opened"):
        load_picture(tmp_path / ("x" * 300))


def test_a_thumbnails_end_is_not_taken_for_the_pictures(tmp_path: Path) -> None:
    jpeg, thumbnail = encoded(".jpg"), encoded(".jpg", scene(64, 64))
    block = b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail
    whole = jpeg[:2] + block + jpeg[2:]
    assert load_picture(stored(tmp_path, whole)).size_px == (320, 200)
    with pytest.raises(BadImageError, match="is damaged"):
        load_picture(stored(tmp_path, whole[:-200]))


WHOLE = {kind: encoded(kind, scene(96, 80)) for kind in (".jpg", ".png", ".webp")}
WHOLE["in passes"] = encoded(".jpg", scene(96, 80), cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
WHOLE["with counters"] = encoded(".jpg", scene(96, 80), cv2.IMWRITE_JPEG_RST_INTERVAL, 1)


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
    assert header.kind in ("jpeg", "png", "webp")


def test_a_panorama_is_searched_as_finely_as_any_picture() -> None:
    assert shrinking(1920, 1920 * 1080, 1280) == pytest.approx(1.5)
    assert shrinking(4000, 4000 * 3000, 1280) == pytest.approx(4000 / 1280)
    assert shrinking(8000, 8000 * 562, 1280) < 8000 / 1280 / 1.8
    assert shrinking(640, 640 * 90, 1280) == 1
