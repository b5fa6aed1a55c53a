// Tests of the explorer: what is wrong is explained, the address and the keyboard work.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { counts, drop, settled, type } from "./site_explorer.mjs";

function addMistakes({ test, visit, folder }) {
  test("explorer: a wrong condition is marked, and nothing is lost", async () => {
    const page = await visit("/index.html#data=weather&where=x+%3E+20");
    await settled(page);
    const before = await counts(page);
    const cases = [
      ["x > ", "the condition ends here", null],
      ["x + 1", "a condition must be bool", 2],
      ["x > 3 & y", "y", 8],
      ["foo(x)", "foo", 0],
      ["x > 3 )", ")", 6],
      ["isin(x, [1, 2)", ")", 13],
      ["x > 'a'", "'", 4],
    ];
    for (const [where, part, caret] of cases) {
      await type(page, where);
      const problem = await page.textContent("#where-problem");
      assert.ok(problem.includes(part), `${where}: ${problem}`);
      const lines = problem.split("\n");
      if (caret !== null) assert.equal(lines.at(-1).indexOf("^"), lines.at(-2).indexOf(where.trim()) + caret, problem);
      assert.equal(await page.getAttribute("#where", "aria-invalid"), "true");
      assert.deepEqual(await counts(page), before);
    }
    await type(page, "x > 20");
    assert.equal(await page.isVisible("#where-problem"), false);
    assert.deepEqual(await counts(page), before);
  });

  test("explorer: a broken file is explained, and nothing is lost", async () => {
    const page = await visit("/index.html#data=weather&where=x+%3E+20");
    await settled(page);
    const before = await counts(page);
    const good = readFileSync(join(folder, "plain.npy"));
    const zip = readFileSync(join(folder, "several.npz"));
    const broken = {
      "cut.npy": good.subarray(0, good.length - 100),
      "head.npy": good.subarray(0, 20),
      "nothing.npy": Buffer.alloc(0),
      "garbage.npy": Buffer.from("this is no array"),
      "cut.npz": zip.subarray(0, zip.length - 30),
      "wrong.safetensors": Buffer.from([255, 255, 255, 255, 255, 0, 0, 0, 1]),
      "words.csv": Buffer.from("a,b\n1,2\n3,four\n"),
      "uneven.csv": Buffer.from("1,2\n3\n"),
      "broken.png": Buffer.from("\x89PNG and then nothing", "latin1"),
      "numbers.bin": Buffer.alloc(64),
      "story.txt": Buffer.from("once upon a time"),
    };
    for (const [name, bytes] of Object.entries(broken)) {
      writeFileSync(join(folder, name), bytes);
      await drop(page, join(folder, name));
      await page.waitForFunction(
        (text) => document.querySelector("#file-problem").textContent.includes(text),
        name.replace(/\..*/, ""),
      );
      const problem = await page.textContent("#file-problem");
      assert.ok(!problem.includes("/in/"), problem);
      assert.equal(await page.textContent("#source-name"), "weather.npy");
      assert.deepEqual(await counts(page), before);
    }
    await type(page, "x > 10"); // the file from before is still there
    assert.notDeepEqual(await counts(page), before);
    assert.equal(await page.textContent("#where-problem"), "");
  });

  test("explorer: a value that does not fit is refused", async () => {
    const page = await visit("/index.html#data=picture&where=x+%3E+100");
    await settled(page);
    await page.fill("#fill-value", "300");
    await page.click("#save-filled");
    await page.waitForSelector("#save-problem:not([hidden])");
    assert.equal(await page.textContent("#save-problem"), "value cannot be converted to type uint8_t without overflow");
  });
}

function addHaste({ test, visit }) {
  /** Drops a table of so many lines, whose only column counts them. */
  const dropTable = (page, name, lines) =>
    page.evaluate(
      ([title, count]) => {
        const transfer = new DataTransfer();
        const text = Array.from({ length: count }, (_, i) => `${i},${i % 7}`).join("\n");
        transfer.items.add(new File([`line,rest\n${text}\n`], title, { type: "text/csv" }));
        document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      },
      [name, lines],
    );
  const opened = (page, name) =>
    page.waitForFunction((title) => document.querySelector("#source-name").textContent === title, name);

  test("explorer: what is typed while a file is opened does not stop it", async () => {
    const page = await visit("/index.html");
    await settled(page);
    await dropTable(page, "slow.csv", 400000);
    assert.match(await page.textContent("#opening"), /slow\.csv/);
    await page.fill("#where", "rest == 3 & line < 70");
    await page.click("#zoom-in");
    await opened(page, "slow.csv");
    await settled(page);
    assert.deepEqual(await counts(page), { kept: 20, total: 800000 });
  });

  test("explorer: of two files the last one counts", async () => {
    const page = await visit("/index.html");
    await settled(page);
    await dropTable(page, "first.csv", 400000);
    await dropTable(page, "second.csv", 30);
    await opened(page, "second.csv");
    await page.waitForTimeout(1500);
    await type(page, "line >= 20");
    assert.equal(await page.textContent("#source-name"), "second.csv");
    assert.equal(await page.isVisible("#file-problem"), false);
    assert.deepEqual(await counts(page), { kept: 20, total: 60 });
  });
}

function addAddress({ test, visit }) {
  test("explorer: the address holds the example and the condition", async () => {
    const page = await visit("/index.html#data=sea&where=x+%3E+20");
    await settled(page);
    assert.equal(await page.textContent("#source-name"), "sea.npy");
    assert.equal(await page.inputValue("#where"), "x > 20");
    const first = await counts(page);
    await type(page, "0 < x < 10 & j >= 180");
    const second = await counts(page);
    assert.notDeepEqual(first, second);
    const parts = new URLSearchParams(new URL(page.url()).hash.slice(1));
    assert.deepEqual(Object.fromEntries(parts), { data: "sea", where: "0 < x < 10 & j >= 180" });
    await page.reload();
    await settled(page);
    assert.deepEqual(await counts(page), second);
    await page.evaluate(() => (location.hash = "#data=sea&where=x+%3E+20"));
    await page.waitForFunction(
      (kept) => document.querySelector("#counts").textContent.startsWith(kept),
      first.kept.toLocaleString("en-US"),
    );
    await page.evaluate(() => (location.hash = "#data=stations&x=wind&where=x+%3E+5"));
    await page.waitForFunction(() => document.querySelector("#source-name").textContent === "stations.csv");
    await settled(page);
    assert.deepEqual((await counts(page)).total, 365);
  });

  test("explorer: every example and every suggestion works", async () => {
    const page = await visit("/index.html");
    await settled(page);
    for (let i = 0; i < 5; ++i) {
      const before = await page.textContent("#source-name");
      await page.click(`#examples li:nth-child(${i + 1}) button`);
      if (i > 0)
        await page.waitForFunction((name) => document.querySelector("#source-name").textContent !== name, before);
      await settled(page);
      const suggestions = await page.$$eval("#suggestions button", (buttons) =>
        buttons.map((button) => button.textContent),
      );
      assert.ok(suggestions.length >= 4);
      for (const where of suggestions) {
        await type(page, where);
        assert.equal(await page.textContent("#where-problem"), "", where);
        const { kept, total } = await counts(page);
        assert.ok(kept > 0 && kept < total, `${where}: ${kept} of ${total}`);
      }
    }
  });

  test("explorer: can be used by keyboard alone", async () => {
    const page = await visit("/index.html");
    await settled(page);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    const reached = new Set();
    for (let i = 0; i < 60; ++i) {
      reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
      await page.keyboard.press("Tab");
    }
    for (const id of [
      "file",
      "A year of weather",
      "where",
      "clear",
      "mode-value",
      "zoom-in",
      "picture",
      "table-kept",
      "table-row",
      "format",
      "save-kept",
      "fill-value",
      "save-picture",
    ]) {
      assert.ok(reached.has(id), `${id} is not reached by the tabulator`);
    }
    await page.focus("#where");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("x > 25");
    await page.waitForFunction(() => location.hash.includes("25"));
    await settled(page);
    await page.focus("#picture");
    await page.keyboard.press("+");
    await page.waitForFunction(() => document.querySelector("#picture-text").textContent.includes("rows 91"));
    await page.keyboard.press("0");
    await page.waitForFunction(() => !document.querySelector("#picture-text").textContent.includes("rows 91"));
  });
}

export function add(tools) {
  addMistakes(tools);
  addHaste(tools);
  addAddress(tools);
}
