// View: what the page shows of answers.

import { drawHistogram } from "./histogram.js";
import { bytes, grouped, percentage, short } from "./numbers.js";
import { drawPicture } from "./picture.js";

export const $ = (id) => document.getElementById(id);

/** A new element with text or children. */
export function make(tag, content = "", attributes = {}) {
  const element = document.createElement(tag);
  if (Array.isArray(content)) element.append(...content);
  else element.textContent = content;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function problem(id, text) {
  $(id).textContent = text ?? "";
  $(id).hidden = !text;
}

const shapeText = (shape) => `[${shape.join(", ")}]`;
export const arrayText = ({ shape, dtype, dtypeText }) => `${shapeText(shape)} ${dtype ?? dtypeText}`;

export function showSource(source, chosen, facts, onChoose) {
  $("question").hidden = false;
  $("source-name").textContent = source.title;
  $("source-facts").textContent = [arrayText(chosen), bytes(source.bytes), facts].filter(Boolean).join(" · ");
  const select = $("array");
  select.replaceChildren(
    ...source.arrays.map((array, i) => {
      const option = make("option", `${array.name || "the array"} ${arrayText(array)}`, { value: i });
      option.disabled = !array.dtype;
      return option;
    }),
  );
  select.value = source.arrays.indexOf(chosen);
  select.onchange = () => onChoose(Number(select.value));
  $("array-label").hidden = source.arrays.length < 2;
  const names = source.arrays.filter((array) => array.variable).map((array) => array.variable);
  $("other-name").textContent = names.includes("y") ? "z" : "y";
  $("names").replaceChildren("Names: ", make("code", "x"));
  for (const name of names.slice(0, 40)) $("names").append(", ", make("code", name));
  if (names.length > 40) $("names").append(", ...");
}

export function showSuggestions(texts, onChoose) {
  $("suggestions").replaceChildren(
    ...texts.map((text) => {
      const button = make("button", text, { type: "button", class: "small" });
      button.onclick = () => onChoose(text);
      return make("li", [button]);
    }),
  );
}

export function showCounts({ kept, total, shape }) {
  $("results").hidden = false;
  $("results").classList.remove("old");
  $("counts").textContent =
    `${grouped(kept)} of ${grouped(total)} kept (${percentage(kept, total)}), ${grouped(total - kept)} rejected`;
  $("share").style.width = `${total === 0 ? 0 : (100 * kept) / total}%`;
  $("results").dataset.shape = shape.join(",");
}

export function showProgress(progress) {
  $("progress").hidden = !progress;
  if (!progress) return;
  $("bar").value = progress.share;
  const words = {
    range: "Finding the range",
    count: "Counting",
    statistics: "Computing values of the whole array",
    quantiles: "Finding quantiles",
    convert: "Reading the table",
  };
  $("phase").textContent = `${words[progress.label] ?? "Working"}, ${Math.round(100 * progress.share)}%`;
}

const rowsOf = {
  count: "Count",
  share: "Share",
  nan: "NaN",
  inf: "Infinite",
  min: "Minimum",
  max: "Maximum",
  mean: "Mean",
  std: "Standard deviation",
  sum: "Sum",
};

/** The statistics; quantiles come later. */
export function showStatistics(found, quantiles) {
  const facts = [];
  const add = (name, text, id) =>
    facts.push(make("tr", [make("th", name, { scope: "row" }), make("td", text, { "data-fact": id })]));
  add(rowsOf.count, grouped(found.kept), "count");
  add(rowsOf.share, percentage(found.kept, found.total), "share");
  const s = found.statistics;
  if (s) {
    if (s.nan > 0) add(rowsOf.nan, grouped(s.nan), "nan");
    if (s.inf > 0) add(rowsOf.inf, grouped(s.inf), "inf");
    for (const name of ["min"]) add(rowsOf[name], short(s[name]), name);
    for (const { p, text } of quantiles ?? [])
      add(p === 0.5 ? "Median" : `${100 * p}% quantile`, text === null ? "…" : short(text), `q${p}`);
    for (const name of ["max", "mean", "std", "sum"]) add(rowsOf[name], short(s[name]), name);
  }
  $("statistics").tBodies[0].replaceChildren(...facts);
}

export function showHistogram(histogram) {
  const isThere = histogram && histogram.edges.length > 0;
  $("histogram").hidden = !isThere;
  $("bins").hidden = !isThere;
  if (!isThere) {
    $("histogram-text").textContent = histogram
      ? "The range is too large for a histogram."
      : "There are no finite numbers to count.";
    return;
  }
  drawHistogram($("histogram"), histogram);
  const { edges, all, kept } = histogram;
  const top = all.indexOf(Math.max(...all));
  const text = `${all.length} bins from ${short(String(edges[0]))} to ${short(String(edges.at(-1)))}; grey: all elements, blue: the kept`;
  $("histogram-text").textContent = text;
  $("histogram").setAttribute(
    "aria-label",
    `Histogram: ${text}. The fullest bin begins at ${short(String(edges[top]))} with ${grouped(all[top])} elements, of which ${grouped(kept[top])} are kept.`,
  );
  $("bins").ontoggle = () => $("bins").open && showBins(histogram);
  if ($("bins").open) showBins(histogram);
}

function showBins({ edges, all, kept }) {
  const head = make(
    "tr",
    ["from", "to", "all", "kept"].map((text) => make("th", text, { scope: "col" })),
  );
  const rows = all.map((count, i) => {
    const numbers = [short(String(edges[i + 1])), grouped(count), grouped(kept[i])];
    return make("tr", [
      make("th", short(String(edges[i])), { scope: "row" }),
      ...numbers.map((text) => make("td", text)),
    ]);
  });
  $("bins")
    .querySelector("table")
    .replaceChildren(make("thead", [head]), make("tbody", rows));
}

export function showPicture(picture, mode) {
  const at = drawPicture($("picture"), picture, mode);
  const [top, bottom, left, right] = picture.rectangle;
  const notes = [];
  if (picture.wrapped) notes.push(`rows of ${grouped(picture.matrix[1])} elements`);
  if (picture.shape.length > 2)
    notes.push(`rows: dimensions 0 to ${picture.shape.length - 2}, columns: dimension ${picture.shape.length - 1}`);
  if (picture.block[0] > 1 || picture.block[1] > 1)
    notes.push(`a cell is ${picture.block[0]} × ${picture.block[1]} elements`);
  const isPart = bottom - top < picture.matrix[0] || right - left < picture.matrix[1];
  if (isPart)
    notes.push(
      `rows ${top} to ${bottom - 1}, columns ${left} to ${right - 1} of ${grouped(picture.matrix[0])} × ${grouped(picture.matrix[1])}`,
    );
  $("picture-text").textContent = notes.join("; ");
  const kept = picture.kept.reduce((a, b) => a + b, 0);
  const total = picture.elements.reduce((a, b) => a + b, 0);
  $("picture").setAttribute(
    "aria-label",
    `Picture of the mask: ${grouped(kept)} of ${grouped(total)} elements shown are kept (${percentage(kept, total)}). Arrow keys move, plus and minus zoom, 0 shows all.`,
  );
  return at;
}

export function showTable(found, rectangle, { wrapped, names }) {
  const [, , left] = rectangle;
  const columns = Math.max(0, ...found.rows.map(({ cells }) => cells.length));
  const head = make("tr", [make("td", "", { class: "corner" })]);
  for (let c = 0; c < columns; ++c) head.append(make("th", names?.[left + c] ?? String(left + c), { scope: "col" }));
  const rows = found.rows.map(({ index, cells }) => {
    const label = wrapped ? grouped(index[0]) : index.slice(0, -1).join(",");
    const row = make("tr", [make("th", label, { scope: "row" })]);
    for (const [text, kept] of cells) {
      const cell = make("td", text, kept ? { class: "kept" } : {});
      if (kept) cell.append(make("span", " kept", { class: "only-read" }));
      row.append(cell);
    }
    return row;
  });
  $("table").replaceChildren(make("thead", [head]), make("tbody", rows));
  $("table-note").textContent = "Kept elements are blue.";
}

export function showFirst(first, kept) {
  const head = make("tr", [make("th", "index", { scope: "col" }), make("th", "value", { scope: "col" })]);
  const rows = first.map(([index, text]) =>
    make("tr", [make("th", index.join(", "), { scope: "row" }), make("td", text, { class: "kept" })]),
  );
  $("table").replaceChildren(make("thead", [head]), make("tbody", rows));
  $("table-note").textContent =
    kept === 0
      ? "Nothing is kept."
      : `The first ${grouped(first.length)} of ${grouped(kept)} kept elements, in row-major order.`;
}
