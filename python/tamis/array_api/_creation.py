"""Creation functions of the standard."""

import builtins
from typing import Any, List, Optional, Tuple, Union

from tamis import _tamis, masks as _masks
from tamis._tamis import Tensor, dtype as _dtype
from tamis.array_api._device import device_of, sizes

_Shape = Union[int, Tuple[int, ...]]


def arange(
    start: float,
    /,
    stop: Optional[float] = None,
    step: float = 1,
    *,
    dtype: Optional[_dtype] = None,
    device: Any = None,
) -> Tensor:
    """start, start + step, ... below stop; 0, 1, ... below start without it. Empty if nothing lies there."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: step must not be 0")
    # PyTorch refuses to go away from the end. Of no numbers at all, the dtype is still that of the arguments.
    if (stop - start > 0) != (step > 0):
        start = stop = 0.0 if any(isinstance(number, float) for number in (start, stop, step)) else 0
    return _tamis.arange(start, stop, step, dtype=dtype, device=device_of(device))


def asarray(
    obj: Any,
    /,
    *,
    dtype: Optional[_dtype] = None,
    device: Any = None,
    copy: Optional[builtins.bool] = None,
) -> Tensor:
    """An array of numbers, nested sequences of them, or another array, whose memory is shared if it can be."""
    there = device_of(device)
    if copy is False and there is not None and isinstance(obj, Tensor) and there != obj.device:
        raise ValueError(f"asarray: from {obj.device} to {there} needs a copy, but copy=False was given")
    return _tamis.asarray(obj, dtype=dtype, device=there, copy=copy)


def empty(shape: _Shape, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of that shape, of values that are not set."""
    return _tamis.empty(sizes(shape), dtype=dtype, device=device_of(device))


def zeros(shape: _Shape, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of zeros."""
    return _tamis.zeros(sizes(shape), dtype=dtype, device=device_of(device))


def ones(shape: _Shape, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of ones."""
    return _tamis.ones(sizes(shape), dtype=dtype, device=device_of(device))


def full(shape: _Shape, fill_value: Any, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of one value, in that value's dtype if none is given."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    if dtype is None and isinstance(fill_value, Tensor):
        dtype = fill_value.dtype
    return _tamis.full(sizes(shape), value, dtype=dtype, device=device_of(device))


def empty_like(x: Tensor, /, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of x's shape, of values that are not set."""
    return _tamis.empty_like(x, dtype=dtype, device=device_of(device))


def zeros_like(x: Tensor, /, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of zeros, of x's shape."""
    return _tamis.zeros_like(x, dtype=dtype, device=device_of(device))


def ones_like(x: Tensor, /, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of ones, of x's shape."""
    return _tamis.ones_like(x, dtype=dtype, device=device_of(device))


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    """An array of one value, of x's shape and, if none is given, dtype."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return _tamis.full_like(x, value, dtype=dtype, device=device_of(device))


def eye(
    n_rows: int,
    n_cols: Optional[int] = None,
    /,
    *,
    k: int = 0,
    dtype: Optional[_dtype] = None,
    device: Any = None,
) -> Tensor:
    """A matrix with ones on the k-th diagonal and zeros elsewhere."""
    columns = n_rows if n_cols is None else n_cols
    if not -n_rows < k < columns:
        return zeros((n_rows, columns), dtype=dtype, device=device)
    diagonal = _masks.band(n_rows, columns, -k, k).to(_tamis.float32 if dtype is None else dtype).settle()
    return diagonal if device is None else diagonal.to_device(device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: Optional[_dtype] = None,
    device: Any = None,
    endpoint: builtins.bool = True,
) -> Tensor:
    """num values at equal distances from start to stop, without stop if endpoint=False."""
    if isinstance(start, complex) or isinstance(stop, complex) or (dtype is not None and dtype.is_complex):
        to = _tamis.complex64 if dtype is None else dtype
        if not to.is_complex:
            raise TypeError(f"linspace: from {start} to {stop} are complex numbers, and dtype is {to}")
        part = _tamis.float32 if to == _tamis.complex64 else _tamis.float64
        a, b = complex(start), complex(stop)
        re = linspace(a.real, b.real, num, dtype=part, device=device, endpoint=endpoint)
        im = linspace(a.imag, b.imag, num, dtype=part, device=device, endpoint=endpoint)
        return _tamis.complex(re, im)
    there = device_of(device)
    if endpoint:
        return _tamis.linspace(start, stop, num, dtype=dtype, device=there)
    return _tamis.linspace(start, stop, num + 1, dtype=dtype, device=there)[:-1]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> List[Tensor]:
    """1-d arrays expanded to the grid that they span. 'xy' has the first one along the second axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    if len({x.dtype for x in arrays}) > 1:
        raise ValueError(f"meshgrid: expected arrays of one dtype, but got {[x.dtype for x in arrays]}")
    if builtins.any(x.ndim != 1 for x in arrays):
        raise ValueError(f"meshgrid: expected 1-d arrays, but got shapes {[x.shape for x in arrays]}")
    return list(_tamis.meshgrid(*arrays, indexing=indexing)) if arrays else []


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on and below the k-th diagonal, zeros above it."""
    return _tamis.tril(_matrices(x, "tril"), k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The elements on and above the k-th diagonal, zeros below it."""
    return _tamis.triu(_matrices(x, "triu"), k)


def _matrices(x: Tensor, op: str) -> Tensor:
    if x.ndim < 2:
        raise ValueError(f"{op}: expected an array of at least two dimensions, but got shape {x.shape}")
    return x


def from_dlpack(x: Any, /, *, device: Any = None, copy: Optional[builtins.bool] = None) -> Tensor:
    """An array over the memory of an object with __dlpack__; a copy if copy=True, or if it needs one."""
    return _tamis.from_dlpack(x, device=device_of(device), copy=copy)
