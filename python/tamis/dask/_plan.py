"""Plan: how what a mask keeps, in row-major order whatever the chunks cut, is divided into blocks.

A mask is counted in *groups*: boxes that follow each other in row-major order, each of which is cut out of one or
several chunks. A block of the result is what some groups in a row keep, so it is what the mask keeps of an interval of
positions, and its size is known. Groups are few (some hundred per chunk), however many rows there are.
"""

from typing import Dict, Iterator, List, NamedTuple, Tuple

import numpy as np

import tamis
from tamis.dask._graph import Chunks, Index, Place, starts_of

# Groups along the dimension that is divided, per chunk.
GROUPS = 256
# A block may have as many elements as the largest chunk, or this many.
SMALLEST_BOUND = 1 << 16
# What the place of a run of kept elements takes on the way, in elements. There are no more runs than kept elements, nor
# than others.
RUN_COST = 4


class Groups(NamedTuple):
    """How a grid of chunks is divided: dimensions before `dim` index by index, `dim` by steps, the rest not at all."""

    dim: int
    steps: Tuple[int, ...]  # per chunk along dim

    def counts(self, chunk: int, size: int) -> int:
        """The number of groups along dim in a chunk of that size."""
        return -(-size // self.steps[chunk])

    def sizes(self, chunk: int, size: int) -> List[int]:
        """The extents along dim of the groups in a chunk of that size."""
        return [min(self.steps[chunk], size - start) for start in range(0, size, self.steps[chunk])]


def last_cut(chunks: Chunks) -> int:
    """The last dimension with more than one chunk; -1 if there is none."""
    return max((dim for dim, sizes in enumerate(chunks) if len(sizes) > 1), default=-1)


def largest(chunks: Chunks) -> int:
    """The number of elements of the largest block."""
    return int(np.prod([max(sizes, default=0) for sizes in chunks], dtype=np.int64))


def bound_of(chunks: Chunks, row: int = 1) -> int:
    """The most elements of the mask that a block of the result may keep, each of which is a row of that many elements."""
    return max(SMALLEST_BOUND // max(1, row), largest(chunks), 1)


def make_groups(chunks: Chunks, bound: int) -> Groups:
    """Groups of at most `bound` elements, as far as chunks allow."""
    shape = [sum(sizes) for sizes in chunks]
    cut = last_cut(chunks)
    dim = 0
    while dim < cut and int(np.prod(shape[dim + 1 :], dtype=np.int64)) > bound:
        dim += 1
    behind = max(1, int(np.prod(shape[dim + 1 :], dtype=np.int64)))
    if dim >= cut:  # a group lies in one chunk, and is not larger than it
        return Groups(dim, tuple(max(1, size) for size in chunks[dim]))
    most = max(1, bound // behind)
    return Groups(dim, tuple(max(1, min(-(-size // GROUPS), most)) for size in chunks[dim]))


class Output(NamedTuple):
    """A block of the result: what is kept at positions start <= p < stop of the flattened mask."""

    start: int
    stop: int
    size: int  # how many elements that are


class Plan(NamedTuple):
    outputs: Tuple[Output, ...]
    # For each block of the mask's grid, the numbers of the outputs that it has a part in.
    parts: Dict[Index, List[int]]


def make_plan(chunks: Chunks, groups: Groups, counts: Dict[Index, np.ndarray], bound: int) -> Plan:
    """counts: per block of the grid [indices before dim, groups along dim], how many elements are kept."""
    shape = tuple(sum(sizes) for sizes in chunks)
    starts = starts_of(chunks)
    per_chunk = [groups.counts(i, size) for i, size in enumerate(chunks[groups.dim])]
    first_group = np.concatenate([[0], np.cumsum(per_chunk)]).astype(np.int64)
    outer = shape[: groups.dim]
    kept = np.zeros((*outer, int(first_group[-1])), np.int64)

    def box(index: Index) -> Tuple[slice, ...]:
        ranges = [slice(starts[d][index[d]], starts[d][index[d]] + chunks[d][index[d]]) for d in range(groups.dim)]
        own = index[groups.dim]
        return (*ranges, slice(int(first_group[own]), int(first_group[own + 1])))

    for index, count in counts.items():
        kept[box(index)] += count.reshape(kept[box(index)].shape)

    flat = kept.reshape(-1)
    behind = int(np.prod(shape[groups.dim + 1 :], dtype=np.int64))
    along = [n for i, size in enumerate(chunks[groups.dim]) for n in groups.sizes(i, size)]
    elements = np.broadcast_to(np.asarray(along, np.int64) * behind, kept.shape).reshape(-1)
    cuts = _cut(flat + RUN_COST * np.minimum(flat, elements - flat), bound)
    number = np.zeros(flat.size, np.int64)  # of the output, per group
    number[cuts[1:-1]] = 1
    number = np.cumsum(number).reshape(kept.shape)

    parts = {}
    for index, count in counts.items():
        here = number[box(index)].reshape(-1)[count.reshape(-1) > 0]
        parts[index] = np.unique(here).tolist()
    return Plan(tuple(_outputs(shape, groups, chunks, first_group, flat, cuts)), parts)


def _cut(weights: np.ndarray, bound: int) -> np.ndarray:
    """Where groups in a row are divided so that each part weighs at most bound, or is a single group."""
    total = np.concatenate([[0], np.cumsum(weights)])
    cuts = [0]
    while cuts[-1] < weights.size:
        reached = int(np.searchsorted(total, total[cuts[-1]] + bound, side="right")) - 1
        cuts.append(min(max(reached, cuts[-1] + 1), weights.size))
    return np.asarray(cuts if len(cuts) > 1 else [0, 0], np.int64)


def _outputs(shape: Index, groups: Groups, chunks: Chunks, first_group: np.ndarray, kept: np.ndarray,
             cuts: np.ndarray) -> Iterator[Output]:  # fmt: skip
    numel = int(np.prod(shape, dtype=np.int64))
    behind = int(np.prod(shape[groups.dim + 1 :], dtype=np.int64))
    along = int(first_group[-1])
    starts = starts_of(chunks)[groups.dim]

    def position(group: int) -> int:
        """Of the first element of a group."""
        if along == 0 or group >= kept.size:
            return numel
        row, own = divmod(group, along)
        chunk = int(np.searchsorted(first_group, own, side="right")) - 1
        index = starts[chunk] + (own - int(first_group[chunk])) * groups.steps[chunk]
        return (row * shape[groups.dim] + index) * behind

    total = np.concatenate([[0], np.cumsum(kept)])
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist()):
        yield Output(position(begin), position(end), int(total[end] - total[begin]))


def count_groups(place: Place, mask: np.ndarray, groups: Groups) -> np.ndarray:
    """How many elements of a block are kept, [indices before dim, groups along dim]."""
    dim = groups.dim
    chunk = place.index[dim]
    before, behind = (int(np.prod(sizes, dtype=np.int64)) for sizes in (place.size[:dim], place.size[dim + 1 :]))
    rows = mask.reshape(before * place.size[dim], behind)
    per_row = np.asarray(tamis.count_nonzero(rows, 1)).reshape(before, place.size[dim])
    if per_row.size == 0:
        return np.zeros((before, groups.counts(chunk, place.size[dim])), np.int64)
    return np.add.reduceat(per_row, np.arange(0, place.size[dim], groups.steps[chunk]), axis=1)
