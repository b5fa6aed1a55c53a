// Rules: how dtypes of results follow from those of arguments, as types. A map of dtypes becomes a type that is named after
// the first function that has it.

import { dtypes, promoted } from "./tables.mjs";

const groups = {
  RealDType: ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"],
  NumberDType: ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"],
  IntegerDType: ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"],
  FloatDType: ["float16", "bfloat16", "float32", "float64"],
  ComplexDType: ["complex64", "complex128"],
};

/** A set of dtypes as a type. */
export function setType(set) {
  if (dtypes.every((dtype) => set.has(dtype))) return "DType";
  const rest = new Set(set);
  const parts = [];
  for (const [name, members] of Object.entries(groups)) {
    if (!members.every((dtype) => rest.has(dtype))) continue;
    parts.push(name);
    members.forEach((dtype) => rest.delete(dtype));
  }
  return [...parts, ...[...rest].map((dtype) => `"${dtype}"`)].join(" | ") || "never";
}

const isSubset = (a, b) => [...a].every((item) => b.has(item));
const isSame = (a, b) => a.size === b.size && isSubset(a, b);
const union = (sets) => new Set(sets.flatMap((set) => [...set]));

/** Names for the most common maps; others are called after their first function. */
const known = { sqrt: "Floating", sum: "Summed", abs: "Real" };

/** The map types that signatures use. */
export class Maps {
  #names = new Map();
  #taken = new Set();

  /** The type that the map makes of `argument`: a dtype, the argument itself, or a map type of it. */
  apply(map, argument, owner, ending = "Of") {
    const entries = Object.entries(map);
    const first = entries[0][1];
    if (entries.every(([, set]) => isSame(set, first))) return setType(first);
    if (entries.every(([key, set]) => set.size === 1 && set.has(key))) return argument;
    return `${this.#name(map, owner, ending)}<${argument}>`;
  }

  #name(map, owner, ending) {
    const text = dtypes.map((dtype) => `${dtype}: ${map[dtype] ? setType(map[dtype]) : "never"}`).join("; ");
    if (!this.#names.has(text)) {
      const words = owner.split(/[._]/).filter(Boolean);
      let name = ending === "Of" && known[owner];
      name ||= words.map((word) => word[0].toUpperCase() + word.slice(1)).join("") + ending;
      while (this.#taken.has(name)) name += "_";
      this.#taken.add(name);
      this.#names.set(text, name);
    }
    return this.#names.get(text);
  }

  declarations() {
    return [...this.#names].map(([text, name]) => `export type ${name}<D extends DType> = { ${text} }[D];\n`).join("");
  }
}

/**
 * How the dtype of a result follows from the dtype of the main argument and those of its operands.
 *
 * `alone` is the map of the main argument's keys to sets. An operand has `pairs`, [key of main, its key, set], and
 * `isNumber` if it is never a tensor. The rule is {kind, map, operands}, where operands are those by which the result
 * changes, and kind says how:
 *   alone     map[main];
 *   promoted  map[what the main argument and the operands promote to];
 *   other     map[the operand], without it the map `alone`.
 * Pairs that break the rule of promotion are given back in `broken`; the types must not accept them.
 */
export function findRule(alone, operands) {
  const isMap = dtypes.some((dtype) => alone[dtype]);
  const map = isMap ? alone : Object.fromEntries(dtypes.map((dtype) => [dtype, new Set([dtype])]));
  const of = (set) => union([...set].map((dtype) => map[dtype] ?? []));
  const joining = operands.filter((o) => o.pairs.some(([a, , set]) => !isSubset(set, alone[a] ?? new Set())));
  if (joining.length === 0) return { kind: "alone", map: alone, operands: [], broken: [] };
  // A number such as alpha may leave the dtype alone.
  const predict = (o, a, b) => union([of(promoted(a, b)), o.isNumber && alone[a] ? alone[a] : []]);
  const broken = joining.flatMap((o) => o.pairs.filter(([a, b, set]) => !isSubset(set, predict(o, a, b))).map(([a, b]) => [o.name, a, b]));
  const other = joining.length === 1 && broken.length > 0 && mapOfOther(joining[0]);
  if (other) return { kind: "other", map: other, operands: joining, broken: [] };
  return { kind: "promoted", map, operands: joining, broken };
}

/** The dtype of the result by that of the operand, if nothing else matters. */
function mapOfOther({ pairs }) {
  const map = {};
  for (const [, b, set] of pairs) map[b] = union([map[b] ?? [], set]);
  return Object.values(map).every((set) => set.size === 1) && map;
}
