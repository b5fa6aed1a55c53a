"""Line charts as SVG, readable on light and dark pages, the same bytes for the same figures."""

import dataclasses
import html
import math

PANEL_WIDTH, PANEL_HEIGHT = 400, 300
LEFT, TOP, BOTTOM, GAP, LABELS = 64, 64, 56, 44, 104
# After Okabe and Ito: told apart with any colour vision; light page, dark page.
COLOURS = {
    "tamis": ("#d55e00", "#ff8c42"),
    "memcpy": ("#777777", "#9a9a9a"),
    "torch": ("#0072b2", "#56b4e9"),
    "numpy": ("#009e73", "#2cc79b"),
    "xtensor": ("#a5548a", "#d58bbf"),
}


@dataclasses.dataclass
class Line:
    label: str
    colour: str  # a key of COLOURS
    points: list  # (x, y)
    is_dashed: bool = False


@dataclasses.dataclass
class Panel:
    title: str
    lines: list


@dataclasses.dataclass
class Axis:
    title: str
    ticks: list  # (value, text)
    scale: object = math.log10  # a monotone function

    def position(self, value):
        """0 at the first tick, 1 at the last one."""
        low, high = self.scale(self.ticks[0][0]), self.scale(self.ticks[-1][0])
        return (self.scale(value) - low) / (high - low)


def style():
    light = "".join(f".{k}{{stroke:{v[0]}}}.{k}-text{{fill:{v[0]}}}" for k, v in COLOURS.items())
    dark = "".join(f".{k}{{stroke:{v[1]}}}.{k}-text{{fill:{v[1]}}}" for k, v in COLOURS.items())
    return (
        "<style>text{font:13px system-ui,sans-serif;fill:#333}.title{font-size:15px;font-weight:600}"
        ".page{fill:#fff}.grid{stroke:#ddd}.line{fill:none;stroke-width:2}.strong{stroke-width:3}"
        ".dashed{stroke-dasharray:5 4}" + light + "@media (prefers-color-scheme:dark){text{fill:#ddd}"
        ".page{fill:#16181c}.grid{stroke:#3a3d44}" + dark + "}</style>"
    )


def text(x, y, content, anchor="middle", name="", extra=""):
    kind = f' class="{name}"' if name else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}{extra}>{html.escape(content)}</text>'


def draw_axes(left, panel, x_axis, y_axis, is_first):
    out = [text(left + PANEL_WIDTH / 2, TOP - 12, panel.title)]
    bottom = TOP + PANEL_HEIGHT
    for value, label in y_axis.ticks:
        y = bottom - y_axis.position(value) * PANEL_HEIGHT
        out.append(f'<path class="grid" d="M{left} {y:.1f}h{PANEL_WIDTH}"/>')
        if is_first:
            out.append(text(left - 8, y + 4, label, "end"))
    for value, label in x_axis.ticks:
        x = left + x_axis.position(value) * PANEL_WIDTH
        out.append(f'<path class="grid" d="M{x:.1f} {TOP}v{PANEL_HEIGHT}"/>')
        out.append(text(x, bottom + 20, label))
    out.append(text(left + PANEL_WIDTH / 2, bottom + 42, x_axis.title))
    return out


def draw_lines(left, panel, x_axis, y_axis, is_labelled):
    out, labels = [], []
    for line in panel.lines:
        points = [
            (left + x_axis.position(x) * PANEL_WIDTH,
             TOP + PANEL_HEIGHT * (1 - min(1, max(0, y_axis.position(y)))))
            for x, y in line.points
        ]  # fmt: skip
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        names = f"line {line.colour}" + " dashed" * line.is_dashed + " strong" * (line.colour == "tamis")
        out.append(f'<path class="{names}" d="{path}"/>')
        labels.append([points[-1][1], points[-1][0], line])
    if is_labelled:
        labels.sort(key=lambda entry: entry[0])
        for before, entry in zip(labels, labels[1:]):
            entry[0] = max(entry[0], before[0] + 16)
        for y, x, line in labels:
            out.append(text(x + 8, y + 4, line.label, "start", f"{line.colour}-text"))
    return out


def draw(title, panels, x_axis, y_axis):
    """An SVG document with panels side by side that share their axes; labels stand at the last one."""
    width = LEFT + len(panels) * (PANEL_WIDTH + GAP) - GAP + LABELS
    height = TOP + PANEL_HEIGHT + BOTTOM
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{html.escape(title)}</title>",
        style(),
        f'<rect class="page" width="{width}" height="{height}" rx="8"/>',
        text(LEFT, 26, title, "start", "title"),
        text(18, TOP + PANEL_HEIGHT / 2, y_axis.title,
             extra=f' transform="rotate(-90 18 {TOP + PANEL_HEIGHT / 2})"'),
    ]  # fmt: skip
    for number, panel in enumerate(panels):
        left = LEFT + number * (PANEL_WIDTH + GAP)
        out += draw_axes(left, panel, x_axis, y_axis, number == 0)
        out += draw_lines(left, panel, x_axis, y_axis, number == len(panels) - 1)
    return "\n".join(out + ["</svg>", ""])
