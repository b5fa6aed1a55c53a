// Compares WebGPU in Chromium with what the native library gives on the CPU, for the samples of all rows.
//
//     node web/test/gpu_sweep.mjs build/web/package build/web/record [name ...]
//
// With names, only those functions, in all dtypes.

import { launch, openPage, requireAdapter, serve } from "./browser.mjs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const [folder, record, ...names] = process.argv.slice(2);
const server = await serve({
  "/page.html": () => '<!doctype html><link rel="icon" href="data:,">',
  "/package/": folder,
  "/record/": record,
  "/test/": dirname(fileURLToPath(import.meta.url)),
});
const browser = await launch();
try {
  const { page, errors } = await openPage(browser, `${server.url}/page.html`);
  console.log(`Chromium ${browser.version()}, WebGPU: ${await requireAdapter(page)}`);
  const { compared, wrong, subnormal, kernels } = await page.evaluate(async (wanted) => {
    const tamis = await import("/package/index.js");
    const { sweepOnGpu } = await import("/test/sweep.js");
    await tamis.webgpu.is_available();
    const calls = await (await fetch("/record/calls.json")).json();
    const stored = await tamis.load(await (await fetch("/record/tensors.safetensors")).arrayBuffer());
    // Methods are the functions again, and the native library is tested with all dtypes and all samples: here are the first
    // three of each function that have the same dtypes, because most of the time is that of compiling kernels.
    const dtypes = new Set(["float32", "int64", "bool"]);
    const seen = new Map();
    const picks = (call, used) => {
      if (wanted.length > 0) return wanted.includes(call.name);
      if (call.method || !used.every((x) => dtypes.has(x.dtype))) return false;
      const kind = [call.space, call.name, ...used.map((x) => x.dtype)].join();
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      return seen.get(kind) <= 3;
    };
    const found = await sweepOnGpu(tamis, calls, stored, picks);
    return { ...found, kernels: tamis.webgpu.stats().pipelines };
  }, names);
  for (const text of [...wrong.slice(0, 50), ...errors]) console.error(text);
  console.log(`${subnormal} calls left out: they have subnormal numbers, which a GPU may take for zero`);
  console.log(`${compared - wrong.length} passed, ${wrong.length} failed, ${kernels} kernels`);
  process.exitCode = wrong.length === 0 && errors.length === 0 && compared > 0 ? 0 : 1;
} finally {
  await browser.close();
  server.close();
}
