// Tests of the playground: every cell gives what the notebook says, on both devices.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { parts } from "../site/build/notebook.mjs";
import { compile, show } from "./types/tsc.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const mistake = "TamisError: masked_select: expected BoolTensor";

const outputs = (page) => page.$$eval(".output", (all) => all.map((output) => output.textContent));

async function runAll(page, device) {
  await page.click(`#device-${device}`);
  await page.click("#run-all");
  await page.waitForFunction(
    (name) => document.querySelector("#state").textContent.endsWith(`ran on ${name}.`),
    device === "cpu" ? "CPU" : "WebGPU",
    { timeout: 240000 },
  );
}

/** Puts code into a cell and runs it. */
async function runCell(page, number, code) {
  const cell = page.locator(`[data-cell="${number}"]`);
  await cell.locator("textarea").fill(code);
  await cell.locator(".run").click();
  await page.waitForFunction(() => document.querySelector("#stop").disabled && !document.querySelector(".running"));
  return cell.locator(".output").textContent();
}

export function add({ test, visit, site, folder }) {
  test("playground: all cells give their results on the CPU", async () => {
    const page = await visit("/playground.html");
    const wanted = await outputs(page);
    assert.ok(wanted.length >= 20);
    await page.$$eval(".output", (all) => all.forEach((output) => (output.textContent = "")));
    await runAll(page, "cpu");
    assert.deepEqual(await outputs(page), wanted);
  });

  test("playground: all cells give their results on WebGPU", async () => {
    const page = await visit("/playground.html");
    const wanted = await outputs(page);
    await page.$$eval(".output", (all) => all.forEach((output) => (output.textContent = "")));
    await runAll(page, "webgpu");
    const found = (await outputs(page)).map((text) => text.replaceAll(/,\s*device='webgpu:0'/g, ""));
    // The first cell does not await what has to be awaited there, and is told so.
    assert.match(found[0], /TamisError: masked_select: .*await masked_select_async\(\.\.\.\)/);
    assert.deepEqual(found.slice(1), wanted.slice(1));
    assert.ok(
      (await page.$$eval(
        ".times",
        (all) => all.filter(({ textContent }) => textContent.startsWith("WebGPU ")).length,
      )) >=
        wanted.length - 4,
    );
  });

  test("playground: cells compile with the types of the package, and float masks do not", async () => {
    const require = createRequire(join(root, "build", "site-tools", "package.json"));
    const marked = await import(pathToFileURL(require.resolve("marked")));
    const markdown = readFileSync(join(root, "web", "site", "playground", "notebook.md"), "utf8");
    const cells = parts(markdown, marked).filter(({ code }) => code !== undefined);
    assert.ok(cells.length >= 20);
    const place = mkdtempSync(join(folder, "cells-"));
    const names = cells.map(({ code }, i) => {
      const name = join(place, `cell${i + 1}.ts`);
      const before = 'import * as torch from "tamis";\ndeclare function print(...values: unknown[]): void;\n';
      writeFileSync(name, `${before}${code}\nexport {};\n`);
      return name;
    });
    const { problems } = compile(join(site, "package"), names);
    for (const [i, { output }] of cells.entries()) {
      const own = problems.filter(({ file }) => file?.fileName === names[i]);
      if (output.startsWith(mistake)) assert.ok(show(own).includes("Mask<"), `cell ${i + 1} compiles`);
      else assert.equal(own.length, 0, show(own));
    }
  });

  test("playground: a cell is timed on both devices", async () => {
    const page = await visit("/playground.html");
    await page.click('[data-cell="2"] .both');
    await page.waitForFunction(
      () => /^CPU [\d.]+ ms · WebGPU [\d.]+ ms$/.test(document.querySelector('[data-cell="2"] .times').textContent),
      null,
      { timeout: 60000 },
    );
  });

  test("playground: cells can be changed, fail, be stopped and be reset", async () => {
    const page = await visit("/playground.html");
    assert.equal(
      await runCell(
        page,
        1,
        'import * as t from "tamis";\nconst n: number = 3;\nprint(t.arange(n), t === torch);\nconsole.log("done");',
      ),
      "tensor([0, 1, 2]) true\ndone",
    );
    assert.match(
      await runCell(page, 1, "print('before');\ntorch.ones(2).masked_select(torch.ones(2));"),
      /^before\nTamisError: masked_select: expected BoolTensor for mask, but got Float/,
    );
    assert.match(await runCell(page, 1, "const a = ;"), /^SyntaxError: .*/);
    assert.match(await runCell(page, 1, "nothing();"), /^ReferenceError: nothing is not defined/);
    assert.equal(await runCell(page, 1, ""), "");
    const cell = page.locator('[data-cell="1"]');
    await cell.locator("textarea").fill("for (;;);");
    await cell.locator(".run").click();
    await page.waitForTimeout(500);
    await page.click("#stop");
    await page.waitForFunction(() => document.querySelector('[data-cell="1"] .output').textContent === "Stopped");
    await cell.locator(".reset").click();
    assert.match(await cell.locator("textarea").inputValue(), /masked_select/);
    await cell.locator("textarea").press("Control+Enter");
    await page.waitForFunction(() => document.querySelector('[data-cell="1"] .times').textContent.startsWith("CPU"));
    assert.match(await cell.locator(".output").textContent(), /tensor\(\[4\., 5\., 6\.\]\)$/);
  });
}
