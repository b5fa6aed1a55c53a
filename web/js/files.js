// Files: .npy, .npz, .safetensors and CSV, from and to bytes.

import { call, callAsync, classes, files } from "./core.js";
import { TamisError } from "./error.js";
import { internal } from "./table.js";

let count = 0;

/** Puts a source into the file system of the library; its path. */
async function place(source) {
  const name = source?.name?.split("/").pop() || "data";
  const path = `/in/${++count}/${name}`;
  if (typeof Blob !== "undefined" && source instanceof Blob) {
    // In a worker a Blob can be read piece by piece; elsewhere only as a whole.
    if (typeof FileReaderSync !== "undefined") files.putBlob(path, source);
    else files.put(path, new Uint8Array(await source.arrayBuffer()));
  } else if (source instanceof ArrayBuffer) {
    files.put(path, new Uint8Array(source));
  } else if (ArrayBuffer.isView(source)) {
    files.put(path, new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  } else {
    throw new TamisError("argument", "a file is expected as an ArrayBuffer, a typed array, a Blob or a File");
  }
  return path;
}

/** A file of arrays that is open: described, and read whole or window by window. */
export class ArrayFile {
  #reader;
  #path;

  constructor(reader, path) {
    this.#reader = reader;
    this.#path = path;
    const { format, arrays } = JSON.parse(call(internal.arrays, [reader]));
    /** "npy", "npz", "safetensors", "raw" or "csv". */
    this.format = format;
    /** What is in it: [{name, dtype, shape, bytes}]. */
    this.arrays = arrays;
  }
  /** All of an array, by name or number. */
  read(array = 0) {
    return call(internal.read, [this.#reader, this.#number(array)]);
  }
  /** Elements [first, first + count) of an array in row-major order, as a 1-d tensor. */
  window(array, first, count) {
    return call(internal.window, [this.#reader, this.#number(array), first, count]);
  }
  close() {
    if (this.#reader === null) return;
    call(internal.close, [this.#reader]);
    files.remove(this.#path);
    this.#reader = null;
  }
  #number(array) {
    if (this.#reader === null) throw new TamisError("value", "this file was closed");
    const number = typeof array === "string" ? this.arrays.findIndex(({ name }) => name === array) : array;
    if (!this.arrays[number]) {
      const names = this.arrays.map(({ name }) => `'${name}'`).join(", ");
      throw new TamisError("value", `there is no array '${array}' in this file; it has ${names}`);
    }
    return number;
  }
}
if (Symbol.dispose) ArrayFile.prototype[Symbol.dispose] = ArrayFile.prototype.close;

/** Opens a file (an ArrayBuffer, typed array, Blob or File). The format is told by the content; CSV by {format: "csv"}. */
export async function open(source, { format = null } = {}) {
  const path = await place(source);
  const isCsv = format === "csv" || (format === null && path.endsWith(".csv"));
  try {
    return new ArrayFile(call(internal.open, [path, isCsv]), path);
  } catch (error) {
    files.remove(path);
    throw error;
  }
}

/**
 * The tensor of a .npy file; of an .npz or .safetensors file an object with all of them, or the one that is called `name`.
 */
export async function load(source, { name = null, format = null } = {}) {
  const file = await open(source, { format });
  try {
    if (name !== null) return file.read(name);
    if (file.format === "npy" || file.format === "csv" || file.format === "raw") return file.read(0);
    return Object.fromEntries(file.arrays.map((array, i) => [array.name, file.read(i)]));
  } finally {
    file.close();
  }
}

/**
 * The bytes of a file: save(x, "x.npy"), save({a, b}, "weights.safetensors"). The ending of the name decides the format:
 * .npy, .npz or .safetensors.
 */
export async function save(data, name) {
  if (typeof name !== "string") throw new TamisError("argument", "save(): expected a name like 'x.npy', whose ending decides the format");
  const isOne = data instanceof classes.Tensor;
  const tensors = isOne ? [data] : Object.values(data);
  const hosts = [];
  for (const x of tensors) hosts.push(await callAsync(internal.host, [x]));
  const path = `/out/${++count}/${name.split("/").pop()}`;
  try {
    call(internal.save, [path, hosts, JSON.stringify(isOne ? null : Object.keys(data))]);
    return files.get(path);
  } finally {
    files.remove(path);
    for (const host of hosts) host.dispose();
  }
}
