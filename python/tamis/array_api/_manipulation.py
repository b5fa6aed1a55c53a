"""Functions of the standard that change shapes and arrangements, and those that take elements by index."""

import builtins
from typing import Any, List, Optional, Sequence, Tuple, Union

from tamis import _tamis
from tamis._tamis import Tensor
from tamis.array_api._device import Axis, axes_of, only_axis, sizes
from tamis.array_api._dtypes import result_type


def broadcast_arrays(*arrays: Tensor) -> List[Tensor]:
    """The arrays expanded to the shape that they have together."""
    return list(_tamis.broadcast_tensors(*arrays)) if arrays else []


def broadcast_to(x: Tensor, /, shape: Tuple[int, ...]) -> Tensor:
    """x expanded to that shape."""
    return _tamis.broadcast_to(x, sizes(shape))


def _alike(arrays: Sequence[Tensor]) -> List[Tensor]:
    dtype = result_type(*arrays)
    return [x.to(dtype) for x in arrays]


def concat(arrays: Union[Tuple[Tensor, ...], List[Tensor]], /, *, axis: Optional[int] = 0) -> Tensor:
    """The arrays joined along an axis that they have, or all elements one after the other if axis is None."""
    alike = _alike(arrays)
    if axis is None:
        return _tamis.cat([x.flatten() for x in alike])
    return _tamis.cat(alike, axes_of(axis, alike[0].ndim, "concat")[0])


def stack(arrays: Union[Tuple[Tensor, ...], List[Tensor]], /, *, axis: int = 0) -> Tensor:
    """The arrays joined along a new axis."""
    return _tamis.stack(_alike(arrays), axis)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """x with a new dimension of size 1 there. The version after 2024.12 takes axis by its place too."""
    return _tamis.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: Axis = None) -> Tensor:
    """The elements in the opposite order along some axes, or along all."""
    return _tamis.flip(x, list(range(x.ndim)) if axis is None else axes_of(axis, x.ndim, "flip"))


def moveaxis(x: Tensor, source: Union[int, Tuple[int, ...]], destination: Union[int, Tuple[int, ...]], /) -> Tensor:
    """x with these axes at other places, and the others in their order."""
    sources = axes_of(source, x.ndim, "moveaxis")
    destinations = axes_of(destination, x.ndim, "moveaxis")
    if len(sources) != len(destinations):
        raise ValueError(f"moveaxis: {len(sources)} axes cannot go to {len(destinations)} places")
    order = [d for d in range(x.ndim) if d not in sources]
    for to, origin in sorted(zip(destinations, sources)):
        order.insert(to, origin)
    return x.permute(order)


def permute_dims(x: Tensor, /, axes: Tuple[int, ...]) -> Tensor:
    """x with the axes in that order."""
    return x.permute(axes_of(axes, x.ndim, "permute_dims"))


def repeat(x: Tensor, repeats: Union[int, Tensor], /, *, axis: Optional[int] = None) -> Tensor:
    """Each slice along the axis several times, the same number for all or one for each; without axis, each element."""
    if isinstance(repeats, Tensor) and repeats.dtype != _tamis.int64:
        repeats = repeats.to(_tamis.int64)
    if axis is None:
        return _tamis.repeat_interleave(x.flatten(), repeats, 0)
    return _tamis.repeat_interleave(x, repeats, axes_of(axis, x.ndim, "repeat")[0])


def reshape(x: Tensor, /, shape: Tuple[int, ...], *, copy: Optional[builtins.bool] = None) -> Tensor:
    """The elements in row-major order in another shape: a view if there is one, unless copy says otherwise."""
    if copy:
        return x.clone().reshape(sizes(shape))
    if copy is None:
        return x.reshape(sizes(shape))
    result = x.reshape(sizes(shape))
    if x.numel() > 0 and result.data_ptr() != x.data_ptr():
        raise ValueError(f"reshape: {x.shape} to {shape} needs a copy here, but copy=False was given")
    return result


def roll(x: Tensor, /, shift: Union[int, Tuple[int, ...]], *, axis: Axis = None) -> Tensor:
    """The elements moved along the axes; what leaves at the end comes in at the start."""
    if axis is None:
        return _tamis.roll(x.flatten(), sum(sizes(shift)), 0).reshape(x.shape)
    axes = sizes(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    if len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    return _tamis.roll(x, shifts, axes) if axes else x.clone()


def squeeze(x: Tensor, /, axis: Union[int, Tuple[int, ...]]) -> Tensor:
    """x without these dimensions, which must have size 1."""
    for a in sorted(axes_of(axis, x.ndim, "squeeze"), reverse=True):
        if x.shape[a] != 1:
            raise ValueError(f"squeeze: dimension {a} has size {x.shape[a]}, not 1")
        x = x.squeeze(a)
    return x


def tile(x: Tensor, repetitions: Tuple[int, ...], /) -> Tensor:
    """x several times side by side along each axis."""
    missing = x.ndim - len(repetitions)
    return x.repeat((1,) * missing + tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> Tuple[Tensor, ...]:
    """The slices along an axis, without it."""
    dim = axes_of(axis, x.ndim, "unstack")[0]
    return tuple(x.select(dim, i) for i in range(x.shape[dim]))


# ---- indices ---------------------------------------------------------------------------------------------------


def take(x: Tensor, indices: Tensor, /, *, axis: Optional[int] = None) -> Tensor:
    """The slices along the axis that the indices name."""
    if indices.ndim != 1:
        raise ValueError(f"take: expected 1-d indices, but got shape {indices.shape}")
    key: Tuple[Any, ...] = (slice(None),) * only_axis(x, axis, "take") + (indices,)
    return x[key]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The element along the axis that each index names, in the slice that the index is in."""
    if x.ndim != indices.ndim:
        raise ValueError(f"take_along_axis: expected indices of {x.ndim} dimensions, but got shape {indices.shape}")
    dim = axes_of(axis, x.ndim, "take_along_axis")[0]
    at = indices.to(_tamis.int64)
    # Without a look at the values there could be negative ones, which PyTorch refuses.
    return _tamis.take_along_dim(x, _tamis.where(at < 0, at + x.shape[dim], at), dim)
