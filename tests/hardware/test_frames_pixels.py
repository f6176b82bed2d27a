import cv2
import numpy as np
import numpy.typing as npt
import pytest

from hardware.camera.frames import PixelFormat, crop_stride, from_stream, luma, to_bgr

WIDTH, HEIGHT = 16, 8


def picture() -> npt.NDArray[np.uint8]:
    """Blocks of plain colours: halving the colour planes loses nothing."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for column, colour in enumerate([(40, 40, 200), (40, 180, 40), (200, 60, 40), (230, 230, 230)]):
        image[:, column * 4 : column * 4 + 4] = colour
    return image


def i420(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420), np.uint8)


def nv12(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    planar = i420(image)
    chroma = planar[HEIGHT:].reshape(2, HEIGHT // 2, WIDTH // 2)
    return np.concatenate([planar[:HEIGHT], np.stack([chroma[0], chroma[1]], axis=-1).reshape(HEIGHT // 2, WIDTH)])


def padded(image: npt.NDArray[np.uint8], stride: int) -> npt.NDArray[np.uint8]:
    """As a camera would fill it that begins each row of each plane at a multiple of its stride."""
    grey = np.full((HEIGHT, stride), 77, np.uint8)
    grey[:, :WIDTH] = image[:HEIGHT]
    chroma = np.full((HEIGHT, stride // 2), 77, np.uint8)
    chroma[:, : WIDTH // 2] = image[HEIGHT:].reshape(HEIGHT, WIDTH // 2)
    return np.concatenate([grey, chroma.reshape(HEIGHT // 2, stride)])


@pytest.mark.parametrize(("make", "layout"), [(i420, PixelFormat.I420), (nv12, PixelFormat.NV12)])
def test_colours_come_back_from_video_layouts(make: object, layout: PixelFormat) -> None:
    assert callable(make)
    image = make(picture())
    assert np.abs(to_bgr(image, layout).astype(int) - picture()).max() <= 6
    assert luma(image, layout).shape == (HEIGHT, WIDTH)
    assert luma(image, layout).base is not None


def test_padding_at_the_end_of_rows_is_taken_away() -> None:
    planar = i420(picture())
    assert np.array_equal(crop_stride(padded(planar, 32), PixelFormat.I420, WIDTH), planar)
    interleaved = nv12(picture())
    wide = np.full((HEIGHT * 3 // 2, 32), 77, np.uint8)
    wide[:, :WIDTH] = interleaved
    assert np.array_equal(crop_stride(wide, PixelFormat.NV12, WIDTH), interleaved)


def test_libcameras_packed_formats_are_named_from_the_last_byte() -> None:
    image = picture()
    rgb = np.ascontiguousarray(image[:, :, ::-1])
    four = np.concatenate([rgb, np.full((HEIGHT, WIDTH, 1), 255, np.uint8)], axis=2)
    for kind, stored in (("RGB888", image), ("BGR888", rgb), ("XBGR8888", four)):
        stride = stored.shape[1] * stored.shape[2]
        found, layout = from_stream(np.ascontiguousarray(stored).reshape(-1), (WIDTH, HEIGHT), stride, kind)
        assert layout is PixelFormat.BGR
        assert np.array_equal(found, image)


def test_unknown_formats_and_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="SBGGR10"):
        from_stream(np.zeros(64, np.uint8), (4, 4), 16, "SBGGR10")
    with pytest.raises(ValueError, match="nv12"):
        to_bgr(np.zeros((7, 8), np.uint8), PixelFormat.NV12)
    with pytest.raises(ValueError, match="BGR"):
        luma(np.zeros((8, 8), np.uint8), PixelFormat.BGR)
