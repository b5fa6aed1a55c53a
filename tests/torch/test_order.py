"""Order: sorting, selection, quantiles, distinct values and search, over dtypes, layouts and arguments.

Among equal elements torch may return any index, Tamis returns the smallest. So indices are compared with the
first index of torch's value, and those of sort with torch's stable sort.
"""

import numpy as np
import pytest
import torch

from cases import DTYPES, FLOATS, INTS, NUMBERS, DType, pair, pick, plain, seeded, some_shape

INTERPOLATIONS = ["linear", "lower", "higher", "midpoint", "nearest"]


def some_dim(x, rng):
    rank = x.torch.dim()
    return int(rng.randint(-rank, rank)) if rank else pick(rng, [0, -1])


def size_along(x, dim):
    return x.torch.shape[dim] if x.torch.dim() else 1


def some_kind(rng):
    """Often with many equal elements."""
    return pick(rng, ["any", "small", "small"])


def first_index(x, value, dim, keepdim):
    """The smallest index along dim at which x has the value."""
    if x.dim() == 0:
        return torch.zeros((), dtype=torch.int64)
    if not keepdim:
        value = value.unsqueeze(dim)
    same = x == value
    if x.is_floating_point():
        same |= torch.isnan(x) & torch.isnan(value)
    if x.numel() == 0:
        return torch.empty(value.shape if keepdim else value.squeeze(dim).shape, dtype=torch.int64)
    found = torch.as_tensor(same.numpy().argmax(dim))
    return found.unsqueeze(dim) if keepdim else found


def with_first_index(op):
    """op along a dimension; torch's index is replaced by that of the first equal element."""

    def call(lib, x, *args):
        *rest, dim, keepdim = args
        if lib is torch:
            x = x.contiguous()  # torch 1.13 reads wrong memory of expanded tensors
        values, indices = getattr(lib, op)(x, *rest, dim, keepdim)
        return (values, first_index(x, values, dim, keepdim)) if lib is torch else (values, indices)

    return call


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(check, dtype):
    rng = seeded("sort" + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, some_kind(rng))
        dim, descending = some_dim(x, rng), bool(rng.randint(2))
        stable = lambda lib, *a: lib.sort(*a[:1], dim=a[1], descending=a[2], stable=True)
        check("sort", x, dim, descending, call=stable)
        check("argsort", x, dim, descending,
              call=lambda lib, *a: stable(lib, *a)[1] if lib is torch else lib.argsort(*a))
        check("sort", x, dim, descending, call=lambda lib, *a: lib.sort(*a)[0] + False)  # zeros of any sign
    check("sort", pair(dtype, (4, 5), rng, "small"), call=lambda lib, x: x.sort(stable=True, descending=True).values)
    check("argsort", pair(dtype, (40, 5), rng, "small"), call=lambda lib, x: x.argsort(dim=0, stable=True)
          if lib is not torch else x.sort(dim=0, stable=True).indices)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_of_many(check, dtype):
    """More than a digit, a block and a thread hold."""
    rng = seeded("sort of many" + dtype)
    for shape, dim in (((150001,), 0), ((70001,), -1), ((3, 40000), 1), ((300, 70), 0), ((40, 257), 1)):
        for kind in ("any", "small"):
            x = pair(dtype, shape, rng, kind, layout="stepped" if kind == "any" else "contiguous")
            for descending in (False, True):
                check("sort", x, call=lambda lib, x: lib.sort(x, dim=dim, descending=descending, stable=True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_msort(check, dtype):
    rng = seeded("msort" + dtype)
    for shape in [(7,), (4, 5), (3, 2, 4), (0, 3)]:
        check("msort", pair(dtype, shape, rng))


@pytest.mark.parametrize("dtype", DTYPES)
def test_topk(check, dtype):
    rng = seeded("topk" + dtype)

    def in_order(lib, x, k, dim, largest):
        if lib is not torch:
            return tuple(lib.topk(x, k, dim, largest))
        values = torch.topk(x, k, dim, largest).values
        if x.dim() == 0:
            return values, torch.tensor(0)
        return values, torch.sort(x, dim=dim, descending=largest, stable=True).indices.narrow(dim, 0, k)

    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, some_kind(rng))
        dim = some_dim(x, rng)
        k = int(rng.randint(0, size_along(x, dim) + 1))
        check("topk", x, k, dim, bool(rng.randint(2)), call=in_order)
    for shape, k in (((100001,), 5), ((100001,), 3000), ((5, 4000), 7), ((5, 4000), 1500), ((200001,), 200000)):
        for kind in ("any", "small"):
            check("topk", pair(dtype, shape, rng, kind), k, -1, bool(rng.randint(2)), call=in_order)
    different = plain(np.random.RandomState(1).permutation(60).reshape(4, 15).tolist(), dtype)
    if dtype != "bool":
        check("topk", different, 4, 1, False, True)
        check("topk", different, 2, dim=0, largest=True)
        check("topk", different, 2, call=lambda lib, x, k: tuple(x.topk(k)))
        check("topk", different, 3, 1, True, False, call=lambda lib, *a: lib.sort(lib.topk(*a)[1])[0])


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("op", ["median", "nanmedian"])
def test_median(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, some_kind(rng))
        check(op, x, some_dim(x, rng), bool(rng.randint(2)), call=with_first_index(op))
        check(op, x, call=lambda lib, x: getattr(lib, op)(x.contiguous()))
    for shape in ((100001,), (3, 70000), (100, 301)):
        x = pair(dtype, shape, rng, "small")
        check(op, x, 0, True, call=with_first_index(op))
        check(op, x, -1, False, call=with_first_index(op))
        check(op, x)
    different = plain(np.random.RandomState(2).permutation(60).reshape(4, 15).tolist(), dtype)
    check(op, different, 1)
    check(op, different, dim=0, keepdim=True)
    check(op, different, call=lambda lib, x: (getattr(x, op)(), getattr(x, op)(-1).values))
    if dtype in FLOATS:
        nan = float("nan")
        for values in ([nan, 1.0, nan, 2.0], [nan, nan], [1.0, nan, 2.0, 3.0], [nan, 5.0]):
            check(op, plain(values, dtype), 0)
            check(op, plain(values, dtype))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_kthvalue_of_many(check, dtype):
    rng = seeded("kthvalue of many" + dtype)
    for shape in ((100001,), (65536,), (2, 70000)):
        for kind in ("any", "small"):
            x = pair(dtype, shape, rng, kind)
            n = shape[-1]
            for k in (1, 2, n // 3, n // 2, n - 1, n):
                check("kthvalue", x, k, -1, False, call=with_first_index("kthvalue"))
    ordered = plain(np.sort(np.abs(rng.randn(90000)) * 20).tolist(), dtype)
    for k in (1, 30000, 90000):
        check("kthvalue", ordered, k, -1, False, call=with_first_index("kthvalue"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_mode(check, dtype):
    rng = seeded("mode" + dtype)
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, "small" if dtype in FLOATS else some_kind(rng))
        check("mode", x, some_dim(x, rng), bool(rng.randint(2)), call=with_first_index("mode"))
    check("mode", pair(dtype, (100001,), rng, "small"), 0, False, call=with_first_index("mode"))
    check("mode", plain([[1, 1, 0], [0, 0, 1]], dtype), call=lambda lib, x: x.mode().values)
    check("mode", plain([1.0, float("nan"), float("nan")]))


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ["quantile", "nanquantile"])
def test_quantile(check, op, dtype, interpolation):
    rng = seeded(op + dtype + interpolation)
    # These values and weights are exact; with others torch's last bits depend on fused instructions.
    parts = 16 if interpolation in ("linear", "midpoint") else 20
    nan = float("nan")
    for i in range(40):
        x = pair(dtype, some_shape(rng), rng, "small", origin="own", private=True)
        if i % 3 == 0 and x.torch.numel() > 2:
            at = tuple(int(rng.randint(s)) for s in x.torch.shape)
            x.torch[at] = nan
            x.tamis[at] = nan
        found = {"interpolation": interpolation}
        if rng.rand() < 0.7:
            found["dim"] = some_dim(x, rng)
        if rng.rand() < 0.5:
            found["keepdim"] = bool(rng.randint(2))
        numbers = [float(v) for v in rng.randint(0, parts + 1, rng.randint(0, 5)) / parts]
        check(op, x, float(rng.randint(0, parts + 1) / parts), **found)
        check(op, x, plain(numbers, dtype), **found)
        check(op, x, plain(6 / parts, dtype), **found)
    for shape in ((100001,), (3, 70000), (50, 301)):
        x = pair(dtype, shape, rng, "small")
        q = plain([0.0, 2 / parts, 0.5, 1 - 1 / parts, 1.0], dtype)
        many = plain(np.linspace(0, 1, 33).tolist(), dtype)
        for found in ({}, {"dim": -1}, {"dim": 0, "keepdim": True}):
            check(op, x, q, interpolation=interpolation, **found)
            check(op, x, many, interpolation=interpolation, **found)
    check(op, plain([[nan, nan], [nan, 1.0]], dtype), 0.5, dim=1)
    check(op, plain([3.0, 1.0, 2.0], dtype), 0.5, call=lambda lib, x, q: getattr(x, op)(q))
    check(op, plain([3.0, 1.0, 2.0], dtype), 1)


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_percentile(check, dtype, interpolation):
    """torch has quantile only."""
    rng = seeded("percentile" + dtype + interpolation)

    def call(lib, x, q, **options):
        if lib is not torch:
            return lib.percentile(x, q, **options)
        share = (q.double() / 100).to(x.dtype) if isinstance(q, torch.Tensor) else q / 100
        return torch.quantile(x, share, **options)

    for i in range(20):
        x = pair(dtype, some_shape(rng), rng, "small", origin="own", private=True)
        found = {"interpolation": interpolation, "keepdim": bool(rng.randint(2))}
        if rng.rand() < 0.7:
            found["dim"] = some_dim(x, rng)
        q = [float(v) * 6.25 for v in rng.randint(0, 17, rng.randint(0, 5))]
        check("percentile", x, pick(rng, [0, 25, 62.5, 100]), **found, call=call)
        check("percentile", x, plain(q, pick(rng, ["float32", "float64"])), **found, call=call)
        check("percentile", x, plain([75, 50], "int64"), **found, call=call)


def test_quantile_of_infinities(check):
    """A rank that falls on an element is that element; torch subtracts infinities."""
    inf = float("inf")
    check("quantile", plain([inf, inf]), 0.5)
    check("quantile", plain([1.0, 2.0, inf]), 1.0, interpolation="higher")


def several(lib, op, x, **options):
    found = getattr(lib, op)(x, **options)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["unique", "unique_consecutive"])
def test_unique(check, op, dtype):
    rng = seeded(op + dtype)
    for i in range(40):
        kind = "small" if dtype in FLOATS else some_kind(rng)  # torch 1.13 miscounts NaNs
        x = pair(dtype, some_shape(rng), rng, kind)
        found = {name: bool(rng.randint(2)) for name in ("return_inverse", "return_counts")}
        if op == "unique":
            found["sorted"] = True
        if rng.rand() < 0.6 and x.torch.dim() > 0:
            found["dim"] = some_dim(x, rng)
        check(op, x, call=lambda lib, x: several(lib, op, x, **found))
    for shape, dim in (((30, 2), 0), ((3, 40), 1), ((2, 30, 1), 1), ((100001,), None)):
        x = pair(dtype, shape, rng, "small")
        check(op, x, call=lambda lib, x: several(lib, op, x, dim=dim, return_inverse=True, return_counts=True))
    check(op, plain([1, 1, 0, 1], dtype))
    check(op, plain([1, 1, 0, 1], dtype), call=lambda lib, x: getattr(x, op)(return_counts=True))
    check(op, plain([], dtype), call=lambda lib, x: several(lib, op, x, return_inverse=True, return_counts=True))
    if dtype in FLOATS:
        nan = float("nan")
        check(op, plain([nan, 1.0, nan, 1.0], dtype))
        check(op, plain([nan, nan], dtype))


def test_bincount(check):
    rng = seeded("bincount")
    for dtype in INTS:
        for n in (0, 1, 50, 5000):
            x = pair(dtype, (n,), rng, "positive")
            check("bincount", x)
            check("bincount", x, minlength=int(rng.randint(0, 20)))
            for weights in DTYPES:
                check("bincount", x, pair(weights, (n,), rng, "small"))
    check("bincount", plain([3, 1, 3]), call=lambda lib, x: x.bincount(minlength=2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_aminmax(check, dtype):
    rng = seeded("aminmax" + dtype)
    for i in range(30):
        x = pair(dtype, some_shape(rng), rng)
        found = {}
        if rng.rand() < 0.7 and x.torch.dim() > 0:
            found["dim"] = some_dim(x, rng)
        if rng.rand() < 0.5 and x.torch.dim() > 0:
            found["keepdim"] = bool(rng.randint(2))
        check("aminmax", x, **found)
    check("aminmax", pair(dtype, (3, 4), rng), call=lambda lib, x: (x.aminmax(dim=0).min, x.aminmax().max))


def sorted_pair(dtype, shape, rng, **options):
    x = pair(dtype, shape, rng, "small", **options)
    return plain(torch.sort(x.torch.float() if dtype in ("float16", "bfloat16") else x.torch)[0].tolist(), dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_searchsorted(check, dtype):
    rng = seeded("searchsorted" + dtype)
    for i in range(40):
        found = {}
        if rng.rand() < 0.5:
            found["right"] = bool(rng.randint(2))
        elif rng.rand() < 0.5:
            found["side"] = pick(rng, ["left", "right"])
        if rng.rand() < 0.3:
            found["out_int32"] = bool(rng.randint(2))
        other = dtype if rng.rand() < 0.6 else pick(rng, NUMBERS)
        sequence = sorted_pair(dtype, (int(rng.randint(0, 30)),), rng)
        values = pair(other, some_shape(rng), rng, "small")
        check("searchsorted", sequence, values, **found)
        found.pop("side", None)
        check("bucketize", values, sequence, **found)
        check("searchsorted", sorted_pair(dtype, (3, 2, 9), rng), pair(dtype, (3, 2, 4), rng, "small"), **found)
    mixed = pair(dtype, (4, 25), rng, "small")
    order = torch.sort((mixed.torch.float() if dtype in FLOATS else mixed.torch), dim=1)[1]
    check("searchsorted", mixed, pair(dtype, (4, 7), rng, "small"), sorter=plain(order.tolist()))
    check("searchsorted", sorted_pair(dtype, (200,), rng), pair(dtype, (20000,), rng, "small"))
    check("searchsorted", sorted_pair(dtype, (9,), rng), 2)
    check("searchsorted", sorted_pair(dtype, (9,), rng), 2.5)
    check("bucketize", 2, sorted_pair(dtype, (9,), rng))
    check("bucketize", 2.5, sorted_pair(dtype, (9,), rng), right=True)


def test_searching_nan(check):
    nan = float("nan")
    values = plain([1.0, nan, 2.0, 0.0])
    for sequence in ([], [1.0], [1.0, nan], [1.0, 2.0, nan, nan], [3.0, 1.0, 2.0]):
        for right in (False, True):
            check("searchsorted", plain(sequence, "float32"), values, right=right)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_masked_median(check, dtype):
    rng = seeded("masked.median" + dtype)
    for i in range(40):
        shape = some_shape(rng)
        x = pair(dtype, shape, rng, "small" if dtype in INTS else some_kind(rng))
        found = {"dim": some_dim(x, rng)} if rng.rand() < 0.7 else {}
        if rng.rand() < 0.8:
            found["mask"] = pair("bool", shape, rng)
        if rng.rand() < 0.5:
            found["keepdim"] = bool(rng.randint(2))
        check("masked.median", x, **found,
              call=lambda lib, x, **named: lib.masked.median(x.contiguous(), **named))
    x = plain([[1, 5, 3], [4, 2, 6]], dtype)
    check("masked.median", x, 1, mask=plain([True, False, True]))
    check("masked.median", x, 0, keepdim=True, mask=plain([[True], [False]]))
    if dtype in INTS:
        check("masked.median", x, dtype=DType("float64"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_masked_quantile(check, dtype):
    """torch has none: the same quantile of each row's kept elements."""
    rng = seeded("masked.quantile" + dtype)

    def by_row(lib, x, q, mask, interpolation, keepdim):
        if lib is not torch:
            return lib.masked.quantile(x, q, 1, keepdim, interpolation=interpolation, mask=mask)
        q_rows = []
        for row, kept in zip(x, mask.expand(x.shape)):
            row = row[kept]
            empty = torch.full(q.shape, float("nan"), dtype=x.dtype)
            q_rows.append(torch.quantile(row, q, interpolation=interpolation) if len(row) else empty)
        found = torch.stack(q_rows, -1)
        return found.unsqueeze(-1) if keepdim else found

    for i in range(30):
        shape = pick(rng, [(4, 5), (3, 1), (2, 33), (1, 7)])
        x = pair(dtype, shape, rng, "small", private=True)
        if i % 3 == 0:
            x.torch[0, 0] = x.tamis[0, 0] = float("nan")
        mask = pair("bool", pick(rng, [shape, shape[1:], (1, shape[1])]), rng)
        q = plain(pick(rng, [0.5, [0.25, 0.75], [0.0, 1.0, 0.125]]), dtype)
        check("masked.quantile", x, q, mask, pick(rng, INTERPOLATIONS), bool(rng.randint(2)), call=by_row)
    x, mask = plain([3.0, 1.0, 2.0, 9.0], dtype), plain([True, True, True, False])
    check("masked.quantile", x, mask, call=lambda lib, x, m: torch.quantile(x[m], 0.5) if lib is torch
          else lib.masked.quantile(x, 0.5, mask=m))
    check("masked.quantile", x, call=lambda lib, x: torch.quantile(x, 0.5) if lib is torch
          else lib.masked.quantile(x, 0.5))


def f32(*shape):
    return plain(np.arange(np.prod(shape), dtype=np.float32).reshape(shape).tolist() if shape else 1.0, "float32")


RANGE = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
EMPTY, NONE = plain([], "float32"), plain([[], []], "float32")
# op, arguments, named arguments, how the text begins
ERRORS = [
    ("sort", [f32(3), 1], {}, RANGE),
    ("argsort", [f32(3), 1], {}, RANGE),
    ("topk", [f32(3), 1, 1], {}, RANGE),
    ("topk", [f32(3), 4], {}, "selected index k out of range"),
    ("topk", [f32(3), -1], {}, "selected index k out of range"),
    ("topk", [f32(), 2], {}, "selected index k out of range"),
    ("topk", [plain([True]), 1], {}, "\"topk_cpu\" not implemented for 'Bool'"),
    ("median", [f32(3), 1], {}, RANGE),
    ("median", [plain([True])], {}, "\"median_cpu\" not implemented for 'Bool'"),
    ("median", [plain([True]), 0], {}, "\"median_out\" not implemented for 'Bool'"),
    ("median", [EMPTY, 0], {}, "median(): Expected reduction dim 0 to have non-zero size."),
    ("nanmedian", [NONE, 1], {}, "median(): Expected reduction dim 1 to have non-zero size."),
    ("nanmedian", [plain([True])], {}, "\"median_cpu\" not implemented for 'Bool'"),
    ("mode", [f32(3), 1], {}, RANGE),
    ("mode", [EMPTY], {}, "mode(): Expected reduction dim 0 to have non-zero size."),
    ("quantile", [plain([1, 2]), 0.5], {}, "quantile() input tensor must be either float or double dtype"),
    ("quantile", [plain([1.0], "float16"), 0.5], {}, "quantile() input tensor must be either float or double dtype"),
    ("quantile", [EMPTY, 0.5], {}, "quantile() input tensor must be non-empty"),
    ("quantile", [NONE, 0.5, 0], {}, "quantile() input tensor must be non-empty"),
    ("quantile", [f32(3), 1.5], {}, "quantile() q must be in the range [0, 1] but got 1.5"),
    ("quantile", [f32(3), -0.5], {}, "quantile() q must be in the range [0, 1] but got -0.5"),
    ("quantile", [f32(3), plain([0.5, 1.5])], {}, "quantile() q values must be in the range [0, 1]"),
    ("quantile", [f32(3), plain([float("nan")])], {}, "quantile() q values must be in the range [0, 1]"),
    ("quantile", [f32(3), plain([[0.5]])], {}, "quantile() q must be a scalar or 1D tensor"),
    ("quantile", [f32(3), plain([0.5], "float64")], {}, "quantile() q tensor must be same dtype as the input tensor"),
    ("quantile", [f32(3), plain([1])], {}, "quantile() q tensor must be same dtype as the input tensor"),
    ("quantile", [f32(3), 0.5, 1], {}, RANGE),
    ("nanquantile", [f32(3), 0.5], {"interpolation": "cubic"},
     "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got cubic"),
    ("unique", [f32()], {"dim": 0}, "Dimension specified as 0 but tensor has no dimensions"),
    ("unique", [f32(3)], {"dim": 1}, RANGE),
    ("unique", [NONE], {"dim": 0}, "There are 0 sized dimensions, and they aren't selected"),
    ("unique_consecutive", [NONE], {"dim": 0}, "There are 0 sized dimensions, and they aren't selected"),
    ("bincount", [plain([-1])], {}, "bincount only supports 1-d non-negative integral inputs."),
    ("bincount", [plain([[1]])], {}, "bincount only supports 1-d non-negative integral inputs."),
    ("bincount", [f32(3)], {}, "\"bincount_cpu\" not implemented for 'Float'"),
    ("bincount", [plain([True])], {}, "\"bincount_cpu\" not implemented for 'Bool'"),
    ("bincount", [plain([1])], {"minlength": -1}, "minlength should be >= 0"),
    ("bincount", [plain([1, 2]), f32(3)], {}, "weights should be 1-d and have the same length as input"),
    ("aminmax", [EMPTY], {}, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no"),
    ("aminmax", [NONE], {"dim": 1}, "aminmax: Expected reduction dim 1 to have non-zero size."),
    ("aminmax", [f32(3)], {"dim": 1}, RANGE),
    ("searchsorted", [f32(), f32(3)], {}, "torch.searchsorted(): boundaries tensor should have positive dimension"),
    ("searchsorted", [f32(2, 3), 1.0], {}, "torch.searchsorted(): input value can be a scalar only when boundaries"),
    ("searchsorted", [f32(2, 3), f32(3)], {}, "torch.searchsorted(): boundaries tensor should be 1 dimension or the"),
    ("searchsorted", [f32(2, 3), f32(1, 3)], {}, "torch.searchsorted(): boundaries tensor should be 1 dimension or"),
    ("searchsorted", [f32(3), f32(3)], {"side": "middle"},
     "torch.searchsorted(): side can only be 'left' or 'right' but got middle"),
    ("searchsorted", [f32(3), f32(3)], {"side": "left", "right": True},
     "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"),
    ("searchsorted", [f32(3), f32(3)], {"sorter": plain([0, 1])},
     "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor [3]"),
    ("searchsorted", [f32(3), f32(3)], {"sorter": plain([0, 1, 2], "int32")},
     "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype Int"),
    ("searchsorted", [plain([True]), plain([True])], {}, "\"searchsorted_out_cpu\" not implemented for 'Bool'"),
    ("bucketize", [f32(3), f32(2, 3)], {}, "boundaries tensor must be 1 dimension, but got dim(2)"),
    ("masked.median", [f32(3), 1], {}, RANGE),
    ("masked.median", [EMPTY, 0], {}, "median(): Expected reduction dim 0 to have non-zero size."),
    ("masked.median", [f32(3), 0], {"mask": f32(3)}, "masked.median: expected BoolTensor for mask"),
    ("masked.median", [f32(3), 0], {"mask": plain([True, False])}, "The size of tensor a"),
]


@pytest.mark.parametrize("op,args,named,text", ERRORS)
def test_errors(check, op, args, named, text):
    case = check(op, *args, **named)
    if case.tamis.error is None or not str(case.tamis.error).startswith(text):
        check.fail(f"{case!r}: {case.tamis!r} does not begin with {text!r}")


def test_one_answer(check):
    """Where torch may return any index, Tamis returns the smallest, and it checks the sorter."""
    check("mode", plain([1, 2, 2, 1]))
    check("searchsorted", f32(3), f32(3), sorter=plain([0, 1, 3]))
    check("masked.median", plain([1, 2]), mask=plain([False, False]))
