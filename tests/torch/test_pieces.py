"""Cutting into views, moving dimensions, repeating, grids, numbers of classes: against torch's of the same name."""

import pytest
import torch
import torch.nn.functional as F

from cases import DTYPES, FLOATS, NUMBERS, DType, pair, pick, plain, seeded
from test_views import SHAPES, check_view


def first_of(call):
    return lambda lib, x, *a: tuple(call(lib, x, *a))[0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_cutting(check, dtype):
    rng = seeded("cutting" + dtype)
    for shape in SHAPES:
        x = lambda: pair(dtype, shape, rng, private=True)
        for _ in range(4):
            rank = max(len(shape), 1)
            dim = int(rng.randint(-rank, rank))
            size = int(rng.randint(0, 5))
            check("split", x(), size, dim, call=lambda lib, x, *a: tuple(lib.split(x, *a)))
            check("split", x(), size, dim, call=lambda lib, x, *a: tuple(x.split(*a)))
            check("chunk", x(), size, dim, call=lambda lib, x, *a: tuple(lib.chunk(x, *a)))
            check("unbind", x(), dim, call=lambda lib, x, *a: tuple(lib.unbind(x, *a)))
            left = shape[dim] if shape else 1
            sizes = []
            while left > 0:
                sizes.append(int(rng.randint(0, left + 1)))
                left -= sizes[-1]
            check("split", x(), sizes, dim, call=lambda lib, x, *a: tuple(x.split(*a)))
            check("split_with_sizes", x(), sizes, dim, call=lambda lib, x, *a: tuple(x.split_with_sizes(*a)))
            check("split_with_sizes", x(), sizes + [1], dim, call=lambda lib, x, *a: tuple(x.split_with_sizes(*a)))
        if shape and shape[0] > 0:
            check_view(check, "split", x(), 1, call=first_of(lambda lib, x, n: lib.split(x, n)))
            check_view(check, "chunk", x(), 2, call=first_of(lambda lib, x, n: lib.chunk(x, n)))
            check_view(check, "unbind", x(), call=first_of(lambda lib, x: lib.unbind(x)))


def test_a_list_of_one_size_is_a_list(check):
    x = plain([1.0, 2.0, 3.0, 4.0], "float32")
    check("split", x, [4], call=lambda lib, x, s: tuple(x.split(s)))
    check("split", x, [2], call=lambda lib, x, s: tuple(x.split(s)))  # both refuse


@pytest.mark.parametrize("dtype", DTYPES)
def test_moving(check, dtype):
    rng = seeded("moving" + dtype)
    for shape in SHAPES:
        rank = len(shape)
        for _ in range(4):
            n = int(rng.randint(0, rank + 1))
            signs = lambda dims: [int(d) - (rank if rng.rand() < 0.3 else 0) for d in dims]
            source, to = signs(rng.permutation(rank)[:n]), signs(rng.permutation(rank)[:n])
            x = pair(dtype, shape, rng, private=True)
            check_view(check, "movedim", x, source, to, call=lambda lib, x, a, b: lib.movedim(x, a, b))
        check("movedim", pair(dtype, shape, rng), 0, -1)
        check("moveaxis", pair(dtype, shape, rng), 0, -1)
        x = pair(dtype, shape, rng, private=True, layout="contiguous")
        check_view(check, "ravel", x, call=lambda lib, x: lib.ravel(x))
        check("ravel", pair(dtype, shape, rng), call=lambda lib, x: x.ravel())
    check("movedim", pair(dtype, (2, 3, 4), rng), [0, 0], [1, 2])
    check("movedim", pair(dtype, (2, 3, 4), rng), [0, 1], [1, -2])
    check("movedim", pair(dtype, (2, 3, 4), rng), [0, 1], [1])
    for shape, dim, sizes in [((2, 12), 1, (3, 4)), ((2, 12), -1, (2, -1, 3)), ((6, 2), 0, (6,)), ((0, 3), 0, (0, 5)),
                              ((2, 12), 1, (5, 2)), ((4,), 0, (-1, -1))]:
        x = pair(dtype, shape, rng, private=True)
        check_view(check, "unflatten", x, dim, sizes, call=lambda lib, x, d, s: x.unflatten(d, s))


@pytest.mark.parametrize("dtype", DTYPES)
def test_repeating(check, dtype):
    rng = seeded("repeating" + dtype)
    for shape in SHAPES:
        x = lambda: pair(dtype, shape, rng)
        for dims in ([2], [2, 1], [1, 2, 3], [], [0]):
            check("tile", x(), dims)
        check("tile", x(), 2, 3, call=lambda lib, x, a, b: x.tile(a, b))
        for dim in [None] + list(range(-len(shape), len(shape))):
            check("repeat_interleave", x(), pick(rng, [0, 1, 3]), dim)
            n = x().torch.numel() if dim is None else shape[dim]
            counts = plain(rng.randint(0, 4, n).tolist(), pick(rng, ["int32", "int64"])) if n else plain([2], "int64")
            check("repeat_interleave", x(), counts, dim, call=lambda lib, x, r, d: x.repeat_interleave(r, d))
    check("repeat_interleave", pair(dtype, (), rng), 2, 0)  # both refuse
    x = pair(dtype, (2, 3), rng)
    check("repeat_interleave", x, plain([1, 2], "int64"), 1)
    check("repeat_interleave", x, plain([1, -2], "int64"), 0)
    check("repeat_interleave", x, plain([1.0, 2.0], "float32"), 0)


@pytest.mark.parametrize("op", ["hstack", "vstack"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_stacking(check, op, dtype):
    rng = seeded(op + dtype)
    for shape in SHAPES:
        other = dtype if rng.rand() < 0.7 else pick(rng, DTYPES)
        check(op, [pair(dtype, shape, rng), pair(other, shape, rng)])
    check(op, [pair(dtype, (2, 3), rng), pair(dtype, (4, 3), rng)])
    check(op, [pair(dtype, (2, 3), rng), pair(dtype, (2, 4), rng)])


@pytest.mark.parametrize("dtype", DTYPES)
def test_grids(check, dtype):
    rng = seeded("grids" + dtype)
    for sizes in [(3,), (2, 3), (2, 3, 4), (0, 2), (1, 1)]:
        tensors = [pair(dtype, (n,), rng) for n in sizes]
        for indexing in ("ij", "xy"):
            check("meshgrid", *tensors, indexing=indexing, call=lambda lib, *a, **k: tuple(lib.meshgrid(*a, **k)))
            check("meshgrid", tensors, indexing=indexing, call=lambda lib, a, **k: tuple(lib.meshgrid(a, **k)))
    number = pair(dtype, (), rng)
    check("meshgrid", number, pair(dtype, (2,), rng), call=lambda lib, *a: tuple(lib.meshgrid(*a, indexing="ij")))
    check("meshgrid", pair(dtype, (2, 2), rng), call=lambda lib, *a: tuple(lib.meshgrid(*a, indexing="ij")))
    check("meshgrid", number, call=lambda lib, *a: tuple(lib.meshgrid(*a, indexing="yx")))


@pytest.mark.parametrize("dtype", DTYPES)
def test_diag(check, dtype):
    rng = seeded("diag" + dtype)
    for shape in [(3,), (0,), (2, 3), (3, 2), (), (1, 1, 1)]:
        for diagonal in (0, 1, -2):
            check("diag", pair(dtype, shape, rng), diagonal)
    for shape in [(3, 3), (2, 4), (4, 2), (3, 3, 3), (2, 3, 2), (3,)]:
        x = pair(dtype, shape, rng, private=True, layout="contiguous")
        check("fill_diagonal_", x, 1, call=lambda lib, x, v: (x.fill_diagonal_(v), x)[1])


def test_one_hot(check):
    rng = seeded("one_hot")
    call = lambda lib, *a: (F if lib is torch else lib).one_hot(*a)
    for shape in SHAPES:
        x = plain(rng.randint(0, 5, shape).tolist(), "int64")
        if x.torch.shape != shape:
            continue
        check("one_hot", x, call=call)
        check("one_hot", x, 5, call=call)
        check("one_hot", x, 2, call=call)
    check("one_hot", plain([-1, 2], "int64"), call=call)
    check("one_hot", plain([1.0], "float32"), call=call)


def test_triangle_indices(check):
    for op in ("tril_indices", "triu_indices"):
        for row, col in [(3, 3), (2, 5), (5, 2), (0, 3), (3, 0), (1, 1)]:
            for offset in (0, 1, -1, 4, -4):
                check(op, row, col, offset)
                check(op, row, col, offset=offset, dtype=DType("int32"))
        check(op, -1, 2)
        check(op, 2, -1)


@pytest.mark.parametrize("dtype", FLOATS[1:])  # torch 1.13 has none for float16
def test_multinomial(check, dtype):
    # Random numbers differ; what is certain is compared.
    certain = plain([[0.0, 2.0, 0.0], [5.0, 0.0, 0.0]], dtype)
    check("multinomial", certain, 1)
    check("multinomial", certain, 4, True)
    every = plain([1.0, 2.0, 0.5, 4.0], dtype)
    check("multinomial", every, 4, call=lambda lib, p, n: lib.multinomial(p, n).sort()[0])
    shapes = lambda lib, p, n, r: tuple(lib.multinomial(p, n, r).shape)
    check("multinomial", every, 2, False, call=shapes)
    check("multinomial", plain([[0.3] * 7] * 5, dtype), 9, True, call=shapes)
    for p, n in [([1.0, -1.0], 1), ([float("nan"), 1.0], 1), ([float("inf"), 1.0], 1), ([0.0, 0.0], 1), ([1.0], 2),
                 ([1.0, 1.0], 0)]:
        check("multinomial", plain(p, dtype), n)
    check("multinomial", plain([[[1.0]]], dtype), 1)


def test_multinomial_of_integers(check):
    check("multinomial", plain([1, 2], "int64"), 1)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_new_tensors(check, dtype):
    x = plain([1, 0], dtype)
    check("new_zeros", x, 2, 3, call=lambda lib, x, *a: x.new_zeros(*a))
    check("new_zeros", x, (2, 3), call=lambda lib, x, *a: x.new_zeros(*a, dtype=lib.bool))
    check("new_ones", x, (2,), call=lambda lib, x, *a: x.new_ones(*a))
    check("new_full", x, (2,), 1, call=lambda lib, x, *a: x.new_full(*a))
    check("new_empty", x, (2, 0), call=lambda lib, x, *a: x.new_empty(*a))
