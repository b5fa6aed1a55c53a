// Conditions: the language of the command line, over tensors.

import { call, callAsync } from "./core.js";
import { TamisError } from "./error.js";
import { functions, internal } from "./table.js";

const conditionArguments = (text, tensors) => [text, JSON.stringify(Object.keys(tensors)), Object.values(tensors)];

/** The value of an expression in the language of the command line: evaluate("x ** 2 + y", {x, y}). */
export const evaluate = (text, tensors = {}) => call(internal.evaluate, conditionArguments(text, tensors));
export const evaluate_async = (text, tensors = {}) => callAsync(internal.evaluate, conditionArguments(text, tensors));

function checkMask(text, mask) {
  if (mask.dtype === "bool") return mask;
  throw new TamisError("condition", `where("${text}"): this is no condition, its values are ${mask.dtype}; write evaluate for them`);
}

/** where(condition, input, other), PyTorch's; or a mask from text: where("x > 3 & ~isnan(x)", {x}). */
export function where(condition, ...rest) {
  return typeof condition === "string" ? checkMask(condition, evaluate(condition, ...rest)) : call(functions.where, [condition, ...rest]);
}
export async function where_async(condition, ...rest) {
  return typeof condition === "string" ? checkMask(condition, await evaluate_async(condition, ...rest)) : callAsync(functions.where, [condition, ...rest]);
}
