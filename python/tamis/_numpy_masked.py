"""NumPy's functions and ufuncs on MaskedTensors: those of the same name in numpy.ma, which heed masks.

Masked arrays and single numbers come back as MaskedTensors, arrays without a mask as tensors. All are copies.
"""

import importlib
import operator
from typing import Any, Callable, Dict

import numpy as np

from tamis import _tamis
from tamis._masked_tensor import MaskedTensor
from tamis._numpy_functions import _has_dtype

ma: Any = importlib.import_module("numpy.ma")  # which has no types

# These are the MaskedTensor's operators, which defer and differentiate; `array + x` arrives as np.add(array, x), too.
_OPERATORS: Dict[Any, Callable[[Any, Any], Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}

_LOST = (
    "the mask of a MaskedTensor would be lost in an array; write x.numpy() for a masked array, x.filled(value) or "
    "x.compressed() for a tensor"
)


def _masked_array(name: str, value: Any) -> Any:
    """The value with masked arrays in place of MaskedTensors, also in lists. They are read-only: results are copies."""
    if isinstance(value, MaskedTensor):
        if value.data.requires_grad and _tamis.is_grad_enabled():
            raise RuntimeError(
                f"{name}: a tensor requires grad, and gradients do not flow through NumPy; use a method of "
                "MaskedTensor, x.map(function of tamis), or pass x.detach()"
            )
        data = value.data.numpy()
        data.flags.writeable = False
        return ma.MaskedArray(data, mask=~value.mask.numpy())
    if isinstance(value, _tamis.Tensor):
        return value.numpy()
    if type(value) in (list, tuple):
        return type(value)(_masked_array(name, v) for v in value)
    return value


def _answer(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_answer(v) for v in value)
    if not isinstance(value, (np.ndarray, np.generic)) or not _has_dtype(value.dtype):
        return value
    data = _tamis.tensor(ma.getdata(value))
    if type(value) is np.ndarray:
        return data
    return MaskedTensor(data, _tamis.tensor(~ma.getmaskarray(value)))


def _call(name: str, function: Any, args: Any, kwargs: Dict[str, Any]) -> Any:
    if kwargs.get("out") is not None:
        raise TypeError(f"{name}: a MaskedTensor is no operand beside out=, which has no mask; write x[...] = result")
    if isinstance(kwargs.get("where"), MaskedTensor):  # some versions of NumPy would take it
        raise TypeError(_LOST)
    if function is None:
        raise TypeError(
            f"{name}: numpy.ma has no such function, so the mask of a MaskedTensor would be lost; write x.filled(value) "
            "or x.compressed(), or x.map(function) and x.moved(function) for functions of tamis"
        )
    values = [_masked_array(name, a) for a in args]
    options = {key: _masked_array(name, value) for key, value in kwargs.items()}
    try:
        return _answer(function(*values, **options))
    except ValueError as e:
        if "read-only" not in str(e):
            raise
        raise TypeError(f"{name}: {e}; write into a MaskedTensor by x[index] = value") from e


def _array_ufunc(self: MaskedTensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    name = f"numpy.{ufunc.__name__}"
    if method == "__call__" and not kwargs and ufunc in _OPERATORS:
        first, second = inputs
        return _OPERATORS[ufunc](first if isinstance(first, MaskedTensor) else MaskedTensor(first), second)
    ours = getattr(ma, ufunc.__name__, ufunc if method == "__call__" else None)
    return _call(name, ours if method == "__call__" else getattr(ours, method, None), inputs, kwargs)


def _array_function(self: MaskedTensor, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    name = f"{function.__module__}.{function.__name__}"
    found = getattr(ma, function.__name__, None) if function.__module__ == "numpy" else None
    return _call(name, found, args, kwargs)


def _array(*args: Any, **kwargs: Any) -> Any:
    raise TypeError(_LOST)


def _getattr(self: MaskedTensor, name: str) -> Any:
    # NumPy asks the object for __array__, and makes an array of objects if there is none. Tensor's operators ask the
    # type, and leave an operand that has none to the operator of the other side.
    if name == "__array__":
        return _array
    raise AttributeError(f"'MaskedTensor' object has no attribute {name!r}")


for _name, _function in (
    ("__array_ufunc__", _array_ufunc),
    ("__array_function__", _array_function),
    ("__getattr__", _getattr),
):
    setattr(MaskedTensor, _name, _function)
