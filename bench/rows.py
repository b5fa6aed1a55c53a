"""The workloads: what is measured on which data, how each library says it, and the ratios to reach."""

import dataclasses
import functools

import numpy as np

# Statements of Python, by library; the first one of torch is what Tamis' call is named after, the others
# are faster ways to say the same, if any. The C++ peers know the operations by name.
OPERATIONS = {
    "masked_select": {
        "tamis": ["tamis.masked_select(x, mask)"],
        "torch": ["torch.masked_select(x, mask)", "x[mask]"],
        "numpy": ["x[mask]"],
    },
    "sweep": {"numpy": ["x[mask]"]},
    "masked_select_fresh": {
        "torch": ["torch.masked_select(x, mask)", "x[mask]"],
        "numpy": ["x[mask]"],
    },
    "masked_select_rows": {
        "tamis": ["tamis.masked_select(x, mask)"],
        "torch": ["torch.masked_select(x, mask)", "x[mask[:, 0]]"],
        "numpy": ["x[mask[:, 0]]"],
    },
    "masked_select_columns": {
        "tamis": ["tamis.masked_select(x, mask)"],
        "torch": ["torch.masked_select(x, mask)", "x[:, mask[0]]"],
        "numpy": ["x[:, mask[0]]"],
    },
    "assign": {
        "tamis": ["x[mask] = 0"],
        "torch": ["x[mask] = 0", "x.masked_fill_(mask, 0)"],
        "numpy": ["x[mask] = 0", "numpy.putmask(x, mask, 0)"],
    },
    "masked_fill": {
        "tamis": ["tamis.masked_fill(x, mask, 0).settle()"],
        "torch": ["torch.masked_fill(x, mask, 0)"],
        "numpy": ["numpy.where(mask, numpy.float32(0), x)"],
    },
    "where": {
        "tamis": ["tamis.where(mask, x, other).settle()"],
        "torch": ["torch.where(mask, x, other)"],
        "numpy": ["numpy.where(mask, x, other)"],
    },
    "nonzero": {
        "tamis": ["tamis.nonzero(mask)"],
        "torch": ["torch.nonzero(mask)"],
        "numpy": ["numpy.nonzero(mask)"],
    },
    "masked_sum": {
        "tamis": ["tamis.masked.sum(x, mask=mask).item()"],
        "torch": ["x[mask].sum().item()", "torch.where(mask, x, 0).sum().item()"],
        "numpy": ["x[mask].sum()", "(x * mask).sum()", "x.sum(where=mask)"],
    },
    "select_between": {
        "tamis": ["x[(x >= lo) & (x <= hi)]"],
        "torch": ["x[(x >= lo) & (x <= hi)]"],
        "numpy": ["x[(x >= lo) & (x <= hi)]"],
    },
    "sum_between": {
        "tamis": ["tamis.masked.sum(x, mask=(x >= lo) & (x <= hi)).item()"],
        "torch": [
            "x[(x >= lo) & (x <= hi)].sum().item()",
            "torch.where((x >= lo) & (x <= hi), x, 0).sum().item()",
        ],
        "numpy": ["x[(x >= lo) & (x <= hi)].sum()"],
    },
    "masked_softmax": {
        "tamis": ["tamis.masked.softmax(x, -1, mask=mask).settle()"],
        "torch": ["torch.softmax(x.masked_fill(~mask, -torch.inf), -1)"],
    },
    "length_mask": {
        "torch": ["torch.arange(int(columns)) < lengths[:, None]"],
        "numpy": ["numpy.arange(int(columns)) < lengths[:, None]"],
    },
    "masked_scatter": {
        "tamis": ["tamis.masked_scatter(x, mask, source).settle()"],
        "torch": ["torch.masked_scatter(x, mask, source)"],
        "numpy": ["y = x.copy(); numpy.place(y, mask, source)"],
    },
    "masked_select_backward": {},
    "isin": {
        "tamis": ["tamis.isin(x, values).settle()"],
        "torch": ["torch.isin(x, values)"],
        "numpy": ["numpy.isin(x, values)"],
    },
    "kthvalue": {
        "tamis": ["tamis.kthvalue(x, int(k))"],
        "torch": ["torch.kthvalue(x, int(k))"],
        "numpy": ["numpy.partition(x, int(k) - 1)[int(k) - 1]"],
    },
}  # fmt: skip


# ---- data ------------------------------------------------------------------------------------------------


def buffer(shape, dtype):
    """An array that begins 64-byte aligned, at another offset in its page than the one before."""
    buffer.turn = (getattr(buffer, "turn", 0) + 1) % 8
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 4096, np.uint8)
    offset = -raw.ctypes.data % 64 + 256 * buffer.turn
    return raw[offset : offset + size].view(dtype).reshape(shape)


def laid_out(values):
    out = buffer(values.shape, values.dtype)
    out[...] = values
    return out


def random(seed=1):
    return np.random.default_rng(seed)


def repeated(shape, dtype, make):
    """make(n) as often as needed: beyond 1e8 elements others would take minutes and show nothing new."""
    out = buffer(shape, dtype)
    flat = out.reshape(-1)
    part = make(min(flat.size, 10**8))
    for begin in range(0, flat.size, part.size):
        piece = flat[begin : begin + part.size]
        piece[...] = part[: piece.size]
    return out


def normal(*shape, dtype=np.float32):
    scale = 50 if np.issubdtype(dtype, np.integer) else 1
    return repeated(shape, dtype, lambda n: (random().standard_normal(n, np.float32) * scale).astype(dtype))


def random_mask(*shape, density=0.5):
    return repeated(shape, np.bool_, lambda n: random(2).random(n, np.float32) < density)


def run_mask(n, density=0.5, period=2048):
    """Runs of trues and falses with exponentially distributed lengths."""
    draw = random(3)
    count = 2 * (n // period + 100)
    lengths = np.empty(2 * count, np.int64)
    lengths[0::2] = np.ceil(draw.exponential(period * density, count))
    lengths[1::2] = np.ceil(draw.exponential(period * (1 - density), count))
    return laid_out(np.repeat(np.arange(2 * count) % 2 == 0, lengths)[:n])


def one(value, dtype):
    return laid_out(np.array([value], dtype))


# ---- rows ------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Row:
    number: str
    text: str
    operation: str  # as the C++ peers know it
    data: object  # () -> arrays by name
    targets: tuple = (None, None, None)  # how many times as fast as memcpy, torch, the best peer
    threads: int = 0  # 0: as many as the run has
    statements: str = ""  # the key in OPERATIONS, if it is another one
    front: str = ""  # c++ or python; empty: both
    most_seconds: float = 0  # what a call may take, where that is a target
    alone: bool = False  # without the other libraries, which may need far more memory

    def python(self):
        return OPERATIONS[self.statements or self.operation]


def select(n, mask=random_mask, dtype=np.float32, **options):
    return lambda: {"x": normal(n, dtype=dtype), "mask": mask(n, **options)}


def with_array(base, name, make):
    return lambda: {**base(), name: make()}


def bounded(n):
    # The 5 % and 95 % quantiles of the normal distribution.
    return lambda: {"x": normal(n), "lo": one(-1.6449, np.float32), "hi": one(1.6449, np.float32)}


def members(n, count, span):
    """Integers of which about a tenth are among the values, if the span does not make them more."""

    def make():
        draw = random()
        values = draw.integers(0, span, count)
        x = draw.integers(0, span, n)
        hits = draw.random(n, np.float32) < 0.1
        x[hits] = values[draw.integers(0, count, int(hits.sum()))]
        return {"x": laid_out(x), "values": laid_out(values)}

    return make


def rows(quick=False):
    """The table. Targets are for the full size, so a quick run only shows ratios."""
    n = 10**6 if quick else 10**7
    big = 10**7 if quick else 10**8
    r, c = (256, 4096) if quick else (2560, 4096)
    side = 1024 if quick else 4096
    half = select(n)
    square = {"x": functools.partial(normal, side, side)}
    table = [
        Row("1", "masked_select f32, random 50 %", "masked_select", half, (0.72, 45, 22)),
        Row("2", "the same on 1 thread", "masked_select", half, (0.75, 20, 12), threads=1),
        Row("3", "masked_select f32, random 1 %", "masked_select", select(n, density=0.01), (1.2, 65, 4)),
        Row("4", "masked_select f32, random 90 %", "masked_select", select(n, density=0.9), (0.62, 40, 9)),
        Row("5", "masked_select f32, runs, 50 %", "masked_select", select(n, run_mask), (0.76, 40, 2.9)),
        Row("6", f"masked_select f32, random 50 %, {big:.0e} elements", "masked_select", select(big),
            (0.73, 42, 22)),
        Row("7", "the same, fresh memory for each result", "masked_select_fresh", select(big), (0.36, 20, 10)),
        Row("8", "masked_select f32, random 50 %, 1e5 elements, 1 thread", "masked_select", select(10**5),
            (0.70, 30, 25), threads=1),
        Row("9a", "masked_select i64, random 50 %", "masked_select", select(n, dtype=np.int64), (0.77, 25, 12)),
        Row("9b", "masked_select f64, random 50 %", "masked_select", select(n, dtype=np.float64),
            (0.77, 25, 12)),
        Row("10", "masked_select u8, random 50 %", "masked_select", select(n, dtype=np.uint8), (0.58, 100, 50)),
        Row("11", f"masked_select, mask [R, 1] over [{r}, {c}]", "masked_select",
            lambda: {"x": normal(r, c), "mask": random_mask(r, 1)}, (1.25, 70, 1.25),
            statements="masked_select_rows"),
        Row("12", f"masked_select, mask [1, C] over [{r}, {c}]", "masked_select",
            lambda: {"x": normal(r, c), "mask": random_mask(1, c)}, (0.80, 45, 3.5),
            statements="masked_select_columns"),
        Row("13", f"masked_select, transposed [{r}, {c}], contiguous mask", "masked_select",
            lambda: {"x": normal(r, c).T, "mask": random_mask(c, r)}, (0.19, 22, 9)),
        Row("14", "x[m] = 0, random 50 %", "assign", half, (0.65, 11, 8)),
        Row("15", "masked_fill, random 50 %", "masked_fill", half, (0.65, 14, 14)),
        Row("15f", "the same, fresh memory for each result", "masked_fill_fresh", half, (0.27, 6, 6),
            statements="masked_fill"),
        Row("16", "where(m, a, b), random 50 %", "where", with_array(half, "other", lambda: normal(n)),
            (0.42, 9, 5)),
        Row("16f", "the same, fresh memory for each result", "where_fresh",
            with_array(half, "other", lambda: normal(n)), (0.22, 5, 5), statements="where"),
        Row("17", "nonzero, random 50 %", "nonzero", half, (0.67, 22, 4.5)),
        Row("18", "masked sum, random 50 %", "masked_sum", half, (0.75, 29, 5)),
        Row("19", "x[(x >= q05) & (x <= q95)]", "select_between", bounded(n), (0.62, 28, 11)),
        Row("20", "sum of x where q05 <= x <= q95", "sum_between", bounded(n), (0.84, 40, 16)),
        Row("21", f"masked softmax [{side}, {side}]", "masked_softmax",
            lambda: {"x": square["x"](), "mask": random_mask(side, side)}, (0.50, 12, 12)),
        Row("22", f"length mask [{side}, {side}]", "length_mask",
            lambda: {"x": square["x"](), "lengths": laid_out(random().integers(0, side + 1, side)),
                     "columns": one(side, np.int64)}, (4.5, 20, 14)),
        Row("23", "masked_scatter, random 50 %", "masked_scatter",
            with_array(half, "source", lambda: normal(n)), (0.48, 16, 16)),
        Row("24", "backward of masked_select, random 50 %", "masked_select_backward", half, (0.82, 28, 28)),
        Row("25a", "isin i64, 1e5 values below 1e6", "isin", members(n, 10**5, 10**6), (0.40, 170, 13)),
        Row("25b", "isin i64, 1e5 values of 62 bits", "isin", members(n, 10**5, 2**62), (0.10, 180, 70)),
        Row("26a", "isin i64, 100 values below 1e6", "isin", members(n, 100, 10**6), (0.40, 30, 11)),
        Row("26b", "isin i64, 100 values of 62 bits", "isin", members(n, 100, 2**62), (0.20, 10, 10)),
        Row("27", "kthvalue(n / 2), value and index", "kthvalue",
            lambda: {"x": normal(n), "k": one(n // 2, np.int64)}, (0.26, 20, 10)),
    ]  # fmt: skip
    for letter, size, ratio, nanoseconds in (("a", 10, 50, 150), ("b", 100, 40, 180), ("c", 1000, 23, 450)):
        table.append(Row("28" + letter, f"masked_select of {size} elements, C++", "masked_select", select(size),
                         (None, ratio, None), front="c++", most_seconds=nanoseconds * 1e-9))  # fmt: skip
    for letter, size in (("a", 10), ("b", 100), ("c", 1000)):
        table.append(Row("30" + letter, f"masked_select of {size} elements, Python", "masked_select",
                         select(size), (None, 10, 1), front="python"))  # fmt: skip
    return table
