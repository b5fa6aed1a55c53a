"""The functions of torch.nn.functional that are pointwise, and glu."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F

from cases import DTYPES, FLOATS, pair, plain, seeded, some_shape
from near import near

# Options to try, beside none.
OPTIONS = {
    "gelu": [{"approximate": "tanh"}], "silu": [], "mish": [], "logsigmoid": [], "selu": [], "relu6": [], "hardsigmoid": [],
    "hardswish": [], "softsign": [], "tanhshrink": [], "leaky_relu": [{"negative_slope": 0.3}, {"negative_slope": -2.0}],
    "elu": [{"alpha": 0.3}], "celu": [{"alpha": 0.3}], "softplus": [{"beta": 2.0, "threshold": 1.5}, {"beta": 0.5}],
    "hardtanh": [{"min_val": 0.0, "max_val": 3.0}, {"min_val": -0.5}], "hardshrink": [{"lambd": 2.0}, {"lambd": 0.0}],
    "softshrink": [{"lambd": 2.0}, {"lambd": 0.0}],
}
# By formulas that lose digits where a result is small: torch 1.13's own are as far from float64.
SMALL = {"gelu", "silu", "mish", "logsigmoid", "selu", "elu", "celu", "softplus", "softsign", "tanhshrink", "hardsigmoid",
         "hardswish"}


def function(name, lib, *args, **kwargs):
    return getattr(F if lib is torch else lib, name)(*args, **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPTIONS)
def test_activations(check, op, dtype):
    rng = seeded(op + dtype)
    run = partial(function, op)
    for options in [{}, *OPTIONS[op]]:
        for i in range(4):
            x = pair(dtype, some_shape(rng), rng, "small")
            check(op, x, **options, call=near(run, 4, 1.0) if op in SMALL and dtype in FLOATS else run)
        if dtype in FLOATS:
            limits = plain([0.0, 100.0, -100.0, 1e4, -1e4, float("inf"), -float("inf"), float("nan")], dtype)
            check(op, limits, **options, call=near(run, 4, 1.0))


IN_PLACE = ["celu", "elu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "mish", "relu6", "selu", "silu", "threshold"]


@pytest.mark.parametrize("op", IN_PLACE)
def test_in_place(check, op):
    def run(lib, x, *args):
        y = getattr(F, op)(x, *args, inplace=True) if lib is torch else getattr(x, op + "_")(*args)
        return y, x

    rng = seeded(op + "_")
    for dtype in DTYPES:
        x = pair(dtype, (3, 5), rng, "small", private=True)
        check(op + "_", x, *((0.5, 2.0) if op == "threshold" else ()), call=near(run, 4, 1.0) if dtype in FLOATS else run)


@pytest.mark.parametrize("dtype", DTYPES)
def test_threshold(check, dtype):
    rng = seeded("threshold" + dtype)
    for threshold, value in ((0.5, 2.0), (1, -3), (-1.5, 0.25)):
        if dtype == "uint8" and min(threshold, value) < 0:
            continue
        check("threshold", pair(dtype, some_shape(rng), rng, "any"), threshold, value, call=partial(function, "threshold"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_prelu(check, dtype):
    rng = seeded("prelu" + dtype)
    for shape, count in (((3, 4), 4), ((3, 4), 1), ((2, 3, 2), 3), ((5,), 1), ((), 1), ((3, 4), 3), ((0, 2), 2)):
        x, weight = pair(dtype, shape, rng, "small"), pair(dtype, (count,), rng, "small")
        check("prelu", x, weight)
        check("prelu", x, weight, call=lambda lib, x, w: x.prelu(w))


@pytest.mark.parametrize("dtype", DTYPES)
def test_glu(check, dtype):
    rng = seeded("glu" + dtype)
    for shape, dim in (((3, 4), -1), ((4, 3), 0), ((2, 3, 4), 2), ((3, 3), 1), ((), 0), ((0, 4), 1), ((3, 4), 5)):
        check("glu", pair(dtype, shape, rng, "small"), dim,
              call=near(partial(function, "glu"), 4, 1.0) if dtype in FLOATS else partial(function, "glu"))
