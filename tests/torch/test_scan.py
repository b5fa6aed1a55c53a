"""Scans: running sums, products, extremes; differences of neighbours."""

import pytest

from cases import DTYPES, FLOATS, INTS, DType, pair, pick, plain, seeded, some_shape
from near import near
from test_softmax import some_dim


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
def test_sums_and_products(check, op, dtype):
    """Both libraries add in order, float32 in double, so the bits are equal. torch has no halves on the CPU."""
    rng = seeded(op + dtype)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, "any" if dtype not in FLOATS else "small" if i % 2 else "moderate")
        found = {"dtype": DType(pick(rng, [d for d in DTYPES if d not in ("float16", "bfloat16")]))} \
            if rng.rand() < 0.3 else {}
        if found and dtype in FLOATS and found["dtype"].name in INTS:
            x = pair(dtype, x.torch.shape, rng, "small")
        check(op, x, some_dim(x, rng), **found)
    check(op, pair(dtype, (3, 4), rng, "small"), call=lambda lib, x: getattr(x, op)(1))
    check(op, pair(dtype, (3, 4), rng, "small"), pick(rng, [2, -3]))
    if dtype not in ("float16", "bfloat16"):
        check(op, pair(dtype, (300, 41), rng, "small"), 0, ulps=4)
        check(op, pair(dtype, (3, 9000), rng, "small"), 1, ulps=4)


@pytest.mark.parametrize("op", ["cummax", "cummin"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["any", "small"]))
        check(op, x, some_dim(x, rng), call=lambda lib, x, d: tuple(getattr(lib, op)(x, d)))
    check(op, pair(dtype, (300, 41), rng, "small"), 0, call=lambda lib, x, d: tuple(getattr(x, op)(d)))
    check(op, pair(dtype, (2, 2), rng), 2)
    if dtype in FLOATS:
        nan = float("nan")
        check(op, plain([1.0, nan, 2.0, nan, 0.0], dtype), 0, call=lambda lib, x, d: tuple(getattr(lib, op)(x, d)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_logcumsumexp(check, dtype):
    rng = seeded("logcumsumexp" + dtype)
    call = near(lambda lib, x, d: lib.logcumsumexp(x, d), units=8, scale=1.0)
    for i in range(25):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["moderate", "small"]))
        check("logcumsumexp", x, some_dim(x, rng), call=call)
    check("logcumsumexp", pair("float32", (2, 2), rng), 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_diff(check, dtype):
    rng = seeded("diff" + dtype)
    for i in range(25):
        x = pair(dtype, some_shape(rng), rng, "small")
        n = int(rng.randint(1, 4))
        check("diff", x, n, some_dim(x, rng))
        check("diff", x)
    x = pair(dtype, (3, 4), rng, "small")
    check("diff", x, 0)
    check("diff", x, 1, 5)
    check("diff", x, 1, 0, pair(dtype, (2, 4), rng, "small"), pair(dtype, (1, 4), rng, "small"))
    check("diff", x, dim=1, append=pair(dtype, (3, 2), rng, "small"))
    check("diff", x, call=lambda lib, x: x.diff())
