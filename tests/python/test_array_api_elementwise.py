"""Elementwise functions of the array API standard against array-api-strict: dtypes, edges, shapes and numbers."""

import numpy as np
import pytest

import tamis.array_api as xp
from standard import (
    COMPLEX, DTYPES, FLOATS, INTEGERS, NUMERIC, REAL, as_numpy, assert_same, call_both, modest, ours, strict, values,
)

# The functions of one array, with the dtypes that they take, and by how many units in the last place they may be off.
EXACT = {
    "abs": REAL, "bitwise_invert": ["bool"] + INTEGERS, "ceil": REAL, "conj": NUMERIC, "floor": REAL, "imag": COMPLEX,
    "isfinite": NUMERIC, "isinf": NUMERIC, "isnan": NUMERIC, "logical_not": ["bool"], "negative": NUMERIC,
    "positive": NUMERIC, "real": NUMERIC, "round": NUMERIC, "sign": REAL, "signbit": FLOATS, "sqrt": FLOATS,
    "square": REAL, "trunc": REAL, "reciprocal": FLOATS,
}
ELEMENTARY = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log1p", "log2",
        "log10",
        "sin", "sinh", "tan", "tanh"]


@pytest.mark.parametrize("name", EXACT)
def test_exact_functions_of_one_array(name):
    for dtype in EXACT[name]:
        call_both(name, values(dtype))
        call_both(name, values(dtype)[1:2].reshape(()))
        call_both(name, values(dtype)[:0].reshape(0, 3))


@pytest.mark.parametrize("name", ELEMENTARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_elementary_functions(name, dtype):
    call_both(name, values(dtype), ulps=4)
    call_both(name, modest(dtype, (3, 1, 40)), ulps=4)
    call_both(name, np.array(0.375, dtype), ulps=4)


@pytest.mark.parametrize("name", ELEMENTARY + ["abs", "reciprocal", "sign", "sqrt", "square"])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_functions_of_complex_numbers(name, dtype):
    z = modest(dtype, (4, 50))
    # In double precision, of which rounding leaves nothing in single precision.
    got = as_numpy(getattr(xp, name)(ours(z)))
    expected = as_numpy(getattr(strict, name)(strict.asarray(z.astype("complex128"))))
    assert got.dtype == (dtype if name != "abs" else "float32" if dtype == "complex64" else "float64")
    limit = np.finfo(dtype).eps * 16
    np.testing.assert_allclose(got, expected, rtol=limit, atol=limit)


TWO = {
    "add": NUMERIC, "bitwise_and": ["bool"] + INTEGERS, "bitwise_or": ["bool"] + INTEGERS,
    "bitwise_xor": ["bool"] + INTEGERS, "copysign": FLOATS, "divide": FLOATS, "equal": DTYPES, "greater": REAL,
    "greater_equal": REAL, "less": REAL, "less_equal": REAL, "logical_and": ["bool"], "logical_or": ["bool"],
    "logical_xor": ["bool"], "maximum": REAL, "minimum": REAL, "multiply": REAL, "nextafter": FLOATS,
    "not_equal": DTYPES,
    "subtract": NUMERIC,
}


def pairs(dtype):
    """All pairs of edges."""
    x = values(dtype)
    return x[:, None], x[None, :]


@pytest.mark.parametrize("name", TWO)
def test_exact_functions_of_two_arrays(name):
    for dtype in TWO[name]:
        a, b = pairs(dtype)
        if name in ("maximum", "minimum") and dtype in FLOATS:
            # Which zero is the larger one is left open.
            a, b = a[~((a == 0) & np.signbit(a))][:, None], b[~((b == 0) & np.signbit(b))][None, :]
        call_both(name, a, b)
        call_both(name, a[:1, 0].reshape(()), b[0])
        call_both(name, a[:0], b)


@pytest.mark.parametrize("name, ulps", [("atan2", 4), ("hypot", 2), ("logaddexp", 4), ("pow", 4)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_elementary_functions_of_two_arrays(name, ulps, dtype):
    a, b = pairs(dtype)
    call_both(name, a, b, ulps=ulps)
    call_both(name, np.abs(modest(dtype, (20, 1))), modest(dtype, (1, 20), 1), ulps=ulps)


@pytest.mark.parametrize("dtype", REAL)
def test_division_to_integers(dtype):
    a, b = pairs(dtype)
    b = b[np.isfinite(b) & (b != 0)][None, :]
    a = a[np.isfinite(a)][:, None]
    if dtype in INTEGERS:
        b = b[b != -1][None, :]  # the least integer has no negative
    call_both("remainder", a, b)
    if dtype in INTEGERS:
        call_both("floor_divide", a, b)
    else:
        call_both("floor_divide", a, b, ulps=1)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype):
    x = values(dtype)
    call_both("pow", modest(dtype, (5, 1)) % 4, modest(dtype, (1, 5), 1) % 4)
    bits = np.arange(np.iinfo(dtype).bits - 1, dtype=dtype)
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        call_both(name, x[:, None], bits[None, :])
        call_both(name, x, 2)


@pytest.mark.parametrize("name", sorted(set(TWO) - {"copysign", "nextafter"} | {"atan2", "hypot", "logaddexp", "pow"}))
def test_numbers_as_one_operand(name):
    kinds = TWO.get(name, FLOATS)
    for dtype in kinds:
        number = True if dtype == "bool" else 2 if dtype in INTEGERS else 2.0 if dtype in FLOATS else 2j
        x = modest(dtype, (2, 3))
        x = np.abs(x) if name == "pow" else x
        call_both(name, x, number, ulps=4 if name in ("pow", "atan2", "hypot", "logaddexp") else 0)
        call_both(name, number, x, ulps=4 if name in ("pow", "atan2", "hypot", "logaddexp") else 0)


@pytest.mark.parametrize("a, b",
        [("int8", "int64"), ("uint8", "int8"), ("float32", "float64"), ("float32", "complex64"),
        ("float64", "complex64"), ("complex64", "complex128"), ("uint16", "int32")])
def test_mixed_dtypes_and_dimensions(a, b):
    for one, other in (((3, 1), (4,)), ((), (4,)), ((2, 3), ()), ((0, 2), (2,))):
        for name in ("add", "subtract", "multiply", "equal"):
            # NumPy rounds the products of complex numbers once less where the CPU can.
            call_both(name, modest(a, one), modest(b, other, 1),
                    ulps=8 if (name, b) == ("multiply", "complex128") else 0)


def test_numbers_too_large_for_integers():
    x = xp.asarray([1.0, 2.0])
    assert_same(xp.multiply(x, 2**70), ours(np.float32([2.0**70, 2.0**71])))


# ---- clip ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
def test_clip(dtype):
    x = modest(dtype, (3, 4))
    low, high = (2, 4) if dtype in INTEGERS else (-0.5, 1.0)
    for options in ({}, {"min": low}, {"max": high}, {"min": low, "max": high}):
        call_both("clip", x, **options)
        call_both("clip", x, **{k: np.array(v, dtype) for k, v in options.items()})
        call_both("clip", x, **{k: np.full((2, 1, 4), v, dtype) for k, v in options.items()})
    call_both("clip", x[:0], min=low)


def test_clip_keeps_the_dtype_and_nan():
    x = ours(np.float32([np.nan, -1, 5]))
    assert_same(xp.clip(x, 0.0, 2.0), ours(np.float32([np.nan, 0, 2])))
    assert_same(xp.clip(x, ours(np.float64([0, np.nan, 0])), None), ours(np.float32([np.nan, np.nan, 5])))
    assert xp.clip(ours(np.int8([1, 2])), ours(np.int64([2, 0]))).dtype == xp.int8
    # Bounds that no element can reach bound nothing.
    assert_same(xp.clip(ours(np.int8([-128, 127])), -1000, 1000), ours(np.int8([-128, 127])))
    y = xp.clip(x)
    y[0] = 1.0
    assert np.isnan(x.numpy()[0])


def test_where_takes_numbers():
    mask = np.array([True, False, True])
    for dtype in DTYPES:
        x = modest(dtype, (2, 3))
        number = True if dtype == "bool" else 3 if dtype in INTEGERS else 1.5 if dtype in FLOATS else 1j
        call_both("where", mask, x, number)
        call_both("where", mask, number, x)
        call_both("where", mask, x, x[0])
    call_both("where", mask, modest("float32", ()), modest("float64", (3,)))


# ---- operators -------------------------------------------------------------------------------------------------

OPERATORS = {
    "+": ("add", NUMERIC), "-": ("subtract", NUMERIC), "*": ("multiply", REAL), "/": ("divide", FLOATS),
    "//": ("floor_divide", INTEGERS), "%": ("remainder", INTEGERS), "**": ("pow", INTEGERS),
    "&": ("bitwise_and", ["bool"] + INTEGERS),
    "|": ("bitwise_or", ["bool"] + INTEGERS), "^": ("bitwise_xor", ["bool"] + INTEGERS),
    "<<": ("bitwise_left_shift", INTEGERS),
    ">>": ("bitwise_right_shift", INTEGERS), "<": ("less", REAL), "<=": ("less_equal", REAL), ">": ("greater", REAL),
    ">=": ("greater_equal", REAL), "==": ("equal", DTYPES), "!=": ("not_equal", DTYPES), "@": ("matmul", NUMERIC),
}


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_are_the_functions(symbol):
    name, kinds = OPERATORS[symbol]
    for dtype in kinds:
        a, b = modest(dtype, (3, 3)), modest(dtype, (3, 3), 1)
        expected = getattr(strict, name)(strict.asarray(a), strict.asarray(b))
        ulps = 8 if symbol == "@" else 0
        assert_same(eval(f"a {symbol} b", {"a": ours(a), "b": ours(b)}), expected, ulps)
        if symbol in ("<", "<=", ">", ">=", "==", "!="):
            continue
        names = {"a": ours(a), "b": ours(b)}
        exec(f"a {symbol}= b", names)
        assert_same(names["a"], expected, ulps)
        if symbol != "@":
            two = True if dtype == "bool" else 2
            reflected = eval(f"n {symbol} b", {"n": two, "b": ours(b)})
            assert_same(reflected, getattr(strict, name)(strict.asarray(np.array(two, dtype)), strict.asarray(b)))


def test_unary_operators():
    x = ours(np.int8([1, -2]))
    assert (-x).tolist() == [-1, 2] and (+x).tolist() == [1, -2]
    assert abs(x).tolist() == [1, 2] and (~x).tolist() == [-2, 1]


def test_numbers_out_of_arrays():
    assert int(xp.asarray(2.75)) == 2 and float(xp.asarray(3)) == 3.0 and complex(xp.asarray(2.0)) == 2
    assert complex(xp.asarray(1 + 2j)) == 1 + 2j and bool(xp.asarray(1j)) is True and bool(xp.asarray(0.0)) is False
    assert [10, 20, 30][xp.asarray(1, dtype=xp.uint8)] == 20 and xp.asarray(5).__index__() == 5
    with pytest.raises(TypeError):
        xp.asarray(1.0).__index__()
    for conversion in (int, float, complex, bool):
        with pytest.raises((TypeError, RuntimeError, ValueError)):
            conversion(xp.ones(2))
