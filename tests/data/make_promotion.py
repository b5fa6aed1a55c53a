#!/usr/bin/env python3
"""Writes promotion.txt and op_dtypes.txt beside itself: what PyTorch says about dtypes.

promotion.txt has a line per pair of operands: kind and dtype of the first, kind and dtype of the
second, dtype of the result. Kinds: dim (with dimensions), zero (0-d tensor), number (Python number).
op_dtypes.txt has a line per op and first dtype: the dtypes of the results for every second dtype in
the order below (binary ops) or of the one result (unary ops); "error" where PyTorch refuses.
Run by hand with a Python that has torch; the files are committed.
"""
import pathlib
import warnings

import torch

NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
UNARY = """neg abs sign sqrt rsqrt exp log log2 log10 log1p expm1 sin cos tan tanh sigmoid erf relu
floor ceil round trunc reciprocal square bitwise_not logical_not isnan isinf isfinite asin acos atan sinh cosh
asinh acosh atanh exp2 erfc erfinv lgamma digamma i0 sinc logit sgn positive frac deg2rad rad2deg signbit
isreal""".split()
BINARY = """add sub mul div floor_divide remainder fmod pow minimum maximum eq ne lt le gt ge
bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor atan2 hypot copysign fmax fmin xlogy
float_power heaviside ldexp rsub""".split()


def operands():
    for name in NAMES:
        yield "dim", name, torch.ones(2, dtype=getattr(torch, name))
    for name in NAMES:
        yield "zero", name, torch.ones((), dtype=getattr(torch, name))
    yield "number", "bool", True
    yield "number", "int64", 1
    yield "number", "float64", 1.0
    yield "number", "complex128", 1j


def name_of(dtype):
    # Tamis has no complex32.
    return str(dtype).removeprefix("torch.").replace("complex32", "complex64")


def outcome(function, *args):
    try:
        return name_of(function(*args).dtype)
    except RuntimeError as error:
        # What the CPU build merely lacks is not a rule: half precision computes as bfloat16 does.
        if "not implemented for 'Half'" in str(error) and "bitwise" not in str(error):
            return name_of(torch.float16)
        return "error"


# What torch 1.13 refuses and later ones compute.
LATER = {("log1p", "complex64"), ("log1p", "complex128"), ("expm1", "complex64"), ("expm1", "complex128")}


def main():
    warnings.simplefilter("ignore")
    folder = pathlib.Path(__file__).parent
    lines = [
        f"{kind_a} {a} {kind_b} {b} {name_of(torch.result_type(x, y))}"
        for kind_a, a, x in operands()
        for kind_b, b, y in operands()
    ]
    (folder / "promotion.txt").write_text("\n".join(lines) + "\n")

    ones = [torch.ones(2, dtype=getattr(torch, name)) for name in NAMES]
    lines = []
    for op in UNARY:
        for name, x in zip(NAMES, ones):
            lines.append(f"{op} {name} {name if (op, name) in LATER else outcome(getattr(torch, op), x)}")
    for op in BINARY:
        for name, x in zip(NAMES, ones):
            results = " ".join(outcome(getattr(torch, op), x, y) for y in ones)
            lines.append(f"{op} {name} {results}")
    (folder / "op_dtypes.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
