// The explorer: a file, a condition, and what it keeps.

import { saveButtons } from "./downloads.js";
import { Abandoned, Engine } from "./engine.js";
import { examples, suggestionsFor } from "./examples.js";
import { filesFor, openSource, readable } from "./sources.js";
import {
  $,
  make,
  problem,
  showCounts,
  showFirst,
  showHistogram,
  showPicture,
  showProgress,
  showSource,
  showStatistics,
  showSuggestions,
  showTable,
} from "./view.js";
import { Picture } from "./picture.js";
import { watchPicture } from "./zoom.js";

const quantiles = [0.05, 0.25, 0.5, 0.75, 0.95];
const engine = new Engine();

/** All that is shown, and what it was made from. */
const state = {
  source: null,
  chosen: null, // the array that is x
  example: null,
  range: null, // of x: {low, high}, or null if it has no finite number; undefined before it is known
  where: "",
  rectangle: null, // what the picture shows; null is all
  found: null,
  picture: null,
  mode: "share",
  table: "around",
  place: [0, 0], // row and column where the table begins
};
let turn = 0; // counts what was asked for; answers to an earlier one are dropped

const isDropped = (error, mine) => error instanceof Abandoned || mine !== turn;

// ---- asking -------------------------------------------------------------------------------------

const request = (more = {}) => ({
  files: filesFor(state.source, state.chosen, [state.where]),
  where: state.where,
  rectangle: state.rectangle,
  cells: [480, Math.max(200, Math.min(800, Math.round($("picture").clientWidth || 640)))],
  ...more,
});

function conditionProblem(error) {
  $("where").setAttribute("aria-invalid", String(Boolean(error)));
  problem("where-problem", error ? readable(error.message) : null);
  if (error) $("results").classList.add("old");
}

/** Everything about the condition, from the beginning. */
async function refresh() {
  if (!state.source || opening) return;
  const mine = ++turn;
  await engine.free();
  if (mine !== turn) return;
  const ask = async (name, what) => {
    const answer = await engine.ask(name, what, (progress) => mine === turn && showProgress(progress));
    if (mine !== turn) throw new Abandoned("a later question");
    return answer;
  };
  $("results").setAttribute("aria-busy", "true");
  try {
    if (state.range === undefined) {
      const isReal = !state.chosen.dtype.startsWith("complex");
      state.range = isReal ? await ask("range", { files: filesFor(state.source, state.chosen, []) }) : null;
    }
    const answer = await ask("look", request({ range: state.range, bins: 60, first: 100 }));
    conditionProblem(null);
    state.found = answer.found;
    state.picture = pictureOf(answer.found.picture, answer.cells);
    showFindings();
    await refreshTable(ask);
    if (answer.found.statistics) {
      const { count } = answer.found.statistics;
      const texts = await ask("quantiles", request({ quantiles, count }));
      showStatistics(
        state.found,
        quantiles.map((p, i) => ({ p, text: texts[i] })),
      );
    }
    $("results").setAttribute("aria-busy", "false");
    showProgress(null);
  } catch (error) {
    if (isDropped(error, mine)) return;
    showProgress(null);
    $("results").setAttribute("aria-busy", "false");
    conditionProblem(error);
  }
}

/** With the names of columns, where the picture shows a table. */
function pictureOf(found, cells) {
  const isTable = state.source.columns && state.chosen === state.source.arrays[0];
  const { shape } = state.found;
  return new Picture(
    found,
    cells,
    shape,
    isTable && shape.length === 2 && shape[1] === state.source.columns.length ? state.source.columns : null,
  );
}

function showFindings() {
  showCounts(state.found);
  showHistogram(state.found.histogram);
  showStatistics(
    state.found,
    quantiles.map((p) => ({ p, text: null })),
  );
  redraw();
}

/** The picture alone: another part of it. */
async function zoom(rectangle) {
  if (!state.found || opening) return;
  state.rectangle = rectangle;
  const mine = ++turn;
  await engine.free();
  if (mine !== turn) return;
  try {
    const { found, cells } = await engine.ask("draw", request());
    if (mine !== turn) return;
    state.picture = pictureOf(found, cells);
    redraw();
    if ($("results").getAttribute("aria-busy") === "true") refresh(); // what was given up for this
  } catch (error) {
    if (!isDropped(error, mine)) conditionProblem(error);
  }
}

async function refreshTable(ask = (name, what) => engine.ask(name, what)) {
  $("table-at").hidden = state.table !== "around";
  if (state.table === "kept") return showFirst(state.found.first, state.found.kept);
  const [rows, columns] = [14, Math.max(4, Math.min(16, Math.floor($("table").parentElement.clientWidth / 72)))];
  const [matrixRows, matrixColumns] = state.picture.matrix;
  const clamp = (at, size) => Math.max(0, Math.min(at, size - 1));
  const [row, column] = [clamp(state.place[0], matrixRows), clamp(state.place[1], matrixColumns)];
  const rectangle = [row, row + rows, column, column + columns];
  const found = await ask("table", request({ rectangle }));
  $("table-row").value = row;
  $("table-column").value = column;
  $("table-row").max = Math.max(0, matrixRows - 1);
  $("table-column").max = Math.max(0, matrixColumns - 1);
  showTable(found, rectangle, state.picture);
}

function moveTable(row, column) {
  state.place = [row, column];
  if (state.found && !opening) refreshTable().catch((error) => error instanceof Abandoned || conditionProblem(error));
}

// ---- the picture --------------------------------------------------------------------------------

let placement = null;

function redraw() {
  if (!state.picture) return;
  $("mode-value").disabled = !state.picture.hasValues;
  placement = showPicture(state.picture, state.picture.hasValues ? state.mode : "share");
}

watchPicture($("picture"), { state, placement: () => placement, zoom, moveTable });

for (const mode of ["share", "value"]) {
  $(`mode-${mode}`).onclick = () => {
    state.mode = mode;
    for (const other of ["share", "value"]) $(`mode-${other}`).setAttribute("aria-pressed", String(other === mode));
    redraw();
  };
}
for (const which of ["around", "kept"]) {
  $(`table-${which}`).onclick = () => {
    state.table = which;
    for (const other of ["around", "kept"]) $(`table-${other}`).setAttribute("aria-pressed", String(other === which));
    if (state.found) moveTable(...state.place);
  };
}
for (const id of ["table-row", "table-column"]) {
  $(id).onchange = () => moveTable(Number($("table-row").value), Number($("table-column").value));
}

const drawAgain = () => {
  redraw();
  if (state.found) showHistogram(state.found.histogram);
};
document.addEventListener("themechange", drawAgain);
let resized = 0;
new ResizeObserver(() => {
  clearTimeout(resized);
  resized = setTimeout(drawAgain, 100);
}).observe($("results"));

// ---- the condition and the address --------------------------------------------------------------

function writeAddress() {
  const parts = new URLSearchParams();
  if (state.example) parts.set("data", state.example.id);
  if (state.source && state.source.arrays[0] !== state.chosen) parts.set("x", state.chosen.name);
  if (state.where) parts.set("where", state.where);
  history.replaceState(null, "", `#${parts}`);
}

let typed = 0;
function setWhere(text, wait = 0) {
  state.where = text.trim();
  ++turn; // what is under way is of no use any more
  if (state.source) $("results").setAttribute("aria-busy", "true");
  writeAddress();
  clearTimeout(typed);
  typed = setTimeout(refresh, wait);
}
$("where").oninput = () => setWhere($("where").value, 120);
$("form").onsubmit = (event) => {
  event.preventDefault();
  setWhere($("where").value);
};
$("clear").onclick = () => {
  $("where").value = "";
  setWhere("");
  $("where").focus();
};

function suggest() {
  const texts = state.example?.suggestions ?? suggestionsFor(state.chosen);
  showSuggestions(state.example ? [state.example.where, ...texts] : texts, (text) => {
    $("where").value = text;
    setWhere(text);
  });
}

function choose(number) {
  state.chosen = state.source.arrays[number];
  Object.assign(state, { range: undefined, rectangle: null, place: [0, 0], found: null, picture: null });
  $("results").hidden = true; // they are of another array
  showSource(state.source, state.chosen, state.example?.facts, choose);
  suggest();
  writeAddress();
  refresh();
}

// ---- files --------------------------------------------------------------------------------------

let opening = null; // a promise, while a file is being opened: nothing else is asked for meanwhile

/** Opens a file. If it cannot be read, all stays as it was. */
async function open(file, accept) {
  ++turn;
  problem("file-problem", null);
  showProgress(null);
  const earlier = opening;
  const mine = (opening = (async () => {
    await engine.free(0); // an earlier file is not wanted any more
    await earlier;
    return openSource(file, engine).catch((error) => ({ error }));
  })());
  $("opening").textContent = `Opening ${file.name} ...`;
  const source = await mine;
  if (opening !== mine) return; // another one has been dropped
  opening = null;
  $("opening").textContent = "";
  if (source.error) refuse(source.error);
  else accept(source);
}

function refuse(error) {
  problem("file-problem", readable(error.message));
  if (!state.source) return;
  engine.setFiles(state.source.files);
  if ($("results").getAttribute("aria-busy") === "true") refresh();
}

/** What begins with a new file; `where` and `x`, the name of an array, are those of the address. */
function begin(source, { example = null, where = null, x = null } = {}) {
  const usable = source.arrays.findIndex((array) => array.dtype);
  if (usable < 0) {
    return refuse(new Error(`${source.title}: no array in this file has elements of a dtype that Tamis knows`));
  }
  state.source = source;
  state.example = example;
  if (where !== null) state.where = where;
  $("where").value = state.where;
  const named = source.arrays.findIndex((array) => array.name === x && array.dtype);
  $("other").parentElement.hidden = !nextName();
  choose(named >= 0 ? named : usable);
}

// ---- more files ---------------------------------------------------------------------------------

/** The name that the next file beside x gets. */
const nextName = () => ["y", "z"].find((name) => !state.source.arrays.some(({ variable }) => variable === name));

/** Adds a file whose first array conditions can name. */
function addOther(source) {
  const [array] = source.arrays;
  if (!array.dtype) return refuse(new Error(`${source.title}: Tamis has no elements like ${array.dtypeText}`));
  const other = { ...array, variable: nextName(), name: source.title };
  const [files, arrays] = [{ ...state.source.files, ...source.files }, [...state.source.arrays, other]];
  state.source = { ...state.source, files, arrays };
  engine.setFiles(files);
  showSource(state.source, state.chosen, state.example?.facts, choose);
  $("other").parentElement.hidden = !nextName();
  refresh();
}

async function openExample(example, where = example.where, x = null) {
  const response = await fetch(`examples/${example.file}`);
  if (!response.ok)
    return problem(
      "file-problem",
      `The example ${example.file} cannot be loaded: ${response.status} ${response.statusText}`,
    );
  const type = response.headers.get("content-type") ?? "";
  const kind = example.file.endsWith(".png") ? "image/png" : type;
  await open(new File([await response.blob()], example.file, { type: kind }), (source) =>
    begin(source, { example, where, x }),
  );
}

$("examples").replaceChildren(
  ...examples.map((example) => {
    const button = make("button", example.text, { type: "button", class: "small" });
    button.onclick = () => openExample(example);
    return make("li", [button]);
  }),
);
$("file").onchange = () => {
  const [file] = $("file").files;
  if (file) open(file, begin);
  $("file").value = "";
};
$("other").onchange = () => {
  const [file] = $("other").files;
  if (file && nextName()) open(file, addOther);
  $("other").value = "";
};
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").classList.add("over");
});
document.addEventListener("dragleave", (event) => event.relatedTarget ?? $("drop").classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) open(file, begin);
});

saveButtons({ state, engine });

/** The example and the condition that the address names. */
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const where = parts.get("where");
  const example = examples.find(({ id }) => id === parts.get("data"));
  const isSame = state.source && (example ?? null) === state.example;
  if (example && !isSame) return openExample(example, where ?? "", parts.get("x"));
  if (where !== null && where !== state.where) {
    $("where").value = where;
    setWhere(where);
  }
  if (!state.source) return openExample(examples[0], where ?? examples[0].where);
}
addEventListener("hashchange", readAddress);
readAddress();
