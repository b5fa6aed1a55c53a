"""Columns of pyarrow, Polars, pandas and xarray in and out of tensors.

A library that is not installed is skipped, with its name; with TAMIS_REQUIRE_PEERS=1 it is a failure.
"""

import gc
import importlib
import os

import numpy as np
import pytest

import tamis

NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64"]


def peer(name):
    try:
        return importlib.import_module(name)
    except ImportError as e:
        if os.environ.get("TAMIS_REQUIRE_PEERS") == "1":
            pytest.fail(f"{name} is not installed, and TAMIS_REQUIRE_PEERS=1: {e}")
        pytest.skip(f"{name} is not installed: its columns are not tested")


@pytest.fixture
def pa():
    return peer("pyarrow")


@pytest.fixture
def pl():
    return peer("polars")


@pytest.fixture
def pd():
    return peer("pandas")


@pytest.fixture
def xr():
    return peer("xarray")


# ---- Arrow -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arrow_numbers_share_their_memory_both_ways(pa, dtype):
    array = pa.array(np.array([1, 2, 3, 4, 5], dtype=dtype))
    x = tamis.from_arrow(array[1:4])
    assert x.dtype is getattr(tamis, dtype) and x.tolist() == [2, 3, 4]
    assert x.data_ptr() == array.buffers()[1].address + x.itemsize
    with pytest.raises(RuntimeError, match="read-only"):
        x.fill_(0)
    del array
    gc.collect()
    assert x.tolist() == [2, 3, 4]
    y = tamis.tensor([1, 2, 3], dtype=getattr(tamis, dtype))
    out = pa.array(y)
    assert out.type == pa.from_numpy_dtype(dtype) and out.to_pylist() == [1, 2, 3]
    assert out.buffers()[1].address == y.data_ptr()
    del y
    gc.collect()
    assert out.to_pylist() == [1, 2, 3]


def test_arrow_bits(pa):
    bits = [bool((i * 7) % 3) for i in range(75)]
    a = pa.array(bits)
    for offset in (0, 1, 7, 8, 13):
        assert tamis.from_arrow(a[offset:70]).tolist() == bits[offset:70]
    assert tamis.from_arrow(pa.array([], type=pa.bool_())).tolist() == []
    assert pa.array(tamis.tensor(bits)).equals(a)
    assert tamis.to_arrow(tamis.tensor(bits)).equals(a)
    for n in range(18):
        assert tamis.from_arrow(pa.array(tamis.tensor(bits[:n], dtype=tamis.bool))).tolist() == bits[:n]


@pytest.mark.parametrize("dtype", ["bool", *NUMBERS])
def test_arrow_nulls_are_refused_filled_or_masked(pa, dtype):
    values = [None, 1, 0, None, 1, 1, None, 0, 1, 1]
    kind = pa.bool_() if dtype == "bool" else pa.from_numpy_dtype(dtype)
    array = pa.array([None if v is None else np.dtype(dtype).type(v) for v in values], type=kind)
    for offset in range(4):
        part, expected = array[offset:], values[offset:]
        first = expected.index(None)
        with pytest.raises(ValueError, match=rf"null at {first}; .*null=value.*return_mask=True"):
            tamis.from_arrow(part)
        for null in (0, 1):
            filled = tamis.from_arrow(part, null=null)
            assert filled.dtype is getattr(tamis, dtype)
            assert filled.tolist() == [null if v is None else v for v in expected]
        x, valid = tamis.from_arrow(part, return_mask=True)
        assert valid.tolist() == [v is not None for v in expected]
        assert x.tolist() == [v or 0 for v in expected]
        assert tamis.to_arrow(x, mask=valid).equals(part)
    assert tamis.from_arrow(array[1:3]).tolist() == [1, 0]
    x, valid = tamis.from_arrow(array[1:3], return_mask=True)
    assert x.tolist() == [1, 0] and valid.tolist() == [True, True]


def test_a_null_must_be_a_number_that_fits(pa):
    holes = pa.array([1, None], type=pa.int8())
    assert tamis.from_arrow(pa.array([1.5, None]), null=float("nan"))[1].isnan()
    for null in (float("nan"), 1000):
        with pytest.raises(RuntimeError, match="without overflow"):
            tamis.from_arrow(holes, null=null)
    with pytest.raises(TypeError, match="'null' must be Number, not str"):
        tamis.from_arrow(holes, null="x")


def test_masked_statistics_of_a_column_with_nulls(pa):
    values, valid = tamis.from_arrow(pa.array([4.0, None, 2.0]), return_mask=True)
    assert tamis.masked.mean(values, mask=valid) == 3


def test_arrow_chunks_are_put_together(pa):
    chunks = pa.chunked_array([[1, None], [], [3], [None, 5]])
    assert tamis.from_arrow(chunks, null=-1).tolist() == [1, -1, 3, -1, 5]
    x, valid = tamis.from_arrow(chunks, return_mask=True)
    assert valid.tolist() == [True, False, True, False, True]
    bools = pa.chunked_array([[True, False, True], [False] * 9, [True]])
    assert tamis.from_arrow(bools).tolist() == bools.to_pylist()
    assert tamis.from_arrow(pa.chunked_array([], type=pa.int16())).dtype is tamis.int16
    assert tamis.from_arrow(pa.table({"a": [1, 2]})["a"]).tolist() == [1, 2]


def test_arrow_arrays_go_where_arrays_go(pa):
    array = pa.array([1, 2, 3])
    assert tamis.masked_select(array, pa.array([True, False, True])).tolist() == [1, 3]
    assert tamis.asarray(array).data_ptr() == array.buffers()[1].address
    assert (tamis.ones(3) + array).tolist() == [2, 3, 4]
    assert tamis.arange(3)[pa.array([False, True, True])].tolist() == [1, 2]
    with pytest.raises(ValueError, match="null at 1"):
        tamis.asarray(pa.array([1, None]))
    with pytest.raises(ValueError, match="bits"):
        tamis.asarray(pa.array([True]), copy=False)
    assert pa.table({"a": tamis.arange(2)})["a"].to_pylist() == [0, 1]
    assert pa.array(tamis.arange(3)).cast(pa.float64()).to_pylist() == [0.0, 1.0, 2.0]
    assert array.filter(pa.array(tamis.tensor([True, False, True]))).to_pylist() == [1, 3]


def test_arrow_types_that_tamis_lacks_are_type_errors(pa):
    for array in (
        pa.array(["a"]),
        pa.array([None]),
        pa.array([[1]]),
        pa.array([1], type=pa.timestamp("s")),
    ):
        with pytest.raises(TypeError, match="no dtype for Arrow's format .*cast"):
            tamis.from_arrow(array)
    with pytest.raises(TypeError, match="dictionary_decode"):
        tamis.from_arrow(pa.array([1, 1]).dictionary_encode())
    for table in (pa.record_batch({"a": [1]}), pa.table({"a": [1]})):
        with pytest.raises(TypeError, match="one of its columns"):
            tamis.from_arrow(table)


def test_tensors_that_are_no_arrow_arrays(pa):
    with pytest.raises(TypeError, match=r"one dimension, but the shape is \(2, 3\); write x.flatten\(\)"):
        pa.array(tamis.ones(2, 3))
    for x in (tamis.ones(2, dtype=tamis.bfloat16), tamis.ones(2, dtype=tamis.complex64)):
        with pytest.raises(TypeError, match="no dtype .*x.float"):
            pa.array(x)
    with pytest.raises(TypeError, match=r"bool mask of shape \(2,\), but got bool of shape \(3,\)"):
        tamis.to_arrow(tamis.ones(2), mask=tamis.ones(3, dtype=tamis.bool))


def test_views_and_deferred_tensors_become_arrow_arrays(pa):
    x = tamis.arange(6).reshape(2, 3)
    assert pa.array(x[:, 1]).to_pylist() == [1, 4]
    assert pa.array(x[0] * 2).to_pylist() == [0, 2, 4]
    assert pa.array(x[0] > 0).to_pylist() == [False, True, True]
    assert pa.array(tamis.tensor(7).expand(3)).to_pylist() == [7, 7, 7]


# ---- Polars ----------------------------------------------------------------------------------------------------


def test_polars_series_in_and_out(pl):
    series = pl.Series("a", [1.5, None, 2.5])
    assert tamis.from_arrow(series, null=0).tolist() == [1.5, 0, 2.5]
    values, valid = tamis.from_arrow(series.append(pl.Series([None, 4.0])), return_mask=True)
    assert valid.tolist() == [True, False, True, False, True] and values.sum() == 8
    for x in (tamis.arange(3), tamis.arange(3) > 0, tamis.tensor([0.5, 1.5, 2.5])):
        out = pl.Series("x", x)
        assert out.to_list() == x.tolist()
        assert tamis.from_arrow(out).dtype is x.dtype
    assert pl.DataFrame({"x": tamis.arange(2)})["x"].to_list() == [0, 1]
    with pytest.raises(TypeError, match="one of its columns"):
        tamis.from_arrow(pl.DataFrame({"x": [1]}))


def test_polars_filters_by_a_mask(pl):
    frame = pl.DataFrame({"a": [1, 2, 3]})
    mask = tamis.from_arrow(frame["a"]) > 1
    assert frame.filter(pl.Series(mask))["a"].to_list() == [2, 3]
    assert frame.filter(mask.numpy())["a"].to_list() == [2, 3]
    with pytest.raises(TypeError):
        frame.filter(mask)


# ---- pandas ----------------------------------------------------------------------------------------------------


def test_pandas_columns_in_and_out(pd):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0]})
    assert tamis.asarray(frame["b"]).tolist() == [4, 5, 6]
    assert tamis.asarray(frame).shape == (3, 2)
    frame["c"] = tamis.tensor([7.0, 8.0, 9.0])
    assert frame["c"].tolist() == [7, 8, 9]
    assert pd.Series(tamis.tensor([True, False])).dtype == bool
    for result in (frame["b"] + tamis.ones(3), np.add(tamis.ones(3), frame["b"]), np.add(frame["b"], tamis.ones(3))):
        assert isinstance(result, pd.Series) and result.tolist() == [5, 6, 7]


def test_pandas_filters_by_a_mask(pd):
    frame = pd.DataFrame({"a": [1, 2, 3]})
    mask = tamis.asarray(frame["a"]) > 1
    for m in (mask, mask.numpy()):
        assert frame[m]["a"].tolist() == [2, 3]
        assert frame.loc[m, "a"].tolist() == [2, 3] and frame.loc[m]["a"].tolist() == [2, 3]
        assert frame["a"][m].tolist() == frame["a"].loc[m].tolist() == [2, 3]
        assert frame["a"].where(m, 0).tolist() == [0, 2, 3] and frame["a"].mask(m, 0).tolist() == [1, 0, 0]
    assert frame.iloc[mask]["a"].tolist() == frame["a"].iloc[mask].tolist() == [2, 3]
    assert frame[mask.clone()[:0].reshape(0).new_zeros(3, dtype=tamis.bool)].shape == (0, 1)
    with pytest.raises(ValueError, match="Item wrong length"):
        frame[mask[:2]]
    changed = frame.copy()
    changed.loc[mask, "a"] = 0
    assert changed["a"].tolist() == [1, 0, 0]
    changed[mask] = 7
    assert changed["a"].tolist() == [1, 7, 7]


def test_pandas_takes_tensors_everywhere_else_as_before(pd):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
    assert frame.where(tamis.asarray(frame) > 2, 0).values.tolist() == [[0, 4], [0, 5], [3, 6]]
    assert frame.assign(c=tamis.tensor([7.0, 8.0, 9.0]))["c"].tolist() == [7, 8, 9]
    assert pd.Series(tamis.arange(3)).tolist() == [0, 1, 2] and pd.Index(tamis.arange(3)).tolist() == [0, 1, 2]
    assert pd.DataFrame(tamis.ones(2, 3)).shape == (2, 3) and pd.DataFrame({"a": tamis.arange(2)})["a"].tolist() == [0, 1]
    assert pd.concat([frame["a"], pd.Series(tamis.arange(2))]).tolist() == [1, 2, 3, 0, 1]
    assert frame["a"].clip(tamis.tensor([2, 2, 2])).tolist() == [2, 2, 3]


# ---- xarray ----------------------------------------------------------------------------------------------------


def test_xarray_holds_tensors(xr):
    x = tamis.tensor([[1.0, 2.0], [float("nan"), 4.0]])
    held = xr.DataArray(x, dims=("row", "column"))
    assert held.data is x
    assert isinstance((held + 1).data, tamis.Tensor)
    assert held.sum().item() == 7
    np.testing.assert_allclose(held.mean().values, 7 / 3, rtol=1e-6)
    np.testing.assert_allclose(held.mean("row").values, [1, 3])
    assert held.max("column").values.tolist() == [2, 4]
    assert held.isnull().values.tolist() == [[False, False], [True, False]]
    assert held.transpose("column", "row").values.tolist()[1] == [2, 4]
    assert held.isel(row=0).values.tolist() == [1, 2]
    assert xr.DataArray(tamis.arange(4)).sum().item() == 6


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "float64"])
def test_xarray_reduces_integers_as_numpys(xr, dtype):
    a = np.array([[3, 0, 1], [2, 5, 4]]).astype(dtype)
    ours, theirs = (xr.DataArray(x, dims=("row", "column")) for x in (tamis.asarray(a), a))
    for name in ("mean", "std", "var"):
        for dim in (None, "row", "column"):
            for options in ({}, {"ddof": 1} if name != "mean" else {}):
                got, want = getattr(ours, name)(dim, **options), getattr(theirs, name)(dim, **options)
                assert got.values.dtype == want.values.dtype == np.float64
                np.testing.assert_allclose(got.values, want.values)


def test_xarray_takes_tensors_where_it_takes_functions(xr):
    x = tamis.tensor([1.0, 2.0, 3.0])
    held = xr.DataArray(x.numpy(), dims="i")
    assert held.where(x > 1, 0).values.tolist() == [0, 2, 3]
    assert xr.where(x > 1, x, 0).tolist() == [0, 2, 3]
    assert held.to_dataset(name="a").assign(b=("i", x))["b"].values.tolist() == [1, 2, 3]
    assert held.assign_coords(j=("i", x))["j"].values.tolist() == [1, 2, 3]
    assert (x > 1)(held).tolist() == [False, True, True] and isinstance((x > 1)(held), np.ndarray)
