"""What the namespace says about itself: __array_namespace_info__()."""

from typing import Any, Dict, List

from tamis import _tamis
from tamis._tamis import dtype as _dtype
from tamis.array_api._device import device_of
from tamis.array_api._dtypes import NAMES, isdtype


class Info:
    """Devices, dtypes and capabilities, as the standard asks for them."""

    def capabilities(self) -> Dict[str, Any]:
        """What is optional in the standard: indexing by masks and shapes that depend on values are there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> _tamis.device:
        """Where creation functions put arrays."""
        return _tamis.device("cpu")

    def devices(self) -> List[_tamis.device]:
        """The devices on which everything of the standard works. GPUs do not compute float64, so they are not here."""
        return [_tamis.device("cpu")]

    def default_dtypes(self, *, device: Any = None) -> Dict[str, _dtype]:
        """The dtypes of arrays that are made without one."""
        device_of(device)
        return {
            "real floating": _tamis.float32,
            "complex floating": _tamis.complex64,
            "integral": _tamis.int64,
            "indexing": _tamis.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> Dict[str, _dtype]:
        """The dtypes of the standard, or those of a kind, by name."""
        device_of(device)
        names = [name for kind_names in NAMES.values() for name in kind_names]
        found: Dict[str, _dtype] = {name: getattr(_tamis, name) for name in names}
        return {name: d for name, d in found.items() if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> Info:
    """Devices, dtypes and capabilities of the namespace."""
    return Info()
