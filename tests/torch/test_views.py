"""Views, joining, indexing and creation: values, shapes, strides, and whether writing to a view reaches its base."""

import copy
import pickle

import pytest
import tamis
import torch

from cases import (DTYPES, FLOATS, NUMBERS, DType, Pair, name_of, pair, pick, plain, seeded)

SHAPES = [(), (1,), (6,), (2, 3), (1, 4, 1), (2, 3, 4), (0,), (2, 0, 3), (3, 1, 2, 1)]


def check_view(check, op, x, *args, call, **kwargs):
    """The view has torch's values, strides and offset, and writing to it writes to x (x is private)."""
    case = check(op, x, *args, call=call, **kwargs)
    got, want = case.tamis.result, case.torch.result
    if case.what is not None or want is None or want.numel() == 0:
        return
    if tuple(got.stride()) != tuple(want.stride()):
        check.fail(f"{case!r}: strides {got.stride()}, want {want.stride()}")
    shares = want.storage().data_ptr() == x.torch.storage().data_ptr()
    if all(s > 0 for s in want.stride()) and x.torch.numel() and shares:
        check(op, x, *args, **kwargs, call=lambda lib, x, *a, **k: (call(lib, x, *a, **k).zero_(), x)[1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_views(check, dtype):
    rng = seeded("views" + dtype)
    for i in range(4):
        for shape in SHAPES:
            rank = len(shape)
            x = lambda: pair(dtype, shape, rng, private=True)
            dim = lambda extra=0: int(rng.randint(-rank - extra, rank + extra)) if rank + extra else pick(rng, [0, -1])
            check_view(check, "transpose", x(), dim(), dim(), call=lambda lib, x, a, b: lib.transpose(x, a, b))
            order = [int(d) - (rank if rng.rand() < 0.3 else 0) for d in rng.permutation(rank)]
            check_view(check, "permute", x(), order, call=lambda lib, x, dims: lib.permute(x, dims))
            check_view(check, "unsqueeze", x(), dim(1), call=lambda lib, x, d: lib.unsqueeze(x, d))
            check_view(check, "squeeze", x(), call=lambda lib, x: lib.squeeze(x))
            check_view(check, "squeeze", x(), dim(), call=lambda lib, x, d: lib.squeeze(x, d))
            a, b = sorted([dim() % max(rank, 1), dim() % max(rank, 1)])
            check_view(check, "flatten", x(), a, b, call=lambda lib, x, a, b: lib.flatten(x, a, b))
            if rank:
                d = dim()
                size = shape[d]
                start = int(rng.randint(-size, size + 1)) if size else 0
                length = int(rng.randint(0, size + 1))
                check_view(check, "narrow", x(), d, start, length, call=lambda lib, x, *a: lib.narrow(x, *a))
                check_view(check, "select", x(), d, int(rng.randint(-size - 1, size + 1)),
                           call=lambda lib, x, *a: lib.select(x, *a))
            if rank <= 2:
                check_view(check, "t", x(), call=lambda lib, x: lib.t(x))


NEW_SHAPES = {6: [(6,), (2, 3), (3, -1), (-1,), (1, 6, 1), (4, 2)], 24: [(24,), (4, 6), (2, -1, 2), (2, 12), (5, -1)],
              0: [(0,), (0, 5), (3, 0), (-1,), (0, -1)], 1: [(), (1,), (1, 1), (-1,)], 4: [(4,), (2, 2), (2, -1)]}


@pytest.mark.parametrize("dtype", DTYPES)
def test_reshape(check, dtype):
    rng = seeded("reshape" + dtype)
    for shape in SHAPES:
        x = lambda **o: pair(dtype, shape, rng, private=True, **o)
        numel = x().torch.numel()
        for new in NEW_SHAPES[numel]:
            for layout in ("contiguous", "transposed", "stepped", "offset"):
                for op in ("reshape", "view"):
                    check_view(check, op, x(layout=layout), new, call=lambda lib, x, s: getattr(x, op)(s))
        known = pair(dtype, [s for s in NEW_SHAPES[numel] if -1 not in s][0], rng)
        check("reshape_as", x(), known, call=lambda lib, x, y: x.reshape_as(y))
        check("view_as", x(layout="contiguous"), known, call=lambda lib, x, y: x.view_as(y))
        check("contiguous", x(), call=lambda lib, x: (x.contiguous(), x.contiguous().is_contiguous()))
        check("detach", x(), call=lambda lib, x: x.detach())
        check("clone", x(), call=lambda lib, x: lib.clone(x))
        check("reshape", x(), -1, call=lambda lib, x, s: x.reshape(s))


@pytest.mark.parametrize("dtype", DTYPES)
def test_expansion(check, dtype):
    rng = seeded("expand" + dtype)
    pairs = [((3, 1), (3, 4)), ((1,), (5,)), ((), (2, 3)), ((2, 3), (4, 2, 3)), ((3, 1), (-1, 4)), ((1, 0), (3, 0)),
             ((2, 3), (2, 4)), ((2, 3), (3,)), ((3,), (-1, 3)), ((1,), (0,))]
    for shape, size in pairs:
        x = pair(dtype, shape, rng)
        check("expand", x, size, call=lambda lib, x, s: (x.expand(s), tuple(x.expand(s).stride()))[0])
        check("broadcast_to", x, size)
        check("repeat", x, [2] * max(1, len(shape)), call=lambda lib, x, r: x.repeat(r))
        check("repeat", x, [2, 0, 3][:len(shape) + 1], call=lambda lib, x, r: x.repeat(r))
        if -1 not in size:
            check("expand_as", x, pair(dtype, size, rng), call=lambda lib, x, y: x.expand_as(y))
            other = pair(pick(rng, DTYPES), size, rng)
            check("broadcast_tensors", x, other, call=lambda lib, x, y: tuple(lib.broadcast_tensors(x, y)))


@pytest.mark.parametrize("op", ["cat", "stack"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_joining(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(25):
        shape = pick(rng, [(3,), (2, 3), (2, 0, 3), (4, 1, 2)])
        rank = len(shape) + (op == "stack")
        dim = int(rng.randint(-rank, rank))
        tensors = []
        for _ in range(rng.randint(1, 4)):
            sizes = list(shape)
            if op == "cat":
                sizes[dim] = int(rng.randint(0, 4))
            tensors.append(pair(dtype if rng.rand() < 0.7 else pick(rng, DTYPES), sizes, rng))
        check(op, tensors, dim)
    check(op, [pair(dtype, (2, 3), rng), pair(dtype, (2, 4), rng)])
    check(op, [pair(dtype, (0,), rng), pair(dtype, (2, 3), rng)])
    check(op, [pair(dtype, (), rng), pair(dtype, (), rng)])


def some_index(shape, rng):
    found, left = [], list(shape)
    ellipsis = False
    while True:
        roll = rng.rand()
        if roll < 0.12:
            found.append(None)
        elif roll < 0.24 and not ellipsis:
            found.append(...)
            ellipsis = True
            left = left[int(rng.randint(len(left) + 1)):]
        elif left and roll < 0.55:
            found.append(int(rng.randint(-left[0] - (rng.rand() < 0.05), max(left[0], 1))))
            left = left[1:]
        elif left:
            ends = [None if rng.rand() < 0.3 else int(rng.randint(-left[0] - 2, left[0] + 3)) for _ in range(2)]
            found.append(slice(ends[0], ends[1], pick(rng, [None, 1, 2, 3])))
            left = left[1:]
        if rng.rand() < 0.25 or len(found) > 5 or not (left or rng.rand() < 0.3):
            break
    return tuple(found) if len(found) > 1 or rng.rand() < 0.5 else found[0] if found else ()


@pytest.mark.parametrize("dtype", DTYPES)
def test_basic_index(check, dtype):
    rng = seeded("index" + dtype)

    def put(lib, x, index, value):
        x[index] = value
        return x

    for i in range(120):
        shape = pick(rng, [(5,), (3, 4), (2, 3, 4), (2, 0), ()])
        index = some_index(shape, rng)
        check_view(check, "select", pair(dtype, shape, rng, private=True), index, call=lambda lib, x, ix: x[ix])
        x = pair(dtype, shape, rng, private=True)
        value = pick(rng, [1, True, pair(pick(rng, DTYPES), (), rng, "positive"), pair(dtype, (1,), rng)])
        check("copy_", x, index, value, call=put)


def test_iteration_and_membership(check):
    rng = seeded("iteration")
    for dtype in DTYPES:
        for shape in ((3,), (2, 3), (), (0, 2)):
            x = pair(dtype, shape, rng)
            check("select", x, call=lambda lib, x: tuple(x))
            check("select", x, call=lambda lib, x: len(x))
            check("eq", x, call=lambda lib, x: 1 in x)
            check("clone", x, call=lambda lib, x: copy.deepcopy(x))
            check("clone", x, call=lambda lib, x: copy.copy(x))
            check("clone", x, call=lambda lib, x: pickle.loads(pickle.dumps(x)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_creation(check, dtype):
    rng = seeded("creation" + dtype)
    d = DType(dtype)
    facts = lambda t: (tuple(t.shape), name_of(t.dtype))
    for shape in ((), (3,), (2, 3), (0, 4)):
        for op in ("zeros", "ones"):
            check(op, shape, dtype=d)
        check("empty", shape, dtype=d, call=lambda lib, s, dtype: facts(lib.empty(s, dtype=dtype)))
        for value in (True, 2, 1.75, 0):
            check("full", shape, value, dtype=d)
            check("full", shape, value)
            check("full_like", pair(dtype, shape, rng), value)
            check("full_like", pair(dtype, shape, rng), value, dtype=DType(pick(rng, DTYPES)))
        for op in ("zeros_like", "ones_like"):
            check(op, pair(dtype, shape, rng))
            check(op, pair(pick(rng, DTYPES), shape, rng), dtype=d)
        check("empty_like", pair(dtype, shape, rng), call=lambda lib, x: facts(lib.empty_like(x)))
    check("zeros", call=lambda lib: lib.zeros(2, 3))
    check("ones", call=lambda lib: lib.ones(2, 3))
    for n, m in ((3, None), (3, 5), (5, 3), (0, 2), (1, 1)):
        check("eye", n, **({} if m is None else {"m": m}), dtype=d,
              call=lambda lib, n, m=None, dtype=None: lib.eye(*((n,) if m is None else (n, m)), dtype=dtype))
    for diagonal in (-3, -1, 0, 1, 4):
        for shape in ((3, 4), (4, 2), (2, 3, 3), (0, 3), (1, 1)):
            check("tril", pair(dtype, shape, rng), diagonal)
            check("triu", pair(dtype, shape, rng), diagonal)


@pytest.mark.parametrize("dtype", NUMBERS + ["bool", None])
def test_ranges(check, dtype):
    options = {} if dtype is None else {"dtype": DType(dtype)}
    for args in ((5,), (0,), (2, 9), (2, 9, 3), (0.5, 3), (1, 2, 0.25), (9, 2, -2), (5.0,), (0, 1, 0.1), (3, 3),
                 (1, 0), (1, 5, -1), (0, 5, 0), (-4, 4, 3), (2.5,), (0, 1.1, 0.1)):
        check("arange", *args, **options)
    # With int64 and steps that are not whole, torch 1.13 rounds where a vector register begins.
    for args in ((0, 1, 5), (0, 10, 4), (-1.5, 2.5, 9) if dtype != "int64" else (-1, 3, 5), (3, 3, 3),
                 (0, 1, 1), (0, 1, 0), (5, 0, 6), (0, 100, 101), (0, 1, 33), (0, 1, -1)):
        check("linspace", *args, **options)


def moments(lib, t):
    """Shape, dtype, and mean and mean square up to what 100000 random numbers tell."""
    wide = t.to(lib.float64)
    return tuple(t.shape), name_of(t.dtype), round(float(wide.mean()), 1) + 0.0, round(float((wide * wide).mean()), 1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_random_floats(check, dtype):
    """Other numbers, but the same shape, dtype and distribution."""
    torch.manual_seed(1)
    tamis.manual_seed(1)
    d = DType(dtype)
    x = plain([[0.7] * 500] * 200, dtype)
    for op in ("rand", "randn"):
        check(op, (200, 500), dtype=d, call=lambda lib, s, dtype: moments(lib, getattr(lib, op)(s, dtype=dtype)))
        check(op + "_like", x, call=lambda lib, x: moments(lib, getattr(lib, op + "_like")(x)))
    check("rand", (200, 500), dtype=d,
          call=lambda lib, s, dtype: [bool(((t >= 0) & (t < 1)).all()) for t in [lib.rand(s, dtype=dtype)]])
    check("bernoulli", x, call=lambda lib, x: moments(lib, lib.bernoulli(x))[2:])
    check("bernoulli", plain([0.0, 1.0] * 50, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_integers(check, dtype):
    torch.manual_seed(1)
    tamis.manual_seed(1)
    d = DType(dtype)
    high = 2 if dtype == "bool" else 7
    seen = lambda lib, t: (sorted(set(t.to(lib.int64).flatten().tolist())), tuple(t.shape), name_of(t.dtype))
    check("randint", high, (40, 50), dtype=d, call=lambda lib, h, s, dtype: seen(lib, lib.randint(h, s, dtype=dtype)))
    check("randint", 1, high, (40, 50), dtype=d,
          call=lambda lib, low, h, s, dtype: seen(lib, lib.randint(low, h, s, dtype=dtype)))
    if dtype != "bool":
        check("randperm", 50, dtype=d, call=lambda lib, n, dtype: seen(lib, lib.randperm(n, dtype=dtype)))
    check("randint", 5, 5, (2,), dtype=d)


def test_zero_copy(check):
    """Memory is shared both ways, whatever the layout."""
    rng = seeded("zero copy")
    for dtype in DTYPES:
        for layout in ("contiguous", "transposed", "stepped", "offset"):
            base = pair(dtype, (3, 4), rng, "small", layout=layout, origin="own").torch
            theirs = tamis.as_tensor(base)
            base.fill_(1)
            ways = [theirs]
            if dtype != "bool":
                ways.append(tamis.from_dlpack(base))
            if dtype != "bfloat16":
                ways.append(tamis.from_numpy(base.numpy()))
            for way in ways:
                check("fill_", Pair(base, way, written=True), call=lambda lib, x: x)
                way.fill_(0)
                check("fill_", Pair(base, way, written=True), call=lambda lib, x: x)
                base.fill_(1)
            back = theirs.torch()
            if back.data_ptr() != base.data_ptr():
                check.fail(f"{dtype} {layout}: .torch() copies")
