"""Torch tensors as arguments, and tamis.torch: values and gradients equal PyTorch's."""

import gc

import numpy as np
import pytest

import tamis

torch = pytest.importorskip("torch")
tt = pytest.importorskip("tamis.torch")

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


# ---- sharing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_torch_shares_memory_both_ways(dtype):
    t = torch.zeros(2, 3, dtype=getattr(torch, dtype)).t()
    for x in (tamis.asarray(t), tamis.from_dlpack(t)):
        assert x.data_ptr() == t.data_ptr()
        assert x.shape == tuple(t.shape) and x.stride() == t.stride()
        assert x.dtype.to_torch() is t.dtype
    x[0, 1] = 1
    t[2, 0] = 1
    assert x.tolist() == t.tolist()
    back = x.torch()
    assert back.data_ptr() == t.data_ptr() and back.dtype is t.dtype
    assert back.tolist() == t.tolist()
    if dtype != "bool" or tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 2):
        assert torch.from_dlpack(x).data_ptr() == t.data_ptr()


def test_lifetimes():
    t = torch.arange(1000.0)
    x = tamis.asarray(t)
    del t
    gc.collect()
    assert x.sum().item() == 499500
    back = (x * 2).torch()
    del x
    gc.collect()
    assert back.sum().item() == 999000


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (4,), (2, 3)])
def test_all_shapes_go_there_and_back(shape):
    t = torch.ones(shape)
    assert tamis.asarray(t).shape == shape
    assert tamis.add(t, 1).shape == t.shape
    assert tamis.asarray(t).torch().shape == t.shape


def test_torch_with_numpy_is_torch():
    t, a = torch.tensor([1.0, 2.0, 3.0]), np.array([True, False, True])
    for result in (tamis.masked_select(t, a), tamis.masked_select(t.numpy(), torch.tensor(a)), tamis.add(a, t)):
        assert isinstance(result, torch.Tensor)
    assert tamis.masked_select(t, a).tolist() == [1.0, 3.0]
    assert isinstance(tamis.masked_select(tamis.asarray(t), a), tamis.Tensor)
    assert isinstance(tamis.masked_select(t, tamis.tensor(a)), tamis.Tensor)
    values, index = tamis.sort(t), tamis.where(torch.tensor(a), t, t.numpy())
    assert isinstance(values[0], torch.Tensor) and isinstance(index, torch.Tensor)


def test_a_parameter_is_an_array_under_no_grad():
    w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    for call in (lambda: tamis.asarray(w), lambda: tamis.sum(w), lambda: tamis.tensor(w)):
        with pytest.raises(RuntimeError, match="requires grad, and gradients do not flow .* torch.no_grad"):
            call()
    with torch.no_grad():
        x = tamis.asarray(w)
        assert x.data_ptr() == w.data_ptr() and x.tolist() == [1.0, -2.0]
        assert tamis.sum(w).item() == -1.0 and tamis.masked_select(w, w > 0).tolist() == [1.0]
        assert tamis.tensor(w).tolist() == [1.0, -2.0]
        x[0] = 5
    assert w.tolist() == [5.0, -2.0]
    with torch.inference_mode():
        assert tamis.asarray(w).tolist() == [5.0, -2.0]


def test_torch_in_torch_out():
    t = torch.tensor([1.0, 2.0, 3.0])
    result = tamis.masked_select(t, t > 1)
    assert isinstance(result, torch.Tensor)
    assert result.tolist() == [2, 3]
    assert tamis.gt(t, 2).dtype is torch.bool
    values, indices = tamis.kthvalue(t, 2)
    assert isinstance(values, torch.Tensor) and indices.item() == 1


def test_out_writes_into_torch_memory():
    t, out = torch.tensor([1.0, 2.0, 3.0]), torch.zeros(2)
    assert tamis.masked_select(t, t > 1, out=out) is out
    assert out.tolist() == [2, 3]


def test_gradients_are_not_dropped_in_silence():
    t = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="requires grad"):
        tamis.sum(t)
    assert tamis.sum(t.detach()).item() == 2


def test_views_with_the_negative_bit_are_resolved():
    imaginary = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert imaginary.is_neg()
    assert tamis.asarray(imaginary).tolist() == [-2, 4]


def test_dtypes_that_tamis_lacks():
    with pytest.raises(TypeError, match="complex32"):
        tamis.asarray(torch.ones(2, dtype=torch.complex32))


# ---- gradients -------------------------------------------------------------------------------------------------

torch.manual_seed(0)
X = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
Y = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
ROW = torch.randn(4, dtype=torch.double, requires_grad=True)
COLUMN = torch.randn(3, 1, dtype=torch.double, requires_grad=True)
NUMBER = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
MASK = torch.rand(3, 4) > 0.4
ROWS = torch.tensor([True, False, True])
NONE, ALL = torch.zeros(3, 4, dtype=torch.bool), torch.ones(3, 4, dtype=torch.bool)

CASES = {
    "masked_select": (lambda f, x: f.masked_select(x, MASK), (X,)),
    "masked_select broadcast input": (lambda f, x: f.masked_select(x, MASK), (ROW,)),
    "masked_select broadcast mask": (lambda f, x: f.masked_select(x, MASK[0]), (X,)),
    "masked_select none": (lambda f, x: f.masked_select(x, NONE), (X,)),
    "select elements": (lambda f, x: f.select(x, MASK), (X,)),
    "select rows": (lambda f, x: f.select(x, ROWS), (X,)),
    "masked_fill number": (lambda f, x: f.masked_fill(x, MASK, 3), (X,)),
    "masked_fill tensor": (lambda f, x, v: f.masked_fill(x, MASK, v), (X, NUMBER)),
    "masked_fill broadcast": (lambda f, x: f.masked_fill(x, MASK, 3), (ROW,)),
    "masked_scatter": (lambda f, x, s: f.masked_scatter(x, MASK, s), (X, Y)),
    "where": (lambda f, a, b: f.where(MASK, a, b), (X, Y)),
    "where broadcast": (lambda f, a, b: f.where(MASK, a, b), (COLUMN, ROW)),
    "where number": (lambda f, a: f.where(MASK, a, 1.5), (X,)),
    "masked_sum": (lambda f, x: f.masked_sum(x, MASK), (X,)),
    "masked_sum dim": (lambda f, x: f.masked_sum(x, MASK, 1), (X,)),
    "masked_sum dims keepdim": (lambda f, x: f.masked_sum(x, MASK, (0, -1), True), (X,)),
    "masked_sum broadcast": (lambda f, x: f.masked_sum(x, MASK, 0), (ROW,)),
    "masked_mean": (lambda f, x: f.masked_mean(x, ALL, 0), (X,)),
    "masked_mean whole": (lambda f, x: f.masked_mean(x, MASK), (X,)),
    "masked_mse": (lambda f, p, t: f.masked_mse(p, t, MASK), (X, Y)),
    "masked_mse broadcast": (lambda f, p, t: f.masked_mse(p, t, MASK), (X, ROW)),
}


class Reference:
    """The same functions in PyTorch alone."""

    masked_select = staticmethod(torch.masked_select)
    where = staticmethod(lambda c, a, b: torch.where(c, a, b if torch.is_tensor(b) else torch.tensor(b, dtype=a.dtype)))

    @staticmethod
    def select(x, mask):
        return x[mask]

    @staticmethod
    def masked_fill(x, mask, value):
        return torch.masked_fill(x, mask, value)

    @staticmethod
    def masked_scatter(x, mask, source):
        return torch.masked_scatter(x, mask, source)

    @staticmethod
    def masked_sum(x, mask, dim=None, keepdim=False):
        x, mask = torch.broadcast_tensors(x, mask)
        dims = tuple(range(x.dim())) if dim is None else dim
        return torch.where(mask, x, torch.zeros((), dtype=x.dtype)).sum(dims, keepdim)

    @staticmethod
    def masked_mean(x, mask, dim=None, keepdim=False):
        dims = tuple(range(mask.dim())) if dim is None else dim
        return Reference.masked_sum(x, mask, dim, keepdim) / mask.sum(dims, keepdim)

    @staticmethod
    def masked_mse(p, t, mask):
        p, t = torch.broadcast_tensors(p, t)
        return torch.nn.functional.mse_loss(p[mask], t[mask])


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_equal_pytorchs(name):
    call, inputs = CASES[name]
    ours, theirs = call(tt, *inputs), call(Reference, *inputs)
    torch.testing.assert_close(ours, theirs)
    weights = torch.randn_like(theirs)
    got = torch.autograd.grad((ours * weights).sum(), inputs, create_graph=True)
    expected = torch.autograd.grad((theirs * weights).sum(), inputs, create_graph=True)
    for g, e in zip(got, expected):
        torch.testing.assert_close(g, e)


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_right_to_second_order(name):
    call, inputs = CASES[name]
    assert gradcheck(lambda *x: call(tt, *x), inputs)
    assert gradgradcheck(lambda *x: call(tt, *x), inputs)


def test_nan_behind_a_mask_reaches_neither_loss_nor_gradient():
    prediction = torch.tensor([1.0, float("nan"), 3.0, float("inf")], requires_grad=True)
    target = torch.tensor([0.0, 1.0, float("nan"), 1.0])
    mask = torch.tensor([True, False, False, False])
    loss = tt.masked_mse(prediction, target, mask)
    loss.backward()
    assert loss.item() == 1.0
    assert prediction.grad.tolist() == [2.0, 0.0, 0.0, 0.0]
    prediction.grad = None
    tt.masked_mean(prediction, mask).backward()
    assert prediction.grad.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_an_empty_mask_has_no_gradient():
    x = torch.ones(3, requires_grad=True)
    loss = tt.masked_mse(x, torch.zeros(3), torch.zeros(3, dtype=torch.bool))
    assert np.isnan(loss.item())
    assert tt.masked_sum(x, torch.zeros(3, dtype=torch.bool)).item() == 0


def test_training_goes_on_with_our_loss():
    torch.manual_seed(0)
    x, mask = torch.randn(64, 3), torch.rand(64, 1) > 0.3
    y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
    losses = {}
    for name, loss_of in {
        "ours": lambda p: tt.masked_mse(p, y, mask),
        "theirs": lambda p: torch.nn.functional.mse_loss(p[mask], y[mask]),
    }.items():
        torch.manual_seed(1)
        model = torch.nn.Linear(3, 1)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(50):
            optimiser.zero_grad()
            loss = loss_of(model(x))
            loss.backward()
            optimiser.step()
        losses[name] = loss.item()
    assert losses["ours"] < 0.01
    assert losses["ours"] == pytest.approx(losses["theirs"], rel=1e-3)
