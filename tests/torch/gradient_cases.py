"""The calls whose gradients are compared: for every differentiable row, in a form that runs in both libraries."""

import functools

import numpy as np
import tamis
import torch
import torch.nn.functional as F

from conftest import rows


class T:
    """A tensor of floating point numbers by which is differentiated. Values: all different and between 0.3 and
    0.95, or signed, between -1 and 1."""

    def __init__(self, *shape, kind="positive"):
        self.shape, self.kind = shape, kind


class Z(T):
    """The same of complex numbers, whose real and imaginary parts are such values."""


class C:
    """A tensor of constants: indices, masks, targets."""

    def __init__(self, values):
        self.values = np.array(values)


def find(lib, name):
    """The function of that name, or else the method."""
    if lib is torch and name in IN_FUNCTIONAL:
        return getattr(F, name)
    try:
        found = functools.reduce(getattr, name.split("."), lib)
    except AttributeError:
        found = None
    is_function = callable(found) and not isinstance(found, (torch.dtype, tamis.dtype))
    return found if is_function else getattr(lib.Tensor, name)


class Case:
    """call(library, *arguments); in_place does the same to a copy of the first argument, if there is such a method.
    The gradients of gradients are compared if the order is 2, and in the given layouts, or in all."""

    def __init__(self, arguments, call, in_place=None, order=2, layouts=None):
        self.arguments, self.call, self.in_place = arguments, call, in_place
        self.order, self.layouts = order, layouts

    def but(self, **changes):
        """The same case with other options."""
        return Case(**{**vars(self), **changes})


def op(name, *arguments, **options):
    """name(*arguments, **options), and in place if there is such a method."""

    def split(lib, given):
        count = len(arguments)
        return given[:count], {k: v for k, v in zip(options, given[count:])}

    def call(lib, *given):
        a, k = split(lib, given)
        return find(lib, name)(*a, **k)

    def write(lib, *given):
        a, k = split(lib, given)
        x = a[0] * 1
        getattr(x, name + "_")(*a[1:], **k)
        return x

    has_write = name + "_" in ROWS and hasattr(torch.Tensor, name + "_")
    return Case([*arguments, *options.values()], call, write if has_write else None)


def in_torch(theirs, *arguments, name, **options):
    """A row that torch does not have: theirs(*arguments) says the same in torch."""
    return Case(list(arguments), lambda lib, *a: theirs(*a) if lib is torch else find(lib, name)(*a, **options))


ROWS = rows()
LOSSES = ["mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy",
          "binary_cross_entropy_with_logits", "nll_loss", "cross_entropy"]
MARGIN_LOSSES = ["soft_margin_loss", "hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss",
                 "triplet_margin_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
                 "kl_div", "poisson_nll_loss", "gaussian_nll_loss"]
IN_FUNCTIONAL = {*LOSSES, *MARGIN_LOSSES, "pad", "normalize", "softmin", "embedding", "layer_norm", "dropout", "gelu", "silu",
                 "mish", "logsigmoid", "relu6", "hardsigmoid", "hardswish", "softsign", "tanhshrink", "leaky_relu", "elu",
                 "softplus", "hardtanh", "softshrink", "glu"}

MASK = [[True, False, True, True], [False, True, False, True], [True, True, False, False]]
TWO_EACH = [[True, False, True, True], [True, True, False, True], [False, True, True, False]]
FULL = [[True] * 4] * 3
ROW_MASK = [True, False, True]
INDEX = [[0, 2, 1, 0], [2, 2, 0, 1]]


def unary(name):
    return [op(name, T(3, 4)), op(name, T()), op(name, T(2, 3, 2, kind="signed") if name in SIGNED else T(2, 3, 2))]


SIGNED = {"abs", "exp", "expm1", "sin", "cos", "tan", "tanh", "sigmoid", "erf", "relu", "square", "neg", "reciprocal", "floor",
          "ceil", "trunc", "round", "sign", "conj", "clone", "contiguous", "angle", "real",
          "asin", "acos", "atan", "sinh", "cosh", "asinh", "atanh", "exp2", "erfc", "erfinv", "i0", "sinc", "sgn", "positive",
          "frac", "deg2rad", "rad2deg"}
ACTIVATIONS = ["gelu", "silu", "mish", "logsigmoid", "selu", "relu6", "hardsigmoid", "hardswish", "softsign", "tanhshrink",
               "leaky_relu", "elu", "celu", "softplus", "hardtanh", "hardshrink", "softshrink"]
SIGNED |= {*ACTIVATIONS}
UNARY = sorted(SIGNED | {"log", "log2", "log10", "log1p", "sqrt", "rsqrt", "double", "lgamma", "digamma", "logit"})


def binary(name):
    found = [op(name, T(3, 4), T(3, 4)), op(name, T(3, 4), T(4)), op(name, T(3, 1), T(2, 1, 4)).but(in_place=None),
             op(name, T(), T(3)).but(in_place=None)]
    if name not in ("maximum", "minimum", "logaddexp", "logaddexp2", "atan2", "hypot", "fmax", "fmin", "ldexp"):
        found.append(op(name, T(3, 4), 0.7))
    if name in ("add", "sub", "mul", "div", "pow"):
        found.append(op(name, C(0.7), T(3, 4)).but(in_place=None))
    return found


BINARY = ["add", "sub", "mul", "div", "pow", "fmod", "remainder", "maximum", "minimum", "logaddexp", "logaddexp2", "atan2",
          "hypot", "copysign", "fmax", "fmin", "xlogy", "ldexp"]


def written(name, case):
    """The case, and in place in Tamis only: torch has no such method, or no gradient of it."""

    def write(lib, *given):
        if lib is torch:
            return case.call(lib, *given)
        x = given[0] * 1
        return getattr(x, name + "_")(*given[1:])

    return case.but(in_place=write)


def reduction(name):
    return [op(name, T(3, 4)), op(name, T(3, 4), 1), op(name, T(2, 3, 4), -2), op(name, T(3, 4), 0, True)]


def spread(name):
    return [op(name, T(3, 4), unbiased=True), op(name, T(3, 4), 1), op(name, T(2, 3, 4), [0, 2], unbiased=False),
            op(name, T(3, 4), 1, keepdim=True, unbiased=True)]


def with_nan(name, *rest):
    """Of a tensor some of whose elements are NaN."""
    fill = lambda lib, x, m: lib.where(m, x, lib.full_like(x, float("nan")))
    return Case([T(3, 4), C(MASK)], lambda lib, x, m: find(lib, name)(fill(lib, x, m), *rest))


def without_nan(name, masked_name, *rest, **options):
    """Of the same tensor; torch has these for masks only."""

    def run(lib, x, m):
        if lib is torch:
            return getattr(torch.masked, masked_name)(x, *rest, mask=m, **options)
        return getattr(lib, name)(lib.where(m, x, lib.full_like(x, float("nan"))), *rest)

    return Case([T(3, 4), C(TWO_EACH)], run)


def masked(name, *rest, shape=(3, 4), mask=None, **options):
    return op(f"masked.{name}", T(*shape), *rest, mask=C(MASK if mask is None else mask), **options)


def masked_reduction(name):
    options = {"unbiased": True} if name in ("var", "std") else {}
    return [masked(name, **options), masked(name, 1, **options),
            masked(name, 0, keepdim=True, mask=TWO_EACH, **options),
            masked(name, 1, shape=(2, 3, 4), mask=[TWO_EACH, FULL], **options),
            masked(name, 1, mask=[[True], [True], [True]], **options), masked(name, [0, 1], **options)]


def loss(name):
    """Without a mask, and with one: torch gets what it keeps."""
    target = np.array([[0.1, 0.9, 0.4, 0.2], [0.8, 0.7, 0.1, 1.0], [0.0, 0.3, 0.6, 0.5]])
    found = []
    for r in ("mean", "sum", "none"):
        found.append(op(name, T(3, 4), C(target), reduction=r))
        found.append(op(name, T(3, 4), T(3, 4), reduction=r))
        if not name.startswith("binary"):
            found.append(op(name, T(2, 3, 4), T(4), reduction=r))
        theirs = lambda x, t, m, r=r: getattr(F, name)(x[m], t[m], reduction=r)
        found.append(Case([T(3, 4), T(3, 4), C(MASK)], lambda lib, x, t, m, r=r, theirs=theirs:
                          theirs(x, t, m) if lib is torch else tamis_masked(name, x, t, m, r)))
    return found


def tamis_masked(name, x, t, m, r, **options):
    found = getattr(tamis, name)(x, t, mask=m, reduction=r, **options)
    return found[m] if r == "none" else found


def class_loss(name):
    weight = [0.5, 1.0, 2.0]
    found = []
    for r in ("mean", "sum", "none"):
        found.append(op(name, T(4, 3, kind="signed"), C([2, 0, 1, 1]), reduction=r))
        found.append(op(name, T(4, 3, kind="signed"), C([2, -100, 1, 0]), reduction=r, weight=C(weight)))
        found.append(op(name, T(2, 3, 2), C([[2, 0], [1, 1]]), reduction=r, ignore_index=0))
        keep = C([True, False, True, True])
        found.append(Case([T(4, 3), C([2, 0, 1, 1]), keep], lambda lib, x, t, m, r=r:
                          getattr(F, name)(x[m], t[m], reduction=r) if lib is torch
                          else tamis_masked(name, x, t, m, r)))
    return found


SIGNS = [[1, -1, 1, 1], [-1, 1, -1, 1], [1, 1, -1, -1]]
LABELS = [[2, 0, -1, 1], [1, -1, 0, 0], [3, 2, 1, 0]]


def margin_loss(name):
    """Plain, and with a mask: torch gets the loss without reduction of all, of which the mask keeps some."""
    signed = lambda *shape: T(*shape, kind="signed")
    arguments, options = {
        "soft_margin_loss": ([signed(3, 4), C(SIGNS)], {}),
        "hinge_embedding_loss": ([T(3, 4), C(SIGNS)], {"margin": 2.0}),
        "margin_ranking_loss": ([signed(3, 4), signed(3, 4), C(SIGNS)], {"margin": 0.1}),
        "cosine_embedding_loss": ([T(3, 4), T(3, 4), C([1, -1, 1])], {"margin": 0.1}),
        "triplet_margin_loss": ([T(3, 4), T(3, 4), T(3, 4)], {"margin": 3.0, "p": 3.0}),
        "multi_margin_loss": ([T(3, 4), C([2, 0, 3])], {"p": 2}),
        "multilabel_margin_loss": ([T(3, 4), C(LABELS)], {}),
        "multilabel_soft_margin_loss": ([signed(3, 4), T(3, 4)], {"weight": T(4)}),
        "kl_div": ([signed(3, 4), T(3, 4)], {}),
        "poisson_nll_loss": ([T(3, 4), T(3, 4)], {"full": True}),
        "gaussian_nll_loss": ([T(3, 4), T(3, 4), T(3, 4)], {"full": True}),
    }[name]
    by_row = {"cosine_embedding_loss", "triplet_margin_loss", "multi_margin_loss", "multilabel_margin_loss",
              "multilabel_soft_margin_loss"}
    keep = C(ROW_MASK if name in by_row else MASK)
    found = [op(name, *arguments, reduction=r, **options) for r in ("mean", "sum", "none")]

    def call(lib, *given):
        *own, m = given
        a, k = own[:len(arguments)], dict(zip(options, own[len(arguments):]))
        if lib is torch:
            return getattr(F, name)(*a, reduction="none", **k)[m].mean()
        return getattr(tamis, name)(*a, mask=m, **k)

    return [*found, Case([*arguments, *options.values(), keep], call)]


def attention(lib, q, k, v, mask=None, is_causal=False, scale=None):
    """torch 1.13 has the parts of it only."""
    if lib is tamis:
        return lib.scaled_dot_product_attention(q, k, v, mask, is_causal=is_causal, scale=scale)
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -float("inf")) if mask.dtype == torch.bool else scores + mask
    return scores.softmax(-1) @ v


DENSE = ["contiguous", "offset"]
ROW_MAJOR = ["contiguous", "stepped", "offset"]

# torch 1.13 fills and reads the elements of a transposed tensor in the order of its memory in masked_scatter and in the
# gradient of masked_select; so these are not compared transposed.
TABLE = {
    **{name: unary(name) for name in UNARY},
    **{name: binary(name) for name in BINARY},
    **{name: reduction(name) for name in ("sum", "mean", "prod", "amax", "amin")},
    **{name: spread(name) for name in ("var", "std", "var_mean", "std_mean")},
    **{f"masked.{n}": masked_reduction(n) for n in ("sum", "mean", "prod", "amax", "amin", "var", "std")},
    **{name: loss(name) for name in LOSSES[:6]},
    **{name: class_loss(name) for name in LOSSES[6:]},
    **{name: margin_loss(name) for name in MARGIN_LOSSES},
    # pointwise, with more arguments
    "round": [*unary("round"), op("round", T(3, 4), decimals=1), op("round", T(3, 4, kind="signed"), decimals=-1)],
    "div": [*binary("div"), *(op("div", T(3, 4), T(4), rounding_mode=mode) for mode in ("floor", "trunc")),
            op("div", T(3, 4), 0.3, rounding_mode="floor")],
    "clamp": [op("clamp", T(3, 4), 0.4, 0.6), op("clamp", T(3, 4), T(4), T(3, 1)), op("clamp", T(3, 4), min=T(4))],
    # torch 1.13 has no gradient of acosh_, asinh_, atanh_ and ldexp_, a wrong one of sgn_, and few digits of trigamma.
    **{name: [written(name, c) for c in unary(name)] for name in ("asinh", "atanh")},
    "acosh": [Case([T(3, 4)], lambda lib, x: lib.acosh(x + 1), lambda lib, x: lib.acosh(x + 1) if lib is torch
                   else (x + 1).acosh_())],
    "ldexp": [c.but(in_place=None) for c in binary("ldexp")] + [written("ldexp", op("ldexp", T(3, 4), T(4)))],
    "sgn": [written("sgn", in_torch(torch.sign, T(3, 4, kind="signed"), name="sgn"))],
    "digamma": [c.but(order=1) for c in unary("digamma")],
    "logit": [*unary("logit"), op("logit", T(3, 4), 0.4), op("logit", T(3, 4), eps=1e-6)],
    "float_power": [Case([T(3, 4), T(4)], lambda lib, x, y: lib.float_power(x.double(), y.double()),
                         lambda lib, x, y: (x.double() * 1).float_power_(y.double())),
                    Case([T(3, 4)], lambda lib, x: lib.float_power(x.double(), 1.5))],
    "frexp": [Case([T(3, 4, kind="signed")], lambda lib, x: lib.frexp(x)[0])],
    "heaviside": [written("heaviside", Case([T(3, 4), T(4)], lambda lib, x, y: torch.where(x == 0, y, (x > 0).to(y))
                                            if lib is torch else lib.heaviside(x, y)))],
    "lerp": [op("lerp", T(3, 4), T(4), 0.3), op("lerp", T(3, 4), T(3, 4), T(4)), op("lerp", T(3, 4), T(3, 1), 0.8)],
    "addcmul": [op("addcmul", T(3, 4), T(4), T(3, 1)), op("addcmul", T(3, 4), T(3, 4), T(4), value=0.7)],
    "addcdiv": [op("addcdiv", T(3, 4), T(4), T(3, 1)), op("addcdiv", T(3, 4), T(3, 4), T(4), value=0.7)],
    "rsub": [op("rsub", T(3, 4), T(4)), op("rsub", T(3, 4), 0.7, alpha=2)],
    "gelu": [*unary("gelu"), op("gelu", T(3, 4, kind="signed"), approximate="tanh")],
    **{name: [written(name, c) for c in [*unary(name), op(name, T(3, 4, kind="signed"), *more)]] for name, more in {
        "leaky_relu": [0.3], "elu": [0.3], "celu": [0.5], "hardtanh": [-0.5, 0.7], "selu": [], "relu6": [], "silu": [],
        "mish": [], "hardswish": []}.items()},
    "hardsigmoid": [written("hardsigmoid", in_torch(lambda x: (x + 3).clamp(0, 6) / 6, T(3, 4, kind="signed"),
                                                    name="hardsigmoid"))],
    "softplus": [*unary("softplus"), op("softplus", T(3, 4, kind="signed"), 2.0, 1.0)],
    "threshold": [written("threshold", op("threshold", T(3, 4), 0.6, 2.0))], "glu": [op("glu", T(3, 4)), op("glu", T(4, 3), 0)],
    "prelu": [op("prelu", T(3, 4, kind="signed"), T(4)), op("prelu", T(3, 4, kind="signed"), T(1))],
    "where": [op("where", C(MASK), T(3, 4), T(3, 4)), op("where", C(MASK), T(4), T(3, 1)),
              op("where", C(MASK), T(2, 3, 4), T())],
    "float": [op("float", T(3))], "to": [Case([T(3)], lambda lib, x: x.to(lib.float64) * 2)],
    "half": [], "bfloat16": [],  # too coarse to compare
    "type_as": [Case([T(3), T(1)], lambda lib, x, y: x.type_as(y))],
    # views
    "view": [op("view", T(3, 4), [2, 6]).but(layouts=DENSE)], "reshape": [op("reshape", T(3, 4), [4, -1])],
    "view_as": [op("view_as", T(3, 4), C(np.zeros((2, 6)))).but(layouts=DENSE)],
    "reshape_as": [op("reshape_as", T(3, 4), C(np.zeros((2, 6))))],
    "expand": [op("expand", T(3, 1), [2, 3, 4])], "expand_as": [op("expand_as", T(4), C(np.zeros((3, 4))))],
    "broadcast_to": [op("broadcast_to", T(3, 1), [2, 3, 4])],
    "broadcast_tensors": [Case([T(3, 1), T(4)], lambda lib, x, y:
                               lib.broadcast_tensors(x, y) if lib is torch else lib.broadcast_tensors([x, y]))],
    "permute": [op("permute", T(2, 3, 4), [2, 0, 1])], "transpose": [op("transpose", T(2, 3, 4), 0, -1)],
    "t": [op("t", T(3, 4))], "squeeze": [op("squeeze", T(3, 1, 2)), op("squeeze", T(3, 1, 2), 1)],
    "unsqueeze": [op("unsqueeze", T(3, 2), 1)], "flatten": [op("flatten", T(2, 3, 2)), op("flatten", T(2, 3, 2), 1)],
    "narrow": [op("narrow", T(3, 4), 1, 1, 2)], "select": [op("select", T(3, 4), 1, -1)],
    "diagonal": [op("diagonal", T(3, 4)), op("diagonal", T(2, 3, 4), 1, -1, 0)],
    "diag": [op("diag", T(3), 1), op("diag", T(3, 4), -1)],
    "diag_embed": [op("diag_embed", T(3)), op("diag_embed", T(2, 3), -1)],
    "flip": [op("flip", T(3, 4), [0, 1])], "fliplr": [op("fliplr", T(3, 4))], "flipud": [op("flipud", T(3, 4))],
    "roll": [op("roll", T(3, 4), [1, -2], [0, 1])], "rot90": [op("rot90", T(3, 4), 1, [0, 1])],
    "repeat": [op("repeat", T(3, 1), [2, 1, 2])], "tril": [op("tril", T(3, 4), 1)], "triu": [op("triu", T(3, 4))],
    "diff": [op("diff", T(3, 4)), op("diff", T(3, 4), 2, 0), op("diff", T(3, 4), 1, -1, T(3, 1))],
    "select_scatter": [op("select_scatter", T(3, 4), T(4), 0, 1)],
    "slice_scatter": [op("slice_scatter", T(4, 3), T(2, 3), 0, 1, None, 2)],
    "diagonal_scatter": [op("diagonal_scatter", T(3, 4), T(3))],
    # masking
    "masked_fill": [op("masked_fill", T(3, 4), C(MASK), 2.0), op("masked_fill", T(3, 4), C(MASK), T()),
                    op("masked_fill", T(2, 3, 4), C(MASK), 0.5)],
    "masked_select": [op("masked_select", T(3, 4), C(MASK)).but(layouts=ROW_MAJOR),
                      op("masked_select", T(2, 3, 4), C(MASK)).but(layouts=ROW_MAJOR),
                      op("masked_select", T(4), C(MASK))],
    "masked_scatter": [op("masked_scatter", T(3, 4), C(MASK), T(12)).but(layouts=ROW_MAJOR),
                       op("masked_scatter", T(3, 4), C(MASK), T(3, 3)).but(layouts=ROW_MAJOR)],
    "partition": [in_torch(lambda x, m: (x[m], x[~m]), T(3, 4), C(MASK), name="partition")],
    "masked_select_padded": [in_torch(lambda x, m: F.pad(x[m], (0, 3)), T(3, 4), C(MASK), name="masked_select_padded",
                                      size=10)],
    "masked_index_padded": [in_torch(lambda x, m: F.pad(x[m], (0, 0, 0, 1)), T(3, 4), C(ROW_MASK),
                                     name="masked_index_padded", size=3)],
    "masked_select_rows": [in_torch(lambda x, m: x[m], T(3, 4), C(MASK), name="masked_select_rows")],
    # reductions
    "max": [op("max", T(3, 4)), Case([T(3, 4)], lambda lib, x: x.max(dim=1)), op("max", T(3, 4), T(4))],
    "min": [op("min", T(3, 4)), Case([T(3, 4)], lambda lib, x: x.min(dim=0)), op("min", T(3, 4), T(4))],
    "aminmax": [in_torch(lambda x: (x.amin(), x.amax()), T(3, 4), name="aminmax"),
                in_torch(lambda x: (x.amin(1), x.amax(1)), T(3, 4), name="aminmax", dim=1)],
    "nansum": [with_nan("nansum"), with_nan("nansum", 1)], "nanmean": [with_nan("nanmean"), with_nan("nanmean", 1)],
    "nanmax": [without_nan("nanmax", "amax"), without_nan("nanmax", "amax", 1)],
    "nanmin": [without_nan("nanmin", "amin"), without_nan("nanmin", "amin", 0)],
    "nanvar": [without_nan("nanvar", "var", unbiased=False), without_nan("nanvar", "var", 1, unbiased=False)],
    "nanstd": [without_nan("nanstd", "std", unbiased=False), without_nan("nanstd", "std", 1, unbiased=False)],
    "norm": [op("norm", T(3, 4)), op("norm", T(3, 4), 2, 1), op("norm", T(3, 4), 1, 0), op("norm", T(3, 4), 3, 1),
             op("norm", T(3, 4), float("inf"), 1), op("norm", T(3, 4, kind="signed"), 2.5, 1),
             op("norm", T(3, 4), "fro"), op("norm", T(3, 4, kind="signed"), "fro", 1),
             op("norm", T(3, 4, kind="signed"), "nuc").but(order=1), op("norm", T(5, 2), "nuc").but(order=1),
             op("norm", T(3, 2, 4, kind="signed"), "nuc", (2, 0)).but(order=1)],
    "normalize": [op("normalize", T(3, 4)), op("normalize", T(3, 4), 1, 0), op("normalize", T(3, 4), 3.0, 1)],
    "logsumexp": [op("logsumexp", T(3, 4), 1), op("logsumexp", T(3, 4), [0, 1], True)],
    "masked.norm": [masked("norm", 2.0), masked("norm", 2.0, 1), masked("norm", 3.0, 0), masked("norm", 1.0, 1)],
    "masked.normalize": [masked("normalize", 2.0, 1), masked("normalize", 1.0, 0)],
    "masked.logsumexp": [masked("logsumexp", 1), masked("logsumexp", 0)],
    "masked.median": [masked("median", 1), masked("median", 0)],
    "masked.quantile": [Case([T(3, 4), C(MASK), C([0.3, 0.5])], lambda lib, x, m, q: torch.nanquantile(
        torch.where(m, x, torch.full_like(x, float("nan"))), q, 1) if lib is torch
        else lib.masked.quantile(x, q, 1, mask=m))],
    "masked.logaddexp": [op("masked.logaddexp", T(3, 4), T(3, 4), input_mask=C(MASK),
                            other_mask=C(ROW_MASK + [True])).but(order=1)],  # torch's second one is NaN
    # attention
    "scaled_dot_product_attention": [
        Case([T(3, 2), T(4, 2), T(4, 3)], attention), Case([T(3, 2), T(4, 2), T(4, 3), C(MASK)], attention),
        Case([T(2, 3, 2), T(4, 2), T(2, 4, 3), T(3, 4)], attention),
        Case([T(2, 3, 2), T(2, 4, 2), T(4, 1)], lambda lib, *x: attention(lib, *x, is_causal=True, scale=2.0)),
        Case([T(3, 2), T(3, 2), T(3, 2), C([0, 2, 3])], lambda lib, q, k, v, o: torch.cat(
            [attention(lib, q[:2], k[:2], v[:2]), v[2:]]) if lib is torch
            else lib.scaled_dot_product_attention(q, k, v, offsets=o))],
    # softmax and scans
    "softmax": [op("softmax", T(3, 4), 1), op("softmax", T(3, 4, kind="signed"), 0)],
    "log_softmax": [op("log_softmax", T(3, 4), 1), op("log_softmax", T(3, 4, kind="signed"), 0)],
    "softmin": [op("softmin", T(3, 4), 1)],
    "masked.softmax": [masked("softmax", 1), masked("softmax", 0)],
    "masked.log_softmax": [Case([T(3, 4), C(MASK)], lambda lib, x, m: lib.masked.log_softmax(x, 1, mask=m)[m])],
    "masked.softmin": [masked("softmin", 1)],
    "cumsum": [op("cumsum", T(3, 4), 1), op("cumsum", T(3, 4), 0)],
    "cumprod": [op("cumprod", T(3, 4), 1), op("cumprod", T(3, 4, kind="signed"), 0)],
    "cummax": [op("cummax", T(3, 4), 1)], "cummin": [op("cummin", T(3, 4), 0)],
    "logcumsumexp": [op("logcumsumexp", T(3, 4), 1), op("logcumsumexp", T(3, 4, kind="signed"), 0)],
    "masked.cumsum": [masked("cumsum", 1), masked("cumsum", 0)],
    "masked.cumprod": [masked("cumprod", 1), masked("cumprod", 0)],
    # order
    "sort": [op("sort", T(3, 4)), op("sort", T(3, 4), 0, True)], "msort": [op("msort", T(3, 4))],
    "topk": [op("topk", T(3, 4), 2), op("topk", T(3, 4), 2, 0, False)],
    "kthvalue": [op("kthvalue", T(3, 4), 2), op("kthvalue", T(3, 4), 1, 0, True)],
    "median": [op("median", T(3, 4)), op("median", T(3, 5), 1), op("median", T(3, 4), 0, True)],
    "nanmedian": [with_nan("nanmedian"), with_nan("nanmedian", 1)],
    "mode": [op("mode", T(3, 1)), op("mode", T(3, 1), 1, True)],
    "quantile": [op("quantile", T(3, 4), C([0.1, 0.55]), 1), op("quantile", T(3, 4), C([0.1, 0.55])),
                 op("quantile", T(3, 4), C(0.3), 0, True), op("quantile", T(3, 4), 0.3, 0),
                 op("quantile", T(3, 4), T(2), 0),
                 *[op("quantile", T(3, 5), C([0.3, 0.7]), 1, interpolation=i)
                   for i in ("lower", "higher", "nearest", "midpoint")]],
    "nanquantile": [with_nan("nanquantile", 0.4), with_nan("nanquantile", 0.4, 1)],
    "percentile": [in_torch(lambda x, q: x.quantile(q / 100, 1), T(3, 4), C([10.0, 55.0]), name="percentile", dim=1),
                   in_torch(lambda x: x.quantile(0.3), T(3, 4), name="percentile", q=30)],
    "unique": [in_torch(lambda x: x.flatten().sort()[0], T(3, 4), name="unique")],
    "unique_consecutive": [in_torch(lambda x: x.flatten(), T(3, 4), name="unique_consecutive")],
    # indices
    "gather": [op("gather", T(3, 4), 0, C(INDEX)), op("gather", T(2, 4), 1, C([[3, 3], [0, 1]]))],
    "take": [op("take", T(3, 4), C([0, 5, 5, -1]))],
    "take_along_dim": [op("take_along_dim", T(3, 4), C([[0, 1], [3, 3], [2, 1]]), 1),
                       op("take_along_dim", T(3, 4), C([0, 7, 7])).but(layouts=DENSE)],
    "index_select": [op("index_select", T(3, 4), 1, C([3, 0, 0]))],
    "index": [Case([T(3, 4), C([0, 2, 2])], lambda lib, x, i: x[i]),
              Case([T(3, 4), C([0, 2]), C([1, 3])], lambda lib, x, i, j: x[i, j]),
              Case([T(3, 4), C([1, 1])], lambda lib, x, i: x[:, i]),
              Case([T(3, 4), C(MASK)], lambda lib, x, m: x[m]),
              Case([T(3, 4), C(ROW_MASK)], lambda lib, x, m: x[m]),
              Case([T(3, 4), C(ROW_MASK)], lambda lib, x, m: x[m, 1:3]),
              Case([T(4, 3)], lambda lib, x: x[1::2, None, -1])],
    "scatter": [op("scatter", T(3, 4), 0, C([[0, 2, 1, 0], [2, 1, 0, 1]]), T(2, 4)),
                op("scatter", T(3, 4), 1, C([[0, 2], [3, 1], [1, 0]]), T(3, 2)),
                Case([T(3, 4), C([[0], [1], [3]])], lambda lib, x, i: lib.scatter(x, 1, i, 0.5) if lib is torch
                     else lib.scatter(x, 1, i, value=0.5))],
    "scatter_add": [op("scatter_add", T(3, 4), 0, C(INDEX), T(2, 4))],
    "scatter_reduce": [op("scatter_reduce", T(3, 4), 0, C(INDEX), T(2, 4), reduce, include_self=s)
                       for reduce in ("sum", "mean", "amax", "amin", "prod") for s in (True, False)],
    "index_add": [op("index_add", T(3, 4), 0, C([2, 2, 0]), T(3, 4)),
                  op("index_add", T(3, 4), 1, C([1, 1]), T(3, 2), alpha=2.5)],
    "index_copy": [op("index_copy", T(3, 4), 0, C([2, 0]), T(2, 4))],
    "index_fill": [op("index_fill", T(3, 4), 1, C([0, 3]), 0.5), op("index_fill", T(3, 4), 1, C([0, 3]), T())],
    "index_put": [Case([T(3, 4), C([0, 2]), C([1, 3]), T(2)], lambda lib, x, i, j, v: x.index_put([i, j], v)),
                  Case([T(3, 4), C([2, 2, 0]), T(3, 4)], lambda lib, x, i, v: x.index_put([i], v, accumulate=True)),
                  Case([T(3, 4), C(MASK), T()], lambda lib, x, m, v: x.index_put([m], v))],
    "index_reduce": [op("index_reduce", T(3, 4), 0, C([2, 0, 2]), T(3, 4), reduce)
                     for reduce in ("mean", "amax", "amin", "prod")],
    "put": [op("put", T(3, 4), C([1, 7, -1]), T(3)), op("put", T(3, 4), C([1, 7, 1]), T(3), True)],
    # joining and padding
    "cat": [Case([T(2, 3), T(1, 3)], lambda lib, x, y: lib.cat([x, y, x])),
            Case([T(2, 3), T(2, 1)], lambda lib, x, y: lib.cat([x, y], -1))],
    "stack": [Case([T(2, 3), T(2, 3)], lambda lib, x, y: lib.stack([x, y], 1))],
    "pad": [op("pad", T(3, 4), [1, 2]), op("pad", T(3, 4), [1, -1, 2, 0], "constant", 0.5),
            op("pad", T(2, 3, 4), [2, 1], "reflect"), op("pad", T(2, 3, 4), [2, 1], "replicate"),
            op("pad", T(2, 3, 4), [2, 1], "circular")],
    "pad_sequence": [Case([T(3, 2), T(1, 2)], lambda lib, x, y: (
        torch.nn.utils.rnn.pad_sequence if lib is torch else lib.pad_sequence)([x, y], True))],
    "pack": [in_torch(lambda x, m: x[m], T(3, 4, 2), C(MASK), name="pack")],
    "pack_padded": [in_torch(lambda x, n: torch.cat([x[0, :2], x[2, :4]]), T(3, 4, 2), C([2, 0, 4]),
                             name="pack_padded")],
    "to_padded": [in_torch(lambda x, o: torch.stack([F.pad(x[:2], (0, 1)), x[2:]]), T(5), C([0, 2, 5]),
                           name="to_padded")],
    "unpack": [in_torch(lambda x, o: torch.stack([F.pad(x[:2], (0, 0, 0, 1)), x[2:]]), T(5, 2), C([0, 2, 5]),
                        name="unpack")],
    # matrices
    "matmul": [op("matmul", T(3, 4), T(4, 2)), op("matmul", T(4), T(4)), op("matmul", T(3, 4), T(4)),
               op("matmul", T(4), T(4, 3)), op("matmul", T(2, 1, 3, 4), T(5, 4, 2)), op("matmul", T(2, 3, 4), T(4))],
    "mm": [op("mm", T(3, 4), T(4, 2))], "mv": [op("mv", T(3, 4), T(4))], "dot": [op("dot", T(4), T(4))],
    "bmm": [op("bmm", T(2, 3, 4), T(2, 4, 2))], "outer": [op("outer", T(3), T(4))],
    "addmm": [op("addmm", T(3, 2), T(3, 4), T(4, 2)),
              op("addmm", T(2), T(3, 4), T(4, 2), beta=0.5, alpha=2.0).but(in_place=None)],
    # pieces and repetitions
    "split": [op("split", T(5, 3), 2), op("split", T(2, 5), [1, 4], 1)],
    "split_with_sizes": [op("split_with_sizes", T(5, 3), [2, 0, 3])],
    "chunk": [op("chunk", T(5, 3), 2)], "unbind": [op("unbind", T(2, 3), 1)],
    "movedim": [op("movedim", T(2, 3, 4), 0, -1)], "ravel": [op("ravel", T(2, 3))],
    "unflatten": [Case([T(2, 6)], lambda lib, x: x.unflatten(1, (2, 3)))],
    "meshgrid": [Case([T(2), T(3)], lambda lib, a, b: tuple(lib.meshgrid(a, b, indexing="xy")))],
    "tile": [op("tile", T(2, 3), (2, 1, 2))],
    "repeat_interleave": [op("repeat_interleave", T(2, 3), 2), op("repeat_interleave", T(2, 3), C([2, 0, 1]), 1)],
    "hstack": [Case([T(2, 3), T(2, 1)], lambda lib, a, b: lib.hstack([a, b]))],
    "vstack": [Case([T(3), T(2, 3)], lambda lib, a, b: lib.vstack([a, b]))],
    "tensor_split": [op("tensor_split", T(5, 3), 2), op("tensor_split", T(2, 5), [1, 3], 1)],
    "hsplit": [op("hsplit", T(2, 4), 2)], "vsplit": [op("vsplit", T(4, 2), [1, 3])], "dsplit": [op("dsplit", T(2, 1, 4), 2)],
    "unfold": [op("unfold", T(3, 6), 1, 3, 1), op("unfold", T(5, 2), 0, 2, 2), op("unfold", T(4), 0, 3, 1)],
    "as_strided": [op("as_strided", T(3, 4), [2, 3], [4, 1]).but(layouts=["contiguous"]),
                   op("as_strided", T(3, 4), [3, 3], [2, 1], 1).but(layouts=["contiguous"]),
                   Case([T(3, 4)], lambda lib, x: (x * 2)[1:].as_strided([2, 2], [3, 1], 2)).but(layouts=DENSE),
                   Case([T(4)], lambda lib, x: (x * 2).expand(3, 4).as_strided([2, 2], [1, 1])).but(layouts=DENSE)],
    "atleast_1d": [op("atleast_1d", T()), Case([T(), T(3)], lambda lib, a, b: lib.atleast_1d(a, b))],
    "atleast_2d": [op("atleast_2d", T(3)), Case([T(), T(3)], lambda lib, a, b: lib.atleast_2d([a, b]))],
    "atleast_3d": [op("atleast_3d", T(3)), Case([T(), T(2, 3)], lambda lib, a, b: lib.atleast_3d(a, b))],
    "column_stack": [Case([T(3), T(3, 2)], lambda lib, a, b: lib.column_stack([a, b]))],
    "dstack": [Case([T(3), T(1, 3)], lambda lib, a, b: lib.dstack([a, b]))],
    "block_diag": [Case([T(2, 3), T(2), T()], lambda lib, *a: lib.block_diag(*a))],
    "cartesian_prod": [Case([T(2), T(3)], lambda lib, *a: lib.cartesian_prod(*a))],
    "combinations": [op("combinations", T(4)), op("combinations", T(3), 3, True)],
    "diagflat": [op("diagflat", T(2, 3), 1)], "fill": [op("fill", T(2, 3), T()).but(in_place=None)],
    # products and distances
    "addmv": [op("addmv", T(3), T(3, 4), T(4)), op("addmv", T(), T(3, 4), T(4), beta=0.5, alpha=2.0).but(in_place=None)],
    "addr": [op("addr", T(3, 4), T(3), T(4)), op("addr", T(4), T(3), T(4), beta=0.5, alpha=2.0).but(in_place=None)],
    "addbmm": [op("addbmm", T(3, 2), T(2, 3, 4), T(2, 4, 2)),
               op("addbmm", T(2), T(2, 3, 4), T(2, 4, 2), beta=0.5, alpha=2.0).but(in_place=None)],
    "baddbmm": [op("baddbmm", T(2, 3, 2), T(2, 3, 4), T(2, 4, 2)),
                op("baddbmm", T(2), T(2, 3, 4), T(2, 4, 2), beta=0.5, alpha=2.0).but(in_place=None)],
    "vdot": [op("vdot", T(4), T(4))], "trace": [op("trace", T(3, 4))],
    "inner": [op("inner", T(4), T(4)), op("inner", T(2, 4), T(3, 4)), op("inner", T(), T(3))],
    "tensordot": [op("tensordot", T(2, 3), T(2, 3)), op("tensordot", T(2, 3, 4), T(4, 3, 2), ([1, 2], [1, 0]))],
    "einsum": [Case([T(2, 3), T(3, 4)], lambda lib, a, b: lib.einsum("ij,jk->ki", a, b)),
               Case([T(3, 3)], lambda lib, a: lib.einsum("ii->i", a)),
               Case([T(2, 3), T(4, 3, 2), T(2, 2)], lambda lib, a, b, c: lib.einsum("bn,anm,bm->ba", a, b, c)),
               Case([T(2, 1, 3, 2), T(4, 2, 2)], lambda lib, a, b: lib.einsum("...ij,...jk->...ik", [a, b]))],
    "kron": [op("kron", T(2, 3), T(3, 2)).but(layouts=["contiguous"]), op("kron", T(2), T(2, 2)).but(layouts=["contiguous"])],
    "cross": [op("cross", T(2, 3), T(2, 3), 1), op("cross", T(3, 2), T(3, 2), dim=0)],
    # torch 1.13 does not differentiate its own.
    "vander": [in_torch(lambda x: torch.stack([x ** 2, x, x ** 0], 1), T(3), name="vander"),
               in_torch(lambda x: torch.stack([x ** 0, x], 1), T(3), name="vander", N=2, increasing=True)],
    "cdist": [op("cdist", T(2, 3), T(4, 3), p) for p in (1.0, 2.0, 3.0)] + [op("cdist", T(2, 2, 3), T(4, 3))],
    "pdist": [op("pdist", T(4, 3), p) for p in (1.0, 2.0, 3.0)],
    "dist": [op("dist", T(2, 3), T(3), p) for p in (1.0, 2.0, 3.0)],
    "pairwise_distance": [op("pairwise_distance", T(2, 3), T(2, 3)), op("pairwise_distance", T(2, 3), T(3), p=3.0, keepdim=True)],
    "cosine_similarity": [op("cosine_similarity", T(2, 3), T(2, 3)), op("cosine_similarity", T(2, 3), T(3), dim=-1)],
    "renorm": [op("renorm", T(3, 4), 2.0, 0, 1.0), op("renorm", T(2, 3, 2), 1.0, 1, 2.2)],
    # samples and slopes
    "cov": [op("cov", T(3, 4)), op("cov", T(2, 4), correction=0, aweights=T(4)).but(order=1),
            op("cov", T(2, 4), fweights=C([1, 2, 0, 3]))],
    "corrcoef": [op("corrcoef", T(3, 5))],
    "layer_norm": [op("layer_norm", T(3, 4), [4]), op("layer_norm", T(2, 3, 4), [3, 4], T(3, 4), T(3, 4), 0.5)],
    "trapezoid": [op("trapezoid", T(3, 4)), op("trapezoid", T(3, 4), dx=0.5, dim=0), op("trapezoid", T(3, 4), T(4)),
                  op("trapezoid", T(3, 4), T(3, 4), dim=0)],
    "cumulative_trapezoid": [op("cumulative_trapezoid", T(3, 4), dx=0.5, dim=0), op("cumulative_trapezoid", T(3, 4), T(4))],
    "gradient": [op("gradient", T(3, 4)), op("gradient", T(3, 4), spacing=0.5, dim=1, edge_order=2),
                 Case([T(4), C([0.0, 0.5, 2.0, 2.5])], lambda lib, x, at: lib.gradient(x, spacing=[at], edge_order=2))],
    "embedding": [op("embedding", C([[2, 0], [1, 2]]), T(3, 4)), op("embedding", C([2, 0, 2]), T(3, 4), padding_idx=2)],
    "embedding_bag": [Case([C([2, 0, 1, 2]), T(3, 4), C([0, 1])], lambda lib, i, w, o, mode=mode:
                           lib.nn.functional.embedding_bag(i, w, o, mode=mode)).but(order=1) for mode in ("sum", "mean", "max")],
    "dropout": [written("dropout", op("dropout", T(3, 4), 0.5, False)), op("dropout", T(3, 4), p=1.0)],
    **{name: [written(name, op(name, T(3, 4), 0.5, False)), op(name, T(3, 4), 1.0, True)]
       for name in ("alpha_dropout", "feature_dropout", "feature_alpha_dropout")},
    "native_dropout": [Case([T(3, 4)], lambda lib, x: lib.native_dropout(x, 0.5, False)[0])],
    "rrelu": [written("rrelu", op("rrelu", T(3, 4, kind="signed"), 0.1, 0.3, False))],
    # gamma functions, where they are smooth
    "polygamma": [Case([T(3, 4)], lambda lib, x: lib.polygamma(2, x), lambda lib, x: (x * 1).polygamma_(2))],
    "mvlgamma": [Case([T(3, 4)], lambda lib, x: lib.mvlgamma(x + 1, 2), lambda lib, x: (x + 1).mvlgamma_(2))],
    "igamma": [op("igamma", C([0.5, 1.5, 2.5]), T(3))], "igammac": [op("igammac", C([0.5, 1.5, 2.5]), T(3))],
    # segments and sizes
    "segment_reduce": [Case([T(6, 2), C([2, 1, 3])], lambda lib, x, n, by=by: lib.segment_reduce(x, by, lengths=n)).but(order=1)
                       for by in ("sum", "mean", "max", "min")],
    "adjoint": [op("adjoint", T(3, 4)), op("adjoint", T(2, 3, 4))],
    "sum_to_size": [Case([T(2, 3, 4)], lambda lib, x: x.sum_to_size(3, 1))],
    "constant_pad_nd": [op("constant_pad_nd", T(3, 4), [1, 2, -1, 0], 0.5)],
    # torch 1.13's gives memory that it has not initialised.
    "as_strided_scatter": [in_torch(lambda x, y: torch.cat([torch.cat([x[:2, :1], y, x[:2, 3:]], 1), x[2:]]), T(3, 4), T(2, 2),
                                    name="as_strided_scatter", size=[2, 2], stride=[4, 1], storage_offset=1)
                           .but(layouts=["contiguous"])],
    # replacing
    "nan_to_num": [op("nan_to_num", T(3, 4))],
    "clamp_min": [op("clamp_min", T(3, 4), 0.5)], "clamp_max": [op("clamp_max", T(3, 4), T(4))],
    "fill_diagonal_": [Case([T(3, 4)], lambda lib, x: (x * 1).fill_diagonal_(0.5))],
    # complex numbers
    "complex": [op("complex", T(3, 4), T(4)), op("complex", T(), T(3))],
    "polar": [op("polar", T(3, 4), T(4)), op("polar", T(), T(3))],
    "imag": [op("imag", Z(3, 4, kind="signed"))],
    "view_as_real": [op("view_as_real", Z(3, 4))],
    "view_as_complex": [op("view_as_complex", T(3, 2)).but(layouts=["contiguous"])],
    "cdouble": [Case([T(3)], lambda lib, x: x.cdouble() * (2 + 1j)), Case([Z(3)], lambda lib, x: x.cdouble() * x)],
    "cfloat": [Case([T(3)], lambda lib, x: x.cfloat().cdouble() * (2 + 1j))],
    # writes that are no other row's
    "copy_": [Case([T(3, 4), T(4)], lambda lib, x, y: (x * 1).copy_(y))],
    "fill_": [Case([T(3, 4)], lambda lib, x: (x * 1).fill_(0.5) + x)],
    "zero_": [Case([T(3, 4)], lambda lib, x: (x * 1).zero_() + x)],
}

# Rows through which no gradient flows: what they give is no floating point number, or depends on no element.
FLAT = set("""
    all allclose any arange argmax argmin argsort argwhere band bernoulli bernoulli_ between bincount binomial
    bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bool bucketize byte can_cast
    cauchy_ causal char count count_nonzero detach dilate documents drop_token_ids embedding_renorm_ empty empty_like
    empty_strided eq equal erode exponential_ eye floor_divide from_bits from_counts from_indices from_lengths
    from_polygons from_runs full full_like gcd ge geometric_ gt histc histogram int is_complex is_nonzero is_same_size
    is_signed isclose isfinite isin isinf isnan isneginf isposinf isreal jagged_mask keep_magnitude keep_token_ids
    label lcm le linspace log_normal_ logical_and logical_not logical_or logical_xor logspace long lt masked.all
    masked.any masked.argmax masked.argmin masked.count masked.output_mask min_p multinomial n_of_m ne new_empty
    new_empty_strided new_full new_ones new_zeros nextafter nonzero nonzero_static nonzero_tuple normal normal_
    one_hot ones ones_like poisson promote_types prune_magnitude rand rand_like randint randint_like randn randn_like
    random_ random_blocks random_spans randperm range result_type scalar_tensor searchsorted short signbit
    sliding_window to_bits to_counts to_polygons to_runs top_k top_p tril_indices triu_indices uniform_ zeros
    zeros_like""".split())


def with_complex(case, which):
    """The case with complex numbers: all by which is differentiated, or the last of several; else None."""
    places = [i for i, a in enumerate(case.arguments) if isinstance(a, T)]
    if which == "last":
        places = places[-1:] if len(places) > 1 else []
    if not places:
        return None
    change = lambda i, a: Z(*a.shape, kind=a.kind) if i in places else a
    return case.but(arguments=[change(i, a) for i, a in enumerate(case.arguments)],
                    in_place=case.in_place if which == "all" else None)


# Rows that take complex numbers in both libraries; their cases are compared with these, too.
TAKE_COMPLEX = set("""
    abs acos acosh add addbmm addcdiv addcmul addmm addmv addr angle as_strided asin asinh atan atanh atleast_1d atleast_2d
    atleast_3d baddbmm bmm broadcast_tensors broadcast_to cartesian_prod cat cdouble chunk clone column_stack combinations
    conj contiguous copy_ corrcoef cos cosh cov cross cumprod cumsum cumulative_trapezoid diag diag_embed diagflat diagonal
    diagonal_scatter diff dist div dot double dsplit dstack einsum exp expand expand_as fill_ fill_diagonal_ flatten flip
    fliplr flipud float_power gather gradient hsplit hstack index index_add index_copy index_fill index_put index_select
    inner kron l1_loss ldexp lerp log log10 log2 masked.cumprod masked.cumsum masked.mean masked.norm masked.normalize
    masked.prod masked.std masked.sum masked.var masked_fill masked_index_padded masked_scatter masked_select
    masked_select_padded masked_select_rows matmul mean meshgrid mm movedim mul mv narrow neg norm normalize outer pack
    pack_padded pad pad_sequence pairwise_distance partition permute positive pow prod put ravel real reciprocal repeat
    renorm repeat_interleave reshape reshape_as roll rot90 rsqrt rsub scatter scatter_add select select_scatter sgn sigmoid
    sin sinc sinh slice_scatter softsign split split_with_sizes sqrt square squeeze stack std std_mean sub sum t take
    take_along_dim tan tanh tanhshrink tensor_split tensordot tile to to_padded trace transpose trapezoid tril triu type_as
    unbind unflatten unfold unpack unsqueeze vander var var_mean vdot view view_as vsplit vstack where zero_""".split())
# What they are compared with instead where torch 1.13 is wrong.
COMPLEX_TABLE = {
    # It returns complex numbers from BLAS in another way than Debian's does.
    "dot": [in_torch(lambda x, y: (x * y).sum(), Z(4), Z(4), name="dot")],
    "vdot": [in_torch(lambda x, y: (x.conj() * y).sum(), Z(4), Z(4), name="vdot")],
    "matmul": [case for case in TABLE["matmul"] if [a.shape for a in case.arguments] != [(4,), (4,)]],
    # They are complex in torch.
    **{f"masked.{name}": [Case([T(3, 4), C(TWO_EACH)], lambda lib, x, m, name=name, dim=dim:
                               getattr(lib.masked, name)(x, dim, mask=m, unbiased=True).real) for dim in (0, 1)]
       for name in ("var", "std")},
    "sgn": [op("sgn", T(3, 4, kind="signed")).but(in_place=None)],
}
