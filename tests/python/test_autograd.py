"""Gradients: leaves, modes of recording, graphs, hooks, in-place writes, Function, optimisers, and NaN-proof masks."""

import gc
import math

import numpy as np
import pytest

import tamis
from tamis import autograd, masked, masks, optim

torch = pytest.importorskip("torch")

nan, inf = math.nan, math.inf


def leaf(values, dtype=tamis.float64):
    return tamis.tensor(values, dtype=dtype).requires_grad_()


def same(x, expected):
    np.testing.assert_array_equal(x.detach().numpy(), expected)


def close(x, expected):
    np.testing.assert_allclose(x.detach().numpy(), expected, rtol=1e-12, atol=1e-15)


# ---- leaves -----------------------------------------------------------------------------------


def test_leaves_and_results():
    x = leaf([1, 2])
    y = x * 2
    assert x.requires_grad and x.is_leaf and x.grad_fn is None and x.grad is None
    assert y.requires_grad and not y.is_leaf and y.grad_fn == "mul"
    plain = tamis.ones(2)
    assert not plain.requires_grad and plain.is_leaf
    plain.requires_grad = True
    assert plain.requires_grad
    assert plain.requires_grad_(False) is plain and not plain.requires_grad


def test_detach_is_a_leaf_over_the_same_memory():
    x = leaf([1, 2])
    y = (x * 2).detach()
    assert not y.requires_grad and y.is_leaf and y.grad_fn is None
    z = x.detach()
    z[0] = 5
    same(x, [5, 2])


def test_only_floating_point_tensors_require_gradients():
    text = "only Tensors of floating point and complex dtype can require gradients"
    for dtype in (tamis.int64, tamis.bool, tamis.uint8):
        with pytest.raises(RuntimeError, match=text):
            tamis.ones(2, dtype=dtype).requires_grad_()
    assert not (leaf([1, 2]) > 1).requires_grad
    assert not leaf([1, 2]).long().requires_grad
    assert not leaf([1, 2]).argmax().requires_grad


def test_flags_of_results_stay():
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        (leaf([1]) * 2).requires_grad_(False)


# ---- backward and grad ------------------------------------------------------------------------


def test_backward_adds_to_grad():
    x = leaf([1, 2])
    (x * 3).sum().backward()
    (x * x).sum().backward()
    same(x.grad, [5, 7])
    assert x.grad.dtype == tamis.float64 and not x.grad.requires_grad
    x.grad = None
    assert x.grad is None
    x.grad = tamis.tensor([1.0, 1.0], dtype=tamis.float64)
    (x * 3).sum().backward()
    same(x.grad, [4, 4])


def test_a_gradient_fits_its_tensor():
    x = leaf([1, 2])
    with pytest.raises(RuntimeError, match="assigned grad has data of a different size"):
        x.grad = tamis.ones(3, dtype=tamis.float64)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * 2).backward(tamis.ones(3, dtype=tamis.float64))


def test_backward_takes_weights():
    x = leaf([1, 2])
    (x * x).backward(tamis.tensor([1.0, 10.0], dtype=tamis.float64))
    same(x.grad, [2, 40])
    y = leaf([1, 2])
    autograd.backward([y.sum(), y * y], [None, tamis.tensor([1.0, 10.0], dtype=tamis.float64)])
    same(y.grad, [3, 41])


def test_backward_of_several_elements_needs_weights():
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (leaf([1, 2]) * 2).backward()
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        tamis.ones(2).sum().backward()


def test_broadcast_gradients_are_summed():
    x, y = leaf([[1], [2]]), leaf([1, 10, 100])
    (x * y).sum().backward()
    same(x.grad, [[111], [111]])
    same(y.grad, [3, 3, 3])


def test_gradients_have_the_dtype_of_their_tensor():
    x, y = leaf([1, 2], tamis.float32), leaf([3, 4])
    (x * y).sum().backward()
    assert x.grad.dtype == tamis.float32 and y.grad.dtype == tamis.float64


def test_grad_leaves_grad_alone():
    x, y = leaf([1, 2]), leaf([3, 4])
    by_x, by_y = autograd.grad((x * y).sum(), [x, y])
    same(by_x, [3, 4])
    same(by_y, [1, 2])
    assert x.grad is None and y.grad is None


def test_grad_of_what_is_not_used():
    x, other = leaf([1, 2]), leaf([1])
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors appears to not have been used"):
        autograd.grad(x.sum(), [x, other])
    by_x, by_other = autograd.grad(x.sum(), [x, other], allow_unused=True)
    same(by_x, [1, 1])
    assert by_other is None


def test_grad_of_a_result_in_between():
    x = leaf([1, 2])
    y = x * x
    (by_y,) = autograd.grad((y * y).sum(), y)
    same(by_y, [2, 8])


def test_a_graph_is_walked_once_unless_retained():
    x = leaf([1, 2])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    same(x.grad, [4, 8])
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_create_graph():
    x = leaf([1, 2, 3])
    (first,) = autograd.grad((x**3).sum(), x, create_graph=True)
    same(first, [3, 12, 27])
    assert first.requires_grad
    (second,) = autograd.grad(first.sum(), x, create_graph=True)
    same(second, [6, 12, 18])
    second.sum().backward()
    same(x.grad, [6, 6, 6])


def test_backward_with_create_graph():
    x = leaf([2])
    (x**3).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    (second,) = autograd.grad(x.grad.sum(), x)
    same(second, [12])


def test_results_that_are_freed_free_what_they_saved():
    x = leaf(np.full(1 << 17, 0.5))
    before = tamis.memory_stats()["live_bytes"]
    y = x.exp().cumsum(0)
    loss = (y * y).sum()
    loss.item()
    del y
    assert tamis.memory_stats()["live_bytes"] >= before + x.numel() * 8  # y, which the product saved
    del loss
    gc.collect()
    assert tamis.memory_stats()["live_bytes"] <= before + 1024


# ---- modes ------------------------------------------------------------------------------------


def test_no_grad_and_enable_grad():
    x = leaf([1])
    with tamis.no_grad():
        assert not tamis.is_grad_enabled() and not (x * 2).requires_grad
        with tamis.enable_grad():
            assert tamis.is_grad_enabled() and (x * 2).requires_grad
        assert not tamis.is_grad_enabled()
    assert tamis.is_grad_enabled() and (x * 2).requires_grad


def test_modes_decorate():
    x = leaf([1])

    @tamis.no_grad()
    def double(v):
        """Twice."""
        return v * 2

    @tamis.enable_grad()
    def recorded(v):
        return v * 2

    assert double.__name__ == "double" and double.__doc__ == "Twice."
    assert not double(x).requires_grad
    with tamis.no_grad():
        assert recorded(x).requires_grad
    assert tamis.is_grad_enabled()


def test_modes_end_with_an_exception():
    with pytest.raises(KeyError):
        with tamis.no_grad():
            raise KeyError
    assert tamis.is_grad_enabled()


def test_set_grad_enabled():
    x = leaf([1])
    with tamis.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad
    tamis.set_grad_enabled(False)
    try:
        assert not (x * 2).requires_grad
    finally:
        tamis.set_grad_enabled(True)
    assert (x * 2).requires_grad


# ---- hooks ------------------------------------------------------------------------------------


def test_hooks_see_change_and_leave():
    x = leaf([1, 2])
    y = x * 2
    seen = []
    handle = y.register_hook(lambda g: seen.append(g.numpy().tolist()))
    change = y.register_hook(lambda g: g * 10)
    z = (y * 3).sum()
    z.backward(retain_graph=True)
    assert seen == [[3, 3]]
    same(x.grad, [60, 60])
    handle.remove()
    change.remove()
    x.grad = None
    z.backward()
    assert seen == [[3, 3]]
    same(x.grad, [6, 6])


def test_hooks_on_leaves():
    x = leaf([1, 2])
    x.register_hook(lambda g: g * 2)
    (x * 3).sum().backward()
    same(x.grad, [6, 6])


def test_an_exception_of_a_hook_arrives():
    x = leaf([1])

    def fail(g):
        raise KeyError("hook")

    x.register_hook(fail)
    with pytest.raises(KeyError, match="hook"):
        (x * 2).sum().backward()


def test_retain_grad():
    x = leaf([1, 2])
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    same(y.grad, [4, 8])
    same(x.grad, [8, 16])


# ---- writes -----------------------------------------------------------------------------------


def test_leaves_are_not_written():
    x = leaf([1, 2])
    text = "a leaf Variable that requires grad is being used in an in-place operation."
    for write in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.masked_fill_(x > 1, 0.0)):
        with pytest.raises(RuntimeError, match=text):
            write()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[0].zero_()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x[0] = 1.0
    with tamis.no_grad():
        x.add_(1)
        x[0] = 7.0
    same(x, [7, 3])


def test_what_was_saved_must_stay():
    x = leaf([1, 2])
    y = x * 2
    z = y * y
    y.add_(1)
    text = "modified by an inplace operation: .*that mul saved is at version 1; expected version 0"
    with pytest.raises(RuntimeError, match=text):
        z.sum().backward()


def test_a_write_through_a_view_is_noticed():
    x = leaf([1, 2])
    y = x * 2
    z = y.exp()
    z[0] = 0.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_writes_are_differentiated():
    w, v = leaf([1, 2, 3]), leaf(5)
    x = w * 2
    x[tamis.tensor([True, False, True])] = v
    x.mul_(10)
    x[1:] += 1
    (x * tamis.tensor([1.0, 10.0, 100.0], dtype=tamis.float64)).sum().backward()
    same(w.grad, [0, 200, 0])
    same(v.grad, 1010)


def test_masked_writes_are_differentiated():
    w, v = leaf([1, 2, 3, 4]), leaf([7, 8])
    m = tamis.tensor([False, True, False, True])
    x = w * 1
    x.masked_scatter_(m, v)
    x.masked_fill_(tamis.tensor([True, False, False, False]), 0.0)
    (x * x).sum().backward()
    same(w.grad, [0, 0, 6, 0])
    same(v.grad, [14, 16])


def test_a_masked_add_keeps_both_gradients():
    w, v = leaf([1, 2, 3]), leaf([10, 20])
    x = w * 1
    x[tamis.tensor([True, False, True])] += v
    (x * x).sum().backward()
    same(x, [11, 2, 23])
    same(w.grad, [22, 4, 46])
    same(v.grad, [22, 46])


# ---- Function ---------------------------------------------------------------------------------


class Cube(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Scaled(autograd.Function):
    """Takes what is no tensor, and says what needs no gradient."""

    @staticmethod
    def forward(ctx, x, factor, y, name="nothing"):
        ctx.factor = factor
        ctx.needs = ctx.needs_input_grad
        ctx.save_for_backward(x, None, y)
        return x * y * factor

    @staticmethod
    def backward(ctx, g):
        x, none, y = ctx.saved_tensors
        assert none is None
        assert ctx.needs_input_grad == ctx.needs
        by_x = g * y * ctx.factor if ctx.needs_input_grad[0] else None
        return by_x, None, g * x * ctx.factor if ctx.needs_input_grad[2] else None, None


class SumAndProduct(autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x + y, x * y

    @staticmethod
    def backward(ctx, g_sum, g_product):
        x, y = ctx.saved_tensors
        return g_sum + g_product * y, g_sum + g_product * x


def test_a_function_and_its_derivatives():
    x = leaf([2, -1])
    y = Cube.apply(x)
    assert y.grad_fn == "Cube" and y.requires_grad
    y.sum().backward()
    same(x.grad, [12, 3])
    assert autograd.gradcheck(Cube.apply, x)
    assert autograd.gradgradcheck(Cube.apply, [x])


def test_a_function_with_arguments_that_are_no_tensors():
    x, y = leaf([1, 2]), tamis.tensor([3.0, 4.0], dtype=tamis.float64)
    Scaled.apply(x, 10, y, "name").sum().backward()
    same(x.grad, [30, 40])
    z = leaf([3, 4])
    Scaled.apply(x.detach(), 10, z, "name").sum().backward()
    same(z.grad, [10, 20])
    assert not Scaled.apply(y, 10, y, "name").requires_grad


def test_a_function_with_two_results():
    x, y = leaf([1, 2]), leaf([3, 4])
    s, p = SumAndProduct.apply(x, y)
    (s * 100 + p).sum().backward()
    same(x.grad, [103, 104])
    same(y.grad, [101, 102])
    a = leaf([1, 2])
    SumAndProduct.apply(a, y)[1].sum().backward()
    same(a.grad, [3, 4])


def test_a_result_without_gradient():
    class Sorted(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            values, indices = tamis.sort(x)
            rank = indices.double()
            ctx.mark_non_differentiable(rank)
            ctx.save_for_backward(indices)
            return values, rank

        @staticmethod
        def backward(ctx, g, g_rank):
            (indices,) = ctx.saved_tensors
            return tamis.zeros(3, dtype=tamis.float64).scatter(0, indices, g)

    x = leaf([3, 1, 2])
    values, rank = Sorted.apply(x)
    assert values.requires_grad and not rank.requires_grad
    (values * tamis.tensor([1.0, 10.0, 100.0], dtype=tamis.float64)).sum().backward()
    same(x.grad, [100, 1, 10])


def test_a_wrong_number_of_gradients():
    class Wrong(autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            return x * factor

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = Wrong.apply(leaf([1]), 2).sum()
    with pytest.raises(RuntimeError, match=r"returned an incorrect number of gradients \(expected 2, got 1\)"):
        y.backward()


def test_forward_and_backward_must_be_given():
    class Neither(autograd.Function):
        pass

    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        Neither.apply(leaf([1]))


def test_a_saved_tensor_of_a_function_must_stay():
    x = leaf([1, 2])
    y = x * 2
    z = Cube.apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*that Cube saved"):
        z.sum().backward()


def test_a_function_lets_go_of_what_it_saved():
    kept = []

    class Big(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            inner = tamis.zeros(1 << 20, dtype=tamis.float64) + 1
            inner.sum().item()
            ctx.save_for_backward(inner)
            kept.append(ctx)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            assert ctx.saved_tensors[0].shape == (1 << 20,)
            return g * 2

    y = Big.apply(leaf([1]))
    assert kept[0].saved_tensors == ()
    y.sum().backward()
    assert kept[0].saved_tensors == ()


def test_gradcheck_finds_a_wrong_gradient():
    class Wrong(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    with pytest.raises(RuntimeError):
        autograd.gradcheck(Wrong.apply, leaf([1.0, 2.0]))
    assert autograd.gradcheck(lambda x, y: x.sin() * y, [leaf([1, 2]), leaf([0.5])])
    assert autograd.gradgradcheck(lambda x, y: x.sin() * y, [leaf([1, 2]), leaf([0.5])])


# ---- optimisers -------------------------------------------------------------------------------

OPTIMISERS = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.1, momentum=0.9)),
    ("SGD", dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1)),
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
    ("Adam", dict(lr=0.1)),
    ("Adam", dict(lr=0.1, betas=(0.5, 0.7), eps=1e-3, weight_decay=0.1)),
    ("AdamW", dict(lr=0.1)),
    ("AdamW", dict(lr=0.1, weight_decay=0.3)),
]


@pytest.mark.parametrize("name,options", OPTIMISERS, ids=str)
def test_steps_are_those_of_torch(name, options):
    start, unused = [[0.5, -1.0, 2.0], [1.0, 3.0, -2.0]], [4.0]
    ours, theirs = leaf(start), torch.tensor(start, dtype=torch.float64, requires_grad=True)
    idle, theirs_idle = leaf(unused), torch.tensor(unused, dtype=torch.float64, requires_grad=True)
    optimiser = getattr(optim, name)([ours, idle], **options)
    reference = getattr(torch.optim, name)([theirs, theirs_idle], **options)
    for _ in range(6):
        optimiser.zero_grad()
        reference.zero_grad()
        (ours.exp() + ours * ours).sum().backward()
        (theirs.exp() + theirs * theirs).sum().backward()
        optimiser.step()
        reference.step()
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-12)
    same(idle, unused)
    assert ours.is_leaf and ours.requires_grad


def test_optimisers_refuse_what_they_cannot_change():
    with pytest.raises(ValueError, match="optimizer got an empty parameter list"):
        optim.SGD([], lr=0.1)
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        optim.Adam([leaf([1]) * 2])
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        optim.AdamW([leaf([1])], lr=-1)


def test_zero_grad_forgets():
    x = leaf([1])
    (x * 2).sum().backward()
    optim.SGD([x], lr=1).zero_grad()
    assert x.grad is None


# ---- what a mask leaves out contributes nothing -----------------------------------------------

ROWS = [[1.0, nan, 2.0, inf], [nan, inf, -inf, nan], [0.5, 3.0, nan, 1.5], [nan, nan, 4.0, nan]]
KEPT = [[True, False, True, False], [False] * 4, [True, True, False, True], [False, False, True, False]]


def expected_per_row(function, rows=ROWS, kept=KEPT):
    """The gradient of the sum of function over every row's kept elements alone, by torch; 0 elsewhere."""
    found = np.zeros(np.shape(rows))
    for i, (row, keep) in enumerate(zip(rows, kept)):
        places = np.flatnonzero(keep)
        if len(places):
            x = torch.tensor(row, dtype=torch.float64)[places].requires_grad_()
            function(x).sum().backward()
            found[i, places] = x.grad.numpy()
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
        places = np.flatnonzero(KEPT[i])
        if len(places):
            row = torch.tensor(ROWS[i], dtype=torch.float64)[places].requires_grad_()
            (getattr(torch.nn.functional, name)(row, 0) * torch.tensor(weights[i, places])).sum().backward()
            expected[i, places] = row.grad.numpy()
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


def test_creation_of_leaves():
    made = [
        tamis.tensor([1.0, 2.0], requires_grad=True),
        tamis.zeros(2, requires_grad=True),
        tamis.full((2,), 1.5, requires_grad=True),
        tamis.arange(2.0, requires_grad=True),
        tamis.randn(2, requires_grad=True),
        tamis.ones_like(tamis.zeros(2), requires_grad=True),
    ]
    for x in made:
        assert x.requires_grad and x.is_leaf
        (x * 3).sum().backward()
        assert x.grad.tolist() == [3, 3]
    assert not tamis.zeros(2).requires_grad
    with pytest.raises(RuntimeError, match="floating point"):
        tamis.tensor([1, 2], requires_grad=True)
