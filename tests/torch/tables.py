"""The tables: how close results must be, which differences are on purpose, and which are known bugs."""

from pathlib import Path

import torch

DIFFERENCES = Path(__file__).resolve().parents[2] / "docs" / "differences.md"

# Units in the last place of the result's dtype by which a result may differ. What is not here must have the
# same bits; NaNs are equal. Reductions in floating point are compared with torch's result for float64,
# rounded (see test_reduce.py).
ULPS = {
    "exp": 4, "expm1": 4, "log": 4, "log2": 4, "log10": 4, "log1p": 4,
    "sin": 4, "cos": 4, "tan": 4, "tanh": 4, "sigmoid": 4, "erf": 4, "pow": 4,
    "asin": 4, "acos": 4, "atan": 4, "atan2": 4, "sinh": 4, "cosh": 4, "asinh": 4, "acosh": 4, "atanh": 4, "exp2": 4,
    "erfc": 4, "erfinv": 4, "lgamma": 8, "digamma": 8, "i0": 8, "sinc": 4, "logit": 4, "hypot": 4, "xlogy": 4,
    "float_power": 4, "ldexp": 4, "lerp": 8,
    "sum": 1, "mean": 1, "prod": 2, "linspace": 1,
}
# torch rounds these to float16 and bfloat16 in between, Tamis once at the end. So they are compared with
# torch's result for float32, rounded; in place, which is not done twice, with some tolerance.
ROUNDED_ONCE = {"sinc", "logit", "xlogy", "addcmul", "addcdiv", "hypot", "prelu", "rsqrt", "floor_divide", "matmul", "mm", "bmm",
                "mv", "dot", "addmm", "addmv", "addbmm", "baddbmm", "addr", "inner", "tensordot", "einsum"}
ROUNDED_ONCE_ULPS = 2

# Zeros of either sign are equal in these: torch's own answer depends on the order of the operands and on
# whether a vector register was filled.
ANY_ZERO = {"maximum", "minimum", "max", "min", "amax", "amin", "clamp", "clamp_max", "clamp_min", "kthvalue", "relu",
            "topk", "median", "nanmedian", "mode", "quantile", "nanquantile", "unique", "unique_consecutive", "aminmax",
            "masked.median", "masked.quantile", "fmax", "fmin", "softshrink", "relu6", "hardtanh"}


def base_of(op):
    return op.rstrip("_")


def ulps_of(op, dtype):
    if dtype in ("float16", "bfloat16") and op.endswith("_") and base_of(op) in ROUNDED_ONCE:
        return ROUNDED_ONCE_ULPS
    return ULPS.get(base_of(op), 0)


class Difference:
    """A difference that may occur. It must occur in a whole run, or its entry is out of date."""

    def __init__(self, name, why, applies):
        self.name, self.why, self.applies = name, why, applies


def raised(outcome, kind, text=""):
    return type(outcome.error) is kind and text in str(outcome.error)


def is_mask_write(case):
    return case.op in ("masked_fill_", "masked_scatter_")


def is_exact_reduction(case):
    """Whether a sum or mean of all elements is that of float64, rounded."""
    if not case.what.startswith("1 of 1 values") or case.args[1:] or "dim" in case.kwargs:
        return False
    return case.tamis.result.item() == getattr(torch, case.op)(case.args[0].torch.double()).float().item()


def is_first_of_equals(case):
    """Whether torch and Tamis found the same value, and Tamis where it stands first."""
    value, index = (t.item() for t in case.tamis.result)
    return value == case.torch.result[0].item() and case.args[0].torch.tolist().index(value) == index


# On purpose: name, the words of docs/differences.md that say so, and which cases.
ALLOWED = [
    Difference("assignment casts", "| [`x[mask] = value` of another dtype]",
               lambda c: c.op == "masked_fill_" and raised(c.torch, RuntimeError, "Index put requires")
               and c.tamis.error is None),
    Difference("errors before writes", "error after a partial write | error before any write",
               lambda c: c.op == "masked_scatter_" and c.torch.error is None and c.tamis.error is None
               and c.args[2].torch.numel() < int(c.args[1].torch.sum())),
    Difference("no writes to expanded tensors", "### No writes to expanded tensors",
               lambda c: is_mask_write(c) and c.torch.error is None
               and raised(c.tamis, RuntimeError, "unsupported operation: more than one element")),
    Difference("isin is exact", "compared as float32: false matches above 2^24 | compared exactly",
               lambda c: c.op == "isin" and c.dtypes == ["int64", "float32"] and c.what.startswith("1 of 2 values")),
    Difference("isin of a number is exact", "and PyTorch finds it as 3",
               lambda c: c.op == "isin" and c.args[1:] == (259,) and c.what.startswith("1 of 2 values")),
    Difference("isin takes bools", "| [`isin` of bools]",
               lambda c: c.op == "isin" and raised(c.torch, RuntimeError, "isin(): Bool")),
    Difference("kthvalue takes the smallest index", "any index | the smallest index",
               lambda c: c.op == "kthvalue" and c.what.startswith("1 of 1 values") and is_first_of_equals(c)),
    Difference("mode takes the smallest index", "| `topk`, `median` and `mode` among equal elements |",
               lambda c: c.op == "mode" and c.what.startswith("1 of 1 values") and is_first_of_equals(c)),
    Difference("quantile of infinities", "| `quantile` where a rank falls on an infinity |",
               lambda c: c.op == "quantile" and str(c.torch.result.item()) == "nan"
               and c.tamis.result.item() == float("inf")),
    Difference("masked median of nothing", "| `masked.median` of integers if nothing is kept |",
               lambda c: c.op == "masked.median" and raised(c.torch, ValueError)
               and raised(c.tamis, RuntimeError, "masked median expects no fully masked out rows")),
    Difference("empty lists hold integers", "| [an empty list of indices]",
               lambda c: c.op == "from_indices" and c.args == ([],) and raised(c.torch, IndexError)),
    Difference("masks are bool", "### Masks are bool",
               lambda c: c.torch.error is None and c.tamis.error is not None
               and any(t in str(c.tamis.error) for t in ("!= 0", "to_bool()"))),
    Difference("no warning", "resized with a warning | resized without one",
               lambda c: c.op == "masked_select" and c.what == "got 0, want 1"),
    Difference("sums in double", "accumulated in float32 | accumulated in double",
               lambda c: c.op in ("sum", "mean") and c.dtypes == ["float32"] and is_exact_reduction(c)),
    Difference("random numbers", "Mersenne Twister on the CPU | Philox",
               lambda c: c.op == "rand" and c.what.startswith("8 of 8 values")),
    Difference("hard overlaps", "hard cases of overlap between two tensors | not detected | decided exactly",
               lambda c: c.op == "add_" and c.torch.error is None
               and raised(c.tamis, RuntimeError, "unsupported operation: some elements of the input tensor")),
    Difference("running sums in place in another dtype", "| error | computed in that dtype and converted back |",
               lambda c: c.op in ("cumsum_", "cumprod_") and raised(c.torch, RuntimeError, "Bad in-place call")),
    Difference("softmax of nothing", "softmax of a row that is masked out completely | NaN | 0",
               lambda c: c.op in ("masked.softmax", "masked.log_softmax", "masked.softmin")
               and c.what == "got False, want True" and not c.kwargs["mask"].torch.any(c.args[1]).all()),
    Difference("masked extremes of bools", "of bools in `masked` | error | treated as 0 and 1",
               lambda c: c.op in ("masked.amax", "masked.amin", "masked.var", "masked.std")
               and c.dtypes == ["bool"]
               and (raised(c.torch, NotImplementedError, "identity of am") or raised(c.torch, RuntimeError, "Subtraction"))),
    Difference("indices are checked", "| an integer index out of range if nothing is selected | not detected | IndexError |",
               lambda c: c.op in ("index", "index_put", "index_put_")
               and (c.torch.error is None or raised(c.torch, RuntimeError, "shape mismatch"))
               and raised(c.tamis, IndexError, "is out of bounds") and c.args[0].torch[c.args[1].torch].numel() == 0),
    Difference("number / tensor", "| the number times the reciprocal, rounded twice | a division, rounded once |",
               lambda c: c.op == "div" and isinstance(c.args[0], float) and " of 5 values" in c.what
               and torch.equal(c.tamis.result.torch(), torch.full_like(c.args[1].torch, c.args[0]) / c.args[1].torch)),
    Difference("logical ops of a 0-d operand", "| each operand is compared with 0 in its own dtype |",
               lambda c: c.op.startswith("logical_") and () in [tuple(p.torch.shape) for p in c.tensors]
               and " values" in c.what
               and torch.equal(c.tamis.result.torch(), getattr(torch, c.op)(*[p.torch.bool() for p in c.tensors]))),
    Difference("masked means of integers", "| `masked.mean` of integers and bools | the sum wraps around in their dtype |",
               lambda c: c.op == "masked.mean" and c.dtypes[0] in ("bool", "uint8", "int64")
               and c.what.startswith("1 of 1 values")
               and c.tamis.result.item() == c.args[0].torch[: 2].double().mean().item()),
    Difference("no complex32", "| complex32 | complex64 |",
               lambda c: "complex32" in (c.what or "") or raised(c.torch, RuntimeError, "ComplexHalf")),
    Difference("i0 of infinity", "| `i0` of an infinity | NaN | infinity |",
               lambda c: c.op == "i0" and c.dtypes == ["float32"] and c.what == "1 of 1 values, at (0,): got inf, want nan"),
    Difference("abs_ of complex tensors", "| error | the absolute values, as complex numbers |",
               lambda c: c.op == "abs_" and raised(c.torch, RuntimeError, "In-place abs is not supported")),
    Difference("negative steps", "| slices with negative steps in Python, `x[::-1]` | error |",
               lambda c: c.op == "select" and raised(c.torch, ValueError, "step must be greater than zero")),
]

# Tamis does as PyTorch 2.9 does, and torch 1.13 did otherwise: name, what changed, and which cases.
NEWER = [
    Difference("truth of complex numbers", "1.13 looks at the real part only, 2.9 at both",
               lambda c: c.op in ("any", "all") and c.dtypes[0].startswith("complex") and " values" in c.what),
    Difference("eq_ and ne_ of complex tensors", "1.13 also wrote 1 to the imaginary part, 2.9 does not",
               lambda c: c.op in ("eq_", "ne_") and "complex" in "".join(c.dtypes) and " values" in c.what),
    Difference("expm1 and log1p of complex numbers", "1.13 refuses them, 2.9 computes them",
               lambda c: c.op.rstrip("_") in ("expm1", "log1p") and c.dtypes[0].startswith("complex")
               and raised(c.torch, RuntimeError, "not implemented for 'Complex")),
    Difference("sorter out of range", "1.13 does not look, 2.9 refuses",
               lambda c: c.op == "searchsorted" and raised(c.tamis, IndexError, "sorter index out of range")),
    Difference("item of several elements", "ValueError in 1.13, RuntimeError in 2.9",
               lambda c: c.op == "item" and raised(c.torch, ValueError, "only one element tensors")
               and raised(c.tamis, RuntimeError, "cannot be converted to Scalar")),
    Difference("clamp by 0-d tensors", "1.13 promotes by them as by others, 2.9 as in all other operations",
               lambda c: c.op == "clamp" and c.what.startswith("dtype: ") and len(c.tensors) == 3
               and c.tensors[2].torch.dim() == 0),
    Difference("softshrink of NaN", "0 in 1.13, NaN in 2.9",
               lambda c: c.op == "softshrink" and c.what == "got False, want True"
               and bool(c.args[0].torch.isnan().any())),
    Difference("norms of nothing", "where it has no value, 0 in 1.13, refused in 2.9",
               lambda c: c.op == "norm" and raised(c.tamis, RuntimeError, "does not have an identity")),
]

# To be repaired: name, what is wrong, and which cases.
KNOWN_BUGS = []

ALL = ALLOWED + NEWER + KNOWN_BUGS
