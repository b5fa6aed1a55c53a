"""finfo and iinfo: the limits of the dtypes, under the names that PyTorch and the array API standard have for them."""

from typing import NamedTuple, Union

from tamis import _tamis
from tamis._tamis import Tensor, dtype as _dtype

# The bits of the fraction and the largest exponent.
_FORMATS = {
    _tamis.float16: (10, 15),
    _tamis.bfloat16: (7, 127),
    _tamis.float32: (23, 127),
    _tamis.float64: (52, 1023),
}


class finfo_object(NamedTuple):
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: _dtype

    @property
    def tiny(self) -> float:
        """smallest_normal under PyTorch's other name."""
        return self.smallest_normal


class iinfo_object(NamedTuple):
    bits: int
    max: int
    min: int
    dtype: _dtype


def finfo(type: Union[_dtype, Tensor, None] = None, /) -> finfo_object:
    """The limits of a floating point dtype, or of a tensor's; of a complex one, those of its parts. Default: float32."""
    d = type.dtype if isinstance(type, Tensor) else _tamis.float32 if type is None else _dtype(type)
    d = {_tamis.complex64: _tamis.float32, _tamis.complex128: _tamis.float64}.get(d, d)
    if d not in _FORMATS:
        raise TypeError(f"finfo() requires a floating point dtype, but got {d}; use iinfo()")
    digits, exponent = _FORMATS[d]
    largest = (2 - 2.0**-digits) * 2.0**exponent
    return finfo_object(d.itemsize * 8, 2.0**-digits, largest, -largest, 2.0 ** (1 - exponent), d)


def iinfo(type: Union[_dtype, Tensor], /) -> iinfo_object:
    """The limits of an integer dtype, or of a tensor's."""
    d = type.dtype if isinstance(type, Tensor) else _dtype(type)
    if d.is_floating_point or d.is_complex or d == _tamis.bool:
        raise TypeError(f"iinfo() requires an integer dtype, but got {d}; use finfo()")
    bits = d.itemsize * 8
    if not d.is_signed:
        return iinfo_object(bits, 2**bits - 1, 0, d)
    return iinfo_object(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), d)
