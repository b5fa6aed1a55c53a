"""Products that are made of matrix products, contractions, einsum and distances: against torch's of the same name."""

import pytest
import tamis
import torch
import torch.nn.functional as F

from cases import COMPLEX, pair, plain, seeded

KINDS = ["uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
FULL = ["float32", "float64"]


def baddbmm(lib, y, a, b, **options):
    """By bmm in torch if the summand does not count: torch 1.13 multiplies memory that it has not initialised by 0."""
    return lib.bmm(a, b) if lib is torch and options.get("beta") == 0 else lib.baddbmm(y, a, b, **options)


@pytest.mark.parametrize("dtype", KINDS)
def test_products_with_a_summand(check, dtype):
    rng = seeded("summand" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small")
    for m, k, n in [(2, 3, 4), (1, 1, 1), (3, 0, 2), (0, 3, 2), (4, 5, 1)]:
        for options in ({}, {"beta": 2, "alpha": 3}, {"beta": 0}):
            check("addmv", x(m), x(m, k), x(k), **options)
            if m and k:  # torch 1.13 gives a 0-d result otherwise
                check("addmv", x(), x(m, k), x(k), **options)
            if dtype not in ("float16", "bfloat16"):
                check("addr", x(m, n), x(m), x(n), **options)
            check("addbmm", x(m, n), x(2, m, k), x(2, k, n), **options)
            # In place torch rounds halves in between, and the sign of a zero depends on its kernel.
            exact = dtype not in ("float16", "bfloat16") and options.get("beta") != 0
            for op in ("addbmm_", "baddbmm_", "addmv_") if exact else ():
                other = {"addbmm_": (x(m, n), x(2, m, k), x(2, k, n)), "baddbmm_": (x(2, m, n), x(2, m, k), x(2, k, n)),
                         "addmv_": (x(m), x(m, k), x(k))}[op]
                check(op, *other, call=lambda lib, y, *a, **o: getattr(y.clone(), op)(*a, **o), **options)
            # Not in place, where torch 1.13 makes the input larger.
            check("addbmm", x(n), x(2, m, k), x(2, k, n), call=lambda lib, *a, **o: lib.addbmm(*a, **o), **options)
            check("baddbmm", x(2, m, n), x(2, m, k), x(2, k, n), call=baddbmm if options.get("beta") == 0 else None, **options)
            check("baddbmm", x(m, 1), x(2, m, k), x(2, k, n), call=baddbmm, **options)
    check("addmv", x(3), x(2, 3), x(3))
    check("addmv", x(2), x(2, 3), x(2))
    check("addr", x(2, 2), x(2, 1), x(2))
    check("addr", x(2, 2), x(2), x(3))
    check("baddbmm", x(2, 2, 3), x(2, 2, 3), x(2, 3, 2))


@pytest.mark.parametrize("dtype", KINDS + COMPLEX)
def test_contractions(check, dtype):
    rng = seeded("contractions" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small")
    half = dtype in ("float16", "bfloat16")
    for n in (0, 1, 5):
        if not half:
            # torch 1.13 is wrong about vdot of complex numbers where its BLAS returns them another way.
            call = (lambda lib, a, b: (a.conj() * b).sum() if lib is torch else lib.vdot(a, b)) if dtype in COMPLEX else None
            check("vdot", x(n), x(n), call=call)
    for a, b in [((), ()), ((), (2, 3)), ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (4, 3)), ((2, 1, 3), (2, 3)), ((2, 0), (3, 0)),
                 ((2, 3), (3, 2)), ((3,), (2,))]:
        if not half:
            check("inner", x(*a), x(*b))
        # torch 1.13 fails for some layouts.
        check("kron", *[pair(dtype, s, rng, "small", layout="contiguous") for s in (a, b)])
    for a, b, dims in [((2, 3), (2, 3), 2), ((2, 3), (3, 4), 1), ((2,), (3,), 0), ((2, 3, 4), (3, 4, 2), 2),
                       ((2, 3), (2, 3), 1), ((2, 3), (3,), ([1], [0])), ((2, 3, 4), (4, 3, 2), ([1, 2], [1, 0])),
                       ((2, 3), (2, 3), ([-1, 0], [-1, 0])), ((2, 3), (2, 3), ([1], [0])), ((2, 0), (0, 3), 1)]:
        if not half:
            check("tensordot", x(*a), x(*b), dims)
    for shape in [(2, 3), (3, 3), (0, 2), (1, 1), (2,), (2, 2, 2)]:
        if not half:
            check("trace", x(*shape))


@pytest.mark.parametrize("dtype", KINDS)
def test_vector_products_and_powers(check, dtype):
    rng = seeded("vector products" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small")
    for shape, dim in [((3,), None), ((2, 3), 1), ((3, 3), None), ((3, 3), -1), ((3, 2), 0), ((0, 3), None), ((2, 2), None),
                       ((2, 3), 0)]:
        check("cross", x(*shape), x(*shape), **({} if dim is None else {"dim": dim}))
    check("cross", x(2, 3), x(1, 3), dim=1)
    check("cross", x(2, 3), x(3))
    for n in (0, 1, 4):
        for options in ({}, {"N": 3}, {"N": 0}, {"increasing": True}, {"N": 1, "increasing": True}):
            if dtype not in ("float16", "bfloat16"):
                check("vander", x(n), **options)
    check("vander", x(2, 2))


EQUATIONS = [("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ba,cb", (2, 3), (4, 2)), ("i,i->", (4,), (4,)),
             ("i,j->ij", (2,), (3,)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->", (2, 3)), ("ij->ji", (2, 3)),
             ("iij->ji", (3, 3, 2)), ("...ij->...ji", (2, 3, 4, 5)), ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
             ("b...,b...->b", (3, 2, 2), (3, 2, 2)), ("bn,anm,bm->ba", (2, 3), (4, 3, 5), (2, 5)), ("Ab,bA->A", (2, 3), (3, 2)),
             ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)), ("a b, b -> a", (2, 3), (3,)), ("ij,ij->ij", (2, 3), (2, 3)),
             ("ij,j->", (2, 3), (1,)), ("i,ij->i", (2,), (2, 3)), ("ij,kl->", (2, 3), (4, 2)), ("...,...", (2, 3), (3,)),
             ("i...->...", (2, 3, 4)), ("bij,bjk->bik", (0, 2, 3), (0, 3, 2)), ("ij,jk->ik", (2, 0), (0, 3)), (",->", (), ()),
             ("->", ()), ("abc,cd,be->aed", (2, 3, 4), (4, 2), (3, 3))]
WRONG = [("ij,jk->ik", (2, 3), (4, 4)), ("ij,jk->ik", (2, 3)), ("ij->i", (2, 3), (2, 3)), ("ij->k", (2, 3)), ("ij->ii", (2, 3)),
         ("i1->i", (2, 3)), ("i->i", (2, 3)), ("ii", (2, 3)), ("i..", (2, 3)), ("ijk", (2, 3))]


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "complex64", "complex128"])
def test_einsum(check, dtype):
    rng = seeded("einsum" + dtype)
    for equation, *shapes in EQUATIONS + WRONG:
        operands = [pair(dtype, shape, rng, "small") for shape in shapes]
        check("einsum", equation, *operands)
        check("einsum", equation, operands)


def in_double(name):
    """torch's result of float64, rounded, because distances are rounded once here."""

    def call(lib, *args, **options):
        if lib is tamis:
            return getattr(tamis, name)(*args, **options)
        function = getattr(torch, name, None) or getattr(F, name)
        dtype = torch.promote_types(args[0].dtype, args[1].dtype) if isinstance(args[1], torch.Tensor) else args[0].dtype
        return function(*[a.double() if isinstance(a, torch.Tensor) else a for a in args], **options).to(dtype)

    return call


P = [2.0, 1.0, 3.0, 0.5, float("inf"), 0.0]


@pytest.mark.parametrize("dtype", FULL)
def test_distances(check, dtype):
    rng = seeded("distances" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small")
    for p in P:
        for a, b in [((2, 3), (4, 3)), ((5, 2, 3), (4, 3)), ((2, 1, 2, 3), (3, 4, 3)), ((0, 3), (2, 3)), ((2, 0), (3, 0)),
                     ((1, 1), (1, 1))]:
            check("cdist", x(*a), x(*b), p, call=in_double("cdist"), ulps=4)
        for shape in [(4, 3), (1, 3), (0, 3), (3, 1)]:
            check("pdist", x(*shape), p, call=in_double("pdist"), ulps=4)
        check("dist", x(2, 3), x(3), p, call=in_double("dist"), ulps=4)
        check("dist", x(), x(), p, call=in_double("dist"), ulps=4)
        if p:
            call = in_double("pairwise_distance")
            for keepdim in (False, True):
                check("pairwise_distance", x(2, 3), x(2, 3), p, keepdim=keepdim, eps=0.25, call=call, ulps=4)
                check("pairwise_distance", x(4, 2, 3), x(3), p, keepdim=keepdim, eps=0.25, call=call, ulps=4)
    check("cdist", x(3), x(2, 3))
    check("cdist", x(2, 3), x(2, 4))
    check("cdist", x(2, 3), x(2, 3), -1.0)
    check("cdist", x(2, 3), x(2, 3), compute_mode="donot_use_mm_for_euclid_dist", ulps=4)
    check("cdist", plain([[1, 2]]), plain([[1, 2]]))
    check("pdist", x(3))


@pytest.mark.parametrize("dtype", FULL)
def test_angles_and_limits(check, dtype):
    rng = seeded("angles" + dtype)
    x = lambda *shape: pair(dtype, shape, rng, "small")
    for a, b, dim in [((2, 3), (2, 3), 1), ((4, 2, 3), (2, 3), -1), ((3,), (3,), 0), ((2, 3), (1, 3), 0)]:
        # Beside a larger number, because products of either sign cancel.
        check("cosine_similarity", x(*a), x(*b), dim=dim, ulps=4,
              call=lambda lib, *a, **k: in_double("cosine_similarity")(lib, *a, **k) + 8)
    for p in (0.5, 1.0, 2.0, 3.0, float("inf")):
        for shape, dim in [((2, 3), 0), ((2, 3), -1), ((2, 3, 2), 1), ((0, 3), 0)]:
            check("renorm", x(*shape), p, dim, 2.6, ulps=4)
    check("renorm", x(3), 2.0, 0, 1.0)
    check("renorm", x(2, 3), -1.0, 0, 1.0)
    check("renorm", x(2, 3), 2.0, 0, -1.0)
    check("cosine_similarity", plain([[1, 2]]), plain([[1, 2]]))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_limits_of_complex_numbers(check, dtype):
    rng = seeded("limits" + dtype)
    for p in (1.0, 2.0, 3.0, float("inf")):
        for shape, dim in [((2, 3), 0), ((2, 3, 2), -1), ((0, 3), 0)]:
            check("renorm", pair(dtype, shape, rng, "small"), p, dim, 2.6, ulps=4)


def test_the_gradient_of_no_distance_is_zero():
    for p in (1.0, 2.0, 3.0, float("inf")):
        for name in ("cdist", "pdist", "dist"):
            found = []
            for lib in (torch, tamis):
                x = lib.tensor([[1.0, 2.0], [1.0, 2.0], [0.0, 0.5]], dtype=lib.float64).requires_grad_()
                y = {"cdist": lambda: lib.cdist(x, x.detach() * 1, p), "pdist": lambda: lib.pdist(x, p),
                     "dist": lambda: lib.dist(x, x.detach() * 1, p)}[name]()
                y.sum().backward()
                found.append(x.grad.tolist())
            if name != "dist" or p != float("inf"):  # torch: NaN
                assert all(abs(a - b) < 1e-12 for s, t in zip(*found) for a, b in zip(s, t)), (name, p, found)
