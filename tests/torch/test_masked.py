"""torch.masked: masks of every broadcastable shape, rows of which nothing is kept, and NaN behind the mask.

A fully masked row has no value in torch's documentation; where Tamis gives another one than torch 1.13 does, the
reference here puts it in, and tables.py lists it.
"""

import pytest
import tamis
import torch

from cases import DTYPES, FLOATS, INTS, DType, Pair, pair, pick, plain, seeded, some_dims, some_shape
from near import near
from test_softmax import some_dim


def masked(op):
    return lambda lib, x, *a, **k: getattr(lib.masked, op)(x, *a, **k)


def some_mask(x, rng, none=True):
    """A mask of a shape that broadcasts to that of x, or None; about a third keep nothing of some rows."""
    if none and rng.rand() < 0.1:
        return None
    shape = [1 if rng.rand() < 0.25 else n for n in x.torch.shape]
    if rng.rand() < 0.2:
        shape = shape[rng.randint(len(shape) + 1):]
    m = pair("bool", shape, rng)
    if m.torch.dim() > 0 and m.torch.numel() and rng.rand() < 0.35:
        ours = m.torch.clone()
        ours[..., 0 if rng.rand() < 0.5 else -1] = False
        ours[0] = False
        m = Pair(ours, tamis.as_tensor(ours).clone(), "some rows masked")
    return m


def kept(x, mask):
    """The mask for torch."""
    return torch.ones_like(x, dtype=torch.bool) if mask is None else torch.broadcast_to(mask, x.shape)


def options(x, rng, several=True):
    found = {}
    if rng.rand() < 0.75:
        found["dim"] = some_dims(x.torch.dim(), rng, several)
    if rng.rand() < 0.4:
        found["keepdim"] = bool(rng.randint(2))
    return found


def exact(op):
    """In float64, rounded: Tamis adds in double."""

    def call(lib, x, *args, dtype=None, **kwargs):
        target = dtype or x.dtype
        f = getattr(torch.masked, op)
        if target in (torch.float16, torch.bfloat16, torch.float32):
            return f(x.to(target).double(), *args, **kwargs).to(target)
        if dtype is None:
            return f(x, *args, **kwargs)
        return f(x, *args, **kwargs, dtype=dtype).to(dtype)  # prod gives int64 for other integers

    return call


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["sum", "prod"])
def test_arithmetic(check, op, dtype):
    rng = seeded("masked" + op + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, "any" if dtype not in FLOATS else "small" if i % 2 else "moderate")
        found = options(x, rng)
        close = dict(ulps=1e6) if dtype == "float64" else dict(ulps=2)
        check("masked." + op, x, **found, mask=some_mask(x, rng), **close, call=masked(op), reference=exact(op))
        target = pick(rng, [d for d in DTYPES if not (dtype in FLOATS and d in INTS)])
        x = pair(dtype, x.torch.shape, rng, "small")
        check("masked." + op, x, **found, mask=some_mask(x, rng), dtype=DType(target), ulps=2, call=masked(op),
              reference=exact(op))


@pytest.mark.parametrize("dtype", DTYPES)
def test_mean(check, dtype):
    rng = seeded("masked mean" + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, "small")
        found = {"dtype": DType(pick(rng, FLOATS))} if rng.rand() < 0.2 else {}
        call = near(masked("mean") if dtype != "bool" or found else mean_of_bools, 1)
        check("masked.mean", x, **options(x, rng), **found, mask=some_mask(x, rng), call=call)
    x = pair(dtype, (2, 3), rng, "small")
    check("masked.mean", x, mask=some_mask(x, rng), call=call)


def mean_of_bools(lib, x, **kwargs):
    """torch 1.13 takes the sum of bools to be at most one."""
    return lib.masked.mean(x.long() if lib is torch else x, **kwargs)


def test_means_whose_sums_wrap_in_torch(check):
    for x, mask in ((plain([255, 254, 0], "uint8"), plain([True, True, False])), (plain([True, True]), None),
                    (plain([2**62, 2**62]), plain([True, True]))):
        check("masked.mean", x, mask=mask)


def test_means_in_an_integer_dtype(check):
    for dtype in ("float32", "int64", "uint8"):
        x = plain([1.9, 2.9, 7], dtype)
        check("masked.mean", x, dtype=DType("int64"), mask=plain([True, True, False]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["amax", "amin"])
def test_extremes(check, op, dtype):
    rng = seeded("masked" + op + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng)
        found = {"dtype": DType(pick(rng, FLOATS))} if rng.rand() < 0.2 and dtype not in FLOATS else {}
        check("masked." + op, x, **options(x, rng), **found, mask=some_mask(x, rng), call=masked(op))


def first_kept(op):
    """The index of the first best among the kept, -1 if there are none, by looking at each element."""

    def one(x, m):
        best = -1
        for i in range(len(x)):
            if not m[i]:
                continue
            a, b = x[i], x[best]
            if best < 0 or (a != a and b == b) or (b == b and (a > b if op == "argmax" else a < b)):
                best = i
        return best

    def call(lib, x, dim=None, *, keepdim=False, dtype=None, mask=None):
        if x.dtype == torch.bool or (x.numel() == 0 and dim is None):
            return getattr(torch, op)(x, dim)
        shape = list(getattr(torch, op)(x, dim, keepdim).shape)
        m = kept(x, mask)
        if dim is None or x.dim() == 0:
            found = [one(x.flatten().tolist(), m.flatten().tolist())]
        else:
            rows, keeps = x.movedim(dim, -1), m.movedim(dim, -1)
            found = [one(r.tolist(), k.tolist()) for r, k in
                     zip(rows.reshape(-1, x.shape[dim]), keeps.reshape(-1, x.shape[dim]))] if x.numel() else []
        return torch.tensor(found, dtype=dtype or torch.int64).reshape(shape)

    return call


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_indices(check, op, dtype):
    rng = seeded("masked" + op + dtype)
    for i in range(50):
        # torch refuses bools, but not where there is nothing to compare.
        shape = some_shape(rng) if dtype != "bool" else pick(rng, [(5,), (2, 3)])
        x = pair(dtype, shape, rng, pick(rng, ["any", "small"]))
        found = {"dtype": DType("int32")} if rng.rand() < 0.2 else {}
        check("masked." + op, x, **options(x, rng, False), **found, mask=some_mask(x, rng), call=masked(op),
              reference=first_kept(op))
    # torch itself, where every row keeps something and no two elements are equal.
    if dtype not in ("bool", "uint8", "int8"):
        different = torch.from_numpy(rng.permutation(120) - 40).to(getattr(torch, dtype)).reshape(4, 30)
        x = plain(different.tolist(), dtype)
        m = rng.rand(4, 30) < 0.5
        m[:, 7] = True
        m[2] = True
        for found in ({}, {"dim": 0}, {"dim": 1}, {"dim": -1, "keepdim": True}):
            check("masked." + op, x, mask=plain(m.tolist()), **found, dtype=DType("int64"), call=masked(op))


def spread(op, correction):
    """var and std; torch 1.13 knows a correction of 0 and 1 only."""
    return lambda lib, x, *a, **k: getattr(lib.masked, op)(
        x, *a, **k, **({"unbiased": bool(correction)} if lib is torch else {"correction": correction}))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["var", "std"])
def test_spread(check, op, dtype):
    rng = seeded("masked" + op + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, "small")
        found = {"dtype": DType("float64")} if dtype not in FLOATS or rng.rand() < 0.2 else {}
        check("masked." + op, x, **options(x, rng), **found, mask=some_mask(x, rng),
              call=near(spread(op, i % 2), 8, 1e-3))
    x, m = pair(dtype, (3, 4), rng, "small"), pair("bool", (3, 4), rng)
    check("masked." + op, x, 0, False, mask=m, call=near(masked(op), 8, 1e-3))
    if dtype in FLOATS:  # the default is PyTorch 2's
        check("masked." + op, x, 0, mask=m, call=near(
            lambda lib, x, d, mask: getattr(lib.masked, op)(x, d, *([True] if lib is torch else []), mask=mask), 8, 1e-3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_norm(check, dtype):
    rng = seeded("masked norm" + dtype)
    inf = float("inf")
    for i in range(60):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["small", "moderate"]))
        found = options(x, rng)
        order = pick(rng, [2.0, 2, 1, 0, 3, 0.5, inf] + ([-inf] if dtype in FLOATS else []))
        check("masked.norm", x, order, **found, mask=some_mask(x, rng), call=near(masked("norm"), 8))
    x = pair(dtype, (3, 4), rng, "small")
    check("masked.norm", x, mask=some_mask(x, rng), call=near(masked("norm"), 8))
    if dtype == "float32":
        check("masked.norm", x, 2, 1, dtype=DType("float64"), mask=some_mask(x, rng), call=near(masked("norm"), 8))


def test_norm_of_negative_order(check):
    """torch.masked puts zeros where the mask is false, and |0|^-1 is infinite; so the reference leaves them out."""
    rng = seeded("negative")

    def call(lib, x, order, mask):
        if lib is not torch:
            return lib.masked.norm(x, order, mask=mask)
        chosen = x[kept(x, mask)]
        return torch.linalg.vector_norm(chosen, order) if len(chosen) else torch.tensor(float("inf"), dtype=x.dtype)

    for order in (-1.0, -2.0):
        for i in range(10):
            x = pair("float64", (6,), rng, "nonzero")
            check("masked.norm", x, order, mask=some_mask(x, rng, none=False), call=near(call, 8))


@pytest.mark.parametrize("dtype", FLOATS)
def test_logsumexp(check, dtype):
    rng = seeded("masked logsumexp" + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["small", "moderate", "any"]))
        check("masked.logsumexp", x, **options(x, rng), mask=some_mask(x, rng), call=near(masked("logsumexp"), 6, 1.0))


@pytest.mark.parametrize("dtype", FLOATS + INTS)
def test_logaddexp(check, dtype):
    rng = seeded("masked logaddexp" + dtype)
    call = near(lambda lib, x, y, **k: lib.masked.logaddexp(x, y.to(x.dtype), **k), 6, 1.0)
    for i in range(20):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["small", "moderate"]))
        y = pair(dtype, x.torch.shape, rng, "small")
        if dtype in FLOATS or x.torch.numel():
            check("masked.logaddexp", x, y, input_mask=some_mask(x, rng), other_mask=some_mask(y, rng), call=call)
    check("masked.logaddexp", plain([-100.0, -200.0, -300.0]), plain([-1.0, -2.0, -3.0]),
          input_mask=plain([True, False, True]), other_mask=plain([True, False, True]),
          call=masked("logaddexp"))


SOFT = ["softmax", "log_softmax", "softmin"]


def where_kept(op):
    """Normalisations where the mask keeps: elsewhere torch's value is unspecified."""

    def call(lib, x, *args, mask=None, **kwargs):
        found = getattr(lib.masked, op)(x, *args, mask=mask, **kwargs)
        return found if mask is None else lib.where(mask, found, lib.zeros((), dtype=found.dtype))

    return call


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", SOFT)
def test_soft(check, op, dtype):
    rng = seeded("masked" + op + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["small", "moderate", "any"]))
        found = {"dtype": DType(pick(rng, FLOATS))} if dtype not in FLOATS or rng.rand() < 0.2 else {}
        check("masked." + op, x, some_dim(x, rng), **found, mask=some_mask(x, rng), call=near(where_kept(op), 12, 1.0))
    check("masked." + op, pair(dtype, (2, 3), rng, "small"), 1, call=near(where_kept(op), 12, 1.0))


@pytest.mark.parametrize("dtype", FLOATS)
def test_soft_of_nothing(check, dtype):
    """0, and -inf for log_softmax, where torch has NaN."""
    x = plain([[1.0, 2.0], [3.0, float("nan")]], dtype)
    m = plain([[True, False], [False, False]])
    for op in SOFT:
        case = check("masked." + op, x, 1, mask=m, call=near(masked(op), 12, 1.0))
        got = getattr(tamis.masked, op)(x.tamis, 1, mask=m.tamis).torch().double().tolist()
        nothing = float("-inf") if op == "log_softmax" else 0.0
        assert got == [[0.0 if op == "log_softmax" else 1.0, nothing], [nothing, nothing]], case


@pytest.mark.parametrize("dtype", DTYPES)
def test_normalize(check, dtype):
    rng = seeded("masked normalize" + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["small", "moderate"]))
        # The default is 0 in float16.
        found = {"eps": 0.5} if rng.rand() < 0.2 or dtype == "float16" else {}
        check("masked.normalize", x, pick(rng, [1.0, 2.0, 3, float("inf")]), some_dim(x, rng), **found,
              mask=some_mask(x, rng), call=near(where_kept("normalize"), 12))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
def test_scans(check, op, dtype):
    rng = seeded("masked" + op + dtype)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, "small" if dtype in FLOATS else "any")
        found = {"dtype": DType(pick(rng, ["int64", "float32", "float64"]))} if rng.rand() < 0.3 else {}
        check("masked." + op, x, some_dim(x, rng), **found, mask=some_mask(x, rng), call=masked(op))


@pytest.mark.parametrize("dtype", DTYPES)
def test_truth_and_count(check, dtype):
    """torch.masked has none of these."""
    rng = seeded("masked truth" + dtype)

    def reduced(f, x, dim=None, keepdim=False):
        dims = sorted({d % max(x.dim(), 1) for d in ([dim] if isinstance(dim, int) else dim or range(x.dim()))})
        for d in reversed(dims):
            x = f(x, d, keepdim) if x.dim() else x
        return x

    references = {
        "any": lambda lib, x, mask=None, **k: reduced(torch.any, x.bool() & kept(x, mask), **k),
        "all": lambda lib, x, mask=None, **k: reduced(torch.all, x.bool() | ~kept(x, mask), **k),
        "count": lambda lib, x, mask=None, **k: reduced(torch.sum, kept(x, mask).long(), **k),
        "output_mask": lambda lib, x, mask=None, **k: torch.masked._output_mask(torch.masked.sum, x, mask=mask, **k),
    }
    for op, reference in references.items():
        for i in range(25):
            x = pair(dtype, some_shape(rng), rng, pick(rng, ["any", "small"]))
            mask = some_mask(x, rng, none=op != "output_mask")
            check("masked." + op, x, **options(x, rng), mask=mask, call=masked(op), reference=reference)


REDUCTIONS = ["sum", "prod", "mean", "amax", "amin", "argmax", "argmin", "var", "std", "norm", "logsumexp", "any",
              "all", "count", "output_mask"]
ALONG = ["softmax", "log_softmax", "softmin", "cumsum", "cumprod"]


def test_errors(check):
    rng = seeded("masked errors")
    x = pair("float32", (2, 3), rng, "small")
    wrong = [pair("bool", (3, 2), rng), pair("bool", (2, 2, 3), rng), pair("bool", (4,), rng)]
    for op in REDUCTIONS + ALONG + ["normalize"]:
        ours = op in ("any", "all", "count", "output_mask")
        dims = [1] if op in ALONG else [2.0, 1] if op == "normalize" else []
        theirs = "sum" if ours else op
        call = lambda lib, *a, **k: getattr(lib.masked, theirs if lib is torch else op)(*a, **k)
        for m in wrong:
            check("masked." + op, x, *dims, mask=m, call=call)
        for dtype in ("float32", "uint8", "int64"):
            check("masked." + op, x, *dims, mask=pair(dtype, (2, 3), rng, "nonzero"), call=call)
        if op in ALONG:
            check("masked." + op, x, 2, mask=pair("bool", (2, 3), rng), call=call)
        elif op != "normalize":
            check("masked." + op, x, dim=-3, mask=pair("bool", (2, 3), rng), call=call)
            if not op.startswith("arg"):
                check("masked." + op, x, dim=(0, 0), mask=pair("bool", (2, 3), rng), call=call)


def test_what_is_masked_out_does_not_count(check):
    """NaN and infinities behind the mask: the same as if small numbers stood there."""
    rng = seeded("behind")
    inf, nan = float("inf"), float("nan")
    for op in REDUCTIONS[:-2] + ALONG + ["normalize"]:
        for dtype in FLOATS:
            m = pair("bool", (5, 40), rng)
            quiet = pair(dtype, (5, 40), rng, "small").torch.clone()
            loud = torch.where(m.torch, quiet, torch.tensor([nan, inf, -inf, nan] * 50).reshape(5, 40).to(quiet.dtype))
            dims = [2.0, 1] if op == "normalize" else [2.0] if op == "norm" else []
            found = {"dim": 1} if op != "normalize" else {}
            f = getattr(tamis.masked, op)
            a = f(tamis.as_tensor(loud), *dims, **found, mask=m.tamis).torch()
            b = f(tamis.as_tensor(quiet), *dims, **found, mask=m.tamis).torch()
            if not torch.equal(a, b) and not torch.equal(a.isnan(), b.isnan()):
                check.fail(f"{op} {dtype}: {a} is not {b}")
