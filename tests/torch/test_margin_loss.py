"""Losses of margins and of distributions, with and without a mask, and layers: against torch.nn.functional."""

import numpy as np
import pytest
import tamis
import torch
import torch.nn.functional as F

from cases import FLOATS, Pair, mask, pair, plain, same_in_tamis, seeded
from test_loss import REDUCTIONS, masked

FULL = ["float32", "float64"]
ULPS = 32


def compare(check, op, dtype, *args, mask=None, reduction="mean", **options):
    """torch computes in float64, so that what is compared is rounded once; beside a larger number, for what cancels."""
    up = lambda t: t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t

    def call(lib, *a, mask=None, reduction="mean", **k):
        if lib is tamis:
            return getattr(tamis, op)(*a, mask=mask, reduction=reduction, **k) + 8
        loss = getattr(F, op)(*map(up, a), reduction="none", **{n: up(v) for n, v in k.items()})
        return masked(loss, mask, reduction).to(getattr(torch, dtype)) + 8

    given = dict(options, reduction=reduction)
    if mask is not None:
        given["mask"] = mask
    return check(op, *args, call=call, ulps=ULPS, **given)


def signs(shape, rng):
    found = torch.from_numpy(np.asarray(rng.randint(0, 2, shape) * 2 - 1))
    return Pair(found, same_in_tamis(found))


def shares(dtype, shape, rng):
    found = torch.from_numpy(np.asarray(rng.randint(0, 5, shape) / 4)).to(getattr(torch, dtype))
    return Pair(found, same_in_tamis(found))


@pytest.mark.parametrize("dtype", FULL)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_losses_of_signs_and_pairs(check, dtype, reduction):
    rng = seeded("signs" + dtype + reduction)
    for shape in [(5,), (3, 4), (2, 3, 4), ()]:
        for m in (None, mask(shape, rng)):
            x, y, t = pair(dtype, shape, rng, "small"), pair(dtype, shape, rng, "small"), signs(shape, rng)
            compare(check, "soft_margin_loss", dtype, x, t, mask=m, reduction=reduction)
            compare(check, "hinge_embedding_loss", dtype, x, t, mask=m, reduction=reduction)
            compare(check, "hinge_embedding_loss", dtype, x, t, mask=m, reduction=reduction, margin=0.5)
            compare(check, "margin_ranking_loss", dtype, x, y, t, mask=m, reduction=reduction)
            compare(check, "margin_ranking_loss", dtype, x, y, t, mask=m, reduction=reduction, margin=1.5)
    for shape in [(4, 3), (3,)]:
        rows = shape[:-1]
        for m in (None, mask(rows, rng)):
            a, b, c = (pair(dtype, shape, rng, "nonzero") for _ in range(3))
            t = signs(rows, rng)
            compare(check, "cosine_embedding_loss", dtype, a, b, t, mask=m, reduction=reduction, margin=0.25)
            compare(check, "triplet_margin_loss", dtype, a, b, c, mask=m, reduction=reduction)
            compare(check, "triplet_margin_loss", dtype, a, b, c, mask=m, reduction=reduction, margin=4.0, p=1.0)
            compare(check, "triplet_margin_loss", dtype, a, b, c, mask=m, reduction=reduction, swap=True, eps=0.25)


@pytest.mark.parametrize("dtype", FULL)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_losses_of_classes(check, dtype, reduction):
    rng = seeded("class margins" + dtype + reduction)
    for sizes in [(4,), (1,), ()]:
        for classes in (1, 3, 6):
            for m in (None, mask(sizes, rng)):
                x = pair(dtype, sizes + (classes,), rng, "small")
                target = torch.from_numpy(rng.randint(0, classes, sizes)) if sizes else torch.tensor(int(rng.randint(classes)))
                target = Pair(target, same_in_tamis(target))
                weight = pair(dtype, (classes,), rng, "positive", layout="contiguous")  # torch 1.13 reads others wrongly
                compare(check, "multi_margin_loss", dtype, x, target, mask=m, reduction=reduction)
                compare(check, "multi_margin_loss", dtype, x, target, mask=m, reduction=reduction, p=2, margin=0.5, weight=weight)
                labels = torch.from_numpy(rng.randint(-1, classes, sizes + (classes,)))
                labels = Pair(labels, same_in_tamis(labels))
                compare(check, "multilabel_margin_loss", dtype, x, labels, mask=m, reduction=reduction)
                t = shares(dtype, sizes + (classes,), rng)
                compare(check, "multilabel_soft_margin_loss", dtype, x, t, mask=m, reduction=reduction)
                compare(check, "multilabel_soft_margin_loss", dtype, x, t, mask=m, reduction=reduction, weight=weight)


@pytest.mark.parametrize("dtype", FULL)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_losses_of_distributions(check, dtype, reduction):
    rng = seeded("distributions" + dtype + reduction)
    for shape in [(5,), (3, 4), (2, 3, 4), ()]:
        for m in (None, mask(shape, rng)):
            x, t = pair(dtype, shape, rng, "small"), shares(dtype, shape, rng)
            compare(check, "kl_div", dtype, x, t, mask=m, reduction=reduction)
            compare(check, "kl_div", dtype, x, t, mask=m, reduction=reduction, log_target=True)
            counts = pair(dtype, shape, rng, "positive")
            compare(check, "poisson_nll_loss", dtype, x, counts, mask=m, reduction=reduction)
            compare(check, "poisson_nll_loss", dtype, x, counts, mask=m, reduction=reduction, full=True)
            compare(check, "poisson_nll_loss", dtype, counts, counts, mask=m, reduction=reduction, log_input=False, eps=0.5)
            var = pair(dtype, shape, rng, "positive")
            compare(check, "gaussian_nll_loss", dtype, x, counts, var, mask=m, reduction=reduction)
            compare(check, "gaussian_nll_loss", dtype, x, counts, var, mask=m, reduction=reduction, full=True, eps=2.0)
            if shape:
                compare(check, "gaussian_nll_loss", dtype, x, counts, pair(dtype, shape[:-1], rng, "positive"), mask=m,
                        reduction=reduction)
                compare(check, "gaussian_nll_loss", dtype, x, counts, pair(dtype, shape[:-1] + (1,), rng, "positive"), mask=m,
                        reduction=reduction)


def functional(op):
    return lambda lib, *a, **k: getattr(F if lib is torch else tamis, op)(*a, **k)


def test_batchmean(check):
    rng = seeded("batchmean")
    for shape in [(3, 4), (5,)]:
        x, t = pair("float64", shape, rng, "small"), shares("float64", shape, rng)
        check("kl_div", x, t, reduction="batchmean", call=functional("kl_div"), ulps=16)


def test_what_they_refuse(check):
    rng = seeded("refused margins")
    x = pair("float32", (3, 4), rng, "small")
    for op, *args in [("multi_margin_loss", x, plain([0, 1, 4])), ("multi_margin_loss", x, plain([0, 1])),
                      ("multilabel_margin_loss", x, plain([[0, 1]])), ("kl_div", x, plain([[0.5]] * 2)),
                      ("triplet_margin_loss", x, x, plain([1.0])), ("cosine_embedding_loss", x, x, plain([[1]])),
                      ("margin_ranking_loss", x, x, plain(1.0))]:
        check(op, *args, call=functional(op))


@pytest.mark.parametrize("dtype", FLOATS)
def test_embedding(check, dtype):
    rng = seeded("embedding" + dtype)
    for shape in [(), (3,), (2, 4), (0,), (2, 0)]:
        weight = pair(dtype, (5, 3), rng)
        for index in ("int64", "int32"):
            numbers = torch.from_numpy(rng.randint(0, 5, shape)) if shape else torch.tensor(2)
            numbers = numbers.to(getattr(torch, index))
            numbers = Pair(numbers, same_in_tamis(numbers))
            check("embedding", numbers, weight, call=functional("embedding"))
            check("embedding", numbers, weight, padding_idx=-2, call=functional("embedding"))
    check("embedding", plain([5]), weight, call=functional("embedding"))
    check("embedding", plain([-1]), weight, call=functional("embedding"))
    check("embedding", plain([1.0]), weight, call=functional("embedding"))


def test_dropout(check):
    rng = seeded("dropout")
    for dtype in FULL:
        x = pair(dtype, (3, 4), rng, "small")
        for options in ({"training": False}, {"p": 0.0}):
            check("dropout", x, call=functional("dropout"), **options)
    x = tamis.ones(20000, dtype=tamis.float64).requires_grad_()
    y = tamis.dropout(x, 0.25)
    kept = (y != 0).to(tamis.float64).mean().item()
    assert abs(kept - 0.75) < 0.02 and set(y.detach().unique().tolist()) == {0.0, 1 / (1 - 0.25)}
    y.sum().backward()
    assert x.grad.equal(y.detach())
