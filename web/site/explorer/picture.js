// The picture of a mask: cells with their shares, axes, and what the pointer is over.

import { grouped, niceStep, percentage } from "./numbers.js";

// Dark blue over green to yellow: rising in lightness, and told apart by the colour-blind (viridis).
const scale = [
  "#440154",
  "#482878",
  "#3e4a89",
  "#31688e",
  "#26828e",
  "#1f9e89",
  "#35b779",
  "#6dcd59",
  "#b4de2c",
  "#fde725",
];
const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const mix = (a, b, t) => a.map((v, i) => Math.round(v + (b[i] - v) * t));

function onScale(t) {
  const at = Math.min(Math.max(t, 0), 1) * (scale.length - 1);
  const i = Math.min(Math.floor(at), scale.length - 2);
  return mix(parse(scale[i]), parse(scale[i + 1]), at - i);
}

/** How strongly a share colours its cell: a trace of kept is seen, and all differs from almost all. */
const strength = (share) => (share === 0 ? 0 : share === 1 ? 1 : 0.2 + 0.65 * share);

export const themeColours = () => {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: get("surface"),
    ink: get("ink"),
    faint: get("faint"),
    line: get("line-strong"),
    kept: get("kept"),
    rejected: get("rejected"),
  };
};
const printColours = {
  paper: "#ffffff",
  ink: "#202020",
  faint: "#666666",
  line: "#888888",
  kept: "#08519c",
  rejected: "#d6d6d6",
};

/** A picture as the worker gives it: {shape, matrix, wrapped, rectangle, cells, block} and the numbers of its cells. */
export class Picture {
  constructor(found, numbers, shape, names = null) {
    Object.assign(this, found);
    this.shape = shape;
    this.names = names; // of the columns, if they have any
    [this.rows, this.columns] = found.cells;
    const n = this.rows * this.columns;
    this.elements = numbers.subarray(0, n);
    this.kept = numbers.subarray(n, 2 * n);
    this.means = numbers.subarray(2 * n, 3 * n);
    this.hasValues = this.means.some((v) => !Number.isNaN(v));
  }

  /** The smallest and largest mean of a cell. */
  get range() {
    let [low, high] = [Infinity, -Infinity];
    for (const v of this.means) {
      if (Number.isNaN(v)) continue;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    return [low, high];
  }

  /** The indices of a row of the matrix: "3,17"; of a wrapped mask, the number of its first element. */
  rowLabel(row) {
    if (this.wrapped) return grouped(row * this.matrix[1]);
    if (this.shape.length < 2) return "";
    const index = [];
    for (const size of this.shape.slice(0, -1).reverse()) {
      index.unshift(row % size);
      row = Math.floor(row / size);
    }
    return index.join(",");
  }

  /** What a cell covers and keeps, in words. */
  describe(row, column) {
    const [top, bottom, left, right] = this.rectangle;
    const [first, last] = [top + row * this.block[0], Math.min(top + (row + 1) * this.block[0], bottom) - 1];
    const [begin, end] = [left + column * this.block[1], Math.min(left + (column + 1) * this.block[1], right) - 1];
    const i = row * this.columns + column;
    const [elements, kept, mean] = [this.elements[i], this.kept[i], this.means[i]];
    if (elements === 0) return "behind the end";
    const span = (a, b, text) => (a === b ? `${text} ${a}` : `${text}s ${a} to ${b}`);
    const across = this.names && begin === end ? this.names[begin] : span(begin, end, "column");
    let place = `${span(first, last, "row")}, ${across}`;
    if (this.wrapped) {
      const element = first * this.matrix[1] + begin;
      place = elements === 1 ? `element ${grouped(element)}` : `elements from ${grouped(element)} on`;
    } else if (this.shape.length < 2) {
      place = span(begin, end, "element");
    } else if (this.shape.length > 2) {
      place = `${first === last ? `index ${this.rowLabel(first)}` : `indices ${this.rowLabel(first)} to ${this.rowLabel(last)}`}, ${span(begin, end, "column")}`;
    }
    const value = Number.isNaN(mean)
      ? ""
      : elements === 1
        ? `, value ${Number(mean.toPrecision(7))}`
        : `, mean of the kept ${Number(mean.toPrecision(7))}`;
    const amount =
      elements === 1
        ? kept
          ? "kept"
          : "rejected"
        : `${grouped(kept)} of ${grouped(elements)} kept (${percentage(kept, elements)})`;
    return `${place}: ${amount}${value}`;
  }
}

const font = (size) => `${size}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;

/** Where everything stands in a canvas of that width. */
function layout(picture, context, width, most, withScale) {
  const size = width < 480 ? 11 : 12;
  context.font = font(size);
  const [top, bottom, left, right] = picture.rectangle;
  const labels = [top, Math.max(bottom - 1, 0)].map((row) => context.measureText(picture.rowLabel(row)).width);
  const gutter = Math.max(...labels) > 0 ? Math.ceil(Math.max(...labels)) + 12 : 4;
  const bar = withScale ? 68 : 0;
  const space = width - gutter - bar - 4;
  const wanted = (space / Math.max(right - left, 1)) * (bottom - top); // square elements, if there is room
  const height = Math.round(Math.min(most, Math.max(wanted, Math.min(160, picture.rows * 48))));
  return {
    size,
    gutter,
    bar,
    width: space,
    height,
    top: 4,
    total: height + size + 18,
    span: { top, bottom, left, right },
  };
}

/** Colours as the bytes of a pixel lie in a word. */
const word = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
const steps = 255;
const table = (colour) => Uint32Array.from({ length: steps + 1 }, (_, i) => word(colour(i / steps)));

/** The picture, a pixel for each cell. What is between none and all kept has tables of colours, and so have values. */
function paint(picture, colours, mode) {
  const [rejected, kept] = [parse(colours.rejected), parse(colours.kept)];
  const [none, all, paper] = [word(rejected), word(kept), word(parse(colours.paper))];
  const shares = table((t) => mix(rejected, kept, strength(Math.min(Math.max(t, 0.001), 0.999))));
  const [low, high] = picture.range;
  const values =
    mode === "value"
      ? Array.from({ length: 11 }, (_, i) => table((t) => mix(rejected, onScale(t), 0.4 + 0.06 * i)))
      : null;
  const pixels = new Uint32Array(picture.kept.length);
  for (let i = 0; i < pixels.length; ++i) {
    const [elements, count, value] = [picture.elements[i], picture.kept[i], picture.means[i]];
    if (elements === 0) pixels[i] = paper;
    else if (count === 0) pixels[i] = none;
    else if (values && !Number.isNaN(value))
      pixels[i] =
        values[Math.round((10 * count) / elements)][
          high > low ? Math.round((steps * (value - low)) / (high - low)) : steps >> 1
        ];
    else pixels[i] = count === elements ? all : shares[Math.round((steps * count) / elements)];
  }
  return new ImageData(new Uint8ClampedArray(pixels.buffer), picture.columns, picture.rows);
}

function drawCells(context, picture, at, colours, mode) {
  const image = paint(picture, colours, mode);
  const cells = new OffscreenCanvas(picture.columns, picture.rows);
  cells.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = at.width < picture.columns || at.height < picture.rows;
  context.drawImage(cells, at.gutter, at.top, at.width, at.height);
  // Cells that are large enough are told apart by a line of paper.
  const [w, h] = [at.width / picture.columns, at.height / picture.rows];
  if (Math.min(w, h) < 8) return;
  context.fillStyle = colours.paper;
  for (let c = 1; c < picture.columns; ++c) context.fillRect(Math.round(at.gutter + c * w) - 0.5, at.top, 1, at.height);
  for (let r = 1; r < picture.rows; ++r) context.fillRect(at.gutter, Math.round(at.top + r * h) - 0.5, at.width, 1);
}

function drawAxes(context, picture, at, colours) {
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.strokeRect(at.gutter - 0.5, at.top - 0.5, at.width + 1, at.height + 1);
  context.fillStyle = colours.ink;
  context.font = font(at.size);
  const { top, bottom, left, right } = at.span;
  const [rowHeight, columnWidth] = [at.height / Math.max(bottom - top, 1), at.width / Math.max(right - left, 1)];
  context.textAlign = "right";
  context.textBaseline = "middle";
  const rowStep = niceStep(bottom - top, at.height / (at.size * 2.2));
  for (let row = Math.ceil(top / rowStep) * rowStep; row < bottom; row += rowStep) {
    const label = picture.rowLabel(row);
    if (label === "") continue;
    const y = at.top + (row - top + 0.5) * rowHeight;
    context.fillText(label, at.gutter - 8, Math.min(Math.max(y, at.size / 2), at.top + at.height));
    context.fillRect(at.gutter - 5, y, 4, 1);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  const widest = context.measureText(grouped(Math.max(right - 1, 0))).width + 16;
  if (picture.names && columnWidth > 56) {
    for (let c = left; c < right; ++c)
      context.fillText(
        picture.names[c],
        at.gutter + (c - left + 0.5) * columnWidth,
        at.top + at.height + 7,
        columnWidth - 6,
      );
    return;
  }
  const columnStep = niceStep(right - left, at.width / widest);
  for (let column = Math.ceil(left / columnStep) * columnStep; column < right; column += columnStep) {
    const x = at.gutter + (column - left + 0.5) * columnWidth;
    context.fillText(String(column), x, at.top + at.height + 7);
    context.fillRect(x, at.top + at.height + 1, 1, 4);
  }
}

function drawScale(context, picture, at, colours) {
  const x = at.gutter + at.width + 10;
  for (let y = 0; y < at.height; ++y) {
    context.fillStyle = `rgb(${onScale(1 - y / Math.max(at.height - 1, 1)).join(" ")})`;
    context.fillRect(x, at.top + y, 12, 1);
  }
  context.fillStyle = colours.ink;
  context.textAlign = "left";
  const [low, high] = picture.range.map((v) => String(Number(v.toPrecision(3))));
  context.textBaseline = "top";
  context.fillText(high, x + 16, at.top);
  context.textBaseline = "bottom";
  context.fillText(low, x + 16, at.top + at.height);
}

/** Draws onto a canvas whose width is given by its place in the page; returns where the cells stand. */
export function drawPicture(
  canvas,
  picture,
  mode,
  { colours = themeColours(), width = canvas.clientWidth, ratio = devicePixelRatio, most = 560, above = [] } = {},
) {
  const context = canvas.getContext("2d");
  const withScale = mode === "value" && picture.hasValues;
  const at = layout(picture, context, width, most, withScale);
  const head = above.length * 22 + (above.length ? 10 : 0);
  at.top += head;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round((at.total + head) * ratio);
  if (canvas.style) canvas.style.height = `${at.total + head}px`;
  context.scale(ratio, ratio);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, width, at.total + head);
  context.fillStyle = colours.ink;
  context.textBaseline = "top";
  above.forEach((line, i) => {
    context.font = font(i === 0 ? 15 : 13);
    context.fillText(line, 4, 6 + i * 22, width - 8);
  });
  if (picture.rows * picture.columns === 0) {
    context.font = font(14);
    context.fillText("no elements", at.gutter, at.top + 8);
    return at;
  }
  drawCells(context, picture, at, colours, mode);
  drawAxes(context, picture, at, colours);
  if (withScale) drawScale(context, picture, at, colours);
  return at;
}

/** The picture as a PNG file, with a title, on white. */
export async function pictureFile(picture, mode, lines) {
  const canvas = new OffscreenCanvas(16, 16);
  drawPicture(canvas, picture, mode, { colours: printColours, width: 960, ratio: 1, most: 640, above: lines });
  return canvas.convertToBlob({ type: "image/png" });
}
