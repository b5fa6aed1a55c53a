// Conditions: the language of the command line, over tensors.

import { call, callAsync } from "./core.js";
import { functions, internal } from "./table.js";

const conditionArguments = (text, tensors) => [text, JSON.stringify(Object.keys(tensors)), Object.values(tensors)];

/** The value of an expression in the language of the command line: evaluate("x ** 2 + y", {x, y}). */
export const evaluate = (text, tensors = {}) => call(internal.evaluate, conditionArguments(text, tensors));
export const evaluate_async = (text, tensors = {}) => callAsync(internal.evaluate, conditionArguments(text, tensors));

/** where(condition, input, other), PyTorch's; or a mask from text: where("x > 3 & ~isnan(x)", {x}). */
export function where(condition, ...rest) {
  return typeof condition === "string" ? evaluate(condition, ...rest) : call(functions.where, [condition, ...rest]);
}
export function where_async(condition, ...rest) {
  return typeof condition === "string" ? evaluate_async(condition, ...rest) : callAsync(functions.where, [condition, ...rest]);
}
