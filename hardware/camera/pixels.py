"""Pixel layouts that cameras deliver, and the way from each to BGR and grey."""

from __future__ import annotations

from enum import Enum

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


class PixelFormat(Enum):
    """How the bytes of a picture are laid out; the value is the name that video people give it.

    BGR: (h, w, 3). NV12: (h * 3 / 2, w), the grey picture, then rows of interleaved U and V at half size.
    I420: (h * 3 / 2, w), the grey picture, then the whole U plane and the whole V plane at half size.
    """

    BGR = "bgr"
    NV12 = "nv12"
    I420 = "i420"


def to_bgr(image: Image, pixel_format: PixelFormat) -> Image:
    """Give (h, w, 3) uint8 BGR for a picture of any layout; a BGR picture is given back as it is.

    Raises ValueError if the shape does not fit the layout.
    """
    _check(image, pixel_format)
    if pixel_format is PixelFormat.BGR:
        return image
    import cv2

    code = cv2.COLOR_YUV2BGR_NV12 if pixel_format is PixelFormat.NV12 else cv2.COLOR_YUV2BGR_I420
    return np.asarray(cv2.cvtColor(image, code), dtype=np.uint8)


def luma(image: Image, pixel_format: PixelFormat) -> Image:
    """Give (h, w) uint8 grey; for NV12 and I420 a view on the first plane, without copying."""
    _check(image, pixel_format)
    if pixel_format is PixelFormat.BGR:
        import cv2

        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return image[: image.shape[0] * 2 // 3]


def crop_stride(image: Image, pixel_format: PixelFormat, width: int) -> Image:
    """Take the padding away that some cameras put at the end of each row of NV12 or I420.

    image: (h * 3 / 2, stride). Gives (h * 3 / 2, width). I420 keeps two rows of a colour plane in one row of the array,
    each padded to half the stride, so the planes are cropped one by one.
    """
    stride = image.shape[1]
    if stride == width or pixel_format is PixelFormat.BGR:
        return image
    if pixel_format is PixelFormat.NV12:
        return np.ascontiguousarray(image[:, :width])
    rows = image.shape[0] * 2 // 3
    chroma = image[rows:].reshape(rows, stride // 2)[:, : width // 2]
    return np.concatenate([image[:rows, :width], chroma.reshape(rows // 2, width)])


def from_stream(buffer: Image, size: tuple[int, int], stride: int, kind: str) -> tuple[Image, PixelFormat]:
    """Give the flat bytes of a libcamera stream the shape of a picture.

    size: (width, height), pixels. stride: bytes from one row to the next. kind: libcamera's name of the format.
    Raises ValueError for a format that is not known.
    """
    width, height = size
    planar = {"YUV420": PixelFormat.I420, "NV12": PixelFormat.NV12}.get(kind)
    if planar is not None:
        rows = height * 3 // 2
        return crop_stride(buffer[: rows * stride].reshape(rows, stride), planar, width), planar
    channels = {"RGB888": 3, "XRGB8888": 4, "BGR888": 3, "XBGR8888": 4}.get(kind)
    if channels is None:
        raise ValueError(f"pictures of the kind {kind} are not understood")
    packed = buffer[: height * stride].reshape(height, stride)[:, : width * channels].reshape(height, width, channels)
    # libcamera names the channels from the last byte to the first: its RGB888 is B, G, R in memory.
    bgr = packed[:, :, :3] if kind in ("RGB888", "XRGB8888") else packed[:, :, 2::-1]
    return np.ascontiguousarray(bgr), PixelFormat.BGR


def quiet_opencv() -> None:
    """Stop OpenCV's own lines on stderr about bad files and missing cameras: our errors say it once, and better."""
    import cv2

    # OpenCV 4, the one that goes with numpy 1 of Raspberry Pi OS bookworm, has it at another place.
    if hasattr(cv2, "setLogLevel"):
        cv2.setLogLevel(0)
    else:
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def _check(image: Image, pixel_format: PixelFormat) -> None:
    if pixel_format is PixelFormat.BGR:
        if image.ndim != 3 or image.shape[2] != 3:
            raise ValueError(f"a BGR picture has the shape (h, w, 3), not {image.shape}")
    elif image.ndim != 2 or image.shape[0] % 3 or image.shape[1] % 2:
        raise ValueError(f"a {pixel_format.value} picture has the shape (h * 3 / 2, w) with even w, not {image.shape}")
