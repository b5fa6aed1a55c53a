"""Selections in other forms: padded, row by row, in two parts. torch 1.13 has none of them, so by definition."""

import pytest
import tamis
import torch

from cases import DTYPES, broadcastable, mask, pair, pick, plain, same_in_tamis, seeded, some_shape, Pair


def against(check, op, want, *args, ours=None, **kwargs):
    """A Tamis function against what torch computes by its definition."""
    ours = ours or getattr(tamis, op)
    return check(op, *args, call=lambda lib, *a, **k: want(*a, **k) if lib is torch else ours(*a, **k), **kwargs)


def padded(selected, size, fill):
    """The first `size` rows, filled up."""
    buffer = torch.full((size,) + tuple(selected.shape[1:]), fill, dtype=selected.dtype)
    taken = min(size, len(selected))
    buffer[:taken] = selected[:taken]
    return buffer, torch.tensor(len(selected))


def fills(dtype):
    return [0, 1, True] if dtype in ("bool", "uint8") else [0, 3, -1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_select_padded(check, dtype):
    rng = seeded("select padded" + dtype)
    for i in range(40):
        shape = some_shape(rng)
        x, m = pair(dtype, shape, rng), mask(broadcastable(shape, rng), rng)
        count = int(torch.masked_select(x.torch, m.torch).numel())
        size = pick(rng, [0, 1, count // 2, count, count + 1, count + 70])
        against(check, "masked_select_padded", lambda x, m, n, v: padded(x.masked_select(m), n, v), x, m, size,
                pick(rng, fills(dtype)))
    x, m = pair(dtype, (2, 3), rng), mask((3,), rng)
    against(check, "masked_select_padded", lambda x, m, size: padded(x.masked_select(m), size, 0), x, m, size=4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_index_padded(check, dtype):
    rng = seeded("index padded" + dtype)
    for i in range(40):
        shape = pick(rng, [(5,), (3, 4), (2, 3, 4), (4, 0), (0, 3)])
        rank = int(rng.randint(1, len(shape) + 1))
        x, m = pair(dtype, shape, rng), mask(shape[:rank], rng)
        size = int(rng.randint(0, 9))
        against(check, "masked_index_padded", lambda x, m, n, v: padded(x[m], n, v), x, m, size,
                pick(rng, fills(dtype)))
    for truth in (True, False):
        x = pair(dtype, (2, 3), rng)
        against(check, "masked_index_padded", lambda x, m, n: padded(x[m], n, 0), x, plain(truth), 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonzero_static(check, dtype):
    rng = seeded("nonzero_static" + dtype)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["any", "small"]))
        count = len(x.torch.nonzero())
        size = pick(rng, [0, 1, count // 2, count, count + 3])
        against(check, "nonzero_static", lambda x, size: padded(x.nonzero(), size, -1)[0], x, size=size)
        against(check, "nonzero_static", lambda x, size, fill_value: padded(x.nonzero(), size, fill_value)[0], x,
                size=size, fill_value=7)


def rows_of(x, m, dim=-1):
    x, m = torch.broadcast_tensors(x, m)
    if x.dim() == 0:
        x, m = x[None], m[None]
    x, m = x.movedim(dim, -1), m.movedim(dim, -1)
    counts = m.sum(-1).flatten()
    return x.masked_select(m), torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])


def rows_padded(values, offsets, size=None, fill=0):
    lengths = offsets.diff()
    if size is None:
        size = int(lengths.max()) if len(lengths) else 0
    rows = [padded(values[a:b], size, fill)[0] for a, b in zip(offsets[:-1], offsets[1:])]
    return torch.stack(rows) if rows else torch.zeros((0, size) + values.shape[1:], dtype=values.dtype)


def rows_mask(offsets, size=None):
    return rows_padded(torch.ones(int(offsets[-1]), dtype=torch.bool), offsets, size)


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_select_rows(check, dtype):
    rng = seeded("select rows" + dtype)
    for i in range(40):
        shape = some_shape(rng)
        x, m = pair(dtype, shape, rng), mask(broadcastable(shape, rng), rng)
        rank = max(len(torch.broadcast_shapes(x.torch.shape, m.torch.shape)), 1)
        against(check, "masked_select_rows", rows_of, x, m, int(rng.randint(-rank, rank)))
        against(check, "masked_select_rows", rows_of, x, m)


@pytest.mark.parametrize("dtype", DTYPES)
def test_jagged_rows(check, dtype):
    rng = seeded("jagged" + dtype)
    for i in range(40):
        lengths = torch.from_numpy(rng.randint(0, 6, rng.randint(0, 7)))
        ends = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
        offsets = Pair(ends, same_in_tamis(ends))
        values = pair(dtype, (int(ends[-1]),) + pick(rng, [(), (3,), (2, 2), (0,)]), rng)
        size = pick(rng, [None, 0, 2, 5, 9])
        against(check, "to_padded", rows_padded, values, offsets, size, pick(rng, fills(dtype)))
        against(check, "jagged_mask", rows_mask, offsets, size)
        against(check, "unpack", lambda v, o, n: (rows_padded(v, o, n), rows_mask(o, n)), values, offsets, size)


@pytest.mark.parametrize("dtype", DTYPES)
def test_partition(check, dtype):
    rng = seeded("partition" + dtype)
    for i in range(40):
        shape = some_shape(rng)
        x, m = pair(dtype, shape, rng), mask(broadcastable(shape, rng), rng)
        against(check, "partition", lambda x, m: (x.masked_select(m), x.masked_select(~m)), x, m)


def test_names_of_results():
    x = tamis.arange(5)
    assert tamis.partition(x, x > 2).rejected.tolist() == [0, 1, 2]
    assert tamis.masked_select_padded(x, x > 2, 3).count.item() == 2
    assert tamis.masked_select_rows(x, x > 2).offsets.tolist() == [0, 2]


def test_refused(check):
    """As masked_select and x[mask] refuse."""
    rng = seeded("results refused")
    x, wrong, other = pair("float32", (3,), rng), pair("float32", (3,), rng), mask((4,), rng)
    for m in (wrong, other):
        against(check, "masked_select_padded", lambda x, m, n: x.masked_select(m), x, m, 2)
        against(check, "masked_select_rows", lambda x, m: x.masked_select(m), x, m)
        against(check, "partition", lambda x, m: x.masked_select(m), x, m)
    against(check, "masked_index_padded", lambda x, m, n: x[m], x, other, 2)
