"""Covariances, histograms, integrals, slopes and layer_norm: against torch's of the same name, computed in float64."""

import pytest
import tamis
import torch
import torch.nn.functional as F

from cases import FLOATS, Pair, pair, plain, same_in_tamis, seeded

FULL = ["float32", "float64"]


def wide(t):
    return t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t


def in_double(name, lift=0):
    """torch's result of float64, rounded. What may cancel is compared beside a larger number."""

    def call(lib, *args, **options):
        if lib is tamis:
            found = getattr(tamis, name)(*args, **options)
        else:
            function = getattr(torch, name, None) or getattr(F, name)
            found = function(*map(wide, args), **{k: wide(v) for k, v in options.items()})
            dtype = args[0].dtype if args[0].is_floating_point() else torch.float32
            found = [f.to(dtype) for f in found] if isinstance(found, (tuple, list)) else found.to(dtype)
        return tuple(f + lift for f in found) if isinstance(found, (tuple, list)) else found + lift

    return call


@pytest.mark.parametrize("dtype", ["int32", "int64", *FULL])
def test_covariances(check, dtype):
    rng = seeded("cov" + dtype)
    for shape in [(3, 5), (1, 4), (6,), (), (2, 1), (4, 2)]:
        columns = shape[-1] if shape else 1
        x = lambda: pair(dtype, shape, rng, "small")
        often = pair("int64", (columns,), rng, "positive")
        share = pair("float32" if dtype != "float64" else dtype, (columns,), rng, "positive")
        for options in ({}, {"correction": 0}, {"correction": 2}, {"fweights": often}, {"aweights": share},
                        {"fweights": often, "aweights": share, "correction": 1}):
            check("cov", x(), call=in_double("cov", 64), ulps=8, **options)
        if len(shape) == 2 and columns > 2:
            check("corrcoef", x(), call=in_double("corrcoef", 4), ulps=8)
    check("cov", pair(dtype, (2, 2, 2), rng))
    check("cov", pair(dtype, (2, 3), rng), fweights=plain([1, 2]))
    check("cov", pair(dtype, (2, 3), rng), fweights=plain([1, -2, 1]))
    check("cov", pair(dtype, (2, 3), rng), fweights=plain([1.0, 2.0, 1.0]))
    check("cov", pair(dtype, (2, 3), rng), aweights=plain([1, 2, 1]))
    check("cov", plain([True, False]))
    check("corrcoef", pair(dtype, (2, 2, 2), rng))


@pytest.mark.parametrize("dtype", FULL)
def test_histograms(check, dtype):
    rng = seeded("histograms" + dtype)
    for shape in [(20,), (3, 4), (), (1,), (200,)]:
        x = lambda kind="small": pair(dtype, shape, rng, kind)
        for bins in (1, 4, 7):
            check("histc", x(), bins)
            check("histc", x(), bins, -2, 3)
            check("histc", x(), bins, min=1, max=4)
            check("histogram", x(), bins, ulps=16)
            check("histogram", x(), bins, range=(-2.0, 3.0), ulps=16)
            check("histogram", x(), bins, weight=x("positive"), density=True, ulps=16)
        edges = plain([-4.0, -1.5, 0.25, 0.5, 3.0], dtype)
        check("histogram", x(), edges)
        check("histogram", x(), edges, density=True, ulps=4)
        check("histogram", x(), edges, weight=x("positive"))
    x = pair(dtype, (4,), rng, "small")
    check("histc", x, 0)
    check("histc", x, 3, 2, 1)
    check("histogram", x, 0)
    check("histogram", x, 3, range=(2.0, 1.0))
    check("histogram", x, plain([1.0], dtype))
    check("histogram", x, 3, weight=pair(dtype, (3,), rng, "small"))
    check("histc", plain([1, 2, 3]))
    check("histc", plain([1.0, float("nan")], dtype), 3)
    check("histc", pair(dtype, (0,), rng), 3)


@pytest.mark.parametrize("dtype", ["int64", "int32", *FULL])
def test_integrals(check, dtype):
    rng = seeded("integrals" + dtype)
    y = lambda *shape: pair(dtype, shape, rng, "small")
    for op in ("trapezoid", "cumulative_trapezoid", "trapz"):
        if op == "trapz":
            check("trapezoid", y(3, 4), call=lambda lib, y: lib.trapz(y), ulps=2)
            continue
        call = in_double(op, 64)
        for shape, dim in [((5,), -1), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1), ((1,), 0), ((2, 1), -1)]:
            check(op, y(*shape), dim=dim, call=call, ulps=4)
            check(op, y(*shape), dx=0.5, dim=dim, call=call, ulps=4)
            at = pair("float32" if dtype != "float64" else dtype, (shape[dim],), rng, "small")
            check(op, y(*shape), at, dim=dim, call=call, ulps=4)
            check(op, y(*shape), y(*shape), dim=dim, call=call, ulps=4)
        check(op, y(2, 3, 4), y(3, 4), call=call, ulps=4)
        check(op, plain([True, False]))
        check(op, y(3, 4), y(3))
        check(op, y(3), dim=1)


@pytest.mark.parametrize("dtype", ["int64", *FULL])
def test_slopes(check, dtype):
    rng = seeded("slopes" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small")
    call = in_double("gradient", 64)
    for shape in [(4,), (3, 5), (3, 3, 4)]:
        for order in (1, 2):
            check("gradient", x(*shape), edge_order=order, call=call, ulps=8)
            check("gradient", x(*shape), spacing=0.5, edge_order=order, call=call, ulps=8)
            check("gradient", x(*shape), spacing=[0.5 + i for i in range(len(shape))], edge_order=order, call=call, ulps=8)
            check("gradient", x(*shape), dim=0, spacing=2, edge_order=order, call=call, ulps=8)
            check("gradient", x(*shape), dim=[-1], edge_order=order, call=call, ulps=8)
            at = [torch.from_numpy(rng.permutation(2 * n)[:n]).sort()[0].double() / 2 for n in shape]
            at = [a.to(torch.float32 if dtype != "float64" else torch.float64) for a in at]
            at = [Pair(a, same_in_tamis(a)) for a in at]
            check("gradient", x(*shape), spacing=at, edge_order=order, ulps=8, call=lambda lib, x, spacing, **o: call(
                lib, x, spacing=[wide(s) for s in spacing], **o))
    check("gradient", x(2), edge_order=2)
    check("gradient", x(1))
    check("gradient", x(3, 3), dim=[0, 0])
    check("gradient", x(3, 3), edge_order=3)


@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm(check, dtype):
    rng = seeded("layer norm" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small", layout="transposed")  # rows of one value are torch's rounding errors
    call = in_double("layer_norm", 64)
    for shape, last in [((2, 3), (3,)), ((2, 3, 4), (3, 4)), ((5,), (5,)), ((2, 40), (40,)), ((0, 3), (3,))]:
        check("layer_norm", x(*shape), last, call=call, ulps=8)
        check("layer_norm", x(*shape), last, x(*last), x(*last), 0.25, call=call, ulps=8)
        check("layer_norm", x(*shape), last, weight=x(*last), call=call, ulps=8)

    def plainly(lib, *args, **options):
        return (F if lib is torch else tamis).layer_norm(*args, **options)

    check("layer_norm", x(2, 3), (2,), call=plainly)
    check("layer_norm", x(2, 3), (), call=plainly)
    check("layer_norm", x(2, 3), (3,), x(2), call=plainly)
    check("layer_norm", plain([[1, 2]]), (2,), call=plainly)


def test_is_nonzero(check):
    for values in (2.5, [0], [[True]], [0.0], [float("nan")], [1, 2], []):
        check("is_nonzero", plain(values))
        check("is_nonzero", plain(values), call=lambda lib, x: x.is_nonzero())
