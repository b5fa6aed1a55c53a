"""Selections: what a mask keeps, in row-major order, with known chunk sizes.

A selection counts the mask when it is called, so that all sizes are known; only these counts are moved. The elements
are selected when the result is computed, block by block, and only what is kept is moved.
"""

import functools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import dask.array as da
import numpy as np

import tamis
from tamis import partial
from tamis.dask import _plan
from tamis.dask._graph import (
    Block,
    Call,
    Chunks,
    Index,
    Inner,
    Place,
    align,
    as_array,
    as_mask,
    blockwise,
    compute_object,
    each_block,
    gather,
    merge_states,
    only,
    spread,
    starts_of,
)
from tamis.dask._worker import on_worker

__all__ = ["argwhere", "masked_select", "masked_select_rows", "nonzero", "partition", "regular", "select"]


class partition_result(NamedTuple):
    kept: da.Array
    rejected: da.Array


class masked_select_rows_result(NamedTuple):
    values: da.Array
    offsets: da.Array


# ---- counting -----------------------------------------------------------------------------------


@on_worker
def _count(place: Place, mask: np.ndarray, groups: _plan.Groups) -> Dict[Index, np.ndarray]:
    return {place.index: _plan.count_groups(place, mask, groups)}


def _join(parts: List[Dict[Any, Any]]) -> Dict[Any, Any]:
    return {key: value for part in parts for key, value in part.items()}


class Counted(NamedTuple):
    """A mask that has been counted, over a grid of chunks."""

    mask: da.Array
    chunks: Chunks
    bound: int
    groups: _plan.Groups
    counts: Dict[Index, np.ndarray]

    def plan(self) -> _plan.Plan:
        return _plan.make_plan(self.chunks, self.groups, self.counts, self.bound)

    def is_simple(self) -> bool:
        """Whether the chunks follow each other in row-major order."""
        return _plan.last_cut(self.chunks) <= 0

    def sizes(self) -> Tuple[int, ...]:
        """What each chunk keeps, if they follow each other."""
        rest = (0,) * (len(self.chunks) - 1)
        return tuple(int(self.counts[(i, *rest)].sum()) for i in range(len(self.chunks[0])))

    def inverted(self) -> "Counted":
        """The same for what is not kept."""
        counts = {}
        for index, count in self.counts.items():
            size = [sizes[i] for sizes, i in zip(self.chunks, index)]
            dim = self.groups.dim
            behind = int(np.prod(size[dim + 1 :], dtype=np.int64))
            along = np.asarray(self.groups.sizes(index[dim], size[dim]), np.int64)
            counts[index] = along[None, :] * behind - count
        return self._replace(mask=~self.mask, counts=counts)


def count_mask(mask: da.Array, chunks: Chunks, trailing: Chunks = ()) -> Counted:
    """Counts now. The mask has those chunks, and each of its elements stands for a row with `trailing` chunks."""
    bound = _plan.bound_of(chunks, _plan.largest(trailing))
    groups = _plan.make_groups(chunks, bound)
    counts = compute_object(each_block(_count, [mask], chunks, "count", groups=groups), _join, "counts")
    return Counted(mask, chunks, bound, groups, counts)


# ---- selecting ----------------------------------------------------------------------------------


@on_worker
def _take(x: Any, mask: Any, lead: int) -> np.ndarray:
    """x[mask] of one block."""
    x, mask = only(x), only(mask)
    return _rows(x, mask) if x.ndim > lead else np.asarray(tamis.masked_select(x, mask))


def _rows(x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.asarray(tamis.asarray(x)[tamis.asarray(mask)].numpy())


@on_worker
def _selected(place: Place, x: np.ndarray, mask: np.ndarray) -> Any:
    return partial.Selected(x, mask, shape=place.shape, offset=place.offset)


@on_worker
def between(start: int, stop: int, states: List[Any]) -> Any:
    return states[0].between(start, stop)


@on_worker
def _values(shape: Index, states: List[Any]) -> np.ndarray:
    return merge_states(states).values().numpy().reshape(shape)


@on_worker
def _coordinates(shape: Index, states: List[Any]) -> np.ndarray:
    return merge_states(states).coordinates().numpy().reshape(shape)


def _gather_selected(states: da.Array, counted: Counted, trailing: Chunks, finish: Callable[..., Any], dtype: Any,
                     label: str, columns: Index = ()) -> da.Array:  # fmt: skip
    """Blocks of `Selected` states, over the mask's grid and then those of `trailing`, as one array in order.

    Each element becomes a row of that many columns.
    """
    plan = counted.plan()
    behind = int(np.prod([sum(sizes) for sizes in trailing], dtype=np.int64))
    calls: List[Call] = []
    arguments: Dict[Index, List[Any]] = {}
    grid = list(np.ndindex(*(len(sizes) for sizes in trailing)))
    for index, numbers in plan.parts.items():
        for tail in grid:
            for number in numbers:
                source: Any = Block((*index, *tail))
                if len(numbers) > 1:  # only this part goes to where the output is made
                    output = plan.outputs[number]
                    cut = functools.partial(between, output.start * behind, output.stop * behind)
                    calls.append(Call("part", (*index, *tail, number), cut, [source]))
                    source = Inner("part", (*index, *tail, number))
                arguments.setdefault((number, *tail), []).append(source)
    sizes = tuple(output.size for output in plan.outputs)
    for number, size in enumerate(sizes):
        for tail in grid:
            shape = (size, *(own[i] for own, i in zip(trailing, tail)), *columns)
            given = arguments.get((number, *tail), [])
            make = functools.partial(finish, shape) if given else functools.partial(nothing, shape, dtype)
            calls.append(Call("", (number, *tail, *(0 for _ in columns)), make, given))
    chunks = (sizes, *trailing, *((n,) for n in columns))
    return gather([states], calls, chunks, dtype, label, plan.outputs)


def nothing(shape: Index, dtype: Any, states: List[Any]) -> np.ndarray:
    return np.empty(shape, dtype)


def _select(x: da.Array, counted: Counted, lead: int, label: str) -> da.Array:
    """x[mask], where the mask is over the first `lead` dimensions of the grid."""
    mask, trailing = counted.mask, x.chunks[lead:]
    if counted.is_simple():
        dims = tuple(range(x.ndim))
        sizes = {0: counted.sizes()}
        options: Any = {"label": label, "dtype": x.dtype, "adjust_chunks": sizes}
        return blockwise(_take, (0, *dims[lead:]), x, dims, mask, dims[:lead], lead=lead, **options)
    if trailing:
        mask = mask[(..., *(None,) * len(trailing))]
    chunks = (*counted.chunks, *trailing)
    states = each_block(_selected, [x, mask], chunks, f"{label}-state")
    return _gather_selected(states, counted, trailing, _values, x.dtype, label)


def _check_dtype(x: da.Array, function: str) -> None:
    try:
        tamis.asarray(np.empty(0, x.dtype))
    except Exception:
        raise TypeError(f"{function}: dtype {x.dtype} is none of Tamis'") from None


def masked_select(input: Any, mask: Any, *, chunks: Optional[int] = None) -> da.Array:
    """The elements where mask is true, 1-d, in row-major order; both broadcast.

    The mask is counted at the call, so the sizes of the chunks are known. A chunk of the result has no more elements than
    the largest chunk of input; with `chunks=n`, all but the last have n (see `regular`).
    """
    return partition_or_select(input, mask, chunks, False)[0]


def partition(input: Any, mask: Any, *, chunks: Optional[int] = None) -> partition_result:
    """masked_select(input, mask) and masked_select(input, ~mask); the mask is counted once."""
    return partition_result(*partition_or_select(input, mask, chunks, True))


def partition_or_select(input: Any, mask: Any, chunks: Optional[int], both: bool) -> List[da.Array]:
    x, m = as_array(input), as_mask(mask, "masked_select")
    _check_dtype(x, "masked_select")
    (x, m), grid = align(x, m)
    if not grid:
        x, m, grid = x[None], m[None], ((1,),)
    counted = count_mask(spread(m, grid), grid)
    x = spread(x, grid)
    results = [_select(x, counted, len(grid), "select")]
    if both:
        results.append(_select(x, counted.inverted(), len(grid), "reject"))
    return [regular(y, chunks) if chunks else y for y in results]


def select(input: Any, mask: Any, *, chunks: Optional[int] = None) -> da.Array:
    """x[mask], where the mask is over the first dimensions: rows of x, with the chunks of x behind them."""
    x, m = as_array(input), as_mask(mask, "select")
    _check_dtype(x, "select")
    if m.shape != x.shape[: m.ndim]:
        raise IndexError(f"select: the mask of shape {m.shape} is not over the first dimensions of {x.shape}")
    if m.ndim == 0:
        x, m = x[None], m[None]
    wanted = x.chunks[: m.ndim]
    if m.chunks != wanted:
        m = m.rechunk(wanted, method="tasks")
    result = _select(x, count_mask(m, wanted, x.chunks[m.ndim :]), m.ndim, "select")
    return regular(result, chunks) if chunks else result


# ---- positions ----------------------------------------------------------------------------------


@on_worker
def _positions(x: Any, start: Any) -> np.ndarray:
    found = tamis.nonzero(tamis.asarray(only(x))).numpy()
    found[:, 0] += int(only(start)[0])
    return found


@on_worker
def where_selected(place: Place, x: np.ndarray) -> Any:
    mask = x if x.dtype == np.bool_ else x != 0
    return partial.Selected(None, mask, shape=place.shape, offset=place.offset)


def argwhere(input: Any, *, chunks: Optional[int] = None) -> da.Array:
    """The indices of the elements that are true or nonzero, int64 [n, input.ndim], in row-major order.

    As with `masked_select`, the elements are counted at the call.
    """
    x = as_array(input)
    _check_dtype(x, "argwhere")
    if x.ndim == 0:  # [0 or 1, 0]
        count = int(np.asarray(tamis.count_nonzero(np.asarray(x.compute()))))
        return da.zeros((count, 0), dtype=np.int64)
    counted = count_mask(x, x.chunks)
    if counted.is_simple():
        starts = da.from_array(np.asarray(starts_of(x.chunks)[0], np.int64), chunks=1)
        dims = tuple(range(x.ndim))
        sizes = {0: counted.sizes()}
        options: Any = {"label": "argwhere", "dtype": np.dtype(np.int64), "adjust_chunks": sizes, "new_axes": {x.ndim: x.ndim}}
        result = blockwise(_positions, (0, x.ndim), x, dims, starts, (0,), **options)
    else:
        states = each_block(where_selected, [x], x.chunks, "argwhere-state")
        result = _gather_selected(states, counted, (), _coordinates, np.dtype(np.int64), "argwhere", (x.ndim,))
    return regular(result, chunks) if chunks else result


def nonzero(input: Any, *, as_tuple: bool = False, chunks: Optional[int] = None) -> Union[da.Array, Tuple[da.Array, ...]]:
    """argwhere, or with as_tuple=True one array of indices per dimension."""
    found = argwhere(input, chunks=chunks)
    if not as_tuple:
        return found
    return tuple(found[:, dim] for dim in range(found.shape[1]))


# ---- jagged rows --------------------------------------------------------------------------------


@on_worker
def _offsets(number: int, parts: List[Any]) -> np.ndarray:
    counts, before = parts
    ends = before[number] + np.cumsum(counts, dtype=np.int64)
    return np.concatenate([[0], ends]) if number == 0 else ends


def _sum(parts: List[Any]) -> int:
    return int(parts[0].sum())


def _running(sums: List[int]) -> List[int]:
    return [0, *np.cumsum(sums, dtype=np.int64).tolist()]


def masked_select_rows(input: Any, mask: Any, dim: int = -1) -> masked_select_rows_result:
    """What mask keeps of each row along dim, jagged: row i is values[offsets[i]:offsets[i + 1]].

    The rows are in row-major order of the other dimensions; both arrays broadcast. As with `masked_select`, the mask is
    counted at the call.
    """
    from tamis.dask.reduce import count_nonzero

    x, m = as_array(input), as_mask(mask, "masked_select_rows")
    (x, m), grid = align(x, m)
    rank = len(grid)
    if not -rank <= dim < rank:
        raise IndexError(f"masked_select_rows: dim {dim} is out of range for {rank} dimensions")
    dim %= rank
    if dim != rank - 1:
        order = (*(d for d in range(rank) if d != dim), dim)
        x, m = (spread(y, grid).transpose(order) for y in (x, m))
        grid = tuple(grid[d] for d in order)
    values = masked_select(x, m)
    counts = count_nonzero(spread(m, grid), -1)
    flat = counts[None] if counts.ndim == 0 else masked_select(counts, da.ones_like(counts, dtype=bool))
    numbers = range(flat.numblocks[0])
    calls = [Call("sum", (i,), _sum, [Block((i,))]) for i in numbers]
    calls.append(Call("before", (), _running, [Inner("sum", (i,)) for i in numbers]))
    for i in numbers:
        calls.append(Call("", (i,), functools.partial(_offsets, i), [Block((i,)), Inner("before", ())]))
    first, *others = flat.chunks[0]
    offsets = gather([flat], calls, ((first + 1, *others),), np.dtype(np.int64), "offsets", ())
    return masked_select_rows_result(values, offsets)


# ---- equal blocks -------------------------------------------------------------------------------


def _slice(start: int, stop: int, parts: List[Any]) -> np.ndarray:
    return parts[0][start:stop].copy()  # a view would keep all of it


def concatenate(parts: List[Any]) -> np.ndarray:
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def regular(input: Any, size: int) -> da.Array:
    """The same array with chunks of `size` along the first dimension, the last one excepted, as Zarr wants them."""
    x = as_array(input)
    if size < 1:
        raise ValueError(f"regular: chunks must have at least one element, not {size}")
    n = x.shape[0]
    return recut(x, tuple(min(size, n - start) for start in range(0, n, size)) or (0,))


def recut(x: da.Array, wanted: Tuple[int, ...]) -> da.Array:
    """The same array with chunks of these sizes along the first dimension."""
    sizes, *trailing = x.chunks
    if sizes == wanted:
        return x
    starts, ends = starts_of(x.chunks)[0], np.cumsum(sizes)
    calls: List[Call] = []
    for tail in np.ndindex(*(len(own) for own in trailing)):
        begin = 0
        for number, length in enumerate(wanted):
            arguments: List[Any] = []
            end = begin + length
            # From the first chunk that ends behind `begin`, as long as they begin before `end`.
            i = int(np.searchsorted(ends, begin, side="right"))
            while i < len(sizes) and starts[i] < end:
                first, last = max(starts[i], begin), min(int(ends[i]), end)
                part: Any = Block((i, *tail))
                if last - first < sizes[i]:
                    cut = functools.partial(_slice, first - starts[i], last - starts[i])
                    calls.append(Call("part", (i, *tail, number), cut, [part]))
                    part = Inner("part", (i, *tail, number))
                if last > first:
                    arguments.append(part)
                i += 1
            shape = (0, *(own[j] for own, j in zip(trailing, tail)))
            make: Any = concatenate if arguments else functools.partial(nothing, shape, x.dtype)
            calls.append(Call("", (number, *tail), make, arguments))
            begin = end
    return gather([x], calls, (wanted, *trailing), x.dtype, "recut", wanted)
