#!/usr/bin/env node
// The benchmark in the browser: Tamis, TensorFlow.js, jax-js and plain JavaScript side by side in one page of headless
// Chromium. `make bench-web` builds what it needs and runs it; bench/README.md says how it measures.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { launch, openPage, requireAdapter, serve } from "../../web/test/browser.mjs";
import { machine, ratios, report } from "./report.mjs";
import { operations } from "./workloads.js";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean" },
    json: { type: "string" },
    from: { type: "string" },
    package: { type: "string", default: join(root, "build/web/package") },
    python: { type: "string", default: join(root, "build/release/python") },
    operations: { type: "string", default: operations.join() },
    devices: { type: "string", default: "cpu,webgpu" },
    sizes: { type: "string", default: "1e4,1e5,1e6,1e7" },
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "60" },
    "write-docs": { type: "boolean" },
  },
});

const usage = `usage: make bench-web BENCH_ARGS='[option ...]'

  --operations ${operations.join()}
  --devices cpu,webgpu    --sizes 1e4,1e5,1e6,1e7
  --rounds 9              samples of every cell
  --seconds 60            a row gets fewer rounds when they are over, but at least 3
  --json FILE             all samples, in milliseconds
  --from FILE             measures nothing, but makes the tables of such a file
  --write-docs            updates the tables in docs/performance.md
  --package, --python     folders of the JavaScript package and of the native Python module`;

const imports = { tamis: "/package/index.js", "@jax-js/jax": "/peers/@jax-js/jax/dist/index.js" };
const scripts = ["tfjs/dist/tf.min.js", "tfjs-backend-wasm/dist/tf-backend-wasm.min.js", "tfjs-backend-webgpu/dist/tf-backend-webgpu.min.js"];

const page = () =>
  `<!doctype html><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>` +
  scripts.map((path) => `<script src="/peers/@tensorflow/${path}"></script>`).join("");

/** The native library in a process of its own, on the instruction set that is nearest to WebAssembly's. */
function startNative() {
  const env = { ...process.env, PYTHONPATH: options.python, TAMIS_ISA: "sse4", TAMIS_NUM_THREADS: "1" };
  const child = spawn("/usr/bin/python3", [join(here, "native.py")], { env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async time(operation, n) {
      child.stdin.write(`${operation} ${n}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("native.py ended early");
      return Number(value);
    },
    async stop() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

async function measureAll(tab, onRow) {
  const rows = [];
  for (const device of options.devices.split(",")) {
    for (const operation of options.operations.split(",")) {
      for (const size of options.sizes.split(",")) {
        const args = [operation, device, Number(size), Number(options.rounds), Number(options.seconds)];
        const samples = await tab.evaluate(async (given) => (await import("/bench/page.js")).measure(...given), args);
        rows.push({ operation, device, n: Number(size), samples });
        onRow(rows.at(-1));
      }
    }
  }
  return rows;
}

async function versions() {
  const version = async (path) => JSON.parse(await readFile(path, "utf8")).version;
  const peer = (name) => version(join(here, "node_modules", name, "package.json"));
  return { tamis: await version(join(options.package, "package.json")), "TensorFlow.js": await peer("@tensorflow/tfjs"), "jax-js": await peer("@jax-js/jax") };
}

async function run() {
  const native = startNative();
  const browser = await launch();
  const server = await serve({ "/page.html": page, "/bench/": here, "/package/": options.package, "/peers/": join(here, "node_modules") });
  try {
    const { page: tab, errors } = await openPage(browser, `${server.url}/page.html`);
    const adapter = await requireAdapter(tab);
    await tab.exposeFunction("native", native.time);
    await tab.evaluate(async () => (await import("/bench/page.js")).open());
    const about = machine({ browser: browser.version(), adapter, versions: await versions(), rounds: options.rounds });
    console.log(about);
    const rows = await measureAll(tab, (row) => console.log(ratios(row)));
    if (errors.length) throw new Error(errors.join("\n"));
    return { about, rows };
  } finally {
    server.close();
    await browser.close();
    await native.stop();
  }
}

/** Replaces what is between the marks of each part. */
async function writeDocs(parts) {
  const path = join(root, "docs/performance.md");
  let text = await readFile(path, "utf8");
  for (const name of ["machine", "cpu", "webgpu", "native"]) {
    const [begin, end] = [`<!-- begin web ${name} -->\n`, `<!-- end web ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < 0) throw new Error(`${path} has no ${begin.trim()} ... ${end}`);
    text = `${text.slice(0, from)}${begin}${parts[name]}\n${text.slice(to)}`;
  }
  await writeFile(path, text);
}

async function main() {
  const { about, rows } = options.from ? JSON.parse(await readFile(options.from, "utf8")) : await run();
  const text = report(rows);
  console.log(`\n${text.all}`);
  if (options.json) await writeFile(options.json, `${JSON.stringify({ about, rows }, null, 1)}\n`);
  if (options["write-docs"]) await writeDocs({ ...text, machine: about });
}

if (options.help) console.log(usage);
else await main();
