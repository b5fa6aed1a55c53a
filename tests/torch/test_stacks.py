"""Uneven cuts, windows and strides as views; stacks, blocks and combinations: against torch's of the same name."""

import pytest

from cases import DTYPES, pair, pick, plain, seeded
from test_views import SHAPES, check_view

WIDE = SHAPES + [(5, 4), (6, 1, 4), (4, 3, 6)]


def all_of(name):
    return lambda lib, x, *a: tuple(getattr(lib, name)(x, *a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_uneven_cuts(check, dtype):
    rng = seeded("uneven cuts" + dtype)
    for shape in WIDE:
        x = lambda: pair(dtype, shape, rng, private=True)
        rank = max(len(shape), 1)
        for _ in range(3):
            dim = int(rng.randint(-rank, rank))
            sections = int(rng.randint(0, 6))
            indices = [int(i) for i in rng.randint(-3, 7, rng.randint(0, 4))]
            check("tensor_split", x(), sections, dim, call=all_of("tensor_split"))
            check("tensor_split", x(), indices, dim, call=lambda lib, x, *a: tuple(x.tensor_split(*a)))
            check("tensor_split", x(), plain(indices, "int64"), dim, call=all_of("tensor_split"))
            check("tensor_split", x(), plain(sections), dim, call=all_of("tensor_split"))
            for op in ("hsplit", "vsplit", "dsplit"):
                check(op, x(), int(rng.randint(1, 4)), call=all_of(op))
                check(op, x(), indices, call=lambda lib, x, i: tuple(getattr(x, op)(i)))
        check("tensor_split", x(), plain([1.0]), call=all_of("tensor_split"))
        check("tensor_split", x(), plain([[1]]), call=all_of("tensor_split"))
        if shape and shape[0] > 1:
            check_view(check, "tensor_split", x(), 2, call=lambda lib, x, n: lib.tensor_split(x, n)[1])
            check_view(check, "tensor_split", x(), [1], call=lambda lib, x, n: lib.tensor_split(x, n)[0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_windows(check, dtype):
    rng = seeded("windows" + dtype)
    for shape in WIDE:
        rank = max(len(shape), 1)
        for _ in range(4):
            dim, size, step = int(rng.randint(-rank, rank)), int(rng.randint(0, 6)), int(rng.randint(0, 4))
            x = pair(dtype, shape, rng, private=True)
            case = check("unfold", x, dim, size, step, call=lambda lib, x, *a: x.unfold(*a))
            if case.what is None and case.torch.error is None and case.torch.result.numel():
                assert case.tamis.result.stride() == case.torch.result.stride()


@pytest.mark.parametrize("dtype", DTYPES)
def test_strides(check, dtype):
    rng = seeded("strides" + dtype)
    for shape in [(12,), (3, 4), (2, 3, 2), (0,), ()]:
        for _ in range(6):
            rank = int(rng.randint(0, 4))
            size = [int(n) for n in rng.randint(0, 4, rank)]
            stride = [int(n) for n in rng.randint(0, 4, rank)]
            x = lambda: pair(dtype, shape, rng, layout="contiguous", private=True)
            check_view(check, "as_strided", x(), size, stride, call=lambda lib, x, *a: lib.as_strided(x, *a))
            check_view(check, "as_strided", x(), size, stride, int(rng.randint(0, 4)),
                       call=lambda lib, x, *a: x.as_strided(*a))
    x = lambda: pair(dtype, (4, 3), rng, private=True, layout="contiguous")
    check_view(check, "as_strided", x(), call=lambda lib, x: x[1:3].as_strided((2, 2), (3, 1)))
    check_view(check, "as_strided", x(), call=lambda lib, x: x[1:3].as_strided((4, 3), (3, 1), 0))
    check("as_strided", x(), (2, 2), (1,))
    check("as_strided", x(), (2, 2), (-1, 1))
    check("as_strided", x(), (2, 2), (1, 1), -1)
    check("as_strided", x(), (5, 3), (3, 1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_at_least(check, dtype):
    rng = seeded("at least" + dtype)
    for shape in SHAPES:
        for op in ("atleast_1d", "atleast_2d", "atleast_3d"):
            check_view(check, op, pair(dtype, shape, rng, private=True), call=lambda lib, x: getattr(lib, op)(x))
            x, y = pair(dtype, shape, rng), pair(dtype, pick(rng, SHAPES), rng)
            check(op, x, y)
            check(op, [x, y])


@pytest.mark.parametrize("dtype", DTYPES)
def test_stacks(check, dtype):
    rng = seeded("stacks" + dtype)
    other = lambda: pick(rng, DTYPES)
    for op in ("column_stack", "dstack"):
        for shape in SHAPES:
            check(op, [pair(dtype, shape, rng), pair(other(), shape, rng), pair(dtype, shape, rng)])
        check(op, [pair(dtype, (3,), rng), pair(dtype, (3, 2), rng)])
        check(op, [pair(dtype, (), rng), pair(dtype, (1,), rng)])
        check(op, [pair(dtype, (2, 3), rng), pair(dtype, (3, 2), rng)])
        check(op, [])
    for _ in range(8):
        shapes = [pick(rng, [(), (3,), (2, 3), (0,), (3, 0), (1, 1), (0, 2)]) for _ in range(rng.randint(1, 5))]
        check("block_diag", *[pair(dtype, shape, rng) for shape in shapes])
    check("block_diag", pair(dtype, (2, 2), rng), pair(other(), (1, 2), rng))
    check("block_diag", pair(dtype, (2, 2), rng), pair(dtype, (1, 2, 2), rng))


@pytest.mark.parametrize("dtype", DTYPES)
def test_combinations(check, dtype):
    rng = seeded("combinations" + dtype)
    for n in (0, 1, 4):
        for r in (-1, 0, 1, 2, 3):
            for repeats in (False, True):
                check("combinations", pair(dtype, (n,), rng), r, repeats)
        check("cartesian_prod", pair(dtype, (n,), rng))
        check("cartesian_prod", pair(dtype, (n,), rng), pair(dtype, (3,), rng))
        check("cartesian_prod", pair(dtype, (n,), rng), pair(dtype, (2,), rng), pair(dtype, (3,), rng))
    check("combinations", pair(dtype, (2, 2), rng))
    check("cartesian_prod", pair(dtype, (2, 2), rng), pair(dtype, (2,), rng))
    check("cartesian_prod", pair(dtype, (2,), rng), pair("float64" if dtype != "float64" else "int8", (2,), rng))


@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonals_and_filling(check, dtype):
    rng = seeded("filling" + dtype)
    for shape in SHAPES:
        check("diagflat", pair(dtype, shape, rng), int(rng.randint(-3, 4)))
        check("fill", pair(dtype, shape, rng), 3)
        check("fill", pair(dtype, shape, rng), pair(pick(rng, DTYPES), (), rng, "small"))
    check("fill", pair(dtype, (2,), rng), pair(dtype, (1,), rng))
    check("fill", pair(dtype, (2,), rng), 1e300)
    check("fill", plain([1, 2], "int8"), 300)
