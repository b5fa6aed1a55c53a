// Runs the tests of the package in Node, as a user has it: packed, and installed by npm into a folder of its own.
//
//     node web/test/node.mjs build/web/package build/web/consumer

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [folder, consumer] = process.argv.slice(2).map((path) => resolve(path));

rmSync(consumer, { recursive: true, force: true });
mkdirSync(consumer, { recursive: true });
const npm = (...args) => execFileSync("npm", args, { cwd: consumer, encoding: "utf8" });
const [{ filename, size }] = JSON.parse(npm("pack", folder, "--json"));
console.log(`${filename}: ${(size / 1e6).toFixed(2)} MB`);
const limit = 1.5e6;
if (size > limit) {
  console.error(`the package has ${size} bytes, but must not have more than ${limit}`);
  process.exit(1);
}
writeFileSync(join(consumer, "package.json"), JSON.stringify({ type: "module", private: true }));
npm("install", `./${filename}`, "--ignore-scripts", "--no-audit", "--no-fund", "--offline");

const names = ["tensor.test.js", "library.test.js"];
for (const name of [...names, "harness.js"]) cpSync(join(here, name), join(consumer, name));
const at = (name) => pathToFileURL(join(consumer, name));
for (const name of names) await import(at(name));
const { run } = await import(at("harness.js"));
const { passed, failed } = await run((name, error, ms) => {
  console.log(`${error ? "FAILED" : "ok    "} ${name} (${ms.toFixed(0)} ms)`);
  if (error) console.error(error.stack);
});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 && readdirSync(join(consumer, "node_modules", "tamis")).includes("tamis.wasm") ? 0 : 1);
