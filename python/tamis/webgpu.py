"""GPUs by WebGPU, the devices "webgpu", "webgpu:0", ...: which there are, waiting for them, and counting what they do.

They need a driver of Vulkan, Metal or D3D12, and a WebGPU library: that of the package wgpu, which `pip install
tamis[webgpu]` installs, or the one that the environment variable TAMIS_WEBGPU_LIB names.
"""

import importlib.util
import os
import sys
from typing import Any, List, NamedTuple

from tamis import _tamis

__all__ = ["Adapter", "Stats", "adapters", "is_available", "reset_stats", "stats", "synchronize"]


class Adapter(NamedTuple):
    """A GPU, or a program that stands in for one, as its driver describes it."""

    name: str
    backend: str  # "vulkan", "metal" or "d3d12"
    type: str  # "discrete", "integrated", "cpu" or "unknown"
    driver: str


class Stats(NamedTuple):
    """What a device was asked to do since the process started, or since reset_stats."""

    dispatches: int  # kernels started
    submits: int  # lists of kernels and copies sent to the device
    readbacks: int  # waits for numbers to come back: item(), shapes, cpu()
    readback_bytes: int
    written_bytes: int  # copied from the host, without the parameters of kernels
    pipelines: int  # shaders compiled
    live_bytes: int  # in tensors now
    cached_bytes: int  # in buffers kept for reuse


def is_available() -> bool:
    """Whether the device "webgpu" can be used: a WebGPU library was found, and an adapter."""
    return _tamis._webgpu_is_available()


def adapters() -> List[Adapter]:
    """The adapters, in the order of the devices "webgpu:0", "webgpu:1", ... . Empty if there are none."""
    return [Adapter(*fields) for fields in _tamis._webgpu_adapters()]


def synchronize(device: Any = "webgpu") -> None:
    """Waits until the device has done all that it was given. Results do not need it; timing does."""
    _tamis._webgpu_synchronize(device)


def stats(device: Any = "webgpu") -> Stats:
    """What the device was asked to do since the process started, or since reset_stats."""
    return Stats(**_tamis._webgpu_stats(device))


def reset_stats(device: Any = "webgpu") -> None:
    """Counts from zero again; live_bytes and cached_bytes stay."""
    _tamis._webgpu_reset_stats(device)


def _use_package() -> None:
    """Tells where the library of the package wgpu is, without importing that package."""
    try:
        spec = importlib.util.find_spec("wgpu")
    except (ImportError, ValueError):  # a module of this name that has no place
        return
    prefix = "" if sys.platform == "win32" else "lib"
    ending = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    for folder in spec.submodule_search_locations or () if spec else ():
        path = os.path.join(folder, "resources", f"{prefix}wgpu_native-release.{ending}")
        if os.path.exists(path):
            return _tamis._webgpu_set_library(path)


_use_package()
