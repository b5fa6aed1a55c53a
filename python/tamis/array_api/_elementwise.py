"""Elementwise functions of the standard: PyTorch's, with the standard's promotion and special values."""

from typing import Any, Callable, Optional

from tamis import _tamis
from tamis._limits import iinfo
from tamis._tamis import Tensor
from tamis.array_api._dtypes import Operand, as_tensor, promoted

Unary = Callable[[Tensor], Tensor]
Binary = Callable[[Operand, Operand], Tensor]


def _describe(function: Any, name: str, row: Any) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = row.__signatures__[0]["summary"]


def _unary(name: str, row: Any) -> Unary:
    def function(x: Tensor, /) -> Tensor:
        result: Tensor = row(as_tensor(x))
        return result

    _describe(function, name, row)
    return function


def _binary(name: str, row: Any) -> Binary:
    def function(x1: Operand, x2: Operand, /) -> Tensor:
        result: Tensor = row(*promoted(x1, x2))
        return result

    _describe(function, name, row)
    return function


abs = _unary("abs", _tamis.abs)
acos = _unary("acos", _tamis.acos)
acosh = _unary("acosh", _tamis.acosh)
asin = _unary("asin", _tamis.asin)
asinh = _unary("asinh", _tamis.asinh)
atan = _unary("atan", _tamis.atan)
atanh = _unary("atanh", _tamis.atanh)
bitwise_invert = _unary("bitwise_invert", _tamis.bitwise_not)
ceil = _unary("ceil", _tamis.ceil)
conj = _unary("conj", _tamis.conj)
cos = _unary("cos", _tamis.cos)
cosh = _unary("cosh", _tamis.cosh)
exp = _unary("exp", _tamis.exp)
expm1 = _unary("expm1", _tamis.expm1)
floor = _unary("floor", _tamis.floor)
imag = _unary("imag", _tamis.imag)
isfinite = _unary("isfinite", _tamis.isfinite)
isinf = _unary("isinf", _tamis.isinf)
isnan = _unary("isnan", _tamis.isnan)
log = _unary("log", _tamis.log)
log1p = _unary("log1p", _tamis.log1p)
log2 = _unary("log2", _tamis.log2)
log10 = _unary("log10", _tamis.log10)
logical_not = _unary("logical_not", _tamis.logical_not)
negative = _unary("negative", _tamis.neg)
positive = _unary("positive", _tamis.positive)
real = _unary("real", _tamis.real)
reciprocal = _unary("reciprocal", _tamis.reciprocal)
signbit = _unary("signbit", _tamis.signbit)
sin = _unary("sin", _tamis.sin)
sinh = _unary("sinh", _tamis.sinh)
sqrt = _unary("sqrt", _tamis.sqrt)
square = _unary("square", _tamis.square)
tan = _unary("tan", _tamis.tan)
tanh = _unary("tanh", _tamis.tanh)
trunc = _unary("trunc", _tamis.trunc)

add = _binary("add", _tamis.add)
atan2 = _binary("atan2", _tamis.atan2)
bitwise_and = _binary("bitwise_and", _tamis.bitwise_and)
bitwise_left_shift = _binary("bitwise_left_shift", _tamis.bitwise_left_shift)
bitwise_or = _binary("bitwise_or", _tamis.bitwise_or)
bitwise_right_shift = _binary("bitwise_right_shift", _tamis.bitwise_right_shift)
bitwise_xor = _binary("bitwise_xor", _tamis.bitwise_xor)
copysign = _binary("copysign", _tamis.copysign)
divide = _binary("divide", _tamis.div)
equal = _binary("equal", _tamis.eq)
greater = _binary("greater", _tamis.gt)
greater_equal = _binary("greater_equal", _tamis.ge)
hypot = _binary("hypot", _tamis.hypot)
less = _binary("less", _tamis.lt)
less_equal = _binary("less_equal", _tamis.le)
logaddexp = _binary("logaddexp", _tamis.logaddexp)
logical_and = _binary("logical_and", _tamis.logical_and)
logical_or = _binary("logical_or", _tamis.logical_or)
logical_xor = _binary("logical_xor", _tamis.logical_xor)
maximum = _binary("maximum", _tamis.maximum)
minimum = _binary("minimum", _tamis.minimum)
multiply = _binary("multiply", _tamis.mul)
nextafter = _binary("nextafter", _tamis.nextafter)
not_equal = _binary("not_equal", _tamis.ne)
pow = _binary("pow", _tamis.pow)
subtract = _binary("subtract", _tamis.sub)


def floor_divide(x1: Operand, x2: Operand, /) -> Tensor:
    """The quotient rounded towards minus infinity. An infinity divided by a finite number stays infinite, and a finite
    number divided by an infinity is a zero."""
    a, b = promoted(x1, x2)
    result = _tamis.floor_divide(a, b)
    if result.dtype.kind != "f":
        return result
    # There PyTorch has NaN and -1, as Python has; the standard prefers floor(a / b), which is a / b there.
    infinite = _tamis.isinf(as_like(a, result)) | _tamis.isinf(as_like(b, result))
    return _tamis.where(infinite, _tamis.div(a, b), result)


def remainder(x1: Operand, x2: Operand, /) -> Tensor:
    """What a division leaves, with the sign of the divisor; zeros have it too."""
    a, b = promoted(x1, x2)
    result = _tamis.remainder(a, b)
    if result.dtype.kind != "f":
        return result
    return _tamis.where(result == 0, _tamis.copysign(result, b), result)


def as_like(x: Any, like: Tensor) -> Tensor:
    """An operand, which may be a number, as an array."""
    return x if isinstance(x, Tensor) else _tamis.full((), x, dtype=like.dtype, device=like.device)


def round(x: Tensor, /) -> Tensor:
    """The nearest integer, of two the even one. Complex numbers are rounded part by part."""
    if x.dtype.is_complex:
        return _tamis.view_as_complex(_tamis.round(_tamis.view_as_real(x)))
    return _tamis.round(x)


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1 by the sign, and NaN where x is; of complex numbers, x / abs(x)."""
    if x.dtype.is_complex:
        return _tamis.sgn(x)
    # PyTorch has 0 for NaN.
    return _tamis.where(_tamis.isnan(x), x, _tamis.sign(x)) if x.dtype.is_floating_point else _tamis.sign(x)


def _bound(x: Tensor, bound: Any, row: Any) -> Any:
    """A bound of clip as the function row takes it; None if it is a number that all of x's dtype keep to."""
    if isinstance(bound, int) and not isinstance(bound, bool) and x.dtype.kind in "iu":
        limits = iinfo(x.dtype)
        if not limits.min <= bound <= limits.max:
            if (bound > limits.max) == (row is _tamis.minimum):
                return None
            raise OverflowError(f"clip: {bound} is out of range for {x.dtype}")
    return bound


def clip(x: Tensor, /, min: Optional[Operand] = None, max: Optional[Operand] = None) -> Tensor:
    """Each element limited to the range from min to max, in x's dtype; NaN where x or a bound is."""
    result = x
    for bound, row in ((min, _tamis.maximum), (max, _tamis.minimum)):
        limit = None if bound is None else _bound(x, bound, row)
        if limit is not None:
            result = row(*promoted(result, limit))
    return x.clone() if result is x else result.to(x.dtype)
