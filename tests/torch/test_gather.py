"""Gather, scatter and their kin: elements and slices that integer tensors point at."""

import numpy as np
import pytest
import torch

from cases import DTYPES, NUMBERS, Pair, pair, pick, plain, same_in_tamis, seeded

SHAPES = [(5,), (3, 4), (2, 3, 4), (1, 6), (4, 1, 3), (70,)]


def integers(low, high, shape, rng, dtype="int64"):
    """Integers in [low, high), in some layout."""
    values = torch.from_numpy(np.asarray(rng.randint(low, max(high, low + 1), shape))).to(getattr(torch, dtype))
    found = Pair(values, same_in_tamis(values))
    if len(shape) == 2 and rng.rand() < 0.3:
        found = Pair(values.t().contiguous().t(), same_in_tamis(values.t().contiguous()).t())
    return found


def some_dim(shape, rng):
    rank = max(len(shape), 1)
    return int(rng.randint(-rank, rank))


def index_within(shape, dim, rng, dtype="int64", extra=3):
    """An index for gather and scatter: up to the sizes of shape, but along dim of any size."""
    sizes = [int(rng.randint(1, s + 1)) for s in shape]
    if sizes:
        sizes[dim] = int(rng.randint(1, shape[dim] + extra))
    return integers(0, shape[dim] if shape else 1, sizes, rng, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gather(check, dtype):
    rng = seeded("gather" + dtype)
    for i in range(40):
        shape = pick(rng, SHAPES + [()])
        dim = some_dim(shape, rng)
        check("gather", pair(dtype, shape, rng), dim, index_within(shape, dim, rng))
        index = index_within(shape, dim, rng)
        check("gather", pair(dtype, shape, rng), dim, index, call=lambda lib, x, d, i: x.gather(d, i.expand_as(i)))
    check("gather", pair(dtype, (3, 4), rng), 0, plain([[], []], "int64"))
    check("gather", pair(dtype, (3, 4), rng), 1, plain([], "int64"))
    # an expanded index
    for dim in (0, 1):
        check("gather", pair(dtype, (3, 4), rng), dim, plain([[1], [0]]), call=lambda lib, x, d, i: x.gather(
            d, i.expand(2, 4)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_index_select(check, dtype):
    rng = seeded("index_select" + dtype)
    for i in range(30):
        shape = pick(rng, SHAPES)
        dim = some_dim(shape, rng)
        index = integers(0, shape[dim], pick(rng, [(), (0,), (1,), (4,), (9,)]), rng, pick(rng, ["int64", "int32"]))
        check("index_select", pair(dtype, shape, rng), dim, index)
    check("index_select", pair(dtype, (), rng), 0, plain([0]))
    check("index_select", pair(dtype, (0, 3), rng), 1, plain([2, 0]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_take_and_put(check, dtype):
    rng = seeded("take" + dtype)
    for i in range(30):
        shape = pick(rng, SHAPES + [()])
        n = int(np.prod(shape, dtype=np.int64))
        index = integers(-n, n, pick(rng, [(), (0,), (4,), (2, 3)]), rng)
        check("take", pair(dtype, shape, rng), index)
        count = index.torch.numel()
        check("put", pair(dtype, shape, rng, "small"), index, pair(dtype, (count,), rng, "small"), True)
        once = rng.permutation(n)[:3].astype(np.int64)
        once = plain((once - n * (rng.rand(len(once)) < 0.3)).tolist(), "int64")
        check("put", pair(dtype, shape, rng), once, pair(dtype, tuple(once.torch.shape), rng))
    check("take", pair(dtype, (0,), rng), plain([], "int64"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_take_along_dim(check, dtype):
    rng = seeded("take_along_dim" + dtype)
    for i in range(30):
        shape = pick(rng, SHAPES)
        dim = some_dim(shape, rng)
        at = [1 if rng.rand() < 0.4 else s for s in shape]
        own = [1 if rng.rand() < 0.3 else s for s in shape]
        own[dim], at[dim] = shape[dim], int(rng.randint(1, 6))
        check("take_along_dim", pair(dtype, own, rng), integers(0, shape[dim], at, rng), dim)
        n = int(np.prod(shape))
        check("take_along_dim", pair(dtype, shape, rng, layout="contiguous"), integers(0, n, (4,), rng))


def rows_index(size, n, rng):
    return integers(0, size, (n,), rng)


@pytest.mark.parametrize("dtype", DTYPES)
def test_slices(check, dtype):
    rng = seeded("slices" + dtype)
    for i in range(25):
        shape = pick(rng, SHAPES)
        dim = some_dim(shape, rng)
        size = shape[dim]
        index = integers(-size, size, pick(rng, [(), (0,), (1,), (4,)]), rng)
        check("index_fill", pair(dtype, shape, rng), dim, index, pick(rng, [1, True, 2.5, pair(dtype, (), rng)]))
        n = int(rng.randint(0, 6))
        part = list(shape)
        part[dim] = n
        source = pair(dtype, part, rng, "small", layout="contiguous")
        check("index_add", pair(dtype, shape, rng, "small", layout="contiguous"), dim, rows_index(size, n, rng), source)
        check("index_add", pair(dtype, shape, rng, "small", layout="contiguous"), dim,
              integers(0, size, (n,), rng, "int32"), source, alpha=1 if dtype == "bool" else 2)
        once = plain(rng.permutation(size)[:n].tolist(), "int64")
        part[dim] = once.torch.numel()
        check("index_copy", pair(dtype, shape, rng), dim, once, pair(dtype, part, rng))
    check("index_fill", pair(dtype, (), rng), 0, plain([0]), 1)
    check("index_add", pair(dtype, (), rng, "small"), 0, plain([0]), pair(dtype, (1,), rng, "small"))
    check("index_copy", pair(dtype, (), rng), 0, plain([0]), pair(dtype, (1,), rng))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_index_reduce(check, dtype):
    rng = seeded("index_reduce" + dtype)
    for i in range(25):
        shape = pick(rng, SHAPES)
        dim = some_dim(shape, rng)
        n = int(rng.randint(0, 4))
        part = list(shape)
        part[dim] = n
        for reduce in ("prod", "mean", "amax", "amin"):
            check("index_reduce", pair(dtype, shape, rng, "small", layout="contiguous"), dim,
                  rows_index(shape[dim], n, rng), pair(dtype, part, rng, "small", layout="contiguous"), reduce,
                  include_self=bool(rng.randint(2)))


def source_for(dtype, index, rng, **options):
    """At least as large as the index."""
    sizes = [s + int(rng.randint(0, 2)) for s in index.torch.shape]
    return pair(dtype, sizes, rng, "small", **options)


def once_along(shape, dim, rng):
    """An index in which nothing comes twice along dim."""
    sizes = [int(rng.randint(1, s + 1)) for s in shape]
    order = np.argsort(rng.rand(*shape), axis=dim)
    return plain(order[tuple(slice(0, s) for s in sizes)].tolist(), "int64")


@pytest.mark.parametrize("dtype", DTYPES)
def test_scatter(check, dtype):
    rng = seeded("scatter" + dtype)
    for i in range(25):
        shape = pick(rng, SHAPES)
        dim = some_dim(shape, rng)
        x = lambda: pair(dtype, shape, rng, "small", layout="contiguous")
        index = once_along(shape, dim, rng)
        check("scatter", pair(dtype, shape, rng), dim, index, source_for(dtype, index, rng))
        index = index_within(shape, dim, rng)
        check("scatter", pair(dtype, shape, rng), dim, index, 1)
        check("scatter", pair(dtype, shape, rng), dim, index, value=True)
        check("scatter_add", x(), dim, index, source_for(dtype, index, rng))
        for reduce in ("add", "multiply"):
            check("scatter", x(), dim, index, source_for(dtype, index, rng), reduce=reduce)
            check("scatter", x(), dim, index, 2, reduce=reduce)
    check("scatter", pair(dtype, (3, 4), rng), 0, plain([], "int64"), pair(dtype, (2,), rng))
    check("scatter_add", pair(dtype, (3, 4), rng), 0, plain([], "int64"), pair(dtype, (2,), rng))
    check("scatter", pair(dtype, (), rng), 0, plain(0), pair(dtype, (), rng))
    check("scatter", pair(dtype, (), rng), 0, plain([0]), 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_scatter_reduce(check, dtype):
    rng = seeded("scatter_reduce" + dtype)
    for i in range(25):
        shape = pick(rng, SHAPES)
        dim = some_dim(shape, rng)
        index = index_within(shape, dim, rng)
        for reduce in ("sum", "prod", "mean", "amax", "amin"):
            check("scatter_reduce", pair(dtype, shape, rng, "small", layout="contiguous"), dim, index,
                  source_for(dtype, index, rng), reduce, include_self=bool(rng.randint(2)))
    check("scatter_reduce", pair(dtype, (3,), rng), 0, plain([], "int64"), pair(dtype, (2,), rng), "mean",
          include_self=False)


def test_nan_in_reductions(check):
    nan = float("nan")
    x, source = plain([1.0, nan, 3.0]), plain([nan, 2.0, 5.0])
    for reduce in ("amax", "amin"):
        for include_self in (True, False):
            check("scatter_reduce", x, 0, plain([0, 1, 0]), source, reduce, include_self=include_self)
            check("index_reduce", x, 0, plain([0, 1, 0]), source, reduce, include_self=include_self)


X = np.arange(6.0).reshape(2, 3).tolist()
I = [[0, 1, 1], [1, 0, 0]]
FAR = [[0, 1, 1], [1, 0, 5]]
BELOW = [[0, 1, 1], [1, 0, -1]]

ERRORS = [
    ("gather", [0, plain(FAR)]), ("gather", [1, plain(BELOW)]), ("gather", [0, plain([0, 1])]),
    ("gather", [2, plain(I)]), ("gather", [0, plain([[0, 0, 0, 0]])]), ("gather", [0, plain(I, "int16")]),
    ("gather", [0, plain(I, "float32")]),
    ("index_select", [0, plain([0, 2])]), ("index_select", [0, plain([-1])]), ("index_select", [0, plain([[0]])]),
    ("index_select", [0, plain([0], "int8")]), ("index_select", [0, plain([0.0])]), ("index_select", [2, plain([0])]),
    ("take", [plain([6])]), ("take", [plain([-7])]), ("take", [plain([0], "int32")]), ("take", [plain([0.5])]),
    ("put", [plain([0, 9]), plain([1.0, 2.0])]), ("put", [plain([0, 1]), plain([1.0])]),
    ("put", [plain([0, 1]), plain([1, 2])]), ("put", [plain([0, 1], "int32"), plain([1.0, 2.0])]),
    ("take_along_dim", [plain(I), 5]), ("take_along_dim", [plain([0, 1]), 0]), ("take_along_dim", [plain(FAR), 1]),
    ("take_along_dim", [plain(BELOW), 1]), ("take_along_dim", [plain(I, "int32"), 1]),
    ("take_along_dim", [plain([[0], [0], [0]]), 1]),
    ("index_fill", [0, plain([5]), 1]), ("index_fill", [0, plain([0], "int32"), 1]),
    ("index_fill", [0, plain([0]), plain([0.5])]), ("index_fill", [0, plain([[0]]), 1]),
    ("index_fill", [2, plain([0]), 1]),
    ("index_add", [0, plain([5]), plain(X[:1])]), ("index_add", [0, plain([0, -1]), plain(X)]),
    ("index_add", [0, plain([0, 1]), plain([[1, 2, 3]] * 2)]), ("index_add", [0, plain([0, 1]), plain(X[:1])]),
    ("index_add", [0, plain([0, 1]), plain([[1.0, 2.0]] * 2)]), ("index_add", [0, plain([1]), plain(X[0])]),
    ("index_add", [0, plain([0], "int8"), plain(X[:1])]), ("index_add", [0, plain([[0, 1]]), plain(X)]),
    ("index_copy", [0, plain([5]), plain(X[:1])]), ("index_copy", [0, plain([0, -1]), plain(X)]),
    ("index_copy", [0, plain([0, 1], "int32"), plain(X)]), ("index_copy", [0, plain([0, 1]), plain([[1, 2, 3]] * 2)]),
    ("index_copy", [0, plain([0, 1]), plain(X[:1])]), ("index_copy", [0, plain([0, 1]), plain([[1.0, 2.0]] * 2)]),
    ("index_copy", [0, plain(1), plain(X[0])]), ("index_copy", [0, plain(1), plain(1.0)]),
    ("index_copy", [0, plain([[0, 1]]), plain(X)]), ("index_copy", [0, plain([0, 1]), plain(2.0)]),
    ("index_reduce", [0, plain([0, 1]), plain(X), "sum"]), ("index_reduce", [0, plain([5]), plain(X[:1]), "amin"]),
    ("index_reduce", [0, plain([0], "int8"), plain(X[:1]), "amin"]),
    ("index_reduce", [0, plain([0, 1]), plain([[1, 2, 3]] * 2), "amin"]),
    ("index_reduce", [0, plain([0, 1]), plain(X[:1]), "amin"]),
    ("scatter", [0, plain(FAR), plain(X)]), ("scatter", [0, plain(BELOW), 7]), ("scatter", [0, plain(I, "float32"), 7]),
    ("scatter", [0, plain(I), plain([[1, 2, 3]] * 2)]), ("scatter", [0, plain(I), plain(7.0)]),
    ("scatter", [0, plain(I), plain([[1.0, 2.0]] * 2)]), ("scatter", [0, plain([0, 1]), plain(X)]),
    ("scatter", [0, plain([[0] * 9]), 1]), ("scatter", [2, plain(I), 1]),
    ("scatter", [0, plain([], "int64"), plain([1, 2])]),
    ("scatter_add", [0, plain(FAR), plain(X)]), ("scatter_add", [0, plain(I), plain([[1, 2, 3]] * 2)]),
    ("scatter_add", [0, plain(I), plain(X[:1])]), ("scatter_add", [0, plain([0, 1]), plain(X)]),
    ("scatter_reduce", [0, plain(I), plain(X), "add"]), ("scatter_reduce", [0, plain(FAR), plain(X), "sum"]),
    ("scatter_reduce", [0, plain(I), plain([[1, 2, 3]] * 2), "sum"]),
]


def test_errors(check):
    for op, args in ERRORS:
        check(op, plain(X), *args)
        before = plain(X)
        if op + "_" in ("index_fill_", "index_add_", "index_copy_", "scatter_", "scatter_add_", "put_"):
            check(op + "_", before, *args, call=lambda lib, x, *a: getattr(x, op + "_")(*a))
            if before.tamis.tolist() != X:
                check.fail(f"{op}_{args} has written before it refused")
    check("scatter", plain(X), 0, plain(I), plain(X), reduce="mean")
    check("scatter", plain(X, "uint8"), 0, plain(I), 300)
    check("index_fill", plain(X, "uint8"), 0, plain([0]), 300)
    check("take", plain([], "float32"), plain([0]))
    check("put", plain([], "float32"), plain([0]), plain([1.0]))


def test_writes_to_shared_memory(check):
    x = lambda: plain(X)
    check("scatter_", x(), plain(I), call=lambda lib, x, i: x.scatter_(0, i, x))
    check("index_copy_", x(), plain([0, 1]), call=lambda lib, x, i: x.index_copy_(0, i, x))
    check("index_add_", x(), plain([0, 1]), call=lambda lib, x, i: x.index_add_(0, i, x))
    check("put_", x(), plain([0, 1]), call=lambda lib, x, i: x.put_(i, x[0, :2]))
    check("scatter_", plain([1.0, 2.0, 3.0]), plain(I), call=lambda lib, x, i: x.expand(2, 3).scatter_(0, i, 7))
    check("scatter_add_", plain([1.0, 2.0, 3.0]), plain(I), plain(X),
          call=lambda lib, x, i, s: x.expand(2, 3).scatter_add_(0, i, s))
