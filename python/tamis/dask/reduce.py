"""Reductions by partial states: a state per block, merged in any order, the same bits whatever the chunks are."""

import functools
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import dask.array as da
import numpy as np

import tamis
from tamis import partial
from tamis.dask._graph import (
    Block,
    Call,
    Index,
    Place,
    align,
    as_array,
    as_mask,
    each_block,
    gather,
    merge_states,
    tree,
)
from tamis.dask._worker import on_worker

Dim = Union[None, int, Sequence[int]]


def dims_of(dim: Dim, rank: int, function: str) -> Tuple[int, ...]:
    """The dimensions that are reduced, from 0 up; None and an empty list mean all."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(rank))
    given = (dim,) if isinstance(dim, (int, np.integer)) else tuple(dim)
    for d in given:
        if not -max(rank, 1) <= d < max(rank, 1):
            raise IndexError(f"{function}: dimension {d} is out of range for {rank} dimensions")
    dims = tuple(d % rank for d in given) if rank else ()
    if len(set(dims)) != len(dims):
        raise RuntimeError(f"{function}: a dimension appears twice in {given}")
    return tuple(sorted(dims))


def with_mask(x: da.Array, mask: Any, function: str) -> Tuple[da.Array, Optional[da.Array]]:
    """The mask cut as x is."""
    if mask is None:
        return x, None
    m = as_mask(mask, function)
    if np.broadcast_shapes(m.shape, x.shape) != x.shape:
        raise RuntimeError(f"{function}: the mask of shape {m.shape} does not broadcast to {x.shape}")
    (x, m), _ = align(x, m)
    return x, m


# Elements of a block that a state is made of at a time, so that what it computes on the way is in the cache.
PIECE = 1 << 18


@on_worker
def _state(place: Place, x: np.ndarray, mask: Optional[np.ndarray], make: Callable[..., Any], dims: Index,
           placed: bool) -> Any:  # fmt: skip
    x = np.broadcast_to(x, place.size)
    options: Any = {"dim": dims or None, "keepdim": True}
    rows = place.size[0] if 0 in dims and x.size > PIECE else 0
    if not rows:
        if placed and place.shape:
            options.update(shape=place.shape, offset=place.offset)
        return make(x, mask, **options)
    mask = None if mask is None else np.broadcast_to(mask, place.size)
    step = max(1, PIECE * rows // x.size)
    states = []
    for start in range(0, rows, step):
        if placed:
            options.update(shape=place.shape, offset=(place.offset[0] + start, *place.offset[1:]))
        part = slice(start, start + step)
        states.append(make(x[part], None if mask is None else mask[part], **options))
    return merge_states(states)


@on_worker
def _finish(method: str, options: Any, shape: Index, states: List[Any]) -> np.ndarray:
    result = getattr(merge_states(states), method)(**dict(options))
    return np.asarray(result.numpy()).reshape(shape)


@on_worker
def merge(states: List[Any]) -> Any:
    return merge_states(states)


def dtype_of(make: Callable[..., Any], method: str, options: Any, x: da.Array, dims: Index, placed: bool) -> Any:
    """That of the result, learnt from a state of one element. What is refused is refused here, at the call."""
    sample = np.ones((1,) * x.ndim, x.dtype)
    place = Place((0,) * x.ndim, (1,) * x.ndim, (0,) * x.ndim, (1,) * x.ndim)
    return _finish(method, options, (-1,), [_state(place, sample, None, make, dims, placed)]).dtype


def reduce_states(function: str, make: Callable[..., Any], method: str, x: da.Array, mask: Any, dim: Dim, keepdim: bool,
                  placed: bool = False, **options: Any) -> da.Array:  # fmt: skip
    """What the states `make` of the blocks, merged along dim, give by `method`."""
    dims = dims_of(dim, x.ndim, function)
    x, m = with_mask(x, mask, function)
    given = tuple(sorted((key, value) for key, value in options.items() if value is not None))
    dtype = dtype_of(make, method, given, x, dims, placed)
    chunks = x.chunks
    states = each_block(_state, [x, m], chunks, f"{function}-state", make=make, dims=dims, placed=placed)
    kept = [d for d in range(x.ndim) if d not in dims]
    reduced = list(np.ndindex(*(len(chunks[d]) for d in dims)))
    result_chunks = tuple((1,) if d in dims else sizes for d, sizes in enumerate(chunks) if keepdim or d not in dims)
    calls: List[Call] = []
    for own in np.ndindex(*(len(chunks[d]) for d in kept)):
        index = dict(zip(kept, own))
        blocks = []
        for other in reduced:
            index.update(zip(dims, other))
            blocks.append(Block(tuple(index[d] for d in range(x.ndim))))
        target = tuple(0 if d in dims else index[d] for d in range(x.ndim) if keepdim or d not in dims)
        shape = tuple(sizes[i] for sizes, i in zip(result_chunks, target))
        finish = functools.partial(_finish, method, given, shape)
        calls.extend(tree("", target, blocks, merge, finish))
    return gather([states], calls, result_chunks, dtype, function, (method, given))


def count_nonzero(input: Any, dim: Dim = None) -> da.Array:
    """The number of elements that are true or nonzero, int64, of all or along dim."""
    return reduce_states("count_nonzero", partial.Count, "nonzero", as_array(input), None, dim, False)
