"""x[...] read and assigned with everything that may stand between the brackets, in any order."""

import numpy as np
import pytest
import torch

from cases import DTYPES, Pair, pair, pick, same_in_tamis, seeded

SHAPES = [(5,), (3, 4), (2, 3, 4), (2, 1, 3, 2), (3, 0, 2), (6, 2)]
PICKED = [(), (2,), (1,), (3, 1), (1, 2), (3, 2), (0,)]  # shapes of integer tensors; most broadcast with each other



def integer_tensor(size, rng, shape, wrong):
    low, high = (-size, size) if size else (0, 1)
    found = rng.randint(low, high, shape)
    if wrong and found.size:
        found.flat[rng.randint(found.size)] = pick(rng, [size, -size - 1, 1000])
    return torch.from_numpy(np.asarray(found, dtype=np.int64))


def some_slice(size, rng):
    borders = [None, 0, 1, -1, size, -size - 2, size + 3]
    return slice(pick(rng, borders), pick(rng, borders), pick(rng, [None, 1, 2, 3]))


def some_index(shape, rng, wrong=False):
    """A random index, as torch and as Tamis take it. torch gets masks as the integers that they stand for, since
    before 2.9 it has bugs with what stands behind a mask."""
    ours, theirs = [], []
    picked = [s for s in PICKED if rng.rand() < 0.7] or [(2,)]
    dim, rank = 0, len(shape)
    dots = rng.rand() < 0.3
    while dim < rank and rng.rand() < 0.85:
        size = shape[dim]
        kind = pick(rng, ["int", "slice", "none", "tensor", "tensor", "list", "mask", "0-d", "dots", "constant"])
        if kind == "none":
            ours.append(None), theirs.append(None)
        elif kind == "dots" and dots:
            dots = False
            ours.append(Ellipsis), theirs.append(Ellipsis)
            dim += rng.randint(rank - dim + 1)
            break
        elif kind == "int" and (size or wrong):
            at = int(rng.randint(-size, size)) if not wrong else pick(rng, [size, -size - 1])
            ours.append(at), theirs.append(at)
            dim += 1
        elif kind == "tensor":
            t = integer_tensor(size, rng, pick(rng, picked), wrong)
            if rng.rand() < 0.3:
                ours.append(t.numpy() if t.dim() else t), theirs.append(t)
            else:
                ours.append(same_in_tamis(t.int() if rng.rand() < 0.3 else t)), theirs.append(t)
            dim += 1
        elif kind == "list" and size:
            t = integer_tensor(size, rng, (2,), wrong)
            ours.append(t.tolist()), theirs.append(t)
            dim += 1
        elif kind == "mask":
            reach = rng.randint(1, rank - dim + 1)
            mask = torch.from_numpy(rng.rand(*shape[dim:dim + reach]) < 0.5)
            ours.append(same_in_tamis(mask)), theirs.extend(mask.nonzero(as_tuple=True))
            dim += reach
        elif kind == "0-d" and size:
            t = integer_tensor(size, rng, (), wrong)
            ours.append(same_in_tamis(t)), theirs.append(t)
            dim += 1
        else:
            part = some_slice(size, rng)
            ours.append(part), theirs.append(part)
            dim += 1
    return Pair(tuple(theirs), tuple(ours), "index")


class Bracket(Pair):
    def __repr__(self):
        return f"tamis {self.tamis!r}, torch {self.torch!r}"


def bracket(index):
    return Bracket(index.torch, index.tamis)


def get(library, x, index):
    return x[index].clone()


def put(library, x, index, value):
    x[index] = value
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_get(check, dtype):
    rng = seeded("brackets get" + dtype)
    for i in range(150):
        x = pair(dtype, pick(rng, SHAPES), rng)
        check("index", x, bracket(some_index(x.torch.shape, rng, wrong=i % 10 == 9)), call=get)


def some_value(x, index, rng):
    """A number, or a tensor that broadcasts to the selection; each element is written once, or by equal values."""
    try:
        order = torch.arange(x.torch.numel()).reshape(x.torch.shape)[index.torch]
    except (IndexError, RuntimeError):
        return pair(x.dtype, (), rng, "small")
    once = order.unique().numel() == order.numel()
    shape = list(order.shape)
    roll = rng.rand()
    if roll < 0.3 or not once:
        return pick(rng, [1, True, 0]) if rng.rand() < 0.5 else pair(x.dtype, pick(rng, [(), (1,), (1, 1)]), rng, "small")
    if roll < 0.5:
        shape = shape[rng.randint(len(shape) + 1):]
    elif roll < 0.7:
        shape = [1 if rng.rand() < 0.5 else s for s in shape]
    elif roll < 0.8:
        shape = [1] + shape
    elif roll < 0.85:
        shape = shape + [2]  # does not fit
    return pair(x.dtype, tuple(shape), rng, "small")


@pytest.mark.parametrize("dtype", DTYPES)
def test_set(check, dtype):
    rng = seeded("brackets set" + dtype)
    for i in range(150):
        x = pair(dtype, pick(rng, SHAPES), rng, private=True)
        index = some_index(x.torch.shape, rng, wrong=i % 10 == 9)
        value = some_value(x, index, rng)
        check("index_put", x, bracket(index), value, call=put)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
def test_accumulate(check, dtype):
    rng = seeded("brackets accumulate" + dtype)
    for i in range(60):
        shape = pick(rng, [(5,), (3, 4), (2, 3, 4)])
        x = pair(dtype, shape, rng, "small", private=True)
        count = rng.randint(1, len(shape) + 1)
        tensors = tuple(integer_tensor(shape[d], rng, (4,), i % 10 == 9) for d in range(count))
        index = Bracket(tensors, tuple(same_in_tamis(p) for p in tensors))
        value = pair(dtype, (4,) + shape[count:], rng, "small")
        check("index_put_", x, index, value, call=lambda lib, x, i, v: (x.index_put_(i, v, accumulate=True), x))


def test_lists_of_lists_and_arrays(check):
    x = Pair(torch.arange(24).reshape(2, 3, 4), same_in_tamis(torch.arange(24).reshape(2, 3, 4)))
    for index in ([0, 1], ([[0, 1], [1, 0]],), [-1], [True, False], ([0, 1], [2, 0]), ([[0], [1]], [0, 2]), ([[True, False, True]] * 2,),
                  (slice(None), [0, 2, 2]), (Ellipsis, [0, 3]), (0, [1, 2], None), ([0], slice(None), [1, 2])):
        check("index", x, Bracket(index, index), call=get)
        y = Pair(x.torch.clone(), x.tamis.clone())
        check("index_put", y, Bracket(index, index), -1, call=put)
