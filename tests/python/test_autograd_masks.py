"""Gradients: what a mask leaves out contributes nothing."""

import math

import numpy as np
import pytest

import tamis
from gradients import close, leaf, same
from tamis import autograd, masked, masks

torch = pytest.importorskip("torch")

nan, inf = math.nan, math.inf


ROWS = [[1.0, nan, 2.0, inf], [nan, inf, -inf, nan], [0.5, 3.0, nan, 1.5], [nan, nan, 4.0, nan]]
KEPT = [[True, False, True, False], [False] * 4, [True, True, False, True], [False, False, True, False]]


def expected_per_row(function, rows=ROWS, kept=KEPT):
    """The gradient of the sum of function over every row's kept elements alone, by torch; 0 elsewhere."""
    found = np.zeros(np.shape(rows))
    for i, (row, keep) in enumerate(zip(rows, kept)):
        indices = np.flatnonzero(keep)
        if len(indices):
            x = torch.tensor(row, dtype=torch.float64)[indices].requires_grad_()
            function(x).sum().backward()
            found[i, indices] = x.grad.numpy()
    return found


def test_where_of_a_logarithm():
    x = leaf([-1, 0, 0.5, 4, nan, -inf])
    y = tamis.where(x > 0, x.log(), 0)
    same(y, [0, 0, math.log(0.5), math.log(4), 0, 0])
    y.sum().backward()
    same(x.grad, [0, 0, 2, 0.25, 0, 0])


def test_masked_fill_of_a_root():
    x = leaf([-1, 0, 0.25, 4])
    x.sqrt().masked_fill(x <= 0, 0).sum().backward()
    same(x.grad, [0, 0, 1, 0.25])


def test_logarithm_of_what_was_selected():
    x = leaf([0, 0.5, nan, 4])
    m = tamis.tensor([False, True, False, True])
    x[m].log().sum().backward()
    same(x.grad, [0, 2, 0, 0.25])
    y = leaf([0, 0.5, -1, 4])
    y.log()[m].sum().backward()
    same(y.grad, [0, 2, 0, 0.25])


def test_second_derivatives_are_nan_proof_too():
    x = leaf([-1, 0, 0.5, 4])
    (first,) = autograd.grad(tamis.where(x > 0, x.log(), 0).sum(), x, create_graph=True)
    first.sum().backward()
    same(x.grad, [0, 0, -4, -0.0625])


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
def test_masked_softmax_with_empty_rows(name):
    x, m = leaf(ROWS), tamis.tensor(KEPT)
    weights = np.linspace(0.5, 2, 16).reshape(4, 4)
    y = getattr(masked, name)(x, 1, mask=m)
    kept = tamis.where(m, y, 0) * tamis.tensor(weights)
    assert np.isfinite(kept.detach().numpy()).all()
    kept.sum().backward()
    expected = np.zeros((4, 4))
    for i in range(4):
        indices = np.flatnonzero(KEPT[i])
        if len(indices):
            row = torch.tensor(ROWS[i], dtype=torch.float64)[indices].requires_grad_()
            (getattr(torch.nn.functional, name)(row, 0) * torch.tensor(weights[i, indices])).sum().backward()
            expected[i, indices] = row.grad.numpy()
    close(x.grad, expected)


REDUCTIONS = {
    "mean": lambda x: x.mean(),
    "sum": lambda x: x.sum(),
    "prod": lambda x: x.prod(),
    "amax": lambda x: x.amax(),
    "amin": lambda x: x.amin(),
    "logsumexp": lambda x: x.logsumexp(0),
    "norm": lambda x: x.norm(),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_masked_reductions_of_rows_with_nan_outside(name):
    x, m = leaf(ROWS), tamis.tensor(KEPT)
    y = getattr(masked, name)(x, dim=1, mask=m)
    y[tamis.tensor([0, 2, 3])].sum().backward()  # the mean of an empty row is NaN, and is asked for by nobody
    close(x.grad, expected_per_row(REDUCTIONS[name]))


@pytest.mark.parametrize("name", ["var", "std"])
def test_masked_spread_of_rows_with_nan_outside(name):
    rows, kept = [ROWS[0], ROWS[2]], [KEPT[0], KEPT[2]]
    x = leaf(rows)
    getattr(masked, name)(x, dim=1, mask=tamis.tensor(kept)).sum().backward()
    close(x.grad, expected_per_row(lambda v: getattr(v, name)(), rows, kept))


@pytest.mark.parametrize("name", ["mean", "sum", "logsumexp"])
def test_masked_reductions_of_everything(name):
    x, m = leaf(ROWS), tamis.tensor(KEPT)
    getattr(masked, name)(x, mask=m).backward()
    flat = np.zeros((4, 4))
    v = torch.tensor(ROWS, dtype=torch.float64)[torch.tensor(KEPT)].requires_grad_()
    REDUCTIONS[name](v).backward()
    flat[np.array(KEPT)] = v.grad.numpy()
    close(x.grad, flat)


PAIR_LOSSES = ["mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits",
               "binary_cross_entropy"]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", PAIR_LOSSES)
def test_losses_with_a_mask(name, reduction):
    x = leaf([0.25, nan, 0.5, inf, 0.75])
    target = tamis.tensor([0.0, 1.0, 1.0, nan, 0.125], dtype=tamis.float64)
    m = tamis.tensor([True, False, True, False, True])
    loss = getattr(tamis, name)(x, target, mask=m, reduction=reduction).sum()
    loss.backward()
    alone = torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64, requires_grad=True)
    goal = torch.tensor([0.0, 1.0, 0.125], dtype=torch.float64)
    wanted = getattr(torch.nn.functional, name)(alone, goal, reduction=reduction).sum()
    wanted.backward()
    close(loss, wanted.item())
    close(x.grad[m], alone.grad.numpy())
    same(x.grad[~m], [0, 0])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_with_a_mask(reduction):
    values = [[1.0, 2.0, 3.0], [nan, inf, -inf], [0.5, 0.25, -1.0], [nan, nan, nan]]
    x, target = leaf(values), tamis.tensor([2, 0, 1, 1])
    m = tamis.tensor([True, False, True, False])
    loss = tamis.cross_entropy(x, target, mask=m, reduction=reduction).sum()
    loss.backward()
    alone = torch.tensor([values[0], values[2]], dtype=torch.float64, requires_grad=True)
    wanted = torch.nn.functional.cross_entropy(alone, torch.tensor([2, 1]), reduction=reduction).sum()
    wanted.backward()
    close(loss, wanted.item())
    close(x.grad[m], alone.grad.numpy())
    same(x.grad[~m], np.zeros((2, 3)))


def test_padding_of_nan_does_not_reach_the_weights():
    def gradient(padding):
        tamis.manual_seed(1)
        m = masks.from_lengths(tamis.tensor([2, 0, 3]), 4)
        x = tamis.where(m.unsqueeze(-1), tamis.randn((3, 4, 2), dtype=tamis.float64), padding)
        w = tamis.randn((2,), dtype=tamis.float64).requires_grad_()
        tamis.mse_loss((x * w).sum(-1).tanh(), tamis.ones((3, 4), dtype=tamis.float64), mask=m).backward()
        return w.grad

    assert np.isfinite(gradient(0.0).numpy()).all()
    same(gradient(nan), gradient(0.0).numpy())


@pytest.mark.parametrize("batched", [False, True])
def test_products_of_matrices_leave_out_masked_rows(batched):
    def gradients(padding):
        tamis.manual_seed(2)
        m = masks.from_lengths(tamis.tensor([2, 0, 3]), 4)
        x = tamis.where(m.unsqueeze(-1), tamis.randn((3, 4, 2), dtype=tamis.float64), padding).detach().requires_grad_()
        w, v = (tamis.randn(s, dtype=tamis.float64).requires_grad_() for s in ((2, 5), (5, 3)))
        hidden = (x if batched else x.reshape(12, 2)).matmul(w).tanh()
        logits = hidden.matmul(v).reshape(12, 3)
        tamis.cross_entropy(logits, tamis.arange(12) % 3, mask=m.reshape(12)).backward()
        return x.grad.numpy(), w.grad.numpy(), v.grad.numpy()

    for got, wanted in zip(gradients(nan), gradients(0.0)):
        assert np.isfinite(wanted).all()
        np.testing.assert_array_equal(got, wanted)
