"""The functions of torch.nn.functional that Tamis has, so that `import tamis.nn.functional as F` will do.

They are those of `tamis`, and take `mask=` where those do. `size_average` and `reduce`, which PyTorch has deprecated, are
not taken; write `reduction`.
"""

from typing import Any, Callable, Optional

from tamis import _tamis
from tamis._tamis import (
    Tensor,
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cosine_similarity,
    cross_entropy,
    embedding,
    embedding_bag,
    gaussian_nll_loss,
    gelu,
    glu,
    hardshrink,
    hinge_embedding_loss,
    kl_div,
    l1_loss,
    layer_norm,
    log_softmax,
    logsigmoid,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    normalize,
    one_hot,
    pad,
    pairwise_distance,
    pdist,
    poisson_nll_loss,
    prelu,
    scaled_dot_product_attention,
    sigmoid,
    smooth_l1_loss,
    soft_margin_loss,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    triplet_margin_loss,
)

__all__ = [
    "alpha_dropout",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_softmax",
    "logsigmoid",
    "margin_ranking_loss",
    "mish",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def relu(input: Any, inplace: bool = False) -> Any:
    """Each element, or zero where it is negative; in place, if asked."""
    return relu_(input) if inplace else _tamis.relu(input)


def relu_(input: Tensor) -> Tensor:
    """In place: each element, or zero where it is negative."""
    return input.relu_()


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Each element kept with the probability 1 - p and divided by it, else zero; in place, if asked."""
    found = _tamis.dropout(input, p, training)
    return input.copy_(found) if inplace else found


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Each element kept with the probability 1 - p, else the limit of selu, scaled; in place, if asked."""
    return input.alpha_dropout_(p, training) if inplace else _tamis.alpha_dropout(input, p, training)


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """alpha_dropout of whole channels; in place, if asked."""
    return input.feature_alpha_dropout_(p, training) if inplace else _tamis.feature_alpha_dropout(input, p, training)


def _channel_dropout(name: str, dims: int) -> Callable[..., Any]:
    def function(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if input.dim() not in (dims + 1, dims + 2):
            raise ValueError(f"{name}: expected {dims + 1}-D or {dims + 2}-D input, but got {input.dim()}-D")
        # Without a batch, all channels are of one sample.
        seen = input.unsqueeze(0) if input.dim() == dims + 1 else input
        found = _tamis.feature_dropout(seen, p, training).reshape(input.shape)
        return input.copy_(found) if inplace else found

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"dropout of whole channels of {dims} dimensions; in place, if asked."
    return function


dropout1d = _channel_dropout("dropout1d", 1)
dropout2d = _channel_dropout("dropout2d", 2)
dropout3d = _channel_dropout("dropout3d", 3)


def rrelu(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Any:
    """Each element, or a random share of it where it is not positive; in place, if asked."""
    return rrelu_(input, lower, upper, training) if inplace else _tamis.rrelu(input, lower, upper, training)


def rrelu_(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """In place: rrelu."""
    return input.rrelu_(lower, upper, training)


def linear(input: Any, weight: Any, bias: Optional[Any] = None) -> Any:
    """input times the transposed weight, plus bias."""
    product = _tamis.matmul(input, weight.t())
    return product if bias is None else product + bias


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """The softmax of (logits + noise of Gumbel's distribution) / tau. hard: 1 at the largest and 0 elsewhere, with
    the gradient of the softmax."""
    noise = -_tamis.empty_like(logits).exponential_().log()
    soft = _tamis.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    one = _tamis.zeros_like(logits).scatter_(dim, soft.argmax(dim, True), 1.0)
    return one - soft.detach() + soft


def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Optional[Callable[[Any, Any], Any]] = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)) for any function d, pairwise_distance unless given."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    distance: Any = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _tamis.minimum(far, distance(positive, negative))
    loss = _tamis.clamp_min(margin + near - far, 0)
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


def relu6(input: Any, inplace: bool = False) -> Any:
    """Each element limited to the range from 0 to 6; in place, if asked."""
    return input.relu6_() if inplace else _tamis.relu6(input)


def silu(input: Any, inplace: bool = False) -> Any:
    """x * sigmoid(x); in place, if asked."""
    return input.silu_() if inplace else _tamis.silu(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """x * tanh(softplus(x)); in place, if asked."""
    return input.mish_() if inplace else _tamis.mish(input)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """x / 6 + 1/2, limited to the range from 0 to 1; in place, if asked."""
    return input.hardsigmoid_() if inplace else _tamis.hardsigmoid(input)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """x * hardsigmoid(x); in place, if asked."""
    return input.hardswish_() if inplace else _tamis.hardswish(input)


def selu(input: Any, inplace: bool = False) -> Any:
    """elu with the scale and alpha that keep mean 0 and variance 1; in place, if asked."""
    return selu_(input) if inplace else _tamis.selu(input)


def selu_(input: Tensor) -> Tensor:
    """In place: selu."""
    return input.selu_()


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Each element, or alpha * (exp(x) - 1) where it is negative; in place, if asked."""
    return elu_(input, alpha) if inplace else _tamis.elu(input, alpha)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In place: elu."""
    return input.elu_(alpha)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Each element, or alpha * (exp(x / alpha) - 1) where it is negative; in place, if asked."""
    return celu_(input, alpha) if inplace else _tamis.celu(input, alpha)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In place: celu."""
    return input.celu_(alpha)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """Each element, or negative_slope times it where it is negative; in place, if asked."""
    return leaky_relu_(input, negative_slope) if inplace else _tamis.leaky_relu(input, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """In place: leaky_relu."""
    return input.leaky_relu_(negative_slope)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Each element limited to the range from min_val to max_val; in place, if asked."""
    return hardtanh_(input, min_val, max_val) if inplace else _tamis.hardtanh(input, min_val, max_val)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """In place: hardtanh."""
    return input.hardtanh_(min_val, max_val)


def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """Each element, or value where it is not above threshold; in place, if asked."""
    return threshold_(input, threshold, value) if inplace else _tamis.threshold(input, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """In place: threshold."""
    return input.threshold_(threshold, value)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, *, mask: Optional[Any] = None
) -> Any:
    """Half the squared error, or linear where it is more than delta from zero."""
    return _tamis.huber_loss(input, target, mask=mask, reduction=reduction, delta=delta)
