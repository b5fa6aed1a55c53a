// Data: tensors from JavaScript's values.

import { address, call, classes, memory } from "./core.js";
import { TamisError } from "./error.js";
import { functions, internal } from "./table.js";

/** How the elements of each dtype lie in memory. */
export const arrayTypes = {
  bool: { array: Uint8Array, perElement: 1 },
  uint8: { array: Uint8Array, perElement: 1 },
  int8: { array: Int8Array, perElement: 1 },
  int16: { array: Int16Array, perElement: 1 },
  uint16: { array: Uint16Array, perElement: 1 },
  uint32: { array: Uint32Array, perElement: 1 },
  uint64: { array: BigUint64Array, perElement: 1 },
  int32: { array: Int32Array, perElement: 1 },
  int64: { array: BigInt64Array, perElement: 1 },
  float16: { array: Uint16Array, perElement: 1 },
  bfloat16: { array: Uint16Array, perElement: 1 },
  float32: { array: Float32Array, perElement: 1 },
  float64: { array: Float64Array, perElement: 1 },
  complex64: { array: Float32Array, perElement: 2 },
  complex128: { array: Float64Array, perElement: 2 },
};

/** The dtype of a typed array's elements. */
function dtypeOf(array) {
  const dtype = {
    Uint8Array: "uint8",
    Uint8ClampedArray: "uint8",
    Int8Array: "int8",
    Int16Array: "int16",
    Uint16Array: "uint16",
    Uint32Array: "uint32",
    BigUint64Array: "uint64",
    Int32Array: "int32",
    BigInt64Array: "int64",
    Float16Array: "float16",
    Float32Array: "float32",
    Float64Array: "float64",
  }[array.constructor.name];
  if (dtype) return dtype;
  throw new TamisError(
    "dtype",
    `there is no dtype for the elements of a ${array.constructor.name}; convert it, for example by Float64Array.from(array) or BigInt64Array.from(array, BigInt)`,
  );
}

/** A new tensor on the CPU that holds the elements of a typed array. */
function fromArray(array, shape, dtype) {
  const x = call(functions.empty, [shape, { dtype, device: "cpu" }]);
  const { array: Kind, perElement } = arrayTypes[dtype];
  const source = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const target = new Uint8Array(memory(), address(x.handle), x.numel() * perElement * Kind.BYTES_PER_ELEMENT);
  target.set(source);
  return x;
}

// ---- nested arrays ------------------------------------------------------------------------------

const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);

function shapeOf(data) {
  const shape = [];
  for (let at = data; isList(at); at = at[0]) shape.push(at.length);
  return shape;
}

/** Calls visit with every value, in row-major order; all lists of a level have the same length. */
function walk(data, shape, level, visit) {
  if (level === shape.length) {
    if (isList(data)) throw new TamisError("value", `expected a number at dim ${level}, but got an array`);
    return visit(data);
  }
  if (!isList(data)) throw new TamisError("value", `expected an array at dim ${level}, but got a ${typeof data}`);
  if (data.length !== shape[level]) {
    throw new TamisError("value", `expected sequence of length ${shape[level]} at dim ${level} (got ${data.length})`);
  }
  for (let i = 0; i < data.length; ++i) walk(data[i], shape, level + 1, visit);
}

/** The type of all values: "number", "bigint", "boolean", "complex"; numbers swallow booleans. */
function typeOf(data, shape) {
  const types = new Set();
  walk(data, shape, 0, (value) => {
    const isComplex = typeof value === "object" && typeof value?.re === "number" && typeof value?.im === "number";
    types.add(isComplex ? "complex" : typeof value);
  });
  const all = [...types];
  const wrong = all.find((type) => !["number", "bigint", "boolean", "complex"].includes(type));
  if (wrong) throw new TamisError("value", `tensor(): expected numbers, bigints or booleans, but got a ${wrong}`);
  if (types.has("bigint") && types.has("number")) {
    throw new TamisError("value", "tensor(): bigints and numbers are mixed; write BigInt(n) or Number(n)");
  }
  return ["complex", "bigint", "number", "boolean"].find((type) => types.has(type)) ?? "number";
}

/** What values of a type are collected in, and as which dtype. */
const collectors = {
  number: { array: Float32Array, dtype: "float32" },
  exact: { array: Float64Array, dtype: "float64" }, // numbers that are going to be converted
  bigint: { array: BigInt64Array, dtype: "int64" },
  largeBigint: { array: BigUint64Array, dtype: "uint64" },
  boolean: { array: Uint8Array, dtype: "bool" },
  complex: { array: Float32Array, dtype: "complex64", perElement: 2 },
  exactComplex: { array: Float64Array, dtype: "complex128", perElement: 2 },
};

function collectorOf(type, dtype) {
  if (type === "number" && dtype && dtype !== "float32") return collectors.exact;
  if (type === "complex" && dtype === "complex128") return collectors.exactComplex;
  return collectors[type];
}

/** The type of bigints: "largeBigint" if one is above all of int64, which needs a dtype that holds it. */
function typeOfBigints(data, shape, dtype) {
  let [least, most] = [0n, 0n];
  walk(data, shape, 0, (value) => {
    const integer = BigInt(value);
    if (integer < least) least = integer;
    if (integer > most) most = integer;
  });
  if (BigInt.asIntN(64, least) === least && BigInt.asIntN(64, most) === most) return "bigint";
  if (least < 0n || BigInt.asUintN(64, most) !== most) {
    throw new TamisError("value", `tensor(): ${most < 2n ** 63n ? least : most}n does not fit into 64 bits`);
  }
  if (!["uint64", "float32", "float64"].includes(dtype)) {
    throw new TamisError("value", `tensor(): ${most}n does not fit into ${dtype ?? "int64"}; write {dtype: "uint64"}`);
  }
  return "largeBigint";
}

function fromNested(data, dtype) {
  const shape = shapeOf(data);
  const found = typeOf(data, shape);
  const type = found === "bigint" ? typeOfBigints(data, shape, dtype) : found;
  const { array, dtype: own, perElement = 1 } = collectorOf(type, dtype);
  const flat = new array(shape.reduce((product, size) => product * size, perElement));
  let at = 0;
  walk(data, shape, 0, (value) => {
    if (type === "complex") {
      flat[at++] = typeof value === "object" ? value.re : Number(value);
      flat[at++] = typeof value === "object" ? value.im : 0;
    } else if (found === "bigint") {
      flat[at++] = BigInt(value);
    } else {
      flat[at++] = Number(value);
    }
  });
  return fromArray(flat, shape, own);
}

// ---- tensor(...) --------------------------------------------------------------------------------

const isImage = (data) => typeof data === "object" && data !== null && "width" in data && "height" in data && ArrayBuffer.isView(data.data);

/** The data as a new tensor on the CPU, in its own dtype. */
export function fromData(data, dtype) {
  if (data instanceof classes.Tensor) return data.detach().clone();
  if (isImage(data)) return fromArray(data.data, [data.height, data.width, 4], "uint8");
  if (ArrayBuffer.isView(data)) return fromArray(data, [data.length], dtypeOf(data));
  if (data instanceof ArrayBuffer) {
    if (!dtype) throw new TamisError("argument", "tensor(): an ArrayBuffer needs a dtype: tensor(buffer, {dtype: 'float32'})");
    const { array, perElement } = arrayTypes[dtype];
    const bytes = array.BYTES_PER_ELEMENT * perElement;
    if (data.byteLength % bytes) throw new TamisError("value", `tensor(): ${data.byteLength} bytes are not whole elements of ${dtype}`);
    return fromArray(new Uint8Array(data), [data.byteLength / bytes], dtype);
  }
  return fromNested(data, dtype);
}

/**
 * A tensor with a copy of data: a number, boolean, bigint or {re, im}, nested arrays of them, a typed array, ImageData (as
 * [height, width, 4]), an ArrayBuffer (with dtype) or another tensor. Numbers become float32, bigints int64, booleans bool,
 * typed arrays keep their dtype.
 */
export function tensor(data, { dtype = null, device = null, requires_grad = false } = {}) {
  if (dtype !== null && !(dtype in arrayTypes)) throw new TamisError("argument", `tensor(): there is no dtype '${dtype}'`);
  let x = fromData(data, dtype);
  // Another tensor's elements stay where they are.
  const place = device ?? (data instanceof classes.Tensor ? null : call(internal.default_device, []));
  for (const target of [dtype, place]) {
    if (target === null) continue;
    const moved = call(internal.to, [x, target]);
    if (moved !== x) x.dispose();
    x = moved;
  }
  if (requires_grad) x.requires_grad_();
  return x;
}
