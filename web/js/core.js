// The core: loads the library once and calls its functions.

import { TamisError } from "./error.js";
import { WebGpu } from "./gpu.js";
import { Files } from "./wasi.js";
import { attach, encode, openReply, readItem } from "./wire.js";

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
export const library = instance.exports;
attach(library);
files.attach(library.memory);
gpu.attach(library);
library._initialize();

/** Bytes of the library's memory. It moves when the memory grows: never keep it. */
export const memory = () => library.memory.buffer;

// ---- tensors and generators ---------------------------------------------------------------------

/** Where the classes that need this module register themselves. */
export const classes = { Tensor: null, Generator: null };

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
  openReply(null);
  return {
    dtype: readItem(),
    device: readItem(),
    shape: readItem(),
    strides: readItem(),
    requires_grad: readItem(),
    is_leaf: readItem(),
    is_deferred: readItem(),
    is_contiguous: readItem(),
  };
}

/** The address of a tensor's first element. */
export const address = (handle) => library.tm_data(handle) >>> 0;

// ---- calls --------------------------------------------------------------------------------------

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

let current = []; // the arguments of the call whose result is read
const makers = {
  tensor: (handle) => classes.Tensor.from_handle(handle),
  generator: (handle) => classes.Generator.from_handle(handle),
  same: (handle) => find(current, handle),
};

function result(args) {
  current = args;
  openReply(makers);
  return readItem();
}

function failure() {
  openReply(null);
  return new TamisError(readItem(), readItem());
}

/** Calls function number `id`. What would have to wait for a device throws. */
export function call(id, args) {
  if (library.tm_call(id, encode(args, classes)) !== status.done) throw failure();
  return result(args);
}

/** The same, and waits for what has to be waited for. */
export async function callAsync(id, args) {
  const number = library.tm_begin(id, encode(args, classes));
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

