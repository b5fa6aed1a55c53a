// The wire: arguments and results as bytes. web/src/wire.h describes the items and is the other end.

import { TamisError } from "./error.js";

const kind = {
  undefined: 0,
  null: 1,
  boolean: 2,
  number: 3,
  bigint: 4,
  text: 5,
  tensor: 6,
  generator: 7,
  list: 8,
  named: 9,
  complex: 10,
  same: 11,
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Whether an integer is one that a number holds exactly, beside all smaller ones. */
const isSafe = (integer) => integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER;

/** The library's memory, seen as words of every kind. Growing the memory makes new views of it. */
class Views {
  constructor(library) {
    this.library = library;
    this.buffer = null;
  }
  refresh() {
    const { buffer } = this.library.memory;
    if (buffer === this.buffer) return;
    this.buffer = buffer;
    this.u32 = new Uint32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i64 = new BigInt64Array(buffer);
    this.bytes = new Uint8Array(buffer);
  }
}

let views = null; // of the library's memory
let at = 0; // where the next word is written or read
let end = 0; // of the room for arguments

/** To be called once, before anything else here. */
export function attach(library) {
  views = new Views(library);
}

// ---- arguments ----------------------------------------------------------------------------------

const smallest = 1024; // words of room for arguments that most calls find enough
let begin = 0;

/** Makes room for arguments from here on; what was written stays. */
function reserve(words) {
  if (at + words <= end) return;
  const used = at - begin;
  const size = Math.max(smallest, 2 * (used + words));
  begin = (views.library.tm_scratch(size) >>> 0) / 8;
  views.refresh();
  at = begin + used;
  end = begin + size;
}

function head(kind, size) {
  reserve(3);
  views.u32[2 * at] = kind;
  views.u32[2 * at + 1] = size;
  ++at;
}

function writeText(value) {
  reserve(1 + value.length); // at most 3 bytes for each
  const { written } = encoder.encodeInto(value, views.bytes.subarray(8 * at + 8, 8 * end));
  head(kind.text, written);
  at += (written + 7) >> 3;
}

function writeNumber(value) {
  head(kind.number, 0);
  views.f64[at++] = value;
}

function writeBigint(value) {
  const isLarge = BigInt.asIntN(64, value) !== value; // than all of int64
  if (isLarge && BigInt.asUintN(64, value) !== value) {
    throw new TamisError("value", `${value}n does not fit into 64 bits`);
  }
  head(kind.bigint, isLarge ? 1 : 0);
  views.i64[at++] = value;
}

const isPlain = (value) => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
const isComplex = (value) => typeof value.re === "number" && typeof value.im === "number";

function writeObject(value, classes) {
  if (value instanceof classes.Tensor) return head(kind.tensor, value.handle);
  if (Array.isArray(value)) {
    head(kind.list, value.length);
    for (const item of value) write(item, classes);
    return;
  }
  if (value instanceof classes.Generator) return head(kind.generator, value.handle);
  if (ArrayBuffer.isView(value)) throw new TamisError("argument", `a ${value.constructor.name} is not a Tensor; write tensor(array)`);
  if (isPlain(value) && isComplex(value)) {
    head(kind.complex, 0);
    views.f64[at++] = value.re;
    views.f64[at++] = value.im;
    return;
  }
  const name = value.constructor?.name ?? "object";
  throw new TamisError("argument", `a Tensor, number, string, boolean or array was expected, not ${name}`);
}

function write(value, classes) {
  switch (typeof value) {
    case "undefined":
      return head(kind.undefined, 0);
    case "boolean":
      return head(kind.boolean, value ? 1 : 0);
    case "number":
      return writeNumber(value);
    case "bigint":
      return writeBigint(value);
    case "string":
      return writeText(value);
    case "object":
      return value === null ? head(kind.null, 0) : writeObject(value, classes);
    default:
      throw new TamisError("argument", `a ${typeof value} is not a value that Tamis takes`);
  }
}

/** Whether a last argument names options: a plain object that is not a complex number. */
function isOptions(value) {
  return typeof value === "object" && value !== null && isPlain(value) && !isComplex(value);
}

/** Writes the arguments of a call where the library reads them; how many words. `classes` are those of objects that have handles. */
export function encode(args, classes) {
  views.refresh();
  at = begin;
  const last = args.length - 1;
  const hasOptions = last >= 0 && isOptions(args[last]);
  for (let i = 0; i < (hasOptions ? last : args.length); ++i) write(args[i], classes);
  if (hasOptions) {
    const entries = Object.entries(args[last]);
    head(kind.named, entries.length);
    for (const [name, value] of entries) {
      writeText(name);
      write(value, classes);
    }
  }
  return at - begin;
}

// ---- results ------------------------------------------------------------------------------------

let objects = null; // what makes tensors and generators of handles

/** Goes to the first item of the reply. `makers` make tensors and generators of handles. */
export function openReply(makers) {
  views.refresh();
  at = (views.library.tm_reply() >>> 0) / 8;
  objects = makers;
}

/** The next item of the reply. */
export function readItem() {
  const which = views.u32[2 * at];
  const size = views.u32[2 * at + 1];
  ++at;
  switch (which) {
    case kind.boolean:
      return size !== 0;
    case kind.number:
      return views.f64[at++];
    case kind.complex:
      return { re: views.f64[at++], im: views.f64[at++] };
    case kind.bigint: {
      const value = views.i64[at++];
      if (size === 1) return BigInt.asUintN(64, value);
      return isSafe(value) ? Number(value) : value;
    }
    case kind.text: {
      const text = decoder.decode(views.bytes.subarray(8 * at, 8 * at + size));
      at += (size + 7) >> 3;
      return text;
    }
    case kind.tensor:
      return objects.tensor(size);
    case kind.generator:
      return objects.generator(size);
    case kind.same:
      return objects.same(size);
    case kind.list:
      return Array.from({ length: size }, readItem);
    case kind.named:
      return readNamed(size);
    default:
      return undefined;
  }
}

/** Several results: by name, and in order: `const [values, indices] = x.sort()`, `x.sort()[0]`. */
function readNamed(count) {
  const result = {};
  for (let i = 0; i < count; ++i) {
    const name = readItem();
    result[name] = readItem();
  }
  const values = Object.values(result);
  values.forEach((value, i) => Object.defineProperty(result, i, { value }));
  return Object.defineProperty(result, Symbol.iterator, { value: () => values[Symbol.iterator]() });
}
