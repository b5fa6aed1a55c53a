"""Blocks, states and results in Dask's graphs, the same in both of its graph modes.

Everything here is made of two steps: `each_block` maps the blocks of aligned arrays to objects, one by one, and `gather`
makes the blocks of a result of any number of those objects.
"""

import dataclasses
import functools
import itertools
import math
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from dask.layers import ArrayBlockIdDep

Index = Tuple[int, ...]
Chunks = Tuple[Tuple[int, ...], ...]

# States that are merged by one task.
SPLIT_EVERY = 8


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of what is gathered, as the argument of a task."""

    index: Index
    source: int = 0  # the number of the array


@dataclasses.dataclass(frozen=True)
class Inner:
    """The result of another task of the same layer."""

    label: str
    index: Index


@dataclasses.dataclass(frozen=True)
class Call:
    """A task: function(arguments), where the arguments are Blocks and Inners."""

    label: str  # "" for the blocks of the result
    index: Index
    function: Callable[[List[Any]], Any]
    arguments: Sequence[Any]


class Calls:
    """All tasks of a layer. The token names them: equal tokens, equal tasks."""

    def __init__(self, token: str, calls: Sequence[Call]):
        self.token = token
        self.calls = calls

    def __dask_tokenize__(self) -> Any:
        return "tamis.dask", self.token

    def layer(self, name: str, sources: Sequence[str]) -> Dict[Any, Any]:
        def key(argument: Any) -> Tuple[Any, ...]:
            if isinstance(argument, Block):
                return (sources[argument.source], *argument.index)
            return (f"{name}-{argument.label}", *argument.index)

        tasks = {}
        for call in self.calls:
            own = (f"{name}-{call.label}" if call.label else name, *call.index)
            tasks[own] = (call.function, [key(a) for a in call.arguments])
        return tasks


# Dask's other graph mode, in which arrays are expressions.
EXPRESSIONS = bool(getattr(da, "array_expr_enabled", lambda: False)())

if EXPRESSIONS:
    from dask.array._array_expr._collection import new_collection
    from dask.array._array_expr._expr import ArrayExpr

    class Gather(ArrayExpr):
        """Calls over the blocks of arrays, the operands behind the parameters, as an expression."""

        _parameters = ["calls", "chunks", "_meta", "label"]

        @functools.cached_property
        def _meta(self) -> Any:
            return self.operand("_meta")

        @functools.cached_property
        def chunks(self) -> Chunks:
            return self.operand("chunks")

        @functools.cached_property
        def _name(self) -> str:
            return f"{self.operand('label')}-{self.deterministic_token}"

        def _layer(self) -> Dict[Any, Any]:
            sources = [x._name for x in self.operands[len(self._parameters) :]]
            return self.operand("calls").layer(self._name, sources)


def gather(sources: Sequence[da.Array], calls: Sequence[Call], chunks: Chunks, dtype: Any, label: str, token: Any) -> da.Array:
    """An array whose blocks the calls make of the blocks of others."""
    label = f"tamis-{label}"
    meta = np.empty((0,) * len(chunks), dtype)
    made = Calls(tokenize([x.name for x in sources], label, chunks, meta.dtype, token), calls)
    if EXPRESSIONS:
        return new_collection(Gather(made, chunks, meta, label, *(x.expr for x in sources)))
    name = f"{label}-{made.token}"
    layer = made.layer(name, [x.name for x in sources])
    graph = HighLevelGraph.from_collections(name, layer, dependencies=list(sources))
    return da.Array(graph, name, chunks, meta=meta)


def tree(label: str, index: Index, blocks: Sequence[Any], merge: Callable[[List[Any]], Any],
         finish: Callable[[List[Any]], Any]) -> Iterable[Call]:  # fmt: skip
    """The calls that merge blocks, a few at a time, into block `index` of the result; finish takes the last few."""
    parts = list(blocks)
    level = 0
    while len(parts) > SPLIT_EVERY:
        above = []
        for i in range(0, len(parts), SPLIT_EVERY):
            call = Call(f"{label}merge", (*index, level, i // SPLIT_EVERY), merge, parts[i : i + SPLIT_EVERY])
            yield call
            above.append(Inner(call.label, call.index))
        parts, level = above, level + 1
    yield Call("", index, finish, parts)


def merge_states(states: List[Any]) -> Any:
    """One state of several."""
    return states[0].merge(*states[1:]) if len(states) > 1 else states[0]


def boxed(value: Any) -> np.ndarray:
    """An array that holds one object."""
    result = np.empty((), object)
    result[()] = value
    return result


def compute_object(blocks: da.Array, merge: Callable[[List[Any]], Any], label: str) -> Any:
    """What merge makes of all blocks, computed now."""
    return compute_objects([(blocks, merge, label)])[0]


def compute_objects(wanted: Sequence[Tuple[da.Array, Callable[[List[Any]], Any], str]]) -> List[Any]:
    arrays = []
    for blocks, merge, label in wanted:
        indices = [Block(index) for index in np.ndindex(*blocks.numblocks)]
        finish = functools.partial(_merge_boxed, merge)
        calls = list(tree("", (), indices, merge, finish))
        arrays.append(gather([blocks], calls, (), object, label, merge))
    return [value[()] for value in dask.compute(*arrays)]


def _merge_boxed(merge: Callable[[List[Any]], Any], parts: List[Any]) -> np.ndarray:
    return boxed(merge(parts))


def only(block: Any) -> Any:
    """The block in the nested lists of blocks of dimensions that are not cut."""
    while isinstance(block, list):
        (block,) = block
    return block


# ---- arrays that lie beside each other ----------------------------------------------------------


def as_array(x: Any, what: str = "input") -> da.Array:
    """A dask array with known sizes."""
    if not isinstance(x, da.Array):
        x = da.asarray(x)
    if any(math.isnan(size) for sizes in x.chunks for size in sizes):
        raise ValueError(f"the sizes of the chunks of {what} are unknown; call its compute_chunk_sizes() first")
    return x


def is_bool(mask: da.Array) -> bool:
    return bool(mask.dtype == np.bool_)


def as_mask(mask: Any, function: str) -> da.Array:
    mask = as_array(mask, "mask")
    if not is_bool(mask):
        raise TypeError(f"{function}: expected a bool mask, but got {mask.dtype}; write mask != 0")
    return mask


def broadcast_chunks(arrays: Sequence[da.Array]) -> Chunks:
    """The chunks of what the arrays broadcast to: those of the first that is not repeated along a dimension."""
    rank = max(x.ndim for x in arrays)
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    chunks: List[Tuple[int, ...]] = []
    for dim in range(rank):
        for x in arrays:
            own = dim - (rank - x.ndim)
            if own >= 0 and x.shape[own] == shape[dim]:
                chunks.append(x.chunks[own])
                break
    return tuple(chunks)


def align(*arrays: da.Array) -> Tuple[List[da.Array], Chunks]:
    """The arrays with chunks that meet, without the first one changing where it is not repeated.

    What is cut differently is cut again by plain tasks, never by a shuffle, which does not survive the death of a worker.
    """
    chunks = broadcast_chunks(arrays)
    aligned = []
    for x in arrays:
        behind = chunks[len(chunks) - x.ndim :]
        wanted = tuple(own if sum(own) == 1 and sum(c) != 1 else c for own, c in zip(x.chunks, behind))
        aligned.append(x if wanted == x.chunks else x.rechunk(wanted, method="tasks"))
    return aligned, chunks


def _spread(size: Index, parts: List[Any]) -> np.ndarray:
    return np.broadcast_to(parts[0], size)


def spread(x: da.Array, chunks: Chunks) -> da.Array:
    """An aligned array broadcast to a grid of chunks: its blocks, as views."""
    if x.chunks == chunks:
        return x
    calls = []
    for index in np.ndindex(*(len(sizes) for sizes in chunks)):
        size = tuple(sizes[i] for sizes, i in zip(chunks, index))
        own = tuple(0 if n == 1 else i for n, i in zip(x.numblocks, index[len(index) - x.ndim :]))
        calls.append(Call("", index, functools.partial(_spread, size), [Block(own)]))
    return gather([x], calls, chunks, x.dtype, "spread", ())


def starts_of(chunks: Chunks) -> Tuple[Tuple[int, ...], ...]:
    """Where each chunk begins, per dimension."""
    return tuple(tuple(int(s) for s in np.concatenate([[0], np.cumsum(sizes)])[:-1]) for sizes in chunks)


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a block lies."""

    index: Index  # of the block
    shape: Index  # of the whole array
    offset: Index
    size: Index  # of the block


def blockwise(run: Callable[..., Any], dims: Index, *arguments: Any, label: str, dtype: Any, **options: Any) -> da.Array:
    """da.blockwise of aligned arrays. Of a dimension that the result lacks, run gets a list of blocks.

    Like elementwise operations, it does not concatenate, so that Dask makes one task of both, and of reading a chunk.
    """
    return da.blockwise(
        run, dims, *arguments, concatenate=None, align_arrays=False, dtype=dtype,
        meta=np.empty((0,) * len(dims), dtype), token=f"tamis-{label}", **options,
    )  # fmt: skip


def each_block(function: Callable[..., Any], arrays: Sequence[Optional[da.Array]], chunks: Chunks, label: str,
               dtype: Any = object, **options: Any) -> da.Array:  # fmt: skip
    """function(place, *blocks, **options) of every block: an object, or an array of that dtype and the block's size.

    For a missing array the block is None. One of the arrays must have all chunks.
    """
    given = [x for x in arrays if x is not None]
    present = tuple(x is not None for x in arrays)
    run = functools.partial(_run_block, function, present, _shorten(chunks), options)
    rank = len(chunks)
    dims = tuple(range(rank))
    arguments = [part for x in given for part in (x, dims[rank - x.ndim :])]
    return blockwise(run, dims, ArrayBlockIdDep(chunks), dims, *arguments, label=label, dtype=dtype)


def _shorten(chunks: Chunks) -> Any:
    """Equal sizes in a row as one pair: every task has a copy."""
    return tuple(tuple((size, len(list(same))) for size, same in itertools.groupby(sizes)) for sizes in chunks)


@functools.lru_cache(maxsize=64)
def _starts_and_sizes(short: Any) -> Any:
    chunks = tuple(tuple(size for size, n in pairs for _ in range(n)) for pairs in short)
    return starts_of(chunks), chunks


def _run_block(function: Callable[..., Any], present: Sequence[bool], short: Any, options: Dict[str, Any],
               block_id: Index, *blocks: Any) -> Any:  # fmt: skip
    starts, chunks = _starts_and_sizes(short)
    place = Place(
        tuple(block_id),
        tuple(sum(sizes) for sizes in chunks),
        tuple(s[i] for s, i in zip(starts, block_id)),
        tuple(sizes[i] for sizes, i in zip(chunks, block_id)),
    )
    rest = iter(blocks)
    return function(place, *(next(rest) if here else None for here in present), **options)
