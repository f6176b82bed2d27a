"""Lets stock picamera2 use libcamera's Virtual camera on a computer that is no Raspberry Pi.

Part of the rehearsal machine only. Loaded at every start of Python, it waits for an import of picamera2. It supplies
three things that other computers lack. They are the display library, a raw stream that lists the sensor's modes, and
buffers with the two planes of NV12 apart.
"""

from __future__ import annotations

import importlib
import mmap
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

# picamera2 and libcamera have no types.
Foreign = Any


class _Finder(MetaPathFinder):
    """Finds picamera2, and adapts it when it is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "picamera2":
            return None
        sys.meta_path.remove(self)
        _stand_in_for_display()
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Adapting(spec.loader)
        return spec


class _Adapting(Loader):
    """Loads picamera2 and adapts it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _adapt(vars(module)["Picamera2"])


def _stand_in_for_display() -> None:
    class AnyName:
        def __getattr__(self, name: str) -> str:
            return name

    for name in ("pykms", "kms"):
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name])["PixelFormat"] = AnyName()


def _adapt(kind: Foreign) -> None:
    libcamera = importlib.import_module("libcamera")
    with_planes = _allocator(libcamera, importlib.import_module("picamera2.allocators").DmaAllocator)
    raw_modes, configure = kind._get_raw_modes, kind.configure_

    def modes(self: Foreign) -> Foreign:
        try:
            found = raw_modes(self)
        except AttributeError:
            found = []
        if found:
            return found
        formats = self.camera.generate_configuration([libcamera.StreamRole.VideoRecording]).at(0).formats
        return [
            {"format": str(pixels), "size": (size.width, size.height)}
            for pixels in formats.pixel_formats
            for size in formats.sizes(pixels)
        ]

    def configure_with_planes(self: Foreign, *given: object) -> Foreign:
        if self.camera.id.startswith("Virtual") and not isinstance(self.allocator, with_planes):
            self.allocator = with_planes()
        return configure(self, *given)

    kind._get_raw_modes = modes
    kind.configure_ = configure_with_planes


def _allocator(libcamera: Foreign, kind: Foreign) -> type:
    """Return a subclass of picamera2's allocator whose buffers have two planes."""

    def allocate(self: Foreign, streams: Foreign, use_case: object) -> None:
        self.libcamera_fds = []
        self.cleanup()
        for fd in self.open_fds:
            os.close(fd)
        self.open_fds, self.frame_buffers = [], {}
        for stream in streams:
            self.frame_buffers[stream.stream] = [buffer(self, stream, number) for number in range(stream.buffer_count)]

    def buffer(self: Foreign, stream: Foreign, number: int) -> Foreign:
        fd = self.dmaHeap.alloc(f"picamera2-{number}", stream.frame_size).get()
        self.open_fds.append(fd)
        luma = stream.stride * stream.size.height
        planes = []
        for offset, length in ((0, luma), (luma, stream.frame_size - luma)):
            plane = libcamera.FrameBuffer.Plane()
            plane.fd, plane.offset, plane.length = fd, offset, length
            planes.append(plane)
        made = libcamera.FrameBuffer(planes)
        key = made.planes[0].fd
        self.libcamera_fds.append(key)
        self.mapped_buffers_used[key] = False
        access = mmap.PROT_READ | mmap.PROT_WRITE
        self.mapped_buffers[made] = mmap.mmap(fd, stream.frame_size, mmap.MAP_SHARED, access)
        return made

    return type("TwoPlanes", (kind,), {"allocate": allocate})


sys.meta_path.insert(0, _Finder())
