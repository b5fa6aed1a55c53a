"""Errors: the same kind of exception, and the text where it is given; and the differences on purpose.

Texts are those of PyTorch 2.9, with which Tamis' begin. torch 1.13 says some of them otherwise, so the text is
written here, and what 1.13 does is compared by its kind.
"""

import warnings

import numpy as np
import pytest
import tamis

from cases import FLOATS, INTS, DType, plain, seeded

OVERLAP = ("unsupported operation: more than one element of the written-to tensor refers to a single memory "
           "location. Please clone() the tensor before performing the operation.")
TWO_OVERLAP = ("unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
               "single memory location. Please clone() the tensor before performing the operation.")


def f32(*shape):
    return plain(np.arange(np.prod(shape), dtype=np.float32).reshape(shape).tolist() if shape else 1.0, "float32")


def i64(*shape):
    return plain(np.arange(np.prod(shape), dtype=np.int64).reshape(shape).tolist())


def ones(dtype, *shape):
    return plain(np.ones(shape).tolist(), dtype)


# op, arguments, the call or None for library.op(*arguments), how the text begins
ERRORS = [
    # broadcasting
    ("add", [f32(2, 3), f32(2, 4)], None,
     "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"),
    ("mul", [f32(5), f32(2, 3)], None,
     "The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 1"),
    ("masked_select", [f32(5), ones("bool", 3)], None,
     "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 0"),
    ("masked_fill", [f32(5), ones("bool", 3), 0], None,
     "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 0"),
    ("masked_scatter", [f32(5), ones("bool", 3), f32(9)], None,
     "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 0"),
    ("where", [ones("bool", 2), f32(3), f32(3)], None, "The size of tensor a (2) must match the size of tensor b (3)"),
    ("add_", [f32(3), f32(2, 3)], lambda lib, x, y: x.add_(y),
     "output with shape [3] doesn't match the broadcast shape [2, 3]"),
    ("masked_fill_", [f32(3), ones("bool", 2, 3), 0], lambda lib, x, m, v: x.masked_fill_(m, v),
     "output with shape [3] doesn't match the broadcast shape [2, 3]"),
    ("broadcast_to", [f32(3), (4,)], None,
     "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 0"),
    # numbers out of range
    ("where", [ones("bool", 3), ones("uint8", 3), 300], None,
     "value cannot be converted to type uint8_t without overflow"),
    ("where", [ones("bool", 3), -256, ones("uint8", 3)], None,
     "value cannot be converted to type uint8_t without overflow"),
    ("where", [ones("bool", 3), f32(3), 1e300], None, "value cannot be converted to type float without overflow"),
    ("where", [ones("bool", 3), ones("float16", 3), 1e6], None,
     "value cannot be converted to type at::Half without overflow"),
    ("pow", [ones("uint8", 3), 300], None, "value cannot be converted to type uint8_t without overflow"),
    ("pow", [ones("int8", 3), 128], None, "value cannot be converted to type int8_t without overflow"),
    ("pow", [ones("bfloat16", 3), 1e39], None, "value cannot be converted to type at::BFloat16 without overflow"),
    ("pow", [300, plain([2, 3], "uint8")], None, None),  # a base wraps
    ("add", [ones("uint8", 3), ones("uint8", 3)], lambda lib, x, y: lib.add(x, y, alpha=300),
     "value cannot be converted to type uint8_t without overflow"),
    ("sub", [f32(3), f32(3)], lambda lib, x, y: x.sub(y, alpha=1e300),
     "value cannot be converted to type float without overflow"),
    ("add_", [ones("uint8", 3), ones("uint8", 3)], lambda lib, x, y: x.add_(y, alpha=-256),
     "value cannot be converted to type uint8_t without overflow"),
    ("where", [plain([True, False]), ones("uint8", 2), -1], None, None),
    ("pow", [f32(3), 1e300], None, None),
    ("nan_to_num", [plain([1.0, float("nan")], "float16"), 1e6], None, None),
    ("add", [ones("uint8", 3), ones("uint8", 3)], lambda lib, x, y: lib.add(x, y, alpha=-1), None),
    # masks
    ("masked_select", [f32(3), ones("float32", 3)], None, "masked_select: expected BoolTensor for mask"),
    ("masked_select", [f32(3), ones("uint8", 3)], None, "masked_select: expected BoolTensor for mask"),
    ("masked_select", [f32(3), ones("int64", 3)], None, "masked_select: expected BoolTensor for mask"),
    ("where", [ones("float32", 3), f32(3), f32(3)], None,
     "where expected condition to be a boolean tensor, but got a tensor with dtype Float"),
    ("where", [ones("int64", 3), f32(3), f32(3)], None,
     "where expected condition to be a boolean tensor, but got a tensor with dtype Long"),
    ("masked_scatter", [f32(3), ones("float32", 3), f32(3)], None, "masked_scatter"),
    ("masked_fill", [f32(3), ones("bool", 3), f32(1)], None,
     "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s)."),
    ("masked_scatter", [f32(3), ones("bool", 3), i64(3)], None,
     "masked_scatter: expected self and source to have same dtypes but gotFloat and Long"),
    ("masked_scatter", [f32(3), ones("bool", 3), f32(2)], None,
     "Number of elements of source < number of ones in mask"),
    ("masked_select", [f32(3), ones("bool", 3), i64(3)], lambda lib, x, m, o: lib.masked_select(x, m, out=o),
     "masked_select(): self and result must have the same scalar type"),
    ("masked_select", [f32(4), ones("bool", 5)], lambda lib, x, m: x[m],
     "The shape of the mask [5] at index 0 does not match the shape of the indexed tensor [4] at index 0"),
    ("masked_select", [f32(4), ones("bool", 1)], lambda lib, x, m: x[m],
     "The shape of the mask [1] at index 0 does not match the shape of the indexed tensor [4] at index 0"),
    ("masked_select", [f32(4), ones("bool", 4, 1)], lambda lib, x, m: x[m],
     "too many indices for tensor of dimension 1"),
    ("masked_select", [f32(2, 3), ones("bool", 3)], lambda lib, x, m: x[m],
     "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [2, 3] at index 0"),
    ("masked_select", [f32(3), ones("float32", 3)], lambda lib, x, m: x[m],
     "tensors used as indices must be long, int, byte or bool tensors"),
    # overlap
    ("masked_scatter_", [f32(3), ones("bool", 2, 3), f32(6)],
     lambda lib, x, m, s: x.expand(2, 3).masked_scatter_(m, s), OVERLAP),
    ("add_", [f32(3), f32(2, 3)], lambda lib, x, y: x.expand(2, 3).add_(y), OVERLAP),
    ("add_", [f32(6)], lambda lib, x: x[1:].add_(x[:-1]), TWO_OVERLAP),
    ("masked_select", [f32(6), ones("bool", 3)], lambda lib, x, m: lib.masked_select(x[:3], m, out=x[:3]),
     "unsupported operation: "),
    # values
    ("masked_fill", [i64(3), ones("bool", 3), float("inf")], None,
     "value cannot be converted to type int64_t without overflow"),
    ("masked_fill", [plain([1, 2], "uint8"), ones("bool", 2), 300], None,
     "value cannot be converted to type uint8_t without overflow"),
    ("masked_fill", [plain([1, 2], "int8"), ones("bool", 2), -129], None,
     "value cannot be converted to type int8_t without overflow"),
    ("masked_fill", [plain([1, 2], "float16"), ones("bool", 2), -1e9], None,
     "value cannot be converted to type at::Half without overflow"),
    ("full", [(2,), 2**70], None, ""),
    # dtypes
    ("add_", [i64(3), 1.5], lambda lib, x, y: x.add_(y),
     "result type Float can't be cast to the desired output type Long"),
    ("mul_", [ones("bool", 3), 2], lambda lib, x, y: x.mul_(y),
     "result type Long can't be cast to the desired output type Bool"),
    ("sub", [ones("bool", 3), ones("bool", 3)], None,
     "Subtraction, the `-` operator, with two bool tensors is not supported."),
    ("sub", [ones("bool", 3), 1], lambda lib, x, y: x - True, "Subtraction, the `-` operator, with"),
    ("neg", [ones("bool", 3)], None, "Negation, the `-` operator, on a bool tensor is not supported."),
    ("mean", [i64(3)], None,
     "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long"),
    ("bitwise_and", [f32(3), f32(3)], None, '"bitwise_and_cpu" not implemented for \'Float\''),
    ("bitwise_not", [f32(3)], None, '"bitwise_not_cpu" not implemented for \'Float\''),
    ("logical_not_", [f32(3), i64(4)], lambda lib, x, y: x.logical_and_(y),
     "The size of tensor a (3) must match the size of tensor b (4)"),
    ("pow", [i64(3), -1], None, "Integers to negative integer powers are not allowed."),
    ("floor_divide", [i64(3), plain([1, 0, 1])], None, "ZeroDivisionError"),
    ("remainder", [i64(3), plain([1, 0, 1])], None, "ZeroDivisionError"),
    ("fmod", [i64(3), 0], None, "ZeroDivisionError"),
    ("isclose", [f32(3), i64(3)], None, "Float did not match Long"),
    ("clamp", [f32(3)], None, "torch.clamp: At least one of 'min' or 'max' must not be None"),
    # dims
    ("sum", [f32(2, 3), 2], None, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("sum", [f32(2, 3), -3], None, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"),
    ("sum", [f32(2, 3), [0, 0]], None, "dim 0 appears multiple times in the list of dims"),
    ("amax", [plain([], "float32")], None,
     "amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
     "the 'dim' argument."),
    ("max", [plain([], "float32")], None,
     "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
     "'dim' argument."),
    ("min", [plain([], "float32")], None, "min(): Expected reduction dim to be specified for input.numel() == 0."),
    ("amin", [plain([[], []], "float32"), 1], None, "amin(): Expected reduction dim 1 to have non-zero size."),
    ("kthvalue", [f32(3), 4], None, "kthvalue(): selected number k out of range for dimension 0"),
    ("kthvalue", [f32(3), 0], None, "kthvalue(): selected number k out of range for dimension 0"),
    ("kthvalue", [f32(), 2], None, "kthvalue(): selected number k out of range for dimension 0"),
    ("kthvalue", [plain([], "float32"), 1], None, "kthvalue(): Expected reduction dim 0 to have non-zero size."),
    ("kthvalue", [f32(3), 1, 1], None, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ("transpose", [f32(2, 3), 0, 2], None, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("t", [f32(1, 2, 3)], None, "t() expects a tensor with <= 2 dimensions, but self is 3D"),
    ("permute", [f32(2, 3), [0, 0]], None, ""),
    ("permute", [f32(2, 3), [0]], None, ""),
    ("unsqueeze", [f32(3), 2], None, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("squeeze", [f32(3), 1], None, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ("select", [f32(3), 0, 3], None, ""),
    ("select", [f32(), 0, 0], None, "select() cannot be applied to a 0-dim tensor."),
    ("narrow", [f32(3), 0, 2, 2], None, "start (2) + length (2) exceeds dimension size (3)."),
    ("narrow", [f32(3), 0, 0, -1], None, "narrow(): length must be non-negative."),
    ("flatten", [f32(2, 3), 1, 0], None, "flatten() has invalid args: start_dim cannot come after end_dim"),
    ("reshape", [f32(6), (4, -1)], None, "shape '[4, -1]' is invalid for input of size 6"),
    ("reshape", [f32(6), (-1, -1)], None, "only one dimension can be inferred"),
    ("view", [f32(2, 3)], lambda lib, x: x.t().view(6),
     "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
     "contiguous subspaces). Use .reshape(...) instead."),
    ("cat", [[f32(2, 3), f32(2, 4)]], None,
     "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1 in "
     "the list."),
    ("cat", [[]], None, ""),
    ("cat", [[f32(), f32()]], None, "zero-dimensional tensor (at position 0) cannot be concatenated"),
    ("stack", [[f32(2), f32(3)]], None,
     "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1"),
    ("stack", [[]], None, "stack expects a non-empty TensorList"),
    ("tril", [f32(3)], None, ""),
    ("triu", [f32()], None, ""),
    ("repeat", [f32(2, 3), [2]], lambda lib, x, r: x.repeat(r),
     "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"),
    # creation
    ("zeros", [(-1,)], None, "Trying to create tensor with negative dimension -1: [-1]"),
    ("arange", [0, 5, 0], None, "step must be nonzero"),
    ("arange", [5, 0], None, "upper bound and larger bound inconsistent with step sign"),
    ("linspace", [0, 1, -1], None, "number of steps must be non-negative"),
    ("eye", [-1], None, "n must be greater or equal to 0, got -1"),
    ("randint", [5, 5, (2,)], None, "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"),
    ("randperm", [-1], None, ""),
    ("bernoulli", [plain([1.5], "float32")], None, ""),
    # Python
    ("select", [f32(3)], lambda lib, x: x[3], "index 3 is out of bounds for dimension 0 with size 3"),
    ("select", [f32(3)], lambda lib, x: x[0, 0], "too many indices for tensor of dimension 1"),
    ("select", [f32()], lambda lib, x: x[0],
     "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
     "0-dim tensor to a number"),
    ("select", [f32(3)], lambda lib, x: x["a"], ""),
    ("select", [f32(3)], lambda lib, x: x[1.5], ""),
    ("select", [f32(2, 3)], lambda lib, x: x[..., ...], None),
    ("item", [f32(3)], lambda lib, x: x.item(), ""),
    ("item", [f32(3)], lambda lib, x: bool(x), ""),
    ("item", [plain([], "float32")], lambda lib, x: x.item(), ""),
    ("item", [f32(2)], lambda lib, x: int(x), ""),
    ("item", [f32()], lambda lib, x: len(x), "len() of a 0-d tensor"),
    ("item", [f32()], lambda lib, x: list(x), "iteration over a 0-d tensor"),
    ("add", [f32(3), "a"], None, ""),
    ("add", [f32(3)], None, ""),
    ("add", [f32(3), None], None, ""),
    ("sum", ["a"], None, ""),
    ("sum", [f32(3)], lambda lib, x: lib.sum(x, 0, False, 3, 4), ""),
    ("sum", [f32(3)], lambda lib, x: lib.sum(x, nothing=1), ""),
    ("zeros", ["a"], None, ""),
    ("tensor", [], lambda lib: lib.tensor([[1, 2], [3]]), "expected sequence of length 2 at dim 1 (got 1)"),
    ("tensor", [], lambda lib: lib.tensor([1, "a"]), ""),
    ("tensor", [], lambda lib: lib.tensor([[1, 2], 3]), ""),
    ("copy_", [f32(3), f32(4)], lambda lib, x, y: x.__setitem__(slice(None), y), ""),
    ("masked_fill_", [f32(4), plain([True, True, True, False]), f32(2)], lambda lib, x, m, v: x.__setitem__(m, v),
     "shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape [3]"),
    ("fill_", [f32(3), f32(2)], lambda lib, x, v: x.fill_(v),
     "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions."),
    ("copy_", [f32(3), f32(4)], lambda lib, x, y: x.copy_(y),
     "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"),
    ("expand", [f32(3)], lambda lib, x: x.expand(-1, -1, 4), ""),
    ("expand", [f32(2, 3)], lambda lib, x: x.expand(3),
     "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be greater or equal "
     "to the number of dimensions in the tensor (2)"),
    ("expand", [f32(3)], lambda lib, x: x.expand(-1, 3),
     "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_error(check, number):
    op, args, call, text = ERRORS[number]
    case = check(op, *args, call=call)
    if text is None:
        return  # whatever torch does
    if case.torch.error is None and case.what is None:
        check.fail(f"{case!r} raises in neither library")
    if case.tamis.error is not None and not str(case.tamis.error).startswith(text):
        case.what = "another text"
        check.differs(case)


# ---- differences on purpose ------------------------------------------------------------------------


def test_assignment_casts(check):
    def put(lib, x, m, v):
        x[m] = v
        return x

    m = plain([True, False, True])
    check("masked_fill_", i64(3), m, plain([7.5, 8.5]), call=put)
    check("masked_fill_", i64(3), m, plain(1.9), call=put)
    check("masked_fill_", f32(3), m, i64(2), call=put)


def test_scatter_writes_nothing_on_error(check):
    def scatter(lib, x, m, source):
        with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
            x.masked_scatter_(m, source)
        return x

    check("masked_scatter_", ones("float32", 4), plain([True, True, False, True]), f32(2), call=scatter)


def test_expanded_tensors_are_not_written(check):
    def put(lib, x, m):
        x.expand(2, 3)[m] = 1
        return x

    m = ones("bool", 2, 3)
    check("masked_fill_", f32(3), m, 1, call=lambda lib, x, m, v: x.expand(2, 3).masked_fill_(m, v))
    check("masked_fill_", f32(3), m, call=put)


def test_isin_compares_exactly(check):
    check("isin", plain([16777216, 16777217]), plain([16777216.0]))
    check("isin", plain([True, False]), plain([True]))
    check("isin", plain([250, 3], "uint8"), 259)
    check("isin", plain([2, 3]), 2.5)
    check("isin", plain([0.1, 0.5], "float32"), 0.1)
    check("isin", 0.1, plain([0.1, 0.5], "float32"))


def test_kthvalue_takes_the_smallest_index(check):
    rng = seeded("equal elements")
    for i in range(30):
        x = plain(rng.randint(0, 3, 20).tolist())
        k = int(rng.randint(1, 21))
        check("kthvalue", x, k)
        value, index = tamis.kthvalue(x.tamis, k)
        first = x.torch.tolist().index(value.item())
        if index.item() != first:
            check.fail(f"kthvalue({x!r}, {k}): index {index.item()}, but {first} is the smallest")


def test_an_empty_list_of_indices(check):
    def from_list(lib, indices):
        if lib is tamis:
            return lib.masks.from_indices([3], indices)
        found = lib.zeros(3, dtype=lib.bool)
        found[lib.tensor(indices)] = True
        return found

    check("from_indices", [], call=from_list)
    check("from_indices", [0, 2], call=from_list)


def test_bytes_are_no_masks(check):
    m = ones("uint8", 3)
    check("masked_select", f32(3), m)
    check("where", m, f32(3), f32(3))
    check("masked_fill", f32(3), m, 0)
    check("masked_scatter", f32(3), m, f32(3))
    check("masked_select", f32(3), m, call=lambda lib, x, m: x[m])


def test_out_of_the_wrong_size(check):
    def select(lib, x, m, out):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            lib.masked_select(x, m, out=out)
        return out, len(seen)

    check("masked_select", f32(3), plain([True, False, True]), f32(5), call=select)


def test_sums_in_double(check):
    check("sum", plain([3e38, 3e38, -3e38], "float32"))
    check("mean", plain([3e38, 3e38], "float32"))
    check("sum", plain([1.0] + [2.0**-25] * 4096, "float32"))


def test_casts_out_of_range(check):
    """Defined in Tamis. torch has what the processor has; on x86 the two agree."""
    for source in FLOATS:
        for target in INTS:
            for value in (1e20, -1e20, float("nan"), float("inf"), 300.0, -1.0, 70000.0, 3e9):
                check("to", plain([value] * 9, source), DType(target), call=lambda lib, x, d: x.to(d))
    narrow = plain([1e20, -1e20, float("nan"), 3e9, 1.0], "float64")
    assert narrow.tamis.to(tamis.int32).tolist() == [-2**31] * 4 + [1]
    assert narrow.tamis.to(tamis.int64).tolist() == [-2**63] * 3 + [3 * 10**9, 1]


def test_random_numbers_are_others(check):
    def rand(lib):
        lib.manual_seed(0)
        return lib.rand(8)

    check("rand", call=rand)


def test_negative_steps_reverse(check):
    check("select", f32(3), call=lambda lib, x: x[::-1])
    assert tamis.arange(5)[3:0:-2].tolist() == [3, 1]


def test_overlaps_are_decided_exactly(check):
    check("add_", f32(9), call=lambda lib, x: (x[0:6:2].add_(x[2:8:2]), x))
    check("add_", f32(9), call=lambda lib, x: (x[0:6:2].add_(x[1:7:2]), x))
