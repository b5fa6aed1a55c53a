// Runs the unit tests in WebAssembly: node run_unit.mjs <tamis_web_tests.wasm> [options of GoogleTest]
import { readFileSync } from "node:fs";

import { Ended, imports } from "./wasi.mjs";

const [program, ...options] = process.argv.slice(2);

// What is left out is said in every run; filters that are given take the place of ours.
const lines = readFileSync(new URL("left_out.txt", import.meta.url), "utf8").split("\n");
const left_out = lines.filter((line) => /^(file|test) /.test(line));
console.log("Left out in WebAssembly:\n  " + left_out.join("\n  "));
if (!options.some((option) => option.startsWith("--gtest_filter"))) {
  const tests = left_out.filter((line) => line.startsWith("test ")).map((line) => /^test ([^:]*):/.exec(line)[1]);
  options.push(`--gtest_filter=-${tests.join(":")}`);
}

const module = await WebAssembly.compile(readFileSync(program));
// Imports that the tests do not call: what the module would ask of a page's GPU, and links between files.
const absent = (name) => () => {
  throw new Error(`${name}: not here`);
};
let memory = null;
const given = { wasi_snapshot_preview1: imports(["tamis_web_tests", ...options], () => memory), tamis: {} };
for (const { module: from, name } of WebAssembly.Module.imports(module)) given[from][name] ??= absent(name);
const instance = await WebAssembly.instantiate(module, given);
memory = instance.exports.memory;
try {
  instance.exports._start();
} catch (error) {
  if (!(error instanceof Ended)) throw error;
  process.exitCode = error.code;
}
