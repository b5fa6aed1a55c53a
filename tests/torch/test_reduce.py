"""Reductions: every dtype, dims, keepdim, dtype argument and layout.

torch sums float32 and halves in float32, Tamis in double. So those are compared with what torch computes from
the same values in float64, rounded once, and must be within the units of the table.
"""

import pytest
import torch

from cases import DTYPES, FLOATS, INTS, DType, pair, pick, plain, seeded, some_dims, some_shape


def exact(op):
    """The same reduction in float64, rounded to the dtype that torch gives."""

    def call(lib, x, *args, dtype=None, **kwargs):
        f = getattr(lib, op)
        target = dtype or x.dtype
        if target not in (torch.float16, torch.bfloat16, torch.float32):
            return f(x, *args, **kwargs, **({} if dtype is None else {"dtype": dtype}))
        return f(x.to(target).double(), *args, **kwargs).to(target)

    return call


# float64 has no wider type to compare with, and the two libraries add in different orders, so cancellation
# costs digits. Sums of small numbers are exact and must have the same bits as the table has it.
DOUBLE_ULPS = {"sum": 1e6, "mean": 1e6, "prod": 64}


def options(op, rank, rng):
    several = op != "prod"
    found = {}
    if rng.rand() < 0.7:
        found["dim"] = some_dims(rank, rng, several)
        if rng.rand() < 0.5:
            found["keepdim"] = bool(rng.randint(2))
    return found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["sum", "mean", "prod"])
def test_arithmetic(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(30):
        kind = "any" if dtype not in FLOATS else "small" if i % 2 else "moderate"
        x = pair(dtype, some_shape(rng), rng, kind)
        found = options(op, x.torch.dim(), rng)
        close = dict(ulps=DOUBLE_ULPS[op]) if dtype == "float64" and (kind == "moderate" or op == "prod") else {}
        check(op, x, **found, **close, reference=exact(op))
        target = pick(rng, [d for d in DTYPES if not (dtype in FLOATS and d in INTS)])
        if target != "float64":
            check(op, pair(dtype, x.torch.shape, rng, "small"), **found, dtype=DType(target), reference=exact(op))
    check(op, pair(dtype, (3, 4), rng, "small"), call=lambda lib, x: getattr(x, op)())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["amax", "amin"])
def test_extremes_along_dims(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng)
        check(op, x, **options(op, x.torch.dim(), rng))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(15):
        check(op, pair(dtype, some_shape(rng), rng))
        other = pick(rng, DTYPES)
        check(op, pair(dtype, (3, 4), rng), pair(other, pick(rng, [(4,), (3, 1), ()]), rng))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["any", "all"])
def test_truth(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(25):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["any", "small", "nonzero"]))
        found = {}
        if rng.rand() < 0.7:
            found = dict(dim=some_dims(x.torch.dim(), rng, several=False), keepdim=bool(rng.randint(2)))
        check(op, x, **found)


@pytest.mark.parametrize("dtype", DTYPES)
def test_count_nonzero(check, dtype):
    rng = seeded("count" + dtype)
    for i in range(25):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["any", "small"]))
        found = {"dim": some_dims(x.torch.dim(), rng)} if rng.rand() < 0.7 else {}
        check("count_nonzero", x, **found)


def test_count(check):
    rng = seeded("count of a mask")
    for i in range(40):
        check("count", pair("bool", some_shape(rng), rng),
              call=lambda lib, m: int(lib.count_nonzero(m)) if lib is torch else lib.count(m))


@pytest.mark.parametrize("dtype", DTYPES)
def test_kthvalue(check, dtype):
    """Values anywhere; indices too where no two elements are equal, since torch's index among equals is any."""
    rng = seeded("kthvalue" + dtype)
    for i in range(25):
        x = pair(dtype, some_shape(rng), rng)
        dim = int(rng.randint(-x.torch.dim(), x.torch.dim())) if x.torch.dim() else -1
        size = x.torch.shape[dim] if x.torch.dim() else 1
        k = int(rng.randint(1, size + 1)) if size else 1
        check("kthvalue", x, k, dim, bool(rng.randint(2)), call=lambda lib, *a: lib.kthvalue(*a)[0])
    if dtype not in ("bool", "uint8", "int8"):
        different = torch.from_numpy(rng.permutation(120) - 40).to(getattr(torch, dtype)).reshape(4, 30)
        if dtype != "bfloat16":
            different[1, 3] = float("nan") if dtype in FLOATS else 99
        x = plain(different.tolist(), dtype)
        for k in (1, 2, 15, 29, 30):
            check("kthvalue", x, k, 1)
            check("kthvalue", x, min(k, 4), 0, True)
        check("kthvalue", x, 3, call=lambda lib, x, k: tuple(x.kthvalue(k)))


def test_many_elements(check):
    """More than a chunk, so that partial results are put together."""
    rng = seeded("many")
    for dtype in DTYPES:
        x = pair(dtype, (300, 401), rng, "small", layout=pick(rng, ["contiguous", "transposed", "stepped"]))
        for dim in (None, 0, 1):
            found = {} if dim is None else {"dim": dim}
            check("sum", x, **found, reference=exact("sum"))
            check("amax", x, **found)
            check("any", x, **found)
            check("all", x, **found)
            check("count_nonzero", x, **found)
