"""Losses with and without a mask. torch has no mask: with one, torch gets what it keeps, flattened."""

import pytest
import tamis
import torch
import torch.nn.functional as F

from cases import FLOATS, HALVES, Pair, broadcastable, mask, pair, pick, plain, same_in_tamis, seeded

REDUCTIONS = ["none", "mean", "sum"]
# Each step of a half loss is rounded in torch too, but not in the same places; float32 sums are rounded once.
ULPS = {"float16": 8, "bfloat16": 8, "float32": 16, "float64": 16}


def wide(t):
    return t.float() if isinstance(t, torch.Tensor) and t.dtype in (torch.float16, torch.bfloat16) else t


def masked(loss, m, reduction):
    """What a mask makes of a loss without reduction."""
    if m is None:
        return {"none": loss, "mean": loss.mean(), "sum": loss.sum()}[reduction]
    m = m.expand(loss.shape)
    if reduction == "none":
        return torch.where(m, loss, torch.zeros_like(loss))
    return loss[m].mean() if reduction == "mean" else loss[m].sum()


def compare(check, op, dtype, *args, mask=None, reduction="mean", **kwargs):
    """torch computes in float64, so that what is compared is rounded once."""

    def call(lib, *a, mask=None, reduction="mean", **k):
        lift = lifted if "cross_entropy" in op else lambda loss: loss
        if lib is tamis:
            return lift(getattr(tamis, op)(*a, mask=mask, reduction=reduction, **k))
        up = lambda t: t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t
        loss = getattr(F, op)(*map(up, a), reduction="none", **{n: up(v) for n, v in k.items()})
        return lift(masked(loss, mask, reduction).to(getattr(torch, dtype)))

    options = dict(kwargs, reduction=reduction)
    if mask is not None:
        options["mask"] = mask
    return check(op, *args, call=call, ulps=ULPS[dtype], **options)


def lifted(loss):
    """Logarithms cancel near 0, so that their last places say nothing: compared beside a larger number."""
    return loss + 8


SHAPES = [(), (5,), (3, 4), (2, 3, 4), (70,), (9000,)]


def number_losses():
    return [("mse_loss", {}), ("l1_loss", {}), ("huber_loss", {}), ("huber_loss", {"delta": 0.5}),
            ("smooth_l1_loss", {}), ("smooth_l1_loss", {"beta": 2.5}), ("smooth_l1_loss", {"beta": 0.0})]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op,options", number_losses(), ids=lambda v: str(v))
def test_losses_of_numbers(check, op, options, dtype):
    rng = seeded(op + dtype + str(options))
    for reduction in REDUCTIONS:
        for shape in SHAPES:
            if dtype in HALVES and reduction == "sum" and len(shape) == 1 and shape[0] > 70:
                continue
            x, y = pair(dtype, shape, rng, "small"), pair(dtype, shape, rng, "small")
            compare(check, op, dtype, x, y, reduction=reduction, **options)
            narrow = tuple(1 if rng.rand() < 0.3 else n for n in shape)
            m = mask(pick(rng, [shape, narrow, shape[1:]]), rng)
            compare(check, op, dtype, x, y, mask=m, reduction=reduction, **options)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ["mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss",
                                "binary_cross_entropy_with_logits"])
def test_masked_out_values_do_not_matter(check, op, dtype):
    rng = seeded("wild" + op + dtype)
    for reduction in REDUCTIONS:
        for i in range(10):
            x, y = pair(dtype, (40,), rng, "moderate"), pair(dtype, (40,), rng, "moderate")
            good = torch.isfinite(x.torch) & torch.isfinite(y.torch) & (x.torch.abs() < 9) & (y.torch.abs() < 9)
            m = Pair(good, same_in_tamis(good))
            compare(check, op, dtype, x, y, mask=m, reduction=reduction)


@pytest.mark.parametrize("op", ["mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss"])
def test_dtypes_and_shapes(check, op):
    """The call itself, with its promotion, broadcasting and errors."""
    rng = seeded("dtypes" + op)

    def call(lib, *args, **kwargs):
        return getattr(F if lib is torch else tamis, op)(*args, **kwargs)

    for a in ("int64", "float32", "float64", "bool", "float16"):
        for b in ("int64", "float32", "float64", "bool", "float16"):
            for reduction in REDUCTIONS:
                x, y = pair(a, (2, 3), rng, "small"), pair(b, (2, 3), rng, "small")
                check(op, x, y, reduction=reduction, call=call, ulps=8)
    check(op, pair("float32", (2, 3), rng, "small"), pair("float32", (3,), rng, "small"), call=call, ulps=8)
    check(op, pair("float32", (2, 3), rng, "small"), pair("float32", (2,), rng, "small"), call=call)
    check(op, pair("float32", (0,), rng), pair("float32", (0,), rng), call=call)
    if op == "huber_loss":
        check(op, pair("float32", (2,), rng), pair("float32", (2,), rng), delta=0.0, call=call)
    if op == "smooth_l1_loss":
        check(op, pair("float32", (2,), rng), pair("float32", (2,), rng), beta=-1.0, call=call)


def probabilities(dtype, shape, rng):
    p = torch.from_numpy(rng.rand(*shape)).to(getattr(torch, dtype))
    p[torch.from_numpy(rng.rand(*shape) < 0.05)] = 0
    p[torch.from_numpy(rng.rand(*shape) < 0.05)] = 1
    return Pair(p, same_in_tamis(p))


@pytest.mark.parametrize("dtype", FLOATS)
def test_binary_cross_entropy_with_logits(check, dtype):
    rng = seeded("bce logits" + dtype)
    op = "binary_cross_entropy_with_logits"
    for reduction in REDUCTIONS:
        for shape in [(5,), (3, 4), (2, 3, 4)]:
            for i in range(4):
                x, y = pair(dtype, shape, rng, "small"), probabilities(dtype, shape, rng)
                options = {}
                if i % 2:
                    options["weight"] = pair(dtype, shape[-1:], rng, "positive")
                if i > 1:
                    options["pos_weight"] = pair(dtype, shape[-1:], rng, "positive")
                compare(check, op, dtype, x, y, reduction=reduction, **options)
                compare(check, op, dtype, x, y, mask=mask(shape, rng), reduction=reduction, **options)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_binary_cross_entropy(check, dtype):
    rng = seeded("bce" + dtype)
    op = "binary_cross_entropy"
    for reduction in REDUCTIONS:
        for shape in [(5,), (3, 4), (2, 3, 4)]:
            for i in range(4):
                x, y = probabilities(dtype, shape, rng), probabilities(dtype, shape, rng)
                options = {"weight": pair(dtype, shape[-1:], rng, "positive")} if i % 2 else {}
                compare(check, op, dtype, x, y, reduction=reduction, **options)
                compare(check, op, dtype, x, y, mask=mask(shape, rng), reduction=reduction, **options)
    outside = plain([0.5, 1.5], dtype)
    compare(check, op, dtype, outside, plain([0.0, 1.0], dtype))
    compare(check, op, dtype, outside, plain([0.0, 1.0], "float16"))


def class_call(op):
    """With a mask, torch ignores what is masked out."""

    def call(lib, x, target, mask=None, ignore_index=-100, reduction="mean", **options):
        if lib is tamis:
            return lifted(getattr(tamis, op)(x, target, mask=mask, ignore_index=ignore_index, reduction=reduction,
                                             **options))
        dtype = x.dtype if target.dtype == torch.int64 else torch.promote_types(x.dtype, target.dtype)
        x = x.double()
        options = {n: v.double() if isinstance(v, torch.Tensor) else v for n, v in options.items()}
        if target.is_floating_point():
            loss = masked(getattr(F, op)(x, target.double(), reduction="none", **options), mask, reduction)
        else:
            if mask is not None:
                target = torch.where(mask, target, torch.full_like(target, ignore_index))
            loss = getattr(F, op)(x, target, ignore_index=ignore_index, reduction=reduction, **options)
        return lifted(loss.to(dtype))

    return call


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["nll_loss", "cross_entropy"])
def test_losses_of_classes(check, op, dtype):
    rng = seeded(op + dtype)
    for reduction in REDUCTIONS:
        for i in range(24):
            classes = int(rng.randint(1, 7))
            sizes = pick(rng, [(4,), (1,), (0,), (3, 2), (2, 3, 2), (40,)])
            x = pair(dtype, sizes[:1] + (classes,) + sizes[1:], rng, "small")
            target = torch.from_numpy(rng.randint(0, classes, sizes))
            ignore = pick(rng, [-100, 0])
            if ignore == -100 and target.numel():
                target[torch.from_numpy(rng.rand(*sizes) < 0.2)] = -100
            target = Pair(target, same_in_tamis(target))
            options = {"ignore_index": ignore, "reduction": reduction}
            if rng.rand() < 0.5:
                options["weight"] = pair(dtype, (classes,), rng, "positive")
            if rng.rand() < 0.5:
                options["mask"] = mask(sizes, rng)
            if op == "cross_entropy" and rng.rand() < 0.5:
                options["label_smoothing"] = 0.3
            check(op, x, target, call=class_call(op), ulps=ULPS[dtype], **options)
        x = pair(dtype, (5,), rng, "small")
        check(op, x, plain(3), reduction=reduction, call=class_call(op), ulps=ULPS[dtype])


@pytest.mark.parametrize("dtype", FLOATS)
def test_cross_entropy_of_probabilities(check, dtype):
    rng = seeded("ce probabilities" + dtype)
    for reduction in REDUCTIONS:
        for i in range(16):
            classes = int(rng.randint(1, 7))
            sizes = pick(rng, [(4,), (1,), (3, 2)])
            shape = sizes[:1] + (classes,) + sizes[1:]
            x, share = pair(dtype, shape, rng, "small"), probabilities(dtype, shape, rng)
            options = {"reduction": reduction}
            if rng.rand() < 0.5:
                options["weight"] = pair(dtype, (classes,), rng, "positive")
            if rng.rand() < 0.5:
                options["mask"] = mask(sizes, rng)
            if rng.rand() < 0.5:
                options["label_smoothing"] = 0.3
            check("cross_entropy", x, share, call=class_call("cross_entropy"), ulps=ULPS[dtype], **options)


def test_masked_out_targets_and_logits_do_not_matter(check):
    nan, inf = float("nan"), float("inf")
    x, m = plain([[1.0, 2.0], [nan, inf], [0.5, -inf]]), plain([True, False, True])
    clean, target = torch.tensor([[1.0, 2.0], [0.5, -inf]]), torch.tensor([1, 0])
    for op in ("nll_loss", "cross_entropy"):
        for reduction in ("mean", "sum"):
            check(op, x, plain([1, 99, 0]), m, call=lambda lib, x, t, m: (
                getattr(F, op)(clean, target, reduction=reduction) if lib is torch
                else getattr(tamis, op)(x, t, mask=m, reduction=reduction)), ulps=4)


@pytest.mark.parametrize("op", ["nll_loss", "cross_entropy"])
def test_what_classes_refuse(check, op):
    rng = seeded("class errors" + op)

    def call(lib, *args, **kwargs):
        return getattr(F if lib is torch else tamis, op)(*args, **kwargs)

    x = pair("float32", (3, 5), rng, "small")
    for target in ([1, 2, 5], [1, 2, -1]):
        check(op, x, plain(target), call=call)
    check(op, x, plain([1, 2, 3], "int32"), call=call)
    check(op, x, plain([[1], [2], [3]]), call=call)
    check(op, x, plain([1, 2, 3]), weight=pair("float32", (4,), rng), call=call)
    check(op, x, plain([1, 2, 3]), weight=pair("float64", (5,), rng), call=call)
    check(op, pair("int64", (3, 5), rng), plain([1, 2, 3]), call=call)
    check(op, pair("float32", (3, 5, 2), rng), pair("int64", (3, 3), rng), call=call)
    check(op, pair("float32", (5,), rng), plain([1]), call=call)
    if op == "cross_entropy":
        check(op, x, plain([1, 2, 3]), label_smoothing=1.5, call=call)
        check(op, x, pair("float32", (3, 5), rng), ignore_index=2, call=call)
