"""Functions of the standard that sort, search, count, and find distinct values."""

import builtins
from typing import NamedTuple, Optional, Tuple

from tamis import _tamis
from tamis._tamis import Tensor
from tamis.array_api._device import Axis, reducible
from tamis.array_api._dtypes import Operand, promoted


# ---- order -----------------------------------------------------------------------------------------------------


def sort(x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """The elements in ascending or descending order along the axis. NaN is the largest number."""
    return _tamis.sort(x, axis, descending, stable=stable)[0]


def argsort(x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """The indices by which sort orders the elements."""
    return _tamis.argsort(x, axis, descending, stable=stable)


def argmax(x: Tensor, /, *, axis: Optional[int] = None, keepdims: builtins.bool = False) -> Tensor:
    """The index of the first largest element along the axis, or in all of x."""
    return _argument(_tamis.argmax(x, axis, keepdims), x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: Optional[int] = None, keepdims: builtins.bool = False) -> Tensor:
    """The index of the first smallest element along the axis, or in all of x."""
    return _argument(_tamis.argmin(x, axis, keepdims), x, axis, keepdims)


def _argument(found: Tensor, x: Tensor, axis: Optional[int], keepdims: builtins.bool) -> Tensor:
    # PyTorch drops the dimensions if there is no axis.
    return found.reshape((1,) * x.ndim) if keepdims and axis is None else found


def searchsorted(
    x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Optional[Tensor] = None
) -> Tensor:
    """Where each element of x2 belongs in x1, which is sorted or sorted by sorter: before or after its equals."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if x1.ndim != 1:
        raise ValueError(f"searchsorted: expected 1-d x1, but got shape {x1.shape}")
    ordered, values = promoted(x1, x2)
    return _tamis.searchsorted(ordered, values, right=side == "right", sorter=sorter)


# ---- elements by condition -------------------------------------------------------------------------------------


def count_nonzero(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    """The number of elements that are not 0 along the axes, or in all of x."""
    nonzero_mask, dims, kept = reducible(x.to(_tamis.bool), axis, keepdims)
    return _tamis.sum(nonzero_mask, dims, kept, dtype=_tamis.int64)


def nonzero(x: Tensor, /) -> Tuple[Tensor, ...]:
    """The indices of the elements that are not 0, one array for each axis."""
    if x.ndim == 0:
        raise ValueError("nonzero: expected an array with dimensions")
    return tuple(_tamis.nonzero_tuple(x))


def where(condition: Tensor, x1: Operand, x2: Operand, /) -> Tensor:
    """x1 where the condition is true, x2 elsewhere."""
    numbers = (builtins.bool, int, float, complex)
    if not (isinstance(x1, numbers) and isinstance(x2, numbers)):
        x1, x2 = promoted(x1, x2)
    return _tamis.where(condition, x1, x2)


def isin(x1: Operand, x2: Operand, /, *, invert: builtins.bool = False) -> Tensor:
    """Whether each element of x1 occurs in x2; of the standard after 2024.12."""
    a, b = promoted(x1, x2)
    return _tamis.isin(a, b, invert=invert)


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
    """The distinct values, where each occurs first, which of them each element is, and how often each occurs."""
    if x.dtype.is_complex:
        # The pairs of distinct parts, by number; -0 and 0 are one, and each NaN is another.
        re, im = (unique_inverse(part) for part in (x.real.flatten(), x.imag.flatten()))
        pairs = unique_all(re.inverse_indices * max(im.values.numel(), 1) + im.inverse_indices)
        return unique_all_result(
            x.flatten()[pairs.indices], pairs.indices, pairs.inverse_indices.reshape(x.shape), pairs.counts
        )
    values, inverse, counts = _tamis.unique(x, return_inverse=True, return_counts=True)
    # The first element of each value, in a stable order of the elements by value.
    order = _tamis.argsort(inverse.flatten(), stable=True)
    starts = _tamis.cumsum(counts, 0) - counts
    return unique_all_result(values, order[starts], inverse, counts)


def unique_counts(x: Tensor, /) -> unique_counts_result:
    """The distinct values, and how often each occurs."""
    if x.dtype.is_complex:
        found = unique_all(x)
        return unique_counts_result(found.values, found.counts)
    values, counts = _tamis.unique(x, return_counts=True)
    return unique_counts_result(values, counts)


def unique_inverse(x: Tensor, /) -> unique_inverse_result:
    """The distinct values, and which of them each element is."""
    if x.dtype.is_complex:
        found = unique_all(x)
        return unique_inverse_result(found.values, found.inverse_indices)
    values, inverse = _tamis.unique(x, return_inverse=True)
    return unique_inverse_result(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    """The distinct values."""
    return unique_counts(x).values
