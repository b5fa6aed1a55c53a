// Makes the package: copies its JavaScript beside the library, and writes what follows from the table of functions:
// table.js (their numbers), functions.js (the functions themselves) and the types.
//
// build/web/functions.json is that table, for tests.
//
//     node web/make_package.mjs build/web/small.wasm build/web/maker.wasm build/web/package

import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { makeTypes } from "./make_types.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, maker, folder] = process.argv.slice(2).map((path) => resolve(path));

/** The JavaScript of the package around a module. */
async function copyCode(module, to) {
  await mkdir(to, { recursive: true });
  await cp(join(here, "js"), to, { recursive: true });
  await cp(module, join(to, "tamis.wasm"));
}

await copyCode(wasm, folder);
for (const name of ["package.json", "README.md"]) await cp(join(here, name), join(folder, name));
await cp(join(here, "..", "LICENSE"), join(folder, "LICENSE"));

// The module that makes the package describes itself.
const makerFolder = join(dirname(maker), "maker");
await copyCode(maker, makerFolder);
const core = await import(pathToFileURL(join(makerFolder, "core.js")));
const { openReply, readItem } = await import(pathToFileURL(join(makerFolder, "wire.js")));

function told(by) {
  core.library[by]();
  openReply(null);
  return readItem();
}

const description = told("tm_describe");
await writeFile(join(dirname(folder), "functions.json"), description);
const table = JSON.parse(description);

/** The numbers of those functions, also under their other names. */
function numbers(is) {
  const found = {};
  table.forEach((f, id) => {
    if (!is(f)) return;
    for (const name of [f.name, ...f.aliases]) found[name] ??= id;
  });
  return found;
}

const isPublic = (f) => !f.internal && f.space === "";
const functions = numbers((f) => isPublic(f) && !f.method);
const methods = numbers((f) => isPublic(f) && f.method);
const internal = numbers((f) => f.internal);
const spaces = [...new Set(table.filter((f) => !f.internal && f.space).map((f) => f.space))];

const banner = "// Made by make_package.mjs from the table of functions.\n\n";
await writeFile(
  join(folder, "table.js"),
  banner +
    Object.entries({ functions, methods, internal })
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
      .join(""),
);

const reserved = new Set(["var", "delete", "in", "new", "this", "with", "default"]);

/** `const add = ..., add_async = ...` with an export under the name, which may be a word of JavaScript. */
function definition(name, id) {
  const [own, later] = [reserved.has(name) ? `${name}_` : name, core.asyncName(name)];
  const lines = [`const ${own} = (...args) => call(${id}, args);`, `const ${later} = (...args) => callAsync(${id}, args);`];
  return `${lines.join("\n")}\nexport { ${own === name ? name : `${own} as ${name}`}, ${later} };\n`;
}

/** The object of a namespace: masks, masked. */
function namespace(space) {
  const entries = Object.entries(numbers((f) => f.space === space && !f.internal)).flatMap(([name, id]) => [
    `  ${name}: (...args) => call(${id}, args),`,
    `  ${core.asyncName(name)}: (...args) => callAsync(${id}, args),`,
  ]);
  return `export const ${space} = {\n${entries.join("\n")}\n};\n`;
}

await writeFile(
  join(folder, "functions.js"),
  banner +
    'import { call, callAsync } from "./core.js";\n\n' +
    Object.entries(functions)
      .map(([name, id]) => definition(name, id))
      .join("") +
    spaces.map(namespace).join(""),
);

await writeFile(join(folder, "index.d.ts"), await makeTypes(core, table, JSON.parse(told("tm_probe"))));
const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
console.log(`tamis ${version}: ${Object.keys(functions).length} functions and ${Object.keys(methods).length} methods in ${folder}`);
