// A test harness of few lines, because the same tests run in Node, in pages and in workers.

const tests = [];

/** Registers a test; `fn` may be async. */
export const test = (name, fn) => tests.push({ name, fn });

const show = (value) =>
  JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : Number.isNaN(v) ? "NaN" : Object.is(v, -0) ? "-0" : v));

export const assert = {
  ok(value, message = `expected something true, but got ${show(value)}`) {
    if (!value) throw new Error(message);
  },
  /** Equal as JSON, where NaN equals NaN and bigints are not numbers. */
  equal(found, expected) {
    if (show(found) !== show(expected)) throw new Error(`found ${show(found)}, expected ${show(expected)}`);
  },
  close(found, expected, tolerance = 1e-5) {
    const [a, b] = [[found].flat(Infinity), [expected].flat(Infinity)];
    const isClose = a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) <= tolerance);
    if (!isClose) throw new Error(`found ${show(found)}, expected ${show(expected)} within ${tolerance}`);
  },
  /** That fn throws a TamisError of that kind whose message contains the text. */
  throws(fn, kind, text) {
    try {
      fn();
    } catch (error) {
      return this.is_error(error, kind, text);
    }
    throw new Error(`expected an error of kind ${kind}, but there was none`);
  },
  async rejects(promise, kind, text) {
    try {
      await promise;
    } catch (error) {
      return this.is_error(error, kind, text);
    }
    throw new Error(`expected a rejection of kind ${kind}, but there was none`);
  },
  is_error(error, kind, text) {
    if (error.name !== "TamisError") throw error;
    if (error.kind !== kind || !error.message.includes(text)) {
      throw new Error(`expected kind ${kind} with '${text}', but got kind ${error.kind}: ${error.message}`);
    }
  },
};

/** Runs all tests and calls report(name, error or null, milliseconds) after each; how many passed and failed. */
export async function run(report) {
  let failed = 0;
  for (const { name, fn } of tests) {
    const begin = performance.now();
    let trouble = null;
    try {
      await fn();
    } catch (error) {
      trouble = error;
      ++failed;
    }
    report(name, trouble, performance.now() - begin);
  }
  return { passed: tests.length - failed, failed };
}
