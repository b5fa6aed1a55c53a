"""Tamis on Dask: masking functions that take and give `dask.array`, for arrays that outgrow one machine.

Results equal those of single-array Tamis bit for bit, over chunks, workers and the deaths of workers. Selections have
known chunk sizes and are in row-major order, whatever the chunks cut.

    pip install 'tamis[dask]'
"""

try:
    import dask.array as _dask_array  # noqa: F401
    import numpy as _numpy  # noqa: F401
except ImportError as error:
    raise ImportError(f"tamis.dask needs Dask with its arrays ({error}): pip install 'tamis[dask]'") from error

from tamis.dask import masked
from tamis.dask.condition import where_text
from tamis.dask.fill import isin, masked_fill, masked_scatter, where
from tamis.dask.order import kthvalue, median, quantile, topk, unique
from tamis.dask.reduce import count_nonzero
from tamis.dask.select import argwhere, masked_select, masked_select_rows, nonzero, partition, regular, select
from tamis.dask.store import from_zarr, to_zarr

__all__ = [
    "argwhere", "count_nonzero", "from_zarr", "isin", "kthvalue", "masked", "masked_fill", "masked_scatter",
    "masked_select", "masked_select_rows", "median", "nonzero", "partition", "quantile", "regular", "select", "to_zarr",
    "topk", "unique", "where", "where_text",
]  # fmt: skip
