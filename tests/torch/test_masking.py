"""Masking: select, fill, scatter, where, nonzero, isin, x[mask], and the mask builders."""

import numpy as np
import pytest
import tamis
import torch

from cases import (DTYPES, FLOATS, NUMBERS, Pair, broadcastable, mask, pair, pick, plain, same_in_tamis,
                   seeded, some_shape)


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_select(check, dtype):
    rng = seeded("masked_select" + dtype)
    for i in range(40):
        shape = some_shape(rng)
        x, m = pair(dtype, shape, rng), mask(broadcastable(shape, rng), rng)
        check("masked_select", x, m)
        check("masked_select", pair(dtype, broadcastable(shape, rng), rng), mask(shape, rng),
              call=lambda lib, x, m: x.masked_select(m))
    for count in (0, 3, 8):
        x, m = pair(dtype, (8,), rng), mask((8,), rng)
        out = plain([0] * count, dtype)
        check("masked_select", x, m, out, call=lambda lib, x, m, out: (lib.masked_select(x, m, out=out), out))


def test_masked_select_of_a_comparison(check):
    """The fused path: the mask is an expression of the input."""
    rng = seeded("fused select")
    for i in range(120):
        x = pair(pick(rng, NUMBERS), some_shape(rng), rng)
        limit = pick(rng, [0, 1, 0.5])
        check("masked_select", x, limit, call=lambda lib, x, v: lib.masked_select(x, (x > v) & (x != 3)))
        check("masked_select", x, limit, call=lambda lib, x, v: x[(x <= v) | (x == 2)])
        check("masked_select", x, limit, call=lambda lib, x, v: (x * 2)[x.t() > v if x.dim() == 0 else ~(x > v)])


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_fill(check, dtype):
    rng = seeded("masked_fill" + dtype)
    numbers = [True, 0, 3, 1.5] + ([float("inf"), float("nan"), -0.0] if dtype in FLOATS else [2.75])
    for i in range(30):
        shape = some_shape(rng)
        value = pick(rng, numbers) if i % 3 else pair(pick(rng, DTYPES), (), rng, "small")
        if dtype == "uint8" and isinstance(value, Pair):
            value = pair(pick(rng, DTYPES), (), rng, "positive")
        check("masked_fill", pair(dtype, shape, rng), mask(broadcastable(shape, rng), rng), value,
              call=lambda lib, x, m, v: x.masked_fill(m, v))
        x = pair(dtype, shape, rng, private=True)
        smaller = tuple(1 if rng.rand() < 0.3 else s for s in shape)
        check("masked_fill_", x, mask(smaller, rng), value, call=lambda lib, x, m, v: (x.masked_fill_(m, v), x))
    for value in (300, -1, -129, 2**40, 1e40, -1e9, float("inf"), float("nan")):
        check("masked_fill", pair(dtype, (3,), rng), plain([True, False, True]), value)
        x = pair(dtype, (3,), rng, private=True)
        check("masked_fill_", x, plain([False] * 3), value, call=lambda lib, x, m, v: (x.masked_fill_(m, v), x))


def scatter_in_order(lib, x, m, source):
    """torch 1.13 goes by memory where x is not contiguous; later ones go row by row, as documented."""
    x.copy_(x.contiguous().masked_scatter(m, source))
    return x, x


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_scatter(check, dtype):
    rng = seeded("masked_scatter" + dtype)
    for i in range(30):
        shape = some_shape(rng)
        m = mask(broadcastable(shape, rng), rng)
        both = torch.broadcast_shapes(shape, m.torch.shape)
        needed = int(m.torch.expand(both).sum())
        source = pair(dtype, (needed + int(rng.randint(3)),), rng)
        check("masked_scatter", pair(dtype, shape, rng), m, source, call=lambda lib, x, m, s: x.masked_scatter(m, s))
        x = pair(dtype, both, rng, private=True)
        check("masked_scatter_", x, m, source, call=lambda lib, x, m, s: (x.masked_scatter_(m, s), x),
              reference=scatter_in_order)
    source = pair(dtype, (4, 3), rng)
    check("masked_scatter", pair(dtype, (2, 5), rng), mask((2, 5), rng), source,
          call=lambda lib, x, m, s: x.masked_scatter(m, s))


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(check, dtype):
    rng = seeded("where" + dtype)
    for other in DTYPES:
        for i in range(5):
            shape = some_shape(rng)
            a, b = pair(dtype, shape, rng), pair(other, broadcastable(shape, rng), rng)
            check("where", mask(broadcastable(shape, rng), rng), a, b)
            check("where", mask(shape, rng), pair(dtype, (), rng), b)
        check("where", mask((3,), rng), pair(dtype, (3,), rng), pair(other, (), rng))
        check("where", pair(dtype, (2, 3), rng), mask((3,), rng), pair(other, (2, 1), rng),
              call=lambda lib, x, m, y: x.where(m, y))
    for number in (True, 2, 1.5):
        check("where", mask((2, 3), rng), pair(dtype, (3,), rng), number)
        check("where", mask((2, 3), rng), number, pair(dtype, (3,), rng))


def test_where_of_numbers(check):
    rng = seeded("where numbers")
    for a in (True, 2, 1.5):
        for b in (False, 3, 2.5):
            check("where", mask((2, 3), rng), a, b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonzero(check, dtype):
    rng = seeded("nonzero" + dtype)
    for i in range(25):
        x = pair(dtype, some_shape(rng), rng, pick(rng, ["any", "small"]))
        check("nonzero", x)
        check("nonzero", x, as_tuple=True)
        check("nonzero_tuple", x,
              call=lambda lib, x: lib.nonzero(x, as_tuple=True) if lib is torch else lib.nonzero_tuple(x))
        check("argwhere", x)
        check("where", x, counts=["where", "nonzero_tuple"])
        found = check("nonzero", x, call=lambda lib, x: x.nonzero())
        if found.torch.result.numel() > 1 and found.tamis.result.stride() != found.torch.result.stride():
            check.fail(f"{found!r}: strides {found.tamis.result.stride()}, want {found.torch.result.stride()}")


def isin(lib, x, y, **options):
    """By definition: torch 1.13 refuses test elements that are not contiguous, and where it sorts (many test
    elements) its answer for NaN is that for some other element."""
    if x.isnan().any():
        return (x[..., None] == y.flatten()).any(-1) ^ options.get("invert", False)
    return lib.isin(x, y.contiguous(), **options)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_isin(check, dtype):
    rng = seeded("isin" + dtype)
    for i in range(30):
        test_shape = pick(rng, [(0,), (1,), (3,), (2, 4), (60,), (300,)])
        kind = pick(rng, ["any", "small"])
        x, y = pair(dtype, some_shape(rng), rng, kind), pair(dtype, test_shape, rng, kind)
        check("isin", x, y, reference=isin)
        check("isin", x, y, invert=True, reference=isin)
        check("isin", x, y, call=lambda lib, x, y: x.isin(y), reference=isin)
    for other in NUMBERS:
        x, y = pair(dtype, (4, 5), rng, "small"), pair(other, (6,), rng, "small")
        check("isin", x, y, invert=bool(rng.randint(2)), reference=isin)
    check("isin", pair(dtype, (7,), rng, "small"), 2)
    check("isin", 2, pair(dtype, (7,), rng, "small"))


INDEXED = [(5,), (3, 4), (2, 3, 4), (1, 6), (4, 1, 3)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_mask_index(check, dtype):
    """x[mask] and x[mask] = value with masks of the leading dims, alone and beside other indices."""
    rng = seeded("mask index" + dtype)
    for i in range(60):
        shape = pick(rng, INDEXED)
        rank = int(rng.randint(1, len(shape) + 1))
        m = mask(shape[:rank], rng)
        check("masked_select", pair(dtype, shape, rng), m, call=lambda lib, x, m: x[m])
        count = int(m.torch.sum())
        rest = shape[rank:]
        value = pick(rng, [2, True, pair(dtype, (), rng, "small"), pair(dtype, (count,) + rest, rng, "small"),
                           pair(dtype, rest, rng, "small"), pair(dtype, (1, 1) + rest, rng, "small")])
        x = pair(dtype, shape, rng, private=True)

        def put(lib, x, m, v):
            x[m] = v
            return x

        check("masked_fill_", x, m, value, call=put)
    beside = [lambda x, m: x[:, m], lambda x, m: x[..., m], lambda x, m: x[None, :, m], lambda x, m: x[0, m],
              lambda x, m: x[1:, m], lambda x, m: x[:, m, None]]
    for get in beside:
        m = mask((4,), rng)
        check("masked_select", pair(dtype, (3, 4), rng), m, call=lambda lib, x, m: get(x, m))
    m = mask((3,), rng)
    for get in (lambda x, m: x[m, 1:], lambda x, m: x[m, None], lambda x, m: x[m, ::2], lambda x, m: x[m, ...],
                lambda x, m: x[m, 0], lambda x, m: x[m, True], lambda x, m: x[m, False]):
        check("masked_select", pair(dtype, (3, 4), rng), m, call=lambda lib, x, m: get(x, m))


def test_update_through_a_mask(check):
    rng = seeded("update")

    def add(lib, x, m):
        x[m] += 2
        return x

    def scale(lib, x, m):
        x[m] = x[m] * 3
        return x

    def clip(lib, x, m):
        x[x > 2] = 2
        x[(x < -2) & m] = -2
        return x

    for dtype in NUMBERS:
        for f in (add, scale, clip):
            for i in range(4):
                shape = pick(rng, INDEXED)
                check("masked_fill_", pair(dtype, shape, rng, "small", private=True), mask(shape, rng), call=f)


def arange_mask(condition):
    """A mask from row and column numbers."""
    return lambda n, m: condition(torch.arange(n)[:, None], torch.arange(m)[None, :])


def against(check, op, ours, want, *args):
    """A mask builder against what torch computes by its definition."""
    check(op, *args, call=lambda lib, *a: want(*a) if lib is torch else ours(*a))


def test_builders_of_bands(check):
    for n in (0, 1, 3, 8, 70):
        for m in (0, 1, 5, 70):
            for offset in (-3, 0, 2):
                against(check, "causal", tamis.masks.causal,
                        lambda n, m, o: arange_mask(lambda i, j: j <= i + o)(n, m), n, m, offset)
                against(check, "band", lambda n, m, o: tamis.masks.band(n, m, 2, o + 3),
                        lambda n, m, o: arange_mask(lambda i, j: (i - j <= 2) & (j - i <= o + 3))(n, m), n, m, offset)
        against(check, "causal", tamis.masks.causal, lambda n: torch.ones(n, n, dtype=torch.bool).tril(), n)
        for window in (1, 2, 5):
            for causal in (True, False):
                against(check, "sliding_window", lambda n, w: tamis.masks.sliding_window(n, w, causal),
                        lambda n, w: arange_mask(lambda i, j: (i - j < w) & (j - i < (1 if causal else w)))(n, n),
                        n, window)


def test_bits(check):
    rng = seeded("bits")
    for order in ("little", "big"):
        for shape in [(0,), (1,), (8,), (13,), (3, 7), (70, 65), ()]:
            m = mask(shape, rng)
            against(check, "to_bits", lambda m: tamis.masks.to_bits(m, bitorder=order),
                    lambda m: torch.from_numpy(np.packbits(m.numpy().reshape(-1), bitorder=order)), m)
        for n, count in [(0, None), (1, 3), (2, None), (9, 70), (600, 4799)]:
            bits = pair("uint8", (n,), rng)
            against(check, "from_bits", lambda b, c: tamis.masks.from_bits(b, c, bitorder=order),
                    lambda b, c: torch.from_numpy(np.unpackbits(b.numpy(), count=c, bitorder=order).astype(bool)),
                    bits, count)


def test_builders_from_lengths(check):
    rng = seeded("lengths")

    def want(lengths, max_len=None):
        top = int(lengths.max()) if max_len is None and lengths.numel() else max_len or 0
        return torch.arange(top) < lengths[..., None]

    for dtype in ("int32", "int64"):
        for shape in ((4,), (2, 3), (), (1,)):
            for max_len in (None, 5, 9):
                lengths = pair(dtype, shape, rng, "positive")
                against(check, "from_lengths", tamis.masks.from_lengths, want, lengths, max_len)


def test_builders_from_values(check):
    rng = seeded("tokens")

    def from_indices(n, indices, value):
        found = torch.full((n,), not value)
        found[indices] = value
        return found

    def between(x, lo, hi):  # by value: the operators of torch wrap the numbers
        wide = x if x.is_floating_point() else x.long()
        return (wide >= lo) & (wide <= hi)

    for i in range(12):
        tokens = pair("int64", pick(rng, [(7,), (3, 5), ()]), rng, "small")
        ids = [int(v) for v in rng.randint(-4, 5, rng.randint(0, 4))]
        wanted = torch.tensor(ids, dtype=torch.int64)
        against(check, "keep_token_ids", tamis.masks.keep_token_ids, lambda t, _: torch.isin(t, wanted), tokens, ids)
        against(check, "drop_token_ids", tamis.masks.drop_token_ids, lambda t, _: ~torch.isin(t, wanted), tokens, ids)
        indices = Pair(torch.from_numpy(rng.randint(0, 9, 4)), None)
        indices.tamis = same_in_tamis(indices.torch)
        against(check, "from_indices", lambda n, ix, v: tamis.masks.from_indices([n], ix, v), from_indices, 9, indices,
                bool(i % 2))
        documents = pair("int64", (int(rng.randint(0, 12)),), rng, "positive")
        against(check, "documents", tamis.masks.documents, lambda d: d[:, None] == d[None, :], documents)
        x = pair(pick(rng, NUMBERS), (4, 5), rng)
        against(check, "between", tamis.masks.between, between, x, -1, 2)
        against(check, "between", tamis.masks.between, between, x, -200, 300)
        low = pair(x.dtype, (5,), rng, "small")
        against(check, "between", tamis.masks.between, lambda x, lo, hi: (x >= lo) & (x <= hi), x, low, 3)
