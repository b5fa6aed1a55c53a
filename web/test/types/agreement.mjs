// The types say what happens: expressions over all functions and dtypes are compiled and run, and the dtypes that their
// types promise are compared with those that their results have.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

import { compileText } from "./tsc.mjs";

const dtypes = ["bool", "uint8", "uint16", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"];
const numbers = ["2", "1.5", "2n", "true", "{ re: 1, im: 1 }"];

/** What every expression may use: a matrix of ones and a 0-d tensor of each dtype, a mask, indices. */
const names = dtypes.flatMap((dtype) => [`x_${dtype}`, `zero_${dtype}`]);
const prelude = [
  'import * as torch from "tamis";',
  ...dtypes.map((dtype) => `declare const x_${dtype}: torch.Tensor<"${dtype}", "cpu">, zero_${dtype}: torch.Tensor<"${dtype}", "cpu">;`),
  'declare const mask: torch.Tensor<"bool", "cpu">, index: torch.Tensor<"int64", "cpu">;',
].join("\n");

function inputs(torch) {
  const values = dtypes.flatMap((dtype) => [torch.ones([2, 2], { dtype }), torch.ones([], { dtype })]);
  return [...values, torch.ones([2, 2], { dtype: "bool" }), torch.zeros([2, 2], { dtype: "int64" })];
}

// How a parameter of a name is given, if it must be.
const given = {
  dim: "0", dim0: "0", dim1: "1", index: "index", indices: "index", mask: "mask", condition: "mask", k: "1", size: "[2, 2]",
  shape: "[2, 2]", dims: "[0, 1]", n: "2", start: "0", length: "1", chunks: "1", repeats: "2", num_samples: "1", fill_value: "1",
  value: "1", q: "0.5", split_size_or_sections: "1", split_sizes: "[1, 1]", sizes: "[2]", source: "0", destination: "1", shifts: "1", pad: "[1, 1]", steps: "3",
}; // prettier-ignore

/** Calls of a function with all that must be given; the first tensor is x, other operands are in `others`. */
function* callsOf(f, overload) {
  const required = overload.parameters.filter((p) => p.required);
  const operands = required.slice(1).filter((p) => p.types[0] === "Tensor" && !(p.name in given));
  if (required[0]?.types[0] !== "Tensor" || operands.length > 1) return;
  const rest = required.slice(1).filter((p) => !operands.includes(p));
  if (rest.some((p) => p.named || !(p.name in given))) return;
  const takesNumbers = operands[0]?.types.includes("Scalar");
  const seconds = operands.length === 0 ? [null] : [...names, ...(takesNumbers ? numbers : [])];
  const pairs = dtypes.flatMap((dtype) => seconds.map((other) => [`x_${dtype}`, other]));
  // All dtypes of one, some pairs of two: other ones for every function.
  const step = operands.length === 0 ? 1 : 61;
  for (let i = operands.length === 0 ? 0 : f.name.length; i < pairs.length; i += step) {
    const [x, other] = pairs[i];
    const args = required.slice(1).map((p) => (operands.includes(p) ? other : given[p.name]));
    const call = `${f.name}(${(f.method ? args : [x, ...args]).join(", ")})`;
    if (f.method) yield `${x}${f.writes ? ".clone()" : ""}.${call}`;
    else yield f.space ? `torch.${f.space}.${call}` : `torch.${call}`;
  }
}

function* creations() {
  for (const size of ["zeros(2)", "ones([2])", "full([2], 1)", "full([2], 1n)", "full([2], true)", "full([2], 1.5)", "arange(3)", "arange(0, 3)",
    "arange(0, 1, 0.5)", "arange(3n)", "linspace(0, 1, 3)", "eye(2)", "rand(2)", "randn([2])", "randint(5, [2])", "randperm(3)",
    "tensor(1)", "tensor([1, 2])", "tensor([true])", "tensor([1n])", "tensor([])", "tensor({ re: 1, im: 0 })", "tensor(new Int16Array(2))",
    "tensor(new Float64Array(2))", "tensor([[1], [2]])", "masks.causal(3)", "masks.from_lengths([1, 2])", "tril_indices(2, 2)",
    "where(mask, 1, 0)", "where(mask, 1.5, 0)", "where(mask, true, false)", "pow(2, x_float16)", "pow(x_int8, 2)", "cat([x_int8, x_uint8])",
    "stack([x_int64, x_float16])", "searchsorted(x_float32, 1)", "searchsorted(x_float32, 1, { out_int32: true })"]) yield `torch.${size}`; // prettier-ignore
  for (const dtype of dtypes) {
    for (const call of [`zeros(2, { dtype: "${dtype}" })`, `tensor([1, 0], { dtype: "${dtype}" })`, `full([2], 1, { dtype: "${dtype}" })`]) yield `torch.${call}`;
    yield* ["sum", "mean", "cumsum", "softmax", "prod"].map((name) => `x_float32.${name}(0, { dtype: "${dtype}" })`);
    yield `x_${dtype}.to("float16")`;
    yield `x_${dtype}.clamp({ min: 0 })`;
    yield `x_${dtype}.clamp(null, 1.5)`;
    yield `x_${dtype}.add(x_int64, { alpha: 2 })`;
  }
}

// The samples of masked.logaddexp all have masks, with which it takes floats only. ldexp of 16-bit floats and integers gives
// float32, for which the types have no rule. inner of a 0-d tensor is a product, which takes two dtypes. The loss of bools is
// one only if the target makes numbers of them.
const stricter = [/^torch\.masked\.logaddexp\(/, /^x_b?float16\.ldexp\(x_u?int/, /\.inner\(zero_/, /^torch\.poisson_nll_loss\(x_bool/];
const isStricter = (expression) => stricter.some((pattern) => pattern.test(expression));

/** Every expression with its type, and whether tsc refuses it. */
function compiled(folder, expressions) {
  const text = `${prelude}\n${expressions.map((e, i) => `export const r${i} = ${e};`).join("\n")}\n`;
  const { program, checker, source } = compileText(folder, join(folder, "agreement.ts"), text);
  const first = prelude.split("\n").length;
  const refused = new Set(program.getSemanticDiagnostics(source).map(({ start }) => source.getLineAndCharacterOfPosition(start).line - first));
  const types = source.statements.filter((s) => ts.isVariableStatement(s)).slice(-expressions.length).map((s) => checker.getTypeAtLocation(s.declarationList.declarations[0]));
  return { checker, types, refused };
}

/** The dtypes that a type promises, for each of the tensors in a value. */
function promised(checker, type, value) {
  const literals = (t) => (t.isUnion() ? t.types : [t]).map((member) => member.value);
  const property = (t, name) => {
    const symbol = checker.getPropertyOfType(t, name);
    return symbol ? checker.getTypeOfSymbol(symbol) : t;
  };
  if (typeof value === "string") return [[value, literals(type)]];
  if (typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap((item) => promised(checker, checker.getIndexTypeOfType(type, ts.IndexKind.Number), item));
  if ("dtype" in value) return [[value.dtype, literals(property(type, "dtype"))]];
  return Object.entries(value).flatMap(([name, item]) => promised(checker, property(type, name), item));
}

export async function testAgreement(folder) {
  const torch = await import(pathToFileURL(join(folder, "index.js")));
  const table = JSON.parse(await readFile(join(folder, "../functions.json"), "utf8")).filter((f) => !f.internal);
  const methods = new Set(table.filter((f) => f.method).map((f) => f.name));
  const own = table.filter((f) => f.method || f.space || !methods.has(f.name));
  const calls = own.flatMap((f) => f.overloads.flatMap((o) => [...callsOf({ ...f, writes: f.name.endsWith("_") }, o)]));
  const expressions = [...new Set([...calls, ...creations()])];
  const { checker, types, refused } = compiled(folder, expressions);
  const problems = [];
  const values = inputs(torch);
  const counts = { agreed: 0, refused: 0, unchecked: 0 };
  expressions.forEach((expression, i) => {
    let value;
    try {
      value = new Function("torch", ...names, "mask", "index", `return ${expression}`)(torch, ...values);
    } catch (error) {
      const isOfDtype = error.kind === "dtype";
      // Types do not say which numbers fit into a tensor that is written.
      const writesNumber = /_\([^)]*(\d|true|\})\)$/.test(expression);
      if (isOfDtype && !refused.has(i) && !writesNumber) problems.push(`${expression} compiles, but: ${error.message.split("\n")[0]}`);
      ++counts[isOfDtype ? "refused" : "unchecked"];
      return;
    }
    if (refused.has(i)) {
      if (!isStricter(expression)) problems.push(`${expression} works, but does not compile`);
      return;
    }
    for (const [actual, types_] of promised(checker, types[i], value)) {
      ++counts.agreed;
      if (!types_.includes(actual)) problems.push(`${expression} is ${actual}, but its type says ${types_.join(" | ")}`);
    }
  });
  console.log(`       ${expressions.length} expressions: ${JSON.stringify(counts)}`);
  if (counts.agreed < 1000) problems.push("too few expressions were compared");
  return problems.slice(0, 60);
}
