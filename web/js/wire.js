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

/** Collects items. The buffer is kept for the next call. */
class Writer {
  constructor() {
    this.resize(512);
  }

  resize(words) {
    const before = this.u32;
    this.buffer = new ArrayBuffer(8 * words);
    this.u32 = new Uint32Array(this.buffer);
    this.f64 = new Float64Array(this.buffer);
    this.i64 = new BigInt64Array(this.buffer);
    this.bytes = new Uint8Array(this.buffer);
    if (before) this.u32.set(before);
  }

  reserve(words) {
    if (this.at + words > this.f64.length) this.resize(2 * (this.at + words));
  }

  head(kind, size) {
    this.reserve(3);
    this.u32[2 * this.at] = kind;
    this.u32[2 * this.at + 1] = size;
    ++this.at;
  }

  text(value) {
    this.reserve(1 + value.length); // at most 3 bytes for each
    const { written } = encoder.encodeInto(value, this.bytes.subarray(8 * this.at + 8));
    this.head(kind.text, written);
    this.at += (written + 7) >> 3;
  }
}

const writer = new Writer();

function writeNumber(value) {
  writer.head(kind.number, 0);
  writer.f64[writer.at++] = value;
}

function writeBigint(value) {
  if (BigInt.asIntN(64, value) !== value) {
    throw new TamisError("value", `${value}n does not fit into 64 bits`);
  }
  writer.head(kind.bigint, 0);
  writer.i64[writer.at++] = value;
}

const isPlain = (value) => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
const isComplex = (value) => typeof value.re === "number" && typeof value.im === "number";

function writeObject(value, adapt) {
  if (Array.isArray(value)) {
    writer.head(kind.list, value.length);
    for (const item of value) write(item, adapt);
    return;
  }
  const { handle, kind: which } = adapt(value);
  if (handle !== undefined) return writer.head(which === "generator" ? kind.generator : kind.tensor, handle);
  if (isPlain(value) && isComplex(value)) {
    writer.head(kind.complex, 0);
    writer.f64[writer.at++] = value.re;
    writer.f64[writer.at++] = value.im;
    return;
  }
  const name = value.constructor?.name ?? "object";
  throw new TamisError("argument", `a Tensor, number, string, boolean or array was expected, not ${name}`);
}

function write(value, adapt) {
  switch (typeof value) {
    case "undefined":
      return writer.head(kind.undefined, 0);
    case "boolean":
      return writer.head(kind.boolean, value ? 1 : 0);
    case "number":
      return writeNumber(value);
    case "bigint":
      return writeBigint(value);
    case "string":
      return writer.text(value);
    case "object":
      return value === null ? writer.head(kind.null, 0) : writeObject(value, adapt);
    default:
      throw new TamisError("argument", `a ${typeof value} is not a value that Tamis takes`);
  }
}

/** Whether a last argument names options: a plain object that is not a complex number. */
function isOptions(value) {
  return typeof value === "object" && value !== null && isPlain(value) && !isComplex(value);
}

/**
 * The arguments of a call as bytes, which are valid until the next call of encode. `adapt` gives
 * the handle of an object: {handle, kind}.
 */
export function encode(args, adapt) {
  writer.at = 0;
  const last = args.length - 1;
  const hasOptions = last >= 0 && isOptions(args[last]);
  for (let i = 0; i < (hasOptions ? last : args.length); ++i) write(args[i], adapt);
  if (hasOptions) {
    const entries = Object.entries(args[last]);
    writer.head(kind.named, entries.length);
    for (const [name, value] of entries) {
      writer.text(name);
      write(value, adapt);
    }
  }
  return writer.bytes.subarray(0, 8 * writer.at);
}

/** Reads the items of a reply. `objects` makes tensors and generators of handles. */
export class Reader {
  constructor(memory, pointer, words, objects) {
    this.u32 = new Uint32Array(memory, pointer, 2 * words);
    this.f64 = new Float64Array(memory, pointer, words);
    this.i64 = new BigInt64Array(memory, pointer, words);
    this.bytes = new Uint8Array(memory, pointer, 8 * words);
    this.at = 0;
    this.objects = objects;
  }

  item() {
    const which = this.u32[2 * this.at];
    const size = this.u32[2 * this.at + 1];
    ++this.at;
    switch (which) {
      case kind.boolean:
        return size !== 0;
      case kind.number:
        return this.f64[this.at++];
      case kind.complex:
        return { re: this.f64[this.at++], im: this.f64[this.at++] };
      case kind.bigint: {
        const value = this.i64[this.at++];
        return isSafe(value) ? Number(value) : value;
      }
      case kind.text: {
        const text = decoder.decode(this.bytes.subarray(8 * this.at, 8 * this.at + size));
        this.at += (size + 7) >> 3;
        return text;
      }
      case kind.tensor:
        return this.objects.tensor(size);
      case kind.generator:
        return this.objects.generator(size);
      case kind.same:
        return this.objects.same(size);
      case kind.list:
        return Array.from({ length: size }, () => this.item());
      case kind.named:
        return this.named(size);
      default:
        return undefined;
    }
  }

  /** Several results: by name, and in order: `const [values, indices] = x.sort()`. */
  named(count) {
    const result = {};
    for (let i = 0; i < count; ++i) {
      const name = this.item();
      result[name] = this.item();
    }
    const values = Object.values(result);
    return Object.defineProperty(result, Symbol.iterator, { value: () => values[Symbol.iterator]() });
  }
}
