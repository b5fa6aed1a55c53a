"""Which of NumPy's functions take tensors: all that know its protocols, but for those named here with a reason."""

import pathlib
import re
import types

import numpy as np
import pytest
from test_numpy_functions import EXPRESSIONS, check_same, data, run

import tamis

# As the expressions of test_numpy_functions.py, for what that list does not call.
MORE = """
np.alltrue(a); np.sometrue(a, axis=0); np.product(a); np.cumproduct(a); np.round_(a); np.amin(a); np.msort(a);
np.row_stack([a, b]); np.apply_over_axes(np.sum, a, [0, 1]); np.argpartition(a, 1, axis=1); np.asfarray(a);
np.atleast_2d(a[0]); np.diagflat(a[0]); np.dsplit(a.reshape(1, 3, 4), 2); np.einsum_path("ij,kj->ik", a, b);
np.geomspace(i[0] + 1, i[1], 3); np.linspace(a[0], b[0], 3); np.logspace(a[0], b[0], 3);
np.histogram2d(i[0], i[1], bins=2); np.histogram_bin_edges(i, bins=3); np.histogramdd(i, bins=2);
np.min_scalar_type(a); np.nanargmin(a); np.nancumprod(a); np.nanpercentile(a, 50); np.poly(i[0]);
np.polyadd(a[0], b[0]); np.polyder(a[0]); np.polydiv(i[1], i[2]); np.polyint(a[0]); np.polymul(a[0], b[0]);
np.polysub(a[0], b[0]); np.polyval(a[0], b[0]); np.roots(i[0]); np.real_if_close(a); np.shares_memory(a, a);
np.sort_complex(a); np.tril_indices_from(a[:, :3]); np.trim_zeros(a[0]); np.unpackbits(a); np.unwrap(a); np.arccos(a);
np.arccosh(a); np.arcsinh(a); np.arctan(a); np.arctanh(a); np.bitwise_not(a); np.conj(a); np.cosh(a);
np.logaddexp2(a, b); np.rad2deg(a); np.radians(a); np.mask_indices(3, lambda n, k: m[:, :3]); np.atleast_1d(a);
np.linalg.cholesky(i[:, :3] @ i[:, :3].T * 0 + np.eye(3)); np.linalg.cond(i[:, :3]); np.linalg.eig(i[:, :3]);
np.linalg.eigh(i[:, :3]); np.linalg.eigvals(i[:, :3]); np.linalg.eigvalsh(i[:, :3]); np.linalg.inv(b[:, :3]);
np.linalg.lstsq(b, b[:, 0], rcond=None); np.linalg.matrix_power(b[:, :3], 2); np.linalg.multi_dot([a, b.T, a]);
np.linalg.pinv(b); np.linalg.qr(b); np.linalg.slogdet(b[:, :3]); np.linalg.solve(b[:, :3], b[:, 0]);
np.linalg.tensorinv(b[:, :3], 1); np.linalg.tensorsolve(b[:, :3], b[:, 0]); np.fft.fft2(a); np.fft.fftn(a);
np.fft.fftshift(a); np.fft.hfft(a); np.fft.ifft2(a); np.fft.ifftn(a); np.fft.ifftshift(a); np.fft.ihfft(a);
np.fft.irfft(a); np.fft.irfft2(a); np.fft.irfftn(a); np.fft.rfft(a); np.fft.rfft2(a); np.fft.rfftn(a);
np.eye(3, like=a); np.array([1, 2], like=a); np.arange(3, like=a); np.identity(2, like=a); np.full(2, 1, like=a)
"""
MORE_EXPRESSIONS = [" ".join(text.split()) for text in MORE.split(";")]

# Functions that know the protocols and that no tensor can be given, and why.
REFUSED = {
    "busday_count": "days: tensors have no dates",
    "busday_offset": "days: tensors have no dates",
    "datetime_as_string": "tensors have no dates",
    "is_busday": "days: tensors have no dates",
    "isnat": "tensors have no dates",
}
# Those that write: test_numpy_functions.py, and below.
WRITERS = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
FILES = {"save", "savetxt", "savez", "savez_compressed"}

# Functions of NumPy that do not know its protocols, and make an array of a tensor: of equal values, never wrong.
ARRAYS = """
np.asanyarray(a); np.ascontiguousarray(a); np.require(a); np.vectorize(lambda v: v * 2)(a); np.array([a, b]);
np.asarray(a); np.r_[a[0], b[0]]; np.c_[a[0], b[0]]; np.fromiter(a[0], float);
np.lib.stride_tricks.as_strided(a, (2,), (0,)); np.mat(a); np.random.default_rng(0).permutation(a);
np.random.default_rng(0).choice(a[0], 3); np.ma.masked_where(m, a); np.array([v for _, v in np.ndenumerate(a)]);
np.array([float(v) for v in np.nditer(a)])
"""


def takes_tensors(function):
    """NumPy asks the arguments of a ufunc, and those of functions that have an implementation apart."""
    return isinstance(function, np.ufunc) or hasattr(function, "_implementation")


def names_of(module):
    for name in dir(module):
        if not name.startswith("_") and not isinstance(vars(module).get(name), (type, types.ModuleType)):
            if takes_tensors(getattr(module, name)):
                yield name


def test_every_function_that_takes_tensors_is_tested_or_refused_with_a_reason():
    text = ";".join(EXPRESSIONS + MORE_EXPRESSIONS)
    called = set(re.findall(r"np\.((?:linalg\.|fft\.)?\w+)[(.]", text))
    known = called | set(REFUSED) | WRITERS | FILES
    there = set(names_of(np)) | {f"linalg.{n}" for n in names_of(np.linalg)} | {f"fft.{n}" for n in names_of(np.fft)}
    assert len(there) > 300
    assert there - known == set()
    assert (set(REFUSED) | WRITERS | FILES) - there == set(), "named, but not there"
    written = pathlib.Path(__file__).with_name("test_numpy_functions.py").read_text()
    assert all(f"lambda a: np.{name}(" in written for name in WRITERS)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "float64", "complex64"])
def test_more_functions_give_numpys_answer(dtype):
    a, b = data(dtype, "contiguous")
    m, i = b.real > 1, np.arange(12).reshape(3, 4)
    answered = 0
    for expression in MORE_EXPRESSIONS:
        expected, refused = run(expression, a, b, m, i)
        got, error = run(expression, *map(tamis.tensor, (a, b, m, i)))
        if refused is not None:
            assert error is not None, expression
            continue
        assert error is None, f"{expression}: {error!r}"
        try:
            check_same(got, expected)
        except AssertionError as e:
            raise AssertionError(expression) from e
        answered += 1
    assert answered > 50


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused_is_a_type_error(name):
    function = getattr(np, name)
    with pytest.raises(TypeError):
        function(*[tamis.arange(3)] * (2 if name in ("busday_count", "busday_offset") else 1))


def test_files(tmp_path):
    x = tamis.tensor([[1.0, 2.0], [3.0, 4.0]])
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", x=x)
    np.savez_compressed(tmp_path / "y.npz", x=x)
    np.savetxt(tmp_path / "x.txt", x)
    for found in (np.load(tmp_path / "x.npy"), np.load(tmp_path / "x.npz")["x"], np.load(tmp_path / "y.npz")["x"],
                  np.loadtxt(tmp_path / "x.txt")):
        assert found.tolist() == x.tolist()


@pytest.mark.parametrize("expression", [" ".join(text.split()) for text in ARRAYS.split(";")])
def test_functions_without_protocols_make_arrays(expression):
    a, b = (np.arange(12.0).reshape(3, 4) - k for k in range(2))
    expected, _ = run(expression, a, b, b > 1, None)
    got, _ = run(expression, tamis.tensor(a), tamis.tensor(b), tamis.tensor(b > 1), None)
    assert isinstance(got, np.ndarray) and type(got) is type(expected) and got.dtype == expected.dtype
    assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("use", [
    lambda x, out: np.add(x, x, out=out), lambda x, out: np.add(x, x, out), lambda x, out: np.clip(x * 2, -9, 9, out),
    lambda x, out: np.sum([x, x], axis=0, out=out), lambda x, out: np.dot(x * 2, tamis.eye(2), out),
    lambda x, out: np.concatenate([x[:1] * 2, x[1:] * 2], 0, out), lambda x, out: np.add.reduce([x, x], out=out),
    lambda x, out: np.multiply.outer(x[0], [2, 4], out=out),
    lambda x, out: np.einsum("ij,jk->ik", x * 2, tamis.eye(2), out=out),
])
def test_out_by_name_and_by_position(use):
    x = tamis.tensor([[1.0, 2.0], [2.0, 4.0]])
    out = tamis.zeros(2, 2)
    deferred = out + 1
    assert use(x, out) is out and out.tolist() == [[2, 4], [4, 8]]
    assert deferred.tolist() == [[1, 1], [1, 1]] and x.tolist() == [[1, 2], [2, 4]]
