"""Arrow arrays out of masks; the way in is tamis.from_arrow."""

from typing import Any

from tamis import _tamis


class _Mask:
    """What pyarrow.array asks for its Arrow C data."""

    def __init__(self, mask: Any) -> None:
        self._mask = mask

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return _tamis._mask_to_arrow(self._mask)


def to_arrow(mask: Any) -> Any:
    """A pyarrow.BooleanArray of a 1-d bool tensor: a copy, since Arrow packs eight of them into a byte."""
    import pyarrow

    return pyarrow.array(_Mask(mask))
