// The histogram: all elements in grey, the kept among them in colour.

import { themeColours } from "./picture.js";

export function drawHistogram(canvas, histogram) {
  const width = canvas.clientWidth;
  const height = 190;
  const [left, bottom] = [4, 22];
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  const colours = themeColours();
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, height);
  const { edges, all, kept } = histogram;
  const most = Math.max(...all, 1);
  const space = width - 2 * left;
  const floor = height - bottom;
  all.forEach((count, i) => {
    const [x, next] = [left + (space * i) / all.length, left + (space * (i + 1)) / all.length];
    const bar = (n, colour) => {
      // What is not nothing is seen.
      const tall = n === 0 ? 0 : Math.max(1, ((floor - 8) * n) / most);
      context.fillStyle = colour;
      context.fillRect(x, floor - tall, Math.max(next - x - (space / all.length > 4 ? 1 : 0), 0.5), tall);
    };
    bar(count, colours.rejected);
    bar(kept[i], colours.kept);
  });
  context.fillStyle = colours.line;
  context.fillRect(left, floor, space, 1);
  context.fillStyle = colours.ink;
  context.font = "12px ui-monospace, Menlo, Consolas, monospace";
  context.textBaseline = "top";
  const text = (value) => String(Number(value.toPrecision(5)));
  const isWhole = edges.length > 1 && Number.isInteger(edges[0] + 0.5) && edges[1] - edges[0] === 1;
  const [low, high] = isWhole ? [edges[0] + 0.5, edges.at(-1) - 0.5] : [edges[0], edges.at(-1)];
  for (const [align, x, value] of [
    ["left", left, low],
    ["center", left + space / 2, (low + high) / 2],
    ["right", left + space, high],
  ]) {
    context.textAlign = align;
    context.fillText(text(value), x, floor + 6);
  }
}
