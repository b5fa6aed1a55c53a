// Runs the unit tests in WebAssembly: node run_unit.mjs <tamis_web_tests.wasm> [options of GoogleTest]
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [program, ...options] = process.argv.slice(2);

// What is left out is said in every run; filters that are given take the place of ours.
const lines = readFileSync(new URL("left_out.txt", import.meta.url), "utf8").split("\n");
const left_out = lines.filter((line) => /^(file|test) /.test(line));
console.log("Left out in WebAssembly:\n  " + left_out.join("\n  "));
if (!options.some((option) => option.startsWith("--gtest_filter"))) {
  const tests = left_out.filter((line) => line.startsWith("test ")).map((line) => /^test ([^:]*):/.exec(line)[1]);
  options.push(`--gtest_filter=-${tests.join(":")}`);
}

const wasi = new WASI({
  version: "preview1",
  args: ["tamis_web_tests", ...options],
  env: process.env,
  preopens: { "/": "/" },
  returnOnExit: true,
});
const module = await WebAssembly.compile(readFileSync(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
