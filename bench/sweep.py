#!/usr/bin/env python3
"""Sweep: the functions that torch or NumPy also have, at several sizes, beside theirs.

A cell is an expression at a size, with a dtype and a layout, called from Python with its values taken (`.numpy()`),
except for views, which have none of their own.
All libraries run in one process, by turns, on the same memory. `make bench BENCH_ARGS='--parts sweep'` runs it; by
itself, this file measures some cells:

    PYTHONPATH=build/python:bench /usr/bin/python3 bench/sweep.py --sizes 10,1e3 --dtypes f --filter 'sum|mean'
"""

import argparse
import dataclasses
import gc
import importlib
import json
import math
import pathlib
import re
import warnings

import numpy as np

import expressions
import timing

SIZES = [10, 10**3, 10**5, 10**7]
DTYPES = {"f": "float32", "d": "float64", "i": "int64"}
LAYOUTS = ["contiguous", "transposed"]
ROUNDS = 7
LOST = 0.8  # below this share of the best peer's speed, a cell is lost; from here to 1 it may be noise


@dataclasses.dataclass
class Cell:
    text: str
    size: int
    dtype: str
    layout: str
    seconds: dict  # by library

    @property
    def best_peer(self):
        return min((name for name in self.seconds if name != "tamis"), key=self.seconds.get)

    @property
    def ratio(self):
        """The best peer's time over Tamis': above 1, Tamis is the fastest."""
        return self.seconds[self.best_peer] / self.seconds["tamis"]


def matrix_sizes(n):
    rows = 2 if n < 100 else int(math.sqrt(n) * 0.8)
    while n % rows:
        rows -= 1
    return rows, n // rows


def make_arrays(n, dtype, layout):
    """The operands of the expressions, as NumPy arrays."""
    rng = np.random.default_rng(n)
    rows, columns = matrix_sizes(n)
    side = max(2, int(math.sqrt(n)))

    def values(*shape):
        if dtype == "int64":
            return rng.integers(-100, 100, shape)
        return rng.standard_normal(shape, dtype)

    def laid_out(array):
        return array if layout == "contiguous" else np.ascontiguousarray(array.T).T

    x, y = values(rows, columns), values(rows, columns)
    p, q = (np.minimum(np.abs(a), 9).astype(dtype) + np.asarray(1, dtype) for a in (x, y))
    m, o = rng.random((rows, columns)) < 0.5, rng.random((rows, columns)) < 0.5
    matrices = {name: laid_out(a) for name, a in dict(x=x, y=y, p=p, q=q, m=m, o=o).items()}
    return {
        **matrices, "f": x.reshape(-1).copy(), "g": y.reshape(-1).copy(), "k": m.reshape(-1).copy(),
        "i": rng.integers(0, n, n), "j": rng.integers(0, columns, (rows, columns)), "r": rng.integers(0, rows, rows),
        "r_classes": rng.integers(0, columns, rows), "v": np.sort(values(1000)), "s": values(16),
        "A": values(side, side), "B": values(side, side), "d": values(side), "e": values(side),
        "d_row": values(columns), "d_column": values(rows, 1),
        "u": laid_out((rng.random((rows, columns)) * 0.98 + 0.01).astype(dtype)), "w": values(1),
        "c": values(2, max(2, n // 2)), "z": values(max(1, n // 3), 3),
    }  # fmt: skip


def names_of(library, arrays, n):
    rows, columns = matrix_sizes(n)
    names = {"n": n, "a": rows, "b": columns}
    if library == "numpy":
        return {**names, **arrays, "np": np, "rng": np.random.default_rng(0)}
    module = importlib.import_module(library)
    functional = importlib.import_module(f"{library}.nn.functional")
    return {**names, "t": module, "F": functional, **{k: module.from_numpy(a) for k, a in arrays.items()}}


def forced(text, result):
    """The statement that evaluates the text and takes the values of its result."""
    if isinstance(result, (tuple, list)):
        return f"[part.numpy() for part in {text}]"
    return f"({text}).numpy()" if hasattr(result, "numpy") else text


def cases_of(expression, names):
    """One case for each library that can evaluate the expression."""
    cases = []
    for library, known in names.items():
        text = expression.numpy if library == "numpy" else expression.text
        if not text:
            continue
        try:
            result = eval(text, dict(known))  # noqa: S307: the texts are those of expressions.py
        except (TypeError, RuntimeError, ValueError, AttributeError, NotImplementedError) as error:
            if library == "tamis":
                print(f"not in Tamis: {text}: {error}")
                return []
            continue
        statement = text if library == "numpy" or not expression.is_forced else forced(text, result)
        cases.append(timing.Case(library, "python", statement, timing.python_call(statement, known)))
    return cases


def measure(expression, names, cell, rounds):
    cases = cases_of(expression, names)
    if len(cases) < 2 or cases[0].library != "tamis":
        return None
    gc.collect()
    summaries = timing.interleave(cases, rounds, lambda: None)
    return dataclasses.replace(cell, seconds={s["library"]: s["median"] for s in summaries})


def run(sizes=SIZES, dtypes="fdi", layouts=LAYOUTS, pattern="", rounds=ROUNDS):
    """All cells that match."""
    cells = []
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for size in sizes:
        for dtype in dtypes:
            for layout in layouts:
                arrays = make_arrays(size, DTYPES[dtype], layout)
                names = {library: names_of(library, arrays, size) for library in ("tamis", "torch", "numpy")}
                for expression in expressions.EXPRESSIONS:
                    skipped = (
                        dtype not in expression.dtypes
                        or size > expression.largest
                        or (layout != "contiguous" and expression.is_flat)
                        or not re.search(pattern, expression.text)
                    )
                    if skipped:
                        continue
                    cell = measure(expression, names, Cell(expression.text, size, DTYPES[dtype], layout, {}), rounds)
                    if cell:
                        cells.append(cell)
    return cells


def line(cell):
    times = ", ".join(f"{name} {seconds * 1e6:.3g} us" for name, seconds in cell.seconds.items())
    return f"{cell.ratio:6.2f}  {cell.text:32} {cell.size:<9.0e} {cell.dtype:8} {cell.layout:11} {times}"


def summary(cells):
    fastest, lost = sum(cell.ratio >= 1 for cell in cells), sum(cell.ratio < LOST for cell in cells)
    return f"Tamis is the fastest in {fastest} of {len(cells)} cells, and slower than {LOST} times the best in {lost}."


def worst(cells, count=None):
    return sorted((c for c in cells if c.ratio < 1), key=lambda c: c.ratio)[:count]


def missing():
    """Rows of Tamis that torch or NumPy have too and that expressions.py neither calls nor leaves out."""
    import tamis
    import torch

    texts = " ".join(e.text for e in expressions.EXPRESSIONS)
    left_out = " ".join(expressions.LEFT_OUT.values()).split()
    rows = [name for name in dir(tamis) if hasattr(getattr(tamis, name), "__signatures__")]
    shared = [name for name in rows if hasattr(torch, name) or hasattr(np, name)]
    return [name for name in shared if name not in left_out and not re.search(rf"\b{name}\(", texts)]


def as_json(cells):
    return [
        {**dataclasses.asdict(c), "ratio": c.ratio, "best_peer": c.best_peer, "is_lost": bool(c.ratio < LOST)} for c in cells
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="10,1e3,1e5,1e7")
    parser.add_argument("--dtypes", default="fdi", help="of f, d and i: float32, float64 and int64")
    parser.add_argument("--layouts", default=",".join(LAYOUTS))
    parser.add_argument("--filter", default="", help="only expressions that match")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="prints the cells that win, too")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    for name in ("tamis", "torch"):
        importlib.import_module(name).set_num_threads(options.threads)
    absent = missing()
    if absent:
        parser.error(f"expressions.py neither calls nor leaves out: {' '.join(absent)}")
    sizes = [int(float(size)) for size in options.sizes.split(",")]
    cells = run(sizes, options.dtypes, options.layouts.split(","), options.filter, options.rounds)
    for cell in sorted(cells, key=lambda c: c.ratio) if options.all else worst(cells):
        print(line(cell))
    print(summary(cells))
    if options.json:
        options.json.write_text(json.dumps(as_json(cells), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
