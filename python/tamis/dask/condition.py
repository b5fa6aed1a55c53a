"""Conditions in the language of the command line over dask arrays: `where("x > 3 & ~isnan(x)", x=array)`."""

import dataclasses
import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import dask.array as da
import numpy as np

import tamis
from tamis import _tamis, partial
from tamis.dask._graph import Place, align, as_array, compute_objects, each_block
from tamis.dask._worker import on_worker
from tamis.dask.order import search_all
from tamis.dask.reduce import merge

__all__ = ["Condition", "where_text"]


def takes_whole(text: str, name: str) -> bool:
    """Whether the text takes an array of that name as a whole somewhere, and not element by element."""
    return _tamis._Condition.takes_whole(text, name)


class Text:
    """A condition with what is known of whole arrays. Pickled as what it is made of."""

    def __init__(self, text: str, inputs: List[Any], base: Sequence[int], whole: Dict[str, Any], found: Sequence[Any] = ()):
        self.parts = (text, inputs, tuple(base), whole)
        self.found = list(found)
        self.condition = _tamis._Condition(text, inputs, list(base), whole)
        for number, values in enumerate(self.found):
            self.condition.resolve(number, values)

    def resolve(self, values: Dict[str, Any]) -> None:
        self.condition.resolve(len(self.found), values)
        self.found.append(values)

    def __reduce__(self) -> Any:
        return Text, (*self.parts, self.found)

    def __dask_tokenize__(self) -> Any:
        return "tamis.dask.Text", self.parts, self.found


@on_worker
def _evaluate(place: Place, frame: Optional[np.ndarray], *blocks: Any, text: Text, number: int) -> Any:
    result = text.condition.evaluate(number, list(place.offset), list(place.size), list(blocks))
    return np.asarray(result.contiguous().numpy())


class Condition:
    """A text over named arrays, checked at once; `values()` is a lazy array of its values.

    What the text asks of whole arrays, as mean(x) and q(0.9), is computed when the condition is made.
    """

    def __init__(self, text: str, arrays: Dict[str, Any], base: Sequence[int] = ()):
        self.arrays = {name: as_array(x, name) for name, x in arrays.items()}
        inputs = [(name, str(x.dtype), list(x.shape)) for name, x in self.arrays.items()]
        whole = {name: np.asarray(x.compute()) for name, x in self.arrays.items() if takes_whole(text, name)}
        self.text = Text(text, inputs, base, whole)
        for number in range(self.text.condition.pass_count):
            self.text.resolve(self._summary(number))

    @property
    def dtype(self) -> Any:
        return np.dtype(self.text.condition.dtype(-1))

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self.text.condition.shape(-1))

    @property
    def is_number(self) -> bool:
        return bool(self.text.condition.is_number())

    def number(self) -> Any:
        """The value, if it is one number."""
        return self.text.condition.evaluate(-1, [], [], [None] * len(self.arrays)).item()

    def values(self, number: int = -1) -> da.Array:
        """The values of the condition or, before that, of the sub-expression of a pass."""
        condition = self.text.condition
        shape = tuple(condition.shape(number))
        used = condition.uses(number)
        arrays: List[Optional[da.Array]] = [x if i in used else None for i, x in enumerate(self.arrays.values())]
        given = [x for x in arrays if x is not None]
        frame = None
        if all(x.shape != shape for x in given):
            frame = da.zeros(shape, dtype=bool)
            given.append(frame)
        aligned, chunks = align(*given)
        rest = iter(aligned)
        placed = [None if x is None else next(rest) for x in arrays]
        dtype = np.dtype(condition.dtype(number))
        blocks = [None if frame is None else next(rest), *placed]
        return each_block(_evaluate, blocks, chunks, "condition", dtype=dtype, text=self.text, number=number)

    def _summary(self, number: int) -> Dict[str, Any]:
        quantiles = self.text.condition.quantiles(number)
        return dataclasses.asdict(summarize(self.values(number), None, quantiles))


def where_text(text: str, **arrays: Any) -> da.Array:
    """The values of a condition in the language of the command line, as tamis.where of JavaScript.

    Names stand for arrays, which broadcast. What the text asks of whole arrays (mean(x), q(0.9)) is computed at the call.
    """
    shapes = [as_array(x).shape for x in arrays.values()]
    return Condition(text, arrays, shapes[0] if shapes else ()).values()


# ---- summaries ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Summary:
    """NaN is counted and left out of all else, as on the command line."""

    count: int
    nan: int
    inf: int
    sum: Any
    mean: float
    var: float
    std: float
    min: Any
    max: Any
    quantiles: List[Any]


class _Parts(NamedTuple):
    moments: Any
    extremes: Any
    nan: int
    inf: int


@on_worker
def _parts(place: Place, x: np.ndarray, mask: Optional[np.ndarray]) -> _Parts:
    elements, keep = _numbers(np.broadcast_to(x, place.size)), None if mask is None else tamis.asarray(mask)
    nan = inf = 0
    if elements.is_floating_point():
        finite_or_inf = ~elements.isnan()
        kept = finite_or_inf if keep is None else finite_or_inf & keep
        nan = (elements.numel() if keep is None else int(keep.sum().item())) - int(kept.sum().item())
        inf = int((elements.isinf() & kept).sum().item())
        keep = kept
    options: Any = {"shape": place.shape, "offset": place.offset} if place.shape else {}
    return _Parts(partial.Moments(elements, keep), partial.Extremes(elements, keep, **options), nan, inf)


def _numbers(x: np.ndarray) -> Any:
    return tamis.asarray(x.astype(np.uint8) if x.dtype == np.bool_ else x)


@on_worker
def _merge_parts(parts: List[_Parts]) -> _Parts:
    return _Parts(
        merge([p.moments for p in parts]), merge([p.extremes for p in parts]), sum(p.nan for p in parts),
        sum(p.inf for p in parts),
    )  # fmt: skip


def summarize(x: da.Array, mask: Optional[da.Array], quantiles: Sequence[Tuple[float, bool]]) -> Summary:
    """Of the kept elements; quantiles are (p, lower), as the conditions of the command line ask for them."""
    arrays, chunks = align(*(y for y in (x, mask) if y is not None))
    blocks = each_block(_parts, [arrays[0], arrays[1] if mask is not None else None], chunks, "summary")
    (parts,) = compute_objects([(blocks, _merge_parts, "summaries")])
    count = int(parts.moments.count().item())
    is_float = x.dtype.kind == "f"
    nothing = math.nan
    found = Summary(
        count, parts.nan, parts.inf,
        parts.moments.sum(dtype="float64").item() if is_float else parts.moments.sum().item(),
        parts.moments.mean(dtype="float64").item(),
        parts.moments.var(dtype="float64").item(),
        parts.moments.std(dtype="float64").item(),
        parts.extremes.amin().item() if count else nothing,
        parts.extremes.amax().item() if count else nothing,
        [],
    )  # fmt: skip
    found.quantiles = find_quantiles(arrays[0], arrays[1] if mask is not None else None, count, quantiles)
    return found


def find_quantiles(x: da.Array, mask: Optional[da.Array], count: int, quantiles: Sequence[Tuple[float, bool]]) -> List[Any]:
    """Exact, among the kept elements other than NaN, of which there are `count`; linear between two unless lower."""
    if not quantiles or count == 0:
        return [math.nan] * len(quantiles)
    positions = []
    for p, lower in quantiles:
        at = (count - 1) // 2 if lower else p * (count - 1)
        positions.append((math.floor(at), at - math.floor(at)))
    ranks = sorted({r for rank, fraction in positions for r in ((rank, rank + 1) if fraction > 0 else (rank,))})
    if x.dtype == np.bool_:
        x = x.astype(np.uint8)
    values = dict(zip(ranks, search_all(x, mask, ranks=ranks).tolist()))
    results = []
    for (_, lower), (rank, fraction) in zip(quantiles, positions):
        low = values[rank]
        if lower:
            results.append(low)
        elif fraction > 0:
            results.append(_between(float(low), float(values[rank + 1]), fraction))
        else:
            results.append(float(low))
    return results


def _between(a: float, b: float, fraction: float) -> float:
    if a == b:  # infinities too
        return a
    # From the nearer end, so that it is exact at both.
    return a + (b - a) * fraction if fraction < 0.5 else b - (b - a) * (1 - fraction)
