// The core: loads the library once and calls its functions.

import { TamisError } from "./error.js";
import { WebGpu } from "./gpu.js";
import { Files } from "./wasi.js";
import { encode, Reader } from "./wire.js";

const status = { done: 0, error: 1, pending: 2 };

export const gpu = new WebGpu((kind, message) => new TamisError(kind, message));
export const files = new Files();

async function compile() {
  const url = new URL("./tamis.wasm", import.meta.url);
  if (url.protocol === "file:") {
    const module = "node:fs/promises"; // in a variable, so that bundlers for browsers leave it alone
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ module);
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new TamisError("io", `${url} cannot be loaded: ${response.status} ${response.statusText}`);
  // Not every server knows the type that compileStreaming wants.
  const isWasm = response.headers.get("content-type")?.startsWith("application/wasm");
  return isWasm ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

const instance = await WebAssembly.instantiate(await compile(), {
  wasi_snapshot_preview1: files.imports(),
  tamis: gpu.imports(),
});
const library = instance.exports;
files.attach(library.memory);
gpu.attach(library);
library._initialize();

/** Bytes of the library's memory. It moves when the memory grows: never keep it. */
export const memory = () => library.memory.buffer;

// ---- tensors and generators ---------------------------------------------------------------------

/** Where the classes that need this module register themselves. */
export const classes = { Tensor: null, Generator: null, adopt: null };

const collected = new FinalizationRegistry(({ release, handle }) => release(handle));

/** Calls release(handle) when the object is garbage. */
export function own(object, handle, release) {
  collected.register(object, { release, handle }, object);
}
export function disown(object) {
  collected.unregister(object);
}
export const releaseTensor = (handle) => library.tm_release(handle);
export const releaseGenerator = (handle) => library.tm_release_generator(handle);

/** What a tensor is: dtype, device, shape, strides, requires_grad, is_leaf, is_deferred, is_contiguous. */
export function info(handle) {
  library.tm_info(handle);
  const reader = reply(null);
  const [dtype, device, shape, strides] = [reader.item(), reader.item(), reader.item(), reader.item()];
  const [requires_grad, is_leaf, is_deferred, is_contiguous] = [reader.item(), reader.item(), reader.item(), reader.item()];
  return { dtype, device, shape, strides, requires_grad, is_leaf, is_deferred, is_contiguous };
}

/** The address of a tensor's first element. */
export const address = (handle) => library.tm_data(handle) >>> 0;

// ---- calls --------------------------------------------------------------------------------------

function reply(objects) {
  return new Reader(library.memory.buffer, library.tm_reply() >>> 0, library.tm_reply_words(), objects);
}

/** Writes the arguments where the library reads them; how many words. */
function pass(args) {
  const bytes = encode(args, classes.adopt);
  const words = bytes.length / 8;
  const pointer = library.tm_scratch(words) >>> 0;
  new Uint8Array(library.memory.buffer, pointer, bytes.length).set(bytes);
  return words;
}

/** The argument that has this handle. */
function find(args, handle) {
  for (const arg of args) {
    if (arg instanceof classes.Tensor && arg.handle === handle) return arg;
    if (typeof arg === "object" && arg !== null && !(arg instanceof classes.Tensor)) {
      const found = find(Object.values(arg), handle);
      if (found) return found;
    }
  }
  return null;
}

function result(args) {
  return reply({
    tensor: (handle) => classes.Tensor.from_handle(handle),
    generator: (handle) => classes.Generator.from_handle(handle),
    same: (handle) => find(args, handle),
  }).item();
}

function failure() {
  const reader = reply(null);
  return new TamisError(reader.item(), reader.item());
}

/** Calls function number `id`. What would have to wait for a device throws. */
export function call(id, args) {
  if (library.tm_call(id, pass(args)) !== status.done) throw failure();
  return result(args);
}

/** The same, and waits for what has to be waited for. */
export async function callAsync(id, args) {
  const number = library.tm_begin(id, pass(args));
  if (number === 0) throw failure();
  try {
    for (;;) {
      const ended = library.tm_run(number);
      if (ended === status.done) {
        const found = result(args);
        await gpu.check();
        return found;
      }
      if (ended === status.error) throw failure();
      await gpu.waiting();
    }
  } finally {
    library.tm_end(number);
  }
}

/** What the form of a function that waits is called. In place, the underscore stays last: index_put_async_. */
export const asyncName = (name) => (name.endsWith("_") ? `${name.slice(0, -1)}_async_` : `${name}_async`);

/** The table of all functions, from which functions.js and the types are made. */
export function describe() {
  library.tm_describe();
  return JSON.parse(reply(null).item());
}

/** What dtypes the functions take and give, from which the types are made. Takes seconds. */
export function probe() {
  library.tm_probe();
  return JSON.parse(reply(null).item());
}
