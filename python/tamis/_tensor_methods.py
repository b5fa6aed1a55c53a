"""Functions and methods of Tensor that are written in Python: what a tensor is called, and tensors like it."""

from typing import Any, Tuple, Union

from tamis import _tamis
from tamis._tamis import Tensor

__all__ = ["broadcast_shapes", "to_dlpack"]

# The words in PyTorch's names of types, such as torch.FloatTensor.
_WORDS = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


def _name_of(dtype: Any) -> str:
    """float32 of tamis.float32."""
    return repr(dtype).rsplit(".", 1)[-1]


def _type_name(dtype: Any) -> str:
    name = _name_of(dtype)
    return f"torch.{_WORDS.get(name, name[:1].upper() + name[1:])}Tensor"


def _dtype_called(name: str) -> Any:
    """The dtype of torch.FloatTensor or tamis.FloatTensor; None if there is none of that name."""
    word = name.replace("tamis.", "torch.", 1)
    return next((getattr(_tamis, own) for own in _WORDS if _type_name(getattr(_tamis, own)) == word), None)


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Without dtype the name of this kind of tensor, 'torch.FloatTensor'. Else the tensor in that dtype, which
    may be a name of that form or a type such as tamis.FloatTensor."""
    if dtype is None:
        return _type_name(self.dtype)
    wanted = _dtype_called(dtype) if isinstance(dtype, str) else getattr(dtype, "dtype", dtype)
    if wanted is None or isinstance(wanted, type):
        raise ValueError(f"invalid type: {getattr(dtype, '__name__', dtype)!r}")
    return self.to(wanted)


def _new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A copy of data in the dtype and on the device of this tensor, unless others are given."""
    return _tamis.tensor(
        data,
        dtype=self.dtype if dtype is None else dtype,
        device=self.device if device is None else device,
        requires_grad=requires_grad,
    )


for _own in (_type, _new_tensor):
    _own.__name__ = _own.__name__[1:]
    _own.__qualname__ = f"Tensor.{_own.__name__}"
    setattr(Tensor, _own.__name__, _own)


def broadcast_shapes(*shapes: Union[int, Tuple[int, ...]]) -> Tuple[int, ...]:
    """The shape that all of these, ints or tuples of ints, broadcast to."""
    result: Tuple[int, ...] = ()
    for given in shapes:
        shape = (given,) if isinstance(given, int) else given
        if not isinstance(shape, (tuple, list)) or not all(isinstance(n, int) for n in shape):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {given!r}")
        if any(n < 0 for n in shape):
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {tuple(shape)}")
        rank = max(len(result), len(shape))
        pairs = list(zip((1,) * (rank - len(result)) + result, (1,) * (rank - len(shape)) + tuple(shape)))
        if any(a != b and 1 not in (a, b) for a, b in pairs):
            raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
        result = tuple(b if a == 1 else a for a, b in pairs)
    return result


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule over the same memory, which from_dlpack takes."""
    return tensor.__dlpack__()
