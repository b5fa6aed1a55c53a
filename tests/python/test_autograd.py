"""Gradients: leaves, backward and grad, modes of recording, hooks, and writes in place."""

import gc

import numpy as np
import pytest

import tamis
from gradients import leaf, same
from tamis import autograd


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


def test_gradients_of_complex_numbers():
    z = leaf([3 + 4j, -1j], tamis.complex128)
    (z * z.conj()).real.sum().backward()
    same(z.grad, [6 + 8j, -2j])
    assert z.grad.dtype is tamis.complex128
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs"):
        z.sum().backward()
    with pytest.raises(RuntimeError, match="both grad_output and output are required to have the same dtype"):
        z.backward(tamis.ones(2))
    (z * 2j).sum().backward(tamis.tensor(1j))
    same(z.grad, [8 + 8j, 2 - 2j])
    x = tamis.ones(2, requires_grad=True)
    (x * 1j).imag.sum().backward()
    same(x.grad, [1, 1])


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
