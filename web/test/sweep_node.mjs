// Compares the package, in Node, with what the native library gives for the samples of all rows.
//
//     node web/test/sweep_node.mjs build/web/consumer/node_modules/tamis build/web/record

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { sweep } from "./sweep.js";

const [folder, record] = process.argv.slice(2).map((path) => resolve(path));
const tamis = await import(pathToFileURL(join(folder, "index.js")));
const calls = JSON.parse(readFileSync(join(record, "calls.json"), "utf8"));
const tensors = await tamis.load(readFileSync(join(record, "tensors.safetensors")));
const { compared, wrong } = await sweep(tamis, calls, tensors);
for (const text of wrong.slice(0, 50)) console.error(text);
console.log(`${compared - wrong.length} passed, ${wrong.length} failed`);
process.exit(wrong.length === 0 && compared > 0 ? 0 : 1);
