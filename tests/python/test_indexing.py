"""x[...] read and assigned, compared with PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tamis

torch = pytest.importorskip("torch")


def both(shape):
    values = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    return tamis.tensor(values), torch.tensor(values)


def check(index, shape=(3, 4, 5)):
    ours, theirs = both(shape)
    got, expected = eval(f"x[{index}]", {"x": ours, "m": tamis, "np": np}), eval(f"x[{index}]", {"x": theirs, "m": torch, "np": np})
    assert got.shape == tuple(expected.shape)
    assert got.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "index",
    [
        "0", "-1", "1:", ":2", "::2", "1:3:2", "-2:", "5:2", "None", "...", "...,0", "0,...", "0,1", "0,1,2", ":,1",
        ":,None", "None,0", "...,None", "None,...,None", ":,:,::2", "0,...,None,2", "1:,None,2", "(0,1)", "()",
        "x[0,0,1]", ":,x[0,0,1]", "np.int64(1)", "np.array(1)", "slice(None, x[0,0,2])", "100:", "-100:2",
    ],
)
def test_views(index):
    check(index)


def test_views_share_memory():
    x = tamis.zeros(3, 4)
    x[1:, ::2].fill_(1)
    x[0] += 5
    assert x.tolist() == [[5, 5, 5, 5], [1, 0, 1, 0], [1, 0, 1, 0]]


@pytest.mark.parametrize(
    "index",
    [
        "x > 30", "x[:,:,0] > 20", "x[:,0,0] > 10", "x[:,0,0] > 10, 0",
        ":, x[0] > 7", ":, x[0,:,0] > 7", ":, x[0,:,0] > 7, ::2", "0, x[0] > 7", "..., x[0,0] > 2", "None, x > 30",
        "None, ..., x[0,0] > 2, None", "x < 0", "x >= 0", "0, :, x[0,0] > 2", "True", "False", "None, True", "0, False",
        "..., True", "m.tensor(True)", "m.tensor(False), 0", "[True, False, True]", "[True, False, True], 1",
        "np.array([True, False, True])", ":, [True, False, True, True]",
    ],
)
def test_one_mask(index):
    check(index)


@pytest.mark.parametrize(
    "index",
    [
        "[0, 2]", "m.tensor([0, 2])", "m.tensor([[0], [-1]])", ":, [0, 2]", "..., [1, 1, 0]", "[0, 1], [2, 3]", "[[0], [1]], [2, 3]",
        "[0, 1], :, [2, 3]", "0, [1, 2]", "[1, 2], 0", "None, [0, 1]", "[0, 1], None", "[0, 1], None, [2, 3]", "..., None, 2:5, m.tensor([0, 1])",
        "x[:,0,0] > 10, [0, 1]", "[0, 1], [True, False, False, True]", "np.array([0, 2])", "np.array([[0, 2]]), 1",
        "[]", ":, []", "1:, [0, 2], ::2", "([[0, 1], [1, 0]],)", "m.tensor(1), [0, 2]",
    ],
)
def test_integer_tensors_and_lists(index):
    check(index)


@pytest.mark.parametrize("index", ["True", "False", "None", "...", "m.tensor(True)", "m.tensor(False)", "()"])
def test_zero_dimensional(index):
    check(index, ())


def test_indices_as_pytorch_has_them_since_2_9():
    x, theirs = both((3, 4, 5))
    assert x[tamis.tensor([1], dtype=tamis.int32)].tolist() == theirs[[1]].tolist()
    assert x[[[0, 1], [1, 0]]].tolist() == theirs[torch.tensor([[0, 1], [1, 0]])].tolist()


def test_a_numpy_mask_is_one_mask():
    """PyTorch takes an array of rank 3 for a tuple of three matrices."""
    x, _ = both((3, 4, 5))
    mask = (x > 30).numpy()
    assert x[mask].tolist() == x[x > 30].tolist()
    assert x[np.bool_(True)].shape == (1, 3, 4, 5)
    assert x[np.bool_(False)].shape == (0, 3, 4, 5)


def test_shapes_that_pytorchs_tests_pin():
    x, m = tamis.zeros(2, 2, 3), tamis.tensor([[False, True], [False, False]])
    assert x[m].shape == (1, 3)
    assert x[m, ::2].shape == (1, 2)
    assert x[m, None].shape == (1, 1, 3)
    assert x[m, 0].shape == (1,)
    y = tamis.zeros(3, 2, 2, 5)
    assert y[:, m, :].shape == (3, 1, 5)
    assert y[0, m, ::2].shape == (1, 3)
    assert y[..., m, ::2].shape == (3, 1, 3)
    assert y[None, ..., m, ::2].shape == (1, 3, 1, 3)
    # NumPy has (n, 4) here: an integer beside a mask is a view in PyTorch and Tamis.
    assert tamis.zeros(3, 4, 5)[0, :, tamis.tensor([True, True, False, False, False])].shape == (4, 2)


@pytest.mark.parametrize(
    "index, kind, text",
    [
        ("0,0,0,0", IndexError, "too many indices for tensor of dimension 3"),
        ("x > 30, 0", IndexError, "too many indices for tensor of dimension 3"),
        ("3", IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        (":, -5", IndexError, "index -5 is out of bounds for dimension 1 with size 4"),
        ("m.tensor([True, False])", IndexError, r"The shape of the mask \[2\] at index 0 does not match the shape of the indexed tensor \[3, 4, 5\] at index 0"),
        (":, m.tensor([True])", IndexError, r"The shape of the mask \[1\] at index 0 does not match"),
        ("m.ones(3)", IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
        ("1.5", IndexError, "only integers, slices"),
        ("'a'", TypeError, "new\\(\\): invalid data type 'str'"),
        ("0, [1, 'a']", (TypeError, ValueError), "."),
        ("[0, 3]", IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        ("[0, 1], [0, 1, 2]", IndexError, "shape mismatch: indexing tensors could not be broadcast together with shapes \\[2\\], \\[3\\]"),
        ("m.tensor([0], dtype=m.uint8)", RuntimeError, "write mask.bool\\(\\) or mask != 0"),
        ("::0", ValueError, "slice step cannot be zero"),
        ("0, 0, 0, ::-1", IndexError, "too many indices for tensor of dimension 3"),
    ],
)
def test_errors(index, kind, text):
    x, _ = both((3, 4, 5))
    with pytest.raises(kind, match=text):
        eval(f"x[{index}]", {"x": x, "m": tamis})


BACKWARD = ["::-1", "::-2", "3:0:-2", "0:3:-1", ":, ::-1", "..., 4:1:-2", "None, ::-1, 0", "::-1, ..., ::-3",
            "0, ::-1, 1", "[2, 0], ::-1",
            "x > 30, ::-1", "x[..., 0] > 20, ::-1", "::-1, [1, 1]", "True, ::-1"]


@pytest.mark.parametrize("index", BACKWARD)
def test_negative_steps_read_and_write(index):
    x, _ = both((3, 4, 5))
    a = x.numpy().copy()
    if index == "x > 30, ::-1":
        x, a = tamis.stack([x, x], -1), np.stack([a, a], -1)
        index = "x[..., 0] > 30, ::-1"
    expected = eval(f"a[{index}]", {"a": a, "x": a})
    got = eval(f"x[{index}]", {"x": x})
    assert got.tolist() == expected.tolist()
    exec(f"x[{index}] = v", {"x": x, "v": tamis.arange(expected.size).reshape(expected.shape)})
    exec(f"a[{index}] = v", {"a": a, "x": a.copy(), "v": np.arange(expected.size).reshape(expected.shape)})
    assert x.tolist() == a.tolist()


def test_negative_steps_carry_gradients():
    w = tamis.tensor([1.0, 2.0, 3.0]).requires_grad_()
    (w[::-1] * tamis.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert w.grad.tolist() == [100.0, 10.0, 1.0]
    y = w * 1
    y[::-2] = tamis.tensor([7.0, 8.0])
    assert y.tolist() == [8.0, 2.0, 7.0]


def test_a_second_ellipsis_stands_for_nothing():
    check("..., 0, ...")
    check("..., ...")


# ---- assignment ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index, value",
    [
        ("0", "7"), ("1:", "7"), ("...", "x + 1"), (":, 1", "x[:, 0]"), ("None", "x[None]"), ("0, ..., None", "x[1, ..., None]"),
        ("0", "x[1:2]"), ("x > 30", "0"), ("x > 30", "m.tensor(5)"), ("x > 30", "m.arange(29)"), ("x[:,:,0] > 20", "m.arange(5)"),
        ("x[:,0,0] > 10", "m.arange(40).reshape(2, 4, 5)"), ("x[:,0,0] > 10", "m.arange(20).reshape(4, 5)"),
        (":, x[0,:,0] > 7", "m.arange(30).reshape(3, 2, 5)"), (":, x[0,:,0] > 7", "m.arange(5)"),
        (":, x[0,:,0] > 7", "m.arange(10).reshape(1, 1, 2, 5)"), ("0, x[0] > 7", "3"), ("True", "x * 2"), ("False", "1"),
        ("[0, 2]", "m.arange(20).reshape(4, 5)"), (":, [3, 0]", "m.arange(5)"), ("[0, 1], [2, 3]", "m.arange(10).reshape(2, 5)"),
        ("[0, 1], :, [2, 3]", "m.arange(8).reshape(2, 4)"), ("0, [1, 2], None", "9"), ("x[:,0,0] > 10, [0, 1]", "m.arange(5)"),
        ("x < 0", "1"), ("..., x[0,0] > 2", "m.arange(2)"), ("..., x[0,0] > 2", "m.arange(8).reshape(4, 2)"),
    ],
)
def test_assignment(index, value):
    ours, theirs = both((3, 4, 5))
    exec(f"x[{index}] = {value}", {"x": ours, "m": tamis})
    exec(f"x[{index}] = {value}", {"x": theirs, "m": torch})
    assert ours.tolist() == theirs.tolist()


def test_augmented_assignment_through_a_mask():
    x = tamis.tensor([1.0, -2.0, 3.0])
    x[x < 0] *= -10
    assert x.tolist() == [1, 20, 3]


def test_adding_at_indices_that_repeat():
    x = tamis.zeros(3)
    assert x.index_put_((tamis.tensor([0, 2, 0]),), tamis.tensor([1.0, 2.0, 3.0]), accumulate=True) is x
    assert x.tolist() == [4, 0, 2]
    x[[0, 0]] += 1  # as in PyTorch and NumPy, once
    assert x.tolist() == [5, 0, 2]


def test_assignment_from_other_arrays():
    x = tamis.zeros(3)
    x[:] = np.array([1.0, 2.0, 3.0])
    x[np.array([True, False, False])] = np.float32(9)
    assert x.tolist() == [9, 2, 3]


@pytest.mark.parametrize(
    "index, value, kind, text",
    [
        ("x > 1", "m.arange(5)", RuntimeError, "shape mismatch: value tensor of shape \\[5\\] cannot be broadcast"),
        ("0", "m.arange(5)", RuntimeError, "."),
        ("0", "[1, 2]", TypeError, "can't assign a list"),
        ("0", "'a'", TypeError, "can't assign a str"),
    ],
)
def test_assignment_errors_leave_the_tensor_alone(index, value, kind, text):
    x = tamis.arange(4)
    with pytest.raises(kind, match=text):
        exec(f"x[{index}] = {value}", {"x": x, "m": tamis})
    assert x.tolist() == [0, 1, 2, 3]


def test_items_cannot_be_deleted():
    with pytest.raises(TypeError):
        del tamis.zeros(2)[0]


# ---- generated -------------------------------------------------------------------------------------------------

SHAPE = (3, 2, 4)
ITEMS = [0, -1, slice(None), slice(1, None), slice(None, None, 2), None, Ellipsis]


@st.composite
def indices(draw):
    """Items before a mask, the mask or None, items behind it; and the dimension of the result that the mask makes."""
    items = draw(st.lists(st.sampled_from(ITEMS), max_size=3))
    if items.count(Ellipsis) > 1:
        items = [i for i in items if i is not Ellipsis]
    at = draw(st.integers(0, len(items)))
    before, behind = items[:at], items[at:]
    rank = draw(st.integers(1, 2))
    if Ellipsis in before:
        dim = len(SHAPE) - rank - sum(i is not None for i in behind)
    else:
        dim = sum(i is not None for i in before)
    sizes = SHAPE[max(dim, 0) : max(dim, 0) + rank]
    consumed = sum(i not in (None, Ellipsis) for i in items) + rank
    if not draw(st.booleans()) or dim < 0 or len(sizes) < rank or consumed > len(SHAPE):
        return before, None, behind, 0
    bits = draw(st.lists(st.booleans(), min_size=int(np.prod(sizes)), max_size=int(np.prod(sizes))))
    skipped = len(SHAPE) - consumed if Ellipsis in before else 0
    dim = skipped + sum(i is None or isinstance(i, slice) for i in before)
    return before, np.array(bits).reshape(sizes), behind, dim


@settings(max_examples=500, deadline=None)
@given(indices())
def test_generated_indices(case):
    before, mask, behind, dim = case
    ours, theirs = both(SHAPE)
    if mask is None:
        index = (*before, *behind)
        try:
            expected = theirs[index]
        except IndexError:
            with pytest.raises(IndexError):
                ours[index]
            return
        index_of_view = ()
    else:
        # In two steps, since PyTorch before 2.9 has bugs with items behind a mask.
        index = (*before, tamis.tensor(mask), *behind)
        theirs_view = theirs[(*before, *[slice(None)] * mask.ndim, *behind)]
        index_of_view = (*[slice(None)] * dim, torch.tensor(mask))
        expected = theirs_view[index_of_view]
    got = ours[index]
    assert got.shape == tuple(expected.shape)
    assert got.tolist() == expected.tolist()
    ours[index] = -1
    if mask is None:
        theirs[index] = -1
    else:
        theirs_view[index_of_view] = -1
    assert ours.tolist() == theirs.tolist()
