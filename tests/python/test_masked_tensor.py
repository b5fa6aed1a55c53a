"""MaskedTensor against numpy.ma, whose masks mean the opposite; and columns of others."""

import importlib
import operator
import os

import numpy as np
import pytest

import tamis
from tamis.masked import MaskedTensor

RNG = np.random.RandomState(5)
SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 4), (0,), (2, 0)]
DTYPES = ["float32", "float64", "int32", "int64", "uint8"]


def peer(name):
    try:
        return importlib.import_module(name)
    except ImportError as e:
        if os.environ.get("TAMIS_REQUIRE_PEERS") == "1":
            pytest.fail(f"{name} is not installed, and TAMIS_REQUIRE_PEERS=1: {e}")
        pytest.skip(f"{name} is not installed: its columns are not tested")


def sample(shape, dtype="float64", share=0.4):
    """The same as a masked array; what is masked out of floating point is NaN."""
    data, missing = np.asarray(RNG.randint(1, 9, shape)).astype(dtype), np.asarray(RNG.rand(*shape) < share)
    if np.dtype(dtype).kind == "f":
        data = np.where(missing, np.nan, data).astype(dtype)
    return np.ma.MaskedArray(data, mask=missing)


def expect(got, want):
    """The same elements are kept, and they are equal."""
    want = np.ma.asarray(want)
    assert isinstance(got, MaskedTensor)
    assert got.shape == want.shape
    np.testing.assert_array_equal(got.mask.numpy(), ~np.ma.getmaskarray(want))
    np.testing.assert_allclose(got.compressed().numpy(), want.compressed(), rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_numpy_ma_there_and_back(shape, dtype):
    a = sample(shape, dtype)
    x = MaskedTensor.from_numpy_ma(a)
    expect(x, a)
    back = x.numpy()
    assert isinstance(back, np.ma.MaskedArray) and back.dtype == a.dtype
    np.testing.assert_array_equal(np.ma.getmaskarray(back), np.ma.getmaskarray(a))
    assert x.tolist() == a.tolist()
    if a.size > 0:
        assert np.shares_memory(back.data, a.data)
    np.testing.assert_array_equal(x.filled(0).numpy(), a.filled(0))
    expect(MaskedTensor.from_numpy_ma(np.ma.MaskedArray([1, 2])), np.ma.MaskedArray([1, 2]))


OPERATORS = ["add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge"]


@pytest.mark.parametrize("name", OPERATORS + ["truediv"])
@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (4,)), ((), (2,))])
def test_operators_keep_what_both_keep(name, shapes):
    f = getattr(operator, name)
    a, b = sample(shapes[0]), sample(shapes[1])
    x, y = MaskedTensor.from_numpy_ma(a), MaskedTensor.from_numpy_ma(b)
    with np.errstate(all="ignore"):
        expect(f(x, y), f(a, b))
        expect(f(x, 3), f(a, 3))
        expect(f(3, x), f(3, a))
        plain = np.arange(1.0, 13).reshape(3, 4)
        if shapes[0] == (3, 4):
            for other in (plain, tamis.tensor(plain)):
                expect(f(x, other), f(a, plain))
                expect(f(other, x), f(plain, a))


@pytest.mark.parametrize("name", ["and", "or", "xor", "floordiv", "mod", "pow"])
def test_operators_of_integers(name):
    f = getattr(operator, f"__{name}__")
    a, b = sample((3, 4), "int64"), sample((4,), "int64")
    x, y = MaskedTensor.from_numpy_ma(a), MaskedTensor.from_numpy_ma(b)
    expect(f(x, y), f(a, b))
    expect(f(x, 2), f(a, 2))
    expect(f(2, x), f(2, a))


def test_unary():
    a = sample((3, 4), "int64")
    x = MaskedTensor.from_numpy_ma(a)
    for f in (operator.neg, operator.pos, abs, operator.invert):
        expect(f(x), f(a))
    expect(x.map(tamis.sqrt), np.ma.sqrt(a))
    expect(x.map(tamis.maximum, MaskedTensor.from_numpy_ma(a.T.reshape(3, 4))), np.ma.maximum(a, a.T.reshape(3, 4)))


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("shape,dims", [((7,), [None, 0]), ((3, 4), [None, 0, 1, -1]), ((2, 3, 4), [None, 1, (0, 2)])])
def test_reductions(shape, dims, keepdim):
    for share in (0.0, 0.5, 0.8, 1.0):
        a = sample(shape, share=share)
        x = MaskedTensor.from_numpy_ma(a)
        for dim in dims:
            options = {"axis": dim, "keepdims": keepdim}
            with np.errstate(all="ignore"):
                for ours, theirs in [("sum", a.sum), ("prod", a.prod), ("mean", a.mean), ("amin", a.min),
                                     ("amax", a.max)]:  # fmt: skip
                    expect(getattr(x, ours)(dim, keepdim=keepdim), theirs(**options))
                for correction in (0, 1):
                    expect(x.var(dim, correction=correction, keepdim=keepdim), a.var(ddof=correction, **options))
                    expect(x.std(dim, correction=correction, keepdim=keepdim), a.std(ddof=correction, **options))
                expect((x > 4).any(dim, keepdim=keepdim), (a > 4).any(**options))
                expect((x > 4).all(dim, keepdim=keepdim), (a > 4).all(**options))
            np.testing.assert_array_equal(x.count(dim, keepdim=keepdim).numpy(), a.count(**options))


def test_positions_of_extremes():
    a = sample((5, 6), share=0.6)
    a[2] = np.ma.masked
    x = MaskedTensor.from_numpy_ma(a)
    some = ~np.ma.getmaskarray(a).all(1)
    for ours, theirs in ((x.argmin, a.argmin), (x.argmax, a.argmax)):
        found = ours(1)
        np.testing.assert_array_equal(found.mask.numpy(), some)
        np.testing.assert_array_equal(found.compressed().numpy(), theirs(1)[some])
        assert ours().item() == theirs()


def test_the_median_is_the_lower_one_of_two():
    x = MaskedTensor([[1, 9, 5, 7], [3, 4, 0, 0], [0, 0, 0, 0]],
                     [[True] * 4, [True, True, False, False], [False] * 4])  # fmt: skip
    assert x.median(1).tolist() == [5, 3, None]
    assert x.median().item() == 4 and x.median(keepdim=True).shape == (1, 1)
    odd = sample((4, 5), share=0.0)
    expect(MaskedTensor.from_numpy_ma(odd).median(1), np.ma.median(odd, 1))


def test_indexing():
    a = sample((4, 5))
    x = MaskedTensor.from_numpy_ma(a)
    for index in (1, -1, slice(1, 3), (slice(None), 2), (1, 2), ..., None, [0, 2], (slice(None), [1, 1])):
        expect(x[index], a[index])
    expect(x[tamis.tensor([True, False, True, True])], a[[True, False, True, True]])
    assert len(x) == 4 and [row.shape for row in x] == [(5,)] * 4
    expect(x.T, a.T)
    expect(x.reshape(2, 10), a.reshape(2, 10))
    expect(x.transpose(0, 1), a.T)


def test_writing():
    a = sample((4, 5), "int64")
    x = MaskedTensor.from_numpy_ma(a).clone()
    a = a.copy()
    x[0] = 7
    a[0] = 7
    x[1, 2] = None
    a[1, 2] = np.ma.masked
    x[2] = MaskedTensor([1, 2, 3, 4, 5], [True, False, True, False, True])
    a[2] = np.ma.MaskedArray([1, 2, 3, 4, 5], mask=[False, True, False, True, False])
    expect(x, a)


def test_printing():
    assert repr(MaskedTensor([1.0, 2.0, 3.0], [True, False, True])) == "masked_tensor([1., --, 3.])"
    assert str(MaskedTensor([[1, 2]], [False, True])) == "masked_tensor([[--,  2]])"


def test_nothing_leaks_into_gradients():
    data = tamis.tensor([4.0, 0.0, float("nan"), 9.0], requires_grad=True)
    x = MaskedTensor(data, [True, False, False, True])
    (x.map(tamis.sqrt) / x).sum().data.backward()
    np.testing.assert_allclose(data.grad.numpy(), [-1 / 16, 0, 0, -1 / 54], rtol=1e-6)
    data.grad = None
    MaskedTensor.from_nan(data).var().data.backward()  # of 4, 0, 9: 2 (x - mean) / 2
    np.testing.assert_allclose(data.grad.numpy(), np.array([4, 0, 13 / 3, 9]) - [13 / 3, 13 / 3, 13 / 3, 13 / 3], rtol=1e-5)


def test_one_element():
    x = MaskedTensor([1, 2], [True, False])
    assert x[0].item() == 1 and bool(x[0] == 1)
    with pytest.raises(ValueError, match="masked out"):
        x[1].item()


def test_what_is_refused():
    with pytest.raises(TypeError, match="bool mask"):
        MaskedTensor([1, 2], [1, 0])
    with pytest.raises(RuntimeError):
        MaskedTensor([1, 2], [True, False, True])
    with pytest.raises(TypeError):
        hash(MaskedTensor([1]))


def test_arrow_nulls():
    pa = peer("pyarrow")
    x = MaskedTensor.from_arrow(pa.array([1, None, 3]))
    assert x.tolist() == [1, None, 3] and x.sum().item() == 4
    assert (x * 2).arrow().to_pylist() == [2, None, 6]


def test_pandas_nullable_columns():
    pd = peer("pandas")
    for dtype, values in [("Int64", [1, None, 3]), ("UInt8", [1, 2, None]), ("Float32", [1.5, None, 2.0]),
                          ("boolean", [True, None, False])]:  # fmt: skip
        column = pd.Series(values, dtype=dtype)
        for given in (column, column.array):
            x = MaskedTensor.from_pandas(given)
            assert x.tolist() == values and str(x.dtype).split(".")[-1] == {"boolean": "bool"}.get(dtype, dtype.lower())
        back = MaskedTensor.from_pandas(column).pandas()
        assert back.dtype == column.dtype and back.equals(column)
    assert MaskedTensor.from_pandas(pd.Series([1.0, float("nan")])).tolist() == [1.0, None]
    assert MaskedTensor.from_pandas(pd.Series([1, 2])).tolist() == [1, 2]
    with pytest.raises(TypeError, match="expected numbers"):
        MaskedTensor.from_pandas(pd.Series(["a", "b"]))


@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors")
def test_torch():
    torch = peer("torch")
    x = MaskedTensor([1.0, 2.0], [True, False])
    if hasattr(torch.masked, "masked_tensor"):
        back = MaskedTensor.from_torch(x.torch())
        assert back.tolist() == [1.0, None]
    else:
        with pytest.raises(RuntimeError, match="has no MaskedTensor"):
            x.torch()


def test_a_condition_that_is_masked_out_selects_nothing():
    x = MaskedTensor([5, 9, 1, 7], [True, False, True, True])
    assert x[x > 3].tolist() == [5, 7]
    x[x > 3] = 0
    assert x.tolist() == [0, None, 1, 0] and x.data.tolist() == [0, 9, 1, 0]
    rows = MaskedTensor([[1, 2], [3, 4]], [[True, False], [True, True]])
    assert rows[rows[:, 0] > 2, 1].tolist() == [4]
    with pytest.raises(TypeError, match="expected a bool mask as a masked index, but got tamis.int64"):
        x[MaskedTensor([0, 1])]


def test_quantiles_and_scans_skip_what_is_masked_out():
    a = np.ma.masked_invalid([[4.0, np.nan, 1.0, 2.0], [np.nan] * 4, [np.nan, 3.0, 9.0, np.nan]])
    x = MaskedTensor.from_numpy_ma(a)
    expect(x.quantile(0.5, 1), np.ma.median(a, axis=1))
    expect(x.quantile(0.5), np.ma.median(a))
    both = x.quantile([0.0, 1.0], 1, keepdim=True)
    assert both.tolist() == [[[1], [None], [3]], [[4], [None], [9]]]
    expect(x.cumsum(1), a.cumsum(axis=1))
    expect(x.cumprod(0), a.cumprod(axis=0))


def test_numpys_names_of_arguments():
    a = sample((3, 4))
    x = MaskedTensor.from_numpy_ma(a)
    for name in ("sum", "mean", "prod", "any", "all"):
        expect(getattr(x, name)(axis=1, keepdims=True), getattr(a, name)(axis=1, keepdims=True))
    expect(x.std(axis=0, ddof=0), a.std(axis=0))
    assert x.count(axis=0).tolist() == a.count(axis=0).tolist()
    expect(x.cumsum(axis=1), a.cumsum(axis=1))
    with pytest.raises(TypeError, match=r"sum\(\): axis and dim are the same argument"):
        x.sum(dim=0, axis=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'correction'"):
        x.sum(ddof=1)


# ---- NumPy's functions -----------------------------------------------------------------------------------------------

NUMPY = """
np.mean(a); np.mean(a, axis=0); np.sum(a, axis=1, keepdims=True); np.std(a, ddof=1); np.max(a, axis=1);
np.ptp(a, axis=0); np.median(a, axis=1); np.average(a, axis=0, weights=b); np.sort(a, axis=1); np.cumsum(a, axis=0);
np.any(a > 3, axis=1); np.concatenate([a, b]); np.vstack([a, b]); np.where(a > 3, a, b); np.where(m, a, 0);
np.clip(a, 2, 4); np.transpose(a); np.reshape(a, (4, 3)); np.ravel(a); np.round(a / 3, 1); np.sqrt(a); np.log(a - 4);
np.exp(a); np.isnan(a); np.square(a); np.add(a, b); np.add(a, 1); np.subtract(1, a); np.greater(a, 3);
np.maximum(a, b); np.hypot(a, b); np.multiply(m, a); np.add.reduce(a, axis=1); np.multiply.accumulate(a, axis=1);
np.add.outer(a[0], b[0]); np.expand_dims(a, 0); np.squeeze(a[:1]); np.swapaxes(a, 0, 1); np.repeat(a, 2, axis=0);
np.diag(a[:, :3]); np.compress(m[0], a, axis=1)
"""


@pytest.mark.parametrize("expression", [" ".join(e.split()) for e in NUMPY.split(";")])
def test_numpys_functions_are_those_of_numpy_ma(expression):
    a, b = sample((3, 4)), sample((3, 4))
    m = np.arange(12).reshape(3, 4) % 3 > 0
    there = expression
    for name in ("average", "median", "concatenate", "vstack", "where", "log", "compress", "multiply.accumulate",
                 "repeat", "add.reduce", "add.outer", "diag", "sort", "hypot"):
        there = there.replace(f"np.{name}(", f"np.ma.{name}(")
    want = eval(there, {"np": np, "a": a, "b": b, "m": m})
    values = {"np": np, "a": MaskedTensor.from_numpy_ma(a), "b": MaskedTensor.from_numpy_ma(b)}
    for mask in (m, tamis.tensor(m)):
        expect(eval(expression, {**values, "m": mask}), want)


def test_numpys_functions_do_not_lose_masks():
    x = MaskedTensor(tamis.tensor([1.0, 2.0]).requires_grad_(), [True, False])
    for make in (np.asarray, np.array, lambda x: np.array([x, x]), lambda x: np.sum(np.ones(2), where=x > 1)):
        with pytest.raises(TypeError, match=r"mask of a MaskedTensor would be lost in an array; write x\.numpy\(\)"):
            make(x)
    with pytest.raises(TypeError, match=r"numpy\.bincount: numpy\.ma has no such function.*x\.filled\(value\)"):
        np.bincount(MaskedTensor([1, 2]))
    with pytest.raises(TypeError, match=r"numpy\.linalg\.det: numpy\.ma has no such function"):
        np.linalg.det(MaskedTensor([[1.0]]))
    with pytest.raises(TypeError, match=r"numpy\.add: numpy\.ma has no such function"):
        np.add.at(x, [0], 1)
    with pytest.raises(TypeError, match=r"out=, which has no mask; write x\[\.\.\.\] = result"):
        np.add(x, 1, out=np.zeros(2))
    array = np.zeros(2)
    with pytest.raises(TypeError, match="which has no mask"):
        array += x
    with pytest.raises(TypeError, match=r"read-only.*x\[index\] = value"):
        np.put(x.detach(), [0], 5)
    with pytest.raises(RuntimeError, match=r"numpy\.sort: a tensor requires grad.*x\.detach\(\)"):
        np.sort(x)
    np.add(x, np.ones(2)).sum().data.backward()
    assert x.data.grad.tolist() == [1, 0]
    with tamis.no_grad():
        assert np.sum(x).item() == 1
    assert not hasattr(x, "max")


def test_results_of_numpys_functions_are_copies():
    x = MaskedTensor([1.0, 2.0, 3.0], [True, False, True])
    seen = np.ravel(x)
    x.data.fill_(0)
    assert seen.tolist() == [1, None, 3]
    assert np.shape(x) == (3,) and np.ndim(x) == 1
