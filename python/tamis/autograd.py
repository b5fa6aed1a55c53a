"""Gradients, under PyTorch's names: grad, backward, Function, gradcheck, and the modes of recording."""

import functools as _functools
from typing import Any, Callable, List, Optional, Sequence, Tuple, TypeVar, Union

from tamis import _tamis
from tamis._tamis import Tensor

__all__ = [
    "Function",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]

_F = TypeVar("_F", bound=Callable[..., Any])
Tensors = Union[Tensor, Sequence[Tensor]]


class set_grad_enabled:
    """Switches recording on or off: at once, or for a with block if it is used as one."""

    def __init__(self, mode: bool) -> None:
        self._before = _tamis.is_grad_enabled()
        _tamis._set_grad_enabled(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        _tamis._set_grad_enabled(self._before)


class _Mode:
    """A context manager and a decorator."""

    _on = False

    def __enter__(self) -> None:
        self._before = _tamis.is_grad_enabled()
        _tamis._set_grad_enabled(self._on)

    def __exit__(self, *error: Any) -> None:
        _tamis._set_grad_enabled(self._before)

    def _again(self) -> "_Mode":
        """Another one for each call of a decorated function, which may call itself."""
        return type(self)()

    def __call__(self, f: _F) -> _F:
        @_functools.wraps(f)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return f(*args, **kwargs)

        return wrapped  # type: ignore[return-value]


class no_grad(_Mode):
    """Operations inside are not recorded."""


class enable_grad(_Mode):
    """Operations inside are recorded, also within no_grad."""

    _on = True


class inference_mode(_Mode):
    """no_grad under another name. Unlike PyTorch's, what is computed inside can be used anywhere afterwards."""

    def __init__(self, mode: bool = True) -> None:
        self._on = not mode

    def _again(self) -> "_Mode":
        return inference_mode(not self._on)


def backward(
    tensors: Tensors,
    grad_tensors: Optional[Tensors] = None,
    retain_graph: Optional[bool] = None,
    create_graph: bool = False,
) -> None:
    """Adds the gradients of the tensors to .grad of the leaves that they were computed from."""
    _tamis._backward(tensors, grad_tensors, retain_graph, create_graph)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Optional[Tensors] = None,
    retain_graph: Optional[bool] = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> Tuple[Optional[Tensor], ...]:
    """The gradients of the outputs with respect to the inputs; .grad stays as it is."""
    return tuple(_tamis._grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused))


def gradcheck(
    func: Callable[..., Tensor], inputs: Tensors, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3
) -> bool:
    """Compares gradients (float64, complex128) with difference quotients; raises where they differ."""
    return bool(_tamis._gradcheck(func, inputs, eps, atol, rtol))


def gradgradcheck(
    func: Callable[..., Tensor], inputs: Tensors, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3
) -> bool:
    """The same for the gradients of the gradients."""
    return bool(_tamis._gradgradcheck(func, inputs, eps, atol, rtol))


class _Handle:
    """What Tensor.register_hook returns: remove() takes the hook away."""

    def __init__(self, tensor: Tensor, number: int) -> None:
        self._tensor, self._number = tensor, number

    def remove(self) -> None:
        self._tensor._remove_hook(self._number)


def _register_hook(self: Tensor, hook: Callable[[Tensor], Optional[Tensor]]) -> _Handle:
    """Calls hook with every gradient that reaches this tensor; what it returns, if anything, takes its place."""
    return _Handle(self, self._register_hook(hook))


class FunctionCtx:
    """What forward leaves for backward."""

    needs_input_grad: Tuple[bool, ...] = ()

    def __init__(self) -> None:
        self.saved_tensors: Tuple[Any, ...] = ()
        self._without_grad: Tuple[Tensor, ...] = ()

    def save_for_backward(self, *tensors: Optional[Tensor]) -> None:
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        self._without_grad = tensors


class Function:
    """An operation with a gradient of its own: subclass it with static methods forward(ctx, *args) and
    backward(ctx, *grads), and call it by apply(*args)."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError("You must implement the backward function for custom autograd.Function.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        with no_grad():
            result = cls.forward(ctx, *args)
        if not _tamis.is_grad_enabled() or not any(ctx.needs_input_grad):
            return result
        results = result if isinstance(result, tuple) else (result,)
        attached = tuple(cls._attach(ctx, args, results, i) for i in range(len(results)))
        ctx.saved_tensors = ctx._without_grad = ()  # the graph has them, and lets go of them with its nodes
        return attached if isinstance(result, tuple) else attached[0]

    @classmethod
    def _attach(cls, ctx: FunctionCtx, args: Sequence[Any], results: Sequence[Tensor], which: int) -> Tensor:
        """One result in the graph. Its gradient is that of all results, with zeros for the others."""
        result = results[which]
        if any(result is x for x in ctx._without_grad) or not (result.is_floating_point() or result.is_complex()):
            return result
        positions = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        count = len(args)
        shapes = [(r.shape, r.dtype) for r in results]  # not the tensors, which would live as long as the graph

        def run(gradient: Tensor, saved: List[Optional[Tensor]]) -> List[Optional[Tensor]]:
            grads = [gradient if i == which else _tamis.zeros(s, dtype=d) for i, (s, d) in enumerate(shapes)]
            ctx.saved_tensors = tuple(saved)
            try:
                given = cls.backward(ctx, *grads)
            finally:
                ctx.saved_tensors = ()
            given = given if isinstance(given, tuple) else (given,)
            if len(given) != count:
                raise RuntimeError(
                    f"function {cls.__name__}Backward returned an incorrect number of gradients "
                    f"(expected {count}, got {len(given)})"
                )
            return [given[i] for i in positions]

        inputs = [args[i] for i in positions]
        return _tamis._attach(result, cls.__name__, inputs, list(ctx.saved_tensors), run)


Tensor.register_hook = _register_hook  # type: ignore[assignment]
