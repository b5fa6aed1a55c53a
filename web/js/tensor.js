// Tensor: a handle to a tensor of the library. Most of its methods are made from the table of functions (functions.js).

import { address, asyncName, call, callAsync, classes, disown, info, memory, own, releaseTensor } from "./core.js";
import { arrayTypes } from "./data.js";
import { TamisError } from "./error.js";
import { internal, methods } from "./table.js";

const scopes = []; // of tidy, the innermost last
const made = Symbol("made by the library");

export class Tensor {
  #handle;
  #dtype = null; // these two never change
  #device = null;

  /** Tensors come from functions: tensor(data), zeros(2, 3), x.add(1). */
  constructor(key, handle) {
    if (key !== made) throw new TamisError("argument", "write tensor(data), zeros(...) or another function instead of new Tensor");
    this.#handle = handle;
    own(this, handle, releaseTensor);
    scopes.at(-1)?.add(this);
  }

  static from_handle(handle) {
    return new Tensor(made, handle);
  }

  /** The library's number of this tensor. */
  get handle() {
    if (this.#handle === 0) throw new TamisError("value", "this tensor was disposed of");
    return this.#handle;
  }

  // ---- memory ----

  /** Gives the memory back now, and not when the garbage collector finds out. Views and gradients that need it keep it. */
  dispose() {
    if (this.#handle === 0) return;
    disown(this);
    releaseTensor(this.#handle);
    this.#handle = 0;
  }
  get is_disposed() {
    return this.#handle === 0;
  }

  // ---- what it is ----

  /** The sizes of the dimensions. */
  get shape() {
    return info(this.handle).shape;
  }
  get dtype() {
    return (this.#dtype ??= info(this.handle).dtype);
  }
  /** "cpu" or "webgpu:0". */
  get device() {
    return (this.#device ??= info(this.handle).device);
  }
  get ndim() {
    return this.shape.length;
  }
  dim() {
    return this.ndim;
  }
  /** The shape, or one size of it; a negative dim counts from the end. */
  size(dim) {
    return entry(this.shape, dim);
  }
  /** The distances between neighbours of a dimension, in elements. */
  stride(dim) {
    return entry(info(this.handle).strides, dim);
  }
  numel() {
    return this.shape.reduce((product, size) => product * size, 1);
  }
  /** The size of the first dimension. */
  get length() {
    if (this.ndim === 0) throw new TamisError("value", "length of a 0-d tensor");
    return this.shape[0];
  }
  is_contiguous() {
    return info(this.handle).is_contiguous;
  }
  /** Whether the values are not computed yet. */
  is_deferred() {
    return info(this.handle).is_deferred;
  }
  is_floating_point() {
    return /^b?float/.test(this.dtype);
  }
  is_complex() {
    return this.dtype.startsWith("complex");
  }
  /** A view with the dimensions in reverse order. */
  get T() {
    return this.permute([...this.shape.keys()].reverse());
  }
  /** A view with the last two dimensions swapped. */
  get mT() {
    return this.transpose(-2, -1);
  }

  // ---- gradients ----

  get requires_grad() {
    return info(this.handle).requires_grad;
  }
  set requires_grad(on) {
    this.requires_grad_(on);
  }
  requires_grad_(on = true) {
    call(internal.requires_grad_, [this, on]);
    return this;
  }
  get is_leaf() {
    return info(this.handle).is_leaf;
  }
  /** The gradient collected so far, or null. */
  get grad() {
    return call(internal.get_grad, [this]) ?? null;
  }
  set grad(value) {
    call(internal.set_grad, [this, value]);
  }
  retain_grad() {
    call(internal.retain_grad, [this]);
  }
  /** Adds the gradients of this tensor to `.grad` of the leaves that it was computed from. */
  backward(gradient = null, { retain_graph = null, create_graph = false } = {}) {
    call(internal.backward, [[this], gradient ? [gradient] : [], retain_graph, create_graph]);
  }
  /** The same where gradients have to wait for values on a GPU. */
  async backward_async(gradient = null, { retain_graph = null, create_graph = false } = {}) {
    await callAsync(internal.backward, [[this], gradient ? [gradient] : [], retain_graph, create_graph]);
  }

  // ---- values ----

  /** The only element: a number; a bigint if it is an integer that a number cannot hold; a boolean; or {re, im}. */
  item() {
    return call(internal.item, [this]);
  }
  item_async() {
    return callAsync(internal.item, [this]);
  }
  /** The elements as nested arrays; of a 0-d tensor, one value. Integers are bigints if one of them needs it. */
  tolist() {
    return withHost(call(internal.host, [this]), toNested);
  }
  async tolist_async() {
    return withHost(await callAsync(internal.host, [this]), toNested);
  }
  /**
   * The elements in row-major order in a typed array of their own: Float32Array for float32, BigInt64Array for int64,
   * BigUint64Array for uint64,
   * Uint8Array for bool, Uint16Array of the bits of float16 and bfloat16, pairs for complex numbers.
   *
   * With {copy: false} it is a view of the library's memory where that is possible: quick, but only valid until the next
   * call of any function of Tamis.
   */
  async data({ copy = true } = {}) {
    return withHost(await callAsync(internal.host, [this]), (host) => typed(host, copy));
  }
  /** The same for tensors on the CPU, at once. */
  data_sync({ copy = true } = {}) {
    return withHost(call(internal.host, [this]), (host) => typed(host, copy));
  }
  /** Computes the values now if they are deferred. */
  settle() {
    call(internal.settle, [this]);
    return this;
  }
  /** As PyTorch prints it: tensor([1., 2., 3.]). */
  toString() {
    return call(internal.text, [this]);
  }
  toString_async() {
    return callAsync(internal.text, [this]);
  }
  toJSON() {
    return this.tolist();
  }
  [Symbol.for("nodejs.util.inspect.custom")]() {
    if (this.is_disposed) return "tensor(disposed)";
    // What is on a GPU cannot be waited for here.
    if (this.device !== "cpu") return `tensor(..., size=[${this.shape.join(", ")}], dtype=${this.dtype}, device='${this.device}')`;
    return this.toString();
  }
  /** Operators of JavaScript compare and add objects by these; only a single element is a number. */
  [Symbol.toPrimitive](hint) {
    if (hint === "string") return this.toString();
    if (this.numel() !== 1) {
      throw new TamisError(
        "unsupported",
        `JavaScript's operators do not work on a tensor of shape [${this.shape.join(", ")}]; write x.add(y), x.gt(3), x.eq(y)`,
      );
    }
    return this.item();
  }
  /** The views x.get(0), x.get(1), ... */
  *[Symbol.iterator]() {
    for (let i = 0, n = this.length; i < n; ++i) yield this.get(i);
  }

  // ---- copies ----

  /** to(dtype), to(device), to(device, dtype) or to(other); itself if it is that already. */
  to(...args) {
    return call(internal.to, [this, ...args]);
  }
  to_async(...args) {
    return callAsync(internal.to, [this, ...args]);
  }
  cpu() {
    return this.to("cpu");
  }
  cpu_async() {
    return this.to_async("cpu");
  }

  // ---- indexing ----

  /**
   * x[...]: each argument is an integer, a boolean, null (a new dimension), a Tensor (a mask or indices), an array, or a
   * string: x.get(0), x.get(mask), x.get("1:3, ..., None"), x.get(":", [0, 2]).
   */
  get(...indices) {
    return call(internal.get, [this, ...indices]);
  }
  at(...indices) {
    return this.get(...indices);
  }
  get_async(...indices) {
    return callAsync(internal.get, [this, ...indices]);
  }
  /** x[...] = value: x.set(mask, 0), x.set(0, ":", y). */
  set(...indicesAndValue) {
    call(internal.set_, [this, ...indicesAndValue]);
    return this;
  }
  async set_async(...indicesAndValue) {
    await callAsync(internal.set_, [this, ...indicesAndValue]);
    return this;
  }
}

// The methods of the table, except those that are written above.
for (const [name, id] of Object.entries(methods)) {
  if (Object.hasOwn(Tensor.prototype, name)) continue;
  const method = {
    [name](...args) {
      return call(id, [this, ...args]);
    },
    [asyncName(name)](...args) {
      return callAsync(id, [this, ...args]);
    },
  };
  Object.defineProperties(Tensor.prototype, Object.getOwnPropertyDescriptors(method));
}

if (Symbol.dispose) Tensor.prototype[Symbol.dispose] = Tensor.prototype.dispose;

classes.Tensor = Tensor;

function entry(entries, dim) {
  if (dim === undefined) return entries;
  const n = entries.length;
  if (!Number.isInteger(dim) || dim < -n || dim >= n) {
    throw new TamisError("index", `Dimension out of range (expected to be in range of [${-n}, ${n - 1}], but got ${dim})`);
  }
  return entries.at(dim);
}

// ---- values -------------------------------------------------------------------------------------

/** What read(host) gives, where host is a row-major tensor on the CPU that is not needed any more. */
function withHost(host, read) {
  try {
    return read(host);
  } finally {
    host.dispose();
  }
}

function typed(host, copy) {
  const { array, perElement } = arrayTypes[host.dtype];
  const view = new array(memory(), address(host.handle), host.numel() * perElement);
  return copy ? view.slice() : view;
}

const isSafe = (integer) => integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER;

/** The elements as JavaScript's values. */
function values(host) {
  const found = typed(host, true);
  switch (host.dtype) {
    case "bool":
      return Array.from(found, (byte) => byte !== 0);
    case "int64":
    case "uint64":
      return found.every(isSafe) ? Array.from(found, Number) : Array.from(found);
    case "complex64":
    case "complex128":
      return Array.from({ length: found.length / 2 }, (_, i) => ({ re: found[2 * i], im: found[2 * i + 1] }));
    default:
      return Array.from(found);
  }
}

function toNested(host) {
  if (host.dtype === "float16" || host.dtype === "bfloat16") return withHost(host.to("float32"), toNested);
  const all = values(host);
  let at = 0;
  const nest = ([size, ...rest]) => (size === undefined ? all[at++] : Array.from({ length: size }, () => nest(rest)));
  return nest(host.shape);
}

// ---- memory -------------------------------------------------------------------------------------

/** The tensors in a value: itself, or those in arrays and objects. */
function* tensorsIn(value, seen = new Set()) {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Tensor) yield value;
  else if (!ArrayBuffer.isView(value)) for (const item of Object.values(value)) yield* tensorsIn(item, seen);
}

/**
 * Calls fn, and disposes of all tensors that were made in it except those that it returns (also in arrays and objects)
 * and those given to keep.
 */
export function tidy(fn) {
  const scope = new Set();
  scopes.push(scope);
  let kept = [];
  try {
    const result = fn();
    if (typeof result?.then === "function") {
      throw new TamisError("unsupported", "tidy takes a function that is not async; use `using` or dispose() there");
    }
    kept = [...tensorsIn(result)];
    return result;
  } finally {
    scopes.pop();
    for (const x of kept) {
      if (scope.delete(x)) scopes.at(-1)?.add(x);
    }
    for (const x of scope) x.dispose();
  }
}

/** Takes a tensor out of all tidy calls around it; returns it. */
export function keep(x) {
  for (const scope of scopes) scope.delete(x);
  return x;
}
