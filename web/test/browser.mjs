// A browser for tests: Debian's Chromium without a window, with WebGPU, and a server of static files. As a command it
// runs tests of the package in a page, and in a worker:
//
//     node web/test/browser.mjs build/web/package gpu.test.js tensor.test.js
//
// It fails if a test does, if a page throws or logs an error, and if WebGPU has no adapter.

import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * Serves folders on a free port of this machine: {"/": "site", "/package/": "build/web/package"}. The longest path that
 * fits counts. A function in place of a folder gets the rest of the path and gives the text of a file.
 */
export async function serve(routes) {
  const prefixes = Object.keys(routes).sort((a, b) => b.length - a.length);
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const prefix = prefixes.find((one) => path.startsWith(one));
    const target = routes[prefix];
    if (typeof target === "function") {
      const text = await target(path.slice(prefix.length));
      response.writeHead(200, { "content-type": types[extname(path)] }).end(text);
      return;
    }
    let file = target && join(resolve(target), normalize(`/${path.slice(prefix.length)}`));
    try {
      if (file && (await stat(file)).isDirectory()) file = join(file, "index.html");
      if (!file || !(await stat(file)).isFile()) throw new Error("no file");
    } catch {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  // A host that browsers take for secure, so that WebGPU is there.
  return { url: `http://localhost:${server.address().port}`, close: () => server.close() };
}

/**
 * Chromium, as Playwright's Browser. Software stands in for a GPU, so that it is the same one everywhere. The environment
 * variables CHROMIUM, a path, and CHROMIUM_FLAGS, more flags, change that.
 */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    chromiumSandbox: false,
    args: [
      "--enable-unsafe-webgpu",
      "--use-webgpu-adapter=swiftshader",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...(process.env.CHROMIUM_FLAGS ?? "").split(" ").filter(Boolean),
    ],
  });
}

/** A new page, and the list of what it has thrown or logged as errors, which should stay empty. */
export async function openPage(browser, url) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.stack ?? String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`console.error: ${message.text()}`);
    else if (process.env.VERBOSE) console.log(`  ${message.type()}: ${message.text()}`);
  });
  await page.goto(url);
  return { page, errors };
}

/** What the browser says of its adapter. Throws if it has none: what is skipped proves nothing. */
export async function requireAdapter(page) {
  const found = await page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return null;
    const { vendor, architecture, device, description } = adapter.info;
    return [vendor, architecture, device, description].filter(Boolean).join(" ");
  });
  if (found === null) throw new Error("the browser has no WebGPU adapter");
  return found;
}

/** What a page or a worker runs: the tests named in its address, each of which is reported by a message. */
const runner = `
import { run } from "/test/harness.js";
for (const name of new URL(import.meta.url).searchParams.getAll("test")) await import("/test/" + name);
const counts = await run((name, error, ms) => postMessage({ name, error: error && (error.stack ?? String(error)), ms }));
postMessage({ counts });
`;

/** Runs test modules that use harness.js, in a page or in a worker; how many passed and failed. */
export async function runTests(browser, folder, names, { inWorker = false } = {}) {
  const server = await serve({
    "/page.html": () => '<!doctype html><link rel="icon" href="data:,">',
    "/run.js": () => runner,
    "/package/": folder,
    // Workers have no import maps.
    "/test/": async (name) => (await readFile(join(here, name), "utf8")).replace('from "tamis"', 'from "/package/index.js"'),
  });
  try {
    const { page, errors } = await openPage(browser, `${server.url}/page.html`);
    const where = inWorker ? "worker" : "page";
    console.log(`Chromium ${browser.version()}, ${where}, WebGPU: ${await requireAdapter(page)}`);
    let counts = null;
    await page.exposeFunction("report", (message) => {
      counts ??= message.counts;
      if (message.counts) return;
      const { name, error, ms } = message;
      console.log(`${error ? "FAILED" : "ok    "} ${name} (${ms.toFixed(0)} ms)`);
      if (error) console.error(error);
    });
    const path = `/run.js?${names.map((name) => `test=${name}`).join("&")}`;
    await page.evaluate(
      ([script, isWorker]) =>
        new Promise((done, failed) => {
          const source = isWorker ? new Worker(script, { type: "module" }) : window;
          source.addEventListener("error", (event) => failed(new Error(event.message ?? "the tests cannot be loaded")));
          source.addEventListener("message", async ({ data }) => {
            await window.report(data);
            if (data.counts) done();
          });
          if (!isWorker) import(script).catch(failed);
        }),
      [path, inWorker],
    );
    for (const error of errors) console.error(error);
    return { passed: counts.passed, failed: counts.failed + errors.length };
  } finally {
    server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, ...names] = process.argv.slice(2);
  const browser = await launch();
  try {
    for (const inWorker of [false, true]) {
      const { passed, failed } = await runTests(browser, folder, names, { inWorker });
      console.log(`${passed} passed, ${failed} failed`);
      if (failed > 0 || passed === 0) process.exitCode = 1;
    }
  } finally {
    await browser.close();
  }
}
