"""Reductions: every dtype, dims, keepdim, dtype argument and layout.

torch sums float32 and halves in float32, Tamis in double. So those are compared with what torch computes from
the same values in float64, rounded once, and must be within the units of the table.
"""

import numpy as np
import pytest
import tamis
import torch

from cases import (COMPLEX, DTYPES, FLOATS, HALVES, INTS, DType, Pair, name_of, pair, pick, plain, same_in_tamis, seeded,
                   some_dims, some_shape)
from near import near


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


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_indices(check, op, dtype):
    """torch's index among equals is the first too, on the CPU."""
    rng = seeded(op + dtype)
    for i in range(30):
        # torch refuses bools, but not where there is nothing to compare.
        x = pair(dtype, some_shape(rng) if dtype != "bool" else pick(rng, [(5,), (2, 3)]), rng, pick(rng, ["any", "small"]))
        found = {}
        if rng.rand() < 0.7:
            found = dict(dim=some_dims(x.torch.dim(), rng, several=False), keepdim=bool(rng.randint(2)))
        check(op, x, **found)
    check(op, pair(dtype, (70, 33), rng, "small"), call=lambda lib, x: getattr(x, op)(0))
    check(op, pair(dtype, (3, 9000), rng, "small"), 1)
    check(op, pair(dtype, (9000,), rng, "small"))
    check(op, pair(dtype, (2, 3), rng), 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes_and_indices(check, op, dtype):
    rng = seeded(op + "dim" + dtype)
    call = lambda lib, x, *a, **k: tuple(getattr(lib, op)(x, *a, **k))
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["any", "small"]))
        dim = some_dims(x.torch.dim(), rng, several=False)
        check(op, x, dim, call=call)
        check(op, x, dim, bool(rng.randint(2)), call=call)
        check(op, x, dim=dim, keepdim=bool(rng.randint(2)), call=call)
    check(op, pair(dtype, (300, 41), rng, "small"), call=lambda lib, x: tuple(getattr(x, op)(0)))
    check(op, pair(dtype, (2, 3), rng), 2, call=call)


@pytest.mark.parametrize("dtype", DTYPES)
def test_aminmax(check, dtype):
    rng = seeded("aminmax" + dtype)
    call = lambda lib, x, **k: tuple(lib.aminmax(x, **k))
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng)
        found = {}
        if rng.rand() < 0.7:
            # torch keeps a dimension of a 0-d tensor.
            found = dict(dim=some_dims(x.torch.dim(), rng, several=False),
                         keepdim=bool(rng.randint(2)) and x.torch.dim() > 0)
        check("aminmax", x, **found, call=call)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["var", "std", "var_mean", "std_mean"])
def test_moments(check, op, dtype):
    rng = seeded(op + dtype)
    # In float64 torch's own rounding shows.
    tolerance = (64, 1.0) if dtype == "float64" else (8, 1e-3)
    call = near(lambda lib, x, *a, **k: getattr(lib, op)(x, *a, **k), *tolerance)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, "small")
        dims = some_dims(x.torch.dim(), rng)
        check(op, x, dims, correction=int(rng.randint(0, 4)), keepdim=bool(rng.randint(2)), call=call)
        check(op, x, dims, bool(rng.randint(2)), bool(rng.randint(2)), call=call)
        check(op, x, call=call)
        check(op, x, unbiased=False, call=call)
        check(op, x, False, call=call)
        check(op, x, True, call=call)
    check(op, pair(dtype, (2, 3), rng, "small"), 2, call=call)
    if dtype in FLOATS:
        check(op, pair(dtype, (3, 9000), rng, "small"), 1, call=call)
        check(op, plain([1e4, 1e4 + 1, 1e4 + 2], dtype), call=call)
        if op in ("var", "std"):
            check(op, pair(dtype, (3, 4), rng, "small"), call=near(lambda lib, x: getattr(x, op)(0), *tolerance))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["nansum", "nanmean"])
def test_without_nan(check, op, dtype):
    rng = seeded(op + dtype)
    call = near(lambda lib, x, *a, **k: getattr(lib, op)(x, *a, **k), 2, 1e-2)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, "small")
        if dtype in FLOATS and rng.rand() < 0.8:
            ours = torch.where(torch.from_numpy(np.asarray(rng.rand(*x.torch.shape) < 0.3)), torch.tensor(float("nan")),
                               x.torch.float()).to(x.torch.dtype)
            x = Pair(ours, same_in_tamis(ours))
        found = options(op, x.torch.dim(), rng)
        check(op, x, **found, call=call)
        if dtype in FLOATS:
            check(op, x, **found, dtype=DType("float64"), call=call)


def by_slices(op, function):
    """torch has none of these: the same of each slice's numbers, by a function of a 1-d tensor."""

    def call(lib, x, dim, keepdim, **options):
        if lib is not torch:
            return getattr(lib, op)(x, dim, keepdim, **options)
        moved = x.movedim(dim, -1)
        rows = [function(row[~torch.isnan(row)], **options) for row in moved.reshape(-1, x.shape[dim])]
        found = torch.stack([torch.tensor(float("nan"), dtype=x.dtype) if r is None else r for r in rows])
        found = found.reshape(moved.shape[:-1]).to(x.dtype)
        return found.unsqueeze(dim) if keepdim else found

    return call


NUMPYS = {
    "nanmax": lambda row: row.amax() if row.numel() else None,
    "nanmin": lambda row: row.amin() if row.numel() else None,
    "nanvar": lambda row, correction=0: row.double().var(0, correction=correction, keepdim=False)
    if row.numel() > correction else None,
    "nanstd": lambda row, correction=0: row.double().std(0, correction=correction, keepdim=False)
    if row.numel() > correction else None,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", list(NUMPYS))
def test_numpys_without_nan(check, op, dtype):
    rng = seeded(op + dtype)
    # float64 has no wider type to compare with, and the two libraries add in different orders.
    call = near(by_slices(op, NUMPYS[op]), 64 if dtype == "float64" else 2, 1e-2)
    for i in range(30):
        shape = pick(rng, [(5,), (3, 4), (2, 3, 5), (70,), (2, 300)])
        ours = pair(dtype, shape, rng, "small").torch.float()
        hole = torch.from_numpy(np.asarray(rng.rand(*shape) < pick(rng, [0, 0.3, 0.9])))
        ours = torch.where(hole, torch.tensor(float("nan")), ours).to(getattr(torch, dtype))
        options = {"correction": pick(rng, [0, 1])} if op in ("nanvar", "nanstd") and i % 2 else {}
        dim = int(rng.randint(-len(shape), len(shape)))
        check(op, Pair(ours, same_in_tamis(ours)), dim, bool(rng.randint(2)), **options, call=call)


@pytest.mark.parametrize("dtype", DTYPES)
def test_norm(check, dtype):
    rng = seeded("norm" + dtype)
    inf = float("inf")
    call = near(lambda lib, x, *a, **k: lib.norm(x, *a, **k), 8)
    for i in range(60):
        x = pair(dtype, some_shape(rng) if dtype in FLOATS else (2, 3), rng, pick(rng, ["small", "moderate", "any"]))
        if x.torch.numel() == 0 and rng.rand() < 0.5:
            continue
        found = options("norm", x.torch.dim(), rng)
        check("norm", x, pick(rng, [2.0, 2, 1, 0, 3, 0.5, -1, inf, -inf]), **found, call=call)
    check("norm", pair(dtype, (3, 4), rng, "small"), call=call)
    if dtype in FLOATS:
        check("norm", pair(dtype, (3, 4), rng, "small"), call=near(lambda lib, x: x.norm(2, 1), 8))
    if dtype == "float32":
        check("norm", pair(dtype, (3, 4), rng, "small"), 2, 1, dtype=DType("float64"), call=call)


@pytest.mark.parametrize("dtype", FLOATS)
def test_normalize(check, dtype):
    rng = seeded("normalize" + dtype)
    call = near(lambda lib, x, *a, **k: (torch.nn.functional if lib is torch else lib).normalize(x, *a, **k), 8)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, "small")
        # The default eps is 0 in float16.
        found = {"eps": 0.25} if rng.rand() < 0.5 or dtype == "float16" else {}
        check("normalize", x, pick(rng, [2.0, 1, 3.0]), some_dims(x.torch.dim(), rng, several=False), **found, call=call)
    check("normalize", pair(dtype, (3, 4), rng, "positive"), call=call)


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


@pytest.mark.parametrize("dtype", DTYPES + COMPLEX)
def test_norm_by_name(check, dtype):
    rng = seeded("norm by name" + dtype)
    real = {"complex64": torch.float32, "complex128": torch.float64}

    def call(lib, x, *args, **kwargs):
        """In float64, rounded, since torch's sums of float32 are not."""
        if lib is not torch or not (x.is_floating_point() or x.is_complex()) or x.element_size() < 4:
            return x.norm(*args, **kwargs)
        wide = x.cdouble() if x.is_complex() else x.double()
        return wide.norm(*args, **kwargs).to(real.get(name_of(x.dtype), x.dtype))

    for shape in ((3, 4), (4, 3), (1, 5), (5, 1), (6, 6), (2, 0), (0, 3), (40, 30)):
        x = pair(dtype, shape, rng, "small")
        for p in ("fro", "nuc"):
            check("norm", x, p, call=call, ulps=2 if dtype in ("float32", "complex64") else 64)
            check("norm", x, p, dim=(1, 0), keepdim=True, call=call, ulps=2 if dtype in ("float32", "complex64") else 64)
    if dtype in HALVES:
        return
    cube = pair(dtype, (3, 4, 5), rng, "small")
    for dim in ((0, 1), (2, 0), (-1, 1)):
        for p in ("fro", "nuc"):
            check("norm", cube, p, dim=dim, call=call, ulps=64)
    for p, dim in (("fro", 1), ("fro", None), ("fro", (0, 1, 2)), ("nuc", None), ("nuc", 1), ("nuc", (0, 1, 2)),
                   ("nuc", (1, 1)), ("nuc", (0, 3)), ("abc", None), ("abc", 1)):
        check("norm", cube, p, **({} if dim is None else {"dim": dim}), call=call, ulps=64)
    check("norm", pair(dtype, (4,), rng, "small"), "nuc", call=call)


def test_rank_of_a_matrix_does_not_matter(check):
    rng = np.random.RandomState(5)
    for rank in (1, 2, 3):
        a = torch.from_numpy(rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 5)))
        for x in (a, a.t(), a.float(), a * 1e-30, a * 1e30):
            check("norm", Pair(x, same_in_tamis(x)), "nuc", ulps=64)


def test_nan_has_no_nuclear_norm():
    for lib in (torch, tamis):
        with pytest.raises(RuntimeError, match="failed to converge because the input matrix contained non-finite"):
            lib.norm(lib.tensor([[float("nan"), 1.0], [1.0, 1.0]]), "nuc")
    assert tamis.norm(tamis.ones(2, 2), "nuc", out=tamis.zeros(1)[0]) == 2
    with pytest.raises(RuntimeError, match="dtype argument is not supported in nuclear norm"):
        tamis.norm(tamis.ones(2, 2), "nuc", dtype=tamis.float64)


@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes_take_tensors_and_dims_only(check, op):
    x = pair("float32", (2, 3), seeded("extremes of numbers"), "small")
    for other in (1.5, 1.0, True, 1j, 1, 0, -1):
        check(op, x, other)
        check(op, x, dim=other)
