"""uint16, uint32 and uint64 against NumPy, which has them and which torch 1.13 has not."""

import operator
import pickle

import numpy as np
import pytest
import tamis
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

DTYPES = ["uint16", "uint32", "uint64"]
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)
OTHERS = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
SPECIAL = [0, 1, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)


def bits(dtype):
    return 8 * np.dtype(dtype).itemsize


def special(dtype):
    info = np.iinfo(dtype)
    return np.array([v for n in SPECIAL for v in {n, -n} if info.min <= v <= info.max], dtype)


def arrays(dtype):
    most = 2 ** bits(dtype) - 1
    elements = st.one_of(st.sampled_from([v for v in SPECIAL if v <= most]), st.integers(0, most))
    return hnp.arrays(dtype, SHAPES, elements=elements)


ARRAYS = st.one_of(*map(arrays, DTYPES))


def check(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.numpy(), theirs)


def layouts(a):
    """The same elements: as they are, transposed, every other one, and behind an offset."""
    yield a, tamis.tensor(a)
    yield a.T, tamis.tensor(a).permute(*reversed(range(a.ndim)))
    yield a[::2], tamis.tensor(a)[::2]
    yield a[1:], tamis.tensor(a)[1:]


def promoted(a, b):
    """NumPy's rule, but floating point keeps its width beside integers, as in torch."""
    floats = [d for d in (a.dtype, b.dtype) if d.kind == "f"]
    return np.dtype(floats[0]) if floats else np.promote_types(a.dtype, b.dtype)


@settings(max_examples=80, deadline=None)
@given(ARRAYS, st.sampled_from(OTHERS), st.data())
def test_arithmetic_and_comparisons(a, other, data):
    b = data.draw(hnp.arrays(other, a.shape))
    if b.dtype.kind == "f":
        b = np.nan_to_num(b, posinf=3, neginf=-3)
    if other == "bool":
        b = b.view(np.uint8).astype(bool)
    common = promoted(a, b)
    for (x, ours), (y, ours_too) in zip(layouts(a), layouts(b)):
        for op in (operator.add, operator.sub, operator.mul):
            if op is operator.sub and other == "bool":
                continue  # refused, as by torch
            with np.errstate(all="ignore"):
                check(op(ours, ours_too), op(x.astype(common), y.astype(common)))
        # Integers are compared as the numbers that they are; NumPy before 1.25 rounds them.
        kind = object if b.dtype.kind in "ui" else common
        for op in COMPARISONS:
            check(op(ours, ours_too), op(x.astype(kind), y.astype(kind)).astype(bool))


@pytest.mark.parametrize("dtype", DTYPES)
def test_division_and_bits(dtype):
    a, b = np.meshgrid(special(dtype), special(dtype))
    x, y = tamis.tensor(a), tamis.tensor(b)
    shifts = b % np.array(bits(dtype), dtype)
    for ours, theirs in ((x & y, a & b), (x | y, a | b), (x ^ y, a ^ b), (~x, ~a), (-x, np.negative(a)),
                         (tamis.gcd(x, y), np.gcd(a, b)), (tamis.maximum(x, y), np.maximum(a, b)),
                         (tamis.minimum(x, y), np.minimum(a, b)), (x << tamis.tensor(shifts), a << shifts),
                         (x >> tamis.tensor(shifts), a >> shifts), (x**3, a**3), (x.abs(), a), (x.sign(), np.sign(a))):
        check(ours, theirs)
    a, b = a[b[:, 0] != 0], b[b[:, 0] != 0]
    check(tamis.tensor(a) // tamis.tensor(b), a // b)
    check(tamis.tensor(a) % tamis.tensor(b), a % b)
    check(tamis.tensor(a).to(tamis.float64) / tamis.tensor(b), a.astype("f8") / b)


@settings(max_examples=80, deadline=None)
@given(ARRAYS)
def test_reductions_and_selection(a):
    wide = "uint64" if a.dtype == "uint64" else "int64"
    most = 2 ** bits(a.dtype) - 1
    for x, ours in layouts(a):
        check(ours.sum(), np.asarray(x.sum(dtype=wide)))
        check(ours.sum(-1), x.sum(-1, dtype=wide))
        check(ours.sum(0), x.sum(0, dtype=wide))
        check(ours.prod(), np.asarray(x.prod(dtype=wide)))
        check(ours.cumsum(0), np.cumsum(x, 0, dtype=wide))
        check(ours[ours > 300], x[x > 300])
        check(tamis.where(ours > 300, ours, tamis.zeros_like(ours)), np.where(x > 300, x, np.zeros_like(x)))
        check(tamis.masked.sum(ours, mask=ours > 300), np.asarray(x[x > 300].sum(dtype=wide)))
        assert tamis.masked.amin(ours, mask=tamis.zeros(ours.shape, dtype=bool)).item() == most if x.size else True
        if x.size:
            check(ours.amax(), np.asarray(x.max()))
            check(ours.amin(), np.asarray(x.min()))
            assert ours.flatten().argmax().item() == x.argmax() and ours.max().item() == x.max()
            check(ours.flatten().sort()[0], np.sort(x, None))
            check(ours.flatten().sort(descending=True)[0], np.sort(x, None)[::-1])
            check(ours.flatten().kthvalue(1)[0], np.asarray(x.min()))
            check(ours.flatten().cummax(0)[0], np.maximum.accumulate(x.ravel()))
            check(tamis.unique(ours), np.unique(x))
            check(tamis.isin(ours, [0, most]), np.isin(x, np.array([0, most], a.dtype)))
            check(tamis.isin(ours, [0, -1, 7]), np.isin(x, np.array([0, 7], a.dtype)))
            check(tamis.searchsorted(tamis.unique(ours), ours), np.searchsorted(np.unique(x), x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_many_elements_near_the_end_of_the_range(dtype):
    most = 2 ** bits(dtype) - 1
    a = (most - np.random.default_rng(3).integers(0, 40, 20000)).astype(dtype) if bits(dtype) < 64 else np.array(
        [most - int(v) for v in np.random.default_rng(3).integers(0, 40, 20000)], "uint64")
    x = tamis.tensor(a)
    for ours, theirs in zip(tamis.unique(x, return_inverse=True, return_counts=True),
                            np.unique(a, return_inverse=True, return_counts=True)):
        check(ours, theirs)
    check(x.sort(stable=True)[1], np.argsort(a, kind="stable"))
    check(x.kthvalue(15000)[0], np.sort(a)[14999:15000].reshape(()))
    check(x.topk(100)[0], np.sort(a)[::-1][:100])
    assert x.max().item() == most and x.argmin().item() == a.argmin()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", OTHERS)
def test_casts(dtype, other):
    a = special(dtype)
    check(tamis.tensor(a).to(other), a.astype(other))
    b = np.array([0, 1, 100], other) if other in ("bool", "float32", "float64") else special(other)
    check(tamis.tensor(b).to(dtype), b.astype(dtype))


def test_floats_become_the_integers_that_they_are():
    below = np.nextafter(2.0**64, 0)
    a = np.array([0.9, 2.0**32, 2.0**53 + 2, 2.0**63 - 1024, 2.0**63, 2.0**63 + 2048, below])
    assert tamis.tensor(a).to(tamis.uint64).tolist() == [int(v) for v in a]
    assert tamis.tensor(a.astype("f4")[:5]).to(tamis.uint64).tolist() == [int(v) for v in a.astype("f4")[:5]]
    # Negative numbers wrap; what has no bits is the smallest int64.
    assert tamis.tensor([-1.0, -2.5]).to(tamis.uint64).tolist() == [2**64 - 1, 2**64 - 2]
    assert tamis.tensor([-1.0, -2.5, 2.0**32 + 512]).to(tamis.uint32).tolist() == [2**32 - 1, 2**32 - 2, 512]
    assert tamis.tensor([2.0**64, float("inf"), float("nan")]).to(tamis.uint64).tolist() == [2**63] * 3


def test_python_numbers_above_int64_are_exact_or_refused():
    most = 2**64 - 1
    x = tamis.tensor([0, 2**63, most], dtype=tamis.uint64)
    assert x.tolist() == [0, 2**63, most] and x[2].item() == most and int(x[2]) == most and float(x[1]) == 2.0**63
    assert (x == most).tolist() == [False, False, True] and (x >= 2**63).tolist() == [False, True, True]
    assert (x ^ most).tolist() == [most, 2**63 - 1, 0] and (x + 1).tolist() == [1, 2**63 + 1, 0]
    assert x.masked_fill(x == 0, most).tolist() == [most, 2**63, most]
    assert tamis.clamp(x, 5, 2**63).tolist() == [5, 2**63, 2**63]
    assert tamis.full((2,), most).dtype is tamis.uint64 and tamis.tensor(most).item() == most
    assert tamis.tensor([1, 2**63]).dtype is tamis.uint64 and tamis.tensor([1, 2**63]).tolist() == [1, 2**63]
    assert tamis.arange(2**63, 2**63 + 3).tolist() == [2**63, 2**63 + 1, 2**63 + 2]
    assert tamis.arange(most, most - 6, -2, dtype=tamis.uint64).tolist() == [most, most - 2, most - 4]
    assert tamis.arange(0, 5000, dtype=tamis.uint32).sum().item() == 12497500
    assert tamis.linspace(0, most, 3, dtype=tamis.uint64).tolist()[2] == most
    assert tamis.isin(x, tamis.tensor([-1, 0])).tolist() == [True, False, False]
    assert tamis.isin(tamis.tensor([-1, 0]), x).tolist() == [False, True]
    assert tamis.masks.between(x, 2**63, most).tolist() == [False, True, True]
    assert tamis.masks.between(x, tamis.tensor(-1), tamis.tensor(2**63 - 1)).tolist() == [True, False, False]
    assert (x * 1.0).dtype is tamis.float32
    for call in (lambda: tamis.tensor([-1, 2**63]), lambda: tamis.tensor(2**64), lambda: tamis.arange(3) < 2**63,
                 lambda: tamis.arange(3) + most, lambda: tamis.full((2,), most, dtype=tamis.int64),
                 lambda: tamis.arange(3)[tamis.tensor(most)], lambda: tamis.zeros(most)):
        with pytest.raises(RuntimeError):
            call()


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_do_not_fit_are_refused(dtype):
    for number in (2.0 ** bits(dtype), 1e30, float("inf"), -1.0):
        with pytest.raises(RuntimeError, match=f"{dtype}_t without overflow"):
            tamis.full((2,), number, dtype=getattr(tamis, dtype))


@pytest.mark.parametrize("dtype, code", [("uint16", "H"), ("uint32", "I"), ("uint64", "LQ")])
def test_every_way_in_and_out(tmp_path, dtype, code):
    a = np.resize(special(dtype), (2, 3))
    a[1, 2] = np.iinfo(dtype).max
    x = tamis.tensor(a)
    check(x, a)
    assert x.tolist() == a.tolist()
    assert memoryview(x).format in code and np.asarray(memoryview(x)).dtype == dtype
    check(tamis.asarray(memoryview(a)), a)
    np.testing.assert_array_equal(np.from_dlpack(x), a)
    check(tamis.from_dlpack(a), a)
    check(pickle.loads(pickle.dumps(x)), a)
    for name in ("x.npy", "x.safetensors", "x.npz"):
        tamis.save(tmp_path / name, x)
        loaded = tamis.load(tmp_path / name)
        check(loaded if name.endswith("npy") else next(iter(loaded.values())), a)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), a)
    np.save(tmp_path / "big.npy", a.astype(a.dtype.newbyteorder(">")))
    check(tamis.load(tmp_path / "big.npy"), a)
    ours = getattr(tamis, dtype)
    assert ours.kind == "u" and ours.itemsize == a.itemsize and not ours.is_signed
    assert tamis.iinfo(ours).max == 2 ** bits(dtype) - 1 and tamis.iinfo(ours).min == 0
    assert repr(x[1, 2]) == f"tensor({2 ** bits(dtype) - 1}, dtype=torch.{dtype})"


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrow_shares_it(dtype):
    pa = pytest.importorskip("pyarrow")
    a = special(dtype)
    check(tamis.from_arrow(pa.array(a)), a)
    assert pa.array(tamis.tensor(a)).type == getattr(pa, dtype)()
