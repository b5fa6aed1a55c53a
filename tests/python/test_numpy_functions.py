"""NumPy's functions, ufuncs and operators on tensors: NumPy's answers, as tensors, and writes that arrive."""

import warnings

import numpy as np
import pytest

import tamis

DTYPES = ["bool", "uint8", "int8", "int64", "float16", "float32", "float64", "complex64"]
SUPPORTED = {np.dtype(d) for d in [*DTYPES, "uint16", "uint32", "uint64", "int16", "int32", "complex128"]}

# On matrices a and b of one shape, a mask m and integers i of that shape.
FUNCTIONS = """
np.min(a); np.min(a, axis=1); np.max(a, axis=0, keepdims=True); np.amax(a, axis=(0, 1)); np.ptp(a, axis=0); np.sum(a);
np.sum(a, axis=-1); np.sum(a, where=m); np.sum(a, axis=0, dtype="float64", initial=3); np.prod(a, axis=1); np.mean(a);
np.mean(a, axis=0, where=m); np.std(a); np.std(a, axis=1, ddof=1); np.var(a, axis=0, keepdims=True);
np.average(a, axis=0); np.median(a); np.median(a, axis=1); np.percentile(a, [5, 50], axis=0); np.quantile(a, 0.3);
np.nanmin(a); np.nanmax(a, axis=1); np.nansum(a, axis=0); np.nanmean(a, axis=1); np.nanstd(a); np.nanvar(a, axis=0);
np.nanmedian(a, axis=0); np.nanquantile(a, 0.5); np.nancumsum(a, axis=1); np.nanargmax(a); np.nanprod(a);
np.argmin(a); np.argmin(a, axis=1); np.argmax(a, axis=0, keepdims=True); np.argsort(a, axis=0, kind="stable");
np.sort(a); np.sort(a, axis=None); np.sort(a, axis=0); np.partition(a, 2, axis=1); np.lexsort((a[0], b[0]));
np.unique(a); np.unique(a, return_index=True, return_inverse=True, return_counts=True); np.unique(a, axis=0);
np.searchsorted(np.sort(a[0]), b[1]); np.nonzero(a); np.flatnonzero(a); np.argwhere(a); np.count_nonzero(a);
np.count_nonzero(a, axis=1); np.where(m, a, b); np.where(m, a, 0); np.where(m); np.extract(m, a);
np.compress(m[0], a, axis=1); np.select([m, ~m], [a, b]); np.choose(i[0] % 2, [a[0], b[0]]); np.clip(a, 1, 3);
np.clip(a, None, 2); np.cumsum(a); np.cumsum(a, axis=0); np.cumprod(a, axis=1); np.diff(a); np.diff(a, axis=0, n=2);
np.gradient(a, axis=0); np.ediff1d(a); np.trapz(a); np.cov(a); np.corrcoef(a); np.convolve(a[0], b[0]);
np.correlate(a[0], b[1]); np.flip(a); np.flip(a, axis=0); np.fliplr(a); np.flipud(a); np.rot90(a); np.roll(a, 1);
np.roll(a, (1, 2), axis=(0, 1)); np.concatenate([a, b]); np.concatenate([a, b], axis=1);
np.concatenate([a, b], axis=None); np.stack([a, b], axis=1); np.vstack([a, b]); np.hstack([a, b]); np.dstack([a, b]);
np.column_stack([a[0], b[0]]); np.block([[a, b], [b, a]]); np.append(a, b); np.insert(a, 1, 7, axis=0);
np.delete(a, 0, axis=1); np.tile(a, (2, 1)); np.repeat(a, 2, axis=1); np.split(a, 2, axis=1);
np.array_split(a, 3, axis=1); np.hsplit(a, 2); np.vsplit(a, [1]); np.reshape(a, (4, 3)); np.reshape(a, -1);
np.ravel(a); np.ravel(a, order="F"); np.transpose(a); np.transpose(a, (1, 0)); np.swapaxes(a, 0, 1);
np.moveaxis(a, 0, -1); np.rollaxis(a, 1); np.expand_dims(a, 1); np.squeeze(a[:1]); np.squeeze(a[:1], axis=0);
np.broadcast_to(a, (2, 3, 4)); np.broadcast_arrays(a, b[0]); np.atleast_3d(a); np.resize(a, (2, 2)); np.pad(a, 1);
np.take(a, [2, 0]); np.take(a, i[0] % 3, axis=0); np.take_along_axis(a, i % 4, axis=1); np.diag(a);
np.diagonal(a, offset=1); np.trace(a); np.tril(a); np.triu(a, 1); np.vander(a[0]); np.meshgrid(a[0], b[1]);
np.isin(a, b); np.isin(a, [1, 2]); np.in1d(a, b); np.union1d(a, b); np.intersect1d(a, b); np.setdiff1d(a, b);
np.setxor1d(a, b); np.allclose(a, b); np.allclose(a, a); np.isclose(a, b); np.array_equal(a, a); np.array_equal(a, b);
np.array_equiv(a, b); np.all(a); np.any(a, axis=1); np.any(a, where=m); np.all(m, axis=0, keepdims=True);
np.dot(a, b.T); np.dot(a[0], b[0]); np.vdot(a, b); np.inner(a, b); np.outer(a[0], b[0]); np.matmul(a, b.T);
np.tensordot(a, b, axes=([0], [0])); np.einsum("ij,kj->ik", a, b); np.kron(a, b); np.cross(a[:, :3], b[:, :3]);
np.linalg.norm(a); np.linalg.norm(a, axis=1); np.linalg.svd(a, compute_uv=False); np.linalg.det(a[:, :3]);
np.linalg.matrix_rank(a); np.fft.fft(a); np.fft.ifft(a, axis=0); np.histogram(a, bins=4); np.bincount(i[0]);
np.digitize(a[0], [1, 3]); np.interp(a[0], [0, 1, 2], [5, 6, 7]); np.polyfit(i[0], a[0], 1);
np.piecewise(a, [m], [1, 2]); np.apply_along_axis(np.sort, 1, a); np.nan_to_num(a); np.round(a, 1); np.around(a);
np.fix(a); np.real(a); np.imag(a); np.angle(a); np.i0(a); np.sinc(a); np.isneginf(a); np.isposinf(a); np.iscomplex(a);
np.isreal(a); np.iscomplexobj(a); np.isrealobj(a); np.packbits(a, axis=1); np.shape(a); np.size(a); np.size(a, 0);
np.ndim(a); np.copy(a); np.zeros_like(a); np.ones_like(a, dtype="int8"); np.full_like(a, 2); np.empty_like(a).shape;
np.zeros(3, like=a); np.result_type(a, b); np.can_cast(a, "complex128"); np.common_type(a, b);
np.may_share_memory(a, b); np.array_str(a); np.array_repr(a); np.array2string(a); np.ix_(i[0]);
np.unravel_index(i[0], (4, 6)); np.ravel_multi_index((i[0] % 2, i[1] % 2), (2, 2)); np.triu_indices_from(a[:, :3]);
np.diag_indices_from(a[:, :3]); np.lib.stride_tricks.sliding_window_view(a, 2, axis=1); np.asarray_chkfinite(a).shape;
np.add(a, b); np.add(a, 1); np.subtract(a, b); np.multiply(a, 2.5); np.divide(a, b); np.true_divide(a, 2);
np.floor_divide(a, b); np.remainder(a, b); np.mod(a, 2); np.fmod(a, b); np.divmod(a, b); np.power(a, 2);
np.float_power(a, 2); np.negative(a); np.positive(a); np.absolute(a); np.abs(a); np.fabs(a); np.sign(a); np.rint(a);
np.floor(a); np.ceil(a); np.trunc(a); np.sqrt(a); np.cbrt(a); np.square(a); np.reciprocal(a); np.exp(a); np.exp2(a);
np.expm1(a); np.log(a); np.log2(a); np.log10(a); np.log1p(a); np.sin(a); np.cos(a); np.tan(a); np.arcsin(a);
np.arctan2(a, b); np.hypot(a, b); np.sinh(a); np.tanh(a); np.deg2rad(a); np.degrees(a); np.conjugate(a);
np.maximum(a, b); np.minimum(a, b); np.fmax(a, b); np.fmin(a, 2); np.isnan(a); np.isinf(a); np.isfinite(a);
np.signbit(a); np.copysign(a, b); np.nextafter(a, b); np.spacing(a); np.modf(a); np.frexp(a); np.ldexp(a, 2);
np.heaviside(a, b); np.gcd(a, b); np.lcm(a, b); np.logaddexp(a, b); np.logical_and(a, b); np.logical_or(a, b);
np.logical_not(a); np.logical_xor(a, b); np.bitwise_and(a, b); np.bitwise_or(a, b); np.bitwise_xor(a, b);
np.invert(a); np.left_shift(a, 1); np.right_shift(a, b); np.equal(a, b); np.not_equal(a, b); np.less(a, b);
np.less_equal(a, b); np.greater(a, 2); np.greater_equal(a, b); np.add.reduce(a); np.add.reduce(a, axis=None);
np.maximum.reduce(a, axis=1, keepdims=True); np.add.reduce(a, where=m, initial=0); np.multiply.accumulate(a, axis=1);
np.add.accumulate(a); np.subtract.outer(a[0], b[0]); np.add.outer(a, 1); np.add.reduceat(a, [0, 2], axis=1);
np.logical_or.reduce(a); np.add(a, b, dtype="float64"); np.add(a, b, casting="no")
"""
EXPRESSIONS = [" ".join(text.split()) for text in FUNCTIONS.split(";")]


def data(dtype, layout):
    """Two matrices of 3 x 4 with repetitions, zeros and, where the dtype has them, NaN and infinity."""
    rng = np.random.default_rng(7)
    a, b = (rng.integers(0, 5, (3, 4)).astype(dtype) for _ in range(2))
    if np.dtype(dtype).kind in "fc":
        a[0, 1], a[2, 3], b[1, 1] = np.nan, np.inf, -1.5
    if layout == "transposed":
        return tuple(np.asfortranarray(x) for x in (a, b))
    if layout == "sliced":
        return tuple(np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[1::2, 2::3] for x in (a, b))
    return a, b


def run(expression, *values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(expression, dict(zip(("np", "a", "b", "m", "i"), (np, *values)))), None
        except Exception as e:
            return None, e


def check_same(got, expected):
    if isinstance(expected, (np.ndarray, np.generic)):
        if expected.dtype in SUPPORTED:
            assert isinstance(got, tamis.Tensor)
            assert got.dtype.to_numpy() == expected.dtype
        else:
            assert type(got) is type(expected) and got.dtype == expected.dtype
        assert got.shape == expected.shape
        np.testing.assert_array_equal(np.asarray(got), expected)
    elif isinstance(expected, (tuple, list)):
        assert type(got) is type(expected) and len(got) == len(expected)
        for g, e in zip(got, expected):
            check_same(g, e)
    else:
        assert type(got) is type(expected) and got == expected


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_give_numpys_answer(dtype, layout):
    assert len(EXPRESSIONS) > 250
    a, b = data(dtype, layout)
    m, i = b.real > 1, np.arange(12).reshape(3, 4)
    before = a.copy()
    x = tamis.asarray(a)
    assert x.data_ptr() == a.ctypes.data
    answered = 0
    for expression in EXPRESSIONS:
        expected, refused = run(expression, a, b, m, i)
        got, error = run(expression, x, tamis.asarray(b), tamis.asarray(m), tamis.asarray(i))
        np.testing.assert_array_equal(a, before, err_msg=expression)
        if refused is not None:
            assert error is not None, expression
            continue
        assert error is None, f"{expression}: {error!r}"
        try:
            check_same(got, expected)
        except AssertionError as e:
            raise AssertionError(expression) from e
        answered += 1
    assert answered > 150


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,)])
def test_few_elements(shape):
    a = np.ones(shape)
    for expression in ("np.sum(a)", "np.mean(a)", "np.sort(a, axis=None)", "np.ravel(a)", "np.nonzero(a)", "np.add(a, 1)",
                       "np.add.reduce(a)", "np.concatenate([a, a])", "np.min(a)", "np.squeeze(a)", "np.where(a > 0, a, 2)"):
        expected, refused = run(expression, a)
        got, error = run(expression, tamis.asarray(a))
        assert type(error) is type(refused), expression
        if refused is None:
            check_same(got, expected)


def test_dtypes_that_tamis_lacks_stay_numpys():
    x = tamis.tensor([200, 100], dtype=tamis.uint8)
    total = np.sum(x)
    assert total.dtype is tamis.uint64 and total.item() == 300
    total = np.sum(x, dtype="longdouble")
    assert type(total) is np.longdouble and total == 300
    assert type(np.add(x, 1, dtype="longdouble")) is np.ndarray
    with pytest.raises(TypeError, match=r"BFloat16.*\.float\(\)"):
        np.sum(tamis.ones(2, dtype=tamis.bfloat16))


def test_dtypes_of_tamis_are_dtypes_for_numpy():
    x = tamis.tensor([1, 2], dtype=tamis.int8)
    assert np.sum(x, dtype=tamis.float32).dtype is tamis.float32
    assert np.add(x, x, dtype=tamis.int16).dtype is tamis.int16
    assert [getattr(tamis, d).kind for d in DTYPES] == [np.dtype(d).kind for d in DTYPES]
    assert tamis.bfloat16.kind == "f"


def test_lists_of_tensors_become_arrays():
    for x in (tamis.arange(3), tamis.arange(6.0).reshape(2, 3), tamis.tensor(5)):
        assert np.array([x, x]).tolist() == [x.tolist(), x.tolist()]
        assert np.asarray([[x], [x]]).shape == (2, 1, *x.shape)


# ---- operators -------------------------------------------------------------------------------------------------

IN_PLACE = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>="]


@pytest.mark.parametrize("op", IN_PLACE)
def test_in_place_operators_write_into_the_array(op):
    for dtype in ("bool", "int64", "float64"):
        a, b = np.array([3, 5, 2]).astype(dtype), np.array([1, 2, 1]).astype(dtype)
        expected = a.copy()
        theirs, ours = {"a": expected, "b": b}, {"a": a, "b": tamis.asarray(b)}
        try:
            exec(f"a {op} b", theirs)
        except TypeError:
            with pytest.raises(TypeError):
                exec(f"a {op} b", ours)
        else:
            exec(f"a {op} b", ours)
        assert ours["a"] is a
        np.testing.assert_array_equal(a, expected)


def test_a_mask_combined_in_place_is_not_lost():
    keep = np.array([True, True, False])
    other_name = keep
    keep &= tamis.tensor([1, -1, 1]) > 0
    assert keep is other_name and keep.tolist() == [True, False, False]


def test_in_place_operators_cast_as_numpy_does():
    a = np.array([1, 2])
    with pytest.raises(TypeError, match="Cannot cast"):
        a += tamis.tensor([0.5, 0.5])
    assert a.tolist() == [1, 2]


def test_an_array_and_a_tensor_meet_in_the_tensors_operator():
    a, w = np.array([1.0, 2.0]), tamis.tensor([3.0, 5.0], dtype=tamis.float64).requires_grad_()
    (a * w + np.float64(1) / w).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), [1 - 1 / 9, 2 - 1 / 25])
    assert (np.array([1, 2], dtype=np.float32) + tamis.tensor([1, 2])).dtype is tamis.float32
    assert (np.ones((2, 3)) @ tamis.ones(3, dtype=tamis.float64)).tolist() == [3, 3]
    assert (np.array([1, 4]) < tamis.tensor([2, 3])).tolist() == [True, False]
    assert (np.array([2]) ** tamis.tensor([3])).tolist() == [8]
    with pytest.raises(RuntimeError, match="size of tensor"):
        np.ones(2) + tamis.ones(3)


def test_tensors_index_arrays():
    a, mask = np.arange(4.0), tamis.tensor([True, False, True, False])
    assert a[mask].tolist() == [0, 2]
    assert a[tamis.tensor([3, 0])].tolist() == [3, 0]
    a[mask] = tamis.tensor([5.0, 6.0])
    a[~mask] = 0
    assert a.tolist() == [5, 0, 6, 0]


# ---- writes ----------------------------------------------------------------------------------------------------


def test_out_may_be_a_tensor():
    a = np.arange(6.0).reshape(2, 3)
    out = tamis.full((2, 3), -1.0, dtype=tamis.float64)
    doubled = out * 2  # deferred over what is about to be written
    assert np.add(a, 1, out=out, where=a > 2) is out
    assert out.tolist() == [[-1, -1, -1], [4, 5, 6]]
    assert doubled.tolist() == [[-2] * 3] * 2
    column = tamis.zeros(3, 2, dtype=tamis.float64)
    assert np.sum(tamis.asarray(a), axis=1, out=column[1]).tolist() == [3, 12]
    assert column.tolist() == [[0, 0], [3, 12], [0, 0]]
    whole, part = tamis.empty(2), np.empty(2)
    answer = np.modf(tamis.tensor([1.5, -2.25]), out=(part, whole))
    assert answer[0] is part and answer[1] is whole
    assert whole.tolist() == [1, -2] and part.tolist() == [0.5, -0.25]
    x = tamis.arange(4)
    assert np.add(x[:-1], x[1:], out=x[1:]).tolist() == [1, 3, 5]
    array = np.empty(3)
    assert np.mean(tamis.ones(2, 3), axis=0, out=array) is array and array.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "write",
    [
        lambda a: np.add.at(a, [0, 0, 2], 5),
        lambda a: np.negative.at(a, [1]),
        lambda a: np.put(a, [0, 2], [7, 8]),
        lambda a: np.put(a=a, ind=[0], v=9),
        lambda a: np.place(a, np.array([True, False, True, False]), [4]),
        lambda a: np.putmask(a, np.array([True, False, True, False]), 6),
        lambda a: np.copyto(a, [9, 8, 7, 6]),
        lambda a: np.copyto(dst=a, src=3, where=np.array([True, False, False, True])),
        lambda a: np.put_along_axis(a, np.array([3, 1]), 2, axis=0),
        lambda a: np.fill_diagonal(a.reshape(2, 2), 1),
    ],
)
def test_functions_that_write_reach_the_tensor(write):
    a = np.arange(4)
    x = tamis.arange(4)
    old = x + 0
    assert write(x) is None and write(a) is None
    assert x.tolist() == a.tolist()
    assert old.tolist() == [0, 1, 2, 3]


def test_writes_of_numpy_are_noticed_by_gradients():
    w = tamis.tensor([1.0, 2.0]).requires_grad_()
    factor = tamis.tensor([3.0, 4.0])
    loss = (w * factor).sum()
    np.add(factor, 1, out=factor)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_tensor_that_is_not_named_as_the_target_is_not_written():
    x, y = tamis.ones(2), tamis.zeros(2)
    with pytest.raises(TypeError, match=r"write x\.copy_\(result\)"):
        np.nan_to_num(tamis.tensor([float("nan")]), copy=False)
    with pytest.raises(TypeError, match=r"out=x\. Instead of copy=False or overwrite_input=True"):
        np.median(tamis.tensor([3.0, 1.0, 2.0]), overwrite_input=True)
    assert np.clip(x, 2, 3, y) is y and y.tolist() == [2, 2] and x.tolist() == [1, 1]
    assert np.sum(x, 0, None, y[0]).item() == 2 and y.tolist() == [2, 2]
    fixed = np.zeros(2)
    fixed.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        np.add(x, x, out=tamis.asarray(fixed))


# ---- views and gradients ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        lambda a: np.reshape(a, (3, 2)),
        lambda a: np.transpose(a),
        lambda a: np.ravel(a),
        lambda a: np.expand_dims(a, 0),
        lambda a: np.split(a, 2)[1],
        lambda a: np.diagonal(a),
        lambda a: np.broadcast_to(a, (2, 2, 3)),
        lambda a: np.moveaxis(a[:, 1:], 0, 1),
        lambda a: np.lib.stride_tricks.sliding_window_view(a, 2, axis=1),
    ],
)
def test_views_are_views_of_the_tensor(view):
    a, x = np.arange(6.0).reshape(2, 3), tamis.arange(6.0).reshape(2, 3)
    seen = view(x)
    deferred = seen + 1
    expected = (view(a) + 1).tolist()
    x.fill_(0)
    assert deferred.tolist() == expected, "a write to the tensor must settle what reads the view"
    assert not seen.any()


def test_views_that_a_tensor_cannot_be_are_copies():
    x = tamis.arange(6.0)
    backward = np.flip(x)
    z = tamis.tensor([1 + 2j, 3 - 1j])
    real = np.real(z)
    x.fill_(0)
    z.fill_(0)
    assert backward.tolist() == [5, 4, 3, 2, 1, 0] and real.tolist() == [1, 3]
    assert np.atleast_1d(x) is x


def test_gradients_are_not_lost_silently():
    w = tamis.tensor([1.0, -2.0]).requires_grad_()
    for function in (np.sum, np.exp, np.ravel, lambda x: np.where(x > 0, x, 0), lambda x: np.add(x, 1)):
        with pytest.raises(RuntimeError, match=r"gradients do not flow through NumPy.*x\.detach\(\)"):
            function(w)
        function(w.detach())
    target = tamis.zeros(2)
    with pytest.raises(RuntimeError, match="gradients do not flow"):
        np.copyto(target, w)
    assert target.tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="gradients do not flow"):
        np.put(w, [0], 1)
    assert np.isnan(w).tolist() == [False, False] and np.shape(w) == (2,) and np.argmax(w) == 0
    array = np.zeros(2)
    array += w
    assert array.tolist() == [1, -2]
    with tamis.no_grad():
        assert np.sum(w).item() == -1


# ---- other arrays ----------------------------------------------------------------------------------------------


class Labelled(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of another library that takes part in NumPy's protocols."""

    def __init__(self, values):
        self.values = values

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [i.values if isinstance(i, Labelled) else i for i in inputs]
        assert all(isinstance(i, (np.ndarray, int, tamis.Tensor)) for i in plain)
        return Labelled(getattr(ufunc, method)(*plain, **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        return "mine"


def test_other_arrays_have_their_say():
    x, labelled = tamis.ones(2), Labelled(np.array([1, 2]))
    for result in (np.add(x, labelled), np.add(labelled, x), labelled + x):
        assert isinstance(result, Labelled) and np.asarray(result.values).tolist() == [2, 3]
    assert np.concatenate([x, labelled]) == "mine"


# ---- masked arrays ---------------------------------------------------------------------------------------------

MASKED = np.ma.masked_invalid([1.0, np.nan])


@pytest.mark.parametrize(
    "use",
    [
        lambda a: tamis.tensor(a),
        lambda a: tamis.tensor([a, a]),
        lambda a: tamis.tensor([1.0, np.ma.masked]),
        lambda a: tamis.asarray(a),
        lambda a: tamis.as_tensor(a),
        lambda a: tamis.asarray(a, copy=True),
        lambda a: tamis.from_numpy(a),
        lambda a: tamis.from_dlpack(a),
        lambda a: tamis.sum(a),
        lambda a: tamis.masked.mean(a),
        lambda a: tamis.masked_select(np.ones(2), a > 0),
        lambda a: tamis.where(a > 0, tamis.ones(2), 0),
        lambda a: tamis.stack([tamis.ones(2), a]),
        lambda a: tamis.add(tamis.ones(2), tamis.ones(2), out=a),
        lambda a: tamis.ones(2) + a,
        lambda a: tamis.ones(2) > a,
        lambda a: tamis.ones(2)[a > 0],
        lambda a: tamis.ones(2).__setitem__(slice(None), a),
        lambda a: tamis.ones(2).__setitem__(0, np.ma.masked),
        lambda a: tamis.ones(2).__setitem__(a > 0, 0),
        lambda a: tamis.ones(2).__iadd__(a),
        lambda a: tamis.ones(2).copy_(a),
        lambda a: a in tamis.ones(2),
    ],
)
def test_masked_arrays_are_refused(use):
    with pytest.raises(TypeError, match=r"masked array would be lost; write a\.filled.*mask=~np\.ma\.getmaskarray\(a\)"):
        use(MASKED)


def test_what_the_message_on_masked_arrays_says_works():
    assert tamis.tensor(MASKED.filled(0)).tolist() == [1, 0]
    assert tamis.masked.mean(MASKED.data, mask=~np.ma.getmaskarray(MASKED)) == 1


def test_masked_arrays_keep_their_mask_beside_tensors():
    x = tamis.tensor([10.0, 20.0])
    for result in (MASKED + x, np.add(x, MASKED), np.add(MASKED, x), np.multiply(MASKED, x)):
        assert isinstance(result, np.ma.MaskedArray)
        assert result.mask.tolist() == [False, True]
    total = MASKED.copy()
    total += x
    assert total.tolist() == [11, None]
    made = np.ma.masked_where(x > 15, x)
    assert made.tolist() == [10, None]
    for function in (lambda: np.concatenate([x, MASKED]), lambda: np.where(MASKED > 0, x, 0), lambda: np.sum(x, where=MASKED > 0)):
        with pytest.raises(TypeError, match=r"ignore its mask; write a\.filled"):
            function()
