"""Optimisers, under PyTorch's names and by its formulas."""

from typing import Any, Callable, Iterable, Tuple

from tamis import _tamis
from tamis._tamis import Tensor

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]


def _made(kind: Callable[..., "_tamis._Optimizer"], params: Iterable[Tensor], *options: Any) -> "_tamis._Optimizer":
    """A native optimiser; what it refuses is a ValueError, as in PyTorch."""
    try:
        return kind(list(params), *options)
    except RuntimeError as e:
        raise ValueError(str(e)) from None


class Optimizer:
    """What the optimisers share."""

    _native: "_tamis._Optimizer"

    def step(self) -> None:
        """Changes every parameter that has a gradient, in place and unrecorded."""
        self._native.step()

    def zero_grad(self) -> None:
        """Forgets the gradients."""
        self._native.zero_grad()


class SGD(Optimizer):
    """Stochastic gradient descent."""

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
    ) -> None:
        self._native = _made(_tamis._SGD, params, lr, momentum, dampening, weight_decay, nesterov)


class Adam(Optimizer):
    """Adam; the decay of weights acts on the gradient."""

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: Tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
    ) -> None:
        self._native = _made(_tamis._Adam, params, lr, betas, eps, weight_decay, False)


class AdamW(Optimizer):
    """Adam with a decay of weights that acts on the parameters."""

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: Tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        self._native = _made(_tamis._Adam, params, lr, betas, eps, weight_decay, True)
