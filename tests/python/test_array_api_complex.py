"""The special cases of complex numbers in the array API standard, as tables by hand, and digits near branch points."""

import cmath
import math
from fractions import Fraction

import numpy as np
import pytest

import tamis.array_api as xp
from test_array_api_special import inf, is_same, nan, pi

COMPLEX = ["complex64", "complex128"]
anything = object()  # a part that the standard leaves open, or of which it leaves the sign open


def c(re, im):
    return complex(re, im)


# x, then the parts of the result. Where the standard says the same of conj(x), it is not repeated: see below.
EXP = [
    (c(0.0, 0.0), 1.0, 0.0), (c(-0.0, 0.0), 1.0, 0.0), (c(1.0, inf), nan, nan), (c(1.0, nan), nan, nan),
    (c(inf, 0.0), inf, 0.0),
    (c(-inf, 2.0), -0.0, 0.0), (c(inf, 2.0), -inf, inf), (c(-inf, inf), anything, anything),
    (c(inf, inf), anything, nan),
    (c(-inf, nan), anything, anything), (c(inf, nan), anything, nan), (c(nan, 0.0), nan, 0.0), (c(nan, 1.0), nan, nan),
    (c(nan, nan), nan, nan),
]
EXPM1 = [
    (c(0.0, 0.0), 0.0, 0.0), (c(1.0, inf), nan, nan), (c(1.0, nan), nan, nan), (c(inf, 0.0), inf, 0.0),
    (c(-inf, 2.0), -1.0, 0.0),
    (c(inf, 2.0), -inf, inf), (c(-inf, inf), -1.0, anything), (c(inf, inf), anything, nan),
    (c(-inf, nan), -1.0, anything),
    (c(inf, nan), anything, nan), (c(nan, 0.0), nan, 0.0), (c(nan, 1.0), nan, nan), (c(nan, nan), nan, nan),
]
LOG = [
    (c(-0.0, 0.0), -inf, pi), (c(0.0, 0.0), -inf, 0.0), (c(1.0, inf), inf, pi / 2), (c(1.0, nan), nan, nan),
    (c(-inf, 1.0), inf, pi),
    (c(inf, 1.0), inf, 0.0), (c(-inf, inf), inf, 3 * pi / 4), (c(inf, inf), inf, pi / 4), (c(inf, nan), inf, nan),
    (c(-inf, nan), inf, nan), (c(nan, 1.0), nan, nan), (c(nan, inf), inf, nan), (c(nan, nan), nan, nan),
]
LOG1P = [
    (c(-1.0, 0.0), -inf, 0.0), (c(1.0, inf), inf, pi / 2), (c(1.0, nan), nan, nan), (c(-inf, 1.0), inf, pi),
    (c(inf, 1.0), inf, 0.0),
    (c(-inf, inf), inf, 3 * pi / 4), (c(inf, inf), inf, pi / 4), (c(inf, nan), inf, nan), (c(-inf, nan), inf, nan),
    (c(nan, 1.0), nan, nan), (c(nan, inf), inf, nan), (c(nan, nan), nan, nan), (c(0.0, 0.0), 0.0, 0.0),
]
SQRT = [
    (c(0.0, 0.0), 0.0, 0.0), (c(-0.0, 0.0), 0.0, 0.0), (c(1.0, inf), inf, inf), (c(nan, inf), inf, inf),
    (c(1.0, nan), nan, nan),
    (c(-inf, 1.0), 0.0, inf), (c(inf, 1.0), inf, 0.0), (c(-inf, nan), nan, anything), (c(inf, nan), inf, nan),
    (c(nan, 1.0), nan, nan),
    (c(nan, nan), nan, nan), (c(-4.0, 0.0), 0.0, 2.0),
]
ACOS = [
    (c(0.0, 0.0), pi / 2, -0.0), (c(-0.0, 0.0), pi / 2, -0.0), (c(0.0, nan), pi / 2, nan), (c(1.0, inf), pi / 2, -inf),
    (c(1.0, nan), nan, nan),
    (c(-inf, 1.0), pi, -inf), (c(inf, 1.0), 0.0, -inf), (c(-inf, inf), 3 * pi / 4, -inf), (c(inf, inf), pi / 4, -inf),
    (c(inf, nan), nan, anything), (c(nan, 1.0), nan, nan), (c(nan, inf), nan, -inf), (c(nan, nan), nan, nan),
]
ACOSH = [
    (c(0.0, 0.0), 0.0, pi / 2), (c(-0.0, 0.0), 0.0, pi / 2), (c(1.0, inf), inf, pi / 2), (c(0.0, nan), nan, pi / 2),
    (c(2.0, nan), nan, nan),
    (c(-inf, 1.0), inf, pi), (c(inf, 1.0), inf, 0.0), (c(-inf, inf), inf, 3 * pi / 4), (c(inf, inf), inf, pi / 4),
    (c(inf, nan), inf, nan),
    (c(nan, 1.0), nan, nan), (c(nan, inf), inf, nan), (c(nan, nan), nan, nan),
]
ASINH = [
    (c(0.0, 0.0), 0.0, 0.0), (c(1.0, inf), inf, pi / 2), (c(1.0, nan), nan, nan), (c(inf, 1.0), inf, 0.0),
    (c(inf, inf), inf, pi / 4),
    (c(inf, nan), inf, nan), (c(nan, 0.0), nan, 0.0), (c(nan, 1.0), nan, nan), (c(nan, inf), anything, nan),
    (c(nan, nan), nan, nan),
]
ATANH = [
    (c(0.0, 0.0), 0.0, 0.0), (c(0.0, nan), 0.0, nan), (c(1.0, 0.0), inf, 0.0), (c(1.0, inf), 0.0, pi / 2),
    (c(2.0, nan), nan, nan),
    (c(inf, 1.0), 0.0, pi / 2), (c(inf, inf), 0.0, pi / 2), (c(inf, nan), 0.0, nan), (c(nan, 1.0), nan, nan),
    (c(nan, inf), anything, pi / 2),
    (c(nan, nan), nan, nan),
]
COSH = [
    (c(0.0, 0.0), 1.0, 0.0), (c(0.0, inf), nan, anything), (c(0.0, nan), nan, anything), (c(1.0, inf), nan, nan),
    (c(1.0, nan), nan, nan),
    (c(inf, 0.0), inf, 0.0), (c(inf, 2.0), -inf, inf), (c(inf, inf), anything, nan), (c(inf, nan), inf, nan),
    (c(nan, 0.0), nan, anything),
    (c(nan, 1.0), nan, nan), (c(nan, nan), nan, nan),
]
SINH = [
    (c(0.0, 0.0), 0.0, 0.0), (c(0.0, inf), anything, nan), (c(0.0, nan), anything, nan), (c(1.0, inf), nan, nan),
    (c(1.0, nan), nan, nan),
    (c(inf, 0.0), inf, 0.0), (c(inf, 2.0), -inf, inf), (c(inf, inf), anything, nan), (c(inf, nan), anything, nan),
    (c(nan, 0.0), nan, 0.0),
    (c(nan, 1.0), nan, nan), (c(nan, nan), nan, nan),
]
TANH = [
    (c(0.0, 0.0), 0.0, 0.0), (c(1.0, inf), nan, nan), (c(1.0, nan), nan, nan), (c(inf, 1.0), 1.0, 0.0),
    (c(inf, inf), 1.0, anything),
    (c(inf, nan), 1.0, anything), (c(nan, 0.0), nan, 0.0), (c(nan, 1.0), nan, nan), (c(nan, nan), nan, nan),
]
TABLES = {
    "exp": EXP, "expm1": EXPM1, "log": LOG, "log1p": LOG1P, "sqrt": SQRT, "acos": ACOS, "acosh": ACOSH, "asinh": ASINH,
    "atanh": ATANH,
    "cosh": COSH, "sinh": SINH, "tanh": TANH,
}


def part_is(got, expected, limit):
    return expected is anything or is_same(got, expected, limit)


def apply(name, dtype, x):
    """The value at a complex number, whose parts a list of numbers would not keep: -0 is lost in sums."""
    z = np.zeros(1, dtype)
    z.real, z.imag = x.real, x.imag
    return complex(getattr(xp, name)(xp.asarray(z)).numpy()[0])


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", TABLES)
def test_tables(name, dtype):
    limit = 8 * np.finfo(dtype).eps
    for x, re, im in TABLES[name]:
        got = apply(name, dtype, x)
        assert part_is(got.real, re, limit) and part_is(got.imag, im, limit), (name, x, re, im, got)
        # f(conj(x)) is conj(f(x)) for all of them; a NaN has no sign.
        if x.imag != x.imag:
            continue
        mirrored = apply(name, dtype, x.conjugate())
        back = im if im is anything else -im
        assert part_is(mirrored.real, re, limit) and part_is(mirrored.imag, back, limit), (name, x, mirrored)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name, turned", [("sin", "sinh"), ("tan", "tanh"), ("asin", "asinh"), ("atan", "atanh")])
def test_functions_that_are_turned(name, turned, dtype):
    # The standard defines sin(x) as -1j * sinh(1j * x), and so on.
    for x, re, im in TABLES[turned]:
        got = apply(name, dtype, c(x.imag, -x.real))
        limit = 8 * np.finfo(dtype).eps
        expected_im = re if re is anything else -re
        assert part_is(got.real, im, limit) and part_is(got.imag, expected_im, limit), (name, x, got)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts_and_signs(dtype):
    z = xp.asarray([c(3, 4), c(0, 0), c(-2.5, 0.5), c(0, -3)], dtype=getattr(xp, dtype))
    assert xp.abs(z).tolist()[:2] == [5.0, 0.0]
    assert xp.real(z).tolist() == [3, 0, -2.5, 0] and xp.imag(z).tolist() == [4, 0, 0.5, -3]
    assert xp.conj(z).tolist() == [c(3, -4), c(0, 0), c(-2.5, -0.5), c(0, 3)]
    assert xp.round(z).tolist() == [c(3, 4), c(0, 0), c(-2, 0), c(0, -3)]
    signs = xp.sign(z).tolist()
    assert abs(signs[0] - c(0.6, 0.8)) < 1e-6 and signs[1] == 0 and signs[3] == -1j
    signs = xp.sign(xp.asarray([c(nan, 1), c(1, nan)])).tolist()
    assert signs[0].real != signs[0].real and signs[1].imag != signs[1].imag
    assert xp.abs(xp.asarray([c(nan, inf), c(-inf, nan), c(nan, 1)])).tolist()[:2] == [inf, inf]
    special = xp.asarray([c(nan, 1), c(1, inf), c(inf, nan), c(1, 1)], dtype=getattr(xp, dtype))
    assert xp.isnan(special).tolist() == [True, False, True, False]
    assert xp.isinf(special).tolist() == [False, True, True, False]
    assert xp.isfinite(special).tolist() == [False, False, False, True]


def log_of_size(x):
    """log(|1 + x|), by fractions, in which nothing is rounded."""
    re, im = Fraction(x.real), Fraction(x.imag)
    size = (1 + re) ** 2 + im**2 - 1  # what the square of |1 + x| has more than 1
    return math.log1p(float(size)) / 2 if abs(size) < 1 else math.log(float(size + 1)) / 2


@pytest.mark.parametrize("dtype", COMPLEX)
def test_log1p_and_expm1_keep_small_digits(dtype):
    eps = np.finfo(dtype).eps
    part = np.float32 if dtype == "complex64" else np.float64
    for re, im in [(1e-12, 1e-12), (1e-20, 1e-3), (-5e-9, 1e-4), (-5e-5, 1e-2), (0.25, 0.25), (-0.25, 0.125),
            (1e-3, 1.5), (-1.5, 0.5),
            (-0.75, 0.0625), (-5e-11, 1e-5)]:
        x = c(float(part(re)), float(part(im)))
        got = apply("log1p", dtype, x)
        assert is_same(got.real, log_of_size(x), 4 * eps), (x, got)
        assert is_same(got.imag, math.atan2(x.imag, 1 + x.real), 4 * eps), (x, got)
    for re, im in [(1e-12, 0.0), (1e-12, 1e-12), (-1e-9, 0.5), (2.0, 1.0), (-30.0, 2.0), (1e-20, 1e-10)]:
        x = c(float(part(re)), float(part(im)))
        got = apply("expm1", dtype, x)
        expected_re = math.expm1(x.real) * math.cos(x.imag) - 2 * math.sin(x.imag / 2) ** 2
        expected = c(expected_re, math.exp(x.real) * math.sin(x.imag))
        assert is_same(got.real, expected.real, 4 * eps) and is_same(got.imag, expected.imag, 4 * eps), (x, got)
    # exp(710) is too large, a part of it is not.
    got = apply("expm1", "complex128", c(710.0, 1e-3))
    assert is_same(got.imag, (cmath.exp(c(700, 1e-3)) * math.exp(10)).imag, 1e-12)
