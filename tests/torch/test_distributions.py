"""Random numbers by their statistics, and new tensors with powers or strides."""

import pytest
import tamis
import torch

from cases import FLOATS, INTS, DType, pair, plain, seeded

N = 40000
FULL = ["float32", "float64"]


def moments(x):
    x = x.double()
    return [round(v, 1) for v in (x.mean().item(), x.std().item())]


WRITERS = {
    "uniform_": [(), (2, 5), (-1.0, 1.0)],
    "normal_": [(), (3, 0.5), (0, 2)],
    "log_normal_": [(0, 0.25), (0.5, 0.1)],
    "exponential_": [(), (2.5,)],
    "geometric_": [(0.5,), (0.9,)],
    "bernoulli_": [(), (0.25,), (1,)],
}


@pytest.mark.parametrize("dtype", FULL)
@pytest.mark.parametrize("op", sorted(WRITERS))
def test_moments_of_what_is_written(check, op, dtype):
    for given in WRITERS[op]:
        def call(lib):
            lib.manual_seed(11)
            x = lib.empty(N, dtype=getattr(lib, dtype))
            same = getattr(x, op)(*given)
            assert same is x
            return [round(v * 8) / 8 for v in moments(x)]

        ours, theirs = call(tamis), call(torch)
        assert all(abs(a - b) <= 0.125 for a, b in zip(ours, theirs)), (given, ours, theirs)
        check(op, op, call=lambda lib, name: tuple(getattr(lib.zeros(3, 2).t(), name)(*given).shape))


def test_cauchy(check):
    x = tamis.empty(N, dtype=tamis.float64).cauchy_(1.0, 2.0)
    assert abs(x.median().item() - 1) < 0.1
    assert abs(((x > -1) & (x < 3)).to(tamis.float64).mean().item() - 0.5) < 0.02
    check("cauchy_", "shape", call=lambda lib, name: tuple(getattr(lib.zeros(3).cauchy_(), name)))


@pytest.mark.parametrize("dtype", INTS + FLOATS + ["bool"])
def test_random_integers(check, dtype):
    for given in ((), (3,), (1, 5), (-3, 4), (0, None)):
        def call(lib):
            lib.manual_seed(5)
            x = lib.zeros(2000, dtype=getattr(lib, dtype)).random_(*given)
            if len(given) == 0 or given[-1] is None:
                low = x.min().item() >= 0
                return bool(low and x.to(lib.float64).mean().item() > 0.2)
            return sorted(set(x.tolist()))

        check("random_", dtype, given, call=lambda lib, *_: call(lib))


def test_probabilities_for_each_element():
    p = tamis.tensor([0.0, 1.0, 0.25]).expand(N, 3)
    x = tamis.empty(N, 3).bernoulli_(p)
    assert x[:, 0].sum() == 0 and x[:, 1].sum() == N and abs(x[:, 2].mean().item() - 0.25) < 0.02
    assert tamis.zeros(4, dtype=tamis.int64).bernoulli_(1.0).tolist() == [1, 1, 1, 1]


def test_writers_refuse_as_torch_does(check):
    for op, given, dtype in [("uniform_", (2, 1), "float32"), ("uniform_", (), "int64"), ("normal_", (0, -1), "float32"),
                             ("normal_", (), "int64"), ("log_normal_", (0, 0), "float32"), ("exponential_", (-1,), "float32"),
                             ("exponential_", (), "int64"), ("geometric_", (0,), "float32"), ("geometric_", (1,), "float32"),
                             ("random_", (3, 3), "float32"), ("bernoulli_", (1.5,), "float32"),
                             ("random_", (0, 300), "uint8")]:
        check(op, given, dtype, call=lambda lib, *_: getattr(lib.zeros(3, dtype=getattr(lib, dtype)), op)(*given))
    x = tamis.ones(3).requires_grad_()
    with pytest.raises(RuntimeError, match="leaf"):
        x.uniform_()


def test_a_generator_begins_again():
    for op in ("uniform_", "normal_", "exponential_", "random_"):
        g = tamis.Generator()
        g.manual_seed(3)
        first = getattr(tamis.zeros(5), op)(generator=g)
        g.manual_seed(3)
        assert first.equal(getattr(tamis.zeros(5), op)(generator=g)), op


def test_normal(check):
    mean, std = plain([[0.0, 5.0, -3.0]] * N, "float64"), plain([1.0, 0.0, 2.0], "float64")

    def call(lib, *args, **options):
        lib.manual_seed(2)
        x = lib.normal(*args, **options)
        columns = x.double().mean(0).flatten().tolist() + x.double().std(0).flatten().tolist()
        return tuple(x.shape), [round(v * 4) / 4 for v in columns]

    for args, options in [((mean, std), {}), ((mean, 1.5), {}), ((2.0, 3.0, (N, 2)), {}), ((mean,), {})]:
        check("normal", *args, call=lambda lib, *a, **k: repr(call(lib, *a, **k)), **options)
    assert tamis.normal(0.5, tamis.tensor([0.0, 0.0])).tolist() == [0.5, 0.5]
    check("normal", plain([1.0]), plain([-1.0]))
    check("normal", plain([1]), plain([1.0]))
    check("normal", 1.0, -1.0, (2,))


def test_randint_like(check):
    for dtype in ("int64", "uint8", "float32"):
        x = pair(dtype, (400,), seeded("randint_like"), "small")
        for given in ((5,), (2, 4)):
            check("randint_like", x, *given, call=lambda lib, x, *a: (
                lib.randint_like(x, *a).dtype, sorted(set(lib.randint_like(x, *a).tolist()))))


@pytest.mark.parametrize("dtype", [None, "float64", "float16", "int64", "int32"])
def test_logspace(check, dtype):
    options = {} if dtype is None else {"dtype": DType(dtype)}
    for start, end, steps, base in [(0, 2, 5, 10.0), (-1, 1, 3, 10.0), (0, 4, 5, 2.0), (1.5, 1.5, 1, 10.0), (0, 1, 0, 10.0),
                                    (3, 0, 4, 2.0)]:
        if dtype in ("int64", "int32") and start < 0:
            continue
        check("logspace", start, end, steps, base, ulps=4, **options)
    check("logspace", 0, 1, -1)


def test_strided_memory(check):
    for size, stride in [((2, 3), (1, 2)), ((2, 3), (5, 1)), ((0, 3), (1, 1)), ((), ()), ((2, 2), (0, 1))]:
        check("empty_strided", size, stride,
              call=lambda lib, *a: (tuple(lib.empty_strided(*a).shape), lib.empty_strided(*a).stride()))
    check("empty_strided", (2, 3), (1,))
    check("empty_strided", (-2,), (1,))
    x = tamis.empty_strided((2, 3), (1, 2), dtype=tamis.int64).copy_(tamis.arange(6).view(2, 3))
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and not x.is_contiguous()


def test_scalar_tensor(check):
    for value in (2.5, 3, True):
        check("scalar_tensor", value)
        check("scalar_tensor", value, dtype=DType("int64"))


@pytest.mark.parametrize("dtype", [*INTS, *FLOATS, "bool", "complex64"])
def test_frombuffer(check, dtype):
    data = bytes(range(1, 65)) if dtype != "bool" else bytes([0, 1] * 32)
    for options in ({}, {"count": 2}, {"offset": 16}, {"offset": 48, "count": 1}, {"count": 65}, {"offset": 64}, {"offset": -1},
                    {"count": 0}, {"offset": 63, "count": 1}, {"offset": 1, "count": 2}):
        check("frombuffer", dtype=DType(dtype), call=lambda lib, **o: lib.frombuffer(bytearray(data), **o), **options)
    check("frombuffer", dtype=DType(dtype), call=lambda lib, **o: lib.frombuffer(bytearray(), **o))


def test_frombuffer_and_data_share_memory():
    data = bytearray(8)
    x = tamis.frombuffer(data, dtype=tamis.int32)
    x.fill_(1)
    assert bytes(data) == b"\x01\0\0\0" * 2
    with pytest.raises(RuntimeError, match="read-only"):
        tamis.frombuffer(bytes(8), dtype=tamis.int32).fill_(1)
    x = tamis.ones(3).requires_grad_()
    assert not x.data.requires_grad
    x.data.mul_(2)
    assert x.tolist() == [2.0, 2.0, 2.0]
