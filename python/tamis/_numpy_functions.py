"""NumPy's functions and ufuncs on tensors.

NumPy computes them over the memory of the tensors, so value, shape and dtype are its own. Arrays and scalars of a dtype
that Tamis has come back as tensors, and views as views; an array that the caller gave comes back itself.
"""

import functools
import inspect
from typing import Any, Callable, Dict, FrozenSet, List, Tuple

import numpy as np

from tamis import _tamis
from tamis._tamis import Tensor

# `array + tensor` arrives as np.add(array, tensor): the tensor's operator, which defers and differentiates.
_OPERATORS: Dict[Any, Callable[[Tensor, Any], Any]] = {
    np.add: Tensor.__radd__,
    np.subtract: Tensor.__rsub__,
    np.multiply: Tensor.__rmul__,
    np.true_divide: Tensor.__rtruediv__,
    np.floor_divide: Tensor.__rfloordiv__,
    np.remainder: Tensor.__rmod__,
    np.power: Tensor.__rpow__,
    np.matmul: Tensor.__rmatmul__,
    np.bitwise_and: Tensor.__rand__,
    np.bitwise_or: Tensor.__ror__,
    np.bitwise_xor: Tensor.__rxor__,
    np.left_shift: Tensor.__rlshift__,
    np.right_shift: Tensor.__rrshift__,
    np.equal: Tensor.__eq__,
    np.not_equal: Tensor.__ne__,
    np.less: Tensor.__gt__,
    np.less_equal: Tensor.__ge__,
    np.greater: Tensor.__lt__,
    np.greater_equal: Tensor.__le__,
}

# Functions that write into their first argument, and its name.
_WRITERS = {
    np.copyto: "dst",
    np.fill_diagonal: "a",
    np.place: "arr",
    np.put: "a",
    np.put_along_axis: "arr",
    np.putmask: "a",
}


@functools.lru_cache(maxsize=None)
def _written_positions(function: Any) -> FrozenSet[int]:
    """Where arguments stand that are written into."""
    if function in _WRITERS:
        return frozenset([0])
    if function in (np.concatenate, np.dot):  # in C, where functions do not say what their arguments are
        return frozenset([2])
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return frozenset()
    by_position = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return frozenset(i for i, name in enumerate(by_position) if name == "out")


def _has_dtype(dtype: Any) -> bool:
    try:
        _tamis.dtype(dtype)
    except TypeError:
        return False
    return True


class _Call:
    """One call of NumPy: what stands for the tensors in it, and the way back."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._read: List[Tuple[Tensor, Any]] = []
        self._written: List[Tuple[Tensor, Any]] = []
        self._given: List[Any] = []

    def read(self, value: Any) -> Any:
        """The value with arrays in place of tensors, also in lists. They are read-only: Tamis sees no writes of NumPy."""
        if isinstance(value, Tensor):
            array = value.numpy()
            array.flags.writeable = False
            self._read.append((value, array))
            return array
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(
                f"{self._name}: got a masked array beside a tensor, and NumPy would ignore its mask; write "
                "a.filled(value) for its values, or call the function of numpy.ma with x.numpy()"
            )
        if isinstance(value, np.ndarray):
            self._given.append(value)
        if isinstance(value, _tamis.dtype):
            return value.to_numpy()
        if type(value) in (list, tuple):
            return type(value)(self.read(v) for v in value)
        return value

    def write(self, value: Any) -> Any:
        """The same for what NumPy writes into: a copy, which is written back by Tamis."""
        if not isinstance(value, Tensor):
            self._given.append(value)
            return value
        for tensor, array in self._written:
            if tensor is value:
                return array
        self._written.append((value, value.numpy().copy()))
        return self._written[-1][1]

    def run(self, function: Callable[..., Any], args: List[Any], kwargs: Dict[str, Any]) -> Any:
        for tensor, _ in self._written:
            self._check_gradients(tensor.is_floating_point() or tensor.is_complex())
        try:
            result = function(*args, **kwargs)
        except ValueError as e:
            if "read-only" not in str(e):
                raise
            raise TypeError(
                f"{self._name}: {e}; a tensor is written into only if it is given by name, as in out=x. Instead of "
                "copy=False or overwrite_input=True, write x.copy_(result)"
            ) from e
        answer = self._answer(result)
        for tensor, array in self._written:
            tensor.copy_(array)
        return answer

    def _check_gradients(self, differentiable: bool) -> None:
        if not differentiable or not _tamis.is_grad_enabled():
            return
        if any(tensor.requires_grad for tensor, _ in self._read + self._written):
            raise RuntimeError(
                f"{self._name}: a tensor requires grad, and gradients do not flow through NumPy; use a function of "
                "tamis, or pass x.detach()"
            )

    def _answer(self, value: Any) -> Any:
        if type(value) is np.ndarray or isinstance(value, np.generic):
            return self._tensor(value)
        if isinstance(value, (list, tuple)):
            parts = [self._answer(v) for v in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        return value

    def _tensor(self, value: Any) -> Any:
        for tensor, array in self._written:
            if value is array:
                return tensor
        if any(value is array for array in self._given) or not _has_dtype(value.dtype):
            return value
        self._check_gradients(value.dtype.kind in "fc")
        if isinstance(value, np.ndarray):
            for tensor, array in self._read:
                if value is array:
                    return tensor
                part = _tamis._part_of(tensor, value)
                if part is not None:
                    return part
        return _tamis.asarray(value)


def _array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    plain = method == "__call__"
    if plain and not kwargs and ufunc in _OPERATORS and isinstance(inputs[0], (np.ndarray, np.generic)):
        if not isinstance(inputs[0], np.ma.MaskedArray):
            return _OPERATORS[ufunc](self, inputs[0])
    call = _Call(f"numpy.{ufunc.__name__}")
    out = kwargs.pop("out", ())
    # Masks of masked arrays are heeded by ufuncs that are called, and by nothing else in NumPy.
    args = [a if plain and isinstance(a, np.ma.MaskedArray) else call.read(a) for a in inputs]
    if method == "at":
        args[0] = call.write(inputs[0])
    options = {name: call.read(value) for name, value in kwargs.items()}
    if out:
        options["out"] = tuple(call.write(o) for o in out)
    return call.run(getattr(ufunc, method), args, options)


def _array_function(self: Tensor, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    call = _Call(f"{function.__module__}.{function.__name__}")
    names = {"out", _WRITERS.get(function)}
    positions = _written_positions(function)
    options = {name: (call.write if name in names else call.read)(value) for name, value in kwargs.items()}
    values = [(call.write if i in positions else call.read)(value) for i, value in enumerate(args)]
    return call.run(function, values, options)


Tensor.__array_ufunc__ = _array_ufunc
Tensor.__array_function__ = _array_function
