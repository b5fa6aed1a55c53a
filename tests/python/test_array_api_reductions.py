"""Statistics, sorting, searching, sets and products of the array API standard against array-api-strict."""

import itertools

import numpy as np
import pytest

import tamis.array_api as xp
from standard import (
    COMPLEX, DTYPES, FLOATS, INTEGERS, NUMERIC, REAL, as_numpy, assert_same, call_both, modest, ours, strict, theirs,
    values,
)

SHAPES = [(), (3,), (2, 3, 4), (1, 5), (0,), (2, 0, 3)]


def axes_for(shape):
    yield None
    if shape:
        yield from (0, -1, (0, -1) if len(shape) > 1 else (0,), ())


def accumulated(dtype):
    """The dtype of sums. While there is no uint64, those of unsigned integers are int64's."""
    return "uint64" if dtype.startswith("u") and "uint64" in DTYPES else "int64" if dtype in INTEGERS else dtype


def reduced(name, x, ulps=0, **options):
    """As call_both, with the dtype of sums said to the reference."""
    if "dtype" not in options:
        options = {**options, "dtype": accumulated(str(x.dtype))}
        got = getattr(xp, name)(ours(x), **{k: v for k, v in options.items() if k != "dtype"})
        expected = getattr(strict, name)(theirs(x), **{**options, "dtype": getattr(strict, options["dtype"])})
        assert_same(got, expected, ulps, (name, x.dtype, x.shape, options))
    else:
        call_both(name, x, ulps=ulps, **options)


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("dtype", NUMERIC)
def test_sums_and_products(name, dtype):
    ulps = 0 if dtype in INTEGERS else 16
    for shape, keepdims in itertools.product(SHAPES, (False, True)):
        for axis in axes_for(shape):
            x = np.array(np.abs(modest(dtype, shape)), dtype)  # so that nothing cancels
            reduced(name, x, ulps, axis=axis, keepdims=keepdims)
    wide = "complex128" if dtype in COMPLEX else "float64"
    reduced(name, modest(dtype, (2, 3)), 16, axis=0, dtype=wide)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("dtype", NUMERIC)
def test_cumulative(name, dtype):
    for shape, initial in itertools.product([(4,), (2, 3), (0,), (2, 0)], (False, True)):
        x = np.abs(modest(dtype, shape)).astype(dtype)
        for axis in ([None] if len(shape) == 1 else []) + [0, -1]:
            reduced(name, x, 0 if dtype in INTEGERS else 8, axis=axis, include_initial=initial)
    reduced(name, np.abs(modest(dtype, (3,))).astype(dtype), 8, dtype="complex128")
    with pytest.raises(ValueError, match="axis"):
        getattr(xp, name)(xp.ones((2, 2)))


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", REAL)
def test_extremes(name, dtype):
    for shape, keepdims in itertools.product([(3,), (2, 3, 4), ()], (False, True)):
        for axis in axes_for(shape):
            call_both(name, modest(dtype, shape), axis=axis, keepdims=keepdims)
    if dtype in FLOATS:
        call_both(name, values(dtype))
        call_both(name, np.array([[np.nan, 1], [2, np.inf]], dtype), axis=1)
    with pytest.raises((ValueError, RuntimeError, IndexError)):
        getattr(xp, name)(xp.ones(0))


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX)
def test_means(dtype):
    for shape, keepdims in itertools.product([(3,), (2, 3, 4), ()], (False, True)):
        for axis in axes_for(shape):
            x = np.array(np.abs(modest(dtype, shape)), dtype)
            call_both("mean", x, ulps=8, axis=axis, keepdims=keepdims)
    call_both("mean", np.zeros((0,), dtype))
    call_both("mean", np.array([1, complex(np.nan, np.nan) if dtype in COMPLEX else np.nan], dtype))


@pytest.mark.parametrize("name", ["std", "var"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_deviations(name, dtype):
    for shape, keepdims in itertools.product([(5,), (3, 4, 2)], (False, True)):
        for axis, correction in itertools.product(axes_for(shape), (0, 1, 0.5, 1.0)):
            if axis == () and correction == 1:
                continue  # nothing divided by nothing
            call_both(name, modest(dtype, shape), ulps=16, axis=axis, keepdims=keepdims, correction=correction)
    call_both(name, modest(dtype, ()))
    call_both(name, np.array([1, np.nan, 2], dtype))


@pytest.mark.parametrize("name", ["all", "any", "count_nonzero"])
def test_truth(name):
    for dtype in DTYPES:
        for shape, keepdims in itertools.product(SHAPES, (False, True)):
            x = (np.arange(np.prod(shape, dtype=int)) % 3).reshape(shape).astype(dtype)
            for axis in axes_for(shape):
                call_both(name, x, axis=axis, keepdims=keepdims)
    call_both(name, values("float64"))
    call_both(name, values("complex64"))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_diff(dtype):
    x, y = modest(dtype, (3, 4)), modest(dtype, (3, 2), 1)
    for axis, n in itertools.product((0, 1, -1), (0, 1, 2, 5)):
        call_both("diff", x, axis=axis, n=n)
    call_both("diff", x, axis=1, prepend=y, append=y)
    call_both("diff", x, prepend=y)
    call_both("diff", x[0])


# ---- order -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sort", "argsort"])
@pytest.mark.parametrize("dtype", REAL)
def test_sorting(name, dtype):
    for shape in ((7,), (3, 4), (2, 0), (1,)):
        for axis, descending in itertools.product((-1, 0), (False, True)):
            call_both(name, modest(dtype, shape), axis=axis, descending=descending)
    assert_same(xp.sort(ours(modest(dtype, (9,))), stable=False), strict.sort(theirs(modest(dtype, (9,)))))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", REAL)
def test_where_extremes_are(name, dtype):
    for shape, keepdims in itertools.product([(7,), (3, 4), ()], (False, True)):
        for axis in (None, 0, -1) if shape else (None,):
            call_both(name, modest(dtype, shape), axis=axis, keepdims=keepdims)
    if dtype in FLOATS:
        call_both(name, np.array([[1, np.nan, np.nan], [np.inf, -np.inf, 0]], dtype), axis=1)


@pytest.mark.parametrize("dtype", REAL)
def test_searchsorted(dtype):
    x = np.array([1, 2, 2, 4, 7], dtype)
    for side in ("left", "right"):
        call_both("searchsorted", x, np.array([[0, 2], [3, 9]], dtype), side=side)
        call_both("searchsorted", x, np.array(2, dtype), side=side)
        call_both("searchsorted", x[::-1].copy(), np.array([2, 5], dtype), side=side, sorter=np.arange(4, -1, -1))
    call_both("searchsorted", x[:0], np.array([1], dtype))
    with pytest.raises(ValueError):
        xp.searchsorted(ours(x), ours(x), side="middle")


def test_nonzero():
    for dtype in DTYPES:
        call_both("nonzero", (np.arange(6) % 3).reshape(2, 3).astype(dtype))
    call_both("nonzero", np.zeros((2, 0)))
    call_both("nonzero", values("float32"))
    with pytest.raises(ValueError):
        xp.nonzero(xp.asarray(1))


def test_isin():
    assert xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1], dtype=xp.int8)).tolist() == [True, False, True]
    assert xp.isin(xp.asarray([1, 2, 3]), 2, invert=True).tolist() == [True, False, True]


# ---- sets ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_distinct_values(dtype):
    for shape in ((), (6,), (2, 3), (0,)):
        x = modest(dtype, shape)
        for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
            call_both(name, x)
            call_both(name, np.concatenate([x.ravel(), x.ravel()]))


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX)
def test_distinct_zeros_and_nans(dtype):
    x = ours(np.array([0.0, np.nan, -0.0, 1, np.nan, 1], dtype))
    found = xp.unique_all(x)
    assert sorted(found.counts.tolist()) == [1, 1, 2, 2] and found.values.shape == (4,)
    assert int(xp.count_nonzero(xp.isnan(found.values))) == 2
    for i, (value, first) in enumerate(zip(as_numpy(found.values), found.indices.tolist())):
        np.testing.assert_array_equal(as_numpy(x)[first], value)
        assert found.inverse_indices.tolist().index(i) == first
    assert xp.unique_counts(x)._fields == ("values", "counts")
    assert xp.unique_inverse(x)._fields == ("values", "inverse_indices")
    assert found._fields == ("values", "indices", "inverse_indices", "counts")


# ---- products --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMERIC)
def test_products_of_matrices(dtype):
    ulps = 0 if dtype in INTEGERS else 64

    def positive(*shape):
        return np.abs(modest(dtype, shape)).astype(dtype)

    for a, b in (((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((5, 2, 3), (3, 2)),
            ((2, 1, 2, 3), (4, 3, 2)), ((2, 0), (0, 3))):
        call_both("matmul", positive(*a), positive(*b), ulps=ulps)
    for axes in (0, 1, 2, ((1,), (0,)), ((0, 1), (1, 0)), ((-1,), (-2,)), ((), ())):
        call_both("tensordot", positive(3, 3), positive(3, 3), ulps=ulps, axes=axes)
    for a, b, axis in (((3,), (3,), -1), ((2, 3), (3,), -1), ((2, 3, 4), (3, 4), -2), ((0,), (0,), -1),
            ((2, 1, 3), (4, 3), -1)):
        call_both("vecdot", positive(*a), positive(*b), ulps=ulps, axis=axis)
    other = "int16" if dtype == "int8" else "complex128" if dtype in FLOATS else dtype
    call_both("matmul", positive(2, 2), np.ones((2, 2), other), ulps=ulps)


def test_vecdot_conjugates_the_first():
    x, y = xp.asarray([1j, 2 + 1j]), xp.asarray([1j, 1.0 + 0j])
    assert xp.vecdot(x, y).item() == (-1j * 1j) + (2 - 1j)


def test_products_that_do_not_fit():
    for bad in (lambda: xp.matmul(xp.ones(()), xp.ones(3)), lambda: xp.vecdot(xp.ones(3), xp.ones(1)),
            lambda: xp.vecdot(xp.ones(3), xp.ones(3), axis=0),
            lambda: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=1),
            lambda: xp.matrix_transpose(xp.ones(3))):
        with pytest.raises(ValueError):
            bad()
    with pytest.raises((ValueError, RuntimeError)):
        xp.matmul(xp.ones((2, 3)), xp.ones((2, 3)))
