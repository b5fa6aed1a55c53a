"""Gradients: functions with gradients of their own, and optimisers."""

import numpy as np
import pytest

import tamis
from gradients import leaf, same
from tamis import autograd, optim

torch = pytest.importorskip("torch")


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


def test_functions_of_complex_numbers():
    """A gradient is what the function says it is; that of a real input is its real part."""

    class Product(autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y.conj(), g * x.conj()

    z, x = leaf([1 + 2j, -1j], tamis.complex128), leaf([0.5, 2])
    assert autograd.gradcheck(Product.apply, (z, x)) and autograd.gradgradcheck(Product.apply, (z, x))
    Product.apply(z, x).imag.sum().backward()
    same(z.grad, [0.5j, 2j])
    same(x.grad, [2, -1])


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


@pytest.mark.parametrize("name,options", OPTIMISERS, ids=str)
def test_steps_of_complex_numbers_are_those_of_torch(name, options):
    start = [0.5 - 1j, 2 + 0.25j, -1.5j]
    ours, theirs = leaf(start, tamis.complex128), torch.tensor(start, dtype=torch.complex128, requires_grad=True)
    optimiser = getattr(optim, name)([ours], **options)
    reference = getattr(torch.optim, name)([theirs], **options)
    for _ in range(4):
        optimiser.zero_grad()
        reference.zero_grad()
        (ours.exp() + ours * ours).abs().sum().backward()
        (theirs.exp() + theirs * theirs).abs().sum().backward()
        optimiser.step()
        reference.step()
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-12)


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
