"""Products of matrices and vectors: all ranks, batches, dtypes and layouts, and what is refused.

The values are small multiples of 1/4, whose products and sums are exact, so every order of additions gives the same
bits; test_accuracy has others.
"""

import pytest
import tamis
import torch

from cases import COMPLEX, FLOATS, INTS, pair, pick, plain, seeded

KINDS = INTS + FLOATS + COMPLEX
SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3,)), ((3,), (5, 3, 2)),
          ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)),
          ((7, 1, 2, 3), (4, 3, 2)), ((2, 2, 1, 3), (2, 1, 3, 1)), ((3,), (2, 4, 3, 2)), ((0,), (0,)), ((2, 0), (0, 3)),
          ((0, 3), (3,)), ((0, 2, 3), (0, 3, 2)), ((2, 0, 3), (3, 4)), ((1, 1), (1, 1)), ((9, 1), (1, 5)),
          ((1, 6), (6, 1)), ((4, 2, 0), (4, 0, 3))]
WRONG = [((), (3,)), ((3,), ()), ((3,), (2,)), ((2, 3), (2,)), ((2,), (3, 2)), ((2, 3), (2, 3)), ((5, 2, 3), (2, 3)),
         ((5, 2, 3), (4, 3, 2)), ((5, 2, 3), (5, 2, 3)), ((5, 2, 3), (2,)), ((2,), (5, 3, 2))]


def dot_of_complex(dtype, *shapes):
    """torch's dot product of complex vectors, which is 0 with the BLAS of Debian, in other words."""
    wrong = dtype in COMPLEX and all(len(shape) == 1 for shape in shapes)
    return {"reference": lambda lib, x, y: (x * y).sum()} if wrong else {}


@pytest.mark.parametrize("dtype", KINDS)
def test_matmul(check, dtype):
    rng = seeded("matmul" + dtype)
    for a, b in SHAPES:
        other = dot_of_complex(dtype, a, b)
        for i in range(2):
            x, y = pair(dtype, a, rng, "small"), pair(dtype, b, rng, "small")
            check("matmul", x, y, **other)
            check("matmul", x, y, call=lambda lib, x, y: x @ y, **other)
            check("matmul", x, y, call=lambda lib, x, y: x.matmul(y), **other)


@pytest.mark.parametrize("dtype", KINDS)
def test_named_products(check, dtype):
    rng = seeded("products" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small")
    for m, k, n in [(2, 3, 4), (1, 1, 1), (5, 0, 2), (0, 3, 2), (17, 9, 33), (4, 1, 4)]:
        check("mm", x(m, k), x(k, n))
        check("mm", x(k, m), x(n, k), call=lambda lib, x, y: lib.mm(x.t(), y.t()))
        check("mv", x(m, k), x(k))
        check("dot", x(k), x(k), **dot_of_complex(dtype, (k,)))
        check("outer", x(m), x(n))
        check("bmm", x(3, m, k), x(3, k, n))
        check("bmm", x(3, k, m), x(3, n, k), call=lambda lib, x, y: lib.bmm(x.transpose(1, 2), y.mT))
        check("addmm", x(m, n), x(m, k), x(k, n))
        check("addmm", x(n), x(m, k), x(k, n), beta=2, alpha=3)
        check("addmm", x(), x(m, k), x(k, n), beta=0)


def test_outer_promotes(check):
    rng = seeded("outer")
    for a in KINDS + ["bool"]:
        check("outer", pair(a, (4,), rng, "small"), pair(pick(rng, KINDS), (3,), rng, "small"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_sizes(check, dtype):
    """Sizes at which the ways of computing change: transposed operands, several blocks of rows, steps in memory."""
    rng = seeded("sizes" + dtype)
    for m, k, n in [(300, 150, 200), (513, 64, 65), (3, 900, 900), (900, 900, 3)]:
        x, y = pair(dtype, (m, k), rng, "small"), pair(dtype, (k, n), rng, "small")
        check("mm", x, y)
        check("mm", pair(dtype, (k, m), rng, "small"), pair(dtype, (n, k), rng, "small"),
              call=lambda lib, x, y: lib.mm(x.t(), y.t()))
        check("mm", pair(dtype, (m, 2 * k), rng, "small"), y, call=lambda lib, x, y: lib.mm(x[:, ::2], y))
    check("bmm", pair(dtype, (40, 64, 64), rng, "small"), pair(dtype, (40, 64, 64), rng, "small"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_accuracy(dtype):
    """Against the product in float64, in units of the sum of magnitudes."""
    rng = seeded("accuracy" + dtype)
    eps = torch.finfo(getattr(torch, dtype)).eps
    for m, k, n in [(40, 50, 60), (1, 700, 1), (260, 130, 270)]:
        a, b = (torch.from_numpy(rng.randn(*shape)).to(getattr(torch, dtype)) for shape in ((m, k), (k, n)))
        got = tamis.mm(tamis.as_tensor(a), tamis.as_tensor(b)).torch().double()
        want, scale = a.double() @ b.double(), a.double().abs() @ b.double().abs()
        assert ((got - want).abs() <= 4 * eps * scale).all()


def test_refusals(check):
    rng = seeded("refused")
    x = lambda shape, dtype="float32": pair(dtype, shape, rng, "small")
    for a, b in WRONG:
        check("matmul", x(a), x(b))
    for a, b in [((2, 3), (2, 3)), ((3,), (2, 3)), ((2, 3), (3,))]:
        check("mm", x(a), x(b))
    for a, b in [((2, 3), (2, 3)), ((1, 2, 3), (2, 3, 1)), ((1, 2, 3), (1, 2, 3)), ((1, 2, 3), (2, 3))]:
        check("bmm", x(a), x(b))
    for a, b in [((2, 3), (2,)), ((3,), (2,)), ((2, 3), (2, 2))]:
        check("mv", x(a), x(b))
    for op, a, b in [("dot", (3,), (2,)), ("dot", (3, 1), (2,)), ("outer", (2, 1), (2,)), ("outer", (2,), (2, 2))]:
        check(op, x(a), x(b))
    for op, a, b in [("mm", (2, 2), (2, 2)), ("mv", (2, 2), (2,)), ("dot", (2,), (2,)), ("bmm", (1, 2, 2), (1, 2, 2))]:
        check(op, x(a), x(b, "float64"))
        check(op, x(a, "bool"), x(b, "bool"))
    check("addmm", x((3, 3)), x((2, 3)), x((3, 2)))
    check("addmm", x((2, 2)), x((2, 3)), x((2, 3)))
    check("matmul", plain([1.0, 2]), 3.0)
