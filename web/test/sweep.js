// The sweep: makes the calls that record.cpp has made natively, and compares what they give. Runs in Node and in browsers.

/** Products of matrices round as the machine's library does, whatever calls them. */
const products = new Set(["matmul", "mm", "bmm", "mv", "dot", "addmm", "scaled_dot_product_attention", "cov", "corrcoef"]);

const isNan = (value) => typeof value === "number" && Number.isNaN(value);
const same = (a, b) => a === b || (isNan(a) && isNan(b));

function toNumber(value) {
  if (typeof value === "boolean") return value;
  if ("int" in value) {
    const integer = BigInt(value.int);
    return BigInt(Number(integer)) === integer && Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  if ("re" in value) return { re: Number(value.re), im: Number(value.im) };
  return Number({ nan: NaN, inf: Infinity, "-inf": -Infinity }[value.real] ?? value.real);
}

/** The value that an item of the record stands for. */
function decode(item, tensors) {
  if ("none" in item) return undefined;
  if ("tensor" in item) return tensors(item.tensor);
  if ("list" in item) return item.list.map((one) => decode(one, tensors));
  if ("number" in item) return toNumber(item.number);
  if ("text" in item) return item.text;
  return item.sizes;
}

function argumentsOf(call, tensors) {
  const given = [];
  const options = {};
  for (const item of call.args) {
    const value = decode(item, tensors);
    if (item.name === undefined) given.push(value ?? null);
    else if (value !== undefined) options[item.name] = value;
  }
  return Object.keys(options).length > 0 ? [...given, options] : given;
}

/** Makes a call by its name, as a user would. */
function make(tamis, call, args, later) {
  const name = later ? (call.name.endsWith("_") ? `${call.name.slice(0, -1)}_async_` : `${call.name}_async`) : call.name;
  if (call.method) return args[0][name](...args.slice(1));
  return (call.space ? tamis[call.space] : tamis)[name](...args);
}

/** What is wrong with a result, or null. */
async function difference(found, expected, tensors, close) {
  if ("none" in expected) return found == null ? null : `expected nothing, but got ${found}`;
  if ("list" in expected) {
    const list = [...found];
    if (list.length !== expected.list.length) return `${list.length} results instead of ${expected.list.length}`;
    for (let i = 0; i < list.length; ++i) {
      const wrong = await difference(list[i], expected.list[i], tensors, close);
      if (wrong) return `result ${i}: ${wrong}`;
    }
    return null;
  }
  if ("number" in expected) {
    const wanted = toNumber(expected.number);
    const value = typeof found === "object" && "item_async" in found ? await found.item_async() : found;
    const equal = typeof wanted === "object" ? same(wanted.re, value.re) && same(wanted.im, value.im) : same(value, wanted);
    return equal || close(value, wanted) ? null : `${value} instead of ${wanted}`;
  }
  if ("text" in expected) return found === expected.text ? null : `${found} instead of ${expected.text}`;
  if ("sizes" in expected) return String(found) === String(expected.sizes) ? null : `${found} instead of ${expected.sizes}`;
  return compareTensors(found, tensors(expected.tensor), close);
}

async function compareTensors(found, wanted, close) {
  if (found.dtype !== wanted.dtype) return `dtype ${found.dtype} instead of ${wanted.dtype}`;
  if (String(found.shape) !== String(wanted.shape)) return `shape [${found.shape}] instead of [${wanted.shape}]`;
  const isHalf = wanted.dtype === "float16" || wanted.dtype === "bfloat16";
  const plain = (x) => (isHalf ? x.detach().to("float32") : x);
  const [a, b] = [await plain(found).data(), await plain(wanted).data()];
  for (let i = 0; i < b.length; ++i) {
    if (!same(a[i], b[i]) && !close(a[i], b[i], wanted.dtype)) return `element ${i} is ${a[i]} instead of ${b[i]}`;
  }
  return null;
}

/** Relative, and against 1 near zero. */
const within = (tolerance) => (a, b) => typeof a === "number" && Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b));
/** Functions of complex numbers are the C library's, of which there are several. */
const closeIfComplex = (a, b, dtype) => dtype?.startsWith("complex") && within(1e-6)(a, b);

/** A GPU adds in another order and has other functions: some units in the last place. */
const roundings = { float16: 2 ** -9, bfloat16: 2 ** -6, float32: 2 ** -17, float64: 2 ** -17, complex64: 2 ** -17 };
const asOnGpu = (a, b, dtype) => within(roundings[dtype] ?? 0)(a, b);
/** Numbers that a GPU may take for zero. */
const hasSubnormals = (x) =>
  "tolist" in x && x.dtype === "float32" && x.detach().flatten().tolist().some((value) => value !== 0 && Math.abs(value) < 2 ** -126);
/** What is drawn by sums of probabilities, which a GPU rounds otherwise. */
const drawn = new Set(["multinomial"]);

/** What is wrong with the error of a call, or null. */
function errorDifference(error, call) {
  if (error.name !== "TamisError" || error.kind === "internal") return error.stack;
  if (call.error === undefined) return error.message;
  if (error.kind === "argument" || error.message.startsWith(call.error.slice(0, 60))) return null;
  return `error '${error.message}' instead of '${call.error}'`;
}

/** All tensors among these values. */
const tensorsOf = (values) =>
  values.flatMap((value) => (Array.isArray(value) ? tensorsOf(value) : value?.dtype ? [value] : value?.mask?.dtype ? [value.mask] : []));

const isWide = (x) => x.dtype === "float64" || x.dtype.startsWith("complex");

/**
 * Makes all calls of the record and returns what differs, as texts, and how many were compared.
 *
 * @param tamis the package
 * @param calls calls.json of record.cpp
 * @param stored the tensors of tensors.safetensors, by name
 */
export async function sweep(tamis, calls, stored) {
  const tensors = (name) => stored[name];
  const wrong = [];
  for (const call of calls) {
    // What is written in place must be a copy.
    const args = argumentsOf(call, tensors);
    if (call.name.endsWith("_")) args[0] = args[0].clone();
    const close = products.has(call.name) ? within(1e-5) : closeIfComplex;
    const problem = await tryCall(tamis, call, args, tensors, close, false);
    if (problem) wrong.push(`${labelOf(call)}: ${problem}`);
  }
  return { compared: calls.length, wrong };
}

const labelOf = (call) =>
  `${call.space ? `${call.space}.` : ""}${call.name}${call.method ? " (method)" : ""} ${JSON.stringify(call.args).slice(0, 160)}`;

async function tryCall(tamis, call, args, tensors, close, later) {
  tamis.manual_seed(7);
  try {
    const found = later ? await make(tamis, call, args, true) : make(tamis, call, args, false);
    return call.error ? `no error, but '${call.error}' was expected` : await difference(found, call.result, tensors, close);
  } catch (error) {
    return errorDifference(error, call);
  }
}

/**
 * The same on a GPU, all calls awaited. What has arithmetic of float64 or complex numbers may be refused.
 *
 * @param picks which calls are made, from the call and its tensors: each takes a kernel or more, whose compilation is slow
 */
export async function sweepOnGpu(tamis, calls, stored, picks) {
  const tensors = (name) => stored[name];
  const there = (name) => stored[name].to("webgpu");
  const wrong = [];
  let [compared, subnormal] = [0, 0];
  tamis.set_default_device("webgpu");
  try {
    for (const call of calls) {
      const used = tensorsOf(argumentsOf(call, tensors));
      if (drawn.has(call.name) || !picks(call, used)) continue;
      if (used.some(hasSubnormals)) {
        ++subnormal;
        continue;
      }
      ++compared;
      const problem = await tryCall(tamis, call, argumentsOf(call, there), tensors, asOnGpu, true);
      const mayRefuse = used.some(isWide) || (call.result?.tensor && isWide(stored[call.result.tensor]));
      if (problem && !(mayRefuse && problem.includes("is not available on webgpu"))) wrong.push(`${labelOf(call)}: ${problem}`);
    }
  } finally {
    tamis.set_default_device("cpu");
  }
  return { compared, wrong, subnormal };
}
