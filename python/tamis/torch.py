"""Tamis inside PyTorch: masking functions on torch tensors with gradients, sharing memory both ways.

Forward and backward run on Tamis. Every backward is written with functions of this module, so second
derivatives work too. A masked-out element contributes exactly nothing: NaN there reaches neither the value nor
the gradient.
"""

from typing import Any, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor

import tamis

__all__ = [
    "masked_fill",
    "masked_mean",
    "masked_mse",
    "masked_scatter",
    "masked_select",
    "masked_sum",
    "select",
    "where",
]

# Functions of tamis give torch tensors for torch tensors, which their types do not say.
_ops: Any = tamis

Dim = Union[None, int, Sequence[int]]


def _share(x: Tensor) -> "tamis.Tensor":
    return tamis.asarray(x.detach())


def _reduce_to(grad: Tensor, shape: Sequence[int]) -> Tensor:
    """The gradient of broadcasting: sums over what was repeated."""
    return grad if grad.shape == torch.Size(shape) else grad.sum_to_size(tuple(shape))


class _MaskedSelect(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.shape = x.shape
        result: Tensor = _ops.masked_select(x.detach(), mask)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (mask,) = ctx.saved_tensors
        (g,) = grads
        zeros = g.new_zeros(torch.broadcast_shapes(ctx.shape, mask.shape))
        return _reduce_to(masked_scatter(zeros, mask, g), ctx.shape), None


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """torch.masked_select: the elements where mask is true, 1-d; both broadcast."""
    result: Tensor = _MaskedSelect.apply(input, mask)
    return result


class _Select(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.shape = x.shape
        result: Tensor = _share(x)[mask].torch()
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (mask,) = ctx.saved_tensors
        return _Scatter.apply(grads[0], mask, ctx.shape), None


class _Scatter(torch.autograd.Function):
    """Zeros with the rows of x where mask is true: the transpose of _Select."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor, shape: Sequence[int]) -> Tensor:
        ctx.save_for_backward(mask)
        result = x.new_zeros(shape)
        _share(result)[mask] = x.detach()
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (mask,) = ctx.saved_tensors
        return select(grads[0], mask), None, None


def select(input: Tensor, mask: Tensor) -> Tensor:
    """input[mask]: elements, or whole rows if mask has fewer dimensions."""
    result: Tensor = _Select.apply(input, mask)
    return result


class _MaskedFill(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor, value: Any) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.shape = x.shape
        ctx.value_dtype = value.dtype if isinstance(value, Tensor) else None
        plain = value.detach() if isinstance(value, Tensor) else value
        result: Tensor = _ops.masked_fill(x.detach(), mask, plain)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (mask,) = ctx.saved_tensors
        (g,) = grads
        grad_x = grad_value = None
        if ctx.needs_input_grad[0]:
            grad_x = _reduce_to(masked_fill(g, mask, 0), ctx.shape)
        if ctx.needs_input_grad[2]:
            grad_value = masked_select(g, mask).sum().to(ctx.value_dtype)
        return grad_x, None, grad_value


def masked_fill(input: Tensor, mask: Tensor, value: Union[Tensor, float, bool]) -> Tensor:
    """input.masked_fill(mask, value); value is a number or a 0-d tensor, which gets a gradient too."""
    result: Tensor = _MaskedFill.apply(input, mask, value)
    return result


class _MaskedScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.shape = x.shape
        ctx.source_shape = source.shape
        result: Tensor = _ops.masked_scatter(x.detach(), mask, source.detach())
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (mask,) = ctx.saved_tensors
        (g,) = grads
        grad_x = grad_source = None
        if ctx.needs_input_grad[0]:
            grad_x = _reduce_to(masked_fill(g, mask, 0), ctx.shape)
        if ctx.needs_input_grad[2]:
            taken = masked_select(g, mask)
            unused = ctx.source_shape.numel() - taken.numel()
            grad_source = torch.cat([taken, taken.new_zeros(unused)]).view(ctx.source_shape)
        return grad_x, None, grad_source


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """input with the elements where mask is true replaced by those of source, in order."""
    result: Tensor = _MaskedScatter.apply(input, mask, source)
    return result


class _Where(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, condition: Tensor, a: Any, b: Any) -> Tensor:
        ctx.save_for_backward(condition)
        ctx.like = [(x.shape, x.dtype) if isinstance(x, Tensor) else None for x in (a, b)]
        plain = [x.detach() if isinstance(x, Tensor) else x for x in (a, b)]
        result: Tensor = _ops.where(condition, *plain)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (condition,) = ctx.saved_tensors
        (g,) = grads
        grad_a = grad_b = None
        if ctx.needs_input_grad[1]:
            shape, dtype = ctx.like[0]
            grad_a = _reduce_to(where(condition, g, 0), shape).to(dtype)
        if ctx.needs_input_grad[2]:
            shape, dtype = ctx.like[1]
            grad_b = _reduce_to(where(condition, 0, g), shape).to(dtype)
        return None, grad_a, grad_b


def where(condition: Tensor, input: Union[Tensor, float], other: Union[Tensor, float]) -> Tensor:
    """input where condition is true, other elsewhere; all three broadcast."""
    result: Tensor = _Where.apply(condition, input, other)
    return result


# ---- reductions ------------------------------------------------------------------------------------------------


def _dims(dim: Dim, rank: int) -> Tuple[int, ...]:
    if dim is None:
        return tuple(range(rank))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(d % max(rank, 1) for d in dims)


def _spread(x: Tensor, shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> Tensor:
    """The result of a reduction over dims, repeated to the shape that was reduced."""
    if not keepdim and len(shape) > 0:
        for d in sorted(dims):
            x = x.unsqueeze(d)
    return x.expand(tuple(shape))


class _MaskedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor, dim: Dim, keepdim: bool) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.shape, ctx.keepdim = x.shape, keepdim
        kept = _ops.where(_share(mask), _share(x), 0)
        ctx.full = kept.shape
        ctx.dims = _dims(dim, kept.ndim)
        return kept.sum(ctx.dims, keepdim).torch()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (mask,) = ctx.saved_tensors
        g = _spread(grads[0], ctx.full, ctx.dims, ctx.keepdim)
        return _reduce_to(where(mask, g, 0), ctx.shape), None, None, None


def masked_sum(input: Tensor, mask: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """The sum of the elements where mask is true; 0 if there are none."""
    result: Tensor = _MaskedSum.apply(input, mask, dim, keepdim)
    return result


def _count(mask: Tensor, shape: Sequence[int], dim: Dim, keepdim: bool) -> Tensor:
    full = tamis.asarray(mask).expand(tuple(shape))
    count: Tensor = full.sum(_dims(dim, len(shape)), keepdim).torch()
    return count


def masked_mean(input: Tensor, mask: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """The mean of the elements where mask is true; NaN if there are none."""
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    count = _count(mask, shape, dim, keepdim)
    return masked_sum(input, mask, dim, keepdim) / count.to(input.dtype)


class _MaskedMse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, prediction: Tensor, target: Tensor, mask: Tensor) -> Tensor:
        ctx.save_for_backward(prediction, target, mask)
        difference = _ops.sub(_share(prediction), _share(target))
        kept = _ops.where(_share(mask), difference.square(), 0)
        ctx.full = kept.shape
        ctx.count = int(tamis.asarray(mask).expand(kept.shape).sum())
        total: Tensor = kept.sum().torch()
        return total / ctx.count

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        prediction, target, mask = ctx.saved_tensors
        # Selected before it is multiplied, so that what is masked out cannot turn into NaN.
        difference = where(mask, prediction - target, 0)
        g = difference * (grads[0] * (2 / max(ctx.count, 1)))
        grad_prediction = _reduce_to(g, prediction.shape) if ctx.needs_input_grad[0] else None
        grad_target = _reduce_to(-g, target.shape) if ctx.needs_input_grad[1] else None
        return grad_prediction, grad_target, None


def masked_mse(prediction: Tensor, target: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    """mse_loss over the elements where mask is true, in one pass; NaN if there are none."""
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    result: Tensor = _MaskedMse.apply(prediction, target, mask)
    return result
