"""Random arrays, masks and chunks for the tests of tamis.dask, and comparing by bits."""

from typing import Any, List, NamedTuple, Sequence, Tuple

import dask.array as da
import numpy as np

DTYPES = ["float32", "float64", "float16", "int64", "int32", "int16", "uint8", "uint64", "bool"]


class Case(NamedTuple):
    a: np.ndarray
    m: np.ndarray
    x: da.Array  # a, cut
    mask: da.Array  # m, cut as a is, or differently
    rng: np.random.Generator


def cut(rng: np.random.Generator, size: int) -> Tuple[int, ...]:
    """Sizes of chunks of a dimension."""
    sizes: List[int] = []
    while sum(sizes) < size:
        sizes.append(int(rng.integers(1, size - sum(sizes) + 1)))
    return tuple(sizes) or (0,)


def values(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> np.ndarray:
    if dtype == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    a = np.asarray(rng.standard_normal(shape) * 10).astype(dtype)
    if dtype.startswith("float"):
        special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], shape)
        share = rng.choice([0, 0.2, 1])
        a = np.where(rng.random(shape) < share, special if share < 1 else np.nan, a).astype(dtype)
    return a


def make_case(seed: int, rank: Any = None, dtypes: Sequence[str] = DTYPES) -> Case:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(0, 5)) if rank is None else rank
    smallest = 0 if rng.random() < 0.15 else 1
    shape = tuple(int(n) for n in rng.integers(smallest, 7, rank))
    a = values(rng, shape, dtypes[int(rng.integers(len(dtypes)))])
    m = np.asarray(rng.random(shape) < rng.choice([0, 0.1, 0.5, 1]))
    chunks = tuple(cut(rng, n) for n in shape)
    other = chunks if rng.random() < 0.7 else tuple(cut(rng, n) for n in shape)
    return Case(a, m, da.from_array(a, chunks=chunks), da.from_array(m, chunks=other), rng)


def numpy_of(x: Any) -> np.ndarray:
    """What an array of any kind holds; a dask array must be as it has said."""
    if isinstance(x, da.Array):
        computed = x.compute()
        assert computed.shape == x.shape and computed.dtype == x.dtype
        sizes = [sum(sizes) for sizes in x.chunks]
        assert tuple(sizes) == computed.shape
        return np.asarray(computed)
    return np.asarray(x.numpy() if hasattr(x, "numpy") else x)


def assert_same(got: Any, expected: Any, what: Any = "", signed_zeros: bool = True) -> None:
    """Equal dtype, shape and bits, except that a NaN equals any other, and if told so a zero any other."""
    a, b = numpy_of(got), numpy_of(expected)
    if not signed_zeros and a.dtype.kind == "f":
        a, b = np.asarray(a + 0.0, a.dtype), np.asarray(b + 0.0, b.dtype)
    assert a.dtype == b.dtype and a.shape == b.shape, (what, a.dtype, b.dtype, a.shape, b.shape)
    if a.dtype.kind in "fc":
        assert np.array_equal(np.isnan(a), np.isnan(b)), (what, a, b)
        a, b = np.where(np.isnan(a), 0, a).astype(a.dtype), np.where(np.isnan(b), 0, b).astype(b.dtype)
    assert a.tobytes() == b.tobytes(), (what, a, b)
