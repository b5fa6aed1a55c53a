// Overload: the types of the parameters and of the result of one overload of the library.

import { choicesOf } from "./options.mjs";
import { findRule, setType } from "./rules.mjs";
import { dtypes, numbers, promoted } from "./tables.mjs";

const plainTypes = {
  int: "Int",
  float: "Int",
  bool: "boolean",
  dtype: "DType",
  "int[]": "Ints",
  Generator: "Generator",
};
// What may stand for a tensor.
const standIns = { int: "Int", "int[]": "Nested<Int>", "Scalar[]": "Nested<Scalar>", "float[]": "Nested<Int>", "bool[]": "Nested<boolean>" };
const mask = new Set(["bool"]);

const isSame = (a, b) => a.size === b.size && [...a].every((item) => b.has(item));
const takesTensor = (p) => p.types[0] === "Tensor" && p.name !== "out";

/** Numbers of these kinds as a type. */
function numberType(kinds) {
  if (numbers.every((kind) => kinds.has(kind))) return "Scalar";
  const parts = kinds.has("integer") || kinds.has("fraction") ? ["Int"] : [];
  if (kinds.has("boolean")) parts.push("boolean");
  if (kinds.has("complex")) parts.push("Complex");
  return parts.join(" | ");
}

export class Overload {
  constructor(f, overload, tables, maps) {
    Object.assign(this, { f, overload, tables, maps });
    this.name = f.space ? `${f.space}.${f.name}` : f.name;
    this.params = overload.parameters;
    this.main = this.params.find((p) => p.name === tables.main);
    this.isList = this.main?.types[0] === "Tensor[]";
    this.mainKeys = this.findMainKeys();
    this.findRules();
    this.findDevice();
    this.findGenerics();
  }

  // ---- what the tables say ----

  /** What the main argument may be. */
  findMainKeys() {
    const { alone } = this.tables;
    if (!this.main) return [];
    const accepted = (key) => alone[key] !== null;
    if (this.main.types[0] === "Scalar") {
      // The dtype is always the same, or that of the numbers where it follows the rule of promotion.
      const known = numbers.filter((kind) => alone[kind]);
      const isFixed = known.every((kind) => isSame(alone[kind][0], alone[known[0]][0]));
      return known.filter((kind) => isFixed || isSame(alone[kind][0], promoted(kind, kind)));
    }
    const withNumbers = this.main.types.includes("Scalar") && !this.f.method;
    return [...dtypes.filter(accepted), ...(withNumbers ? numbers.filter(accepted) : [])];
  }

  get accepted() {
    return new Set(this.mainKeys.filter((key) => dtypes.includes(key)));
  }

  findRules() {
    this.rules = [];
    const gives = ["Tensor", "Tensor[]", "dtype"].includes(this.overload.result);
    if (this.main && gives && this.overload.writes !== 0) {
      for (let i = 0; i < Math.max(1, this.overload.fields.length); ++i) this.rules.push(this.findRule(i));
    }
    this.broken = this.rules.flatMap((rule) => rule.broken);
    const joining = [...new Set(this.rules.flatMap((rule) => rule.operands.map((o) => o.name)))];
    this.letters = Object.fromEntries(joining.map((name, i) => [name, "OPQRS"[i]]));
  }

  findRule(result) {
    const { alone, beside } = this.tables;
    const known = this.mainKeys.filter((key) => alone[key]);
    const own = Object.fromEntries(known.map((key) => [key, alone[key][result]]));
    const operands = this.params
      .filter((p) => p !== this.main && beside[p.name] && p.types[0] !== "Tensor[]")
      .map((p) => ({
        name: p.name,
        isNumber: p.types[0] === "Scalar" && this.main.types[0] !== "Scalar",
        pairs: this.mainKeys.flatMap((a) =>
          Object.entries(beside[p.name][a]).flatMap(([b, cell]) => (cell ? [[a, b, cell[result]]] : [])),
        ),
      }));
    return findRule(own, operands);
  }

  /** What an operand may be: dtypes beside each dtype of the main argument, and kinds of numbers. Null if no call says. */
  takenBy(p) {
    const rows = this.tables.beside?.[p.name];
    if (!rows) return null;
    const isBroken = (a, b) => this.broken.some(([name, x, y]) => name === p.name && x === a && y === b);
    const isTaken = (a, b) => rows[a][b] !== null && !isBroken(a, b);
    const known = this.mainKeys.filter((a) => Object.values(rows[a]).some((cell) => cell));
    if (known.length === 0) return null;
    const isKind = (b) => known.some((a) => isTaken(a, b)) && !known.some((a) => isBroken(a, b));
    // Numbers that only numbers stand beside are of the same kinds.
    const kinds = numbers.filter((b) => isKind(b) && (this.main.types[0] !== "Scalar" || this.mainKeys.includes(b)));
    return { byMain: known.map((a) => [a, new Set(dtypes.filter((b) => isTaken(a, b)))]), kinds: new Set(kinds) };
  }

  // ---- generic parameters ----

  /** Where the result is: the device of the tensors, or the one asked for. */
  findDevice() {
    const tensors = this.params.filter(takesTensor);
    const has = (type) => this.params.some((p) => p.types[0] === type);
    this.deviceSource = this.f.method ? this.main : tensors.find((p) => !p.types.includes("Scalar") && p.required);
    this.mainIsOperand = !this.f.method && this.main?.types.includes("Scalar") && this.rules.some((rule) => this.ruleType(rule, "?").includes("?"));
    this.isPlaced = this.deviceSource || (tensors.length > 0 && !this.mainIsOperand); // has a parameter V
    if (this.isPlaced) this.device = "V";
    else if (this.isList) this.device = "PlaceOf<L>";
    else if (tensors.length > 0) this.device = `PlaceOf<M | ${this.letters[tensors[1].name]}>`;
    else this.device = '"cpu"';
    if (has("device")) {
      this.deviceDefault = this.isPlaced ? "DeviceName<V>" : '"cpu"';
      this.device = "On<N>";
    }
  }

  findGenerics() {
    const isTensor = this.main && takesTensor(this.main) && !this.mainIsOperand;
    this.hasD = this.f.method || (isTensor && !isSame(this.accepted, mask));
    const hasTensor = this.f.method || this.deviceSource?.types.length === 1;
    this.generics = [];
    if (this.hasD) this.generics.push("D extends DType");
    if (this.isPlaced) this.generics.push(`V extends Device${hasTensor ? "" : ' = "cpu"'}`);
    if (this.isList) this.generics.push("L extends Tensor");
    if (this.mainIsOperand) this.generics.push(`M extends ${this.operandType(this.main, { byMain: [["", this.accepted]], kinds: new Set(this.mainKeys) })}`);
    for (const p of this.params) {
      if (!this.letters[p.name]) continue;
      const type = this.operandType(p) + (p.optional ? " | null" : "");
      this.generics.push(`${this.letters[p.name]} extends ${type}${p.required ? "" : " = never"}`);
    }
    this.findDtype();
    if (this.deviceDefault) this.generics.push(`N extends DeviceName = ${this.deviceDefault}`);
    if (this.generics.some((g) => g.startsWith("V") && g.includes("="))) {
      // Parameters with defaults come last.
      this.generics = [...this.generics.filter((g) => !g.includes(" = ")), ...this.generics.filter((g) => g.includes(" = "))];
    }
  }

  /** The parameter dtype: what is asked for is what comes, or what the rule makes of it. */
  findDtype() {
    const { byDtype, plain, alone } = this.tables;
    if (!byDtype || this.overload.writes === 0 || !(alone || plain)) return;
    const asked = dtypes.filter((dtype) => byDtype[dtype]);
    const gives = (dtype) => byDtype[dtype][0];
    this.askable = setType(new Set(asked));
    if (asked.every((dtype) => isSame(gives(dtype), gives(asked[0])))) return; // makes no difference
    const isItself = asked.every((dtype) => isSame(gives(dtype), new Set([dtype])));
    const byRule = this.rules[0]?.kind === "alone" && asked.every((dtype) => alone[dtype] && isSame(gives(dtype), alone[dtype][0]));
    this.dtypeRule = isItself ? "itself" : byRule ? "rule" : "other";
    const fallback = plain ? setType(plain[0]) : isItself ? this.ruleType(this.rules[0]) : byRule ? this.base : "never";
    this.generics.push(this.param("dtype").required ? `T extends ${this.askable}` : `T extends DType = ${fallback}`);
  }

  param = (name) => this.params.find((p) => p.types[0] === name || p.name === name);

  // ---- the types of parameters ----

  tensorType(dtype, p) {
    const device = p === this.deviceSource || !this.deviceSource ? "V" : "NoInfer<V>";
    if (this.isPlaced) return `Tensor<${dtype}, ${device}>`;
    if (this.isList) return `Tensor<${dtype}, NoInfer<PlaceOf<L>>>`;
    return p === this.main ? `Tensor<${dtype}>` : `Tensor<${dtype}, Beside<M>>`;
  }

  /** A tensor of a dtype that is taken, or what may stand for it. */
  operandType(p, taken = this.takenBy(p)) {
    if (p.types[0] === "Scalar") return taken ? numberType(taken.kinds) : "Scalar";
    if (p.types[1] === "bool[]" && taken?.byMain.every(([, set]) => isSame(set, mask))) return this.tensorType("bool", p).replace("Tensor<bool, ", "Mask<");
    const parts = [this.tensorType(taken ? this.takenType(taken) : "DType", p)];
    for (const type of p.types.slice(1)) {
      const text = type === "Scalar" ? (taken ? numberType(taken.kinds) : "Scalar") : standIns[type];
      if (text) parts.push(text);
    }
    return parts.join(" | ");
  }

  takenType({ byMain }) {
    const first = byMain[0][1];
    if (byMain.every(([, set]) => isSame(set, first))) return setType(first);
    const byDtype = byMain.filter(([a]) => dtypes.includes(a));
    if (!this.hasD) return setType(new Set(byDtype.flatMap(([, set]) => [...set])));
    return this.maps.apply(Object.fromEntries(byDtype), "NoInfer<D>", this.name, "Takes");
  }

  /** The constraint on the dtype of the main argument; dtypes that are not known pass. */
  get needs() {
    const isStrict = this.accepted.size === dtypes.length || !this.hasD;
    return isStrict ? "" : `Of<D, V, ${setType(this.accepted)}>`;
  }

  mainType(p) {
    if (this.f.method) return this.needs || "Tensor<D, V>";
    if (this.mainIsOperand) return "M";
    if (this.isList) return "readonly L[] & Unmixed<L>";
    if (p.types[0] === "Scalar") return numberType(new Set(this.mainKeys));
    const others = p.types.slice(1).map((type) => (type === "Scalar" ? numberType(new Set(this.mainKeys)) : standIns[type]));
    const tensor = this.tensorType(this.hasD ? "D" : setType(this.accepted), p);
    return [this.needs || tensor, ...others].join(" | ");
  }

  typeOf(p) {
    if (p.fixed) return p.fixed;
    if ("literal" in p) return String(p.literal);
    if (p === this.main) return this.mainType(p);
    if (p.name === "out") return this.outType();
    if (this.letters[p.name]) return this.letters[p.name];
    if (p.types[0] === "dtype" && this.dtypeRule) return this.askable === "DType" ? "T" : `T & (${this.askable})`;
    if (p.types[0] === "device") return "N";
    if (p.types[0] === "Tensor" || p.types[0] === "Scalar") return this.operandType(p);
    if (p.types[0] === "Tensor[]") return `readonly ${this.tensorType("DType", p)}[]`;
    return p.types.map((type) => (type === "str" ? (choicesOf(this.f, p)?.map((text) => `"${text}"`).join(" | ") ?? "string") : plainTypes[type])).join(" | ");
  }

  // ---- the result ----

  /** The dtype of the main argument. */
  get base() {
    if (this.isList) return "DTypeOf<L>";
    if (!this.mainIsOperand) return "D";
    return this.overload.creates && this.main.name === "fill_value" ? "FillKind<M>" : "KindOf<M>";
  }

  /** The dtype that a rule gives, as a type. */
  ruleType(rule, base = this.base) {
    const onDtypes = Object.fromEntries(Object.entries(rule.map).filter(([key]) => dtypes.includes(key)));
    const apply = (map, argument) => this.maps.apply(map, argument, this.name);
    if (rule.kind === "other") {
      const [operand] = rule.operands;
      const letter = this.letters?.[operand.name] ?? "?";
      const found = apply(onDtypes, `DTypeOf<${letter}>`);
      if (this.param(operand.name).required) return found;
      return `[DTypeOf<${letter}>] extends [never] ? ${this.ruleType({ ...rule, kind: "alone", map: this.aloneMap() }, base)} : ${found}`;
    }
    let from = base;
    if (rule.kind === "promoted") {
      for (const o of rule.operands) {
        const letter = this.letters?.[o.name] ?? "?";
        if (o.isNumber) from = `Loosely<${from}, ${letter}>`;
        else from = this.param(o.name).required ? `Promote<${from}, KindOf<${letter}>>` : `With<${from}, ${letter}>`;
      }
    } else if (this.main.types[0] === "Scalar") {
      const sets = Object.values(rule.map);
      if (sets.every((set) => isSame(set, sets[0]))) return setType(sets[0]);
      from = `Promote<${base}, ${base}>`;
    } else if (this.isList && this.tables.beside[this.main.name]) {
      from = this.listType(base);
    }
    if (Object.keys(onDtypes).length === 0) return from;
    return apply(onDtypes, from);
  }

  aloneMap() {
    return Object.fromEntries([...this.accepted].filter((d) => this.tables.alone[d]).map((d) => [d, this.tables.alone[d][0]]));
  }

  /** What a list of several dtypes gives: those, or what they promote to. */
  listType(base) {
    const rows = this.tables.beside[this.main.name];
    const isKept = dtypes.every((a) => dtypes.every((b) => !rows[a][b] || [...rows[a][b][0]].every((d) => d === a || d === b)));
    return isKept ? base : `Promote<${base}, ${base}>`;
  }

  dtypeOf(index) {
    if (this.dtypeRule === "itself") return "NoInfer<T>";
    if (this.dtypeRule === "rule") return this.ruleType(this.rules[0], "NoInfer<T>");
    if (this.dtypeRule === "other") {
      const cells = [...Object.values(this.tables.byDtype), ...Object.values(this.tables.alone)].filter(Boolean);
      return `[T] extends [never] ? ${this.ruleType(this.rules[0])} : ${setType(new Set(cells.flatMap(([set]) => [...set])))}`;
    }
    if (!this.main) return setType(this.tables.plain[0]);
    return this.ruleType(this.rules[index]);
  }

  /** What out must be: of the dtype of the result. */
  outType() {
    const { fields } = this.overload;
    const tensor = (i) => `Tensor<${this.dtypeRule === "itself" ? "T" : this.dtypeOf(i)}, ${this.device === "On<N>" || !this.isPlaced ? "Device" : "NoInfer<V>"}>`;
    return fields.length === 0 ? tensor(0) : `readonly [${fields.map((_, i) => tensor(i)).join(", ")}]`;
  }

  resultType() {
    const { result, fields, writes } = this.overload;
    if (writes === 0) return "this";
    const { device } = this;
    if (fields.length > 0) {
      const tensors = fields.map((field, i) => [field, `Tensor<${this.dtypeOf(i)}, ${device}>`]);
      return `Results<{ ${tensors.map(([field, type]) => `${field}: ${type}`).join("; ")} }, [${fields.map((field) => `"${field}"`).join(", ")}]>`;
    }
    switch (result) {
      case "Tensor":
        return `Tensor<${this.dtypeOf(0)}, ${device}>`;
      case "Tensor[]":
        return `Tensor<${this.dtypeOf(0)}, ${device}>${this.tables.single ? "" : "[]"}`;
      case "dtype":
        return this.main ? this.dtypeOf(0) : "DType";
      case "int":
        return "number";
      default:
        return "boolean";
    }
  }
}
