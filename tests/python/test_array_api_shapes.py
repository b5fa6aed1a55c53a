"""Creation, manipulation and indexing of the array API standard against array-api-strict."""

import itertools

import numpy as np
import pytest

import tamis.array_api as xp
from standard import COMPLEX, DTYPES, FLOATS, assert_same, call_both, convert, modest, ours, strict, theirs

# ---- creation --------------------------------------------------------------------------------------------------


def created(name, *args, **options):
    """Compares values, not the default dtypes, which are single precision here and double there."""
    dtype = options.pop("dtype", None)
    got = getattr(xp, name)(*args, **options, **({"dtype": getattr(xp, dtype)} if dtype else {}))
    expected = getattr(strict, name)(*args, **options, **({"dtype": getattr(strict, dtype)} if dtype else {}))
    if dtype is None:
        defaults = {"float32": "float64", "complex64": "complex128"}
        name_of = str(got.dtype).rpartition(".")[2]
        assert defaults.get(name_of, name_of) == str(expected.dtype).rpartition(".")[2]
        got = xp.astype(got, getattr(xp, str(expected.dtype).rpartition(".")[2]))
        np.testing.assert_allclose(np.asarray(got), expected._array, rtol=1e-6, atol=1e-6)
        assert got.shape == expected.shape
        return
    assert_same(got, expected, ulps=4 if "linspace" == name else 0, context=(args, options))


@pytest.mark.parametrize("dtype", [None, *DTYPES])
def test_constant_arrays(dtype):
    for shape in ((), 3, (3,), (2, 0), (2, 1, 3)):
        for name in ("zeros", "ones"):
            created(name, shape, dtype=dtype)
        assert xp.empty(shape, dtype=dtype and getattr(xp, dtype)).shape == np.empty(shape).shape
        created("full", shape, True if dtype == "bool" else 7, dtype=dtype)
        x = modest(dtype or "int16", shape)
        for name in ("zeros_like", "ones_like"):
            call_both(name, x)
            call_both(name, x, dtype="float64")
        call_both("full_like", x, 1 if dtype != "bool" else True)
        assert xp.empty_like(ours(x)).dtype == ours(x).dtype


@pytest.mark.parametrize("value", [True, 3, 2.5, 1j])
def test_full_has_the_dtype_of_its_value(value):
    created("full", (2,), value)
    created("full", (), value)


@pytest.mark.parametrize("args",
        [(5,), (0,), (-3,), (2, 7), (7, 2), (2, 10, 3), (10, 2, -3), (2, 10, -1), (1, 1), (0.0, 1.0, 0.25), (1.5,),
        (1.0, 0.0, -0.5), (0, 1, 2),
        (0.0,), (-3.0,), (2.5, 1), (7, 2.5), (0, 0, 0.5), (0, 1, -0.5)])  # no numbers, but of floating point
def test_arange(args):
    created("arange", *args)
    for dtype in ("int8", "int64", "float32", "float64"):
        if dtype.startswith("float") or all(isinstance(a, int) for a in args):
            created("arange", *args, dtype=dtype)
    with pytest.raises(ValueError, match="step"):
        xp.arange(0, 1, 0)


@pytest.mark.parametrize("num, endpoint", itertools.product([0, 1, 2, 5, 50], [True, False]))
def test_linspace(num, endpoint):
    for start, stop in ((0, 1), (-2.5, 7.25), (3, 3), (5, -5), (1j, 3 + 2j), (0, 2j)):
        created("linspace", start, stop, num, endpoint=endpoint)
        is_complex = isinstance(start, complex) or isinstance(stop, complex)
        for dtype in COMPLEX if is_complex else FLOATS + COMPLEX:
            got = xp.linspace(start, stop, num, dtype=getattr(xp, dtype), endpoint=endpoint)
            expected = np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint)
            assert got.dtype == getattr(xp, dtype)
            np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6, atol=1e-6)
            if num > 1:
                assert got[0].item() == expected[0] and (not endpoint or got[-1].item() == expected[-1])


@pytest.mark.parametrize("rows, columns", [(3, None), (2, 4), (4, 2), (0, 3), (3, 0)])
def test_eye(rows, columns):
    for k in range(-6, 7):
        created("eye", rows, columns, k=k)
        created("eye", rows, columns, k=k, dtype="complex64")
    created("eye", 3, dtype="bool")


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles(name):
    for dtype in DTYPES:
        for shape in ((3, 4), (4, 3), (2, 3, 3), (0, 3)):
            for k in (-5, -1, 0, 2, 6):
                call_both(name, modest(dtype, shape), k=k)
    with pytest.raises(ValueError):
        getattr(xp, name)(xp.ones(3))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing):
    for sizes in ((), (3,), (2, 3), (2, 3, 4), (0, 3), (1, 1)):
        arrays = [modest("float64", n, i) for i, n in enumerate(sizes)]
        call_both("meshgrid", *arrays, indexing=indexing)
    with pytest.raises(ValueError):
        xp.meshgrid(xp.ones(2), xp.ones(2, dtype=xp.int8))


def test_asarray():
    for obj in (True, 3, 2.5, 1j, [1, 2], [[1.5], [2]], [True, False], [1j, 2.0], (), [[], []]):
        created("asarray", obj)
    for dtype in DTYPES:
        created("asarray", [[1, 0], [1, 1]], dtype=dtype)
    x = xp.asarray([1.0, 2.0])
    assert xp.asarray(x) is x and xp.asarray(x, copy=False) is x
    copied = xp.asarray(x, copy=True)
    copied[0] = 9.0
    assert x[0] == 1
    for bad in (lambda: xp.asarray([1, 2], copy=False), lambda: xp.asarray(3.0, copy=False),
                lambda: xp.asarray(x, dtype=xp.float64, copy=False)):
        with pytest.raises(ValueError):
            bad()
    memory = np.arange(3.0)
    shared = xp.asarray(memory, copy=False)
    shared[0] = 7.0
    assert memory[0] == 7


# ---- manipulation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_shapes_of_all_dtypes(dtype):
    x = modest(dtype, (2, 3, 4))
    call_both("concat", [x, x], axis=-1)
    call_both("flip", x, axis=1)
    call_both("permute_dims", x, (2, 0, 1))
    call_both("repeat", x, 2, axis=0)
    call_both("reshape", x, (4, 6))
    call_both("roll", x, 5)
    call_both("stack", [x, x], axis=1)
    call_both("tile", x, (2, 1))
    call_both("unstack", x, axis=1)
    call_both("take", x, np.array([1, 0, 1]), axis=1)
    call_both("take_along_axis", x, np.array([[[1, 0]]]))


def test_broadcasting():
    for shapes in (((3,), (2, 1)), ((), (2,)), ((0, 1), (1, 4)), ((2, 2),)):
        call_both("broadcast_arrays", *[modest("int64", shape) for shape in shapes])
    call_both("broadcast_to", modest("int64", (3, 1)), (2, 3, 4))
    call_both("broadcast_to", modest("int64", ()), ())
    with pytest.raises((ValueError, RuntimeError)):
        xp.broadcast_to(xp.ones(3), (2,))


def test_joining():
    for axis in (0, 1, -1, -2, None):
        call_both("concat", [modest("int8", (2, 3)), modest("int64", (2, 3), 1)], axis=axis)
    call_both("concat", [modest("int8", (2, 0)), modest("int8", (2, 3))], axis=1)
    call_both("concat", [modest("float32", ()), modest("float64", (2, 2))], axis=None)
    for axis in (0, 1, 2, -1, -3):
        call_both("stack", [modest("float32", (2, 3)), modest("complex64", (2, 3), 1)], axis=axis)
    call_both("stack", [modest("int8", ()), modest("int16", ())])
    with pytest.raises(IndexError):
        xp.concat([xp.ones(2), xp.ones(2)], axis=1)


def test_dimensions():
    x = modest("int64", (2, 1, 3, 1))
    for axis in (-5, -1, 0, 2, 4):
        call_both("expand_dims", x, axis=axis)
    for axis in (1, -1, (1, 3), (-3,), ()):
        call_both("squeeze", x, axis)
    for bad, error in ((0, ValueError), (9, IndexError), ((1, 1), ValueError)):
        with pytest.raises(error):
            xp.squeeze(ours(x), bad)
    with pytest.raises(IndexError):
        xp.expand_dims(ours(x), axis=6)
    for source, destination in ((0, -1), (-1, 0), ((0, 2), (2, 0)), ((), ()), (1, 1), ((0, 1, 2, 3), (3, 2, 1, 0))):
        call_both("moveaxis", x, source, destination)
    call_both("permute_dims", x, (-1, 0, 2, 1))
    call_both("permute_dims", modest("int64", ()), ())
    call_both("matrix_transpose", x)
    assert xp.asarray([[1, 2, 3]]).T.shape == (3, 1)
    with pytest.raises(ValueError):
        xp.permute_dims(ours(x), (0, 0, 1, 2))


def test_flip_and_roll():
    x = modest("int64", (2, 3, 4))
    for axis in (None, 0, -1, (0, 2), ()):
        call_both("flip", x, axis=axis)
    call_both("flip", modest("int64", ()))
    for shift, axis in ((1, None), (-30, None), (2, 1), (-5, -1), ((1, 2), (0, 2)), (3, (0, 1)), (0, 0),
            ((1, 1), (0, 0)), ((1, 2), 1)):
        call_both("roll", x, shift, axis=axis)
    call_both("roll", modest("int64", ()), 2)
    call_both("roll", modest("int64", (0, 2)), 1, axis=0)


def test_repeat_and_tile():
    x = modest("int64", (2, 3))
    for axis in (None, 0, 1, -1):
        for repeats in (0, 1, 3):
            call_both("repeat", x, repeats, axis=axis)
    call_both("repeat", x, np.array([1, 0, 2]), axis=1)
    call_both("repeat", x, np.array([2, 1], "int8"), axis=0)
    call_both("repeat", x, np.array([3]), axis=0)
    call_both("repeat", x, np.array([0, 1, 2, 0, 1, 3]))
    call_both("repeat", modest("int64", ()), 3)
    for repetitions in ((), (2,), (2, 3), (2, 1, 2), (0, 1), (1, 1)):
        call_both("tile", x, repetitions)
    call_both("tile", modest("int64", ()), (2, 2))


def test_reshape():
    x = modest("int64", (2, 6))
    for shape in ((12,), (3, -1), (1, 2, 6), (-1,), (2, 2, 3)):
        for copy in (None, True, False):
            call_both("reshape", x, shape, copy=copy)
    call_both("reshape", modest("int64", ()), (1, 1))
    call_both("reshape", modest("int64", (0, 3)), (3, 0))
    y = xp.zeros((2, 3))
    xp.reshape(y, (6,), copy=False)[0] = 1.0
    xp.reshape(y, (6,), copy=True)[1] = 1.0
    assert y[0, 0] == 1 and y[0, 1] == 0
    with pytest.raises(ValueError, match="copy=False"):
        xp.reshape(y.T, (6,), copy=False)


# ---- indexing --------------------------------------------------------------------------------------------------

KEYS = [
    0, -1, slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), slice(5, 1), slice(-10, 10), ..., None,
    (), (0, 1),
    (..., 0), (0, ...), (None, ...), (slice(None), None), (..., None), (slice(1, 2), 0, slice(None)), (0, 1, 2),
    (-1, ..., -1), (None, 0, None),
    (slice(0, 0), ...), slice(None, None, -1), slice(-1, 0, -2), (0, slice(None, None, -1)), (..., slice(3, None, -1)),
    slice(0, 2, -1),
    (slice(None, None, -1), ..., slice(None, None, -2)), (None, slice(None, None, -1), 0),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indices_read_and_write(key):
    x = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    assert_same(ours(x)[key], theirs(x[key]), context=key)
    for value in (7, np.array(5), np.arange(x[key].size).reshape(x[key].shape)):
        got, expected = ours(x), x.copy()
        expected[key] = value
        got[key] = convert(np.asarray(value), ours) if isinstance(value, np.ndarray) else value
        assert_same(got, theirs(expected), context=(key, value))


@pytest.mark.parametrize("dtype", DTYPES)
def test_indices_of_all_dtypes(dtype):
    x = modest(dtype, (3, 4))
    for key in (1, (slice(None), -1), (0, 0), slice(None, None, -1)):
        assert_same(ours(x)[key], theirs(np.array(x[key])))
    mask = np.arange(12).reshape(3, 4) % 2 == 0
    assert_same(ours(x)[ours(mask)], theirs(x[mask]))
    got = ours(x)
    got[ours(mask)] = True if dtype == "bool" else 1
    x[mask] = 1
    assert_same(got, theirs(x))


@pytest.mark.parametrize("mask",
        [np.array(True), np.array(False), np.array([True, False]), np.ones((2, 3), bool), np.zeros((2, 3, 4), bool),
        np.arange(24).reshape(2, 3, 4) % 3 == 0], ids=lambda m: f"{m.shape}{m.any()}")
def test_masks(mask):
    x = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    assert_same(ours(x)[ours(mask)], theirs(x[mask]))
    got, expected = ours(x), x.copy()
    got[ours(mask)] = -1
    expected[mask] = -1
    assert_same(got, theirs(expected))
    assert_same(xp.asarray(3)[ours(np.array(True))], theirs(np.array([3])))


@pytest.mark.parametrize("shape", [(3,), (2, 3, 5), (3, 3), (2, 1, 4)])
def test_masks_of_other_shapes_are_refused(shape):
    with pytest.raises(IndexError):
        xp.zeros((2, 3, 4))[xp.ones(shape, dtype=xp.bool)]


I = np.array([1, 0, 1])
INTEGER_KEYS = [
    (I,), (I, I), (I, I, I), (0, I), (I, 2), (I[:, None], I), (np.array(1), I), (np.array([-1, 0]), np.array([2, -3])),
    (np.array([[0, 1], [1, 0]]),),
    (np.array([], np.int64),), (I, I, 0), (1, I, I), (np.array([1]), I),
]


@pytest.mark.parametrize("key", INTEGER_KEYS, ids=str)
def test_integer_arrays(key):
    x = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    assert_same(ours(x)[tuple(convert(k, ours) for k in key)], theirs(x[key]), context=key)
    got, expected = ours(x), x.copy()
    got[tuple(convert(k, ours) for k in key)] = 9
    expected[key] = 9
    assert_same(got, theirs(expected))


def test_indices_out_of_range():
    x = xp.zeros((2, 3))
    for key in (2, -3, (0, 3), (0, 0, 0), (xp.asarray([5]),)):
        with pytest.raises(IndexError):
            x[key]


def test_take():
    x = modest("int64", (3, 4))
    call_both("take", x, np.array([2, 0]), axis=0)
    call_both("take", x, np.array([], np.int64), axis=-1)
    call_both("take", x[0], np.array([3, 3]))
    with pytest.raises(ValueError):
        xp.take(ours(x), xp.asarray([0]))
    for axis, shape in ((0, (2, 4)), (1, (3, 2)), (-1, (1, 2)), (0, (2, 1))):
        call_both("take_along_axis", x, np.arange(np.prod(shape)).reshape(shape) % 3, axis=axis)
    order = np.argsort(x, axis=1)
    call_both("take_along_axis", x, order, axis=1)


def test_setting_promotes_nothing():
    x = xp.zeros(3, dtype=xp.int8)
    x[0], x[1:] = 5, xp.asarray([6, 7], dtype=xp.int8)
    assert x.dtype == xp.int8 and x.tolist() == [5, 6, 7]
    z = xp.zeros(2, dtype=xp.complex64)
    z[0], z[1] = 1j, xp.asarray(2.0)
    assert z.tolist() == [1j, 2]
