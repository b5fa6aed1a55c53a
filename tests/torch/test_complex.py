"""Complex numbers: what the other dtypes are tested with, arithmetic, parts and views, and what is refused."""

import operator
from functools import partial

import numpy as np
import pytest
import tamis
import torch

import test_gather
import test_indexing
import test_masking
import test_print
import test_results
import test_sequence
import test_views
from cases import COMPLEX, DTYPES, DType, broadcastable, pair, pick, plain, seeded, some_shape
from near import listed, near

MOVES = [test_views.test_views, test_views.test_reshape, test_views.test_expansion, test_masking.test_masked_select,
         test_masking.test_masked_fill, test_masking.test_masked_scatter, test_masking.test_where,
         test_masking.test_nonzero, test_gather.test_gather, test_gather.test_index_select,
         test_gather.test_take_along_dim, test_gather.test_slices, test_gather.test_scatter, test_indexing.test_get,
         test_indexing.test_put, test_indexing.test_rows, test_indexing.test_flips_and_rolls,
         test_indexing.test_diagonals, test_results.test_masked_select_padded, test_results.test_masked_select_rows,
         test_results.test_partition, test_sequence.test_pad_sequence, test_sequence.test_pack]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("test", MOVES, ids=lambda test: test.__name__)
def test_moves(check, test, dtype):
    test(check, dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("kind", ["any", "small"])
def test_repr(check, dtype, kind):
    test_print.test_repr(check, dtype, kind)


EXACT = ["neg", "conj", "isnan", "isinf", "isfinite", "logical_not", "square", "positive", "isreal"]
CLOSE = ["abs", "angle", "cos", "exp", "log", "log10", "log2", "reciprocal", "rsqrt", "sigmoid", "sin", "sqrt", "tan",
         "tanh", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "sgn", "sinc", "expm1", "log1p"]
REFUSED = ["erfc", "erfinv", "exp2", "lgamma", "digamma", "i0", "logit", "frac", "signbit", "deg2rad", "rad2deg",
           "bitwise_not", "ceil", "erf", "floor", "relu", "round", "sign", "trunc", "max", "min", "amax",
           "amin"]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("op", EXACT + CLOSE + REFUSED)
def test_unary(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(12):
        # torch's vectors negate zeros to +0, and square by way of FMA.
        x = pair(dtype, some_shape(rng), rng, "any" if op in EXACT and op not in ("neg", "square") else "nonzero")
        if op in ("max", "min", "amax", "amin") and x.torch.numel() == 0:
            continue
        # torch's vectors have fewer digits of these two.
        ulps = 0 if op in EXACT else 64 if op in ("acos", "asin") else 8
        check(op, x, ulps=ulps)
        check(op, x, call=lambda lib, x: getattr(x, op)(), ulps=ulps)


@pytest.mark.parametrize("op", ["neg", "square", "reciprocal", "exp", "sqrt", "abs"])
def test_unary_in_place(check, op):
    for dtype in COMPLEX:
        x = pair(dtype, (3, 5), seeded(op + "_" + dtype), "nonzero", private=True)
        check(op + "_", x, call=lambda lib, x: (getattr(x, op + "_")(), x), ulps=8)


ARITHMETIC = {"add": 0, "sub": 0, "mul": 0, "div": 4, "eq": 0, "ne": 0, "logical_and": 0, "logical_or": 0,
              "logical_xor": 0, "pow": 64, "float_power": 256, "ldexp": 8}
NO_ORDER = ["atan2", "hypot", "copysign", "nextafter", "xlogy", "fmax", "fmin", "heaviside", "gcd", "lcm",
            "bitwise_left_shift", "bitwise_right_shift", "lt", "le", "gt", "ge", "maximum", "minimum", "remainder", "fmod", "floor_divide", "bitwise_and",
            "bitwise_or", "bitwise_xor"]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("op", list(ARITHMETIC) + NO_ORDER)
def test_binary(check, op, dtype):
    rng = seeded(op + dtype)
    kind = "nonzero" if op in ("div", "pow", "float_power") else "small"
    ulps = ARITHMETIC.get(op, 0)
    for other in DTYPES + COMPLEX:
        if op == "sub" and other == "bool":
            continue
        for i in range(3):
            shape = some_shape(rng)
            x, y = pair(dtype, shape, rng, kind), pair(other, broadcastable(shape, rng), rng, kind)
            check(op, x, y, ulps=ulps)
            check(op, y, x, ulps=ulps)
        check(op, pair(dtype, (), rng, kind), pair(other, (2, 3), rng, kind), ulps=ulps)
        check(op, pair(dtype, (3,), rng, kind), pair(other, (), rng, kind), ulps=ulps)


@pytest.mark.parametrize("op", ["eq", "ne"])
def test_special_values(check, op):
    for dtype in COMPLEX:
        rng = seeded("special" + op + dtype)
        for i in range(5):
            check(op, pair(dtype, (70,), rng), pair(dtype, (70,), rng))


OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
             "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "ge": operator.ge}


@pytest.mark.parametrize("op", OPERATORS)
def test_numbers(check, op):
    """Complex numbers are weak: they make tensors complex, and do not widen them."""
    f = OPERATORS[op]
    for dtype in [d for d in DTYPES if d not in ("bool", "float16", "bfloat16")] + COMPLEX:
        rng = seeded("number" + op + dtype)
        for number in (2j, 1 + 2j, -0.5j, 3 + 0j) + ((2, 1.5) if dtype in COMPLEX else ()):
            check(op, pair(dtype, (5,), rng, "nonzero"), number, call=lambda lib, x, v: f(x, v), ulps=4)
            check(op, number, pair(dtype, (5,), rng, "nonzero"), call=lambda lib, v, x: f(v, x), ulps=4)
    for alpha in (2j, 2.5, 1):
        check("add", pair("complex64", (4,), rng, "small"), pair("float32", (4,), rng, "small"), alpha=alpha)
        check("sub", pair("float32", (4,), rng, "small"), pair("float32", (4,), rng, "small"), alpha=alpha)


@pytest.mark.parametrize("op", ["add", "mul", "div"])
def test_in_place(check, op):
    rng = seeded(op + "in place")
    for dtype in COMPLEX + ["float32", "int64"]:
        for other in ["int64", "float32", "float64"] + COMPLEX:
            x, y = pair(dtype, (3, 4), rng, "nonzero", private=True), pair(other, (4,), rng, "nonzero")
            check(op + "_", x, y, call=lambda lib, x, y: (getattr(x, op + "_")(y), x), ulps=4)
        x = pair(dtype, (5,), rng, "nonzero", private=True)
        check(op + "_", x, 1j, call=lambda lib, x, v: (getattr(x, op + "_")(v), x), ulps=4)


def exact(op):
    """The reduction of complex64 in complex128, rounded once, as Tamis computes it."""

    def call(lib, x, *args, dtype=None, **kwargs):
        target = dtype or x.dtype
        wide = x.to(target)
        return getattr(lib, op)(wide.cdouble() if target == torch.complex64 else wide, *args, **kwargs).to(target)

    return call


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("op", ["sum", "mean", "prod"])
def test_reductions(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(20):
        x = pair(dtype, some_shape(rng), rng, "small" if op != "prod" else "positive")
        found = {}
        if i % 2 and x.torch.dim() > 0:
            found = {"dim": int(rng.randint(-x.torch.dim(), x.torch.dim())), "keepdim": bool(rng.randint(2))}
        if op == "prod" and x.torch.numel() > 100:
            continue
        check(op, x, **found, reference=exact(op), ulps=64 if op == "prod" else 4)
        real = pair("float32", x.torch.shape, rng, "small")
        check(op, real, **found, dtype=DType(dtype), reference=exact(op), ulps=64)
    x = pair(dtype, (3, 5, 2), rng, "small")
    for name in ("cumsum", "cumprod"):
        for dim in (0, -1):
            check(name, x, dim, ulps=64)
        check(name, pair("int64", (4,), rng, "small"), 0, dtype=DType(dtype), ulps=64)
    for name in ("any", "all", "count_nonzero"):
        check(name, x)
        check(name, x, 1)
    check("sum", x, dim=(0, 2))
    check("sum", pair(dtype, (4, 5000), rng, "small"), dim=1, reference=exact("sum"))
    check("sum", pair(dtype, (5000, 3), rng, "small"), dim=0, reference=exact("sum"))
    check("sum", pair(dtype, (70000,), rng, "small"), reference=exact("sum"))


def test_closeness(check):
    nan, inf = float("nan"), float("inf")
    a = plain([1 + 2j, 1 + 2j, complex(nan, 1), complex(inf, 1), 0j], "complex64")
    b = plain([1 + 2.000001j, 1.1 + 2j, complex(nan, 1), complex(inf, 1), 1e-9j], "complex64")
    for equal_nan in (False, True):
        check("isclose", a, b, equal_nan=equal_nan)
        check("allclose", a, b, equal_nan=equal_nan)
    check("equal", a, a)
    check("equal", b, plain([1 + 2j], "complex64"))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts(check, dtype):
    rng = seeded("parts" + dtype)
    part = "float32" if dtype == "complex64" else "float64"
    for shape in [(), (3,), (2, 3), (2, 0), (4, 3, 2)]:
        x = pair(dtype, shape, rng, private=True)
        views = [("real", lambda lib, x: lib.real(x)), ("imag", lambda lib, x: lib.imag(x)),
                 ("view_as_real", lambda lib, x: lib.view_as_real(x)),
                 ("real", lambda lib, x: x.real), ("imag", lambda lib, x: x.imag)]
        for op, call in views:
            case = check(op, x, call=call)
            if case.tamis.result.numel():
                assert case.tamis.result.stride() == case.torch.result.stride()
            check(op, x, call=lambda lib, x: (call(lib, x).fill_(7), x)[1])
        check("view_as_complex", pair(part, shape + (2,), rng, layout="contiguous"))
        check("view_as_complex", pair(part, shape + (2,), rng, layout="contiguous", private=True),
              call=lambda lib, x: (lib.view_as_complex(x).fill_(3 - 4j), x)[1])
        check("complex", pair(part, shape, rng), pair(part, shape, rng))
        check("is_complex", x)
    check("complex", pair(part, (3, 1), rng), pair(part, (4,), rng))
    # A view of the parts in the same expression as the whole, and written while it is read.
    z = pair(dtype, (5,), rng, "small", private=True)
    check("add", z, call=lambda lib, z: z + lib.view_as_real(z)[:, 0])
    check("mul", z, call=lambda lib, z: (lib.real(z).mul_(2), z)[1])
    check("abs", z, call=lambda lib, z: (z.real.copy_(lib.abs(z.clone())), z)[1], ulps=4)


def test_parts_of_real_tensors(check):
    for dtype in DTYPES:
        x = pair(dtype, (5,), seeded("real" + dtype))
        for op in ("real", "imag", "conj", "view_as_real", "is_complex"):
            check(op, x)
        check("angle", x)
    for values in ([[1.0, 2.0, 3.0]], 1.0):
        check("view_as_complex", plain(values))
    check("view_as_complex", plain([[1, 2]]))
    check("view_as_complex", plain([[1.0, 2, 3, 4]]), call=lambda lib, x: lib.view_as_complex(x[:, ::2]))
    check("view_as_complex", plain([1.0, 2, 3]), call=lambda lib, x: lib.view_as_complex(x[1:]))
    check("complex", plain([1]), plain([2]))
    check("complex", plain([1.0]), plain([2.0], "float64"))


def test_conversions(check):
    for dtype in COMPLEX:
        for other in DTYPES + COMPLEX:
            rng = seeded("to" + dtype + other)
            check("to", pair(dtype, (7,), rng, "positive"), DType(other), call=lambda lib, x, d: x.to(d))
            check("to", pair(other, (7,), rng, "small"), DType(dtype), call=lambda lib, x, d: x.to(d))
            x, y = pair(other, (7,), rng, "small", private=True), pair(dtype, (7,), rng, "positive")
            check("copy_", x, y, call=lambda lib, x, y: (x.copy_(y), x)[1])
        x = pair(dtype, (3,), rng, "small")
        check("cat", [x, pair("float64", (2,), rng)])
        check("stack", [x, pair("int64", (3,), rng, "small")])
        check("tolist", x, call=lambda lib, x: x.tolist())
        check("item", x, call=lambda lib, x: x[0].item())
        check("complex", x, call=lambda lib, x: complex(x[0]))
        check("float", x, call=lambda lib, x: float(x[0]))
        check("cfloat", x, call=lambda lib, x: x.cfloat())
        check("cdouble", x, call=lambda lib, x: x.cdouble())
        check("eye", 3, dtype=DType(dtype))
        check("full", (2, 2), 1 - 2j)
        check("full", (2, 2), 3, dtype=DType(dtype))
        check("linspace", 0, 1, 5, dtype=DType(dtype))
        for refused in ("arange",):
            check(refused, 3, dtype=DType(dtype))
        check("isin", x, x)
        check("kthvalue", x, 1)
        check("clamp", x, 0, 1)


def in_parts(lib, results):
    """Complex results as their parts, which can be near."""
    return [lib.view_as_real(r) if r.is_complex() else r for r in listed(results)]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("op", ["var", "std", "var_mean", "std_mean"])
def test_moments(check, op, dtype):
    rng = seeded("moments" + op + dtype)
    call = near(lambda lib, x, d, **k: in_parts(lib, getattr(lib, op)(x, d, **k)), 64, 1.0)
    for correction in (0, 1, 2) * 5:
        x = pair(dtype, (3, 5), rng, "small")
        check(op, x, pick(rng, [0, 1, (0, 1)]), correction=correction, keepdim=bool(rng.randint(2)), call=call)


def masked_moment(op, lib, x, **kwargs):
    """torch's masked.var and masked.std are complex, with rounding errors as imaginary parts."""
    unbiased = {} if op == "mean" else {"unbiased": True}
    found = getattr(lib.masked, op)(x, **kwargs, **unbiased)
    return in_parts(lib, found.real if lib is torch and op != "mean" else found)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("op", ["var", "std", "mean"])
def test_masked_moments(check, op, dtype):
    rng = seeded("masked moments" + op + dtype)
    for dim in (0, 1) * 5:
        m = rng.rand(3, 5) < 0.7
        m[1], m[2], m[:, 1:3] = True, True, True  # at least two of each slice
        x = pair(dtype, (3, 5), rng, "small")
        check("masked." + op, x, dim=dim, keepdim=bool(rng.randint(2)), mask=plain(m.tolist()),
              call=near(partial(masked_moment, op), 64, 1.0))


def test_numbers_that_do_not_fit(check):
    x = pair("float32", (4,), seeded("fit"), "small", private=True)
    for value in (1j, 2 + 0j):
        check("fill_", x, value, call=lambda lib, x, v: (x.fill_(v), x)[1])
        check("masked_fill", x, plain([True, False, True, False]), value)
    check("full", (2,), 1j, dtype=DType("float32"))


def test_lists():
    for values in ([1, 2.5, 1j], [[1j, True]], 1j):
        ours, theirs = tamis.tensor(values), torch.tensor(values)
        assert ours.tolist() == theirs.tolist() and repr(ours) == repr(theirs)
    assert tamis.tensor([1j], dtype=complex).dtype is tamis.complex128
    with pytest.raises(TypeError, match="must be real number, not complex"):
        tamis.tensor([1j], dtype=tamis.float32)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_exchange(dtype):
    """NumPy, DLPack, torch and buffers share the memory, both ways."""
    array = np.arange(12).reshape(3, 4).astype(dtype) * (1 + 2j)
    for view in (array, array.T, array[:, ::2], array[1:]):
        ours = tamis.from_numpy(view)
        assert ours.tolist() == view.tolist() and np.shares_memory(ours.numpy(), array)
        assert ours.numpy().dtype == array.dtype
    theirs = torch.from_numpy(array)
    for ours in (tamis.from_dlpack(theirs), tamis.as_tensor(theirs)):
        assert ours.tolist() == theirs.tolist() and ours.data_ptr() == theirs.data_ptr()
        assert torch.from_dlpack(ours).data_ptr() == theirs.data_ptr()
    assert tamis.as_tensor(theirs.conj()).tolist() == theirs.conj().tolist()
    assert np.asarray(memoryview(tamis.from_numpy(array))).tolist() == array.tolist()
    # Aligned to its parts only.
    odd = np.zeros(9 * 8 + 8, np.uint8)[8:].view(np.float64)[1:].view(np.complex128)
    assert tamis.from_numpy(odd).data_ptr() == odd.ctypes.data
    x = tamis.from_numpy(odd)
    assert x[tamis.from_numpy(odd) == 0].numel() == x.numel()


def test_random_numbers():
    tamis.manual_seed(3)
    for dtype in (tamis.complex64, tamis.complex128):
        uniform, normal = tamis.rand(20000, dtype=dtype), tamis.randn(20000, dtype=dtype)
        for part in (uniform.real, uniform.imag):
            assert 0 <= min(part.tolist()) and max(part.tolist()) < 1
        assert abs((normal.abs() * normal.abs()).mean().item() - 1) < 0.05


@pytest.mark.parametrize("dtype", COMPLEX)
def test_norms(check, dtype):
    """Of complex numbers they are real, and computed in float64."""
    rng = seeded("norms" + dtype)
    inf = float("inf")

    def wide(f):
        def call(lib, x, *args, **kwargs):
            if lib is not torch:
                return f(lib, x, *args, **kwargs)
            found = f(lib, x.cdouble(), *args, **kwargs)
            return found.to(x.dtype if found.is_complex() else x.real.dtype)
        return call

    close = dict(ulps=4 if dtype == "complex64" else 256)
    for p in (2, 2.0, 1, 0, 3, 0.5, -1, inf, -inf):
        for dim in ({}, {"dim": 0}, {"dim": (0, 1), "keepdim": True}, {"dim": -1}):
            check("norm", pair(dtype, (3, 5), rng, "nonzero"), p, **dim, call=wide(lambda lib, *a, **k: lib.norm(*a, **k)), **close)
            if p > 0:
                check("masked.norm", pair(dtype, (3, 5), rng, "nonzero"), float(p), **dim, mask=pair("bool", (3, 5), rng),
                      call=wide(lambda lib, *a, **k: lib.masked.norm(*a, **k)), **close)
    for dim in (0, 1):
        x, m = pair(dtype, (3, 5), rng, "nonzero"), pair("bool", (3, 5), rng)
        kept = lambda lib, found, mask: lib.where(mask, found, lib.zeros_like(found))
        check("masked.normalize", x, 2.0, dim, mask=m, ulps=256,
              call=wide(lambda lib, x, p, d, mask: kept(lib, lib.masked.normalize(x, p, d, mask=mask), mask)))
        check("normalize", x, 2.0, dim, ulps=256, call=wide(
            lambda lib, x, p, d: (torch.nn.functional if lib is torch else lib).normalize(x, p, d)))
    x = pair(dtype, (3, 5), rng, "nonzero")
    for target in ("complex64", "complex128", "float32", "float64"):
        check("norm", x, 1, 0, dtype=DType(target), ulps=256)
        check("norm", pair("float32", (3, 5), rng, "nonzero"), 1, 0, dtype=DType(target), ulps=256)
        if (dtype, target) != ("complex128", "complex64"):  # which torch refuses
            check("masked.norm", x, 2.0, 0, dtype=DType(target), ulps=256)
        check("masked.norm", pair("float32", (3, 5), rng, "nonzero"), 2.0, 0, dtype=DType(target), ulps=256)
