"""MaskedTensor: data with a mask that goes along with it. True keeps."""

import functools
import importlib
import operator
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional

from tamis import _tamis, masked
from tamis._tamis import Tensor


class MaskedTensor:
    """Elements of which some are missing: data, and a bool mask of its shape; true keeps.

    What is masked out holds anything, NaN too, and reaches no kept element, also in gradients, which flow to data. As
    numpy.ma, whose masks mean the opposite. Operations keep an element where all operands do; reductions skip what is
    masked out, and mask out what is made of nothing. Both tensors may share memory with the arguments.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Any, mask: Any = None) -> None:
        self.data: Tensor = _tamis.as_tensor(data)
        keep = _tamis.ones_like(self.data.detach(), dtype="bool") if mask is None else _tamis.as_tensor(mask)
        if keep.dtype != _tamis.bool:
            raise TypeError(f"MaskedTensor: expected a bool mask, but got {keep.dtype}; write mask != 0")
        self.mask: Tensor = keep if keep.shape == self.data.shape else keep.broadcast_to(self.data.shape)

    # ---- from and to others ----------------------------------------------------------------------------------------

    @classmethod
    def from_nan(cls, data: Any) -> "MaskedTensor":
        """Elements are masked out where they are NaN."""
        x = _tamis.as_tensor(data)
        return cls(x, ~x.detach().isnan())

    @classmethod
    def from_numpy_ma(cls, array: Any) -> "MaskedTensor":
        """Of a numpy.ma.MaskedArray; the data share memory."""
        ma = importlib.import_module("numpy.ma")
        return cls(_tamis.from_numpy(ma.getdata(array)), ~_tamis.from_numpy(ma.getmaskarray(array)))

    @classmethod
    def from_arrow(cls, array: Any) -> "MaskedTensor":
        """Of an Arrow array, as tamis.from_arrow takes it; nulls are masked out."""
        return cls(*_tamis.from_arrow(array, return_mask=True))

    @classmethod
    def from_pandas(cls, column: Any) -> "MaskedTensor":
        """Of a pandas Series or array of numbers or bools; pandas.NA and, in columns of objects, None and NaN are
        masked out. NaN in a column of NumPy's floating point is what pandas calls missing, and masked out too."""
        missing = column.isna()
        dtype = getattr(column.dtype, "numpy_dtype", None)
        if dtype is None or dtype.kind not in "biufc":
            values = column.to_numpy()
            if values.dtype.kind not in "biufc":
                raise TypeError(f"from_pandas(): expected numbers or bools, but got {column.dtype}")
        else:
            values = column.to_numpy(dtype=dtype, na_value=dtype.type(0))
        return cls(_tamis.tensor(values), ~_tamis.tensor(_values(missing)))

    @classmethod
    def from_torch(cls, x: Any) -> "MaskedTensor":
        """Of a torch.masked.MaskedTensor."""
        return cls(_tamis.as_tensor(x.get_data()), _tamis.as_tensor(x.get_mask()))

    def numpy(self) -> Any:
        """A numpy.ma.MaskedArray; the data share memory."""
        return importlib.import_module("numpy.ma").MaskedArray(self.data.numpy(), mask=~self.mask.numpy())

    def arrow(self) -> Any:
        """A pyarrow.Array with nulls where an element is masked out."""
        from tamis._arrow import to_arrow

        return to_arrow(self.data, mask=self.mask)

    def pandas(self) -> Any:
        """A pandas Series of a nullable dtype."""
        pandas = importlib.import_module("pandas")
        values, missing = self.data.numpy().copy(), ~self.mask.numpy()
        kinds = {"b": pandas.arrays.BooleanArray, "f": pandas.arrays.FloatingArray}
        return pandas.Series(kinds.get(values.dtype.kind, pandas.arrays.IntegerArray)(values, missing))

    def torch(self) -> Any:
        """A torch.masked.MaskedTensor."""
        import torch

        make = getattr(getattr(torch, "masked", None), "masked_tensor", None)
        if make is None:
            raise RuntimeError(f"torch {torch.__version__} has no MaskedTensor")
        return make(self.data.torch(), self.mask.torch())

    # ---- what it is ------------------------------------------------------------------------------------------------

    shape = property(lambda self: self.data.shape)
    dtype = property(lambda self: self.data.dtype)
    ndim = property(lambda self: self.data.ndim)
    device = property(lambda self: self.data.device)

    def dim(self) -> int:
        return self.data.dim()

    def numel(self) -> int:
        return self.data.numel()

    def size(self, dim: Optional[int] = None) -> Any:
        return self.data.shape if dim is None else self.data.size(dim)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return _tamis._masked_text(self.data, self.mask)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def item(self) -> Any:
        """The only element. ValueError if it is masked out."""
        value = self.data.item()
        if not self.mask.item():
            raise ValueError("item(): the element is masked out")
        return value

    def tolist(self) -> Any:
        """Lists of numbers, with None where an element is masked out."""
        return self.numpy().tolist()

    def filled(self, value: Any) -> Tensor:
        """A tensor with value where an element is masked out."""
        found: Tensor = _tamis.where(self.mask, self.data, value)
        return found

    def compressed(self) -> Tensor:
        """The kept elements in row-major order, 1-d."""
        return _tamis.masked_select(self.data, self.mask)

    # ---- elements and views ----------------------------------------------------------------------------------------

    def moved(self, f: Callable[[Tensor], Tensor]) -> "MaskedTensor":
        """Both tensors by the same function, which moves elements or shares memory, as views do."""
        return MaskedTensor(f(self.data), f(self.mask))

    def __getitem__(self, index: Any) -> "MaskedTensor":
        return self.moved(operator.itemgetter(_index(index)))

    def __setitem__(self, index: Any, value: Any) -> None:
        """Writes to data and mask. Values without a mask are kept afterwards; None masks out."""
        index = _index(index)
        self.mask = self.mask.clone()
        if value is None:
            self.mask[index] = False
            return
        x = _masked(value)
        self.data[index] = x.data
        self.mask[index] = x.mask

    def __iter__(self) -> Iterator["MaskedTensor"]:
        return (self[i] for i in range(len(self)))

    def reshape(self, *shape: Any) -> "MaskedTensor":
        return self.moved(lambda t: t.reshape(*shape))

    def view(self, *shape: Any) -> "MaskedTensor":
        return self.moved(lambda t: t.view(*shape))

    def transpose(self, dim0: int, dim1: int) -> "MaskedTensor":
        return self.moved(lambda t: t.transpose(dim0, dim1))

    def unsqueeze(self, dim: int) -> "MaskedTensor":
        return self.moved(lambda t: t.unsqueeze(dim))

    T = property(lambda self: self.moved(lambda t: t.T))

    def clone(self) -> "MaskedTensor":
        return self.moved(lambda t: t.clone())

    def detach(self) -> "MaskedTensor":
        return MaskedTensor(self.data.detach(), self.mask)

    def to(self, *args: Any, **kwargs: Any) -> "MaskedTensor":
        """As Tensor.to; the mask goes to the same device."""
        data = self.data.to(*args, **kwargs)
        return MaskedTensor(data, self.mask.to(data.device))

    # ---- pointwise -------------------------------------------------------------------------------------------------

    def map(self, f: Callable[..., Tensor], *others: Any) -> "MaskedTensor":
        """A pointwise function of the elements and of those of others: kept where all are. `x.map(tamis.maximum, y)`"""
        mask, data = self.mask, [self.data]
        for other in others:
            operand = _masked(other)
            data.append(operand.data if isinstance(other, MaskedTensor) else other)
            mask = mask & operand.mask
        return MaskedTensor(f(*data), mask)

    if TYPE_CHECKING:  # the operators, which are made below

        def __add__(self, other: Any) -> "MaskedTensor": ...
        def __neg__(self) -> "MaskedTensor": ...
        def __eq__(self, other: Any) -> "MaskedTensor": ...  # type: ignore[override]
        def __ne__(self, other: Any) -> "MaskedTensor": ...  # type: ignore[override]

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __floordiv__ = __add__
        __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __and__ = __rand__ = __or__ = __ror__ = __add__
        __xor__ = __rxor__ = __lt__ = __le__ = __gt__ = __ge__ = __add__
        __pos__ = __abs__ = __invert__ = __neg__

    # ---- reductions ------------------------------------------------------------------------------------------------

    def _reduced(self, f: Callable[..., Tensor], dim: Any, keepdim: bool, **options: Any) -> "MaskedTensor":
        result = f(self.data, dim, keepdim=keepdim, mask=self.mask, **options)
        return MaskedTensor(result, self._any_kept(dim, keepdim))

    def _any_kept(self, dim: Any, keepdim: bool) -> Tensor:
        return _tamis.any(self.mask, keepdim=keepdim) if dim is None else _tamis.any(self.mask, dim, keepdim=keepdim)

    def sum(self, dim: Any = None, *, keepdim: bool = False, dtype: Any = None) -> "MaskedTensor":
        return self._reduced(masked.sum, dim, keepdim, dtype=dtype)

    def prod(self, dim: Any = None, *, keepdim: bool = False, dtype: Any = None) -> "MaskedTensor":
        return self._reduced(masked.prod, dim, keepdim, dtype=dtype)

    def mean(self, dim: Any = None, *, keepdim: bool = False, dtype: Any = None) -> "MaskedTensor":
        return self._reduced(masked.mean, dim, keepdim, dtype=dtype)

    def amin(self, dim: Any = None, *, keepdim: bool = False) -> "MaskedTensor":
        return self._reduced(masked.amin, dim, keepdim)

    def amax(self, dim: Any = None, *, keepdim: bool = False) -> "MaskedTensor":
        return self._reduced(masked.amax, dim, keepdim)

    def any(self, dim: Any = None, *, keepdim: bool = False) -> "MaskedTensor":
        return self._reduced(masked.any, dim, keepdim)

    def all(self, dim: Any = None, *, keepdim: bool = False) -> "MaskedTensor":
        return self._reduced(masked.all, dim, keepdim)

    def argmin(self, dim: Optional[int] = None, *, keepdim: bool = False) -> "MaskedTensor":
        return self._reduced(masked.argmin, dim, keepdim)

    def argmax(self, dim: Optional[int] = None, *, keepdim: bool = False) -> "MaskedTensor":
        return self._reduced(masked.argmax, dim, keepdim)

    def var(self, dim: Any = None, *, correction: float = 1, keepdim: bool = False) -> "MaskedTensor":
        """Masked out where no more than `correction` elements are kept."""
        result = masked.var(self.data, dim, correction=correction, keepdim=keepdim, mask=self.mask)
        return MaskedTensor(result, self.count(dim, keepdim=keepdim) > correction)

    def std(self, dim: Any = None, *, correction: float = 1, keepdim: bool = False) -> "MaskedTensor":
        """Masked out where no more than `correction` elements are kept."""
        return self.var(dim, correction=correction, keepdim=keepdim).map(_tamis.sqrt)

    def median(self, dim: Optional[int] = None, *, keepdim: bool = False) -> "MaskedTensor":
        """The lower one of two, as in PyTorch. Of all elements, unless dim is given."""
        if dim is None:
            found = self.reshape(-1).median(0)
            return found.reshape([1] * self.ndim) if keepdim else found
        # A row of which nothing is kept has no median, which integers cannot say.
        keep = self.mask | ~self._any_kept(dim, True)
        return MaskedTensor(masked.median(self.data, dim, keepdim=keepdim, mask=keep), self._any_kept(dim, keepdim))

    def quantile(self, q: Any, dim: Optional[int] = None, *, keepdim: bool = False) -> "MaskedTensor":
        """Of all elements, unless dim is given; several q give one more dimension, the first, as in PyTorch."""
        result = masked.quantile(self.data, q, dim, keepdim=keepdim, mask=self.mask)
        return MaskedTensor(result, self._any_kept(dim, keepdim))

    def cumsum(self, dim: int, *, dtype: Any = None) -> "MaskedTensor":
        return MaskedTensor(masked.cumsum(self.data, dim, dtype=dtype, mask=self.mask), self.mask)

    def cumprod(self, dim: int, *, dtype: Any = None) -> "MaskedTensor":
        return MaskedTensor(masked.cumprod(self.data, dim, dtype=dtype, mask=self.mask), self.mask)

    def count(self, dim: Any = None, *, keepdim: bool = False) -> Tensor:
        """How many are kept; nothing of this is masked out."""
        return masked.count(self.data, dim, keepdim=keepdim, mask=self.mask)


def _index(index: Any) -> Any:
    """What brackets take. A condition that is masked out selects nothing: `x[x > 3]`."""
    if isinstance(index, tuple):
        return tuple(_index(i) for i in index)
    if not isinstance(index, MaskedTensor):
        return index
    if index.dtype != _tamis.bool:
        raise TypeError(f"MaskedTensor: expected a bool mask as a masked index, but got {index.dtype}; use its data")
    return index.data & index.mask


def _masked(x: Any) -> MaskedTensor:
    return x if isinstance(x, MaskedTensor) else MaskedTensor(x)


def _values(column: Any) -> Any:
    return column.to_numpy() if hasattr(column, "to_numpy") else column


def _with_numpy_names(f: Callable[..., Any]) -> Callable[..., Any]:
    """A method that takes NumPy's names of its arguments, too, as all functions of tensors do."""
    names = {"axis": "dim", "keepdims": "keepdim", "ddof": "correction"}

    @functools.wraps(f)
    def method(self: MaskedTensor, *args: Any, **kwargs: Any) -> Any:
        for given in names.keys() & kwargs.keys():
            if names[given] in kwargs:
                raise TypeError(f"{f.__name__}(): {given} and {names[given]} are the same argument")
            kwargs[names[given]] = kwargs.pop(given)
        return f(self, *args, **kwargs)

    return method


def _operator(f: Callable[..., Any], swapped: bool) -> Callable[[MaskedTensor, Any], MaskedTensor]:
    def turned(a: Any, b: Any) -> Any:
        return f(b, a)

    if swapped:
        return lambda self, other: self.map(turned, other)
    return lambda self, other: self.map(f, other)


def _unary(f: Callable[..., Any]) -> Callable[[MaskedTensor], MaskedTensor]:
    return lambda self: self.map(f)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    _of_two = getattr(operator, f"__{_name}__")
    setattr(MaskedTensor, f"__{_name}__", _operator(_of_two, False))
    setattr(MaskedTensor, f"__r{_name}__", _operator(_of_two, True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(MaskedTensor, f"__{_name}__", _operator(getattr(operator, f"__{_name}__"), False))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(MaskedTensor, f"__{_name}__", _unary(getattr(operator, f"__{_name}__")))
for _name in (
    "sum", "prod", "mean", "amin", "amax", "any", "all", "argmin", "argmax", "var", "std", "median", "quantile",
    "cumsum", "cumprod", "count",
):
    setattr(MaskedTensor, _name, _with_numpy_names(getattr(MaskedTensor, _name)))

# The extension's module has the functions only.
vars(masked)["MaskedTensor"] = MaskedTensor
