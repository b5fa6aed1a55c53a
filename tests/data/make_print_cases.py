"""Writes print_cases.txt: how PyTorch prints tensors that print_test.cpp builds again from a short description.

Run with a Python that has torch: python3 make_print_cases.py. A case is a line "dtype shape kind numbers..." and
the lines of PyTorch's text, each after "> " (">" if empty). Shapes are sizes with commas, "-" for 0-d. Kinds:
  cycle v0 v1 ...    element i is v[i % len(v)]
  ramp start step    start + i * step
  noise seed scale   ((i * 2654435761 + seed) % 2^32 / 2^32 - 0.5) * scale
Of complex dtypes the elements are parts: real, imaginary, real, ...
"""

import itertools
import pathlib

import torch

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTS = ["uint8", "int8", "int16", "int32", "int64"]
COMPLEX = ["complex64", "complex128"]
ALL = ["bool"] + INTS + FLOATS + COMPLEX

NAN, INF = float("nan"), float("inf")


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def elements(kind, numbers, n):
    if kind == "cycle":
        return [numbers[i % len(numbers)] for i in range(n)]
    if kind == "ramp":
        return [numbers[0] + i * numbers[1] for i in range(n)]
    seed, scale = numbers
    return [((i * 2654435761 + seed) % 2**32 / 2.0**32 - 0.5) * scale for i in range(n)]


def build(dtype, shape, kind, numbers):
    torch_dtype = getattr(torch, dtype)
    if torch_dtype.is_complex:
        parts = torch.tensor(elements(kind, numbers, 2 * count(shape)), dtype=torch.float64)
        return torch.view_as_complex(parts.reshape((*shape, 2))).to(torch_dtype)
    wide = torch.float64 if torch_dtype.is_floating_point else torch.int64
    return torch.tensor(elements(kind, numbers, count(shape)), dtype=wide).reshape(shape).to(torch_dtype)


def cases():
    # Every dtype in every arrangement of sizes.
    shapes = [(), (1,), (0,), (5,), (40,), (2, 3), (1, 1), (0, 3), (3, 0), (2, 3, 4), (2, 1, 2, 2), (1001,), (30, 40)]
    for dtype, shape in itertools.product(ALL, shapes):
        if dtype == "bool":
            yield dtype, shape, "cycle", [1, 0, 0, 1, 1]
        elif dtype in INTS:
            yield dtype, shape, "ramp", [0 if dtype == "uint8" else -3, 1]
        else:
            yield dtype, shape, "noise", [12345, 4.0]
    # Bool columns are as wide as their widest word.
    for shape in [(), (3,), (2, 2), (1200,), (40,)]:
        yield "bool", shape, "cycle", [1]
        yield "bool", shape, "cycle", [0]
    # Integers at their ends.
    yield "int64", (3,), "cycle", [-(2**63), 2**63 - 1, 0]
    yield "int64", (7,), "cycle", [-(2**63), 2**63 - 1, 0]
    yield "int32", (4,), "cycle", [-(2**31), 2**31 - 1]
    yield "int16", (4,), "cycle", [-(2**15), 2**15 - 1]
    yield "int8", (25,), "cycle", [-128, 127, 5]
    yield "uint8", (25,), "cycle", [255, 7]
    for width in [1, 10, 100, 12345, -12345]:
        yield "int64", (50,), "cycle", [width]
    # Floating point: integral, fractions, magnitudes that switch to the scientific form, and what is not finite.
    lists = [
        [0.0], [-0.0], [1.0], [-1.0], [10.0, 40.0, 160.0], [0.5], [0.1, 0.2, 0.3], [-0.25, 3.0], [1e-5], [1e-4],
        [9.9e-5], [99999999.0], [1e8], [100000001.0], [1e8, 0.5], [1.0, 1000.0], [1.0, 1001.0], [1.0, 999.5],
        [0.5, 500.0], [0.5, 501.0], [0.001, 1.0], [0.00099, 1.0], [NAN], [INF], [-INF], [NAN, INF, -INF],
        [NAN, 1.0], [INF, 2.0, -INF], [NAN, 1.5, INF], [0.0, NAN], [0.0, 0.5, -INF], [1e5, NAN, 1.0],
        [1e30, -1e-30, 0.0, INF], [12345.678, 0.0], [0.99999], [0.99995], [0.00005, 1e-3], [2.5, -3.5],
        [1.00005, 2.0], [16777216.0, 1.0], [-1000.0, 1.0], [3e38, 1.0], [1e-45, 0.0], [123456.0], [123456.5],
        [-0.0, 1.0], [-0.0, 0.5], [100.0, -100.0, 7.0],
    ]
    for numbers in lists:
        yield "float32", (len(numbers),), "cycle", numbers
        yield "float64", (2, 7), "cycle", numbers
        yield "float32", (), "cycle", numbers
        yield "complex64", (len(numbers) + 1,), "cycle", numbers
        yield "complex128", (2, 7), "cycle", [1.0] + numbers
        yield "complex64", (), "cycle", numbers
    for numbers in [[1e300, 1.0], [1e-300], [1e100, 1e-100, -1e200], [5e-324]]:
        yield "float64", (6,), "cycle", numbers
    for dtype in ["float16", "bfloat16"]:
        for numbers in [[65504.0, 1.0], [0.1, 0.2], [1.0, 2.0], [NAN, INF, 0.0], [6e-8], [1e-3, 2.0]]:
            yield dtype, (5,), "cycle", numbers
    # Line breaks: widths that just fit and just do not, and indents that grow with the rank.
    for n in range(6, 13):
        yield "float32", (n,), "noise", [n, 2.0]
        yield "float64", (n,), "cycle", [1e10, 2.5]
        yield "complex64", (n,), "noise", [n, 2.0]
        yield "complex128", (n,), "cycle", [1e10, 2.5, -1.0]
        yield "int32", (2 * n,), "ramp", [100, 1]
    for shape in [(2, 12), (1, 1, 9), (1, 1, 1, 1, 1, 9), (2, 2, 10), (1,) * 12 + (20,)]:
        yield "float32", shape, "noise", [7, 2.0]
        yield "int16", shape, "ramp", [-10, 997]
    # Suffixes that fall behind the line's end.
    for n in range(1, 30):
        yield "int32", (n,), "cycle", [7]
        yield "float16", (n,), "cycle", [0.5]
        yield "complex128", (n,), "cycle", [0.5, -2.0]
    yield "float64", (0, 3, 5), "cycle", [1.0]
    yield "int64", (100000, 0, 100000, 10000, 10, 10, 1, 1, 1, 1, 1, 1, 1), "cycle", [1]
    yield "float16", (100000, 0, 100000, 10000, 10, 10, 1, 1, 1, 1, 1, 1, 1), "cycle", [1.0]
    # Summaries: which dimensions are cut, what the shown elements alone decide.
    for shape in [(1000,), (1001,), (7, 150), (6, 200), (2, 501), (501, 2), (11, 10, 10), (10, 10, 10), (3, 3, 200),
                  (200, 3, 3), (2, 2, 2, 300), (7, 7, 7, 7), (1, 2000), (2000, 1), (1, 1, 1100), (5, 6, 7, 8)]:
        yield "int64", shape, "ramp", [0, 1]
        yield "float32", shape, "ramp", [-1.0, 0.25]
        yield "complex64", shape, "ramp", [-1.0, 0.25]
        yield "bool", shape, "cycle", [1, 0, 1]
    yield "float64", (1500,), "ramp", [1.0, 1.0]
    yield "float32", (5000,), "noise", [3, 1e-3]
    yield "float32", (40, 40), "noise", [3, 1e6]


def main():
    lines = []
    total = 0
    for dtype, shape, kind, numbers in cases():
        sizes = ",".join(map(str, shape)) or "-"
        lines.append(" ".join([dtype, sizes, kind] + [repr(v) for v in numbers]))
        lines += [("> " + line).rstrip() for line in str(build(dtype, shape, kind, numbers)).split("\n")]
        total += 1
    path = pathlib.Path(__file__).with_name("print_cases.txt")
    path.write_text("\n".join(lines) + "\n")
    print(f"{total} cases in {path.name}")


if __name__ == "__main__":
    main()
