"""Filling and choosing by a mask, block by block; `masked_scatter`, whose source is dealt out in row-major order."""

import functools
from typing import Any, Dict, List

import dask.array as da
import numpy as np

import tamis
from tamis.dask._graph import Block, Call, Index, Inner, align, as_array, as_mask, blockwise, each_block, gather, only, spread
from tamis.dask._worker import named, on_worker
from tamis.dask.select import (
    Counted,
    between,
    concatenate,
    count_mask,
    masked_select,
    nothing,
    recut,
    where_selected,
)

__all__ = ["isin", "masked_fill", "masked_scatter", "where"]


@on_worker
def _apply(*blocks: Any, function: str, numbers: Any) -> np.ndarray:
    """The function of that name of blocks and numbers, which are in their places."""
    rest = iter(blocks)
    given = [next(rest) if number is None else number[0] for number in numbers]
    result = named(function)(*(tamis.asarray(a) if isinstance(a, np.ndarray) else a for a in given))
    return np.asarray(result.numpy())


def _pointwise(function: str, *args: Any) -> da.Array:
    """The function of that name of arrays, which broadcast, and numbers."""
    arrays = [as_array(a) for a in args if not _is_number(a)]
    numbers = tuple((a,) if _is_number(a) else None for a in args)
    aligned, chunks = align(*arrays)
    samples = [np.zeros((1,) * x.ndim, x.dtype) for x in arrays]
    dtype = _apply(*samples, function=function, numbers=numbers).dtype  # what is refused is refused here
    rank = len(chunks)
    arguments = [part for x in aligned for part in (x, tuple(range(rank - x.ndim, rank)))]
    return blockwise(_apply, tuple(range(rank)), *arguments, function=function, numbers=numbers, label=function, dtype=dtype)


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex)) or (isinstance(value, np.generic))


def masked_fill(input: Any, mask: Any, value: Any) -> da.Array:
    """input with value, a number or a 0-d array, where mask is true."""
    mask = as_mask(mask, "masked_fill")
    if not _is_number(value):
        value = as_array(value, "value")
        if value.ndim != 0:
            raise RuntimeError(f"masked_fill only supports a 0-dimensional value tensor, but got {value.ndim} dimensions")
    return _pointwise("masked_fill", input, mask, _plain(value))


def where(condition: Any, input: Any, other: Any) -> da.Array:
    """input where condition is true, else other; arrays and numbers, which broadcast."""
    return _pointwise("where", as_mask(condition, "where"), _plain(input), _plain(other))


def _plain(value: Any) -> Any:
    """A number of Python for one of NumPy, whose dtype would not survive the way to Tamis."""
    return value.item() if isinstance(value, np.generic) else value


@on_worker
def _isin(x: Any, test: Any, invert: bool) -> np.ndarray:
    return np.asarray(tamis.isin(tamis.asarray(only(x)), tamis.asarray(only(test)), invert=invert).numpy())


def isin(elements: Any, test_elements: Any, *, invert: bool = False) -> da.Array:
    """Whether each element is one of test_elements, all of which every worker gets. Exact across dtypes; NaN is in no set."""
    x = as_array(elements)
    test = as_array(test_elements, "test_elements")
    if test.ndim != 1 or test.numblocks != (1,):
        test = da.from_array(np.asarray(test.compute()).reshape(-1), chunks=-1)
    dims = tuple(range(x.ndim))
    return blockwise(_isin, dims, x, dims, test, (x.ndim,), invert=invert, label="isin", dtype=np.dtype(bool))


# ---- masked_scatter -----------------------------------------------------------------------------


def masked_scatter(input: Any, mask: Any, source: Any) -> da.Array:
    """input with the elements of source, in row-major order, where mask is true; input and mask broadcast.

    The mask is counted at the call. Only those elements of source are moved that are needed.
    """
    x, m, s = as_array(input), as_mask(mask, "masked_scatter"), as_array(source, "source")
    if s.dtype != x.dtype:
        raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes but got {x.dtype} and {s.dtype}")
    (x, m), grid = align(x, m)
    if not grid:
        return masked_scatter(x[None], m[None], s)[0]
    if s.ndim != 1:
        s = s[None] if s.ndim == 0 else masked_select(s, da.ones_like(s, dtype=bool))
    x, m = spread(x, grid), spread(m, grid)
    counted = count_mask(m, grid)
    kept = sum(int(count.sum()) for count in counted.counts.values())
    if kept > s.shape[0]:
        raise RuntimeError(f"masked_scatter: expected self and source to have enough elements: {kept} of {s.shape[0]}")
    rank = len(grid)
    dims = tuple(range(rank))
    simple = counted.is_simple()
    parts = recut(s[:kept], counted.sizes()) if simple else _dealt(s[:kept], counted)
    part_dims = dims[:1] if simple else dims
    return blockwise(_scatter, dims, x, dims, m, dims, parts, part_dims, label="masked_scatter", dtype=x.dtype)


@on_worker
def _scatter(x: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    return np.asarray(tamis.masked_scatter(tamis.asarray(x), tamis.asarray(mask), tamis.asarray(source)).numpy())


def _dealt(source: da.Array, counted: Counted) -> da.Array:
    """For each block of the mask's grid, the elements of source that belong to it, as an object."""
    plan = counted.plan()
    positions = each_block(where_selected, [counted.mask], counted.chunks, "positions")
    pieces = recut(source, tuple(output.size for output in plan.outputs))
    calls: List[Call] = []
    owners: Dict[int, List[Index]] = {}
    for index, numbers in plan.parts.items():
        for number in numbers:
            output = plan.outputs[number]
            cut = functools.partial(between, output.start, output.stop)
            calls.append(Call("positions", (*index, number), cut, [Block(index, 1)]))
            owners.setdefault(number, []).append(index)
    for number, indices in owners.items():
        where_they_are = [Inner("positions", (*index, number)) for index in indices]
        calls.append(Call("deal", (number,), _deal, [Block((number,)), *where_they_are]))
        for i, index in enumerate(indices):
            calls.append(Call("piece", (*index, number), functools.partial(_piece, i), [Inner("deal", (number,))]))
    for index, numbers in plan.parts.items():
        given = [Inner("piece", (*index, number)) for number in numbers]
        make: Any = concatenate if given else functools.partial(nothing, (0,), source.dtype)
        calls.append(Call("", index, make, given))
    return gather([pieces, positions], calls, counted.chunks, object, "dealt", plan.outputs)


@on_worker
def _deal(parts: List[Any]) -> List[np.ndarray]:
    """The elements of a piece of the source for each of several sets of positions, which together are as many."""
    piece, *positions = parts
    indices = [p.indices().numpy() for p in positions]
    together = np.sort(np.concatenate(indices))
    return [piece[np.searchsorted(together, own)] for own in indices]


def _piece(number: int, parts: List[Any]) -> np.ndarray:
    return parts[0][number]
