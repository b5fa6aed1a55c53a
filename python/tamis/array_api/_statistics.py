"""Functions of the standard that sum up: statistics, truth, differences, and products of matrices."""

import builtins
from typing import Any, Optional, Sequence, Tuple, Union

from tamis import _tamis
from tamis._tamis import Tensor, dtype as _dtype
from tamis.array_api._device import Axis, axes_of, only_axis, reducible
from tamis.array_api._dtypes import promoted

# ---- statistics ------------------------------------------------------------------------------------------------


def _summed(x: Tensor, dtype: Optional[_dtype]) -> Tensor:
    """x in the dtype of its sums: given, or the widest integers of its kind, or its own."""
    if dtype is None and x.dtype.kind in "iub":
        dtype = _tamis.uint64 if x.dtype.kind == "u" else _tamis.int64
    return x if dtype is None else x.to(dtype)


def sum(
    x: Tensor, /, *, axis: Axis = None, dtype: Optional[_dtype] = None, keepdims: builtins.bool = False
) -> Tensor:
    """The sum along the axes, or of all elements."""
    values, dims, kept = reducible(_summed(x, dtype), axis, keepdims)
    return _tamis.sum(values, dims, kept, dtype=values.dtype)


def prod(
    x: Tensor, /, *, axis: Axis = None, dtype: Optional[_dtype] = None, keepdims: builtins.bool = False
) -> Tensor:
    """The product along the axes, or of all elements."""
    result = _summed(x, dtype)
    if x.ndim == 0:
        axes_of(() if axis is None else axis, 0, "prod")
        return result.clone()
    axes = list(range(x.ndim)) if axis is None else axes_of(axis, x.ndim, "prod")
    for a in sorted(axes, reverse=True):
        result = _tamis.prod(result, a, keepdims, dtype=result.dtype)
    return result


def max(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    """The largest element along the axes, or of all; NaN if there is one."""
    values, dims, kept = reducible(x, axis, keepdims)
    return _tamis.amax(values, dims, kept)


def min(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    """The smallest element along the axes, or of all; NaN if there is one."""
    values, dims, kept = reducible(x, axis, keepdims)
    return _tamis.amin(values, dims, kept)


def _measured(x: Tensor) -> Tensor:
    """x as its moments are computed. The standard leaves integers open: they are float64's, as in NumPy."""
    return x if x.dtype.kind in "fc" else x.double()


def mean(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    """The mean along the axes, or of all elements."""
    values, dims, kept = reducible(_measured(x), axis, keepdims)
    return _tamis.mean(values, dims, kept)


def std(
    x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False,
    ddof: Optional[float] = None
) -> Tensor:
    """The standard deviation along the axes, or of all elements."""
    # xarray gives correction NumPy's name, here and in var.
    values, dims, kept = reducible(_measured(x), axis, keepdims)
    return _tamis.std(values, dims, correction=correction if ddof is None else ddof, keepdim=kept)


def var(
    x: Tensor, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False,
    ddof: Optional[float] = None
) -> Tensor:
    """The variance along the axes, or of all elements."""
    values, dims, kept = reducible(_measured(x), axis, keepdims)
    return _tamis.var(values, dims, correction=correction if ddof is None else ddof, keepdim=kept)


def _with_initial(scan: Tensor, axis: int, initial: int) -> Tensor:
    shape = list(scan.shape)
    shape[axis] = 1
    return _tamis.cat([_tamis.full(shape, initial, dtype=scan.dtype, device=scan.device), scan], axis)


def cumulative_sum(
    x: Tensor, /, *, axis: Optional[int] = None, dtype: Optional[_dtype] = None, include_initial: builtins.bool = False
) -> Tensor:
    """The sums of the elements up to each one along the axis, with a 0 before them if include_initial."""
    dim, values = only_axis(x, axis, "cumulative_sum"), _summed(x, dtype)
    sums = _tamis.cumsum(values, dim, dtype=values.dtype)
    return _with_initial(sums, dim, 0) if include_initial else sums


def cumulative_prod(
    x: Tensor, /, *, axis: Optional[int] = None, dtype: Optional[_dtype] = None, include_initial: builtins.bool = False
) -> Tensor:
    """The products of the elements up to each one along the axis, with a 1 before them if include_initial."""
    dim, values = only_axis(x, axis, "cumulative_prod"), _summed(x, dtype)
    products = _tamis.cumprod(values, dim, dtype=values.dtype)
    return _with_initial(products, dim, 1) if include_initial else products


# ---- truth and differences -------------------------------------------------------------------------------------


def all(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether all elements along the axes are not 0."""
    values, dims, kept = reducible(x.to(_tamis.bool), axis, keepdims)
    return _tamis.all(values, dims, kept)


def any(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether some element along the axes is not 0."""
    values, dims, kept = reducible(x.to(_tamis.bool), axis, keepdims)
    return _tamis.any(values, dims, kept)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Optional[Tensor] = None, append: Optional[Tensor] = None
) -> Tensor:
    """The differences between neighbours along the axis, n times over."""
    if n < 0:
        raise ValueError(f"diff: n must not be negative, but is {n}")
    dim = axes_of(axis, x.ndim, "diff")[0]
    parts = [part for part in (prepend, x, append) if part is not None]
    if n == 0:
        return x
    return _tamis.diff(_tamis.cat(parts, dim) if len(parts) > 1 else x, n, dim)


# ---- products of matrices --------------------------------------------------------------------------------------


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The product of matrices, or of stacks of them; a 1-d array is a row on the left, a column on the right."""
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError(f"matmul: expected arrays with dimensions, but got shapes {x1.shape} and {x2.shape}")
    return _tamis.matmul(*promoted(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """A view with the last two dimensions swapped."""
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: expected at least two dimensions, but got shape {x.shape}")
    return x.mT


def tensordot(
    x1: Tensor, x2: Tensor, /, *, axes: Union[int, Tuple[Sequence[int], Sequence[int]]] = 2
) -> Tensor:
    """The sum of products over some axes of both arrays: the last of x1 and the first of x2, or those given."""
    a, b = promoted(x1, x2)
    if isinstance(axes, int):
        dims: Any = [list(range(a.ndim - axes, a.ndim)), list(range(axes))]
    else:
        dims = [axes_of(axes[0], a.ndim, "tensordot"), axes_of(axes[1], b.ndim, "tensordot")]
    if [a.shape[d] for d in dims[0]] != [b.shape[d] for d in dims[1]]:
        raise ValueError(f"tensordot: shapes {a.shape} and {b.shape} do not agree along {axes}")
    return _tamis.tensordot(a, b, dims if dims[0] else 0)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The sum of the products of conj(x1) and x2 along an axis, counted from the end since the others are broadcast."""
    a, b = promoted(x1, x2)
    if not -builtins.min(a.ndim, b.ndim) <= axis < 0:
        raise ValueError(f"vecdot: axis {axis} is not among the last of shapes {a.shape} and {b.shape}")
    if a.shape[axis] != b.shape[axis]:
        raise ValueError(f"vecdot: shapes {a.shape} and {b.shape} do not agree along axis {axis}")
    products = _tamis.mul(_tamis.conj(a), b)
    return _tamis.sum(products, axis, dtype=products.dtype)
