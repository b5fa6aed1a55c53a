"""uint16 against NumPy, which has it and which torch 1.13 has not: arithmetic, comparisons, reductions, selection."""

import operator
import pickle

import numpy as np
import pytest
import tamis
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)
ELEMENTS = st.one_of(st.sampled_from([0, 1, 255, 256, 32767, 32768, 65535]), st.integers(0, 65535))
OTHERS = ["bool", "uint8", "uint16", "int8", "int16", "int32", "int64", "float32", "float64"]


def check(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.numpy(), theirs)


def layouts(a):
    """The same elements: as they are, transposed, every other one, and behind an offset."""
    yield a, tamis.tensor(a)
    yield a.T, tamis.tensor(a).permute(*reversed(range(a.ndim)))
    yield a[::2], tamis.tensor(a)[::2]
    yield a[1:], tamis.tensor(a)[1:]


@settings(max_examples=60, deadline=None)
@given(hnp.arrays("uint16", SHAPES, elements=ELEMENTS), st.sampled_from(OTHERS), st.data())
def test_arithmetic_and_comparisons(a, other, data):
    b = data.draw(hnp.arrays(other, a.shape))
    if b.dtype.kind == "f":
        b = np.nan_to_num(b, posinf=3, neginf=-3)
    if other == "bool":
        b = b.view(np.uint8).astype(bool)
    for (x, ours), (y, ours_too) in zip(layouts(a), layouts(b)):
        for op in (operator.add, operator.sub, operator.mul, operator.lt, operator.le, operator.eq, operator.gt):
            if op is operator.sub and other == "bool":
                continue  # refused, as by torch
            with np.errstate(all="ignore"):
                check(op(ours, ours_too), op(x, y))


@settings(max_examples=60, deadline=None)
@given(hnp.arrays("uint16", SHAPES, elements=ELEMENTS))
def test_reductions_and_selection(a):
    for x, ours in layouts(a):
        check(ours.sum(), np.asarray(x.sum(dtype="int64")))
        check(ours.sum(-1), x.sum(-1, dtype="int64"))
        check(ours.sum(0), x.sum(0, dtype="int64"))
        check(ours.cumsum(0), np.cumsum(x, 0, dtype="int64"))
        check(ours[ours > 300], x[x > 300])
        check(tamis.where(ours > 300, ours, tamis.zeros_like(ours)), np.where(x > 300, x, np.zeros_like(x)))
        if x.size:
            check(ours.amax(), np.asarray(x.max()))
            check(ours.amin(), np.asarray(x.min()))
            assert ours.flatten().argmax().item() == x.argmax()
            check(ours.flatten().sort()[0], np.sort(x, None))
            check(tamis.unique(ours), np.unique(x))
            check(tamis.isin(ours, [0, 65535, -1, 70000]), np.isin(x, [0, 65535]))


@pytest.mark.parametrize("dtype", OTHERS)
def test_casts(dtype):
    a = np.array([0, 1, 255, 256, 32767, 32768, 65535], "uint16")
    check(tamis.tensor(a).to(dtype), a.astype(dtype))
    b = np.array([0, 1, 100], dtype)
    check(tamis.tensor(b).to(tamis.uint16), b.astype("uint16"))


def test_numbers_that_do_not_fit_are_refused():
    for number in (65536, 1e6, float("inf")):
        with pytest.raises(RuntimeError, match="uint16_t without overflow"):
            tamis.full((2,), number, dtype=tamis.uint16)


def test_every_way_in_and_out(tmp_path):
    a = np.array([[0, 1, 255], [256, 32768, 65535]], "uint16")
    x = tamis.tensor(a)
    check(x, a)
    assert memoryview(x).format == "H" and np.asarray(memoryview(x)).dtype == "uint16"
    check(tamis.asarray(memoryview(a)), a)
    np.testing.assert_array_equal(np.from_dlpack(x), a)
    check(tamis.from_dlpack(a), a)
    check(pickle.loads(pickle.dumps(x)), a)
    for name in ("x.npy", "x.safetensors"):
        tamis.save(tmp_path / name, x)
        loaded = tamis.load(tmp_path / name)
        check(loaded if name.endswith("npy") else next(iter(loaded.values())), a)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), a)
    assert tamis.uint16.kind == "u" and tamis.uint16.itemsize == 2 and not tamis.uint16.is_signed
    assert repr(x[0]) == "tensor([  0,   1, 255], dtype=torch.uint16)"


def test_arrow_shares_it():
    pa = pytest.importorskip("pyarrow")
    a = np.array([0, 32768, 65535], "uint16")
    check(tamis.from_arrow(pa.array(a)), a)
    assert pa.array(tamis.tensor(a)).type == pa.uint16()
