"""Tamis on xarray: importing this gives DataArrays of dask arrays the accessor `tamis`, as in `da.tamis.select(mask)`.

    import tamis.dask.xarray

Results with the dimensions of the array keep its coordinates and attributes, reductions those that are left.
"""

from typing import Any, Callable, Hashable, List, Optional, Sequence, Tuple, Union

import dask.array as da

try:
    import xarray as xr
except ImportError as error:
    raise ImportError(f"tamis.dask.xarray needs xarray ({error}): pip install xarray") from error

import tamis.dask as td

Dims = Union[None, Hashable, Sequence[Hashable]]


@xr.register_dataarray_accessor("tamis")
class Accessor:
    """Functions of tamis.dask with the names of dimensions instead of numbers."""

    def __init__(self, array: "xr.DataArray"):
        self.array = array

    @property
    def data(self) -> da.Array:
        return da.asarray(self.array.data)

    # ---- selections ----

    def masked_select(self, mask: Any, *, dim: Hashable = "selected", chunks: Optional[int] = None) -> "xr.DataArray":
        """The elements where mask is true, 1-d, in row-major order of the array's dimensions."""
        mask = self._aligned(mask)
        return xr.DataArray(td.masked_select(self.data, mask, chunks=chunks), dims=[dim], attrs=self.array.attrs)

    def select(self, mask: "xr.DataArray", *, dim: Optional[Hashable] = None, chunks: Optional[int] = None) -> "xr.DataArray":
        """x[mask], where the dimensions of the mask are the first ones of the array.

        The new dimension is `dim`: by default that of a 1-d mask, whose coordinates are selected too, else "selected".
        """
        names = self.array.dims[: mask.ndim]
        if set(mask.dims) != set(names):
            raise ValueError(f"select: the mask is over {mask.dims}, which are not the first dimensions of {self.array.dims}")
        keep = da.asarray(mask.transpose(*names).data)
        result = td.select(self.data, keep, chunks=chunks)
        dim = dim or (names[0] if mask.ndim == 1 else "selected")
        dims = (dim, *self.array.dims[mask.ndim :])
        coords = {}
        for name, coord in self.array.coords.items():
            if not set(coord.dims) & set(names):
                coords[name] = coord.variable
            elif mask.ndim == 1 and coord.dims == names:
                chosen = coord.values[keep.compute()]
                coords[dim if name == names[0] else name] = xr.Variable((dim,), chosen, coord.attrs)
        return xr.DataArray(result, dims=dims, coords=coords, attrs=self.array.attrs, name=self.array.name)

    def argwhere(self) -> "xr.DataArray":
        """The indices of the elements that are true or nonzero, [selected, dimension]."""
        found = td.argwhere(self.data)
        return xr.DataArray(found, dims=["selected", "dimension"], coords={"dimension": list(self.array.dims)})

    # ---- the same dimensions ----

    def masked_fill(self, mask: Any, value: Any) -> "xr.DataArray":
        return self.array.copy(data=td.masked_fill(self.data, self._aligned(mask), value))

    def isin(self, test_elements: Any, *, invert: bool = False) -> "xr.DataArray":
        return self.array.copy(data=td.isin(self.data, getattr(test_elements, "data", test_elements), invert=invert))

    # ---- reductions ----

    def count_nonzero(self, dim: Dims = None) -> "xr.DataArray":
        return self._reduced(td.count_nonzero(self.data, self._numbers(dim)), dim)

    def _reduce(self, function: Callable[..., da.Array], dim: Dims, mask: Any, **options: Any) -> "xr.DataArray":
        mask = None if mask is None else self._aligned(mask)
        return self._reduced(function(self.data, dim=self._numbers(dim), mask=mask, **options), dim)

    def sum(self, dim: Dims = None, *, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.sum, dim, mask)

    def mean(self, dim: Dims = None, *, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.mean, dim, mask)

    def var(self, dim: Dims = None, *, correction: float = 1, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.var, dim, mask, correction=correction)

    def std(self, dim: Dims = None, *, correction: float = 1, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.std, dim, mask, correction=correction)

    def amin(self, dim: Dims = None, *, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.amin, dim, mask)

    def amax(self, dim: Dims = None, *, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.amax, dim, mask)

    def any(self, dim: Dims = None, *, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.any, dim, mask)

    def all(self, dim: Dims = None, *, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.all, dim, mask)

    def median(self, dim: Optional[Hashable] = None, *, mask: Any = None) -> "xr.DataArray":
        return self._reduce(td.masked.median, dim, mask)

    def quantile(self, q: Any, dim: Optional[Hashable] = None, *, mask: Any = None) -> "xr.DataArray":
        mask = None if mask is None else self._aligned(mask)
        found = td.masked.quantile(self.data, q, dim=self._numbers(dim), mask=mask)
        if not hasattr(q, "__len__"):
            return self._reduced(found, dim)
        kept = [name for name in self.array.dims if dim is not None and name != dim]
        return xr.DataArray(found, dims=["quantile", *kept], coords={"quantile": list(q)}, attrs=self.array.attrs)

    # ---- names and numbers ----

    def _aligned(self, mask: Any) -> da.Array:
        """The data of a mask in the order of the array's dimensions."""
        if not isinstance(mask, xr.DataArray):
            return da.asarray(mask)
        extra = set(mask.dims) - set(self.array.dims)
        if extra:
            raise ValueError(f"the mask has dimensions that the array lacks: {sorted(map(str, extra))}")
        order = [name for name in self.array.dims if name in mask.dims]
        data = da.asarray(mask.transpose(*order).data)
        return data[tuple(slice(None) if name in mask.dims else None for name in self.array.dims)]

    def _numbers(self, dim: Dims) -> Any:
        if dim is None:
            return None
        if isinstance(dim, str) or not isinstance(dim, (list, tuple)):
            return self.array.get_axis_num(dim)
        return tuple(self.array.get_axis_num(name) for name in dim)

    def _reduced(self, data: da.Array, dim: Dims) -> "xr.DataArray":
        gone: List[Hashable] = list(self.array.dims) if dim is None else list(dim) if isinstance(dim, (list, tuple)) else [dim]
        dims: Tuple[Hashable, ...] = tuple(name for name in self.array.dims if name not in gone)
        coords = {name: coord.variable for name, coord in self.array.coords.items() if set(coord.dims) <= set(dims)}
        return xr.DataArray(data, dims=dims, coords=coords, attrs=self.array.attrs, name=self.array.name)
