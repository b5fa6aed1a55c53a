"""What programs written for PyTorch lean on: devices, to(), copies that keep gradients, limits of dtypes, ranges."""

import copy
import pickle

import numpy as np
import pytest
import tamis

x = tamis.tensor([[1.5, -2.0], [0.0, 4.0]])


# ---- devices and to() ----------------------------------------------------------------------------------------------


def test_masks_from_lengths_on_the_device_of_the_lengths():
    lengths = tamis.tensor([2, 0, 3])
    mask = tamis.arange(3, device=lengths.device)[None, :] < lengths[:, None]
    assert mask.tolist() == [[True, True, False], [False] * 3, [True] * 3]


@pytest.mark.parametrize("make", [
    lambda **k: tamis.zeros(2, **k), lambda **k: tamis.full((2,), 1.5, **k), lambda **k: tamis.arange(2, **k),
    lambda **k: tamis.tensor([1], **k), lambda **k: tamis.as_tensor([1], **k), lambda **k: tamis.randint(3, (2,), **k),
    lambda **k: tamis.zeros_like(x, **k), lambda **k: x.new_ones(2, **k), lambda **k: tamis.asarray([1], **k),
])
def test_creation_takes_the_one_device(make):
    assert make(device="cpu").shape == make().shape == make(device=None).shape
    with pytest.raises(RuntimeError, match="Expected one of cpu, webgpu device type at start of device string: cuda"):
        make(device="cuda")


def test_to_takes_dtypes_devices_and_tensors():
    assert x.to("cpu") is x and x.to(x.device) is x and x.to(x) is x and x.cpu() is x
    assert x.to(tamis.float32) is x and x.to(tamis.float32, copy=True) is not x
    assert x.to("cpu", tamis.float32, False) is x and x.to(tamis.float32, False, True) is not x
    for y in (x.to(tamis.int64), x.to("cpu", tamis.int64), x.to(dtype=tamis.int64), x.to(tamis.tensor(1)),
              x.to(np.int64), x.to(device="cpu", dtype=tamis.int64, non_blocking=True)):
        assert y.dtype == tamis.int64 and y.tolist() == [[1, -2], [0, 4]]
    with pytest.raises(RuntimeError, match="Expected one of cpu, webgpu device type at start of device string: cuda"):
        x.to("cuda:0")
    with pytest.raises(TypeError, match="expected a dtype, a device or a Tensor, not float"):
        x.to(1.5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'typ'"):
        x.to(typ=tamis.int64)


def test_to_carries_gradients():
    w = tamis.tensor([1.0, 2.0]).requires_grad_()
    (w.to(tamis.float64) * 3).sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


# ---- copies --------------------------------------------------------------------------------------------------------


def test_deepcopy_of_a_parameter_is_a_parameter():
    w = tamis.tensor([1.0, 2.0]).requires_grad_()
    (w * w).sum().backward()
    twin = copy.deepcopy(w)
    assert twin.requires_grad and twin.is_leaf and twin.grad.tolist() == [2.0, 4.0]
    (twin * 3).sum().backward()
    assert twin.grad.tolist() == [5.0, 7.0] and w.grad.tolist() == [2.0, 4.0]
    with tamis.no_grad():
        twin.zero_()
    assert w.tolist() == [1.0, 2.0]


def test_deepcopy_refuses_what_was_computed():
    w = tamis.tensor([1.0]).requires_grad_()
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(w * 2)
    assert copy.deepcopy((w * 2).detach()).tolist() == [2.0]


def test_copy_shares_memory_and_keeps_requires_grad():
    w = tamis.tensor([1.0]).requires_grad_()
    other = copy.copy(w)
    assert other.requires_grad and other.data_ptr() == w.data_ptr()


@pytest.mark.parametrize("protocol", [2, 5])
def test_pickle_keeps_requires_grad(protocol):
    w = tamis.tensor([[1.0, 2.0]]).requires_grad_()
    back = pickle.loads(pickle.dumps(w, protocol))
    assert back.requires_grad and back.is_leaf and back.tolist() == [[1.0, 2.0]]
    assert not pickle.loads(pickle.dumps(w.detach(), protocol)).requires_grad


def test_pickles_of_earlier_versions_are_read():
    assert tamis._rebuild(b"\1\0\0\0", tamis.int32, (1,)).tolist() == [1]


# ---- limits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_finfo_is_numpys(name):
    ours, theirs = tamis.finfo(getattr(tamis, name)), np.finfo(name)
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(ours, field) == getattr(theirs, field)


def test_finfo_of_others():
    assert tamis.finfo().max == tamis.finfo(tamis.complex64).max == float(np.finfo("float32").max)
    assert tamis.finfo(tamis.bfloat16).eps == 2.0**-7 and tamis.finfo(tamis.bfloat16).max == float.fromhex("0x1.FEp127")
    assert tamis.finfo(x).dtype == tamis.float32
    with pytest.raises(TypeError, match="use iinfo"):
        tamis.finfo(tamis.int64)


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_iinfo_is_numpys(name):
    ours, theirs = tamis.iinfo(getattr(tamis, name)), np.iinfo(name)
    assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)


def test_iinfo_refuses_others():
    for dtype in (tamis.float32, tamis.bool, tamis.complex64):
        with pytest.raises(TypeError, match="use finfo"):
            tamis.iinfo(dtype)


def test_constants():
    assert tamis.inf == float("inf") and tamis.nan != tamis.nan and tamis.newaxis is None
    assert tamis.numel(x) == 4 and tamis.is_floating_point(x) and not tamis.is_floating_point(x > 0)


# ---- indices and truth ---------------------------------------------------------------------------------------------


def test_a_range_is_a_list_of_indices():
    y = tamis.arange(12).reshape(3, 4)
    assert y[range(0, 3, 2)].tolist() == y[[0, 2]].tolist()
    assert y[:, range(2)].tolist() == y[:, [0, 1]].tolist()
    assert y[range(0)].shape == (0, 4)
    y[range(2), range(1, 3)] = -1
    assert y[0, 1] == -1 and y[1, 2] == -1


def test_truth_of_a_mask_says_what_to_write():
    with pytest.raises(RuntimeError, match=r"ambiguous; combine masks with & \| ~ and parentheses"):
        x[x > 0 and x < 2]


# ---- looking at values between forward and backward ----------------------------------------------------------------


@pytest.mark.parametrize("look", [
    lambda x: x.detach().numpy(), lambda x: np.asarray(x.detach()), lambda x: memoryview(x.detach()),
    lambda x: x.detach().__dlpack__(), lambda x: x.detach().__array_interface__, lambda x: x.detach().tolist(),
])
def test_looking_at_what_was_saved_leaves_the_graph_alone(look):
    w = tamis.tensor([1.0, 2.0, 3.0]).requires_grad_()
    y = w * 2
    loss = (y * y).sum() + y.prod()
    look(y)
    look(w)
    loss.backward()
    assert w.grad.tolist() == [8 + 48, 16 + 24, 24 + 16]


def test_writing_to_what_was_saved_is_still_noticed():
    w = tamis.tensor([1.0, 2.0]).requires_grad_()
    y = w * 2
    loss = (y * y).sum()
    y.detach().numpy()
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_an_arange_that_numpy_has_changed_counts_as_it_stands():
    counts = tamis.arange(4)
    before = counts < tamis.tensor([[2]])
    counts.numpy()[0] = 9
    assert before.tolist() == [[True, True, False, False]]
    assert (counts < tamis.tensor([[2]])).tolist() == [[False, True, False, False]]


# ---- rows that are filled one by one -------------------------------------------------------------------------------


def set_row(x, w): x[0] = w
def add_to_row(x, w): x[0] += w
def multiply_column(x, w): x[..., 0] *= w
def add_to_a_named_row(x, w): row = x[0]; row += w
def add_to_what_a_mask_keeps(x, w): x[x > 0] += w
def add_to_all(x, w): x[...] += w
def add_through_a_transposed(x, w): x.T[0].add_(w)
def add_through_slices(x, w): x[1:, :1][0] += w


@pytest.mark.parametrize("change", [set_row, add_to_row, multiply_column, add_to_a_named_row,
                                    add_to_what_a_mask_keeps, add_to_all, add_through_a_transposed, add_through_slices])
def test_a_tensor_filled_in_place_carries_the_gradients_of_what_it_was_filled_with(change):
    torch = pytest.importorskip("torch")
    grads = []
    for lib in (tamis, torch):
        w = lib.tensor(2.0).requires_grad_()
        x = lib.ones(2, 3)
        change(x, w)
        assert x.requires_grad
        (x * lib.arange(6).reshape(2, 3)).sum().backward()
        grads.append(w.grad.item())
    assert grads[0] == grads[1] != 0
