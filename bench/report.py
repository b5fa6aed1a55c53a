"""What the benchmark prints and writes: tables in Markdown, charts, and the parts of docs/performance.md."""

import math
import re

import chart

DOCS_HEADER = ["#", "workload", "Tamis (quartiles)", "x memcpy", "x torch", "x best peer", "best peer"]
HEADER = ["#", "workload", "Tamis (quartiles)", "x memcpy / target", "x torch / target",
          "x best peer / target", "best peer", "reached"]  # fmt: skip


def duration(seconds):
    if seconds < 1e-5:
        return f"{seconds * 1e9:.0f} ns"
    if seconds < 1e-4:
        return f"{figure(seconds * 1e6)} us"
    return f"{figure(seconds * 1e3)} ms" if seconds < 1 else f"{seconds:.2f} s"


def figure(value):
    """Two or three digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio_cell(ratio, target):
    if ratio is None:
        return ""
    return figure(ratio) + (f" / {target:g}" if target is not None else "")


def tamis_of(result):
    """The C++ library; from Python, where the row is about that, it is the same plus the cost of a call."""
    own = [s for s in result["cases"] if s["library"] == "tamis"]
    return next((s for s in own if s["front"] == "c++"), own[0])


def table_line(result, with_targets=True):
    tamis = tamis_of(result)
    low, high = tamis["quartiles"]
    text = f"{duration(tamis['median'])} ({duration(low)} - {duration(high)})"
    if with_targets and result["most_seconds"]:
        text += f" / {duration(result['most_seconds'])}"
    targets = result["targets"] if with_targets else [None] * len(result["ratios"])
    line = [result["number"], result["text"], text, *map(ratio_cell, result["ratios"], targets),
            (result["best"] or "").replace("|", "\\|")]  # fmt: skip
    return line + [reached(result)] if with_targets else line


def reached(result):
    """Whether the worst of the row's ratios is what it should be; nearly, if noise may be the difference."""
    return "yes" if result["share"] >= 1 else "nearly" if result["share"] >= 0.8 else "no"


def markdown_line(cells):
    return "| " + " | ".join(cells) + " |"


def markdown_head(header):
    return markdown_line(header) + "\n" + "|" + "---|" * len(header)


def markdown(header, lines):
    return "\n".join([markdown_head(header), *map(markdown_line, lines)])


def results_table(results):
    """For the documentation, which shows results and no targets."""
    return markdown(DOCS_HEADER, (table_line(result, with_targets=False) for result in results))


def memory_table(memory, with_targets=True):
    libraries = [name for name in next(iter(memory.values())) if name != "reached"]
    lines = []
    for operation, figures in memory.items():
        line = [operation, *("" if figures[name] is None else f"{max(figures[name], 0):.2f}" for name in libraries)]
        lines.append(line + ["yes" if figures["reached"] else "no"] if with_targets else line)
    return markdown(["operation", *libraries, *["reached"] * with_targets], lines)


def isa_table(by_isa):
    """One line per row, one column per instruction set: time, and how many times as fast as memcpy."""
    names = list(by_isa)
    lines = []
    for index, first in enumerate(by_isa[names[0]]):
        cells = []
        for name in names:
            result = by_isa[name][index]
            cells.append(f"{duration(tamis_of(result)['median'])} ({figure(result['ratios'][0])})")
        lines.append([first["number"], first["text"], *cells])
    return markdown(["#", "workload", *(f"{name} (x memcpy)" for name in names)], lines)


def cli_table(cases):
    """For each case, `tamis` and NumPy with their defaults, both with a sync, and both without."""
    lines = []
    for c in cases:
        cells = [c["keeps"], "replaced" if c["replaces"] else "new", f"{c['numpy']:.2f} s"]
        cells += [f"{c['tamis_synced']:.2f} s", figure(c["ratio_of_defaults"])]
        cells += [f"{c['numpy_synced']:.2f} s", figure(c["ratio_synced"])]
        lines.append([*cells, f"{c['tamis']:.2f} s", figure(c["ratio"]), f"{c['disk']:.2f} s"])
    return markdown(["kept", "output", "NumPy", "`tamis`", "speed-up", "NumPy + fsync", "speed-up, both synced",
                     "`tamis --no-sync`", "speed-up, neither synced", "disk alone"], lines)  # fmt: skip


def webgpu_table(found, with_targets=True):
    """Times on a GPU, in multiples of the simplest shader that copies as many elements."""
    lines = []
    for row in found["rows"]:
        target = [f"{row['target']:g}" if row["target"] else ""] if with_targets else []
        counts = [str(row[key]) for key in ("dispatches", "submits", "readbacks")]
        lines.append([f"`{row['what']}`", f"{row['ms']:.2f}", f"{row['copies']:.2f}", *target, *counts])
    target = ["at most"] if with_targets else []
    heading = f"{found['numel']} elements on {found['adapter']}"
    return markdown([heading, "ms", "copies", *target, "kernels", "submits", "readbacks"], lines)


def sweep_text(cells):
    """The share of the sweep's cells in which Tamis is the fastest, by size and dtype, and the ten worst."""

    def share(some):
        return f"{sum(c['ratio'] >= 1 for c in some)} of {len(some)}" if some else ""

    dtypes = sorted({c["dtype"] for c in cells})
    lines = []
    for size in sorted({c["size"] for c in cells}):
        of_size = [c for c in cells if c["size"] == size]
        shares = [share([c for c in of_size if c["dtype"] == dtype]) for dtype in dtypes]
        lost = sum(c["is_lost"] for c in of_size)
        lines.append([f"{size:.0e}".replace("e+0", "e"), *shares, share(of_size), str(lost)])
    text = markdown(["elements", *dtypes, "fastest in", "below 0.8"], lines)
    worst = sorted(cells, key=lambda c: c["ratio"])[:10]
    rows = [[f"`{c['text']}`".replace("|", "\\|"), f"{c['size']:.0e}".replace("e+0", "e"), c["dtype"], c["layout"],
             figure(c["ratio"]), c["best_peer"]] for c in worst]  # fmt: skip
    return text + "\n\n" + markdown(["worst cells", "elements", "dtype", "layout", "ratio", "best peer"], rows)


# ---- charts ----------------------------------------------------------------------------------------------


def logit(percent):
    """Spreads both ends of the densities: 0.1 % and 99.9 % are as far from 50 % as each other."""
    return math.log(percent / (100 - percent))


def density_chart(sweep):
    """sweep: {"random": [(percent, {library: times as fast as memcpy})], "runs": ...}"""
    panels = []
    for kind, points in sweep.items():
        lines = [chart.Line("memcpy", "memcpy", [(p, 1) for p, _ in points], is_dashed=True)]
        for name, label in (("tamis", "Tamis"), ("numpy", "NumPy x[m]"), ("torch", "PyTorch"),
                            ("xtensor", "xtensor")):  # fmt: skip
            known = [(p, ratios[name]) for p, ratios in points if name in ratios]
            if known:
                lines.append(chart.Line(label, name, known))
        title = "random masks" if kind == "random" else "masks in runs, period 2048"
        panels.append(chart.Panel(title, lines))
    x_axis = chart.Axis("elements kept, %", [(p, f"{p:g}") for p in (0.1, 1, 10, 50, 90, 99, 99.9)], logit)
    y_axis = chart.Axis("times as fast as memcpy of the input",
                        [(v, f"{v:g}") for v in (0.005, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)])  # fmt: skip
    return chart.draw("masked_select, 10 million float32: speed against memcpy", panels, x_axis, y_axis)


def scaling_chart(scaling):
    """scaling: {threads: [(elements, {"tamis": GB/s, "memcpy": GB/s})]}"""
    panels = []
    for threads, points in scaling.items():
        lines = [
            chart.Line("memcpy", "memcpy", [(n, rates["memcpy"]) for n, rates in points], is_dashed=True),
            chart.Line("Tamis", "tamis", [(n, rates["tamis"]) for n, rates in points]),
        ]
        panels.append(chart.Panel(f"{threads} thread" + "s" * (int(threads) > 1), lines))
    x_axis = chart.Axis("elements", [(10.0**k, f"1e{k}") for k in range(3, 10)])
    y_axis = chart.Axis("GB/s read and written", [(v, f"{v:g}") for v in (2, 5, 10, 20, 50, 100, 200)])
    return chart.draw("masked_select, float32, random 50 %: memory traffic by size", panels, x_axis, y_axis)


# ---- documents -------------------------------------------------------------------------------------------


def replace_part(text, name, content):
    """text with what stands between the marks of that name replaced."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    if begin not in text or end not in text:
        raise ValueError(f"the document has no marks '{begin}' and '{end}'")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    return pattern.sub(lambda _: f"{begin}\n{content}\n{end}", text)
