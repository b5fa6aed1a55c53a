"""Tensor as a Python object: creation, properties, operators, conversions, printing, copies, pickles."""

import copy
import math
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import tamis

torch = pytest.importorskip("torch")

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


# ---- creation --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        3,
        2.5,
        True,
        [],
        [[]],
        [1, 2],
        [1, 2.5],
        [True, False],
        [True, 2],
        [[1, 2], [3, 4]],
        (1, (2,))[0:1],
        [[[1.0]]],
        np.float32(2),
        np.int16(2),
        np.bool_(True),
        [np.float32(1), np.float32(2)],
        [np.float64(1)],
        np.arange(6).reshape(2, 3),
        [np.arange(3.0), np.arange(3.0)],
    ],
    ids=repr,
)
def test_tensor_infers_shape_dtype_and_values_as_pytorch(data):
    ours = tamis.tensor(data)
    arrays = isinstance(data, list) and data and isinstance(data[0], np.ndarray)
    theirs = torch.tensor(np.array(data) if arrays else data)
    assert ours.shape == tuple(theirs.shape)
    assert str(ours.dtype) == str(theirs.dtype).replace("torch", "tamis")
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensor_takes_a_dtype(dtype):
    ours = tamis.tensor([0, 1, 2], dtype=getattr(tamis, dtype))
    theirs = torch.tensor([0, 1, 2], dtype=getattr(torch, dtype))
    assert ours.tolist() == theirs.tolist()
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize(
    "data, kind",
    [([[1, 2], [3]], ValueError), ([1, [2]], ValueError), ([[1], 2], TypeError), (["a"], TypeError), ("a", TypeError),
     ([2**64], RuntimeError), (None, TypeError)],
)
def test_tensor_refuses_what_is_no_regular_list_of_numbers(data, kind):
    with pytest.raises(kind):
        tamis.tensor(data)


def test_a_list_that_contains_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError):
        tamis.tensor(loop)


def test_tensor_copies_and_asarray_shares():
    array = np.zeros(3)
    copied, shared = tamis.tensor(array), tamis.asarray(array)
    array[0] = 1
    assert copied.tolist() == [0, 0, 0]
    assert shared.tolist() == [1, 0, 0]
    assert tamis.asarray(shared) is shared
    assert tamis.asarray(array, copy=True).data_ptr() != shared.data_ptr()
    with pytest.raises(ValueError):
        tamis.asarray([1, 2], copy=False)


# ---- properties ------------------------------------------------------------------------------------------------


def test_properties_are_pytorchs():
    ours, theirs = tamis.ones(2, 3, 4).transpose(0, 2), torch.ones(2, 3, 4).transpose(0, 2)
    assert ours.shape == tuple(theirs.shape) == ours.size()
    assert ours.stride() == theirs.stride()
    assert ours.size(-1) == theirs.size(-1)
    assert ours.stride(1) == theirs.stride(1)
    assert ours.ndim == ours.dim() == theirs.dim()
    assert ours.numel() == ours.nelement() == theirs.numel()
    assert ours.element_size() == ours.itemsize == theirs.element_size()
    assert ours.nbytes == 96
    assert ours.is_contiguous() is theirs.is_contiguous() is False
    assert ours[1:].storage_offset() == theirs[1:].storage_offset()
    assert ours.is_floating_point() is True
    assert str(ours.device) == str(theirs.device) and repr(ours.device) == repr(theirs.device)
    assert ours.T.shape == (2, 3, 4)
    assert ours.mT.shape == (4, 2, 3)
    with pytest.raises(IndexError):
        ours.size(3)


def test_dtype_objects():
    assert repr(tamis.float32) == "tamis.float32"
    assert tamis.float is tamis.float32 and tamis.long is tamis.int64
    assert len({tamis.float32, tamis.ones(1).dtype, tamis.int64}) == 2
    assert tamis.float32 != tamis.float64
    assert pickle.loads(pickle.dumps(tamis.float32)) is tamis.float32
    assert copy.deepcopy(tamis.int8) is tamis.int8
    assert np.dtype(tamis.float32) == np.float32
    assert tamis.dtype(np.int16) is tamis.int16
    assert tamis.dtype(torch.bfloat16) is tamis.bfloat16
    assert tamis.float16.to_torch() is torch.float16
    assert tamis.bool.to_numpy() == np.bool_
    assert (tamis.float64.itemsize, tamis.int8.is_floating_point) == (8, False)
    with pytest.raises(TypeError):
        tamis.dtype("nonsense")


def test_deferred_work_shows_only_when_asked():
    x = tamis.ones(3) + 1
    if tamis.eager_mode():
        assert not x.is_deferred()
    else:
        assert x.is_deferred()
    assert x.settle() is x
    assert not x.is_deferred()


def test_weak_references():
    x = tamis.ones(1)
    ref = weakref.ref(x)
    assert ref() is x
    del x
    assert ref() is None


def test_hash_is_by_identity():
    x, y = tamis.ones(1), tamis.ones(1)
    assert {x: 1, y: 2}[x] == 1


# ---- operators -------------------------------------------------------------------------------------------------

BINARY = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!="]


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("other", ["y", "2", "2.5", "y[0]", "True"])
def test_operators_and_their_reflections(op, other):
    names = {"x": [[1.0, -2.0, 3.5], [4.0, 0.5, -6.0]], "y": [2.0, 3.0, 0.5]}
    ours = {k: tamis.tensor(v) for k, v in names.items()}
    theirs = {k: torch.tensor(v) for k, v in names.items()}
    for text in (f"x {op} {other}", f"{other} {op} x"):
        try:
            expected = eval(text, theirs)
        except RuntimeError:  # minus with bools
            with pytest.raises(RuntimeError):
                eval(text, ours)
            continue
        got = eval(text, ours)
        assert isinstance(got, tamis.Tensor)
        assert str(got.dtype)[6:] == str(expected.dtype)[6:]
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-6)


@pytest.mark.parametrize("op", ["&", "|", "^"])
def test_bit_operators(op):
    for a, b in [([True, False], [True, True]), ([12, 7], [10, 1])]:
        got = eval(f"x {op} y", {"x": tamis.tensor(a), "y": tamis.tensor(b)})
        expected = eval(f"x {op} y", {"x": torch.tensor(a), "y": torch.tensor(b)})
        assert got.tolist() == expected.tolist()
    assert (True & tamis.tensor([True, False])).tolist() == [True, False]


@pytest.mark.parametrize("op", ["+=", "-=", "*=", "/=", "//=", "%=", "**="])
def test_in_place_operators_keep_the_object(op):
    ours, theirs = {"x": tamis.tensor([4.0, 9.0])}, {"x": torch.tensor([4.0, 9.0])}
    before = ours["x"]
    exec(f"x {op} 2", ours)
    exec(f"x {op} 2", theirs)
    assert ours["x"] is before
    assert before.tolist() == theirs["x"].tolist()


def test_unary_operators():
    x = tamis.tensor([1, -2])
    assert (-x).tolist() == [-1, 2]
    assert (+x) is x
    assert abs(x).tolist() == [1, 2]
    assert (~x).tolist() == [-2, 1]
    assert (~(x > 0)).tolist() == [False, True]


def test_operators_with_arrays_of_others_give_tensors():
    array = np.array([1.0, 2.0])
    x = tamis.tensor([10.0, 20.0], dtype=tamis.float64)
    for result in (x + array, array + x):
        assert isinstance(result, tamis.Tensor)
        assert result.tolist() == [11.0, 22.0]
    assert isinstance(array < x, tamis.Tensor)
    assert np.add(array, x).tolist() == [11.0, 22.0]


def test_what_is_no_array_is_left_to_the_other_side():
    x = tamis.ones(2)
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    with pytest.raises(TypeError):
        x + "a"

    class Other:
        def __radd__(self, x):
            return "mine"

    assert x + Other() == "mine"


def test_numbers_are_weak_in_promotion():
    x = tamis.tensor([1], dtype=tamis.int8)
    assert (x + 1).dtype is tamis.int8
    assert (x + 1.5).dtype is tamis.float32
    assert (x + np.float64(1.5)).dtype is tamis.float32
    assert (True + x).dtype is tamis.int8


def test_conversion_to_python_numbers():
    assert float(tamis.tensor([2.5])) == 2.5
    assert int(tamis.tensor(-2.9)) == -2
    assert bool(tamis.tensor(0.0)) is False
    assert [10, 20, 30][tamis.tensor(1)] == 20
    assert f"{tamis.tensor(3.14159):.2f}" == "3.14"
    assert f"{tamis.tensor([1])}" == "tensor([1])"
    assert tamis.tensor(3).item() == 3 and isinstance(tamis.tensor(3).item(), int)
    assert tamis.tensor(True).item() is True
    assert isinstance(tamis.tensor(3.0).item(), float)
    assert math.isnan(tamis.tensor(float("nan")).item())
    assert 2 in tamis.tensor([1, 2]) and 3 not in tamis.tensor([1, 2])


def test_iteration_gives_views():
    x = tamis.zeros(2, 3)
    for i, row in enumerate(x):
        row.fill_(i + 1)
    assert x.tolist() == [[1, 1, 1], [2, 2, 2]]
    assert len(x) == 2


# ---- printing --------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    hnp.arrays(
        dtype=st.sampled_from([np.float32, np.float64, np.int64, np.int8, np.uint8, np.bool_]),
        shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    )
)
def test_repr_is_pytorchs(array):
    assert repr(tamis.tensor(array)) == repr(torch.tensor(array))


# ---- copies ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_values_shape_and_dtype(dtype, protocol):
    for x in (tamis.arange(6).to(getattr(tamis, dtype)).reshape(2, 3), tamis.zeros(0, 3, dtype=getattr(tamis, dtype))):
        for y in (x, x.t(), x[:, 1:], x.sum() if dtype != "bool" else x):
            again = pickle.loads(pickle.dumps(y, protocol))
            assert again.dtype is y.dtype and again.shape == y.shape
            assert again.tolist() == y.tolist()


def test_pickle_out_of_band_does_not_copy():
    x = tamis.arange(1000)
    buffers = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(data) < 300
    assert buffers[0].raw().nbytes == 8000
    assert tamis.equal(pickle.loads(data, buffers=buffers), x)


def test_functions_pickle_by_name():
    assert pickle.loads(pickle.dumps(tamis.masked_select)) is tamis.masked_select
    assert pickle.loads(pickle.dumps(tamis.Tensor.sum)) is tamis.Tensor.sum
    assert pickle.loads(pickle.dumps(tamis.masks.causal)) is tamis.masks.causal


def test_copy_shares_and_deepcopy_does_not():
    x = tamis.zeros(2)
    shallow, deep = copy.copy(x), copy.deepcopy([x, x])
    x.fill_(1)
    assert shallow.tolist() == [1, 1]
    assert deep[0].tolist() == [0, 0]
    assert deep[0] is deep[1]
