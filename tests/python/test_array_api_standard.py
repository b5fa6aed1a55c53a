"""The array API standard 2024.12: every name of array-api-strict with its signature, dtypes, and what is inspected."""

import inspect
import itertools

import numpy as np
import pytest

import tamis
import tamis.array_api as xp
from standard import COMPLEX, DTYPES, FLOATS, INTEGERS, StrictArray, strict

# Names that array-api-strict has and the standard's main namespace does not.
_NOT_STANDARD = {
    "linalg", "fft", "set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags",
    "ArrayAPIStrictFlags", "Device", "Array", "test", "__version__", "all_devices", "get_default_device",
}
PUBLIC = [
    name for name in strict.__all__
    if name not in _NOT_STANDARD and not name.startswith("_")
]
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(strict, name))]


def test_the_reference_names_what_the_standard_has():
    assert len(FUNCTIONS) > 130
    assert {"cumulative_prod", "count_nonzero", "take_along_axis", "nextafter", "reciprocal", "diff"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", PUBLIC)
def test_names_exist(name):
    assert hasattr(xp, name) and name in xp.__all__ and name in dir(xp)


def test_no_other_names_are_public():
    # isin is of the version after this one.
    assert set(xp.__all__) - set(strict.__all__) - {"isin"} == set()
    assert "isin" in xp.__all__ and not hasattr(xp, "linalg") and not hasattr(xp, "fft")


def parameters(function):
    return dict(inspect.signature(function).parameters)


# array-api-strict tells an argument that was not given from None, which is the standard's default.
_NONE_BY_STANDARD = {("astype", "device"), ("from_dlpack", "device"), ("from_dlpack", "copy")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_those_of_the_reference(name):
    got, expected = parameters(getattr(xp, name)), parameters(getattr(strict, name))
    # xarray calls correction ddof.
    extra = {"ddof"} if name in ("std", "var") else set()
    assert [p for p in got if p not in extra] == list(expected)
    for parameter in expected.values():
        mine = got[parameter.name]
        # The version after 2024.12 takes axis of expand_dims by its place too; the default of 2024.12 is 0.
        if (name, parameter.name) == ("expand_dims", "axis"):
            assert mine.kind == inspect.Parameter.POSITIONAL_OR_KEYWORD and mine.default == 0
            continue
        assert mine.kind == parameter.kind, parameter
        if (name, parameter.name) in _NONE_BY_STANDARD:
            assert mine.default is None
        else:
            assert mine.default == parameter.default, parameter


def test_functions_have_their_names_and_words():
    for name in FUNCTIONS:
        function = getattr(xp, name)
        assert function.__name__ == name and function.__doc__, name


METHODS = [
    name for name in dir(StrictArray)
    if (name.startswith("__") and name not in dir(object)) or name in ("to_device", "T", "mT", "shape", "size", "ndim")
]


@pytest.mark.parametrize("name", sorted(set(METHODS) - {
    "__annotations__", "__array__", "__buffer__", "__module__", "__slots__", "__weakref__", "__dict__"}))
def test_array_methods_exist(name):
    assert hasattr(xp.ones((2, 2)), name)


def test_attributes():
    x = xp.zeros((2, 3), dtype=xp.int16)
    assert (x.shape, x.ndim, x.size, x.dtype) == ((2, 3), 2, 6, xp.int16)
    assert isinstance(x.size, int) and isinstance(x.shape, tuple)
    assert x.T.shape == x.mT.shape == (3, 2)
    assert x.device == xp.__array_namespace_info__().default_device()
    assert xp.asarray(3).size == 1 and xp.zeros((2, 0)).size == 0
    # Called, it is PyTorch's method.
    assert x.size() == (2, 3) and x.size(-1) == x.size(dim=1) == 3
    with pytest.raises(IndexError, match=r"expected to be in range of \[-2, 1\], but got 2"):
        x.size(2)


def test_versions_of_the_namespace():
    x = xp.ones(1)
    assert xp.__array_api_version__ == "2024.12"
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        assert x.__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match="2024.12 is"):
        x.__array_namespace__(api_version="1999.01")


def test_constants():
    for name in ("e", "pi", "inf"):
        assert getattr(xp, name) == getattr(strict, name)
    assert xp.nan != xp.nan and xp.newaxis is None


# ---- dtypes ----------------------------------------------------------------------------------------------------

KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]


@pytest.mark.parametrize("kind", KINDS + [("bool", "complex floating"), ("integral",), ()])
def test_kinds(kind):
    for name in DTYPES:
        assert xp.isdtype(getattr(xp, name), kind) == strict.isdtype(getattr(strict, name), kind)


def test_kinds_that_do_not_exist():
    with pytest.raises(ValueError, match="no such kind"):
        xp.isdtype(xp.bool, "integer")
    with pytest.raises(TypeError, match="kind is a dtype"):
        xp.isdtype(xp.bool, 1)
    assert xp.isdtype(xp.int8, xp.int8) and not xp.isdtype(xp.int8, (xp.int16, xp.bool))


def outcome(function, *args):
    try:
        return str(function(*args)).rpartition(".")[2]
    except TypeError:
        return None


@pytest.mark.parametrize("a, b", itertools.product(DTYPES, DTYPES))
def test_promotion(a, b):
    expected = outcome(strict.result_type, getattr(strict, a), getattr(strict, b))
    if expected is None:
        return  # the standard leaves it open
    assert xp.result_type(getattr(xp, a), getattr(xp, b)) == getattr(xp, expected)
    # 0-d arrays count as others do.
    for one, other in (((), (2,)), ((2,), ()), ((), ())):
        x, y = xp.ones(one, dtype=getattr(xp, a)), xp.ones(other, dtype=getattr(xp, b))
        assert xp.result_type(x, y) == getattr(xp, expected)
        results = [xp.where(xp.asarray(True), x, y), xp.concat([x, y], axis=None)]
        if "bool" not in (a, b):
            results += [xp.add(x, y), xp.multiply(x, y)]
        assert {r.dtype for r in results} == {getattr(xp, expected)}
        assert xp.equal(x, y).dtype == xp.bool


@pytest.mark.parametrize("a, b", itertools.product(DTYPES, DTYPES))
def test_casts(a, b):
    assert xp.can_cast(getattr(xp, a), getattr(xp, b)) == strict.can_cast(getattr(strict, a), getattr(strict, b))


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("number", [True, 3, 2.5, 1j])
def test_numbers_take_the_dtype_of_arrays(name, number):
    expected = outcome(strict.result_type, getattr(strict, name), number)
    if expected is None:
        return
    for shape in ((), (2,), (0,)):
        x = xp.ones(shape, dtype=getattr(xp, name))
        assert xp.result_type(x, number) == xp.result_type(number, x) == getattr(xp, expected)
        if name != "bool":
            assert xp.add(x, number).dtype == xp.subtract(number, x).dtype == getattr(xp, expected)
        assert xp.where(xp.ones(shape, dtype=xp.bool), number, x).dtype == getattr(xp, expected)
        assert xp.equal(number, x).shape == shape


def test_result_type_needs_an_array():
    with pytest.raises(ValueError):
        xp.result_type()
    with pytest.raises(ValueError):
        xp.result_type(1, 2.0)
    with pytest.raises(TypeError, match="at least one array"):
        xp.add(1, 2)


@pytest.mark.parametrize("a, b", itertools.product(DTYPES, DTYPES))
def test_astype(a, b):
    x = np.array([0, 1, 2, 3]).astype(a)
    if a in COMPLEX and b not in COMPLEX:
        with pytest.raises(TypeError, match="real"):
            xp.astype(xp.asarray(x), getattr(xp, b))
        return
    got = xp.astype(xp.asarray(x), getattr(xp, b))
    assert got.dtype == getattr(xp, b)
    np.testing.assert_array_equal(np.asarray(got), x.astype(b))


def test_astype_copies_unless_told_not_to():
    x = xp.ones(3)
    assert xp.astype(x, xp.float32, copy=False) is x
    y = xp.astype(x, xp.float32)
    y[0] = 5
    assert x[0] == 1 and xp.astype(x, xp.float64, copy=False, device="cpu").dtype == xp.float64


@pytest.mark.parametrize("name", FLOATS + COMPLEX)
def test_limits_of_floats(name):
    got, expected = xp.finfo(getattr(xp, name)), strict.finfo(getattr(strict, name))
    for field in ("bits", "eps", "max", "min", "smallest_normal"):
        assert getattr(got, field) == getattr(expected, field), field
    assert str(got.dtype).rpartition(".")[2] == str(expected.dtype).rpartition(".")[2]
    assert xp.finfo(xp.ones(1, dtype=getattr(xp, name))) == got


@pytest.mark.parametrize("name", INTEGERS)
def test_limits_of_integers(name):
    got, expected = xp.iinfo(getattr(xp, name)), strict.iinfo(getattr(strict, name))
    assert (got.bits, got.max, got.min) == (expected.bits, expected.max, expected.min)
    assert got.dtype == getattr(xp, name) and xp.iinfo(xp.ones(1, dtype=getattr(xp, name))) == got


# ---- inspection and devices ------------------------------------------------------------------------------------


def test_inspection():
    info, expected = xp.__array_namespace_info__(), strict.__array_namespace_info__()
    assert set(info.capabilities()) == set(expected.capabilities())
    assert info.capabilities()["boolean indexing"] is info.capabilities()["data-dependent shapes"] is True
    rank = info.capabilities()["max dimensions"]
    assert xp.ones((1,) * rank).ndim == xp.add(xp.ones((1,) * rank), 1).ndim == rank
    assert set(info.default_dtypes()) == set(expected.default_dtypes())
    assert info.default_dtypes()["real floating"] == xp.asarray(1.0).dtype == xp.ones(1).dtype
    assert info.default_dtypes()["complex floating"] == xp.asarray(1j).dtype
    assert info.default_dtypes()["integral"] == xp.asarray(1).dtype == xp.arange(2).dtype
    assert info.default_dtypes()["indexing"] == xp.argmax(xp.ones(2)).dtype == xp.nonzero(xp.ones(2))[0].dtype


@pytest.mark.parametrize("kind", [None, *KINDS, ("bool", "integral")])
def test_dtypes_by_kind(kind):
    got = xp.__array_namespace_info__().dtypes(kind=kind, device=xp.ones(1).device)
    expected = strict.__array_namespace_info__().dtypes(kind=kind)
    assert set(got) == set(expected) & set(DTYPES)
    assert all(d == getattr(xp, name) for name, d in got.items())


def test_devices():
    info = xp.__array_namespace_info__()
    x = xp.ones(2)
    assert info.default_device() in info.devices()
    for device in info.devices():
        assert x.to_device(device) is x and x.to_device(device, stream=None) is x
        assert xp.zeros(2, device=device).device == xp.asarray([1], device=device).device == device
        assert xp.zeros_like(x, device=device).device == xp.linspace(0, 1, 3, device=device).device == device
    for call in (lambda: x.to_device("nowhere"), lambda: xp.ones(2, device="nowhere"),
            lambda: xp.eye(2, device="nowhere")):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)


# ---- DLPack ----------------------------------------------------------------------------------------------------


def test_dlpack_keywords():
    x = xp.asarray([1.0, 2.0])
    kind, number = x.__dlpack_device__()
    assert (kind, number) == (1, 0)
    for options in ({}, {"stream": None}, {"max_version": None}, {"max_version": (1, 0)}, {"max_version": (0, 8)},
                    {"dl_device": (1, 0)}, {"copy": None}, {"copy": True}, {"copy": False}):
        assert type(x.__dlpack__(**options)).__name__ == "PyCapsule"
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError):
        x.__dlpack__(None)


class Exporter:
    """An array of another library: it knows the keywords of the standard."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self.x.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def test_from_dlpack_shares_or_copies():
    x = xp.asarray([1.0, 2.0, 3.0])
    for source in (x, Exporter(x)):
        shared, copied = xp.from_dlpack(source, copy=False), xp.from_dlpack(source, device="cpu", copy=True)
        x[0] = x[0] + 5
        assert shared[0] == x[0] and copied[0] != x[0]
    for name in DTYPES:
        y = xp.from_dlpack(Exporter(xp.ones((2, 3), dtype=getattr(xp, name))))
        assert y.dtype == getattr(xp, name) and y.shape == (2, 3)
    with pytest.raises(TypeError):
        xp.from_dlpack([1.0])


def test_dlpack_with_the_reference():
    x = strict.asarray([[1, 2], [3, 4]])
    assert xp.from_dlpack(x).tolist() == [[1, 2], [3, 4]]
    assert strict.from_dlpack(xp.asarray([1.5, 2.5]))._array.tolist() == [1.5, 2.5]


def test_nothing_of_tamis_itself_changed():
    # PyTorch's rules remain outside of the namespace.
    assert (tamis.ones(2, dtype=tamis.int8) + tamis.tensor(1)).dtype == tamis.int8
    assert tamis.sign(tamis.tensor(float("nan"))).item() == 0


# ---- where tensors follow PyTorch ------------------------------------------------------------------------------


def test_operators_and_methods_where_pytorch_contradicts_the_standard():
    # The table of docs/python.md; the functions' side is compared with the reference above and in the other files.
    tiny, one = xp.asarray([1, 2], dtype=xp.int8), xp.asarray(1)
    assert (tiny + one).dtype == xp.int8 and xp.add(tiny, one).dtype == xp.int64
    x, y = xp.asarray([np.inf, 2.0, -6.0, 6.0]), xp.asarray([2.0, -np.inf, 3.0, -3.0])
    np.testing.assert_array_equal(x // y, np.float32([np.nan, -1, -2, -2]))
    np.testing.assert_array_equal(xp.floor_divide(x, y), np.float32([np.inf, -0.0, -2, -2]))
    assert np.signbit((x % y)[2:]).tolist() == [True, False]
    assert np.signbit(xp.remainder(x, y)[2:]).tolist() == [False, True]
    small, large = xp.ones((2, 2), dtype=xp.int8), xp.ones((2, 2), dtype=xp.int16)
    with pytest.raises(RuntimeError, match="expected scalar type"):
        small @ large
    assert xp.matmul(small, large).dtype == xp.int16
    with pytest.raises(IndexError, match="shape of the mask"):
        tiny[xp.zeros(0, dtype=xp.bool)]
    assert float(xp.asarray(2 + 0j)) == 2.0 and int(xp.asarray(2 + 0j)) == 2
    for number in (float, int):
        with pytest.raises(RuntimeError, match="cannot be converted"):
            number(xp.asarray(2 + 1j))
