// Options: the strings that parameters take, defaults, and overloads that are split by an option that decides dtypes.

import { mergeTables } from "./tables.mjs";

/** The strings that a parameter takes, by its name, or by function and name; null if it takes any. */
export const choices = {
  approximate: ["none", "tanh"],
  bitorder: ["little", "big"],
  compute_mode: ["use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"],
  element: ["box", "cross"],
  equation: null,
  indexing: ["ij", "xy"],
  interpolation: ["linear", "lower", "higher", "midpoint", "nearest"],
  mode: ["constant", "reflect", "replicate", "circular"],
  order: ["C", "F"],
  padding_side: ["left", "right"],
  reduction: ["none", "mean", "sum"],
  rounding_mode: ["trunc", "floor"],
  side: ["left", "right"],
  "embedding_bag.mode": ["sum", "mean", "max"],
  "scatter.reduce": ["add", "multiply"],
  "index_reduce.reduce": ["prod", "mean", "amax", "amin"],
  "scatter_reduce.reduce": ["sum", "prod", "mean", "amax", "amin"],
  "kl_div.reduction": ["none", "mean", "sum", "batchmean"],
  "segment_reduce.reduce": ["sum", "mean", "max", "min", "prod"],
  "norm.p": ["fro", "nuc"],
};

/** Those of a parameter of a function. */
export function choicesOf(f, p) {
  const own = `${f.name.replace(/_$/, "")}.${p.name}`;
  const found = own in choices ? choices[own] : choices[p.name];
  if (found === undefined) throw new Error(`${f.name}: what strings does ${p.name} take?`);
  return found;
}

/** A default as JavaScript writes it. */
export const defaultOf = (p) =>
  p.default.replace(/^'(.*)'$/, '"$1"').replace("None", "null").replace("True", "true").replace("False", "false");

/** The overload with an option fixed to some values. */
function fix(overload, name, values) {
  const parameters = overload.parameters.map((p) => {
    if (p.name !== name) return p;
    const texts = values.map((value) => JSON.stringify(value));
    return { ...p, fixed: texts.join(" | "), required: p.required || !texts.includes(defaultOf(p)) };
  });
  return { ...overload, parameters };
}

/** An overload with its tables, once for every value of an option that decides the dtypes of results. */
export function variantsOf(f, overload, tables) {
  const names = Object.keys(tables.variants);
  if (names.length === 0) return [{ overload, tables }];
  if (names.length > 1) {
    // Several flags: none of them set, or one at least.
    const unset = names.reduce((o, name) => fix(o, name, [false]), overload);
    const any = names.flatMap((name) => tables.variants[name].map((variant) => variant.tables)).reduce(mergeTables);
    return [{ overload: unset, tables }, ...names.map((name) => ({ overload: fix(overload, name, [true]), tables: any }))];
  }
  const [name] = names;
  const p = overload.parameters.find((q) => q.name === name);
  const seen = tables.variants[name];
  const unseen = p.types[0] === "str" ? (choicesOf(f, p) ?? []).filter((value) => !seen.some((variant) => variant.value === value)) : [];
  return seen.map(({ value, tables: own }) => {
    const isDefault = JSON.stringify(value) === defaultOf(p);
    return { overload: fix(overload, name, isDefault ? [value, ...unseen] : [value]), tables: own };
  });
}
