"""The namespace of the Python array API standard, 2023.12, for what Tamis has.

`x.__array_namespace__()` returns this module. Names of the standard that are not here do not exist in Tamis yet.
"""

import builtins
import math
from types import ModuleType
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from tamis import _tamis, masks as _masks
from tamis._tamis import (  # noqa: F401
    Tensor,
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    bool,
    ceil,
    copysign,
    cos,
    cosh,
    dtype as _dtype,
    exp,
    expm1,
    float32,
    float64,
    floor,
    floor_divide,
    from_dlpack,
    hypot,
    int8,
    int16,
    int32,
    int64,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    log10,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    nextafter,
    pow,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
    uint8,
    uint16,
)
from tamis._limits import finfo, iinfo  # noqa: F401
from tamis._array_api_sets import *  # noqa: F401,F403
from tamis._array_api_sets import _measured

__array_api_version__ = "2023.12"

e = math.e
inf = math.inf
nan = math.nan
newaxis = None
pi = math.pi

Axis = Union[None, int, Tuple[int, ...]]

bitwise_invert = _tamis.bitwise_not
divide = _tamis.div
equal = _tamis.eq
greater = _tamis.gt
greater_equal = _tamis.ge
less = _tamis.lt
less_equal = _tamis.le
multiply = _tamis.mul
negative = _tamis.neg
not_equal = _tamis.ne
subtract = _tamis.sub


def _for_version(api_version: Optional[str]) -> ModuleType:
    if api_version not in (None, "2021.12", "2022.12", "2023.12"):
        raise ValueError(f"array API version {api_version!r} is not supported; 2023.12 is")
    import tamis._array_api as namespace

    return namespace


def _check_device(device: Any) -> None:
    if device is not None and str(device) not in ("cpu", "cpu:0"):
        raise ValueError(f"the only device is 'cpu', not {device!r}")


# ---- creation --------------------------------------------------------------------------------------------------


def arange(
    start: float,
    /,
    stop: Optional[float] = None,
    step: float = 1,
    *,
    dtype: Optional[_dtype] = None,
    device: Any = None,
) -> Tensor:
    _check_device(device)
    if stop is None:
        start, stop = 0, start
    if (stop - start) / step <= 0:  # empty by the standard, an error in PyTorch
        return _tamis.arange(0, 0, 1, dtype=dtype)
    return _tamis.arange(start, stop, step, dtype=dtype)


def asarray(
    obj: Any,
    /,
    *,
    dtype: Optional[_dtype] = None,
    device: Any = None,
    copy: Optional[builtins.bool] = None,
) -> Tensor:
    _check_device(device)
    return _tamis.asarray(obj, dtype=dtype, copy=copy)


def _sizes(shape: Union[int, Sequence[int]]) -> Tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def empty(shape: Any, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    _check_device(device)
    return _tamis.empty(_sizes(shape), dtype=dtype)


def zeros(shape: Any, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    _check_device(device)
    return _tamis.zeros(_sizes(shape), dtype=dtype)


def ones(shape: Any, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    _check_device(device)
    return _tamis.ones(_sizes(shape), dtype=dtype)


def full(shape: Any, fill_value: float, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    _check_device(device)
    return _tamis.full(_sizes(shape), fill_value, dtype=dtype)


def empty_like(x: Tensor, /, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    _check_device(device)
    return _tamis.empty_like(x, dtype=dtype)


def zeros_like(x: Tensor, /, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    _check_device(device)
    return _tamis.zeros_like(x, dtype=dtype)


def ones_like(x: Tensor, /, *, dtype: Optional[_dtype] = None, device: Any = None) -> Tensor:
    _check_device(device)
    return _tamis.ones_like(x, dtype=dtype)


def full_like(
    x: Tensor, /, fill_value: float, *, dtype: Optional[_dtype] = None, device: Any = None
) -> Tensor:
    _check_device(device)
    return _tamis.full_like(x, fill_value, dtype=dtype)


def eye(
    n_rows: int,
    n_cols: Optional[int] = None,
    /,
    *,
    k: int = 0,
    dtype: Optional[_dtype] = None,
    device: Any = None,
) -> Tensor:
    _check_device(device)
    columns = n_rows if n_cols is None else n_cols
    diagonal = _masks.band(n_rows, columns, -k, k)
    return diagonal.to(float32 if dtype is None else dtype).settle()


def linspace(
    start: float,
    stop: float,
    /,
    num: int,
    *,
    dtype: Optional[_dtype] = None,
    device: Any = None,
    endpoint: builtins.bool = True,
) -> Tensor:
    _check_device(device)
    if endpoint:
        return _tamis.linspace(start, stop, num, dtype=dtype)
    return _tamis.linspace(start, stop, num + 1, dtype=dtype)[:-1]


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    return _tamis.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    return _tamis.triu(x, k)


# ---- dtypes ----------------------------------------------------------------------------------------------------

_KINDS: Dict[str, Tuple[_dtype, ...]] = {
    "bool": (bool,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16),
    "integral": (int8, int16, int32, int64, uint8, uint16),
    "real floating": (float32, float64),
    "complex floating": (),
    "numeric": (int8, int16, int32, int64, uint8, uint16, float32, float64),
}


def isdtype(dtype: _dtype, kind: Any) -> builtins.bool:
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"no such kind of dtypes: {kind!r}")
        return dtype in _KINDS[kind]
    return dtype == kind


def astype(
    x: Tensor, dtype: _dtype, /, *, copy: builtins.bool = True, device: Any = None
) -> Tensor:
    _check_device(device)
    if x.dtype == dtype:
        return x.clone() if copy else x
    return x.to(dtype)


def can_cast(from_: Union[_dtype, Tensor], to: _dtype, /) -> builtins.bool:
    source = from_.dtype if isinstance(from_, Tensor) else from_
    return result_type(source, to) == to


def result_type(*arrays_and_dtypes: Union[Tensor, _dtype]) -> _dtype:
    if not arrays_and_dtypes:
        raise ValueError("result_type: expected at least one array or dtype")
    # Arrays without dimensions promote like others by the standard, so all get one.
    samples = [_tamis.empty((0,), dtype=x.dtype if isinstance(x, Tensor) else x) for x in arrays_and_dtypes]
    result = samples[0]
    for sample in samples[1:]:
        result = _tamis.empty((0,), dtype=_tamis.result_type(result, sample))
    return result.dtype


# ---- elementwise -----------------------------------------------------------------------------------------------


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    if min is None and max is None:
        return x.clone()
    return _tamis.clamp(x, min, max).to(x.dtype)


def positive(x: Tensor, /) -> Tensor:
    return x.clone()


# ---- manipulation ----------------------------------------------------------------------------------------------


def broadcast_arrays(*arrays: Tensor) -> List[Tensor]:
    return list(_tamis.broadcast_tensors(*arrays))


def broadcast_to(x: Tensor, /, shape: Tuple[int, ...]) -> Tensor:
    return _tamis.broadcast_to(x, shape)


def concat(arrays: Sequence[Tensor], /, *, axis: Optional[int] = 0) -> Tensor:
    if axis is None:
        return _tamis.cat([x.flatten() for x in arrays])
    return _tamis.cat(list(arrays), axis)


def expand_dims(x: Tensor, /, *, axis: int = 0) -> Tensor:
    return _tamis.unsqueeze(x, axis)


def matrix_transpose(x: Tensor, /) -> Tensor:
    return x.mT


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    sources = [s % x.ndim for s in _sizes(source)]
    destinations = [d % x.ndim for d in _sizes(destination)]
    order = [d for d in range(x.ndim) if d not in sources]
    for to, origin in sorted(zip(destinations, sources)):
        order.insert(to, origin)
    return x.permute(order)


def permute_dims(x: Tensor, /, axes: Tuple[int, ...]) -> Tensor:
    return x.permute(axes)


def reshape(x: Tensor, /, shape: Tuple[int, ...], *, copy: Optional[builtins.bool] = None) -> Tensor:
    if copy:
        return x.clone().reshape(shape)
    return x.view(shape) if copy is False else x.reshape(shape)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    if isinstance(axes, int):
        return _tamis.tensordot(x1, x2, axes)
    first, second = axes
    return _tamis.tensordot(x1, x2, [list(first), list(second)])


def squeeze(x: Tensor, /, axis: Union[int, Tuple[int, ...]]) -> Tensor:
    for a in sorted((d % x.ndim for d in _sizes(axis)), reverse=True):
        if x.shape[a] != 1:
            raise ValueError(f"cannot squeeze dimension {a} of size {x.shape[a]}")
        x = x.squeeze(a)
    return x


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    return _tamis.stack(list(arrays), axis)


def tile(x: Tensor, repetitions: Tuple[int, ...], /) -> Tensor:
    missing = x.ndim - len(repetitions)
    return x.repeat((1,) * missing + tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> Tuple[Tensor, ...]:
    return tuple(x.select(axis, i) for i in range(x.shape[axis]))


# ---- searching, statistics, truth ------------------------------------------------------------------------------


def nonzero(x: Tensor, /) -> Tuple[Tensor, ...]:
    if x.ndim == 0:
        raise ValueError("nonzero: expected an array with dimensions")
    return tuple(_tamis.nonzero_tuple(x))


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    return _tamis.where(condition, x1, x2)


def max(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    return _tamis.amax(x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    return _tamis.amin(x, axis, keepdims)


def mean(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    return _tamis.mean(_measured(x), axis, keepdims)


def sum(
    x: Tensor, /, *, axis: Axis = None, dtype: Optional[_dtype] = None, keepdims: builtins.bool = False
) -> Tensor:
    return _tamis.sum(x, axis, keepdims, dtype=dtype)


def prod(
    x: Tensor, /, *, axis: Axis = None, dtype: Optional[_dtype] = None, keepdims: builtins.bool = False
) -> Tensor:
    axes = range(x.ndim) if axis is None else [a % x.ndim for a in _sizes(axis)]
    result = x if dtype is None else x.to(dtype)
    for a in sorted(axes, reverse=True):
        result = _tamis.prod(result, a, keepdims)
    return _tamis.prod(result) if x.ndim == 0 else result


def all(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    return _tamis.all(x.to(bool), axis, keepdims)


def any(x: Tensor, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Tensor:
    return _tamis.any(x.to(bool), axis, keepdims)


# ---- inspection ------------------------------------------------------------------------------------------------


class _Info:
    def capabilities(self) -> Dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> _tamis.device:
        return _tamis.device("cpu")

    def devices(self) -> List[_tamis.device]:
        return [_tamis.device("cpu")]

    def default_dtypes(self, *, device: Any = None) -> Dict[str, _dtype]:
        _check_device(device)
        return {"real floating": float32, "integral": int64, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> Dict[str, _dtype]:
        _check_device(device)
        names = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "float32", "float64")
        found: Dict[str, _dtype] = {name: getattr(_tamis, name) for name in names}
        return {name: d for name, d in found.items() if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> _Info:
    return _Info()
