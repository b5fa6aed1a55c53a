// Tamis: tensors and masking with PyTorch's semantics, on the CPU (wasm) and on WebGPU.

import { call, gpu, memory } from "./core.js";
import { internal } from "./table.js";
import { Tensor } from "./tensor.js";

export * from "./functions.js";
export { TamisError } from "./error.js";
export { Tensor, tidy, keep } from "./tensor.js";
export { tensor } from "./data.js";
export { Generator, manual_seed, seed, initial_seed, get_rng_state, set_rng_state } from "./random.js";
export { no_grad, enable_grad, is_grad_enabled } from "./autograd.js";
export { ArrayFile, load, open, save } from "./files.js";
export { evaluate, evaluate_async, where, where_async } from "./conditions.js";
export * as autograd from "./autograd.js";
export * as optim from "./optim.js";

// PyTorch's names of the dtypes.
const bool = "bool";
export { bool };
export const uint8 = "uint8";
export const int8 = "int8";
export const int16 = "int16";
export const uint16 = "uint16";
export const uint32 = "uint32";
export const uint64 = "uint64";
export const int32 = "int32";
export const int64 = "int64";
export const float16 = "float16";
export const bfloat16 = "bfloat16";
export const float32 = "float32";
export const float64 = "float64";
export const complex64 = "complex64";
export const complex128 = "complex128";
export { int16 as short, int32 as int, int64 as long, float16 as half, float32 as float, float64 as double };

export const is_tensor = (value) => value instanceof Tensor;

/** How tensors are printed; without an option, the defaults: precision 4, threshold 1000, edgeitems 3, linewidth 80. */
export function set_printoptions(options = {}) {
  call(internal.set_printoptions, [options]);
}

/** Where tensors are made unless a device is given: "cpu", until another is set. */
export const get_default_device = () => call(internal.default_device, []);
export const set_default_device = (device) => void call(internal.set_default_device, [device]);

/** The device "webgpu". */
export const webgpu = {
  /** Opens the device on the first call; whether it can be used. */
  is_available: (options) => gpu.open(options),
  /** Why it cannot. */
  get trouble() {
    return gpu.trouble;
  },
  /** {name, backend, type, driver}, or null before it is open. */
  get adapter() {
    return gpu.adapter;
  },
  /** Waits until the device has done all that it was given, and throws what went wrong. */
  synchronize: () => gpu.synchronize(),
  /** What the device was asked to do: dispatches, submits, readbacks, bytes. */
  stats: () => JSON.parse(call(internal.stats, [])),
  reset_stats: () => void call(internal.reset_stats, []),
};


/** The bytes that the library has taken from the system. They are used again, and never given back. */
export const memory_bytes = () => memory().byteLength;
