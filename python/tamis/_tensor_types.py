"""FloatTensor, LongTensor and the like: PyTorch's older constructors, one for each dtype."""

from typing import Any

from tamis import _tamis
from tamis._tamis import Tensor, dtype as _dtype

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


class _TensorType(type):
    """The type of these constructors. A tensor is an instance of the one of its dtype."""

    dtype: _dtype

    def __call__(cls, *args: Any) -> Tensor:
        """No argument: no elements. One or more ints: sizes, with unspecified values. Else data, copied."""
        if all(isinstance(a, int) and not isinstance(a, bool) for a in args):
            return _tamis.empty(args or (0,), dtype=cls.dtype)
        if len(args) != 1:
            raise TypeError(f"{cls.__name__}(): expected sizes or one sequence or array, but got {len(args)} arguments")
        return _tamis.tensor(args[0], dtype=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def _make(name: str, dtype: _dtype) -> Any:
    return _TensorType(name, (), {"dtype": dtype, "__module__": "tamis", "__doc__": f"Tensors of {dtype!r}."})


BoolTensor = _make("BoolTensor", _tamis.bool)
ByteTensor = _make("ByteTensor", _tamis.uint8)
CharTensor = _make("CharTensor", _tamis.int8)
ShortTensor = _make("ShortTensor", _tamis.int16)
IntTensor = _make("IntTensor", _tamis.int32)
LongTensor = _make("LongTensor", _tamis.int64)
HalfTensor = _make("HalfTensor", _tamis.float16)
BFloat16Tensor = _make("BFloat16Tensor", _tamis.bfloat16)
FloatTensor = _make("FloatTensor", _tamis.float32)
DoubleTensor = _make("DoubleTensor", _tamis.float64)
