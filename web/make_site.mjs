// Makes the site: pages, scripts, examples and documentation, beside the package that they use.
//
//     node web/make_site.mjs build/web/package build/site

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { makeDocuments } from "./site/build/documents.mjs";
import { page } from "./site/build/layout.mjs";
import { makeNotebook } from "./site/build/notebook.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "..");
const source = join(here, "site");
const [packageFolder, target] = process.argv.slice(2).map((path) => resolve(path));

/** Installs what web/site/package-lock.json names, once, into build/site-tools. */
export async function tools() {
  const folder = join(root, "build", "site-tools");
  const lock = await readFile(join(source, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const made = join(folder, "made");
  if (!existsSync(made) || (await readFile(made, "utf8")) !== hash) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) await cp(join(source, name), join(folder, name));
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
    await writeFile(made, hash);
  }
  return createRequire(join(folder, "package.json"));
}

const require = await tools();
const load = (name) => import(pathToFileURL(require.resolve(name)));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
for (const name of [
  "style.css",
  "docs.css",
  "explorer.css",
  "playground.css",
  "theme.js",
  "highlight.js",
  "icon.svg",
  "explorer",
  "playground",
  "docs",
]) {
  await cp(join(source, name), join(target, name), { recursive: true });
}
await rm(join(target, "playground", "notebook.md"));
await cp(packageFolder, join(target, "package"), { recursive: true });

const count = await makeDocuments(root, join(target, "docs"), await load("marked"));

await writeFile(
  join(target, "index.html"),
  page({
    title: "Tamis - see what a condition keeps",
    description:
      "Drop an array, a table or an image, type a condition, and see what it keeps: the mask, counts, histogram and statistics.",
    active: "explore",
    head: '<link rel="stylesheet" href="explorer.css">\n<script type="module" src="explorer/app.js"></script>',
    body: await readFile(join(source, "explorer.html"), "utf8"),
  }),
);

const notebook = makeNotebook(await readFile(join(source, "playground", "notebook.md"), "utf8"), await load("marked"));
await writeFile(
  join(target, "playground.html"),
  page({
    title: "Playground - Tamis",
    description: "Masking examples in TypeScript, to run and change, on the CPU and on WebGPU.",
    active: "playground",
    head: '<link rel="stylesheet" href="playground.css">\n<script type="module" src="playground/app.js"></script>',
    body: notebook.html,
  }),
);

// The playground takes the types off what is typed there.
const { buildSync } = await load("esbuild");
buildSync({
  stdin: {
    contents: 'export { transform } from "sucrase";',
    resolveDir: dirname(require.resolve("sucrase/package.json")),
  },
  bundle: true,
  format: "esm",
  minify: true,
  legalComments: "eof",
  outfile: join(target, "playground", "sucrase.js"),
});

const { makeExamples } = await import("./site/build/examples.mjs");
await makeExamples(join(target, "package"), join(target, "examples"));
console.log(`site: ${count} pages of documentation and ${notebook.cells} cells in ${target}`);
