"""Functions made from rows: arguments by position and name, defaults, kinds of arrays, and errors."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import tamis
from tamis import _tamis


def functions():
    for module in (_tamis, _tamis.masks):
        for name, value in sorted(vars(module).items()):
            if isinstance(value, _tamis._Function):
                yield pytest.param(value, id=name)


@pytest.mark.parametrize("function", list(functions()))
def test_every_function_has_a_signature_and_a_docstring(function):
    signature = inspect.signature(function)
    assert len(signature.parameters) >= 1
    first, _, summary = function.__doc__.partition("\n\n")
    assert first.startswith(function.__name__ + "(")
    assert summary.strip().endswith(".")


def test_arguments_by_position_and_by_name_are_the_same():
    x = tamis.tensor([[1, 2, 3], [4, 5, 6]])
    mask = x > 2
    expected = [3, 4, 5, 6]
    assert tamis.masked_select(x, mask).tolist() == expected
    assert tamis.masked_select(x, mask=mask).tolist() == expected
    assert tamis.masked_select(mask=mask, input=x).tolist() == expected
    assert x.masked_select(mask).tolist() == expected
    assert x.masked_select(mask=mask).tolist() == expected


def test_numpy_names_of_arguments_are_taken_as_in_pytorch():
    x = tamis.ones(2, 3)
    assert x.sum(axis=0, keepdims=True).shape == (1, 3)


def test_sizes_come_as_a_list_or_one_by_one():
    assert tamis.zeros(2, 3).shape == tamis.zeros((2, 3)).shape == tamis.zeros([2, 3]).shape == (2, 3)
    assert tamis.zeros(size=(4,)).shape == (4,)
    assert tamis.zeros(()).shape == ()
    x = tamis.arange(6)
    assert x.reshape(2, 3).shape == x.reshape((2, 3)).shape == x.view(2, -1).shape == (2, 3)
    assert tamis.rand(2, 3).permute(1, 0).shape == (3, 2)
    assert tamis.tensor([[1], [2]]).expand(2, 3).tolist() == [[1, 1, 1], [2, 2, 2]]


def test_overloads_that_share_a_name():
    assert tamis.arange(3).tolist() == [0, 1, 2]
    assert tamis.arange(1, 3).tolist() == [1, 2]
    assert tamis.arange(1, 7, 2).tolist() == [1, 3, 5]
    assert tamis.arange(end=2).tolist() == [0, 1]
    assert tamis.arange(2, dtype=tamis.float32).dtype is tamis.float32
    assert tamis.randint(5, (100,)).max().item() < 5
    assert tamis.randint(3, 5, (100,)).min().item() >= 3
    assert tamis.randint(high=4, size=(2, 2)).shape == (2, 2)
    x = tamis.tensor([0, 7, 8])
    assert [t.tolist() for t in tamis.where(x > 0)] == [[1, 2]]
    assert [t.tolist() for t in tamis.nonzero(x, as_tuple=True)] == [[1, 2]]
    assert tamis.nonzero(x).tolist() == [[1], [2]]
    assert tamis.max(x).item() == 8
    assert tamis.max(x, tamis.tensor([3, 3, 3])).tolist() == [3, 7, 8]
    assert tamis.add(x, x, alpha=10).tolist() == [0, 77, 88]
    assert tamis.pow(2, tamis.tensor([1, 2, 3])).tolist() == [2, 4, 8]
    assert [t.shape for t in tamis.broadcast_tensors(x, tamis.ones(2, 1))] == [(2, 3), (2, 3)]


def test_a_bool_instead_of_dim_is_unbiased_as_in_pytorch():
    x = tamis.tensor([1.0, 2.0, 6.0])
    assert tamis.var(x, False).item() == tamis.var(x, unbiased=False).item() == pytest.approx(14 / 3)
    assert x.var(True).item() == x.var().item() == 7
    assert tamis.std(x, False).item() == x.std(False).item() == pytest.approx((14 / 3) ** 0.5)
    for name in ("var_mean", "std_mean"):
        spread, mean = getattr(tamis, name)(x, False)
        assert spread.item() == getattr(tamis, name[:3])(x, False).item() and mean.item() == 3
    assert tamis.var(x, 0, True).item() == 7  # dim, unbiased
    assert isinstance(tamis.var(x.numpy(), True), np.ndarray)


def test_the_first_overload_that_takes_the_arguments_is_called():
    x = tamis.tensor([[3, 1], [2, 9]])
    assert [t.tolist() for t in tamis.split(x, 1)] == [[[3, 1]], [[2, 9]]]
    assert [t.tolist() for t in tamis.split(x, [1, 1], 1)] == [[[3], [2]], [[1], [9]]]
    assert tamis.max(input=x, other=x.t()).tolist() == [[3, 2], [2, 9]]
    assert tamis.max(x, axis=1, keepdims=True).values.tolist() == [[3], [9]]
    assert tamis.median(x).item() == 2 and tamis.median(x, 0).values.tolist() == [2, 1]
    assert tamis.nonzero(x, as_tuple=False).tolist() == tamis.nonzero(x).tolist()
    assert x.where(x > 2, 0).tolist() == tamis.where(x > 2, x, 0).tolist() == [[3, 0], [0, 9]]
    assert tamis.div(x, 2, rounding_mode="floor").tolist() == [[1, 0], [1, 4]]
    assert tamis.div(x, 2, rounding_mode=None).tolist() == tamis.div(x, 2).tolist() == [[1.5, 0.5], [1.0, 4.5]]
    assert x.clone().div_(2, rounding_mode="trunc").tolist() == [[1, 0], [1, 4]]
    # A keyword that was made at run time, and so is not the same object as any other of that text.
    assert tamis.max(x, **{"".join(["d", "im"]): 1}).values.tolist() == [3, 9]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: tamis.max(x, "a"), r"max\(\): argument 'other' \(position 2\) must be Tensor, not str"),
        (lambda x: tamis.max(x, dim="a"), r"max\(\): argument 'dim' must be int, not str"),
        (lambda x: tamis.max(x, 0, False, 1), r"max\(\) takes 1 positional argument but 4 were given"),
        (lambda x: tamis.where(x > 0, x), r'where\(\) missing 1 required positional arguments: "other"'),
        (lambda x: tamis.arange(), r'arange\(\) missing 2 required positional arguments: "start", "end"'),
        (lambda x: tamis.arange("a"), r"arange\(\): argument 'end' \(position 1\) must be Number, not str"),
        (lambda x: tamis.std(x, "a"), r"std\(\): argument 'dim' \(position 2\) must be tuple of ints, not str"),
        (lambda x: tamis.nonzero(x, as_tuple=1), r"nonzero\(\): argument 'as_tuple' must be bool, not int"),
        (lambda x: tamis.nonzero(x, as_tuple=True, out=x), r"nonzero\(\): argument 'as_tuple' must be False"),
        (lambda x: tamis.split(x, 1.5), r"split\(\): argument 'split_size_or_sections' \(position 2\) must be int, not"),
        (lambda x: tamis.zeros(2, device=3), r"zeros\(\): argument 'device' must be tamis.device, not int"),
    ],
)
def test_what_no_overload_takes_is_refused_by_the_nearest(call, text):
    with pytest.raises(TypeError, match=text):
        call(tamis.ones(2))


def test_several_results_have_names():
    result = tamis.kthvalue(tamis.tensor([3, 1, 2]), 2)
    assert (result.values.item(), result.indices.item()) == (2, 2)
    values, indices = result
    assert (values.item(), indices.item()) == (2, 2)


def test_out_is_written_and_returned():
    x = tamis.tensor([1, 2, 3, 4])
    out = tamis.empty(0, dtype=tamis.int64)
    assert tamis.masked_select(x, x > 2, out=out) is out
    assert out.tolist() == [3, 4]
    buffer = tamis.zeros(4, dtype=tamis.int64)
    tamis.masked_select(x, x > 2, out=buffer[::2])
    assert buffer.tolist() == [3, 0, 4, 0]
    array = np.zeros(2, dtype=np.int64)
    assert tamis.masked_select(x, x > 2, out=array) is array
    assert array.tolist() == [3, 4]


def test_out_of_every_flagged_row_takes_result_shape_and_cast():
    x = tamis.tensor([[1.0, 4.0], [9.0, 16.0]])
    out = tamis.empty(0)
    assert tamis.sqrt(x, out=out) is out
    assert out.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert x.sqrt(out=out) is out
    wide = tamis.empty(2, 2, dtype=tamis.float64)
    assert tamis.add(x, 1, alpha=2, out=wide).tolist() == [[3.0, 6.0], [11.0, 18.0]]
    assert tamis.sqrt(x, out=None).tolist() == out.tolist()
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        tamis.sqrt(x, out=tamis.empty(2, 2, dtype=tamis.int64))
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not int"):
        tamis.sqrt(x, out=3)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        tamis.sqrt(x, out)


def test_out_decides_the_dtype_that_is_not_given():
    ints = tamis.empty(2, dtype=tamis.int64)
    assert tamis.zeros(2, out=ints).tolist() == [0, 0]
    assert tamis.arange(3, out=tamis.empty(3)).dtype is tamis.float32
    assert tamis.sum(tamis.tensor([1.9, 1.9]), dim=0, out=tamis.empty((), dtype=tamis.int64)).item() == 2
    with pytest.raises(RuntimeError, match="can't be cast"):
        tamis.zeros(2, dtype=tamis.float32, out=ints)


def test_out_of_several_results_is_a_tuple():
    x = tamis.tensor([3.0, 1.0, 2.0])
    outs = tamis.empty(()), tamis.empty((), dtype=tamis.int64)
    result = tamis.kthvalue(x, 2, out=outs)
    assert result.values is outs[0] and result.indices is outs[1]
    assert (result.values.item(), result.indices.item()) == (2.0, 2)
    with pytest.raises(RuntimeError, match="can't be cast"):
        tamis.kthvalue(x, 1, out=(outs[0], tamis.empty((), dtype=tamis.bool)))
    assert outs[0].item() == 2.0  # nothing was written
    with pytest.raises(RuntimeError, match="expected 2 tensors, but got 1"):
        tamis.kthvalue(x, 1, out=(outs[0],))


def test_max_has_three_meanings_also_with_out():
    x = tamis.tensor([[3, 1], [2, 9]])
    assert tamis.max(x).item() == 9 and tamis.max(x, x.t()).tolist() == [[3, 2], [2, 9]]
    for result in (tamis.max(x, 1), tamis.max(x, dim=1), x.max(-1)):
        assert (result.values.tolist(), result.indices.tolist()) == ([3, 9], [0, 1])
    assert x.min(0, True).values.shape == (1, 2)
    one = tamis.empty((), dtype=tamis.int64)
    assert tamis.max(x, out=one) is one and one.item() == 9
    two = tamis.empty(0, dtype=tamis.int64), tamis.empty(0, dtype=tamis.int64)
    assert tamis.max(x, 1, out=two).indices is two[1]
    assert two[0].tolist() == [3, 9]
    assert tamis.max(x, x.t(), out=one) is one and one.tolist() == [[3, 2], [2, 9]]


def test_only_tensors_of_tamis_are_resized_by_out():
    array = np.zeros(3, dtype=np.float32)
    assert tamis.sqrt(tamis.tensor([1.0, 4.0, 9.0]), out=array) is array
    assert array.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="only a tamis.Tensor can be resized"):
        tamis.sqrt(tamis.tensor([1.0]), out=array)
    with pytest.raises(ValueError, match="only a tamis.Tensor can be resized"):
        tamis.masked_select(tamis.ones(5), tamis.ones(5) > 0, out=array)
    assert array.tolist() == [1.0, 2.0, 3.0]


def test_out_may_be_an_argument():
    x = tamis.arange(5).float()
    assert tamis.add(x, x, out=x) is x
    assert tamis.mul(x[1:], 10, out=x[:-1]).tolist() == [20.0, 40.0, 60.0, 80.0]


def test_memory_that_an_array_shows_survives_a_resizing_out():
    x = tamis.arange(1000)
    out = tamis.zeros(3, dtype=tamis.int64)
    view = out.numpy()
    tamis.masked_select(x, x >= 0, out=out)
    assert len(out) == 1000
    assert view.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: tamis.masked_select(x), r'masked_select\(\) missing 1 required positional arguments: "mask"'),
        (lambda x: tamis.masked_select(x, 1), r"argument 'mask' \(position 2\) must be Tensor, not int"),
        (lambda x: x.masked_select(1), r"argument 'mask' \(position 1\) must be Tensor, not int"),
        (lambda x: tamis.masked_select([1.0], x), r"argument 'input' \(position 1\) must be Tensor, not list"),
        (lambda x: tamis.masked_select(x, x, x), r"takes 2 positional arguments but 3 were given"),
        (lambda x: tamis.masked_select(x, x, mask=x), r"got multiple values for argument 'mask'"),
        (lambda x: tamis.masked_select(x, musk=x), r"unexpected keyword argument 'musk'"),
        (lambda x: x.sum("a"), r"argument 'dim' \(position 1\) must be tuple of ints, not str"),
        (lambda x: x.sum(0, 1), r"argument 'keepdim' \(position 2\) must be bool, not int"),
        (lambda x: x.sum(0, dtype=3), r"argument 'dtype' must be tamis.dtype, not int"),
        (lambda x: x.unsqueeze(1.5), r"argument 'dim' \(position 1\) must be int, not float"),
        (lambda x: x.unsqueeze(True), r"argument 'dim' \(position 1\) must be int, not bool"),
        (lambda x: tamis.logical_and(x, 1), r"argument 'other' \(position 2\) must be Tensor, not int"),
        (lambda x: tamis.add(1, x), r"argument 'input' \(position 1\) must be Tensor, not int"),
        (lambda x: tamis.cat(x), r"argument 'tensors' \(position 1\) must be tuple of Tensors, not tamis.Tensor"),
        (lambda x: tamis.zeros("a"), r"argument 'size' \(position 1\) must be tuple of ints, not str"),
        (lambda x: tamis.Tensor([1]), r"tamis.tensor\(data\)"),
        (lambda x: x["a"], r"new\(\): invalid data type 'str'"),
    ],
)
def test_wrong_arguments_are_type_errors_that_name_them(call, text):
    with pytest.raises(TypeError, match=text):
        call(tamis.ones(2))


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda x: tamis.masked_select(x, x), RuntimeError, "masked_select: expected BoolTensor for mask"),
        (lambda x: x + tamis.ones(3), RuntimeError, r"The size of tensor a \(2\) must match the size of tensor b \(3\)"),
        (lambda x: x.sum(5), IndexError, "Dimension out of range"),
        (lambda x: x + 2**70, RuntimeError, "Overflow when unpacking long"),
        (lambda x: x.int().masked_fill(x > 0, 2**40), RuntimeError, "without overflow"),
        (lambda x: x[5], IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
        (lambda x: x.item(), RuntimeError, "2 elements"),
        (lambda x: bool(x), RuntimeError, "more than one value is ambiguous"),
        (lambda x: len(x.sum()), TypeError, "len\\(\\) of a 0-d tensor"),
        (lambda x: list(x.sum()), TypeError, "iteration over a 0-d tensor"),
        (lambda x: x[::0], ValueError, "slice step cannot be zero"),
        (lambda x: x.__index__(), TypeError, "only integer tensors of a single element"),
        (lambda x: x.view(3), RuntimeError, "shape '\\[3\\]' is invalid for input of size 2"),
    ],
)
def test_errors_are_the_exceptions_that_pytorch_raises(call, kind, text):
    with pytest.raises(kind, match=text):
        call(tamis.ones(2))


def test_bools_where_pytorch_takes_and_refuses_them():
    yes, no = tamis.tensor(True), tamis.tensor([False, True])
    value, index = tamis.kthvalue(yes, 1)
    assert (value.item(), value.dtype, index.item()) == (True, tamis.bool, 0)
    with pytest.raises(RuntimeError, match="not implemented for 'Bool'"):
        tamis.kthvalue(no, 1)
    assert tamis.linspace(1, 2, 1, dtype=tamis.bool).tolist() == [True]
    assert tamis.linspace(1, 2, 0, dtype=tamis.bool).tolist() == []
    with pytest.raises(RuntimeError, match="not implemented for 'Bool'"):
        tamis.linspace(0, 1, 2, dtype=tamis.bool)
    assert tamis.clamp(no, min=yes).tolist() == [True, True]
    assert tamis.clamp(no, max=tamis.tensor(False)).tolist() == [False, False]
    for bounds in ((True, None), (None, False), (yes, yes)):
        with pytest.raises(RuntimeError, match="not implemented for 'Bool'"):
            tamis.clamp(no, *bounds)
    with pytest.raises(RuntimeError, match=r"The `\+` operator, on a bool tensor is not supported"):
        +no
    with pytest.raises(TypeError, match=r"~ \(operator.invert\) is only implemented on integer and Boolean-type"):
        ~tamis.ones(2)
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with a bool tensor"):
        tamis.sub(tamis.ones(2), no, alpha=2)


def test_alpha_scales_in_the_dtype_of_the_result():
    small = tamis.tensor([100], dtype=tamis.int8)
    assert tamis.add(tamis.tensor([0]), small, alpha=3).tolist() == [300]
    assert tamis.add(tamis.tensor([0.0]), small, alpha=0.5).tolist() == [50.0]
    truth = tamis.tensor([False, True])
    assert truth.clone().add_(truth, alpha=2).tolist() == [False, True]
    with pytest.raises(RuntimeError, match="must not be a floating point number"):
        tamis.add(small, small, alpha=0.5)
    with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
        tamis.add(small, small, alpha=True)


def test_builders_take_lists():
    assert tamis.masks.from_lengths([2, 0]).tolist() == [[True, True], [False, False]]
    assert tamis.masks.from_indices(4, [1, -1]).tolist() == [False, True, False, True]
    assert tamis.masks.from_indices((3,), []).tolist() == [False, False, False]
    assert tamis.masks.drop_token_ids([5, 0, 7], [0]).tolist() == [True, False, True]
    assert tamis.masks.causal(2).tolist() == [[True, False], [True, True]]


def test_results_come_in_the_kind_of_the_arguments():
    array = np.array([1.0, 2.0, 3.0])
    assert isinstance(tamis.masked_select(array, array > 1), np.ndarray)
    assert isinstance(tamis.masked_select(tamis.tensor(array), array > 1), tamis.Tensor)
    assert isinstance(tamis.masked_select(array, tamis.tensor(array) > 1), tamis.Tensor)
    assert isinstance(tamis.kthvalue(array, 1).values, np.ndarray)
    assert isinstance(tamis.zeros(2), tamis.Tensor)
    assert tamis.allclose(array, array) is True
    assert tamis.count(array > 1) == 2
    assert tamis.sum(array).shape == ()


def test_results_over_foreign_memory_are_computed_before_they_return():
    array = np.array([1.0, 2.0, 3.0])
    mixed = tamis.add(array, tamis.ones(3))
    product = tamis.ones(3) * array
    bigger = tamis.gt(array, 1)
    array[:] = 0
    assert mixed.tolist() == [2, 3, 4]
    assert product.tolist() == [1, 2, 3]
    assert bigger.tolist() == [False, True, True]


def test_in_place_methods_write_and_return_self():
    x = tamis.tensor([1.0, -2.0, 3.0])
    assert x.masked_fill_(x < 0, 0) is x
    assert x.add_(1, alpha=2) is x
    assert x.clamp_(max=4).tolist() == [3.0, 2.0, 4.0]
    assert x.zero_().fill_(2).copy_(tamis.tensor([1, 2, 3])).tolist() == [1.0, 2.0, 3.0]
    assert x.neg_().abs_().tolist() == [1.0, 2.0, 3.0]
    assert tamis.ones(2, 2).tril_().tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert tamis.tensor([1.0, 2.0]).eq_(2).tolist() == [0.0, 1.0]


def test_in_place_methods_keep_shape_and_dtype():
    x = tamis.tensor([1, 2, 3])
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]"):
        x.mul_(tamis.ones(2, 3, dtype=tamis.int64))
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x.div_(2)
    long = tamis.arange(5)
    with pytest.raises(RuntimeError, match="unsupported operation: some elements of the input tensor"):
        long[1:].add_(long[:-1])
    assert x.tolist() == [1, 2, 3] and long.tolist() == [0, 1, 2, 3, 4]
    assert not hasattr(x, "isnan_") and not hasattr(x, "maximum_")


def test_methods_that_change_nothing_return_the_same_object():
    x = tamis.ones(2, 3)
    assert x.contiguous() is x
    assert x.to(tamis.float32) is x
    assert x.float() is x
    assert x.detach() is not x


def test_dtypes_of_other_libraries_are_taken():
    x = tamis.ones(2)
    assert x.to(np.int32).dtype is tamis.int32
    assert x.to(np.dtype("float16")).dtype is tamis.float16
    assert tamis.zeros(2, dtype=bool).dtype is tamis.bool
    assert tamis.zeros(2, dtype=int).dtype is tamis.int64
    assert tamis.zeros(2, dtype=None).dtype is tamis.float32
    with pytest.raises(TypeError):
        x.to(np.longdouble)


def test_random_numbers_repeat_after_a_seed():
    tamis.manual_seed(7)
    first = tamis.rand(5).tolist()
    tamis.manual_seed(7)
    assert tamis.rand(5).tolist() == first


def test_settings_of_the_process():
    threads = tamis.get_num_threads()
    tamis.set_num_threads(1)
    assert tamis.get_num_threads() == 1
    tamis.set_num_threads(threads)
    assert tamis.isa() in ("scalar", "sse4", "avx2", "avx512")
    before = tamis.memory_stats()["live_bytes"]
    x = tamis.empty(1 << 20)
    assert tamis.memory_stats()["live_bytes"] >= before + (4 << 20)
    del x


# ---- memory ----------------------------------------------------------------------------------------

TOO_MUCH = {
    "empty": lambda: tamis.empty(2**44),
    "ones + 1": lambda: tamis.ones(2**44) + 1,
    "a deferred sum": lambda: (tamis.ones(1).expand(2**44) + 1).numpy(),
    "one_hot": lambda: tamis.one_hot(tamis.tensor([2**44])),
    "arange": lambda: tamis.arange(2**44),
    "repeat_interleave": lambda: tamis.repeat_interleave(tamis.tensor([1]), tamis.tensor([2**44])),
    "randperm": lambda: tamis.randperm(2**44),
    "eye": lambda: tamis.eye(2**22),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_the_machine_does_not_have_is_refused(name):
    with pytest.raises(RuntimeError, match="can't allocate memory: you tried to allocate"):
        TOO_MUCH[name]()


def test_a_limit_of_the_address_space_is_respected():
    """Allocations below it work, also where what was kept for reuse has to go first; those above it raise."""
    program = """
import resource, tamis
tamis.ones(10)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, used + 2**30))
for mebibytes in (300, 500, 700, 300, 700):  # one fits at a time
    x = tamis.empty(mebibytes * 2**20, dtype=tamis.uint8)
    del x
try:
    tamis.empty(2**31, dtype=tamis.uint8)
except RuntimeError as e:
    print(e)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("DefaultCPUAllocator: can't allocate memory: you tried to allocate 2147483648 bytes")
