"""Arrow arrays out of tensors; the way in is tamis.from_arrow."""

from typing import Any

from tamis import _tamis


class _Array:
    """What pyarrow.array asks for its Arrow C data."""

    def __init__(self, x: Any, mask: Any) -> None:
        self._x, self._mask = x, mask

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return _tamis._to_arrow(self._x, self._mask)


def to_arrow(x: Any, *, mask: Any = None) -> Any:
    """A pyarrow.Array of a 1-d tensor. Numbers share the memory, bools are packed into bits. Where a mask is given and
    False, the element is null."""
    import pyarrow

    return pyarrow.array(_Array(x, mask))
