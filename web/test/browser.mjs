// A browser for tests: Debian's Chromium without a window, with WebGPU, and a server of static files. As a command it
// runs tests of the package in a page:
//
//     node web/test/browser.mjs build/web/package gpu.test.js tensor.test.js
//
// It fails if a test does, if a page throws or logs an error, and if WebGPU has no adapter.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
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
 * fits counts. A function in place of a folder gives the text of a page.
 */
export async function serve(routes) {
  const prefixes = Object.keys(routes).sort((a, b) => b.length - a.length);
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const prefix = prefixes.find((one) => path.startsWith(one));
    const target = routes[prefix];
    if (typeof target === "function") {
      response.writeHead(200, { "content-type": types[".html"] }).end(target());
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

/** Chromium, as Playwright's Browser. Software stands in for a GPU, so that it is the same one everywhere. */
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

/** Runs test modules that use harness.js in a page; how many passed and failed. */
export async function runTests(browser, folder, names) {
  const imports = JSON.stringify({ imports: { tamis: "/package/index.js" } });
  const server = await serve({
    "/page": () => `<!doctype html><link rel="icon" href="data:,"><script type="importmap">${imports}</script>`,
    "/package/": folder,
    "/test/": here,
  });
  try {
    const { page, errors } = await openPage(browser, `${server.url}/page`);
    console.log(`Chromium ${browser.version()}, WebGPU: ${await requireAdapter(page)}`);
    await page.exposeFunction("report", (name, error, ms) => {
      console.log(`${error ? "FAILED" : "ok    "} ${name} (${ms.toFixed(0)} ms)`);
      if (error) console.error(error);
    });
    const counts = await page.evaluate(async (files) => {
      for (const file of files) await import(`/test/${file}`);
      const { run } = await import("/test/harness.js");
      return run((name, error, ms) => window.report(name, error && (error.stack ?? String(error)), ms));
    }, names);
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
    const { passed, failed } = await runTests(browser, folder, names);
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  } finally {
    await browser.close();
  }
}
