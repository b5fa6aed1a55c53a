// Gradients beyond x.backward(): grad, and switching the recording off.

import { call, callAsync } from "./core.js";
import { internal } from "./table.js";

const list = (value) => (value == null ? [] : Array.isArray(value) ? value : [value]);

function gradArguments(outputs, inputs, options) {
  const { grad_outputs = null, retain_graph = null, create_graph = false, allow_unused = false } = options;
  return [list(outputs), list(inputs), list(grad_outputs), retain_graph, create_graph, allow_unused];
}

/** The gradients of the outputs with respect to the inputs, as backward would add them. */
export const grad = (outputs, inputs, options = {}) => call(internal.grad, gradArguments(outputs, inputs, options));
export const grad_async = (outputs, inputs, options = {}) => callAsync(internal.grad, gradArguments(outputs, inputs, options));

/** Adds the gradients of several tensors to `.grad` of the leaves that they were computed from. */
export function backward(tensors, grad_tensors = null, { retain_graph = null, create_graph = false } = {}) {
  call(internal.backward, [list(tensors), list(grad_tensors), retain_graph, create_graph]);
}
export async function backward_async(tensors, grad_tensors = null, { retain_graph = null, create_graph = false } = {}) {
  await callAsync(internal.backward, [list(tensors), list(grad_tensors), retain_graph, create_graph]);
}

export const is_grad_enabled = () => call(internal.is_grad_enabled, []);

function withMode(on, fn) {
  const before = call(internal.set_grad_enabled, [on]);
  const restore = () => call(internal.set_grad_enabled, [before]);
  let result;
  try {
    result = fn();
  } catch (error) {
    restore();
    throw error;
  }
  if (typeof result?.then === "function") return result.finally(restore);
  restore();
  return result;
}

/** What fn returns; what it computes is not recorded. */
export const no_grad = (fn) => withMode(false, fn);
/** What fn returns; what it computes is recorded, also inside no_grad. */
export const enable_grad = (fn) => withMode(true, fn);
