"""Gradients of every differentiable row, first and second order, against torch's on the same inputs and layouts."""

import numpy as np
import pytest
import tamis
import torch

from cases import laid_out, seeded
from compare import session
from gradient_cases import COMPLEX_TABLE, FLAT, MASK, ROWS, TABLE, TAKE_COMPLEX, C, Case, T, Z, with_complex

LAYOUTS = ["contiguous", "transposed", "stepped", "offset"]
TOLERANCES = {"float64": dict(rtol=1e-9, atol=1e-10), "float32": dict(rtol=2e-4, atol=2e-5)}
# What torch 1.13 differentiates once only, by the text of its error.
ONCE_IN_TORCH = ("is not implemented", "not differentiable twice")
COMPLEX_OF = {"float64": "complex128", "float32": "complex64"}


def numbers(argument, base_shape, rng):
    """Distinct values, shuffled; none near an integer, where some functions have a kink."""
    n = int(np.prod(base_shape, dtype=np.int64))
    found = 0.3 + 0.65 * (rng.permutation(n) + rng.uniform(0.2, 0.8, n)) / max(n, 1)
    if argument.kind == "signed":
        found *= rng.choice([-1, 1], n)
    return found.reshape(base_shape)


def tensor_in(lib, array, dtype=None):
    found = torch.from_numpy(array.copy()) if lib is torch else tamis.tensor(array)
    return found if dtype is None else found.to(getattr(lib, dtype))


def prepared(lib, case, layout, dtype, seed):
    """The leaves, and the arguments made from them."""
    rng = seeded(seed)
    leaves, arguments = [], []
    for a in case.arguments:
        if isinstance(a, T):
            base_shape, view = laid_out(a.shape, layout, rng)
            found = numbers(a, base_shape, rng)
            if isinstance(a, Z):
                found = found + 1j * numbers(a, base_shape, rng)
            leaf = tensor_in(lib, found, COMPLEX_OF[dtype] if isinstance(a, Z) else dtype).requires_grad_()
            leaves.append(leaf)
            arguments.append(view(leaf))
        elif isinstance(a, C):
            arguments.append(tensor_in(lib, a.values, dtype if a.values.dtype == np.float64 else None))
        else:
            arguments.append(a)
    return leaves, arguments


def weighted(lib, tensors, rng):
    """A number that depends on all elements, and not linearly."""
    total = 0
    for x in (reals(lib, x) for x in tensors):
        w = tensor_in(lib, rng.uniform(0.5, 1.5, tuple(x.shape)), str(x.dtype).split(".")[-1])
        total = total + (w * x + w * w * x * x).sum()
    return total


def reals(lib, x):
    """Complex numbers as their parts."""
    if not x.is_complex():
        return x
    return torch.view_as_real(x.resolve_conj()) if lib is torch else tamis.view_as_real(x)


def filled(lib, found, leaves):
    return [lib.zeros_like(x) if g is None else g for g, x in zip(found, leaves)]


def gradients(lib, call, case, layout, dtype, seed, order):
    """The results of floating point, and the gradients of first and (or None) second order."""
    leaves, arguments = prepared(lib, case, layout, dtype, seed)
    results = call(lib, *arguments)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    results = [r for r in results if r.is_floating_point() or r.is_complex()]
    rng = seeded(seed + "weights")
    grad = lib.autograd.grad
    total = weighted(lib, results, rng)
    first = filled(lib, grad(total, leaves, create_graph=order > 1, allow_unused=True), leaves)
    second = None
    if order > 1:
        try:
            total = weighted(lib, first, rng) + sum((reals(lib, x) * 0).sum() for x in leaves)  # needs a graph in any case
            second = filled(lib, grad(total, leaves, allow_unused=True), leaves)
        except RuntimeError as e:
            if lib is tamis or not any(text in str(e) for text in ONCE_IN_TORCH):
                raise
    return [as_numpy(results), as_numpy(first), None if second is None else as_numpy(second)]


def as_numpy(tensors):
    return [t.detach().resolve_conj().numpy() if isinstance(t, torch.Tensor) else t.detach().numpy() for t in tensors]


def gradients_if_taken(*arguments):
    """Those of torch, or None if it refuses the arguments."""
    try:
        return gradients(torch, *arguments)
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return None


def compare(call, case, layout, dtype, seed, order, may_refuse=False):
    """Whether torch took the arguments, which it must unless it may refuse them."""
    theirs = gradients_if_taken if may_refuse else lambda *a: gradients(torch, *a)
    want = session.once(seed, lambda: theirs(call, case, layout, dtype, seed, order))
    if want is None:
        return False
    got = gradients(tamis, call, case, layout, dtype, seed, order)
    for what, ours, theirs in zip(("result", "first order", "second order"), got, want):
        if theirs is None:
            continue
        assert len(ours) == len(theirs), what
        for i, (g, w) in enumerate(zip(ours, theirs)):
            assert g.dtype == w.dtype and g.shape == w.shape, (what, i)
            np.testing.assert_allclose(g, w, **TOLERANCES[dtype], err_msg=f"{what}, {i}: {layout}, {dtype}")
    return True


@pytest.mark.parametrize("name", sorted(TABLE))
def test_gradients(name):
    for number, case in enumerate(TABLE[name]):
        for layout in case.layouts or LAYOUTS:
            seed = f"gradients of {name} {number}"
            for call in [case.call] + [case.in_place] * (case.in_place is not None):
                compare(call, case, layout, "float64", seed, case.order)
            if layout == LAYOUTS[number % len(LAYOUTS)]:
                compare(case.call, case, layout, "float32", seed, 1)


@pytest.mark.parametrize("name", sorted(TAKE_COMPLEX))
def test_gradients_of_complex_numbers(name):
    """The same cases with complex numbers, all or some of them, as far as torch takes them."""
    count = 0
    for number, case in enumerate(COMPLEX_TABLE.get(name, TABLE[name])):
        layouts = case.layouts or LAYOUTS
        layout = layouts[number % len(layouts)]
        for which in ("all", "last"):
            changed = with_complex(case, which)
            if changed is None:
                continue
            seed = f"complex gradients of {name} {number} {which}"
            for call in [changed.call] + [changed.in_place] * (changed.in_place is not None):
                count += compare(call, changed, layout, "float64", seed, case.order, may_refuse=True)
    assert count > 0


def test_no_row_is_forgotten():
    known = set(TABLE) | FLAT
    covered = known | {name + "_" for name in FLAT}
    for name, cases in TABLE.items():
        if any(case.in_place for case in cases):
            covered.add(name + "_")
    assert sorted(ROWS - covered - WRITTEN_OUT) == []
    assert sorted((set(TABLE) | FLAT) - ROWS) == []


# Writes whose cases without a write are written out above, so that there is none to derive.
WRITTEN_OUT = {"index_put_"}


WRITES = {
    "index_put_": lambda lib, y, m, v: y.index_put_([m], v),
    "a mask": lambda lib, y, m, v: y.__setitem__(m, v),
    "a mask, added to": lambda lib, y, m, v: y.__setitem__(m, y[m] + v),
    "a masked row of a view": lambda lib, y, m, v: y.t()[1:].t().__setitem__(m[:, 1:], v),
    "a slice": lambda lib, y, m, v: y[1:, ::2].mul_(v),
    "a view of a view": lambda lib, y, m, v: y.view(-1)[2:8].view(2, 3)[1].copy_(v * 2),
    "masked_fill_": lambda lib, y, m, v: y.masked_fill_(m, v),
    "masked_fill_ of a view": lambda lib, y, m, v: y[1].masked_fill_(m[0], v),
}


@pytest.mark.parametrize("name", sorted(WRITES))
def test_gradients_through_writes(name):
    def call(lib, x, m, v):
        y = (x * x).contiguous()
        WRITES[name](lib, y, m, v)
        return y.sin()

    case = Case([T(3, 4), C(MASK), T()], call)
    for layout in LAYOUTS:
        compare(call, case, layout, "float64", name, 2)


COMPLEX_WRITES = {
    "a mask": lambda lib, y, m, v: y.__setitem__(m, v * 2j),
    "masked_fill_": lambda lib, y, m, v: y[1].masked_fill_(m[0], v * 2j),
    "real parts": lambda lib, y, m, v: y.real.copy_(v * 2),
    "imaginary parts by a mask": lambda lib, y, m, v: y.imag.__setitem__(m, v),
    "parts of a view": lambda lib, y, m, v: lib.view_as_real(y[1:, ::2])[..., 1].mul_(v),
    "parts of parts": lambda lib, y, m, v: lib.view_as_complex(lib.view_as_real(y)[1:]).mul_(1j * v),
}


@pytest.mark.parametrize("name", sorted(COMPLEX_WRITES))
def test_gradients_through_writes_to_complex_numbers(name):
    def call(lib, x, m, v):
        y = (x * x).contiguous()
        COMPLEX_WRITES[name](lib, y, m, v)
        return y.sin()

    case = Case([Z(3, 4), C(MASK), T()], call)
    for layout in LAYOUTS:
        compare(call, case, layout, "float64", name, 2)


KINKS = {
    "relu": lambda lib, x, y: lib.relu(x),
    "clamp": lambda lib, x, y: lib.clamp(x, -1, 2),
    "minimum": lambda lib, x, y: lib.minimum(x, y),
    "maximum": lambda lib, x, y: lib.maximum(x, y),
    "where": lambda lib, x, y: lib.where(x > 0, x, y),
    "huber_loss": lambda lib, x, y: functional(lib).huber_loss(x, y),
    "smooth_l1_loss": lambda lib, x, y: functional(lib).smooth_l1_loss(x, y),
}


def functional(lib):
    return lib.nn.functional if lib is torch else lib


@pytest.mark.parametrize("name", sorted(KINKS))
def test_kinks_and_nan(name):
    """At kinks, equal operands and NaN: the first derivative, whether it requires one, and the second."""
    def found(lib):
        nan = float("nan")
        x = lib.tensor([-3.0, -1.0, 0.0, 0.5, 1.0, nan, 2.0, nan], dtype=lib.float64).requires_grad_()
        y = lib.tensor([-2.0, -1.0, 1.0, 0.5, 0.0, 2.0, nan, nan], dtype=lib.float64).requires_grad_()
        first = filled(lib, lib.autograd.grad(KINKS[name](lib, x, y).sum(), [x, y], create_graph=True,
                                              allow_unused=True), [x, y])
        second = [lib.zeros_like(x)]
        if first[0].requires_grad:
            second = filled(lib, lib.autograd.grad(first[0].sum(), [x], allow_unused=True), [x])
        return first[0].requires_grad, as_numpy(first), as_numpy(second)

    ours, theirs = found(tamis), found(torch)
    assert ours[0] == theirs[0]
    for got, want in zip(ours[1], theirs[1]):
        np.testing.assert_allclose(got, want, atol=1e-9)
    for got, want in zip(ours[2], theirs[2]):
        np.testing.assert_allclose(np.where(np.isnan(theirs[1][0]), 0, got), want, atol=1e-9)


def test_flat_rows_give_no_gradient():
    x = tamis.ones((2, 2)).requires_grad_()
    for name in ("argmax", "argsort", "isnan", "nonzero", "zeros_like", "bool", "long", "detach"):
        function = getattr(tamis, name, None)
        function = function if hasattr(function, "__row__") else getattr(tamis.Tensor, name)
        assert not function(x).requires_grad
