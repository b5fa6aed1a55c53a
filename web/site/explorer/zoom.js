// Pointing at the picture, and zooming: by the pointer (drag a part, click a cell), by buttons and by keys.

import { $ } from "./view.js";

/** Keeps a span of `size` within [0, whole). */
function span(begin, size, whole) {
  size = Math.max(1, Math.min(whole, Math.round(size)));
  begin = Math.max(0, Math.min(whole - size, Math.round(begin)));
  return [begin, begin + size];
}

export function watchPicture(canvas, { state, placement, zoom, moveTable }) {
  let from = null; // where a drag began, as [row, column] of cells
  const all = () => [0, state.picture.matrix[0], 0, state.picture.matrix[1]];

  /** The cell at the pointer; the nearest one, if asked for. */
  function cellAt(event, nearest = false) {
    const at = placement();
    if (!at || !state.picture?.rows) return null;
    const box = canvas.getBoundingClientRect();
    let x = (event.clientX - box.left - at.gutter) / at.width;
    let y = (event.clientY - box.top - at.top) / at.height;
    if (nearest) [x, y] = [x, y].map((v) => Math.min(Math.max(v, 0), 0.999999));
    if (x < 0 || y < 0 || x >= 1 || y >= 1) return null;
    return [Math.floor(y * state.picture.rows), Math.floor(x * state.picture.columns)];
  }

  function set([top, bottom], [left, right]) {
    const [rows, columns] = state.picture.matrix;
    const isAll = top === 0 && bottom === rows && left === 0 && right === columns;
    zoom(isAll ? null : [top, bottom, left, right]);
  }

  function scale(factor) {
    if (!state.picture) return;
    const [top, bottom, left, right] = state.rectangle ?? all();
    const [rows, columns] = state.picture.matrix;
    const [height, width] = [(bottom - top) * factor, (right - left) * factor];
    set(span((top + bottom - height) / 2, height, rows), span((left + right - width) / 2, width, columns));
  }

  function move(down, across) {
    if (!state.picture || !state.rectangle) return;
    const [top, bottom, left, right] = state.rectangle;
    const [rows, columns] = state.picture.matrix;
    const step = (share, size) => share * Math.max(1, size / 4);
    set(
      span(top + step(down, bottom - top), bottom - top, rows),
      span(left + step(across, right - left), right - left, columns),
    );
  }

  $("zoom-in").onclick = () => scale(0.5);
  $("zoom-out").onclick = () => scale(2);
  $("zoom-all").onclick = () => zoom(null);

  const keys = {
    "+": () => scale(0.5),
    "=": () => scale(0.5),
    "-": () => scale(2),
    0: () => zoom(null),
    ArrowUp: () => move(-1, 0),
    ArrowDown: () => move(1, 0),
    ArrowLeft: () => move(0, -1),
    ArrowRight: () => move(0, 1),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    $("pointed").textContent = cell ? state.picture.describe(...cell) : "";
    mark(from && cellAt(event, true));
  });
  canvas.addEventListener("pointerleave", () => {
    if (!from) $("pointed").textContent = "";
  });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    from = cellAt(event);
    if (from) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", (event) => {
    const to = from && cellAt(event, true);
    if (to) finish(from, to);
    from = null;
    mark(null);
  });
  canvas.addEventListener("pointercancel", () => {
    from = null;
    mark(null);
  });
  canvas.addEventListener("click", (event) => {
    const cell = event.pointerType === "touch" && cellAt(event);
    if (cell) finish(cell, cell);
  });

  const frame = document.createElement("div");
  frame.className = "frame";
  frame.hidden = true;
  document.body.append(frame);

  /** A frame around what a drag has covered so far. */
  function mark(to) {
    frame.hidden = !to;
    if (!to) return;
    const at = placement();
    const box = canvas.getBoundingClientRect();
    const [w, h] = [at.width / state.picture.columns, at.height / state.picture.rows];
    const [top, bottom] = [Math.min(from[0], to[0]), Math.max(from[0], to[0]) + 1];
    const [left, right] = [Math.min(from[1], to[1]), Math.max(from[1], to[1]) + 1];
    Object.assign(frame.style, {
      left: `${scrollX + box.left + at.gutter + left * w}px`,
      top: `${scrollY + box.top + at.top + top * h}px`,
      width: `${(right - left) * w}px`,
      height: `${(bottom - top) * h}px`,
    });
  }

  /** A click shows the values there; a drag zooms. */
  function finish([r0, c0], [r1, c1]) {
    const { rectangle, block } = state.picture;
    const row = (cell) => Math.min(rectangle[0] + cell * block[0], rectangle[1]);
    const column = (cell) => Math.min(rectangle[2] + cell * block[1], rectangle[3]);
    if (r0 === r1 && c0 === c1) return moveTable(row(r0), column(c0));
    set([row(Math.min(r0, r1)), row(Math.max(r0, r1) + 1)], [column(Math.min(c0, c1)), column(Math.max(c0, c1) + 1)]);
  }
}
