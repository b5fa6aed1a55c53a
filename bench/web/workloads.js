// The workloads of the benchmark in the browser: their data, the same for every library, and what they must give.

/** Rows of softmax have this many elements. */
export const rowLength = 1000;

export const operations = ["masked_select", "fused_select", "masked_sum", "where", "isin", "softmax"];

/** How the table calls them. */
export const titles = {
  masked_select: "x[mask]",
  fused_select: "(x * 2 + 1)[x > 0]",
  masked_sum: "sum of x[mask]",
  where: "where(mask, a, b)",
  isin: "isin(x, 16 values)",
  softmax: `softmax of rows of ${rowLength}`,
};

/** Random integers of 32 bits, always the same ones (Marsaglia's xorshift). */
function* randomBits(seed) {
  for (let state = seed; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

function fill(array, seed, map) {
  const bits = randomBits(seed);
  for (let i = 0; i < array.length; ++i) array[i] = map(bits.next().value);
  return array;
}

const between = (low, high) => (bits) => low + ((high - low) * bits) / 2 ** 32;

/** Inputs as typed arrays: float32, and bytes for masks, of which a random half are 1. */
export function makeData(operation, n) {
  const x = fill(new Float32Array(n), 1, between(-1, 1));
  const mask = () => fill(new Uint8Array(n), 2, (bits) => bits >>> 31);
  switch (operation) {
    case "masked_select":
    case "masked_sum":
      return { x, mask: mask() };
    case "where":
      return { a: x, b: fill(new Float32Array(n), 3, between(-1, 1)), mask: mask() };
    case "isin": // half of the values of x are looked for
      return { x: fill(x, 4, (bits) => bits >>> 27), values: Float32Array.from({ length: 16 }, (_, i) => 2 * i) };
    case "softmax":
      return { x: x.map((v) => 10 * v) };
    default:
      return { x };
  }
}

function softmax(x) {
  const result = new Float64Array(x.length);
  for (let begin = 0; begin < x.length; begin += rowLength) {
    const row = x.subarray(begin, begin + rowLength);
    const largest = row.reduce((a, b) => Math.max(a, b), -Infinity);
    let sum = 0;
    for (let i = 0; i < rowLength; ++i) sum += result[begin + i] = Math.exp(row[i] - largest);
    for (let i = 0; i < rowLength; ++i) result[begin + i] /= sum;
  }
  return result;
}

/** What an operation must give, computed plainly in double. */
export function expected(operation, { x, a, b, mask, values }) {
  switch (operation) {
    case "masked_select":
      return x.filter((_, i) => mask[i]);
    case "fused_select":
      return x.filter((v) => v > 0).map((v) => v * 2 + 1);
    case "masked_sum":
      return x.reduce((sum, v, i) => (mask[i] ? sum + v : sum), 0);
    case "where":
      return a.map((v, i) => (mask[i] ? v : b[i]));
    case "isin":
      return Uint8Array.from(x, (v) => (values.includes(v) ? 1 : 0));
    case "softmax":
      return softmax(x);
  }
}

/** How far a result may be off: some libraries compute in float32, plain arrays in double. */
function tolerance(operation, n) {
  if (operation === "masked_sum") return 1e-6 * n;
  return operation === "softmax" || operation === "fused_select" ? 1e-6 : 0;
}

/** Throws unless a result is the expected one. */
export function check(operation, who, found, wanted, n) {
  const [a, b] = [found, wanted].map((v) => (typeof v === "number" ? [v] : v));
  if (a.length !== b.length) throw new Error(`${operation}, ${n} elements: ${who} gives ${a.length} elements, not ${b.length}`);
  const most = tolerance(operation, n);
  for (let i = 0; i < a.length; ++i) {
    const off = Math.abs(Number(a[i]) - Number(b[i]));
    if (!(off <= most)) throw new Error(`${operation}, ${n} elements: ${who} gives ${a[i]} at ${i}, not ${b[i]}`);
  }
}
