// Tests of the site, in a browser:
//
//     node web/test/site.mjs build/site [part of a test's name]
//
// Files come from NumPy, and what is downloaded goes back to it (site_cases.py). A page that throws, logs an error or asks
// another host for anything fails its test.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { launch, openPage, serve } from "./browser.mjs";

const [site = "build/site", filter = ""] = process.argv.slice(2);
const python = process.env.PYTHON ?? "/usr/bin/python3";
const cases = new URL("./site_cases.py", import.meta.url).pathname;

const folder = await mkdtemp(join(tmpdir(), "tamis-site-"));
const numpy = (what) => execFileSync(python, [cases, what, folder], { encoding: "utf8" });
numpy("make");

const server = await serve({ "/": site });
const browser = await launch();

/** A page of the site, which is closed after the test. */
async function visit(path, options = {}) {
  const context = await browser.newContext({
    acceptDownloads: true,
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const { page, errors } = await openPage(context, `${server.url}${path}`);
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== server.url) errors.push(`asked for ${request.url()}`);
  });
  open.push({ context, errors });
  return page;
}
const open = [];

const tests = [];
const test = (name, run) => tests.push({ name, run });
const tools = { test, visit, site, folder, numpy, url: server.url };
for (const part of ["rows", "explorer", "mistakes", "large", "playground", "pages"])
  (await import(`./site_${part}.mjs`)).add(tools);

let [passed, failed] = [0, 0];
for (const { name, run } of tests.filter(({ name }) => name.includes(filter))) {
  const begin = performance.now();
  let problem = null;
  try {
    await run();
  } catch (error) {
    problem = error;
  }
  for (const { context, errors } of open.splice(0)) {
    await context.close();
    if (errors.length > 0) problem ??= new Error(errors.join("\n"));
  }
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`${problem ? "FAILED" : "ok    "} ${name} (${seconds} s)`);
  if (problem) console.error(problem.stack ?? problem);
  problem ? ++failed : ++passed;
}
console.log(`${passed} passed, ${failed} failed`);
await browser.close();
server.close();
await rm(folder, { recursive: true });
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
