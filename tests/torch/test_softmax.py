"""softmax and its kin, log-sum-exps: compared with torch's results in float64, rounded."""

import pytest
import torch

from cases import DTYPES, FLOATS, DType, pair, pick, plain, seeded, some_dims, some_shape
from near import near

SOFT = {
    "softmax": lambda lib, x, *a, **k: lib.softmax(x, *a, **k),
    "log_softmax": lambda lib, x, *a, **k: lib.log_softmax(x, *a, **k),
    "softmin": lambda lib, x, *a, **k: (torch.nn.functional if lib is torch else lib).softmin(x, *a, **k),
}
KINDS = ["small", "moderate", "any"]


def some_dim(x, rng):
    rank = x.torch.dim()
    return int(rng.randint(-rank, rank)) if rank else pick(rng, [0, -1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", SOFT)
def test_soft(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, KINDS[i % 3])
        found = {"dtype": DType(pick(rng, FLOATS))} if rng.rand() < 0.3 or dtype not in FLOATS else {}
        check(op, x, some_dim(x, rng), **found, call=near(SOFT[op], units=12, scale=1.0))
    # Integers are refused.
    check(op, pair(dtype, (2, 3), rng, "small"), 1, call=near(SOFT[op], units=12, scale=1.0))
    check(op, pair("float32", (2, 3), rng), pick(rng, [2, -3]), call=SOFT[op])


def test_soft_methods(check):
    rng = seeded("methods")
    x = pair("float32", (3, 4), rng, "small")
    for op in ("softmax", "log_softmax"):
        check(op, x, 0, call=near(lambda lib, t, d: getattr(t, op)(d), units=12, scale=1.0))
        check(op, x, call=near(lambda lib, t: getattr(t, op)(dim=-1), units=12, scale=1.0))


def test_soft_of_infinities(check):
    inf, nan = float("inf"), float("nan")
    for row in ([-inf, -inf], [inf, 1.0], [inf, inf], [-inf, 2.0], [nan, 1.0], [88.0, 89.0], [-1e30, 1e30]):
        for dtype in FLOATS:
            for op in SOFT:
                check(op, plain([row], dtype), 1, call=near(SOFT[op], units=12, scale=1.0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_logsumexp(check, dtype):
    rng = seeded("logsumexp" + dtype)
    call = near(lambda lib, x, *a, **k: lib.logsumexp(x, *a, **k), units=6, scale=1.0)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, KINDS[i % 3] if dtype in FLOATS else "small")
        check("logsumexp", x, some_dims(x.torch.dim(), rng), **({"keepdim": True} if rng.rand() < 0.4 else {}), call=call)
    inf = float("inf")
    if dtype in FLOATS:
        for row in ([-inf, -inf], [inf, 1.0], [inf, -inf], [1000.0, 1000.0]):
            check("logsumexp", plain([row, [0.0, 1.0]], dtype), 1, call=call)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["logaddexp", "logaddexp2"])
def test_logaddexp(check, op, dtype):
    rng = seeded(op + dtype)

    def call(lib, x, y):
        return getattr(lib, op)(x, y.to(x.dtype))

    for i in range(25):
        x = pair(dtype, some_shape(rng), rng, KINDS[i % 3])
        y = pair(dtype, x.torch.shape, rng, KINDS[i % 3])
        check(op, x, y, call=near(call, units=6, scale=1.0))
    # Broadcasting and promotion; torch's float64 results are compared as such.
    wide = pair("float64", (4,), rng, "small")
    if dtype in FLOATS:
        check(op, pair(dtype, (3, 1), rng, "small"), wide, call=near(
            lambda lib, x, y: getattr(lib, op)(x.double(), y).to(x.dtype), units=6, scale=1.0))
    else:
        check(op, pair(dtype, (3, 1), rng, "small"), wide, call=near(
            lambda lib, x, y: getattr(lib, op)(x, y), units=6, scale=1.0))
    check(op, pair(dtype, (2,), rng), pair(dtype, (3,), rng), call=call)
    if dtype == "float32":
        check(op, pair(dtype, (4,), rng, "small"), pair(dtype, (4,), rng, "small"),
              call=near(lambda lib, x, y: getattr(x, op)(y.to(x.dtype)), units=6, scale=1.0))
