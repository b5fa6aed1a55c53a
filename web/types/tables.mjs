// Tables: what the probe (web/src/probe.cpp) found, as sets of dtypes. A cell is null where the library refuses the dtypes,
// undefined where no call says anything, else one set of dtypes for each result.

/** What an operand may be: the dtypes, and the kinds of numbers. */
export let keys, dtypes, numbers;

let promotions;

export function readProbe(probe) {
  keys = probe.keys;
  dtypes = keys.slice(0, keys.indexOf("integer"));
  numbers = keys.slice(dtypes.length);
  promotions = byKeys(probe.promote, (row) => byKeys(row, (text) => cell(text, 0)[0]));
  return (overload) => readTables(probe.overloads[overload.text], overload.fields.length);
}

const byKeys = (list, read) => Object.fromEntries(list.map((item, i) => [keys[i], read(item)]));

/** The dtypes that two operands may promote to. */
export const promoted = (a, b) => promotions[a][b];

/** "bg,cg": two calls with two results each. Without fields, all letters are of one list. */
function cell(text, fields) {
  if (text === "") return null;
  if (text === "?") return undefined;
  const calls = text.split(",").filter((letters) => letters !== ".");
  const dtypeOf = (letter) => dtypes[letter.charCodeAt(0) - 97];
  if (fields === 0) return [new Set(calls.flatMap((letters) => [...letters].map(dtypeOf)))];
  return Array.from({ length: fields }, (_, i) => new Set(calls.map((letters) => dtypeOf(letters[i]))));
}

function readTables(found, fields) {
  const read = (text) => cell(text, fields);
  const tables = {
    main: found.main,
    plain: found.plain && read(found.plain),
    alone: found.alone && byKeys(found.alone, read),
    byDtype: found.by_dtype && byKeys(found.by_dtype, read),
    beside: Object.fromEntries(
      Object.entries(found.beside ?? {}).map(([name, rows]) => [name, byKeys(rows, (row) => byKeys(row, read))]),
    ),
    variants: {},
  };
  for (const [name, values] of Object.entries(found.variants ?? {})) {
    // What cannot require a gradient is refused then; that changes no dtype.
    if (name === "requires_grad") continue;
    tables.variants[name] = Object.entries(values).map(([value, own]) => ({
      value: JSON.parse(value),
      tables: readTables(own, fields),
    }));
  }
  return tables;
}

function mergeCells(a, b) {
  if (!a || !b) return a ?? b;
  return a.map((set, i) => new Set([...set, ...b[i]]));
}
const mergeByKeys = (a, b, merge) => a && Object.fromEntries(Object.keys(a).map((key) => [key, merge(a[key], b[key])]));

/** What holds for either of two. */
export function mergeTables(a, b) {
  return {
    ...a,
    plain: mergeCells(a.plain, b.plain),
    alone: mergeByKeys(a.alone, b.alone, mergeCells),
    byDtype: mergeByKeys(a.byDtype, b.byDtype, mergeCells),
    beside: mergeByKeys(a.beside, b.beside, (x, y) => (x && y ? mergeByKeys(x, y, (r, s) => mergeByKeys(r, s, mergeCells)) : x ?? y)),
    variants: {},
  };
}
