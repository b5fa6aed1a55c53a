"""Bags of rows, dropout and its kin, segments, sizes, and gamma functions."""

import pytest
import tamis
import torch
import torch.nn.functional as F

from cases import FLOATS, INTS, DType, Pair, pair, plain, same_in_tamis, seeded

N = 20000


def functional(op):
    return lambda lib, *a, **k: getattr(F if lib is torch else tamis.nn.functional, op)(*a, **k)


def given(values, dtype=None):
    found = torch.tensor(values, dtype=dtype and getattr(torch, dtype))
    return Pair(found, same_in_tamis(found))


# ---- rows by number -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags(check, mode, dtype):
    rng = seeded("bags" + mode + dtype)
    line, starts = given([0, 1, 2, 3, 1, 1]), given([0, 2, 2, 5])
    weight = pair(dtype, (4, 3), rng, "small")
    if mode != "max":  # torch 1.13 writes behind its memory there
        check("embedding_bag", line, weight, given([0, 2, 2, 6]), call=functional("embedding_bag"), mode=mode, ulps=4,
              include_last_offset=True)
    for options in ({}, {"padding_idx": 1}, {"padding_idx": -1}):
        check("embedding_bag", line, weight, starts, call=functional("embedding_bag"), mode=mode, ulps=4, **options)
    check("embedding_bag", given([[0, 1, 2], [3, 1, 1]]), weight, call=functional("embedding_bag"), mode=mode, ulps=4)
    check("embedding_bag", given([], "int64"), weight, given([0, 0]), call=functional("embedding_bag"), mode=mode)
    if mode == "sum":
        check("embedding_bag", line, weight, starts, call=functional("embedding_bag"), mode=mode, ulps=4,
              per_sample_weights=pair(dtype, (6,), rng, "small"))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_gradients_of_bags(mode):
    table = torch.tensor([[1.0, 2], [3, -1], [3, 5], [0, 5]], dtype=torch.float64)
    line, starts, factors = [0, 1, 2, 3, 1, 1], [0, 2, 2, 5], [1.0, 2, 3, 4, 5, 6]
    for padding in (None, 1):
        found = []
        for lib, f in ((torch, F), (tamis, tamis.nn.functional)):
            w = lib.tensor(table.tolist(), dtype=lib.float64, requires_grad=True)
            s = lib.tensor(factors, dtype=lib.float64, requires_grad=True)
            options = {"per_sample_weights": s} if mode == "sum" else {}
            y = f.embedding_bag(lib.tensor(line), w, lib.tensor(starts), mode=mode, padding_idx=padding, **options)
            (y * y).sum().backward()
            found.append((w.grad.tolist(), s.grad.tolist() if options else None))
        assert found[0] == found[1], (mode, padding)


def test_gradient_by_frequency():
    for padding in (None, 1):
        found = []
        for lib, f in ((torch, F), (tamis, tamis.nn.functional)):
            w = lib.ones(4, 2, requires_grad=True)
            f.embedding(lib.tensor([0, 1, 2, 1, 1]), w, scale_grad_by_freq=True, padding_idx=padding).sum().backward()
            found.append(w.grad.tolist())
        assert found[0] == found[1]
    # Each row by its own frequency, which torch 1.13 mixes up.
    w = tamis.ones(4, 2, requires_grad=True)
    tamis.embedding_bag(tamis.tensor([0, 1, 2, 1, 1]), w, tamis.tensor([0, 3]), mode="sum",
                        scale_grad_by_freq=True).sum().backward()
    assert w.grad.tolist() == [[1, 1], [1, 1], [1, 1], [0, 0]]


@pytest.mark.parametrize("p", [1.0, 2.0, float("inf")])
def test_rows_of_limited_norm(check, p):
    def call(lib, index):
        w = lib.arange(12, dtype=lib.float64).view(4, 3)
        f = F if lib is torch else tamis.nn.functional
        return f.embedding(index, w, max_norm=3.0, norm_type=p), w

    check("embedding", given([[0, 2], [2, 1]]), call=call, ulps=8)
    renorm = lambda lib, w, *a: torch.embedding_renorm_(w.clone(), *a) if lib is torch else w.clone().embedding_renorm_(*a)
    w = given([[3.0, 4.0], [0.5, 0.0], [6.0, 8.0]])
    check("embedding_renorm_", w, given([0, 1]), 1.0, p, call=renorm, ulps=8)
    check("embedding_renorm_", w, given([5]), 1.0, p, call=renorm)


def test_bags_refuse_as_torch_does(check):
    line, starts, w = given([0, 1, 2]), given([0, 2]), given([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for args, options in [((line, w), {}), ((line, w, given([1, 2])), {}), ((line, w, given([0, 7])), {}),
                          ((line, w, starts), {"mode": "x"}), ((line, w, starts), {"padding_idx": 7}),
                          ((line, w, given([], "int64")), {"include_last_offset": True}),
                          ((line, w, starts), {"mode": "max", "scale_grad_by_freq": True})]:
        for lib, f in ((torch, F), (tamis, tamis.nn.functional)):
            own = [a.torch if lib is torch else a.tamis for a in args]
            with pytest.raises((ValueError, RuntimeError)):
                f.embedding_bag(*own, **options)


# ---- at random ------------------------------------------------------------------------------------------------------


def test_dropouts():
    tamis.manual_seed(4)
    x = tamis.ones(200, 100, 2)
    for op in ("dropout", "feature_dropout"):
        y = getattr(tamis, op)(x, 0.75, True)
        assert sorted(set(y.flatten().tolist())) == [0.0, 4.0] and abs(y.mean().item() - 1) < 0.05, op
    for op in ("feature_dropout", "feature_alpha_dropout"):
        y = getattr(tamis, op)(x, 0.5, True)
        assert tamis.equal(y[..., 0], y[..., 1]), op
    normal = tamis.randn(N * 4)
    for op in ("alpha_dropout", "feature_alpha_dropout"):
        y = getattr(tamis, op)(normal.view(-1, 4), 0.25, True)
        assert abs(y.mean().item()) < 0.05 and abs(y.var().item() - 1) < 0.05, op
    y, kept = tamis.native_dropout(x, 0.5, True)
    assert tamis.equal(y != 0, kept) and abs(kept.float().mean().item() - 0.5) < 0.02


@pytest.mark.parametrize("op", ["dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"])
def test_dropouts_at_the_ends(check, op):
    x = plain([[1.0, 2.0], [3.0, 0.5]])
    for p, training in [(0.0, True), (1.0, True), (0.5, False), (1.5, True)]:
        check(op, x, p, training)
        check(op + "_", x, p, training, call=lambda lib, x, *a: getattr(torch, op + "_")(x.clone(), *a)
              if lib is torch else getattr(x.clone(), op + "_")(*a))
    check("feature_dropout", plain([1.0, 2.0]), 0.5, True)


def test_dropout_of_channels():
    tamis.manual_seed(1)
    for dims, f in ((1, "dropout1d"), (2, "dropout2d"), (3, "dropout3d")):
        for batch in ((), (50,)):
            y = getattr(tamis.nn.functional, f)(tamis.ones(*batch, 40, *(2,) * dims)).reshape(-1, 2**dims)
            assert tamis.equal(y.amax(1), y.amin(1)) and sorted(set(y.flatten().tolist())) == [0.0, 2.0]
        with pytest.raises(ValueError):
            getattr(tamis.nn.functional, f)(tamis.ones(2))


def test_native_dropout_and_rrelu(check):
    x = plain([1.0, 2.0, 0.0])
    for p, train in [(0.0, True), (1.0, True), (0.5, False), (1.0, None)]:
        check("native_dropout", x, p, train)
    x = plain([1.0, -2.0, 0.0])
    for args in [(), (0.25, 0.25, True), (0.1, 0.5, False), (0.5, 0.25)]:
        check("rrelu", x, *args, ulps=1)
        check("rrelu_", x, *args, ulps=1, call=lambda lib, x, *a: torch.rrelu_(x.clone(), *a)
              if lib is torch else x.clone().rrelu_(*a))
    check("rrelu", plain([1, 2]))
    tamis.manual_seed(3)
    x = tamis.full((N,), -1.0, requires_grad=True)
    y = tamis.rrelu(x, 0.2, 0.4, True)
    y.sum().backward()
    assert tamis.equal(x.grad, -y.detach()) and 0.2 <= x.grad.min() and x.grad.max() <= 0.4
    assert abs(x.grad.mean().item() - 0.3) < 0.005


# ---- numbers of events ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rate", [0.3, 4.0, 9.5, 30.0, 1000.0])
def test_poisson_has_its_moments(rate, dtype):
    tamis.manual_seed(int(rate * 10))
    x = tamis.poisson(tamis.full((N,), rate, dtype=getattr(tamis, dtype))).double()
    assert abs(x.mean().item() - rate) < 5 * (rate / N) ** 0.5
    assert abs(x.var().item() / rate - 1) < 5 * ((2 + 1 / rate) / N) ** 0.5
    assert tamis.equal(x, x.floor()) and x.min().item() >= 0


def test_poisson_has_its_probabilities():
    from math import exp, lgamma, log
    for rate in (3.0, 12.0):
        tamis.manual_seed(8)
        counts = tamis.bincount(tamis.poisson(tamis.full((N,), rate)).long(), minlength=40).tolist()
        expected = [N * exp(k * log(rate) - rate - lgamma(k + 1)) for k in range(40)]
        seen = [(c, e) for c, e in zip(counts, expected) if e >= 5]
        chi2 = sum((c - e) ** 2 / e for c, e in seen)
        assert chi2 < 2.5 * len(seen), (rate, chi2)


@pytest.mark.parametrize("n,p", [(7, 0.3), (7, 0.9), (100, 0.02), (100, 0.5), (1000, 0.8)])
def test_binomial_has_its_probabilities(n, p):
    from math import exp, lgamma, log
    tamis.manual_seed(n)
    x = tamis.binomial(tamis.full((N,), float(n)), tamis.tensor(p))
    assert x.min().item() >= 0 and x.max().item() <= n
    counts = tamis.bincount(x.long(), minlength=n + 1).tolist()
    choose = [lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) for k in range(n + 1)]
    expected = [N * exp(c + k * log(p) + (n - k) * log(1 - p)) for k, c in enumerate(choose)]
    seen = [(c, e) for c, e in zip(counts, expected) if e >= 5]
    chi2 = sum((c - e) ** 2 / e for c, e in seen)
    assert chi2 < 2.5 * len(seen) + 10, chi2


def test_counts_at_the_ends(check):
    nan = float("nan")
    check("binomial", given([5.0, 5, 5, -1, 5]), given([0.0, 1, 2, 0.5, nan]))
    check("binomial", given([5.0, 2]), given(1.0))
    check("binomial", given([5]), given([0.5]))
    check("binomial", given([5]), given([1]))
    check("poisson", given([0.0, 0.0]))
    check("poisson", given([-1.0]))
    check("poisson", given([1]))
    assert tamis.poisson(tamis.empty(0)).shape == (0,)


def test_counts_do_not_depend_on_threads():
    found = []
    before = tamis.get_num_threads()
    for threads in (1, 3):
        tamis.set_num_threads(threads)
        tamis.manual_seed(5)
        found.append(tamis.poisson(tamis.full((9000,), 20.0)))
    tamis.set_num_threads(before)
    assert tamis.equal(*found)


# ---- segments and sizes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_segments(check, reduce, dtype):
    rng = seeded("segments" + reduce + dtype)
    for shape in [(6,), (6, 3), (6, 2, 2)]:
        x = pair(dtype, shape, rng, "small")
        for lengths in ([2, 0, 4], [6], [1, 1, 1, 1, 1, 1]):
            for options in ({}, {"initial": 1.5}, {"unsafe": True}):
                check("segment_reduce", x, reduce, lengths=given(lengths), ulps=8, **options)
    x = pair(dtype, (2, 3), rng, "small")
    check("segment_reduce", x, reduce, lengths=given([[2, 1], [0, 3]]), axis=1, ulps=8)


def test_segments_refuse_as_torch_does(check):
    x = given([0.0, 1, 2, 3, 4, 5])
    for lengths in ([2, 0, 3], [2, -1, 5], [2.0, 4.0]):
        check("segment_reduce", x, "sum", lengths=given(lengths))
    check("segment_reduce", x, "sum")
    check("segment_reduce", x, "sum", lengths=given([2, 4]), axis=1)
    check("segment_reduce", given([1, 2]), "sum", lengths=given([2]))
    assert tamis.segment_reduce(x.tamis, "sum", offsets=tamis.tensor([0, 2, 6])).tolist() == [1.0, 14.0]


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
def test_gradients_of_segments(reduce):
    for initial in (None, 1.0):
        found = []
        for lib in (torch, tamis):
            x = lib.tensor([1.0, 1.0, 0.0, 3.0], requires_grad=True)
            lib.segment_reduce(x, reduce, lengths=lib.tensor([3, 0, 1]), initial=initial).sum().backward()
            found.append(x.grad.tolist())
        assert found[0] == found[1], (reduce, initial)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "complex64"])
def test_sizes(check, dtype):
    rng = seeded("sizes" + dtype)
    x = pair(dtype, (2, 3), rng, "small")
    for size in [(3,), (2, 1), (1, 1), (), (2, 3), (4,), (1, 2, 3), (-1,)]:
        check("sum_to_size", x, size, call=lambda lib, x, size: x.sum_to_size(size), ulps=4)
    for shape in [(2, 3), (2, 2, 3), (), (3,)]:
        y = pair(dtype, shape, rng, "small")
        for name in ("H", "mH"):
            check("adjoint", y, call=lambda lib, y: getattr(y, name))
        check("adjoint", y)
        check("is_same_size", x, y)
        check("is_signed", y)
    check("constant_pad_nd", x, (1, 2), 1)
    check("constant_pad_nd", x, (-1, 1, 0, 1))
    assert x.tamis.ndimension() == 2


def test_range(check):
    for dtype in (None, "int64", "uint8", "float64"):
        options = {} if dtype is None else {"dtype": DType(dtype)}
        for args in [(1, 4), (1, 4, 0.5), (4, 1, -1), (0, 4.6), (2, 2), (0, 1, 0.25), (1, 4, 0), (4, 1), (1, 9, 3)]:
            if dtype in ("int64", "uint8") and any(isinstance(a, float) for a in args[2:]):
                continue
            check("range", *args, **options)
    check("range", 1, 3, dtype=DType("bool"))
    check("range", 0, float("inf"))


def test_memory_by_strides(check):
    x = pair("float32", (2, 3), seeded("strides"), "small", layout="contiguous")
    for src, size, stride, offset in [([9.0, 8.0], (2,), (2,), None), ([9.0, 8.0], (2,), (2,), 1), ([9.0], (2,), (2,), None),
                                      ([[9.0], [8.0]], (2, 1), (3, 1), 2), ([9.0, 8.0], (2,), (7,), None)]:
        check("as_strided_scatter", x, given(src), size, stride, offset)
        turned = Pair(x.torch.t(), x.tamis.t())
        check("as_strided_scatter", turned, given(src), size, stride, offset)
    check("new_empty_strided", x, (2, 3), (1, 2), call=lambda lib, x, *a: x.new_empty_strided(*a).stride())


def test_shapes_together():
    for shapes in [((2, 1), 3), ((2, 1), (3,), (1, 1, 1)), (), ((0,), 1), (5, (1, 5))]:
        assert tamis.broadcast_shapes(*shapes) == tuple(torch.broadcast_shapes(*shapes))
    for shapes in [((2,), (3,)), ((-1,),), (1.5,)]:
        for lib in (tamis, torch):
            with pytest.raises(RuntimeError):
                lib.broadcast_shapes(*shapes)


def test_capsules():
    x = tamis.arange(4.0)
    y = tamis.from_dlpack(tamis.to_dlpack(x))
    y[0] = 9.0
    assert x.tolist() == [9.0, 1.0, 2.0, 3.0] and torch.from_dlpack(tamis.to_dlpack(x)).tolist() == x.tolist()


def test_names_of_types():
    for name in ["bool", *INTS, *FLOATS, "complex64", "complex128"]:
        x, theirs = tamis.zeros(2, dtype=getattr(tamis, name)), torch.zeros(2, dtype=getattr(torch, name))
        assert x.type() == theirs.type() and tamis.zeros(2).type(x.type()).dtype is x.dtype
        assert x.new_tensor([1, 0]).dtype is x.dtype
    assert tamis.ones(2).type(tamis.LongTensor).dtype is tamis.int64
    with pytest.raises(ValueError, match="invalid type"):
        tamis.ones(2).type("Foo")


def test_data_can_be_replaced():
    x = tamis.ones(3).requires_grad_()
    (x * 2).sum().backward()
    alias, new = x, tamis.tensor([5.0, 6.0, 7.0])
    x.data = new
    assert alias.tolist() == [5.0, 6.0, 7.0] and x.requires_grad and x.grad.tolist() == [2.0] * 3
    new[0] = 1.0
    assert x[0].item() == 1.0  # the same memory
    x.grad = None
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 12.0, 14.0]
    with pytest.raises(RuntimeError, match="shape and dtype"):
        x.data = tamis.ones(2)
    y = tamis.ones(3)
    deferred = y + 1
    y.data = tamis.zeros(2, dtype=tamis.int64)
    assert y.tolist() == [0, 0] and y.dtype is tamis.int64 and deferred.tolist() == [2.0] * 3


# ---- gamma functions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gamma_functions(check, dtype):
    x = given([0.25, 0.5, 1.0, 1.75, 3.0, 12.0, 40.5], dtype)
    for n in (0, 1, 2, 3, 7):
        # torch's trigamma has ten digits, ours all: tests/ops/pointwise/gamma_test.cpp.
        check("polygamma", n, x, ulps=64 if n != 1 or dtype == "float32" else 1 << 22)
    check("polygamma", 2, given([-0.5, -1.5, 0.0, -1.0, float("nan")], dtype), ulps=256)
    check("polygamma", -1, x)
    check("polygamma", 2, x, call=lambda lib, n, x: x.polygamma(n), ulps=64)
    check("polygamma_", 2, x, call=lambda lib, n, x: x.clone().polygamma_(n), ulps=64)
    for p in (1, 2, 3):
        check("mvlgamma", given([2.0, 2.5, 7.0, 30.0], dtype), p, ulps=64)
    check("mvlgamma", x, 0)
    check("mvlgamma", given([True]), 1)
    for a in (0.1, 0.5, 1.0, 2.5, 10.0, 50.0, 300.0):
        at = given([0.01, 0.3, 1.05, 2.0, 9.0, 48.0, 290.0, 310.0], dtype)
        for op in ("igamma", "igammac"):
            check(op, given([a] * 8, dtype), at, ulps=1 << 10 if dtype == "float32" else 1 << 24)


def test_gamma_functions_at_the_ends(check):
    inf, nan = float("inf"), float("nan")
    a, x = given([0.0, 0, 2, inf, inf, 2, -1, nan, 1]), given([0.0, 1, 0, 1, inf, inf, 1, 1, -1])
    for op in ("igamma", "igammac"):
        check(op, a, x)
        check(op, given([1, 2]), given([1, 2]))
        check(op, given([1, 2]), given([1.0, 2.0]), ulps=16)
    a, x = tamis.ones(2, requires_grad=True), tamis.tensor([0.5, 3.0], requires_grad=True)
    tamis.igamma(a.detach(), x).sum().backward()
    assert tamis.allclose(x.grad, tamis.exp(-x.detach()))
    with pytest.raises(RuntimeError, match="not implemented"):
        tamis.igamma(a, x).sum().backward()


# ---- nn.functional --------------------------------------------------------------------------------------------------


def test_triplets_linear_and_gumbel(check):
    rng = seeded("triplets")
    a, p, n = (pair("float64", (4, 3), rng, "small") for _ in range(3))
    distance = lambda x, y: (x - y).abs().sum(-1)
    for options in ({}, {"swap": True}, {"margin": 0.5}, {"reduction": "sum"}, {"reduction": "none"}):
        for own in ({}, {"distance_function": distance}):
            ours = tamis.nn.functional.triplet_margin_with_distance_loss(a.tamis, p.tamis, n.tamis, **options, **own)
            theirs = F.triplet_margin_with_distance_loss(a.torch, p.torch, n.torch, **options, **own)
            assert torch.allclose(ours.torch(), theirs)
    ours = tamis.nn.functional.linear(a.tamis, p.tamis, n.tamis[:, 0].contiguous())
    assert torch.allclose(ours.torch(), F.linear(a.torch, p.torch, n.torch[:, 0]))
    tamis.manual_seed(2)
    logits = tamis.tensor([0.0, 1.0]).expand(N, 2)
    soft = tamis.nn.functional.gumbel_softmax(logits, tau=0.5)
    assert tamis.allclose(soft.sum(1), tamis.ones(N))
    hard = tamis.nn.functional.gumbel_softmax(logits, hard=True)
    assert abs(hard[:, 1].mean().item() - 0.7311) < 0.02
