"""Reductions over the elements that a mask keeps: `tamis.masked` of dask arrays, with dim= and mask=.

Sums, means and variances are exact sums rounded once, as those of `tamis.masked` with exact=True, so they do not depend
on chunks and workers. Where a mask keeps nothing, the results are those of `tamis.masked`.
"""

from typing import Any, Optional

import dask.array as da
import numpy as np

import tamis
from tamis import partial
from tamis.dask import order
from tamis.dask._graph import as_array
from tamis.dask.reduce import Dim, reduce_states

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "count", "mean", "median", "quantile", "std", "sum", "var",
]  # fmt: skip


def count(input: Any, dim: Dim = None, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """How many elements are kept, int64."""
    return reduce_states("masked.count", partial.Count, "finish", as_array(input), mask, dim, keepdim)


def sum(input: Any, dim: Dim = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> da.Array:
    """The exact sum, rounded once. Integers and bools give int64, uint64 gives uint64."""
    options = {"dtype": tamis_dtype(dtype)}
    return reduce_states("masked.sum", partial.Sum, "finish", as_array(input), mask, dim, keepdim, **options)


def mean(input: Any, dim: Dim = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> da.Array:
    """The exact sum divided by the number of kept elements, rounded once. Of nothing: NaN."""
    options = {"dtype": tamis_dtype(dtype)}
    return reduce_states("masked.mean", partial.Moments, "mean", as_array(input), mask, dim, keepdim, **options)


def var(input: Any, dim: Dim = None, unbiased: Optional[bool] = None, *, correction: Optional[float] = None,
        keepdim: bool = False, dtype: Any = None, mask: Any = None) -> da.Array:  # fmt: skip
    """The variance, rounded once. The divisor is the number of kept elements less correction (1), but not less than 0."""
    options = {"correction": correction_of(unbiased, correction), "dtype": tamis_dtype(dtype)}
    return reduce_states("masked.var", partial.Moments, "var", as_array(input), mask, dim, keepdim, **options)


def std(input: Any, dim: Dim = None, unbiased: Optional[bool] = None, *, correction: Optional[float] = None,
        keepdim: bool = False, dtype: Any = None, mask: Any = None) -> da.Array:  # fmt: skip
    """The standard deviation, rounded once, with the divisor of `var`."""
    options = {"correction": correction_of(unbiased, correction), "dtype": tamis_dtype(dtype)}
    return reduce_states("masked.std", partial.Moments, "std", as_array(input), mask, dim, keepdim, **options)


def amin(input: Any, dim: Dim = None, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """The smallest kept element; NaN wins. Of nothing: the largest value of the dtype."""
    return reduce_states("masked.amin", partial.Extremes, "amin", as_array(input), mask, dim, keepdim, placed=True)


def amax(input: Any, dim: Dim = None, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """The largest kept element; NaN wins. Of nothing: the smallest value of the dtype."""
    return reduce_states("masked.amax", partial.Extremes, "amax", as_array(input), mask, dim, keepdim, placed=True)


def argmin(input: Any, dim: Optional[int] = None, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """The index of the smallest kept element along dim, or in row-major order of all: the first of equals. Of nothing: -1."""
    x = as_array(input)
    order.refuse(tamis.masked.argmin, x)
    return reduce_states("masked.argmin", partial.Extremes, "argmin", x, mask, dim, keepdim, placed=True)


def argmax(input: Any, dim: Optional[int] = None, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """The index of the largest kept element along dim, or in row-major order of all: the first of equals. Of nothing: -1."""
    x = as_array(input)
    order.refuse(tamis.masked.argmax, x)
    return reduce_states("masked.argmax", partial.Extremes, "argmax", x, mask, dim, keepdim, placed=True)


def any(input: Any, dim: Dim = None, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """Whether a kept element is nonzero."""
    result = reduce_states("masked.any", partial.Count, "any", as_array(input), mask, dim, keepdim)
    return result.astype(bool)


def all(input: Any, dim: Dim = None, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """Whether all kept elements are nonzero."""
    result = reduce_states("masked.all", partial.Count, "all", as_array(input), mask, dim, keepdim)
    return result.astype(bool)


def median(input: Any, dim: Optional[int] = -1, *, keepdim: bool = False, mask: Any = None) -> da.Array:
    """The median of the kept elements without NaNs, the lower one of two: along dim or, with dim=None, of all.

    Of all, the data is read at the call.
    """
    return order.masked_median(as_array(input), dim, keepdim, mask)


def quantile(input: Any, q: Any, dim: Optional[int] = None, keepdim: bool = False, *, interpolation: str = "linear",
             mask: Any = None) -> da.Array:  # fmt: skip
    """Quantiles of the kept elements, exact: along dim, or of all, for which the data is read at the call."""
    return order.masked_quantile(as_array(input), q, dim, keepdim, interpolation, mask)


def correction_of(unbiased: Optional[bool], correction: Optional[float]) -> float:
    if unbiased is not None and correction is not None:
        raise TypeError("give unbiased or correction, not both")
    if correction is not None:
        return correction
    return 1.0 if unbiased is None else float(unbiased)


def tamis_dtype(dtype: Any) -> Any:
    """As tamis has it, by its name, which every process understands."""
    return None if dtype is None else str(np.dtype(dtype)) if not isinstance(dtype, tamis.dtype) else dtype
