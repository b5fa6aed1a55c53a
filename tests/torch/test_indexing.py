"""x[...] read and assigned with every kind of index, and moves by position."""

import numpy as np
import pytest
import tamis
import torch

from cases import DTYPES, FLOATS, NUMBERS, Pair, mask, pair, pick, plain, same_in_tamis, seeded
from test_views import check_view

INDEXED = [(5,), (3, 4), (2, 3, 4), (1, 6), (4, 1, 3), (2, 3, 2, 2)]
PICKED = [(3,), (1,), (2, 3), (2, 1), (0,)]


def integers(low, high, shape, rng, dtype="int64"):
    """Integers in [low, high)."""
    values = torch.from_numpy(np.asarray(rng.randint(low, max(high, low + 1), shape))).to(getattr(torch, dtype))
    return Pair(values, same_in_tamis(values))


def entry(shape, d, rng, tensors):
    """An index of dimension d on, and how many dimensions it stands for."""
    size, roll = shape[d], rng.rand()
    if tensors and roll < 0.35 and size > 0:
        picked = pick(rng, PICKED)
        index = integers(-size, size, picked, rng, pick(rng, ["int64", "int64", "int32"]))
        if rng.rand() < 0.3:
            return index.torch.tolist() or index, 1
        return index, 1
    if tensors and roll < 0.55:
        rank = int(rng.randint(1, len(shape) - d + 1))
        return mask(shape[d:d + rank], rng), rank
    if roll < 0.75:
        step = int(rng.randint(1, 3))
        return pick(rng, [slice(None), slice(1, None), slice(None, -1), slice(-2, 9, step), slice(5, 2)]), 1
    i = int(rng.randint(-size, size)) if size else 0
    return (plain(i, pick(rng, ["int64", "int16"])) if rng.rand() < 0.3 else i), 1


def random_index(shape, rng, tensors=True):
    """A tuple of indices for a tensor of this shape."""
    entries, d = [], 0
    end = int(rng.randint(len(shape) + 1))
    dotted = rng.rand() < 0.3
    while d < len(shape):
        if rng.rand() < 0.15:
            entries.append(pick(rng, [None, True, plain(True)] if tensors else [None]))
        if d >= end and not dotted:
            break
        if d >= end:
            entries.append(Ellipsis)
            d, dotted = int(rng.randint(d, len(shape))), False
            end = len(shape)
            if rng.rand() < 0.5:  # what is behind the dots
                rest, at = [], d
                while at < len(shape):
                    e, n = entry(shape, at, rng, tensors)
                    rest.append(e)
                    at += n
                entries += rest
            return entries
        e, n = entry(shape, d, rng, tensors)
        entries.append(e)
        d += n
    return entries


def get(lib, x, *entries):
    return x[tuple(entries)]


def apart(entries):
    """Indices for torch 1.13, which miscounts the dimensions behind a mask of several (pytorch#158413), so masks
    are integers; and which takes no int32."""
    found = []
    for e in entries:
        several = isinstance(e, torch.Tensor) and e.dtype == torch.bool and e.dim() > 1
        int32 = isinstance(e, torch.Tensor) and e.dtype == torch.int32
        found += list(e.nonzero(as_tuple=True)) if several else [e.long() if int32 else e]
    return tuple(found)


def get_apart(lib, x, *entries):
    return x[apart(entries)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_get(check, dtype):
    rng = seeded("index get" + dtype)
    for i in range(250):
        shape = pick(rng, INDEXED)
        entries = random_index(shape, rng)
        check("index", pair(dtype, shape, rng), *entries, call=get, reference=get_apart)


@pytest.mark.parametrize("dtype", DTYPES)
def test_index_views(check, dtype):
    rng = seeded("index views" + dtype)
    for i in range(60):
        shape = pick(rng, INDEXED)
        entries = random_index(shape, rng, tensors=False)
        check_view(check, "index", pair(dtype, shape, rng, private=True), *entries, call=get)


def put(lib, x, value, *entries):
    x[tuple(entries)] = value
    return x


def put_apart(lib, x, value, *entries):
    x[apart(entries)] = value
    return x


def value_for(x, entries, rng):
    """A value that x[entries] can be assigned, the same for all if several go to one element."""
    numbers = torch.arange(x.torch.numel()).view(x.torch.shape)
    try:
        found = numbers[apart([e.torch if isinstance(e, Pair) else e for e in entries])]
    except IndexError:
        return 1
    shape = tuple(found.shape)
    if len(found.unique()) < found.numel() or rng.rand() < 0.3:
        return pick(rng, [2, True, pair(x.dtype, (), rng, "small"), pair(x.dtype, (1, 1), rng, "small")])
    shape = pick(rng, [shape, (1,) + shape, shape[1:], tuple(1 if rng.rand() < 0.3 else s for s in shape)])
    return pair(x.dtype, shape, rng, "small")


@pytest.mark.parametrize("dtype", DTYPES)
def test_put(check, dtype):
    rng = seeded("index put" + dtype)
    for i in range(250):
        shape = pick(rng, INDEXED)
        entries = random_index(shape, rng)
        x = pair(dtype, shape, rng, private=True)
        value = value_for(x, entries, rng)
        check("index_put", x, value, *entries, call=put, reference=put_apart)


def index_list(shape, rng):
    """Tensors for the first dimensions, as the rows take them."""
    count = int(rng.randint(1, len(shape) + 1))
    picked = pick(rng, PICKED[:4])
    return [integers(-s, s, picked if rng.rand() < 0.7 else (1,), rng) for s in shape[:count]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(check, dtype):
    """index and index_put as functions of a list of tensors, with accumulation."""
    rng = seeded("index rows" + dtype)
    for i in range(80):
        shape = pick(rng, INDEXED)
        indices = index_list(shape, rng)
        if rng.rand() < 0.2:
            indices = [mask(shape[:rng.randint(1, len(shape) + 1)], rng)]
        check("index", pair(dtype, shape, rng), indices,
              call=lambda lib, x, i: x[tuple(i)] if lib is torch else lib.index(x, i))
        x = pair(dtype, shape, rng, "small", private=True)
        found = x.torch[tuple(i.torch for i in indices)].shape
        value = pair(dtype, pick(rng, [found, (), found[-1:]]), rng, "small", layout="contiguous")
        check("index_put", x, indices, value, True, call=lambda lib, x, i, v, a: lib.index_put(x, tuple(i), v, a))
        check("index_put_", x, indices, value, call=lambda lib, x, i, v: (x.index_put_(tuple(i), v, accumulate=True), x))


def test_shapes_that_pytorch_pins(check):
    x, m = plain(np.arange(12).reshape(2, 2, 3).tolist()), plain([[False, True], [False, False]])
    for tail in ([], [slice(None, None, 2)], [None], [0], [True], [False], [Ellipsis, 1]):
        check("index", x, m, *tail, call=get, reference=get_apart)
    x = plain(np.arange(60).reshape(3, 2, 2, 5).tolist())
    for entries in ([slice(None), m, slice(None)], [0, m, slice(None, None, 2)], [Ellipsis, m, slice(None, None, 2)],
                    [None, Ellipsis, m, slice(None, None, 2)]):
        check("index", x, *entries, call=get, reference=get_apart)
    a = plain(np.arange(24).reshape(2, 3, 4).tolist())
    for entries in ([False, True, Ellipsis], [True, [0, 1], True, True, [1], [[2]]], [True], [False], [[]],
                    [slice(None), []], [[[0, 1], [1, 0]]], [[True, False]], [0, [0], slice(None)]):
        empty = [] in entries
        check("index", a, *entries, call=get,
              reference=(lambda lib, x, *e: x[tuple(torch.tensor([], dtype=torch.int64) if i == [] else i for i in e)])
              if empty else None)
    for entries in ([True], [False], [Ellipsis], [None], [plain(True)], [0], []):
        check("index", plain(5), *entries, call=get)


def test_index_errors(check):
    x = plain(np.arange(6.0).reshape(2, 3).tolist())
    wrong = [[0, 0, 0], [plain([5])], [plain([-3])], [slice(None), plain([3])], [0, 5], [-3], [2],
             [plain([0, 1]), plain([0, 1, 2])], [plain([0.5])], [plain([0, 1], "int16")], [plain([True])],
             [slice(None), plain([True, False])], [plain([[True] * 3] * 3)], [slice(0, 2, 0)],
             [plain([True, True]), plain([0, 1, 2])], ["a"], [1.5]]
    for entries in wrong:
        check("index", x, *entries, call=get)
        check("index_put", plain(x.torch.tolist()), 1.0, *entries, call=put)
    check("index_put", plain([1, 2, 3]), plain([1, 2, 3]), plain([0, 1]), call=put)
    check("index_put", plain([1, 2, 3], "uint8"), 300, plain([0, 1]), call=put)
    check("index_put", plain([1, 2, 3, 4]), plain([0, 1]), call=lambda lib, x, i: put(lib, x, x[1:3], i))
    check("index_put", plain([1, 2, 3]), 1, 1, call=lambda lib, x, v, i: put(lib, x[0], v, i))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_narrow_integers_index_where_pytorch_lets_them(check, dtype):
    """As single numbers everywhere; as lists of indices only int64, and int32 where Tamis follows 2.9."""
    x, i, row = plain(np.arange(6.0).reshape(2, 3).tolist()), plain(1, dtype), plain([1.0, 2, 3])
    many = plain([1, 0], dtype)
    for entries in ([i], [slice(None), i], [0, i], [i, i], [i, plain([0, 1])], [Ellipsis, i, None]):
        check("index", x, *entries, call=get)
        check("index_put", plain(x.torch.tolist()), 1.0, *entries, call=put)
    check("select", x, 1, i)
    check("narrow", x, 0, i, 1)
    check("index", x, i, call=lambda lib, x, i: x[i:, :i])
    check("bincount", many)
    check("bucketize", many, plain([0, 1]))
    if dtype in ("int32", "int64"):
        return
    two = plain([1.0, 2.0])
    check("index", x, many, call=get)
    check("index_put", plain(x.torch.tolist()), 1.0, many, call=put)
    check("index_select", x, 0, many)
    check("gather", row, 0, many)
    check("take", row, many)
    check("scatter", row, 0, many, two)
    check("index_add", row, 0, many, two)
    check("index_copy", row, 0, many, two)
    check("index_fill", row, 0, many, 5.0)
    check("index_select", x, 0, i)


@pytest.mark.parametrize("dtype", DTYPES)
def test_flips_and_rolls(check, dtype):
    rng = seeded("flip" + dtype)
    for shape in [(), (1,), (6,), (2, 3), (2, 3, 4), (0,), (2, 0, 3), (3, 1, 2)]:
        rank = len(shape)
        x = lambda: pair(dtype, shape, rng)
        for i in range(5):
            dims = [int(d) - (rank if rng.rand() < 0.3 else 0) for d in rng.permutation(rank)[:rng.randint(rank + 1)]]
            check("flip", x(), dims)
            check("fliplr", x())
            check("flipud", x())
            check("roll", x(), int(rng.randint(-7, 8)))
            if rank:
                check("roll", x(), [int(s) for s in rng.randint(-7, 8, len(dims))], dims)
                check("roll", x(), int(rng.randint(-7, 8)), int(rng.randint(-rank, rank)))
            check("rot90", x(), int(rng.randint(-5, 6)))
            if rank > 1:
                a, b = (int(d) for d in rng.permutation(rank)[:2])
                check("rot90", x(), int(rng.randint(-5, 6)), [a, b - (rank if rng.rand() < 0.3 else 0)])


@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonals(check, dtype):
    rng = seeded("diagonal" + dtype)
    for shape in [(2, 3), (4, 4), (3, 1), (2, 3, 4), (0, 3), (2, 1, 3, 2)]:
        rank = len(shape)
        for offset in (-3, -1, 0, 1, 2, 9):
            a, b = (int(d) - (rank if rng.rand() < 0.3 else 0) for d in rng.permutation(rank)[:2])
            x = pair(dtype, shape, rng, private=True)
            check_view(check, "diagonal", x, offset, a, b, call=lambda lib, x, *o: lib.diagonal(x, *o))
            check("diagonal", pair(dtype, shape, rng), offset, dim1=a, dim2=b)
            src = pair(dtype, tuple(torch.diagonal(x.torch, offset, a, b).shape), rng)
            check("diagonal_scatter", pair(dtype, shape, rng), src, offset, a, b)
    for shape in [(3,), (0,), (2, 3), (2, 1, 2)]:
        for offset in (-2, 0, 1):
            check("diag_embed", pair(dtype, shape, rng), offset)
            rank = len(shape) + 1
            a, b = (int(d) - (rank if rng.rand() < 0.3 else 0) for d in rng.permutation(rank)[:2])
            check("diag_embed", pair(dtype, shape, rng), offset, a, b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_replaced(check, dtype):
    rng = seeded("parts" + dtype)
    for shape in [(5,), (2, 3), (3, 2, 4), (2, 0)]:
        for d in range(-len(shape), len(shape)):
            i = int(rng.randint(-shape[d], shape[d])) if shape[d] else 0
            rest = [s for k, s in enumerate(shape) if k != d % len(shape)]
            check("select_scatter", pair(dtype, shape, rng), pair(dtype, rest, rng), d, i)
            start, end, step = pick(rng, [(None, None, 1), (1, None, 1), (0, -1, 2), (-2, 9, 1), (3, 1, 1)])
            part = list(shape)
            part[d] = len(range(shape[d])[start:end:step])
            check("slice_scatter", pair(dtype, shape, rng), pair(dtype, part, rng), d, start, end, step)
    check("slice_scatter", pair(dtype, (4, 2), rng), pair(dtype, (2, 2), rng), step=2)


def test_position_errors(check):
    x = plain(np.arange(6.0).reshape(2, 3).tolist())
    for dims in ([0, 0], [2], [-3]):
        check("flip", x, dims)
    check("flip", plain(1.0), [0])
    check("flip", plain(1.0), [1])
    for shifts, dims in ((1, [0, 1]), ([1, 2], [0]), ([], []), ([1, 2], []), (1, 5)):
        check("roll", x, shifts, dims)
    check("roll", plain(1.0), 1, 0)
    for dims in ([0, 0], [0, 5], [0], [0, -2]):
        check("rot90", x, 1, dims)
    check("rot90", plain([1.0, 2.0]))
    for a, b in ((0, 0), (0, 3), (1, -1)):
        check("diagonal", x, 0, a, b)
        check("diag_embed", x, 0, a, b)
    check("diagonal", plain([1.0]))
    check("diag_embed", plain(1.0))
    check("diagonal_scatter", x, plain([1.0, 2.0, 3.0]))
    check("select_scatter", x, plain([1.0, 2.0]), 0, 0)
    check("select_scatter", x, plain([1.0, 2.0, 3.0]), 0, 5)
    check("slice_scatter", x, plain([1.0, 2.0, 3.0]), 0, 0, 1)
    check("slice_scatter", x, plain([[1.0, 2.0, 3.0]]), 0, 0, 1, 0)
