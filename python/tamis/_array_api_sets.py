"""The part of the array API standard that sorts, searches, picks, counts and multiplies."""

import builtins
from typing import Any, NamedTuple, Optional, Tuple, Union

from tamis import _tamis
from tamis._tamis import Tensor, dtype as _dtype, matmul  # noqa: F401

Axis = Union[None, int, Tuple[int, ...]]

__all__ = [
    "argmax", "argmin", "argsort", "cumulative_sum", "flip", "matmul", "roll", "searchsorted", "sort", "std", "take",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "var", "vecdot",
]


# ---- order -----------------------------------------------------------------------------------------------------


def sort(x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    return _tamis.sort(x, axis, descending, stable=stable)[0]


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True
) -> Tensor:
    return _tamis.argsort(x, axis, descending, stable=stable)


def argmax(x: Tensor, /, *, axis: Optional[int] = None, keepdims: builtins.bool = False) -> Tensor:
    return _tamis.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: Optional[int] = None, keepdims: builtins.bool = False) -> Tensor:
    return _tamis.argmin(x, axis, keepdims)


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Optional[Tensor] = None) -> Tensor:
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    return _tamis.searchsorted(x1, x2, right=side == "right", sorter=sorter)


# ---- sets ------------------------------------------------------------------------------------------------------


class unique_all_result(NamedTuple):
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class unique_counts_result(NamedTuple):
    values: Tensor
    counts: Tensor


class unique_inverse_result(NamedTuple):
    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> unique_all_result:
    values, inverse, counts = _tamis.unique(x, return_inverse=True, return_counts=True)
    # The first element of each value, in a stable order of the elements by value.
    order = _tamis.argsort(inverse.flatten(), stable=True)
    starts = _tamis.cumsum(counts, 0) - counts
    return unique_all_result(values, order[starts], inverse, counts)


def unique_counts(x: Tensor, /) -> unique_counts_result:
    values, counts = _tamis.unique(x, return_counts=True)
    return unique_counts_result(values, counts)


def unique_inverse(x: Tensor, /) -> unique_inverse_result:
    values, inverse = _tamis.unique(x, return_inverse=True)
    return unique_inverse_result(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    found: Any = _tamis.unique(x)
    values: Tensor = found[0] if isinstance(found, tuple) else found
    return values


# ---- indices ---------------------------------------------------------------------------------------------------


def take(x: Tensor, indices: Tensor, /, *, axis: Optional[int] = None) -> Tensor:
    if axis is None:
        if x.ndim != 1:
            raise ValueError("take: axis may be left out for one dimension only")
        axis = 0
    return _tamis.index_select(x, axis, indices)


def flip(x: Tensor, /, *, axis: Axis = None) -> Tensor:
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return _tamis.flip(x, axes)


def roll(x: Tensor, /, shift: Union[int, Tuple[int, ...]], *, axis: Axis = None) -> Tensor:
    return _tamis.roll(x, shift, axis)


# ---- statistics and products -----------------------------------------------------------------------------------


def _measured(x: Tensor) -> Tensor:
    """x as its moments are computed. The standard leaves integers open: they are float64's, as in NumPy."""
    return x if x.dtype.kind in "fc" else x.double()


def std(
    x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False,
    ddof: Optional[float] = None
) -> Tensor:
    # xarray gives correction NumPy's name, here and in var.
    return _tamis.std(_measured(x), axis, correction=correction if ddof is None else ddof, keepdim=keepdims)


def var(
    x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False,
    ddof: Optional[float] = None
) -> Tensor:
    return _tamis.var(_measured(x), axis, correction=correction if ddof is None else ddof, keepdim=keepdims)


def cumulative_sum(
    x: Tensor, /, *, axis: Optional[int] = None, dtype: Optional[_dtype] = None, include_initial: builtins.bool = False
) -> Tensor:
    if axis is None:
        if x.ndim != 1:
            raise ValueError("cumulative_sum: axis may be left out for one dimension only")
        axis = 0
    sums = _tamis.cumsum(x, axis, dtype=dtype)
    if not include_initial:
        return sums
    shape = list(x.shape)
    shape[axis] = 1
    return _tamis.cat([_tamis.zeros(shape, dtype=sums.dtype), sums], axis)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    return _tamis.sum(_tamis.mul(x1, x2), axis)
