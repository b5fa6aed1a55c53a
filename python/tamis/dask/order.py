"""Order: ranks, quantiles, the largest elements and distinct values, all of them exact.

Ranks of a whole array are found by histograms of its elements' keys, in passes over the data that are made at the call:
one for elements of 8 and 16 bits, two for 32 bits, mostly two for 64 bits. Memory is bounded. Along a dimension that no
chunk cuts, every block is ordered by itself; one that is cut is put together first, by plain tasks.
"""

import functools
import math
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

import dask.array as da
import numpy as np

import tamis
from tamis import partial
from tamis.dask import _plan
from tamis.dask._graph import (
    Block,
    Place,
    as_array,
    blockwise,
    compute_object,
    each_block,
    gather,
    merge_states,
    only,
    tree,
)
from tamis.dask._worker import named, on_worker
from tamis.dask.reduce import merge, with_mask

__all__ = ["kthvalue", "median", "quantile", "topk", "unique"]


class kthvalue_result(NamedTuple):
    values: da.Array
    indices: da.Array


class median_result(NamedTuple):
    values: da.Array
    indices: da.Array


class topk_result(NamedTuple):
    values: da.Array
    indices: da.Array


# ---- ranks of all elements ----------------------------------------------------------------------


@on_worker
def _histogram(place: Place, x: np.ndarray, mask: Optional[np.ndarray], search: Any) -> Any:
    return partial.Histogram(np.broadcast_to(x, place.size), mask, search=search)


def search_all(x: da.Array, mask: Optional[da.Array], **wanted: Any) -> Any:
    """The result of a search among all kept elements, by as many passes as it needs."""

    def one_pass(search: Any) -> Any:
        blocks = each_block(_histogram, [x, mask], x.chunks, "histogram", search=search)
        return compute_object(blocks, merge, "histograms")

    search = one_pass(None).search(**wanted)
    while not search.done:
        search = one_pass(search).search()
    return search.finish().numpy()


def _constant(value: Any, dtype: Any = None) -> da.Array:
    """A result that is known already."""
    value = np.asarray(value, dtype)
    return da.from_array(value, chunks=-1)


# ---- along a dimension --------------------------------------------------------------------------


def _whole_along(arrays: Sequence[Optional[da.Array]], dim: int) -> List[Optional[da.Array]]:
    """The arrays with one chunk along dim; the other dimensions are cut so that no block is larger than the largest."""
    x = arrays[0]
    assert x is not None
    if len(x.chunks[dim]) == 1:
        return list(arrays)
    bound = _plan.bound_of(x.chunks)
    rest = max(1, bound // max(1, x.shape[dim]))
    chunks = list(x.chunks)
    chunks[dim] = (x.shape[dim],)
    sizes = [max(c, default=0) for c in chunks]
    for d in range(x.ndim):  # the first ones are cut first, so that what is moved is contiguous
        behind = int(np.prod([s for e, s in enumerate(sizes) if e > d and e != dim], dtype=np.int64))
        if d != dim and sizes[d] * behind > rest:
            sizes[d] = max(1, rest // max(1, behind))
            chunks[d] = tuple(n for own in chunks[d] for n in _divide(own, sizes[d]))
    wanted = tuple(chunks)
    result: List[Optional[da.Array]] = [x.rechunk(wanted, method="tasks")]
    for other in arrays[1:]:
        if other is not None:
            behind_ = wanted[x.ndim - other.ndim :]
            own = tuple(c if sum(c) == 1 and sum(w) != 1 else w for c, w in zip(other.chunks, behind_))
            other = other.rechunk(own, method="tasks")
        result.append(other)
    return result


def _divide(size: int, most: int) -> List[int]:
    return [min(most, size - start) for start in range(0, size, most)] or [0]


@on_worker
def _ordered(x: Any, *mask: Any, function: str, options: Any, part: Optional[int]) -> np.ndarray:
    given = dict(options)
    elements = tamis.asarray(only(x))
    if mask:
        given["mask"] = tamis.asarray(only(mask[0]))
    if "q" in given:
        given["q"] = tamis.tensor(given["q"], dtype=elements.dtype)
    result = named(function)(elements, **given)
    return np.asarray((result if part is None else result[part]).numpy())


def _along(function: str, x: da.Array, mask: Any, dim: int, size: Optional[int],
           parts: Sequence[Tuple[Optional[int], Any]], first: int = 0, **options: Any) -> List[da.Array]:  # fmt: skip
    """The parts (number, dtype) of the function of that name of every block: function(x, dim=dim, **options).

    Along dim the result has `size` elements; None: it lacks the dimension. Of a result with a dimension more, before the
    others, `first` is the size of that.
    """
    x, mask = with_mask(x, mask, function)
    x, mask = _whole_along([x, mask], dim)
    given = tuple(sorted({**options, "dim": dim}.items()))
    dims = tuple(range(x.ndim))
    out = ((x.ndim,) if first else ()) + tuple(d for d in dims if d != dim or size is not None)
    arguments: List[Any] = [x, dims]
    if mask is not None:
        arguments += [mask, dims[x.ndim - mask.ndim :]]
    given_options: Any = {
        "function": function, "options": given, "label": function, "new_axes": {x.ndim: first} if first else {},
        "adjust_chunks": {dim: (size,)} if size is not None else None,
    }  # fmt: skip
    return [blockwise(_ordered, out, *arguments, part=part, dtype=dtype, **given_options) for part, dtype in parts]


def _dim_of(dim: int, x: da.Array, label: str) -> int:
    if not -max(1, x.ndim) <= dim < max(1, x.ndim):
        raise IndexError(f"{label}: dimension {dim} is out of range for {x.ndim} dimensions")
    return dim % max(1, x.ndim)


def refuse(function: Callable[..., Any], x: da.Array, *args: Any, **options: Any) -> None:
    """Lets Tamis refuse at the call what it refuses of one element of that dtype."""
    function(tamis.asarray(np.ones(1, x.dtype)), *args, **options)


def _is_one_row(x: da.Array) -> bool:
    """Whether all of x is one row that chunks cut."""
    return x.ndim == 1 and len(x.chunks[0]) > 1


# ---- kthvalue and median ------------------------------------------------------------------------


@on_worker
def _first_equal(place: Place, x: np.ndarray, value: Any) -> List[Tuple[int, np.ndarray]]:
    """The index of the first element that is value, and that element, since zeros have signs; [] if there is none."""
    elements = tamis.asarray(x)
    equal = elements == value.item() if value == value else elements.isnan()
    found = tamis.masked.argmax(elements, 0, mask=equal).item()
    return [(place.offset[0] + found, x[found : found + 1].copy())] if found >= 0 else []


def _first(parts: List[List[Any]]) -> List[Any]:
    return min(parts, key=lambda part: part[0][0] if part else math.inf)


def _one_row(x: da.Array, value: Any, keepdim: bool) -> Tuple[da.Array, da.Array]:
    """The first element of that value, and its index, computed now."""
    blocks = each_block(_first_equal, [x], x.chunks, "first", value=value)
    ((index, element),) = compute_object(blocks, _first, "first")
    shape = (1,) if keepdim else ()
    return _constant(element.reshape(shape)), _constant(np.full(shape, index, np.int64))


def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> kthvalue_result:
    """The k-th smallest element (from 1) along dim and its index, as tamis.kthvalue.

    Of a 1-d array with several chunks, the data is read at the call.
    """
    x = as_array(input)
    dim = _dim_of(dim, x, "kthvalue")
    refuse(tamis.kthvalue, x, 1)
    if not 1 <= k <= (x.shape[dim] if x.ndim else 1):
        raise RuntimeError(f"kthvalue: selected index k out of range: {k}")
    if _is_one_row(x):
        return kthvalue_result(*_one_row(x, search_all(x, None, k=k)[()], keepdim))
    if x.ndim == 0:
        return kthvalue_result(x, da.zeros((), dtype=np.int64))
    size = 1 if keepdim else None
    parts = [(0, x.dtype), (1, np.dtype(np.int64))]
    options = {"k": k, "keepdim": keepdim}
    return kthvalue_result(*_along("kthvalue", x, None, dim, size, parts, **options))


def median(input: Any, dim: Optional[int] = None, keepdim: bool = False) -> Union[da.Array, median_result]:
    """The median, the lower one of two, NaN if there is a NaN: of all elements, or along dim with its index.

    Of all elements, the data is read at the call.
    """
    x = as_array(input)
    refuse(tamis.median, x)
    if dim is None:
        return _constant(search_all(x, None, median=True))
    dim = _dim_of(dim, x, "median")
    if _is_one_row(x) and x.shape[0] > 0:
        return median_result(*_one_row(x, search_all(x, None, median=True)[()], keepdim))
    parts = [(0, x.dtype), (1, np.dtype(np.int64))]
    size = 1 if keepdim else None
    return median_result(*_along("median", x, None, dim, size, parts, keepdim=keepdim))


def masked_median(x: da.Array, dim: Optional[int], keepdim: bool, mask: Any) -> da.Array:
    refuse(tamis.masked.median, x)
    if dim is not None:
        dim = _dim_of(dim, x, "masked.median")
    if dim is None or _is_one_row(x):
        x, m = with_mask(x, mask, "masked.median")
        value = search_all(x, m, median=True, ignore_nan=True)
        return _constant(value.reshape((1,) * x.ndim if keepdim else ()))
    size = 1 if keepdim else None
    return _along("masked.median", x, mask, dim, size, [(None, x.dtype)], keepdim=keepdim)[0]


# ---- quantiles ----------------------------------------------------------------------------------


def quantile(input: Any, q: Any, dim: Optional[int] = None, keepdim: bool = False, *,
             interpolation: str = "linear") -> da.Array:  # fmt: skip
    """Quantiles as tamis.quantile gives them, exact: along dim, or of all elements, for which the data is read at the call."""
    return masked_quantile(as_array(input), q, dim, keepdim, interpolation, None)


def masked_quantile(x: da.Array, q: Any, dim: Optional[int], keepdim: bool, interpolation: str, mask: Any) -> da.Array:
    q = np.asarray(q, x.dtype)
    refuse(tamis.quantile, x, tamis.asarray(q), interpolation=interpolation)
    if dim is not None:
        dim = _dim_of(dim, x, "quantile")
    if dim is None or _is_one_row(x):
        x, m = with_mask(x, mask, "quantile")
        found = search_all(x, m, q=q.tolist(), interpolation=interpolation)
        return _constant(found.reshape(q.shape + ((1,) * x.ndim if keepdim else ())))
    size = 1 if keepdim else None
    options = {"q": q.tolist(), "keepdim": keepdim, "interpolation": interpolation}
    function = "quantile" if mask is None else "masked.quantile"
    return _along(function, x, mask, dim, size, [(None, x.dtype)], q.size if q.ndim else 0, **options)[0]


# ---- topk and unique ----------------------------------------------------------------------------


@on_worker
def _topk(place: Place, x: np.ndarray, k: int, largest: bool) -> Any:
    return partial.TopK(x, k, largest=largest, shape=place.shape, offset=place.offset)


@on_worker
def _topk_part(part: int, states: List[Any]) -> np.ndarray:
    return np.asarray(merge_states(states).finish()[part].numpy())


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> topk_result:
    """The k largest (smallest) elements along dim and their indices, in order, as tamis.topk."""
    x = as_array(input)
    dim = _dim_of(dim, x, "topk")
    refuse(tamis.topk, x, 1)
    if not 0 <= k <= (x.shape[dim] if x.ndim else 1):
        raise RuntimeError(f"topk: selected index k out of range: {k}")
    parts = [(0, x.dtype), (1, np.dtype(np.int64))]
    if x.ndim == 0:
        x = x[None][:k]
        return topk_result(x.sum(), da.zeros((), dtype=np.int64)) if k else topk_result(x, x.astype(np.int64))
    if not _is_one_row(x):
        options = {"k": k, "largest": largest, "sorted": sorted}
        return topk_result(*_along("topk", x, None, dim, k, parts, **options))
    states = each_block(_topk, [x], x.chunks, "topk-state", k=k, largest=largest)
    blocks = [Block(index) for index in np.ndindex(*x.numblocks)]
    results = []
    for part, dtype in parts:
        calls = list(tree("", (0,), blocks, merge, functools.partial(_topk_part, part)))
        results.append(gather([states], calls, ((k,),), dtype, "topk", part))
    return topk_result(*results)


@on_worker
def _unique(place: Place, x: np.ndarray) -> Any:
    options: Any = {"shape": place.shape, "offset": place.offset} if place.shape else {}
    return partial.Unique(x, **options)


def unique(input: Any, sorted: bool = True, return_counts: bool = False) -> Any:
    """The distinct elements of all, in order; with return_counts also how often each occurs. Computed at the call.

    No NaN equals another one: all are listed, last.
    """
    x = as_array(input)
    refuse(tamis.unique, x)
    state = compute_object(each_block(_unique, [x], x.chunks, "unique-state"), merge, "unique")
    if not return_counts:
        return _constant(state.finish().numpy())
    values, counts = state.finish(return_counts=True)
    return _constant(values.numpy()), _constant(counts.numpy())
