"""tamis.dask against single-array Tamis: random shapes, chunks, dtypes and masks, bit by bit."""

import os
import pathlib
import pickle
import subprocess
import sys

import pytest

if os.environ.get("TAMIS_REQUIRE_PEERS"):
    import dask
    import zarr
else:
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    zarr = pytest.importorskip("zarr", reason="Zarr is not installed")
pytest.importorskip("distributed")
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask_cases import Case, assert_same, cut, make_case, numpy_of

import tamis
import tamis.dask as td
from tamis.dask import _graph, _plan, reduce

SEEDS = range(12)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """One thread, and results in blocks of few elements, so that there are several."""
    monkeypatch.setattr(_plan, "SMALLEST_BOUND", 4)
    monkeypatch.setattr(reduce, "PIECE", 16)
    with dask.config.set(scheduler="sync"):
        yield


def tensors(case: Case):
    return tamis.asarray(case.a), tamis.asarray(case.m)


def some_dim(case: Case) -> int:
    return int(case.rng.integers(-case.a.ndim, case.a.ndim))


# ---- selections ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_selections_are_in_row_major_order_with_known_sizes(seed):
    case = make_case(seed)
    a, m = case.a, case.m
    assert_same(td.masked_select(case.x, case.mask), a[m])
    assert_same(td.masked_select(case.x, case.mask, chunks=3), a[m])
    kept, rejected = td.partition(case.x, case.mask)
    assert_same(kept, a[m])
    assert_same(rejected, a[~m])
    assert_same(td.argwhere(case.x), np.argwhere(a))
    assert_same(td.argwhere(case.mask), np.argwhere(m))
    for got, expected in zip(td.nonzero(case.mask, as_tuple=True), np.nonzero(m) if m.ndim else ()):
        assert_same(got, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_select_takes_rows(seed):
    case = make_case(seed)
    for rank in range(case.a.ndim + 1):
        lead = np.asarray(case.rng.random(case.a.shape[:rank]) < 0.5)
        chunks = case.x.chunks[:rank] if seed % 2 else tuple(cut(case.rng, n) for n in lead.shape)
        assert_same(td.select(case.x, da.from_array(lead, chunks=chunks)), case.a[lead])


@pytest.mark.parametrize("seed", SEEDS)
def test_masks_and_arrays_broadcast(seed):
    case = make_case(seed, rank=3)
    shape = tuple(1 if case.rng.random() < 0.5 else n for n in case.a.shape)[seed % 3 :]
    b = np.asarray(case.rng.random(shape) < 0.5)
    mask = da.from_array(b, chunks=tuple(cut(case.rng, n) for n in shape))
    assert_same(td.masked_select(case.x, mask), tamis.masked_select(case.a, b))
    assert_same(td.masked_select(mask, case.mask), tamis.masked_select(b, case.m))
    assert_same(td.masked_fill(case.x, mask, 1), tamis.masked_fill(case.a, b, 1))
    assert_same(td.masked.count(case.x, -1, mask=mask), tamis.masked.count(case.a, -1, mask=b))


def test_blocks_of_a_result_are_bounded_though_one_chunk_has_all_rows():
    a = np.arange(4000.0).reshape(100, 40)
    x = da.from_array(a, chunks=(100, 10))
    result = td.masked_select(x, x >= 0)
    assert_same(result, a.reshape(-1))
    assert max(result.chunks[0]) <= 1000
    result = td.masked_select(da.from_array(a.reshape(1, -1), chunks=(1, 500)), np.ones((1, 4000), bool))
    assert result.chunks == ((500,) * 8,)


def test_only_what_is_kept_moves():
    x = da.from_array(np.arange(10000.0).reshape(100, 100), chunks=(50, 50))
    result = td.masked_select(x, x % 1000 == 0)
    sizes = []

    def keep_size(key, value, *rest):
        if isinstance(value, tamis.partial.Selected):
            sizes.append(len(pickle.dumps(value)))

    with dask.callbacks.Callback(posttask=keep_size):
        assert result.compute().shape == (10,)
    assert sizes and max(sizes) < 1000  # a chunk has 20000 bytes


@pytest.mark.parametrize("seed", SEEDS)
def test_jagged_rows(seed):
    case = make_case(seed, rank=seed % 4 + 1)
    dim = some_dim(case)
    values, offsets = td.masked_select_rows(case.x, case.mask, dim)
    expected = tamis.masked_select_rows(*tensors(case), dim)
    assert_same(values, expected[0])
    assert_same(offsets, expected[1])


def test_slices_and_stores_work_on_selections(tmp_path):
    a = np.arange(1000.0).reshape(20, 50)
    x = da.from_array(a, chunks=(7, 13))
    kept = td.masked_select(x, x % 3 == 0)
    expected = a[a % 3 == 0]
    assert len(kept) == len(expected)
    assert_same(kept[10:20], expected[10:20])
    td.to_zarr(kept, tmp_path / "kept.zarr", chunks=64)
    stored = zarr.open_array(tmp_path / "kept.zarr", mode="r")
    assert stored.chunks == (64,)
    assert_same(stored[:], expected)
    assert_same(td.from_zarr(tmp_path / "kept.zarr"), expected)


@pytest.mark.parametrize("layout", [
    {}, {"compressors": None}, {"shards": (8, 26)}, {"zarr_format": 2}, {"zarr_format": 2, "order": "F"}, {"dtype": ">f8"},
    {"fill_value": 7.0},
])  # fmt: skip
def test_stores_of_all_layouts_are_read(tmp_path, layout):
    a = np.arange(900.0).reshape(18, 50)
    a[4:8, 13:26] = 7
    options = {"dtype": "float64", "fill_value": 0.0, **layout}
    store = zarr.create_array(tmp_path / "a.zarr", shape=a.shape, chunks=(4, 13), **options)
    store[:] = a
    x = td.from_zarr(tmp_path / "a.zarr")
    assert x.chunks[0][0] == layout.get("shards", (4,))[0]
    assert np.array_equal(x.compute(), a)
    assert np.array_equal(x[3:9, 5:30].compute(), a[3:9, 5:30])
    assert np.array_equal(td.masked_select(x, x > 100).compute(), a[a > 100])


# ---- filling ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_fills_and_choices(seed):
    case = make_case(seed)
    x, m = tensors(case)
    assert_same(td.masked_fill(case.x, case.mask, 1), tamis.masked_fill(x, m, 1))
    assert_same(td.where(case.mask, case.x, 1), tamis.where(m, x, 1))
    assert_same(td.where(case.mask, 0.5, case.x), tamis.where(m, 0.5, x))
    test = case.a.reshape(-1)[:3]
    assert_same(td.isin(case.x, test), tamis.isin(case.a, test))
    assert_same(td.isin(case.x, da.from_array(test, chunks=1), invert=True), tamis.isin(case.a, test, invert=True))


@pytest.mark.parametrize("seed", range(20))
def test_masked_scatter_deals_in_row_major_order(seed):
    case = make_case(seed)
    source = np.concatenate([case.a.reshape(-1)[::-1]] * 2)
    cut_source = da.from_array(source, chunks=(cut(case.rng, source.size),))
    expected = tamis.masked_scatter(case.a, case.m, source)
    assert_same(td.masked_scatter(case.x, case.mask, cut_source), expected)
    assert_same(td.masked_scatter(case.x, case.mask, source.reshape(2, -1)), expected)


# ---- reductions ---------------------------------------------------------------------------------


def reduced_dims(case: Case):
    yield None
    if case.a.ndim:
        yield some_dim(case)
        yield tuple(range(case.a.ndim))[::2]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "count", "any", "all", "amin", "amax", "argmin", "argmax"])
def test_masked_reductions(seed, name):
    case = make_case(seed)
    x, m = tensors(case)
    exact = {"exact": True} if name in ("sum", "mean", "var", "std") else {}
    for dim in reduced_dims(case):
        if name.startswith("arg") and isinstance(dim, tuple):
            continue
        options = {"keepdim": bool(seed % 2)}
        for keep, mask in ((m, case.mask), (None, None)):
            try:
                expected = getattr(tamis.masked, name)(x, dim, mask=keep, **options, **exact)
            except (RuntimeError, IndexError, TypeError):
                with pytest.raises(Exception):
                    numpy_of(getattr(td.masked, name)(case.x, dim, mask=mask, **options))
                continue
            assert_same(getattr(td.masked, name)(case.x, dim, mask=mask, **options), expected, (dim, case.x.chunks))


@pytest.mark.parametrize("seed", SEEDS)
def test_count_nonzero(seed):
    case = make_case(seed)
    for dim in reduced_dims(case):
        assert_same(td.count_nonzero(case.x, dim), tamis.count_nonzero(tamis.asarray(case.a), dim))


def test_sums_do_not_depend_on_chunks():
    rng = np.random.default_rng(0)
    a = (rng.standard_normal(30000) * 10.0 ** rng.integers(-8, 9, 30000)).astype(np.float64)
    import math

    for chunks in (30000, 1000, 777, (1, 29999)):
        x = da.from_array(a, chunks=chunks if isinstance(chunks, int) else (chunks,))
        assert td.masked.sum(x).compute().item() == math.fsum(a)


# ---- order --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_order_along_dimensions(seed):
    case = make_case(seed, rank=seed % 3 + 1, dtypes=["float32", "float64", "int64", "uint8", "int16"])
    if not case.a.size:
        pytest.skip("nothing has no order")
    x, m = tensors(case)
    dim = some_dim(case)
    k = int(case.rng.integers(1, case.a.shape[dim] + 1))
    for got, expected in zip(td.kthvalue(case.x, k, dim), tamis.kthvalue(x, k, dim)):
        assert_same(got, expected, "kthvalue")
    for largest in (True, False):
        for got, expected in zip(td.topk(case.x, k, dim, largest), tamis.topk(x, k, dim, largest)):
            assert_same(got, expected, "topk")
    for got, expected in zip(td.median(case.x, dim, True), tamis.median(x, dim, True)):
        assert_same(got, expected, "median")


@pytest.mark.parametrize("seed", range(20))
def test_order_of_all(seed):
    case = make_case(seed, dtypes=["float32", "float64", "int64", "uint8", "int16", "uint64"])
    x, m = tensors(case)
    if case.a.size:
        assert_same(td.median(case.x), tamis.median(x), signed_zeros=False)
    for got, expected in zip(td.unique(case.x, return_counts=True), tamis.unique(x, return_counts=True)):
        assert_same(got, expected)


@pytest.mark.parametrize("seed", range(20))
def test_quantiles(seed):
    case = make_case(seed, dtypes=["float32", "float64"])
    x, m = tensors(case)
    if not case.a.size:
        pytest.skip("nothing has no quantiles")
    how = ["linear", "lower", "higher", "midpoint", "nearest"][seed % 5]
    for dim in [None] + ([some_dim(case)] if case.a.ndim else []):
        for q in (0.3, [0.0, 0.25, 0.999, 1.0]):
            t = tamis.tensor(q, dtype=x.dtype)
            expected = tamis.quantile(x, t, dim, interpolation=how)
            # Of equal zeros with different signs, a quantile of all is +0, and that of a single array any.
            assert_same(td.quantile(case.x, q, dim, interpolation=how), expected, (dim, q), signed_zeros=False)
            expected = tamis.masked.quantile(x, t, dim, True, mask=m)
            assert_same(td.masked.quantile(case.x, q, dim, True, mask=case.mask), expected, (dim, q), signed_zeros=False)
        if dim is not None:
            expected = tamis.masked.median(x, dim, mask=m)
            assert_same(td.masked.median(case.x, dim, mask=case.mask), expected, signed_zeros=False)


def test_quantiles_of_sorted_lognormal_data_are_exact():
    a = np.sort(np.random.default_rng(1).lognormal(size=20000))
    x = da.from_array(a, chunks=1000)
    assert td.quantile(x, 0.999).compute().item() == pytest.approx(np.quantile(a, 0.999), rel=1e-15)


# ---- conditions ---------------------------------------------------------------------------------


def test_conditions_of_the_command_line():
    rng = np.random.default_rng(2)
    a = rng.standard_normal((30, 40)).astype(np.float32)
    a[a > 2] = np.nan
    limit = np.linspace(-1, 1, 40, dtype=np.float32)
    x, y = da.from_array(a, chunks=(11, 13)), da.from_array(limit, chunks=7)
    assert_same(td.where_text("x > y & ~isnan(x)", x=x, y=y), (a > limit) & ~np.isnan(a))
    assert_same(td.where_text("i > j", x=x), np.arange(30)[:, None] > np.arange(40) + np.zeros((30, 1)))
    mean, spread = np.nanmean(a, dtype=np.float64), np.nanstd(a, dtype=np.float64, ddof=1)
    found = numpy_of(td.where_text("abs(x - mean(x)) <= 2 * std(x)", x=x))
    assert np.array_equal(found, np.abs(a - np.float32(mean)) <= np.float32(2 * spread))
    found = numpy_of(td.where_text("x >= q(0.1)", x=x))
    assert np.array_equal(found, a >= np.float32(np.nanquantile(a.astype(np.float64), 0.1)))
    with pytest.raises(ValueError, match=r"(?s)zz.*\^"):
        td.where_text("x > zz", x=x)


# ---- errors and tokens --------------------------------------------------------------------------


def test_what_is_wrong_is_refused_at_the_call():
    x = da.from_array(np.arange(6.0).reshape(2, 3), chunks=2)
    with pytest.raises(TypeError, match="bool mask"):
        td.masked_select(x, x)
    with pytest.raises(ValueError):
        td.masked_select(x, np.ones((4, 5), bool))
    with pytest.raises(IndexError):
        td.select(x, np.ones(3, bool))
    with pytest.raises(IndexError):
        td.masked.sum(x, 2)
    with pytest.raises(RuntimeError):
        td.masked.sum(x, mask=np.ones((5, 2, 3), bool))
    with pytest.raises(RuntimeError, match="out of range"):
        td.kthvalue(x, 4, 1)
    with pytest.raises(RuntimeError, match="enough elements"):
        td.masked_scatter(x, np.ones((2, 3), bool), np.ones(5))
    with pytest.raises(RuntimeError):
        td.quantile(da.from_array(np.arange(3), chunks=2), 0.5)
    with pytest.raises(TypeError, match="none of Tamis"):
        td.masked_select(da.from_array(np.array(["a", "b"]), chunks=1), np.ones(2, bool))


def test_unknown_sizes_are_refused():
    if _graph.EXPRESSIONS:
        pytest.skip("this graph mode makes none")
    x = da.from_array(np.arange(6.0), chunks=2)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        td.masked_select(x[x > 2], np.ones(3, bool))


def test_names_are_deterministic():
    def make():
        x = da.from_array(np.arange(24.0).reshape(4, 6), chunks=(2, 3), name="data")
        return [td.masked_select(x, x > 3), td.masked.mean(x, 1), td.argwhere(x), td.masked_fill(x, x > 1, 0)]

    assert [tokenize(y) for y in make()] == [tokenize(y) for y in make()]
    x = da.from_array(np.arange(24.0).reshape(4, 6), chunks=(2, 3), name="data")
    assert tokenize(td.masked.mean(x, 1)) != tokenize(td.masked.mean(x, 0))
    assert td.masked_select(x, x > 3).name != td.masked_select(x, x > 4).name


def test_without_dask_the_error_says_what_to_install(tmp_path):
    (tmp_path / "dask").mkdir()
    (tmp_path / "dask" / "__init__.py").write_text("raise ImportError('no dask')\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", "import tamis\nimport tamis.dask"], env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0 and "pip install 'tamis[dask]'" in done.stderr


# ---- xarray -------------------------------------------------------------------------------------


def test_xarray_accessor():
    if _graph.EXPRESSIONS:
        pytest.skip("xarray does not know this graph mode")
    xr = pytest.importorskip("xarray")
    import tamis.dask.xarray  # noqa: F401

    rng = np.random.default_rng(3)
    a = rng.standard_normal((6, 8, 5)).astype(np.float32)
    cube = xr.DataArray(
        da.from_array(a, chunks=(2, 3, 5)), dims=("time", "lat", "lon"),
        coords={"time": np.arange(6) * 10, "lat": np.linspace(0, 1, 8), "lon": np.arange(5)}, attrs={"units": "K"},
    )  # fmt: skip
    mask = xr.DataArray(a[:, 0, 0] > 0, dims=("time",))
    chosen = cube.tamis.select(mask)
    assert chosen.dims == ("time", "lat", "lon") and chosen.attrs == {"units": "K"}
    assert np.array_equal(chosen.time, cube.time.values[mask.values])
    assert_same(chosen.data, a[mask.values])
    keep = cube > 0
    assert_same(cube.tamis.masked_select(keep.transpose("lon", "time", "lat")).data, a[a > 0])
    mean = cube.tamis.mean("time", mask=keep)
    assert mean.dims == ("lat", "lon")
    assert_same(mean.data, tamis.masked.mean(tamis.asarray(a), 0, mask=tamis.asarray(a > 0), exact=True))
    land = xr.DataArray(rng.random((5, 8)) < 0.5, dims=("lon", "lat"))
    total = cube.tamis.sum(["lat", "lon"], mask=land)
    expected = tamis.masked.sum(tamis.asarray(a), (1, 2), mask=tamis.asarray(land.values.T.copy()), exact=True)
    assert_same(total.data, expected)
    quantiles = cube.tamis.quantile([0.1, 0.9], "time")
    assert quantiles.dims == ("quantile", "lat", "lon")
    assert_same(quantiles.data, tamis.quantile(tamis.asarray(a), tamis.tensor([0.1, 0.9]), 0))
    filled = cube.tamis.masked_fill(keep, 0)
    assert filled.coords["lat"].equals(cube.lat)
    assert_same(filled.data, np.where(a > 0, np.float32(0), a))
    with pytest.raises(ValueError):
        cube.tamis.select(xr.DataArray(np.ones(8, bool), dims=("lat",)))
