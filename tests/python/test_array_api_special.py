"""The special cases that the array API standard writes out, as tables by hand: zeros, infinities and NaN."""

import math

import numpy as np
import pytest

import tamis.array_api as xp

inf, nan, pi = math.inf, math.nan, math.pi
FLOATS = ["float32", "float64"]


def is_same(got, expected, limit):
    if isinstance(expected, complex):
        return is_same(got.real, expected.real, limit) and is_same(got.imag, expected.imag, limit)
    if expected != expected:
        return got != got
    if expected == 0 or math.isinf(expected):
        return got == expected and math.copysign(1, got) == math.copysign(1, expected)
    return abs(got - expected) <= limit * abs(expected)


def check(name, dtype, rows):
    """Rows of operands, and the result after them."""
    limit = 4 * np.finfo(dtype).eps
    operands = [xp.asarray([row[i] for row in rows], dtype=getattr(xp, dtype)) for i in range(len(rows[0]) - 1)]
    result = getattr(xp, name)(*operands)
    assert result.dtype == getattr(xp, dtype)
    wrong = [(name, *row, got) for row, got in zip(rows, result.tolist()) if not is_same(got, row[-1], limit)]
    assert wrong == []
    # One by one too: 0-d arrays, and a number as the second operand.
    for row in rows:
        got = getattr(xp, name)(*[xp.asarray(v, dtype=getattr(xp, dtype)) for v in row[:-1]]).item()
        assert is_same(got, row[-1], limit), (name, *row, got)
        if len(row) == 3:
            got = getattr(xp, name)(xp.asarray(row[0], dtype=getattr(xp, dtype)), row[1]).item()
            assert is_same(got, row[-1], limit), (name, *row, got)


POW = [(x, y, 1.0) for x in (nan, inf, -inf, 0.0, -0.0, 2.0, -1.5) for y in (0.0, -0.0)] + [
    (1.0, nan, 1.0), (1.0, inf, 1.0), (1.0, -inf, 1.0), (1.0, 5.5, 1.0), (-1.0, inf, 1.0), (-1.0, -inf, 1.0),
    (nan, 1.0, nan), (nan, -2.0, nan), (2.0, nan, nan), (0.0, nan, nan),
    (2.0, inf, inf), (-2.0, inf, inf), (2.0, -inf, 0.0), (-2.0, -inf, 0.0),
    (0.5, inf, 0.0), (-0.5, inf, 0.0), (0.5, -inf, inf), (-0.5, -inf, inf), (0.0, -inf, inf), (0.0, inf, 0.0),
    (inf, 2.5, inf), (inf, -2.5, 0.0), (-inf, 3.0, -inf), (-inf, 2.0, inf), (-inf, 0.5, inf), (-inf, -3.0, -0.0),
    (-inf, -2.0, 0.0), (-inf, -0.5, 0.0), (0.0, 3.0, 0.0), (0.0, -3.0, inf), (0.0, -0.5, inf), (-0.0, 3.0, -0.0),
    (-0.0, 2.0, 0.0),
    (-0.0, 0.5, 0.0), (-0.0, -3.0, -inf), (-0.0, -2.0, inf), (-0.0, -0.5, inf), (-2.0, 0.5, nan), (-2.0, 3.0, -8.0),
]

ATAN2 = [
    (nan, 1.0, nan), (1.0, nan, nan), (1.0, 0.0, pi / 2), (1.0, -0.0, pi / 2), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0),
    (0.0, -0.0, pi),
    (0.0, -1.0, pi), (-0.0, 1.0, -0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, -pi), (-0.0, -1.0, -pi), (-1.0, 0.0, -pi / 2),
    (-1.0, -0.0, -pi / 2), (1.0, inf, 0.0), (1.0, -inf, pi), (-1.0, inf, -0.0), (-1.0, -inf, -pi), (inf, 3.0, pi / 2),
    (-inf, 3.0, -pi / 2), (inf, inf, pi / 4), (inf, -inf, 3 * pi / 4), (-inf, inf, -pi / 4), (-inf, -inf, -3 * pi / 4),
]

ZERO_QUOTIENTS = [
    (nan, 1.0, nan), (1.0, nan, nan), (inf, inf, nan), (inf, -inf, nan), (-inf, inf, nan), (-inf, -inf, nan),
    (0.0, 0.0, nan),
    (0.0, -0.0, nan), (-0.0, 0.0, nan), (-0.0, -0.0, nan), (0.0, 2.0, 0.0), (-0.0, 2.0, -0.0), (0.0, -2.0, -0.0),
    (-0.0, -2.0, 0.0),
    (1.0, 0.0, inf), (1.0, -0.0, -inf), (-1.0, 0.0, -inf), (-1.0, -0.0, inf), (inf, 2.0, inf), (inf, -2.0, -inf),
    (-inf, 2.0, -inf), (-inf, -2.0, inf),
]
DIVIDE = ZERO_QUOTIENTS + [
    (2.0, inf, 0.0), (2.0, -inf, -0.0), (-2.0, inf, -0.0), (-2.0, -inf, 0.0), (1.0, 4.0, 0.25), (inf, 0.0, inf),
    (inf, -0.0, -inf),
]
FLOOR_DIVIDE = ZERO_QUOTIENTS + [
    (2.0, inf, 0.0), (2.0, -inf, -0.0), (-2.0, inf, -0.0), (-2.0, -inf, 0.0), (7.0, 2.0, 3.0), (-7.0, 2.0, -4.0),
    (7.0, -2.0, -4.0),
]
REMAINDER = [
    (nan, 1.0, nan), (1.0, nan, nan), (inf, inf, nan), (-inf, inf, nan), (0.0, 0.0, nan), (-0.0, 0.0, nan),
    (0.0, 3.0, 0.0),
    (-0.0, 3.0, 0.0), (0.0, -3.0, -0.0), (-0.0, -3.0, -0.0), (1.0, 0.0, nan), (1.0, -0.0, nan), (-1.0, 0.0, nan),
    (-1.0, -0.0, nan),
    (inf, 2.0, nan), (inf, -2.0, nan), (-inf, 2.0, nan), (-inf, -2.0, nan), (3.0, inf, 3.0), (3.0, -inf, -inf),
    (-3.0, inf, inf),
    (-3.0, -inf, -3.0), (5.0, 3.0, 2.0), (-5.0, 3.0, 1.0), (5.0, -3.0, -1.0), (-5.0, -3.0, -2.0), (6.0, -3.0, -0.0),
    (-6.0, 3.0, 0.0),
]
HYPOT = [(x, y, inf) for x in (inf, -inf) for y in (nan, inf, -inf, 0.0, 3.0)] + [
    (nan, inf, inf), (3.0, -inf, inf), (nan, 3.0, nan), (3.0, nan, nan), (0.0, -3.0, 3.0), (-0.0, -0.0, 0.0),
    (-3.0, 4.0, 5.0),
]
LOGADDEXP = [
    (nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, inf), (1.0, inf, inf), (inf, inf, inf), (inf, -inf, inf),
    (-inf, 2.0, 2.0),
    (2.0, -inf, 2.0), (-inf, -inf, -inf), (0.0, 0.0, math.log(2)), (1000.0, 1000.0, 1000 + math.log(2)),
]
COPYSIGN = [
    (1.0, -0.0, -1.0), (1.0, 0.0, 1.0), (-3.0, 2.0, 3.0), (0.0, -2.0, -0.0), (-0.0, 2.0, 0.0), (inf, -1.0, -inf),
    (-inf, inf, inf),
    (2.0, -inf, -2.0), (nan, -1.0, nan),
]
ADD = [
    (nan, 1.0, nan), (1.0, nan, nan), (inf, -inf, nan), (-inf, inf, nan), (inf, inf, inf), (-inf, -inf, -inf),
    (inf, 1.0, inf),
    (1.0, -inf, -inf), (-0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-0.0, 3.0, 3.0), (2.0, -2.0, 0.0),
]
MULTIPLY = [
    (nan, 1.0, nan), (inf, 0.0, nan), (-0.0, -inf, nan), (inf, -inf, -inf), (-inf, -inf, inf), (inf, -2.0, -inf),
    (-0.0, 2.0, -0.0),
    (-0.0, -2.0, 0.0),
]
BINARY = {
    "pow": POW, "atan2": ATAN2, "divide": DIVIDE, "floor_divide": FLOOR_DIVIDE, "remainder": REMAINDER, "hypot": HYPOT,
    "logaddexp": LOGADDEXP, "copysign": COPYSIGN, "add": ADD, "multiply": MULTIPLY,
    "subtract": [(nan, 1.0, nan), (inf, inf, nan), (inf, -inf, inf), (-0.0, 0.0, -0.0), (0.0, 0.0, 0.0),
            (-0.0, -0.0, 0.0)],
    "maximum": [(nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, inf), (-inf, 1.0, 1.0), (-inf, -inf, -inf)],
    "minimum": [(nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, 1.0), (-inf, 1.0, -inf), (inf, inf, inf)],
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(name, dtype):
    check(name, dtype, BINARY[name])


@pytest.mark.parametrize("dtype", FLOATS)
def test_neighbours(dtype):
    least, one = float(np.finfo(dtype).smallest_subnormal), np.array(1, dtype)
    check("nextafter", dtype, [(nan, 1.0, nan), (1.0, nan, nan), (0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (1.0, 1.0, 1.0),
                               (0.0, 1.0, least), (0.0, -1.0, -least), (1.0, 2.0, float(np.nextafter(one, one * 2))),
                               (inf, 0.0, float(np.finfo(dtype).max)), (-inf, -inf, -inf)])


# ---- functions of one number -----------------------------------------------------------------------------------

NANS = [(nan, nan)]
ODD_ZEROS = [(0.0, 0.0), (-0.0, -0.0)]
UNARY = {
    "abs": [(-0.0, 0.0), (-inf, inf), (inf, inf)],
    "acos": [(1.5, nan), (-1.5, nan), (1.0, 0.0), (-1.0, pi)],
    "acosh": [(0.5, nan), (-inf, nan), (1.0, 0.0), (inf, inf)],
    "asin": [(1.5, nan), (-1.5, nan), *ODD_ZEROS, (1.0, pi / 2)],
    "asinh": [*ODD_ZEROS, (inf, inf), (-inf, -inf)],
    "atan": [*ODD_ZEROS, (inf, pi / 2), (-inf, -pi / 2)],
    "atanh": [(-1.5, nan), (1.5, nan), (-1.0, -inf), (1.0, inf), *ODD_ZEROS],
    "ceil": [(inf, inf), (-inf, -inf), *ODD_ZEROS, (-0.5, -0.0), (0.25, 1.0)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf)],
    "exp": [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0)],
    "expm1": [*ODD_ZEROS, (inf, inf), (-inf, -1.0)],
    "floor": [(inf, inf), (-inf, -inf), *ODD_ZEROS, (0.5, 0.0), (-0.25, -1.0)],
    "log": [(-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log1p": [(-2.0, nan), (-1.0, -inf), *ODD_ZEROS, (inf, inf)],
    "log2": [(-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log10": [(-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "negative": [(0.0, -0.0), (-0.0, 0.0), (inf, -inf)],
    "reciprocal": [(0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0)],
    "round": [(inf, inf), (-inf, -inf), *ODD_ZEROS, (0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (-1.5, -2.0)],
    "sign": [(-3.0, -1.0), (0.0, 0.0), (-0.0, 0.0), (3.0, 1.0), (inf, 1.0), (-inf, -1.0)],
    "sin": [*ODD_ZEROS, (inf, nan), (-inf, nan)],
    "sinh": [*ODD_ZEROS, (inf, inf), (-inf, -inf)],
    "sqrt": [(-1.0, nan), *ODD_ZEROS, (inf, inf)],
    "tan": [*ODD_ZEROS, (inf, nan), (-inf, nan)],
    "tanh": [*ODD_ZEROS, (inf, 1.0), (-inf, -1.0)],
    "trunc": [(inf, inf), (-inf, -inf), *ODD_ZEROS, (0.75, 0.0), (-0.75, -0.0)],
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name, dtype):
    check(name, dtype, UNARY[name] + NANS)


@pytest.mark.parametrize("dtype", FLOATS)
def test_signbit(dtype):
    x = xp.asarray([0.0, -0.0, inf, -inf, 1.0, -1.0], dtype=getattr(xp, dtype))
    assert xp.signbit(x).tolist() == [False, True, False, True, False, True]


@pytest.mark.parametrize("dtype", FLOATS)
def test_tiny_numbers_keep_their_digits(dtype):
    x = float(np.finfo(dtype).smallest_normal) * 2
    for name in ("expm1", "log1p", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"):
        check(name, dtype, [(x, x), (-x, -x)])
