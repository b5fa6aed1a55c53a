"""Memory shared with NumPy, torch, DLPack, the buffer protocol and Arrow: no copies, right lifetimes."""

import array
import ctypes
import gc
import hashlib
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import tamis

NUMPY_DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


def address(a):
    return a.__array_interface__["data"][0]


# ---- NumPy -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_numpy_shares_memory_both_ways(dtype):
    a = np.zeros((2, 3), dtype=dtype)
    for x in (tamis.from_numpy(a), tamis.asarray(a)):
        assert x.data_ptr() == address(a)
        assert x.dtype.to_numpy() == a.dtype
    x[0, 1] = 1
    a[1, 2] = 1
    assert x.tolist() == a.tolist()
    b = x.numpy()
    assert address(b) == address(a) and b.dtype == a.dtype
    b[0, 0] = 1
    assert a[0, 0] == 1
    for c in (np.asarray(x), np.array(x, copy=False), np.frombuffer(x, dtype).reshape(2, 3)):
        assert address(c) == address(a)
    assert address(np.array(x)) != address(a)


def test_arrays_with_negative_strides_are_copied_where_nothing_is_promised():
    a, mask, index = np.arange(6.0)[::-1], np.array([1, 0, 1, 0, 1, 1], bool)[::-1], np.array([0, 2, 1])[::-1]
    x = tamis.arange(6)
    for got, want in (
        (tamis.tensor(a), a), (tamis.as_tensor(a), a), (tamis.asarray(a), a), (tamis.masked_select(a, mask), a[mask]),
        (x[mask], np.arange(6)[mask]), (x[index], np.arange(6)[index]), (tamis.add(a, 1), a + 1), (x + a, np.arange(6) + a),
        (tamis.cat([a, a]), np.concatenate([a, a])), (tamis.where(mask, a, 0.0), np.where(mask, a, 0)),
        (tamis.sum(a.reshape(2, 3)[:, ::-1], 0), a.reshape(2, 3)[:, ::-1].sum(0)), (tamis.gather(a, 0, index), a[index]),
        (tamis.zeros(6).copy_(a), a), (tamis.asarray(memoryview(a)), a), (tamis.from_dlpack(a), a),
        (tamis.tensor([a, a]), np.array([a, a])), (tamis.isin(a, a[:2]), np.isin(a, a[:2])),
    ):
        assert np.array_equal(np.asarray(got), want)
    y = tamis.zeros(6)
    y[mask] = a[mask][::-1]
    assert y[mask].tolist() == a[mask][::-1].tolist()
    for share in (lambda: tamis.from_numpy(a), lambda: tamis.asarray(a, copy=False), lambda: tamis.add(a, 1, out=a)):
        with pytest.raises(ValueError, match="at least one stride is negative; pass array.copy()"):
            share()


@settings(max_examples=100, deadline=None)
@given(
    hnp.arrays(
        dtype=st.sampled_from(NUMPY_DTYPES),
        shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    ),
    st.data(),
)
def test_any_array_goes_there_and_back(a, data):
    """Sliced, transposed and reversed as it may be."""
    for axis in range(a.ndim):
        step = data.draw(st.sampled_from([1, 2, -1]))
        a = a[(slice(None),) * axis + (slice(None, None, step),)]
    a = a.transpose(data.draw(st.permutations(range(a.ndim))))
    x = tamis.asarray(a)
    assert x.shape == a.shape
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal(tamis.tensor(a.tolist(), dtype=a.dtype).numpy().reshape(a.shape), a)
    np.testing.assert_array_equal(np.asarray(tamis.tensor(a)), a)


def test_arrays_that_cannot_be_shared_are_copied_for_reading():
    backward, swapped = np.arange(4)[::-1], np.arange(4, dtype=">i4")
    packed = np.zeros(3, dtype=[("a", "i1"), ("b", "i4")])
    packed["b"] = [1, 2, 3]
    for a in (backward, swapped, packed["b"]):
        assert tamis.asarray(a).tolist() == a.tolist()
        with pytest.raises(ValueError, match="cannot be shared"):
            tamis.from_numpy(a)
    with pytest.raises(ValueError, match="cannot be shared"):
        tamis.masked_select(np.arange(3), np.array([True, False, True]), out=np.zeros(2, dtype=">i8"))


@pytest.mark.parametrize("dtype", ["complex256", "float128", "object", "datetime64[s]", "U3"])
def test_dtypes_that_tamis_lacks_are_type_errors(dtype):
    with pytest.raises(TypeError, match="can't convert np.ndarray"):
        tamis.asarray(np.zeros(2, dtype=dtype))
    with pytest.raises(TypeError):
        tamis.sum(np.zeros(2, dtype=dtype))


def test_read_only_arrays_are_read_and_never_written():
    a = np.arange(4.0)
    a.flags.writeable = False
    x = tamis.from_numpy(a)
    assert x.data_ptr() == address(a)
    assert (x + 1).tolist() == [1, 2, 3, 4]
    assert tamis.masked_select(a, a > 1).tolist() == [2, 3]
    for write in (
        lambda: x.fill_(1),
        lambda: x.__setitem__(0, 1),
        lambda: x[1:].zero_(),
        lambda: x.view(2, 2).add_(1),
        lambda: x.masked_fill_(x > 1, 0),
        lambda: x.masked_scatter_(x > 1, x.clone()),
        lambda: x.__setitem__(x > 1, 0),
        lambda: tamis.masked_select(x.clone(), x > 5, out=x),
    ):
        with pytest.raises(RuntimeError, match="read-only"):
            write()
    assert a.tolist() == [0, 1, 2, 3]
    assert not x.numpy().flags.writeable
    assert memoryview(x).readonly
    assert x.__array_interface__["data"][1] is True
    with pytest.raises(BufferError):
        x.__dlpack__()
    assert x.clone().fill_(1).tolist() == [1, 1, 1, 1]


def test_bools_of_any_byte_are_true():
    a = np.array([0, 1, 2, 255], dtype=np.uint8).view(np.bool_)
    x = tamis.from_numpy(a)
    assert x.tolist() == [False, True, True, True]
    assert tamis.count(x) == 3


def test_writes_from_outside_are_seen_after_settle():
    a = np.array([1.0, 2.0])
    x = tamis.from_numpy(a)
    doubled = (x * 2).settle()
    a[:] = 0
    assert doubled.tolist() == [2, 4]


def test_exporting_settles_what_reads_the_memory():
    x = tamis.tensor([1.0, 2.0])
    doubled = x * 2
    a = x.numpy()
    a[:] = 0
    assert doubled.tolist() == [2, 4]


def test_bfloat16_is_no_numpy_dtype():
    x = tamis.ones(2, dtype=tamis.bfloat16)
    with pytest.raises(TypeError, match="BFloat16"):
        x.numpy()
    with pytest.raises(BufferError):
        memoryview(x)
    with pytest.raises(AttributeError):
        x.__array_interface__


def test_array_method_converts():
    x = tamis.tensor([1.5, 2.5])
    assert np.asarray(x, dtype=np.int64).tolist() == [1, 2]
    assert x.__array__(np.float64).dtype == np.float64
    assert address(x.__array__(copy=True)) != x.data_ptr()
    with pytest.raises(ValueError):
        x.__array__(np.int8, copy=False)


# ---- lifetimes -------------------------------------------------------------------------------------------------


def test_a_tensor_keeps_the_array_and_lets_it_go():
    a = np.arange(100.0)
    ref = weakref.ref(a)
    x = tamis.from_numpy(a)
    view = x[10:20]
    deferred = view + 1
    del a, x
    gc.collect()
    assert ref() is not None
    assert view.sum().item() == 145
    del view
    assert deferred.sum().item() == 155
    del deferred
    gc.collect()
    assert ref() is None


def test_an_array_keeps_the_tensor_and_lets_it_go():
    gc.collect()
    before = tamis.memory_stats()["live_bytes"]
    x = tamis.arange(100000)
    a = x.numpy()[5:]
    buffer = memoryview(x)
    del x
    gc.collect()
    assert a[0] == 5 and buffer[-1] == 99999
    assert tamis.memory_stats()["live_bytes"] >= before + 700000
    del a
    buffer.release()
    gc.collect()
    assert tamis.memory_stats()["live_bytes"] <= before + 1000


def test_references_do_not_leak():
    a, m = np.arange(10.0), np.arange(10) > 3
    x, mask = tamis.from_numpy(a), tamis.from_numpy(m)
    objects = (a, m, x, mask, tamis.masked_select, tamis.float64, None, True)
    for _ in range(10):
        tamis.masked_select(a, m)
    before = [sys.getrefcount(o) for o in objects]
    for _ in range(1000):
        tamis.masked_select(a, m)
        tamis.masked_select(x, mask)
        x[mask], x[0], x[1:], x.dtype, x.shape, x.numpy(), memoryview(x), x.__dlpack__()
        x.sum(dim=0, keepdim=True, dtype=tamis.float64)
        with pytest.raises(TypeError):
            tamis.masked_select(a, 3)
        with pytest.raises(RuntimeError):
            tamis.masked_select(x, x)
    gc.collect()
    after = [sys.getrefcount(o) for o in objects]
    assert all(abs(n - o) < 50 for o, n in zip(before, after)), list(zip(before, after))


# ---- the buffer protocol ---------------------------------------------------------------------------------------


def test_memoryview_of_a_tensor():
    x = tamis.arange(6).reshape(2, 3)
    view = memoryview(x)
    assert (view.shape, view.strides, view.itemsize, view.readonly) == ((2, 3), (24, 8), 8, False)
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert memoryview(x.t()).shape == (3, 2)
    assert bytes(tamis.tensor([1, 2], dtype=tamis.uint8)) == b"\x01\x02"
    with pytest.raises(BufferError):
        hashlib.sha1(x.t())


@pytest.mark.parametrize("code, dtype", [("b", "int8"), ("h", "int16"), ("i", "int32"), ("l", "int64"), ("q", "int64"), ("f", "float32"), ("d", "float64"),
                                         ("B", "uint8"), ("H", "uint16"), ("I", "uint32"), ("L", "uint64"), ("Q", "uint64")])
def test_buffers_of_the_standard_library(code, dtype):
    a = array.array(code, [1, 2, 3])
    x = tamis.asarray(a)
    assert repr(x.dtype) == f"tamis.{dtype}"
    x[0] = 9
    assert a.tolist() == [9, 2, 3]
    assert tamis.asarray(memoryview(a)[::-1]).tolist() == [3, 2, 9]
    with pytest.raises(TypeError):
        tamis.asarray(memoryview(b"ab").cast("c"))


# ---- DLPack ----------------------------------------------------------------------------------------------------


def test_dlpack_with_numpy():
    a = np.arange(6.0).reshape(2, 3).T
    x = tamis.from_dlpack(a)
    assert x.data_ptr() == address(a)
    assert x.stride() == (1, 3)
    b = np.from_dlpack(tamis.arange(3))
    assert b.tolist() == [0, 1, 2]
    assert tamis.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()


def test_dlpack_device():
    assert tamis.ones(1).__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        tamis.ones(1).__dlpack__(stream=1)
    with pytest.raises(BufferError):
        tamis.ones(1).__dlpack__(dl_device=(2, 0))


@pytest.mark.parametrize("max_version, name", [(None, "dltensor"), ((0, 8), "dltensor"), ((1, 0), "dltensor_versioned"), ((1, 9), "dltensor_versioned")])
def test_dlpack_versions(max_version, name):
    x = tamis.arange(4)
    capsule = x.__dlpack__(max_version=max_version)
    assert f'"{name}"' in repr(capsule)
    y = tamis.from_dlpack(capsule)
    assert f'"used_{name}"' in repr(capsule)
    assert y.data_ptr() == x.data_ptr()
    with pytest.raises(ValueError, match="not consumed before"):
        tamis.from_dlpack(capsule)


def test_an_unused_capsule_frees_its_memory():
    gc.collect()
    before = tamis.memory_stats()["live_bytes"]
    for version in (None, (1, 0)):
        x = tamis.arange(100000)
        capsule = x.__dlpack__(max_version=version)
        del x
        assert tamis.memory_stats()["live_bytes"] >= before + 700000
        del capsule
        gc.collect()
        assert tamis.memory_stats()["live_bytes"] <= before + 1000


def test_read_only_goes_through_a_versioned_capsule():
    a = np.arange(3.0)
    a.flags.writeable = False
    x = tamis.from_dlpack(tamis.from_numpy(a).__dlpack__(max_version=(1, 0)))
    with pytest.raises(RuntimeError, match="read-only"):
        x.fill_(0)


class DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    pass


class Versioned(ctypes.Structure):
    pass


Managed._fields_ = [
    ("tensor", DLTensor),
    ("context", ctypes.c_void_p),
    ("deleter", ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))),
]
Versioned._fields_ = [
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("context", ctypes.c_void_p),
    ("deleter", ctypes.CFUNCTYPE(None, ctypes.POINTER(Versioned))),
    ("flags", ctypes.c_uint64),
    ("tensor", DLTensor),
]


class Producer:
    """A capsule made by hand, which counts how often its deleter runs."""

    def __init__(self, versioned, shape=(2, 2), strides=None, dtype=(0, 64, 1), device=1, major=1, flags=0, ndim=None,
                 offset=0, no_shape=False, no_data=False):
        self.deleted = 0
        self.data = (ctypes.c_int64 * 16)(*range(16))
        self.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = (ctypes.c_int64 * len(strides))(*strides) if strides else None
        kind = Versioned if versioned else Managed
        self.managed = kind()
        t = self.managed.tensor
        t.data = None if no_data else ctypes.addressof(self.data)
        t.device = DLDevice(device, 0)
        t.ndim = len(shape) if ndim is None else ndim
        t.dtype = DLDataType(*dtype)
        t.shape = None if no_shape else ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        t.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64)) if strides else None
        t.byte_offset = offset
        if versioned:
            self.managed.major, self.managed.minor, self.managed.flags = major, 0, flags
        self.deleter = dict(kind._fields_)["deleter"](self.delete)
        self.managed.deleter = self.deleter
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.capsule = new(ctypes.addressof(self.managed), self.name, None)

    def delete(self, _):
        self.deleted += 1


@pytest.mark.parametrize("versioned", [False, True])
def test_the_deleter_runs_once_when_the_last_tensor_is_gone(versioned):
    p = Producer(versioned, offset=16)
    x = tamis.from_dlpack(p.capsule)
    assert x.tolist() == [[2, 3], [4, 5]]
    view = x[1]
    deferred = view * 10
    del x
    assert p.deleted == 0
    view.fill_(7)
    assert p.data[4] == 7
    assert deferred.tolist() == [40, 50]
    del view, deferred
    gc.collect()
    assert p.deleted == 1


@pytest.mark.parametrize("versioned", [False, True])
def test_strides_of_capsules(versioned):
    p = Producer(versioned, strides=(1, 2))
    assert tamis.from_dlpack(p.capsule).tolist() == [[0, 2], [1, 3]]
    assert p.deleted == 1
    p = Producer(versioned, shape=(3,), strides=(-1,), offset=16)
    assert tamis.from_dlpack(p.capsule).tolist() == [2, 1, 0]
    assert p.deleted == 1
    p = Producer(versioned, shape=(), strides=None)
    assert tamis.from_dlpack(p.capsule).tolist() == 0
    p = Producer(versioned, shape=(0, 3), no_data=True)
    assert tamis.from_dlpack(p.capsule).shape == (0, 3)
    assert p.deleted == 1


def test_the_read_only_flag_is_honoured():
    p = Producer(True, flags=1)
    x = tamis.from_dlpack(p.capsule)
    with pytest.raises(RuntimeError, match="read-only"):
        x.fill_(0)


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize(
    "wrong",
    [
        {"device": 2},
        {"dtype": (0, 64, 2)},
        {"dtype": (1, 128, 1)},
        {"dtype": (5, 32, 1)},
        {"ndim": -1},
        {"ndim": 1000},
        {"no_shape": True},
        {"no_data": True},
        {"shape": (-1, 2)},
        {"shape": (2**62, 2**62)},
        {"shape": (2**62, 2), "strides": (2**62, 1)},
        {"major": 2},
    ],
    ids=str,
)
def test_impossible_capsules_are_refused_and_deleted_once(versioned, wrong):
    if "major" in wrong and not versioned:
        pytest.skip("no version there")
    p = Producer(versioned, **wrong)
    with pytest.raises(BufferError):
        tamis.from_dlpack(p.capsule)
    assert p.deleted == 1


def test_what_is_no_capsule_is_refused():
    with pytest.raises(TypeError):
        tamis.from_dlpack(3)


# ---- Arrow -----------------------------------------------------------------------------------------------------


class ArrowProducer:
    """An array of another library, which hands out the capsules that it was given."""

    def __init__(self, capsules):
        self.capsules = capsules

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_arrow_capsules_share_numbers(dtype):
    x = tamis.arange(5, dtype=getattr(tamis, dtype))
    y = tamis.from_arrow(ArrowProducer(x.__arrow_c_array__()))
    assert y.dtype is x.dtype and y.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="read-only"):
        y.fill_(0)
    del x
    gc.collect()
    assert y.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 64, 75])
def test_arrow_capsules_hold_bits_and_nulls(n):
    bits, valid = [i % 3 == 0 for i in range(n)], [i % 5 != 2 for i in range(n)]
    x, mask = tamis.tensor(bits, dtype=tamis.bool), tamis.tensor(valid, dtype=tamis.bool)
    assert tamis.from_arrow(ArrowProducer(x.__arrow_c_array__())).tolist() == bits
    values, found = tamis.from_arrow(ArrowProducer(tamis._tamis._to_arrow(x, mask)), return_mask=True)
    assert found.tolist() == valid
    assert values.tolist() == [b and v for b, v in zip(bits, valid)]
    filled = tamis.from_arrow(ArrowProducer(tamis._tamis._to_arrow(x, mask)), null=True)
    assert filled.tolist() == [b or not v for b, v in zip(bits, valid)]


def test_arrow_memory_is_freed_by_whoever_is_last():
    gc.collect()
    before = tamis.memory_stats()["live_bytes"]
    x = tamis.arange(100000)
    capsules = x.__arrow_c_array__()
    y = tamis.from_arrow(ArrowProducer(capsules))
    del x, capsules
    gc.collect()
    assert y[-1] == 99999 and tamis.memory_stats()["live_bytes"] >= before + 700000
    del y
    gc.collect()
    assert tamis.memory_stats()["live_bytes"] <= before + 1000


def test_what_is_no_arrow_array_is_refused():
    with pytest.raises(TypeError, match="expected an Arrow array, but got list"):
        tamis.from_arrow([True])
    with pytest.raises(TypeError, match=r"one dimension, but the shape is \(\); write x.flatten\(\)"):
        tamis.tensor(1).__arrow_c_array__()
    with pytest.raises(TypeError, match="Arrow has no dtype bfloat16"):
        tamis.ones(2, dtype=tamis.bfloat16).__arrow_c_array__()


# ---- masks as bits ---------------------------------------------------------------------------------


def test_masks_share_the_bits_of_numpy():
    bits = np.packbits(np.arange(5000) % 3 == 0, bitorder="little")
    mask = tamis.masks.from_bits(tamis.from_numpy(bits), 5000)
    assert mask.is_deferred() or tamis.eager_mode()
    x = tamis.arange(5000)
    assert np.array_equal(x[mask].numpy(), np.arange(0, 5000, 3))
    assert int(mask.sum()) == 1667
    assert mask.numpy().tobytes() == (np.arange(5000) % 3 == 0).tobytes()


def test_writing_bits_does_not_change_masks_made_of_them():
    bits = tamis.tensor([255] * 1000, dtype=tamis.uint8)
    mask = tamis.masks.from_bits(bits)
    bits[0] = 0
    assert int(mask.sum()) == 8000
    assert int(tamis.masks.from_bits(bits).sum()) == 7992


def test_bits_of_a_kept_mask_are_shared_and_safe():
    x = tamis.arange(100000)
    mask = x % 5 == 0
    for _ in range(8):
        x[mask]
    bits = tamis.masks.to_bits(mask)
    assert np.array_equal(bits.numpy(), np.packbits(np.arange(100000) % 5 == 0, bitorder="little"))
    bits.fill_(0)
    assert int(mask.sum()) == 20000


@pytest.mark.parametrize("order", ["little", "big"])
def test_bits_go_there_and_back(order):
    for n in (0, 1, 7, 8, 9, 64, 65, 4097, 70000):
        values = np.random.default_rng(n).random(n) < 0.3
        bits = tamis.masks.to_bits(tamis.from_numpy(values), bitorder=order)
        assert np.array_equal(bits.numpy(), np.packbits(values, bitorder=order))
        assert np.array_equal(tamis.masks.from_bits(bits, n, bitorder=order).numpy(), values)


def test_bits_that_are_none_are_refused():
    with pytest.raises(RuntimeError, match="expected bytes"):
        tamis.masks.from_bits(tamis.tensor([1, 2]))
    with pytest.raises(RuntimeError, match="have 16 bits, but count is 17"):
        tamis.masks.from_bits(tamis.tensor([1, 2], dtype=tamis.uint8), 17)
    with pytest.raises(RuntimeError, match="'little' or 'big'"):
        tamis.masks.from_bits(tamis.tensor([1], dtype=tamis.uint8), bitorder="middle")
    with pytest.raises(RuntimeError, match="expected a mask"):
        tamis.masks.to_bits(tamis.tensor([1]))
