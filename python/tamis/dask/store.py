"""Zarr stores, read and written block by block by the workers, in both of Dask's graph modes."""

import functools
import os
from typing import Any, List, Optional, Tuple

import dask.array as da
import numpy as np

from tamis.dask._graph import Place, as_array, compute_object, each_block
from tamis.dask.select import regular

__all__ = ["from_zarr", "to_zarr"]


def _zarr() -> Any:
    try:
        import zarr
    except ImportError as error:
        raise ImportError(f"Zarr stores need the package zarr ({error}): pip install 'tamis[dask]'") from error
    return zarr


@functools.lru_cache(maxsize=16)
def _open(path: str, component: Optional[str], mode: str, metadata: str) -> Any:
    """An array whose metadata is that, opened once by every process."""
    array = _zarr().open_array(path, path=component, mode=mode)
    if metadata != _described(array):
        raise RuntimeError(f"{path}: the store has been written anew since it was opened")
    return array


def _described(array: Any) -> str:
    return repr(array.metadata.to_dict())


class Source:
    """An array in a store, which every process opens for itself.

    So a worker that does not see the store raises an error. An array that was opened elsewhere would give it the fill value,
    because chunks may be missing.
    """

    def __init__(self, store: Any, component: Optional[str], mode: str):
        # Workers may have another working directory.
        self.store = os.path.abspath(store) if isinstance(store, (str, os.PathLike)) and "://" not in str(store) else store
        self.component = component
        self.mode = mode
        array = _zarr().open_array(self.store, path=component, mode=mode)
        self.metadata = _described(array)
        self.shape: Tuple[int, ...] = array.shape
        self.dtype = array.dtype
        self.ndim: int = array.ndim
        self.chunks: Tuple[int, ...] = getattr(array, "shards", None) or array.chunks

    def array(self) -> Any:
        if isinstance(self.store, str):
            return _open(self.store, self.component, self.mode, self.metadata)
        return _zarr().open_array(self.store, path=self.component, mode=self.mode)

    def __getitem__(self, index: Any) -> Any:
        array = self.array()
        chunk = _whole_chunk(array, self.shape, self.chunks, index)
        return array[index] if chunk is None else chunk

    def __dask_tokenize__(self) -> Any:
        """A store that was written anew has another token."""
        changed = None
        if isinstance(self.store, str) and os.path.isdir(self.store):
            folder = os.path.join(self.store, self.component or "")
            files = [os.path.join(folder, name) for name in _METADATA]
            changed = max((os.stat(file).st_mtime_ns for file in files if os.path.exists(file)), default=None)
        return "tamis.dask.Source", self.store, self.component, self.metadata, changed


_METADATA = ("zarr.json", ".zarray")


def _whole_chunk(array: Any, shape: Tuple[int, ...], chunks: Tuple[int, ...], index: Any) -> Optional[np.ndarray]:
    """A chunk as it is decoded, without the copy that indexing makes, which takes as much memory again.

    None if the index is not exactly that of a chunk, if the chunk is missing, or if this version of Zarr is built differently.
    """
    if array.metadata.zarr_format != 3 or not isinstance(index, tuple) or len(index) != len(shape) or not shape:
        return None
    starts, sizes = [], []
    for part, size, step in zip(index, shape, chunks):
        start, stop, stride = part.indices(size) if isinstance(part, slice) else (0, 0, 0)
        if stride != 1 or start % step or stop != min(start + step, size):
            return None
        starts.append(start // step)
        sizes.append(stop - start)
    try:
        from zarr.core.buffer import default_buffer_prototype
        from zarr.core.sync import sync

        decoded = sync(_decode(array.async_array, tuple(starts), default_buffer_prototype()))
    except (AttributeError, ImportError, TypeError):
        return None
    if decoded is None:
        return None
    whole: np.ndarray = decoded.as_numpy_array()
    return whole[tuple(slice(size) for size in sizes)]


async def _decode(array: Any, place: Tuple[int, ...], prototype: Any) -> Any:
    coded = await (array.store_path / array.metadata.encode_chunk_key(place)).get(prototype=prototype)
    if coded is None:
        return None
    spec = array.metadata.get_chunk_spec(place, array.config, prototype)
    (decoded,) = await array.codec_pipeline.decode([(coded, spec)])
    return decoded


def from_zarr(store: Any, component: Optional[str] = None) -> da.Array:
    """A Zarr array, by its path, as a dask array whose chunks are those of the store (its shards, if it has some)."""
    if hasattr(store, "store_path"):  # an array that is open
        store, component = store.store, store.path
    source = Source(store, component, "r")
    return da.from_array(source, chunks=source.chunks, inline_array=True, asarray=False, meta=np.empty((0,) * source.ndim, source.dtype))


def to_zarr(input: Any, store: Any, *, chunks: Optional[int] = None, component: Optional[str] = None,
            overwrite: bool = False, compute: bool = True, **options: Any) -> Any:  # fmt: skip
    """Writes an array to a new Zarr store, with equal chunks, as the format wants them.

    Along the first dimension a result of a selection has unequal chunks. It is cut again, to `chunks` elements or, by
    default, to the size of the largest chunk. Other dimensions must have equal chunks. options go to
    zarr.create_array. With compute=False nothing is computed yet, and the dask array that is returned writes when it is.
    """
    x = as_array(input)
    if x.ndim:
        x = regular(x, chunks or max(1, max(x.chunks[0])))
    for dim, sizes in enumerate(x.chunks):
        if len(set(sizes[:-1])) > 1 or (sizes[:-1] and sizes[-1] > sizes[0]):
            raise ValueError(f"to_zarr: the chunks along dimension {dim} are unequal; rechunk the array first")
    _zarr().create_array(
        store, name=component, shape=x.shape, dtype=x.dtype, chunks=tuple(max(1, sizes[0]) for sizes in x.chunks),
        overwrite=overwrite, **options,
    )  # fmt: skip
    written = each_block(_write, [x], x.chunks, "write", target=Source(store, component, "r+"))
    if not compute:
        return written
    compute_object(written, _count, "written")
    return None


def _write(place: Place, x: np.ndarray, target: Source) -> int:
    """A block owns its chunk of the store, so it may be written again if its worker dies."""
    if x.size:
        target.array()[tuple(slice(o, o + n) for o, n in zip(place.offset, place.size))] = x
    return int(x.size)


def _count(parts: List[int]) -> int:
    return sum(parts)
