"""What the tests of the array API standard share: array-api-strict, its reference implementation, beside ours.

Without array-api-strict they are skipped; with TAMIS_REQUIRE_PEERS=1 that is a failure.
"""

import importlib
import os
import warnings

import numpy as np
import pytest

import tamis.array_api as xp

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
          "complex64", "complex128"]
INTEGERS = [name for name in DTYPES if "int" in name]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NUMERIC = INTEGERS + FLOATS + COMPLEX
REAL = INTEGERS + FLOATS


def reference():
    """array_api_strict, or the reason why this file is skipped."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            strict = importlib.import_module("array_api_strict")
    except ImportError:
        if os.environ.get("TAMIS_REQUIRE_PEERS") == "1":
            raise
        pytest.skip("array-api-strict is not installed", allow_module_level=True)
    assert strict.__array_api_version__ == "2024.12"
    return strict


strict = reference()
StrictArray = type(strict.ones(1))

_EDGES = {
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, -7.25, 1e-3, 1e10, -1e10, np.inf, -np.inf, np.nan],
    "i": [0, 1, -1, 2, -2, 3, 7, -7, 100, -100],
    "u": [0, 1, 2, 3, 7, 100, 200],
}


def values(dtype):
    """Numbers of a dtype as a NumPy array: ordinary ones and all the edges."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([True, False, True, True, False])
    if kind == "c":
        part = np.dtype(dtype).type(0).real.dtype
        parts = [0.0, -0.0, 1.0, -2.5, 0.25, np.inf, -np.inf, np.nan]
        z = np.empty(len(parts) ** 2, dtype)
        z.real, z.imag = np.repeat(np.array(parts, part), len(parts)), np.tile(np.array(parts, part), len(parts))
        return z
    limits = np.finfo(dtype) if kind == "f" else np.iinfo(dtype)
    edges = [limits.max, limits.min] + ([limits.smallest_normal, limits.smallest_subnormal] if kind == "f" else [])
    return np.concatenate([np.array(_EDGES[kind]).astype(dtype), np.array(edges, dtype)])


def modest(dtype, shape, seed=0):
    """Small finite numbers of a dtype, none of them 0."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array(rng.integers(0, 2, shape), bool)
    if kind in "iu":
        return np.array(rng.integers(1, 6, shape), dtype)
    x = rng.uniform(0.25, 2, shape) * rng.choice([-1, 1], shape)
    return np.array(x + 1j * rng.uniform(0.25, 2, shape) if kind == "c" else x, dtype)


def ours(a):
    return xp.asarray(np.array(a))


def theirs(a):
    return strict.asarray(np.array(a))


def as_numpy(x):
    return np.asarray(x._array if isinstance(x, StrictArray) else x.detach().numpy())


def assert_same(got, expected, ulps=0, context=""):
    """Equal shapes, dtypes and values; zeros with their signs, NaN where there is NaN."""
    a, b = as_numpy(got), as_numpy(expected)
    assert a.shape == b.shape, (context, a.shape, b.shape)
    assert a.dtype == b.dtype, (context, a.dtype, b.dtype)
    for x, y in [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]:
        _assert_equal(x, y, ulps, context)


def _assert_equal(x, y, ulps, context):
    if x.dtype.kind != "f":
        np.testing.assert_array_equal(x, y, err_msg=str(context))
        return
    np.testing.assert_array_equal(np.isnan(x), np.isnan(y), err_msg=str(context))
    there = ~np.isnan(x)
    x, y = x[there], y[there]
    if ulps == 0:
        np.testing.assert_array_equal(x, y, err_msg=str(context))
        np.testing.assert_array_equal(np.signbit(x), np.signbit(y), err_msg=str(context))
        return
    finite = np.isfinite(y)
    np.testing.assert_array_equal(x[~finite], y[~finite], err_msg=str(context))
    x, y = x[finite], y[finite]
    with np.errstate(all="ignore"):
        off = ~(np.abs(x - y) <= ulps * np.spacing(np.abs(y))) & (x != y)
    assert not off.any(), (context, x[off][:5], y[off][:5])


def call_both(name, *arrays, ulps=0, **options):
    """Calls a function of both namespaces with NumPy arrays and numbers, and compares the results."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(strict, name)(*[convert(a, theirs) for a in arrays], **for_library(options, strict, theirs))
    got = getattr(xp, name)(*[convert(a, ours) for a in arrays], **for_library(options, xp, ours))
    context = (name, [getattr(a, "dtype", a) for a in arrays], options)
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected) and isinstance(got, (tuple, list)), context
        for a, b in zip(got, expected):
            assert_same(a, b, ulps, context)
    else:
        assert_same(got, expected, ulps, context)


def convert(a, to):
    if isinstance(a, np.ndarray):
        return to(a)
    return [to(part) for part in a] if isinstance(a, list) else a


def for_library(options, library, to):
    return {
        key: getattr(library, value) if key == "dtype" and value is not None else convert(value, to)
        for key, value in options.items()
    }
