"""The array API namespace by examples. The other files of this name compare all of it with array-api-strict."""

import inspect
import math

import numpy as np
import pytest

import tamis

xp = tamis.ones(1).__array_namespace__()


def same(x, expected):
    np.testing.assert_allclose(np.asarray(x), expected)


def test_versions():
    x = tamis.ones(1)
    assert x.__array_namespace__(api_version="2024.12") is xp is tamis.array_api
    assert xp.__array_api_version__ == "2024.12"
    with pytest.raises(ValueError):
        x.__array_namespace__(api_version="2055.01")


def test_names_that_tamis_lacks_are_absent():
    for name in ("fft", "linalg"):
        assert not hasattr(xp, name)


def test_nothing_but_the_standard_is_public():
    assert set(dir(xp)) == set(xp.__all__) and all(hasattr(xp, name) for name in xp.__all__)
    public = {name for name in vars(xp) if not name.startswith("_")}
    assert public - set(xp.__all__) == set()


def test_elementwise_functions_are_those_of_numpy():
    x, y = np.array([0.25, -0.5, 0.75]), np.array([-1.0, 0.5, 2.0])
    for ours, theirs in (("acos", "arccos"), ("asin", "arcsin"), ("atan", "arctan"), ("atanh", "arctanh"), ("asinh", "arcsinh"),
                         ("sinh", "sinh"), ("cosh", "cosh"), ("signbit", "signbit")):
        same(getattr(xp, ours)(xp.asarray(x)), getattr(np, theirs)(x))
    same(xp.acosh(xp.asarray(x + 2)), np.arccosh(x + 2))
    for ours, theirs in (("atan2", "arctan2"), ("copysign", "copysign"), ("hypot", "hypot"), ("nextafter", "nextafter")):
        same(getattr(xp, ours)(xp.asarray(x), xp.asarray(y)), getattr(np, theirs)(x, y))
    i = np.array([1, -5, 100])
    same(xp.bitwise_left_shift(xp.asarray(i), xp.asarray([1, 2, 3])), i << np.array([1, 2, 3]))
    same(xp.asarray(i) >> 1, i >> 1)
    same(i << xp.asarray([1, 2, 3]), i << np.array([1, 2, 3]))


def test_creation():
    same(xp.arange(3), [0, 1, 2])
    same(xp.arange(1, 7, 2), [1, 3, 5])
    assert xp.arange(3, 0).shape == (0,)
    same(xp.eye(2, 3, k=1), np.eye(2, 3, k=1))
    same(xp.eye(3, k=-1), np.eye(3, k=-1))
    same(xp.linspace(0, 1, 4, endpoint=False), np.linspace(0, 1, 4, endpoint=False))
    same(xp.full(3, 2.5), [2.5] * 3)
    same(xp.zeros((2, 1), dtype=xp.int8), [[0], [0]])
    assert xp.asarray([1, 2], dtype=xp.float64, device="cpu").dtype == xp.float64
    with pytest.raises(ValueError):
        xp.ones(2, device="gpu")


def test_dtypes():
    assert xp.isdtype(xp.int8, "integral") and xp.isdtype(xp.float32, ("bool", "real floating"))
    assert not xp.isdtype(xp.bool, "numeric") and xp.isdtype(xp.bool, xp.bool)
    with pytest.raises(ValueError):
        xp.isdtype(xp.bool, "strange")
    assert xp.result_type(xp.int8, xp.int32, xp.ones(1, dtype=xp.int16)) == xp.int32
    assert xp.can_cast(xp.int8, xp.int32) and not xp.can_cast(xp.float64, xp.float32)
    for name in ("float32", "float64"):
        ours, theirs = xp.finfo(getattr(xp, name)), np.finfo(name)
        assert (ours.bits, ours.eps, ours.max, ours.min) == (theirs.bits, theirs.eps, theirs.max, theirs.min)
        assert ours.smallest_normal == theirs.smallest_normal
    for name in ("int8", "uint8", "int64"):
        ours, theirs = xp.iinfo(getattr(xp, name)), np.iinfo(name)
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min)
    x = xp.ones(2)
    assert xp.astype(x, xp.float32, copy=False) is x
    assert xp.astype(x, xp.float32) is not x


def test_manipulation():
    x = xp.reshape(xp.arange(24), (2, 3, 4))
    a = np.arange(24).reshape(2, 3, 4)
    same(xp.moveaxis(x, 0, -1), np.moveaxis(a, 0, -1))
    same(xp.moveaxis(x, (0, 2), (1, 0)), np.moveaxis(a, (0, 2), (1, 0)))
    same(xp.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1))
    same(xp.matrix_transpose(x), a.swapaxes(-1, -2))
    same(xp.concat([x, x], axis=1), np.concatenate([a, a], axis=1))
    same(xp.concat([x, x], axis=None), np.concatenate([a, a], axis=None))
    same(xp.stack([x, x], axis=-1), np.stack([a, a], axis=-1))
    same(xp.expand_dims(x, axis=-1), a[..., None])
    same(xp.squeeze(xp.expand_dims(x, axis=0), axis=0), a)
    with pytest.raises(ValueError):
        xp.squeeze(x, axis=0)
    same(xp.tile(x[0], (2, 1)), np.tile(a[0], (2, 1)))
    same(xp.tile(x, (2,)), np.tile(a, (2,)))
    assert [p.shape for p in xp.unstack(x, axis=1)] == [(2, 4)] * 3
    assert [p.shape for p in xp.broadcast_arrays(xp.ones(3), xp.ones((2, 1)))] == [(2, 3)] * 2


def test_statistics_and_truth():
    a = np.arange(1.0, 13.0).reshape(3, 4)
    x = xp.asarray(a)
    for name in ("sum", "prod", "max", "min", "mean"):
        for axis in (None, 0, -1, (0, 1)):
            for keepdims in (False, True):
                got = getattr(xp, name)(x, axis=axis, keepdims=keepdims)
                same(got, getattr(np, name)(a, axis=axis, keepdims=keepdims))
    assert xp.any(x > 11) and not xp.all(x > 11)
    same(xp.all(x > 4, axis=1), [False, True, True])
    same(xp.any(xp.asarray([0, 2], dtype=xp.uint8)), True)
    same(xp.clip(x, 3, 5), np.clip(a, 3, 5))
    same(xp.where(x > 4, x, 0.0), np.where(a > 4, a, 0))
    assert len(xp.nonzero(x > 4)) == 2
    with pytest.raises(ValueError):
        xp.nonzero(xp.asarray(1))


def test_sorting_searching_and_sets():
    a = np.array([[3, 1, 2, 1], [0, 3, 3, 5]])
    x = xp.asarray(a)
    same(xp.sort(x), np.sort(a))
    same(xp.sort(x, axis=0, descending=True), -np.sort(-a, axis=0))
    same(xp.argsort(x), np.argsort(a, kind="stable"))
    same(xp.argmax(x), 7)
    same(xp.argmin(x, axis=1, keepdims=True), [[1], [0]])
    same(xp.searchsorted(xp.asarray([1, 2, 2, 4]), xp.asarray([2, 5]), side="right"), [3, 4])
    values, indices, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    found = xp.unique_all(x)
    same(found.values, values)
    same(found.indices, indices)
    same(found.inverse_indices, inverse.reshape(a.shape))
    same(found.counts, counts)
    same(xp.unique_values(x), values)
    same(xp.unique_counts(x).counts, counts)
    same(xp.unique_inverse(x).inverse_indices, inverse.reshape(a.shape))


def test_indices_sums_and_products():
    a = np.arange(12.0).reshape(3, 4)
    x = xp.asarray(a)
    same(xp.take(x, xp.asarray([2, 0]), axis=1), np.take(a, [2, 0], axis=1))
    same(xp.flip(x), np.flip(a))
    same(xp.flip(x, axis=0), np.flip(a, axis=0))
    same(xp.roll(x, 1), np.roll(a, 1))
    same(xp.roll(x, (1, 2), axis=(0, 1)), np.roll(a, (1, 2), axis=(0, 1)))
    for name in ("std", "var"):
        for axis in (None, 1):
            for correction in (0, 1):
                got = getattr(xp, name)(x, axis=axis, correction=correction)
                same(got, getattr(np, name)(a, axis=axis, ddof=correction))
    same(xp.cumulative_sum(x, axis=1), np.cumsum(a, axis=1))
    same(xp.tensordot(x, x), np.tensordot(a, a))
    same(xp.tensordot(x, x, axes=((0,), (0,))), np.tensordot(a, a, axes=((0,), (0,))))
    same(xp.cumulative_sum(x[0], include_initial=True), [0, 0, 1, 3, 6])
    same(xp.matmul(x, xp.matrix_transpose(x)), a @ a.T)
    same(xp.vecdot(x, x), (a * a).sum(-1))


def test_signatures_follow_the_standard():
    assert str(inspect.signature(xp.sum)).startswith("(x: ")
    parameters = inspect.signature(xp.sum).parameters
    assert parameters["x"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert parameters["axis"].kind is inspect.Parameter.KEYWORD_ONLY


def test_a_function_written_against_the_standard():
    def normalised(x):
        ns = x.__array_namespace__()
        x = ns.astype(x, ns.float64)
        centred = x - ns.mean(x, axis=0, keepdims=True)
        scale = ns.sqrt(ns.mean(ns.square(centred), axis=0, keepdims=True))
        return centred / ns.where(scale > 0, scale, ns.ones_like(scale))

    a = np.arange(12.0).reshape(4, 3) ** 2
    same(normalised(tamis.asarray(a)), (a - a.mean(0)) / a.std(0))


def test_inspection():
    info = xp.__array_namespace_info__()
    assert info.default_device() == tamis.ones(1).device and info.devices() == [tamis.device("cpu")]
    assert info.default_dtypes()["integral"] == xp.int64
    assert set(info.dtypes(kind="real floating")) == {"float32", "float64"}
    assert info.capabilities()["boolean indexing"] is True
    for device in (*info.devices(), "cpu"):
        assert tamis.ones(1).to_device(device).device == xp.ones(1, device=device).device == info.default_device()
        assert info.dtypes(device=device) == info.dtypes()
    with pytest.raises(ValueError):
        tamis.ones(1).to_device("gpu")
    assert math.isclose(xp.pi, math.pi)
