"""Dtypes by the standard: their kinds, how they promote, and operands as the standard promotes them."""

import builtins
import functools
from typing import Any, Dict, Tuple, Union

from tamis import _limits, _tamis
from tamis._limits import finfo_object, iinfo_object, iinfo as iinfo
from tamis._tamis import Tensor, dtype as _dtype

Scalar = Union[builtins.bool, int, float, complex]
Operand = Union[Tensor, Scalar]


# All that the standard has of each kind.
NAMES: Dict[str, Tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS: Dict[str, Tuple[_dtype, ...]] = {
    kind: tuple(getattr(_tamis, name) for name in names) for kind, names in NAMES.items()
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]

_NUMBERS = (builtins.bool, int, float, complex)
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def finfo(type: Union[_dtype, Tensor], /) -> finfo_object:
    """The limits of a floating point dtype, or of an array's; of a complex one, those of its parts."""
    return _limits.finfo(type)


def isdtype(dtype: _dtype, kind: Any) -> builtins.bool:
    """Whether the dtype is of that kind: a dtype, the name of a kind, or a tuple of these."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: no such kind of dtypes: {kind!r}; there are {', '.join(map(repr, _KINDS))}")
        return dtype in _KINDS[kind]
    if not isinstance(kind, _dtype):
        raise TypeError(f"isdtype: kind is a dtype, a name or a tuple of these, not {builtins.type(kind).__name__}")
    return dtype == kind


def astype(x: Tensor, dtype: _dtype, /, *, copy: builtins.bool = True, device: Any = None) -> Tensor:
    """A copy in that dtype; with copy=False the array itself, if it has it."""
    if x.dtype.is_complex and not dtype.is_complex:
        raise TypeError(f"astype: {x.dtype} does not become {dtype} by itself; write real(x) or abs(x) first")
    moved = x if device is None else x.to_device(device)
    if moved.dtype == dtype:
        return moved.clone() if copy and moved is x else moved
    return moved.to(dtype)


def can_cast(from_: Union[_dtype, Tensor], to: _dtype, /) -> builtins.bool:
    """Whether promotion leads from the one dtype to the other."""
    source = from_.dtype if isinstance(from_, Tensor) else from_
    return are_one_kind(source, to) and promote(source, to) == to


def result_type(*arrays_and_dtypes: Union[Operand, _dtype]) -> _dtype:
    """The dtype of operations on all of these. Numbers take the dtype of the arrays, if that is of their kind."""
    dtypes = [x.dtype if isinstance(x, Tensor) else x for x in arrays_and_dtypes if isinstance(x, (Tensor, _dtype))]
    if not dtypes:
        raise ValueError("result_type: expected at least one array or dtype")
    result = functools.reduce(promote, dtypes)
    for x in arrays_and_dtypes:
        if not isinstance(x, (Tensor, _dtype)):
            result = _with_number(result, _rank(x))
    return result


@functools.lru_cache(maxsize=None)
def promote(a: _dtype, b: _dtype) -> _dtype:
    """The dtype of both. Where the standard leaves it open, across kinds, it is PyTorch's."""
    # With a dimension: PyTorch lets arrays without one give way, the standard does not.
    return a if a == b else _tamis.result_type(_tamis.empty((0,), dtype=a), _tamis.empty((0,), dtype=b))


def _rank(value: Scalar) -> int:
    """The place of a number's kind among the kinds."""
    if isinstance(value, builtins.bool):
        return 0
    return 1 if isinstance(value, int) else 2 if isinstance(value, float) else 3


@functools.lru_cache(maxsize=None)
def _with_number(dtype: _dtype, rank: int) -> _dtype:
    """The dtype of an array and a number of that kind."""
    return _tamis.result_type(_tamis.empty((0,), dtype=dtype), (False, 0, 0.0, 0j)[rank])


def are_one_kind(a: _dtype, b: _dtype) -> builtins.bool:
    """Whether the standard says how the two promote: integers are one kind, real and complex numbers another."""
    ranks = {_RANKS[a.kind], _RANKS[b.kind]}
    return len(ranks) == 1 or ranks == {2, 3}


def as_tensor(x: Any) -> Tensor:
    """x itself, or the tensor over another library's array. Numbers have no dtype, so that they are no arrays."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, _NUMBERS):
        raise TypeError("expected at least one array, but got numbers only; write asarray(...) around one of them")
    return _tamis.asarray(x)


def _with_scalar(x: Tensor, value: Scalar) -> Tuple[Tensor, Any]:
    """The array and a number, which gets the dtype that the standard says, or is left as PyTorch takes it."""
    rank, own = _rank(value), _RANKS[x.dtype.kind]
    if rank == 3 and own == 2:
        x, own = x.to(_with_number(x.dtype, 3)), 3
    if rank == own == 0 or 1 <= rank <= own:
        # Through float: an integer may be too large for the dtypes of integers.
        number = float(value) if rank == 1 and own > 1 else value  # type: ignore[arg-type]
        return x, _tamis.full((), number, dtype=x.dtype, device=x.device)
    return x, value


def promoted(x1: Any, x2: Any) -> Tuple[Any, Any]:
    """Both operands in their common dtype. Across kinds, which the standard leaves open, it is PyTorch's."""
    if isinstance(x2, _NUMBERS):
        return _with_scalar(as_tensor(x1), x2)
    x2 = as_tensor(x2)
    if isinstance(x1, _NUMBERS):
        x2, number = _with_scalar(x2, x1)
        return _tamis.asarray(number), x2
    x1 = as_tensor(x1)
    if x1.dtype == x2.dtype:
        return x1, x2
    dtype = promote(x1.dtype, x2.dtype)
    return x1.to(dtype), x2.to(dtype)
