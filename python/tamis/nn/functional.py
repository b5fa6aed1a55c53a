"""The functions of torch.nn.functional that Tamis has, so that `import tamis.nn.functional as F` will do.

They are those of `tamis`, and take `mask=` where those do. `size_average` and `reduce`, which PyTorch has deprecated, are
not taken; write `reduction`.
"""

from typing import Any, Optional

from tamis import _tamis
from tamis._tamis import (
    Tensor,
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    l1_loss,
    log_softmax,
    mse_loss,
    nll_loss,
    normalize,
    one_hot,
    pad,
    sigmoid,
    smooth_l1_loss,
    softmax,
    softmin,
    tanh,
)

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "huber_loss",
    "l1_loss",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "relu",
    "relu_",
    "sigmoid",
    "smooth_l1_loss",
    "softmax",
    "softmin",
    "tanh",
]


def relu(input: Any, inplace: bool = False) -> Any:
    """Each element, or zero where it is negative; in place, if asked."""
    return relu_(input) if inplace else _tamis.relu(input)


def relu_(input: Tensor) -> Tensor:
    """In place: each element, or zero where it is negative."""
    return input.relu_()


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, *, mask: Optional[Any] = None
) -> Any:
    """Half the squared error, or linear where it is more than delta from zero."""
    return _tamis.huber_loss(input, target, mask=mask, reduction=reduction, delta=delta)
