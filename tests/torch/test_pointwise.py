"""Pointwise functions, methods, in-place forms and operators: every dtype and pair of dtypes, numbers, layouts."""

import operator

import pytest
import torch

from cases import (DTYPES, FLOATS, HALVES, INTS, NUMBERS, DType, Pair, broadcastable, pair, pick, plain, same_in_tamis,
                   seeded, some_shape)

UNARY = ["abs", "bitwise_not", "ceil", "cos", "erf", "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "isneginf",
         "isposinf", "log", "log10", "log1p", "log2", "logical_not", "neg", "reciprocal", "relu", "round", "rsqrt", "sigmoid",
         "sign", "sin", "sqrt", "square", "tan", "tanh", "trunc"]
BINARY = ["add", "bitwise_and", "bitwise_or", "bitwise_xor", "div", "eq", "floor_divide", "fmod", "ge", "gt",
          "le", "logical_and", "logical_or", "logical_xor", "lt", "maximum", "minimum", "mul", "ne", "pow",
          "remainder", "sub"]
NO_IN_PLACE = ["isfinite", "isinf", "isnan", "isneginf", "isposinf", "maximum", "minimum"]
NO_NUMBER = ["logical_and", "logical_or", "logical_xor", "maximum", "minimum"]  # torch takes tensors only
DIVIDES = ["floor_divide", "fmod", "remainder"]
ALIASES = {"absolute": "abs", "clip": "clamp", "divide": "div", "greater": "gt", "greater_equal": "ge",
           "less": "lt", "less_equal": "le", "multiply": "mul", "negative": "neg", "not_equal": "ne",
           "subtract": "sub", "true_divide": "div"}


def kinds(op, dtype_a, dtype_b):
    """Which values the operands have: integers are not divided by zero, nor the smallest one by -1, since
    both end a program. The vector fmod of torch 1.13 gives NaN for huge quotients."""
    whole = dtype_a not in FLOATS and dtype_b not in FLOATS
    if op in DIVIDES:
        if whole:
            return "small", "nonzero"
        return ("moderate" if dtype_a in FLOATS else "small"), ("moderate" if dtype_b in FLOATS else "small")
    if op == "pow" and whole:
        return "any", "positive"
    return "any", "any"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", UNARY)
def test_unary(check, op, dtype):
    rng = seeded(op + dtype)
    kind = "moderate" if op == "log1p" else "any"  # torch 1.13: log1p of the largest float is inf
    for i in range(10):
        check(op, pair(dtype, some_shape(rng), rng, kind))
    check(op, pair(dtype, (3, 4), rng, kind), call=lambda lib, x: getattr(x, op)())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", [op for op in UNARY if op not in NO_IN_PLACE])
def test_unary_in_place(check, op, dtype):
    rng = seeded(op + "_" + dtype)
    for i in range(3):
        x = pair(dtype, some_shape(rng), rng, "moderate" if op == "log1p" else "any", private=True)
        check(op + "_", x, call=lambda lib, x: (getattr(x, op + "_")(), x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", BINARY)
def test_binary(check, op, dtype):
    rng = seeded(op + dtype)
    for other in DTYPES:
        kind_a, kind_b = kinds(op, dtype, other)
        for i in range(3):
            shape = some_shape(rng)
            a = pair(dtype, shape, rng, kind_a)
            b = pair(other, broadcastable(shape, rng), rng, kind_b)
            check(op, a, b)
        check(op, pair(dtype, (), rng, kind_a), pair(other, (2, 3), rng, kind_b))
        check(op, pair(dtype, (3,), rng, kind_a), pair(other, (), rng, kind_b))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", [op for op in BINARY if op not in NO_NUMBER])
def test_binary_with_a_number(check, op, dtype):
    rng = seeded(op + "number" + dtype)
    for number in (True, 2, 3, 1.5, 0.1) + (() if op == "pow" else (-3, -2.5, 0.0, float("inf"), float("nan"))):
        whole = dtype not in FLOATS and not isinstance(number, float)
        kind = ("small" if whole else "moderate") if op in DIVIDES else "any"
        check(op, pair(dtype, some_shape(rng), rng, kind), number)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", [op for op in BINARY if op not in NO_IN_PLACE])
def test_binary_in_place(check, op, dtype):
    rng = seeded(op + "_" + dtype)
    for other in DTYPES:
        kind_a, kind_b = kinds(op, dtype, other)
        x = pair(dtype, (3, 5), rng, kind_a, private=True)
        y = pair(other, pick(rng, [(3, 5), (5,), (3, 1), ()]), rng, kind_b)
        check(op + "_", x, y, call=lambda lib, x, y: (getattr(x, op + "_")(y), x))
    if op not in NO_NUMBER:
        x = pair(dtype, (7,), rng, "small", private=True)
        check(op + "_", x, 2, call=lambda lib, x, y: (getattr(x, op + "_")(y), x))


OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
             "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
             "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le, ">": operator.gt,
             ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
ROW_OF = dict(zip(OPERATORS, ["add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "bitwise_and",
                              "bitwise_or", "bitwise_xor", "lt", "le", "gt", "ge", "eq", "ne"]))


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators(check, symbol):
    f = OPERATORS[symbol]
    row = ROW_OF[symbol]
    rng = seeded(symbol)
    for dtype in DTYPES:
        other = pick(rng, DTYPES)
        kind_a, kind_b = kinds(row, dtype, other)
        a, b = pair(dtype, (4, 3), rng, kind_a), pair(other, (3,), rng, kind_b)
        check(row, a, b, call=lambda lib, x, y: f(x, y))
        for number in (2, 1.5, True):
            check(row, pair(dtype, (5,), rng, "small"), number, call=lambda lib, x, y: f(x, y))
            check(row, number, pair(dtype, (5,), rng, "positive"), call=lambda lib, x, y: f(x, y))


@pytest.mark.parametrize("symbol", ["~", "-", "+", "abs"])
def test_unary_operators(check, symbol):
    f, row = {"~": (operator.invert, "bitwise_not"), "-": (operator.neg, "neg"), "+": (operator.pos, "clone"),
              "abs": (abs, "abs")}[symbol]
    for dtype in DTYPES:
        check(row, pair(dtype, (4, 3), seeded(symbol + dtype)), call=lambda lib, x: f(x))


@pytest.mark.parametrize("op", ["add", "sub"])
def test_alpha(check, op):
    rng = seeded("alpha" + op)
    for dtype in DTYPES:
        for alpha in (1, 2, -3, 0.5, True):
            a, b = pair(dtype, (4, 3), rng, "small"), pair(pick(rng, DTYPES), (3,), rng, "small")
            check(op, a, b, alpha=alpha)
            x, y = pair(dtype, (6,), rng, "small", private=True), pair(dtype, (6,), rng, "small")
            check(op + "_", x, y, alpha=alpha, call=lambda lib, x, y, alpha: (getattr(x, op + "_")(y, alpha=alpha), x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_clamp(check, dtype):
    rng = seeded("clamp" + dtype)
    for low, high in ((-1, 2), (None, 1.5), (0.5, None), (3, -3), (None, None), (True, 2), (0, float("nan"))):
        check("clamp", pair(dtype, some_shape(rng), rng), min=low, max=high)
        x = pair(dtype, (3, 4), rng, private=True)
        check("clamp_", x, low, high, call=lambda lib, x, low, high: (x.clamp_(low, high), x))
    for other in DTYPES:
        low = pair(other, (4,), rng)
        high = pair(pick(rng, DTYPES), pick(rng, [(4,), (3, 1), ()]), rng)
        check("clamp", pair(dtype, (3, 4), rng), low, high)
        check("clamp", pair(dtype, (3, 4), rng), min=low)
        check("clamp", pair(dtype, (3, 4), rng), max=high)


@pytest.mark.parametrize("dtype", DTYPES)
def test_isclose(check, dtype):
    rng = seeded("isclose" + dtype)
    for i in range(12):
        a = pair(dtype, some_shape(rng), rng)
        noise = pick(rng, [0, 1e-9, 1e-6, 1e-3])
        near = a.torch.clone() if dtype not in ("float32", "float64") else a.torch * (1 + noise)
        b = Pair(near, same_in_tamis(near))
        options = dict(rtol=pick(rng, [1e-5, 0.0, 1e-3]), atol=pick(rng, [1e-8, 0.0, 1e-3]),
                       equal_nan=bool(rng.randint(2)))
        check("isclose", a, b, **options)
        check("allclose", a, b, **options)
        check("equal", a, b)
    check("equal", pair(dtype, (3,), rng), pair(dtype, (4,), rng))


def test_result_type(check):
    rng = seeded("result_type")
    for a in DTYPES:
        for b in DTYPES:
            for shape_a, shape_b in (((2,), (2,)), ((), (2,)), ((), ())):
                check("result_type", pair(a, shape_a, rng), pair(b, shape_b, rng))
        for number in (True, 3, 1.5):
            check("result_type", pair(a, (2,), rng), number)
            check("result_type", number, pair(a, (), rng))


CONVERSIONS = {"bool": "bool", "byte": "uint8", "char": "int8", "short": "int16", "int": "int32", "long": "int64",
               "half": "float16", "bfloat16": "bfloat16", "float": "float32", "double": "float64"}


def castable(source, target):
    """Values that the target can hold, where the source is floating point and the target is not."""
    if source not in FLOATS or target not in INTS:
        return "any"
    return "positive" if target == "uint8" else "small"


@pytest.mark.parametrize("source", DTYPES)
def test_conversions(check, source):
    rng = seeded("convert" + source)
    for method, target in CONVERSIONS.items():
        for i in range(3):
            x = pair(source, some_shape(rng), rng, castable(source, target))
            check(method, x, call=lambda lib, x: getattr(x, method)())
            check("to", x, DType(target), call=lambda lib, x, d: x.to(d))
            y = pair(target, (2,), rng)
            check("type_as", x, y, call=lambda lib, x, y: x.type_as(y))
            into = pair(target, x.torch.shape, rng, private=True)
            check("copy_", into, x, call=lambda lib, into, x: (into.copy_(x), into))


@pytest.mark.parametrize("dtype", DTYPES)
def test_fill(check, dtype):
    rng = seeded("fill" + dtype)
    for value in (0, 3, True, 2.5):
        x = pair(dtype, some_shape(rng), rng, private=True)
        check("fill_", x, value, call=lambda lib, x, v: (x.fill_(v), x))
    x = pair(dtype, (2, 3), rng, private=True)
    check("fill_", x, pair("int64", (), rng, "small"), call=lambda lib, x, v: (x.fill_(v), x))
    x = pair(dtype, (2, 3), rng, private=True)
    check("zero_", x, call=lambda lib, x: (x.zero_(), x))
    into = pair(dtype, (2, 3), rng, private=True)
    check("copy_", into, pair(dtype, (3,), rng), call=lambda lib, into, x: (into.copy_(x), into))


def test_aliases_are_the_same(check):
    rng = seeded("aliases")
    for alias, name in ALIASES.items():
        x, y = pair("float32", (3, 4), rng), pair("float32", (4,), rng)
        args = (x,) if name in UNARY else (x, 0, 2) if name == "clamp" else (x, y)
        check(name, *args, call=lambda lib, *a: getattr(lib, alias)(*a))


def test_chains_of_operations(check):
    """Fused expressions: several operations before anything is computed."""
    rng = seeded("chains")
    for i in range(150):
        shape = some_shape(rng)
        x, y = pair(pick(rng, NUMBERS), shape, rng, "small"), pair(pick(rng, NUMBERS), shape, rng, "small")
        steps = [pick(rng, ["add", "mul", "sub", "maximum", "minimum", "gt", "ne", "neg", "abs", "where"])
                 for _ in range(6)]

        def chain(lib, x, y):
            z = x
            for step in steps:
                if step in ("neg", "abs"):
                    z = getattr(lib, step)(z if z.dtype != lib.bool else z.to(lib.int32))
                elif step == "where":
                    z = lib.where(z > 0, z, y)
                elif step == "sub":
                    z = z.to(lib.float32) - y
                else:
                    z = getattr(lib, step)(z, y)
            return z

        halves = {x.dtype, y.dtype} & set(HALVES)
        if not halves:
            check("add", x, y, call=chain)


@pytest.mark.parametrize("dtype", DTYPES)
def test_replacing(check, dtype):
    rng = seeded("replacing" + dtype)
    for i in range(8):
        x = lambda: pair(dtype, some_shape(rng), rng)
        check("nan_to_num", x())
        check("nan_to_num", x(), 1.5)
        check("nan_to_num", x(), nan=2.0, posinf=3.0, neginf=-4.0)
        check("nan_to_num", x(), None, 7)
        check("clamp_min", x(), pick(rng, [1, 0.5, -2]))
        check("clamp_max", x(), pick(rng, [1, 0.5, -2]))
        shape = some_shape(rng)
        other = pick(rng, DTYPES)
        check("clamp_min", pair(dtype, shape, rng), pair(other, broadcastable(shape, rng), rng))
        check("clamp_max", pair(dtype, shape, rng), pair(other, broadcastable(shape, rng), rng))


@pytest.mark.parametrize("mode", ["floor", "trunc", None, "up"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rounded_division(check, dtype, mode):
    rng = seeded(f"rounded {mode} {dtype}")
    like = "floor_divide" if mode == "floor" else "div"  # which is how it rounds halves

    def check_div(x, y):
        check(like, x, y, call=lambda lib, x, y: lib.div(x, y, rounding_mode=mode), counts=["div"])

    for other in DTYPES:
        kind_a, kind_b = kinds("floor_divide", dtype, other)
        shape = some_shape(rng)
        check_div(pair(dtype, shape, rng, kind_a), pair(other, broadcastable(shape, rng), rng, kind_b))
    kind = kinds("floor_divide", dtype, "int64")[0]
    check_div(pair(dtype, some_shape(rng), rng, kind), 3)
    check_div(pair(dtype, some_shape(rng), rng, kind), -2.5)
    x = pair(dtype, (2, 3), rng, kind, private=True)
    check("div_", x, 3, call=lambda lib, x, y: (x.div_(y, rounding_mode=mode), x)[1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_round_to_decimals(check, dtype):
    rng = seeded("decimals" + dtype)
    # Of integers torch 1.13 takes no decimals, not even 0.
    for decimals in (1, 2, 3, -1, -2, 5, 12, -12, 40, -40) + (0,) * (dtype in FLOATS):
        kind = pick(rng, ["small", "moderate", "any"])
        check("round", pair(dtype, some_shape(rng), rng, kind), decimals=decimals)
        check("round", pair(dtype, (3, 4), rng, kind), decimals=decimals, call=lambda lib, x, **k: x.t().round(**k))
    check("round", pair(dtype, (5,), rng, "small"), 1)  # only by its name
    check("round", pair(dtype, (5,), rng, "small"), decimals=1.0)


def test_round_of_all_halves(check):
    """Each step is rounded to bfloat16, as in PyTorch; of float16 torch 1.13 has none."""
    every = torch.arange(-(2**15), 2**15).to(torch.int16).view(torch.bfloat16)
    every = every[torch.isfinite(every)]
    for decimals in (1, 2, -1):
        check("round", Pair(every, same_in_tamis(every)), decimals=decimals)


def test_powers_of_numbers_that_do_not_fit(check):
    """300 ** x refuses what pow(300, x) wraps around, as in PyTorch."""
    for dtype in INTS:
        x = plain([0, 1, 2], dtype)
        for base in (2, 300, -1, -300, 2**40):
            check("pow", base, x, call=lambda lib, base, x: base**x)
            check("pow", base, x)
    check("pow", 300, plain([0.5, 1], "float16"), call=lambda lib, base, x: base**x, ulps=4)
