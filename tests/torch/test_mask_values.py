"""Masks from values: pruning against torch.nn.utils.prune, sampling as Hugging Face's warpers define it."""

import numpy as np
import pytest
import tamis
import torch
from torch.nn.utils import prune

from cases import DTYPES, FLOATS, NUMBERS, Pair, pair, pick, plain, same_in_tamis, seeded

SHAPES = [(7,), (12,), (3, 5), (4, 1), (2, 3, 4), (1, 33), (0,), (2, 0)]


def against(check, op, want, *args, **kwargs):
    """A mask builder against a definition in torch."""
    ours = getattr(tamis.masks, op)
    check(op, *args, call=lambda lib, *a, **k: want(*a, **k) if lib is torch else ours(*a, **k), **kwargs)


def distinct(shape, rng):
    """Weights whose magnitudes differ, so that torch prunes the same ones."""
    n = int(np.prod(shape))
    weights = torch.from_numpy((rng.permutation(n) + 1.0) * rng.choice([-1, 1], n)).reshape(shape)
    return Pair(weights, same_in_tamis(weights))


def test_prune_as_torch(check):
    rng = seeded("prune")

    def l1(x, amount, dim=None):
        if dim is None:
            return prune.L1Unstructured(amount).compute_mask(x, torch.ones_like(x)).bool()
        rows = x.movedim(dim, -1)
        flat = [l1(row, amount) for row in rows.reshape(-1, rows.shape[-1])]
        return torch.stack(flat).reshape(rows.shape).movedim(-1, dim)

    for shape in SHAPES[:-2]:
        x = distinct(shape, rng)
        n = int(np.prod(shape))
        for amount in (0, 1, n // 2, n, 0.0, 0.1, 0.3, 0.5, 0.75, 1.0):
            if n > 0:
                against(check, "prune_magnitude", l1, x, amount)
        for dim in range(-len(shape), len(shape)):
            for amount in (1, 0.25, 0.5):
                against(check, "prune_magnitude", l1, x, amount, dim=dim)
    def refused(x, amount):
        with pytest.raises(ValueError):
            l1(x, amount)
        raise RuntimeError("which Tamis raises for values")

    for amount in (-1, 6, 1.5, -0.5):
        against(check, "prune_magnitude", refused, distinct((5,), rng), amount)


def first_largest(row, k):
    """By a loop: the k largest magnitudes of a list, NaN infinite, of equal ones the first."""
    size = [float("inf") if v != v else abs(v) for v in row]
    order = sorted(range(len(row)), key=lambda i: (-size[i], i))
    return [i in order[:k] for i in range(len(row))]


def along(x, dim, rule):
    """A rule for lists, on each row of a tensor along a dimension."""
    rows = x.movedim(dim, -1)
    flat = [rule(row.tolist()) for row in rows.reshape(-1, rows.shape[-1])] if rows.numel() else []
    return torch.tensor(flat, dtype=torch.bool).reshape(rows.shape).movedim(-1, dim)


@pytest.mark.parametrize("dtype", DTYPES)
def test_magnitudes_with_ties(check, dtype):
    rng = seeded("magnitudes" + dtype)
    for i in range(20):
        shape = pick(rng, SHAPES)
        x = pair(dtype, shape, rng, pick(rng, ["any", "small"]))
        dim = int(rng.randint(-len(shape), len(shape)))
        k = int(rng.randint(0, shape[dim] + 1))
        rows = lambda x, k, dim: along(x, dim, lambda row: first_largest(row, k))
        against(check, "keep_magnitude", rows, x, k, dim=dim)
        n = x.torch.numel()
        share = pick(rng, [0.0, 0.25, 0.5, 1.0])
        flat = lambda x, a: along(x.reshape(-1), 0, lambda row: first_largest(row, round(a * n))).reshape(x.shape)
        against(check, "keep_magnitude", flat, x, share)
        pruned = lambda x, a: along(x.reshape(-1), 0, lambda row: first_largest(row, n - round(a * n))).reshape(x.shape)
        against(check, "prune_magnitude", pruned, x, share)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_n_of_m(check, dtype):
    rng = seeded("n_of_m" + dtype)

    def want(x, n, m, dim=-1):
        def rule(row):
            return [b for i in range(0, len(row), m) for b in first_largest(row[i:i + m], n)]
        return along(x, dim, rule)

    for i in range(12):
        m = pick(rng, [1, 2, 4, 12])
        x = pair(dtype, pick(rng, [(12,), (12, 24), (24, 12), (12, 3, 12), (0, 12)]), rng)
        n = int(rng.randint(0, m + 1))
        against(check, "n_of_m", want, x, n, m)
        against(check, "n_of_m", want, x, n, m, 0)


# ---- sampling --------------------------------------------------------------------------------------------------


def probabilities(row):
    top = max(row, default=0)
    weights = np.exp(np.array(row, dtype=np.float64) - top)
    return weights / weights.sum()


def ranked(row):
    """Indices, the most probable first, of equal ones the first."""
    return sorted(range(len(row)), key=lambda i: (-row[i], i))


def top_k(row, k):
    best = ranked(row)[:k]
    return [i in best and row[i] > float("-inf") for i in range(len(row))]


def top_p(row, p, least):
    shares, kept, total = probabilities(row), set(), 0.0
    for rank, i in enumerate(ranked(row)):
        if (total < p or rank < least or p >= 1) and row[i] > float("-inf"):
            kept.add(i)
        total += shares[i]
    return [i in kept for i in range(len(row))]


def min_p(row, p, least):
    shares, best = probabilities(row), ranked(row)[:least]
    return [(shares[i] >= p * shares.max() or i in best) and row[i] > float("-inf") for i in range(len(row))]


def warped(rule):
    """A rule for lists with one parameter, or one for each row, on each row of logits along a dimension."""
    def call(x, p, dim=-1, *rest):
        rows = x.movedim(dim, -1)
        each = p.expand(x.select(dim, 0).shape).reshape(-1).tolist() if isinstance(p, torch.Tensor) else None
        flat = [rule(row.tolist(), each[i] if each else p, *rest)
                for i, row in enumerate(rows.reshape(-1, rows.shape[-1]))]
        return torch.tensor(flat, dtype=torch.bool).reshape(rows.shape).movedim(-1, dim)
    return call


def logits(dtype, shape, rng):
    """Random logits, some of them ruled out."""
    x = torch.from_numpy(rng.randn(*shape) * 3)
    x[torch.from_numpy(rng.rand(*shape) < 0.15)] = float("-inf")
    x.reshape(-1)[0] = 1.0
    x = x.to(getattr(torch, dtype))
    return Pair(x, same_in_tamis(x))


@pytest.mark.parametrize("dtype", FLOATS)
def test_sampling(check, dtype):
    rng = seeded("sampling" + dtype)
    for i in range(25):
        shape = pick(rng, [(9,), (4, 11), (2, 3, 7), (1, 200), (5, 1)])
        x = logits(dtype, shape, rng)
        dim = int(rng.randint(-len(shape), len(shape)))
        k, p, least = int(rng.randint(1, 12)), float(rng.rand()), int(rng.randint(1, 4))
        against(check, "top_k", warped(top_k), x, k, dim)
        against(check, "top_p", warped(lambda r, p, least=1: top_p(r, p, least)), x, p, dim)
        against(check, "min_p", warped(lambda r, p, least=1: min_p(r, p, least)), x, p * p, dim)
        ours = lambda op: lambda x, p, dim, least: getattr(tamis.masks, op)(x, p, dim, min_tokens_to_keep=least)
        check("top_p", x, p, dim, least, call=lambda lib, *a: warped(top_p)(*a) if lib is torch else ours("top_p")(*a))
        check("min_p", x, p, dim, least, call=lambda lib, *a: warped(min_p)(*a) if lib is torch else ours("min_p")(*a))
    for i in range(8):
        x = logits(dtype, (4, 11), rng)
        p = torch.from_numpy(rng.rand(4))
        p = Pair(p, same_in_tamis(p))
        k = plain([int(v) for v in rng.randint(1, 12, 4)])
        against(check, "top_k", warped(top_k), x, k, 1)
        against(check, "top_p", warped(lambda r, p: top_p(r, p, 1)), x, p, 1)
        against(check, "min_p", warped(lambda r, p: min_p(r, p, 1)), x, p, 1)


def test_top_p_of_hugging_face(check):
    """TopPLogitsWarper, which sorts upwards and removes what sums up to 1 - p."""
    rng = seeded("hugging face")

    def warper(x, p):
        values, indices = torch.sort(x, descending=False)
        remove = values.softmax(-1).cumsum(-1) <= 1 - p
        remove[..., -1:] = False
        return ~remove.scatter(1, indices, remove)

    for i in range(20):
        x = torch.from_numpy(rng.randn(5, 50) * 2)
        against(check, "top_p", warper, Pair(x, same_in_tamis(x)), float(rng.rand()))
