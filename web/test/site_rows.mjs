// The C++ behind the explorer (web/src/explore.cpp), in Node: cells, tables and first elements against plain loops.

import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Numbers that look random and are always the same. */
function* randoms(seed) {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

const product = (shape) => shape.reduce((a, b) => a * b, 1);

/** How an array of a shape is seen as a matrix; a long row is wrapped into rows of a round length. */
function matrixOf(shape) {
  const n = product(shape);
  if (shape.length !== 1 || n <= 256) {
    const columns = shape.length === 0 ? 1 : shape.at(-1);
    return [columns === 0 ? 0 : n / columns, columns];
  }
  for (let power = 100; ; power *= 10) {
    for (const digit of [1, 2, 5]) {
      const columns = digit * power;
      if (Math.ceil(n / columns) <= columns) return [Math.ceil(n / columns), columns];
    }
  }
}

/** What the cells of a picture must hold: [elements, kept, sum of the kept]. */
function cellsOf(data, keep, shape, { rectangle: [top, bottom, left, right], cells: [rows, columns], block }) {
  const width = matrixOf(shape)[1];
  const all = Array.from({ length: rows * columns }, () => [0, 0, 0]);
  for (let r = top; r < bottom; ++r) {
    for (let c = left; c < right; ++c) {
      const i = r * width + c;
      if (i >= data.length) continue;
      const cell = all[Math.floor((r - top) / block[0]) * columns + Math.floor((c - left) / block[1])];
      ++cell[0];
      if (!keep(data[i])) continue;
      ++cell[1];
      cell[2] += data[i];
    }
  }
  return all;
}

const shapes = [
  [],
  [7],
  [256],
  [257],
  [5003],
  [300001],
  [13, 17],
  [1, 900],
  [900, 1],
  [700, 1000],
  [3, 5, 7],
  [2, 90, 4, 300],
  [0, 3],
  [3, 0],
];

export function add({ test, site }) {
  const load = (name) => import(pathToFileURL(resolve(join(site, "package", name))));

  test("rows: cells have exact counts and means, in any part of any shape", async () => {
    const { tensor, save } = await load("index.js");
    const { call, files } = await load("core.js");
    const { internal } = await load("table.js");
    const ask = (name, request) => JSON.parse(call(internal[`explore_${name}`], [JSON.stringify(request)]));
    const random = randoms(5);
    const below = (n) => Math.floor(random.next().value * n);
    for (const [number, shape] of shapes.entries()) {
      const data = Float32Array.from({ length: product(shape) }, () => below(1000));
      const path = `/in/rows${number}.npy`;
      files.put(path, await save(tensor(data).reshape(shape), "x.npy"));
      const request = { files: [`x=${path}`], where: "x < 400", range: null, bins: 10, first: 5 };
      const [rows, columns] = matrixOf(shape);
      const rectangles = [null];
      for (let i = 0; i < 4 && rows * columns > 0; ++i) {
        const [top, left] = [below(rows), below(columns)];
        rectangles.push([top, top + 1 + below(rows - top), left, left + 1 + below(columns - left)]);
      }
      for (const rectangle of rectangles) {
        const wanted = { ...request, rectangle, cells: [1 + below(40), 1 + below(40)] };
        for (const name of ["look", "draw"]) {
          const answer = ask(name, wanted);
          const picture = name === "look" ? answer.picture : answer;
          const tensorOfCells = call(internal.explore_cells, []);
          const numbers = tensorOfCells.data_sync();
          tensorOfCells.dispose();
          const what = `${name} of [${shape}], part [${rectangle}]`;
          assert.deepEqual(picture.matrix, [rows, columns], what);
          assert.deepEqual(picture.rectangle, rectangle ?? [0, rows, 0, columns], what);
          assert.ok(picture.cells[0] <= wanted.cells[0] && picture.cells[1] <= wanted.cells[1], what);
          const n = picture.cells[0] * picture.cells[1];
          cellsOf(data, (v) => v < 400, shape, picture).forEach(([elements, kept, sum], i) => {
            assert.deepEqual([numbers[i], numbers[n + i]], [elements, kept], `${what}, cell ${i}`);
            const mean = numbers[2 * n + i];
            assert.ok(kept === 0 ? Number.isNaN(mean) : Math.abs(mean - sum / kept) < 1e-9, `${what}, cell ${i}`);
          });
          if (name === "draw") continue;
          const kept = data.reduce((count, v) => count + (v < 400), 0);
          assert.deepEqual([answer.kept, answer.total], [kept, data.length], what);
          const texts = answer.first.map(([, text]) => Number(text));
          assert.deepEqual(texts, [...data.filter((v) => v < 400).subarray(0, 5)], what);
        }
      }
      files.remove(path);
    }
  });

  test("rows: tables show the elements of their place", async () => {
    const { tensor, save } = await load("index.js");
    const { call, files } = await load("core.js");
    const { internal } = await load("table.js");
    for (const [number, shape] of [[6], [5003], [13, 17], [3, 5, 7]].entries()) {
      const path = `/in/table${number}.npy`;
      const data = Float32Array.from({ length: product(shape) }, (_, i) => i);
      files.put(path, await save(tensor(data).reshape(shape), "x.npy"));
      const [rows, columns] = matrixOf(shape);
      for (const [top, left] of [
        [0, 0],
        [rows - 1, 0],
        [Math.floor(rows / 2), columns - 2],
      ]) {
        const request = { files: [`x=${path}`], where: "x % 2 == 0", rectangle: [top, top + 3, left, left + 4] };
        const { rows: found } = JSON.parse(call(internal.explore_table, [JSON.stringify(request)]));
        assert.equal(found.length, Math.min(3, rows - top));
        found.forEach(({ cells }, r) => {
          const first = (top + r) * columns + left;
          const count = Math.max(0, Math.min(4, columns - left, data.length - first));
          assert.deepEqual(
            cells,
            Array.from({ length: count }, (_, i) => [`${first + i}.0`, (first + i) % 2 === 0]),
          );
        });
      }
      files.remove(path);
    }
  });
}
