// Tests of the explorer: files are dropped, conditions typed, numbers read, results downloaded.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Drops a file of this machine onto the page. */
export async function drop(page, path) {
  const bytes = readFileSync(path).toString("base64");
  await page.evaluate(
    ([name, text]) => {
      const data = new DataTransfer();
      const type = name.endsWith(".png") ? "image/png" : "";
      data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name, { type }));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [basename(path), bytes],
  );
}

/** Waits until all results are there. */
export const settled = (page, timeout = 30000) =>
  page.waitForFunction(
    () =>
      !document.querySelector("#results").hidden &&
      document.querySelector("#results").getAttribute("aria-busy") === "false",
    null,
    { timeout },
  );

/** Types a condition and waits for what comes of it: results, or a problem. */
export async function type(page, where) {
  await page.fill("#where", `${where} `); // differs from what was there, so that it counts as typed
  await page.evaluate(() => document.querySelector("#results").setAttribute("aria-busy", "true"));
  await page.fill("#where", where);
  await page.waitForFunction(() => document.querySelector("#results").getAttribute("aria-busy") === "false", null, {
    timeout: 60000,
  });
}

export const counts = async (page) => {
  const text = await page.textContent("#counts");
  const [, kept, total] = text.match(/^([\d,]+) of ([\d,]+) kept/);
  return { kept: Number(kept.replaceAll(",", "")), total: Number(total.replaceAll(",", "")) };
};

const facts = (page) =>
  page.$$eval("#statistics [data-fact]", (cells) =>
    Object.fromEntries(cells.map((cell) => [cell.dataset.fact, cell.textContent.replaceAll(",", "")])),
  );

const number = (text) => (text === "nan" ? NaN : Number(text.replace("inf", "Infinity")));
function near(found, wanted, what) {
  const [a, b] = [number(found), number(wanted)];
  const isNear = Object.is(a, b) || Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));
  assert.ok(isNear, `${what}: ${found}, but NumPy has ${wanted}`);
}

async function bins(page) {
  await page.$eval("#bins", (details) => (details.open = true));
  await page.waitForSelector("#bins tbody tr");
  return page.$$eval("#bins tbody tr", (rows) =>
    rows.map((row) => [...row.cells].slice(2).map((cell) => Number(cell.textContent.replaceAll(",", "")))),
  );
}

/** Downloads what a button gives; the name that it suggests. */
export async function save(page, button, path, timeout = 30000) {
  const [download] = await Promise.all([page.waitForEvent("download", { timeout }), page.click(button)]);
  await download.saveAs(path);
  await page.waitForFunction((id) => !document.querySelector(id).disabled, button);
  return download.suggestedFilename();
}

function addCases({ test, visit, folder, numpy }) {
  test("explorer: counts, statistics, histogram and downloads agree with NumPy", async () => {
    const page = await visit("/index.html");
    await settled(page);
    for (const one of JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"))) {
      await type(page, "");
      await drop(page, join(folder, one.file));
      await page.waitForFunction((title) => document.querySelector("#source-name").textContent === title, one.file);
      await settled(page);
      if (one.array)
        await page.selectOption("#array", {
          label: await page.$eval(
            "#array",
            (select, name) => [...select.options].find(({ label }) => label.startsWith(`${name} `)).label,
            one.array,
          ),
        });
      for (const other of one.others) {
        await page.setInputFiles("#other", join(folder, other));
        const isListed = (name) => document.querySelector("#array").textContent.includes(name);
        await page.waitForFunction(isListed, other);
      }
      await type(page, one.where);
      assert.equal(await page.textContent("#where-problem"), "", one.name);
      assert.deepEqual(await counts(page), { kept: one.kept, total: one.total }, one.name);
      const shown = `Picture of the mask: ${one.kept.toLocaleString("en-US")} of ${one.total.toLocaleString("en-US")} elements shown are kept`;
      assert.ok(
        (await page.getAttribute("#picture", "aria-label")).startsWith(shown),
        `${one.name}: the cells do not add up`,
      );
      const found = await facts(page);
      for (const [name, value] of Object.entries(one.statistics ?? {}))
        near(found[name], value, `${one.name}, ${name}`);
      if (one.histogram) {
        const rows = await bins(page);
        assert.deepEqual(
          rows.map(([all]) => all),
          one.histogram.all,
          `${one.name}: the histogram`,
        );
        assert.deepEqual(
          rows.map(([, kept]) => kept),
          one.histogram.kept,
          `${one.name}: the histogram of the kept`,
        );
      }
      await page.selectOption("#format", "npy");
      await save(page, "#save-kept", join(folder, `downloaded${one.number}-kept.npy`));
      await save(page, "#save-mask", join(folder, `downloaded${one.number}-mask.npy`));
      await page.fill("#fill-value", "1");
      await page.selectOption("#fill-which", "kept");
      await save(page, "#save-filled", join(folder, `downloaded${one.number}-filled.npy`));
      await page.fill("#fill-value", "0");
      await page.selectOption("#fill-which", "rejected");
      await save(page, "#save-filled", join(folder, `downloaded${one.number}-emptied.npy`));
    }
    assert.equal(Number(numpy("check")), 4 * 17);
  });
}

function addFormats({ test, visit, folder }) {
  test("explorer: downloads come in all formats", async () => {
    const page = await visit("/index.html");
    await settled(page);
    await drop(page, join(folder, "deep.npy"));
    await page.waitForFunction(() => document.querySelector("#source-name").textContent === "deep.npy");
    await settled(page);
    await type(page, "x >= 250");
    const { kept } = await counts(page);
    const begins = { npy: "\x93NUMPY", npz: "PK", safetensors: null, csv: null };
    for (const [format, begin] of Object.entries(begins)) {
      await page.selectOption("#format", format);
      const path = join(folder, `formats.${format}`);
      assert.equal(await save(page, "#save-kept", path), `deep-kept.${format}`);
      const bytes = readFileSync(path);
      if (begin) assert.equal(bytes.toString("latin1", 0, begin.length), begin);
      if (format === "csv") {
        const lines = bytes.toString().trim().split("\n").map(Number);
        assert.ok(lines.length === kept && lines.every((v) => v >= 250 && v <= 255));
      }
      if (format === "safetensors") {
        const header = JSON.parse(bytes.toString("utf8", 8, 8 + Number(bytes.readBigUInt64LE(0))));
        assert.deepEqual(
          Object.values(header).map(({ dtype, shape }) => [dtype, shape]),
          [["U8", [kept]]],
        );
      }
    }
    // What a format cannot hold is explained.
    await page.selectOption("#format", "csv");
    await page.click("#save-mask");
    await page.waitForSelector("#save-problem:not([hidden])");
    assert.match(
      await page.textContent("#save-problem"),
      /CSV files hold rows and columns, which an array of shape \[4, 20, 30\] does not have/,
    );
  });
}

function addPicture({ test, visit, folder }) {
  test("explorer: cells of the picture have exact counts, zoomed or not", async () => {
    const page = await visit("/index.html");
    await settled(page);
    // Row r of 1000 keeps r of 1000 elements.
    await page.evaluate(() => {
      const header = "{'descr': '<i2', 'fortran_order': False, 'shape': (1000, 1000), }".padEnd(117) + "\n";
      const head = new Uint8Array([
        0x93,
        ...new TextEncoder().encode("NUMPY"),
        1,
        0,
        header.length,
        0,
        ...new TextEncoder().encode(header),
      ]);
      const data = Int16Array.from({ length: 1e6 }, (_, i) => i % 1000);
      const transfer = new DataTransfer();
      transfer.items.add(new File([head, data], "square.npy"));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await page.waitForFunction(() => document.querySelector("#source-name").textContent === "square.npy");
    await settled(page);
    await type(page, "x < i");
    assert.deepEqual(await counts(page), { kept: 499500, total: 1e6 });

    const point = async (x, y) => {
      await page.locator("#picture").scrollIntoViewIfNeeded();
      const box = await page.locator("#picture").boundingBox();
      await page.mouse.move(box.x + x, box.y + y);
      return page.textContent("#pointed");
    };
    const check = (text) => {
      const match = text.match(
        /rows? (\d+)(?: to (\d+))?, columns? (\d+)(?: to (\d+))?: (?:([\d,]+) of ([\d,]+) kept|(kept|rejected))/,
      );
      assert.ok(match, `no cell is described: ${text}`);
      const [top, left] = [Number(match[1]), Number(match[3])];
      const [bottom, right] = [Number(match[2] ?? top), Number(match[4] ?? left)];
      let kept = 0;
      for (let row = top; row <= bottom; ++row) for (let column = left; column <= right; ++column) kept += column < row;
      const found = match[7] ? Number(match[7] === "kept") : Number(match[5].replaceAll(",", ""));
      assert.equal(found, kept, text);
    };
    for (const [x, y] of [
      [300, 200],
      [150, 400],
      [303, 251],
      [560, 120],
    ])
      check(await point(x, y));

    for (const steps of [1, 2, 3, 4]) {
      await page.click("#zoom-in");
      await page.waitForFunction(
        (size) =>
          new RegExp(`rows \\d+ to \\d+`).test(document.querySelector("#picture-text").textContent) &&
          Number(document.querySelector("#picture-text").textContent.match(/rows (\d+) to (\d+)/)[2]) -
            Number(document.querySelector("#picture-text").textContent.match(/rows (\d+) to (\d+)/)[1]) <
            size,
        1000 / 2 ** steps,
      );
      for (const [x, y] of [
        [300, 200],
        [301, 203],
        [420, 90],
      ])
        check(await point(x, y));
    }
    // Keys move it, a click puts the table there, and the button shows all again.
    const before = await page.textContent("#picture-text");
    await page.focus("#picture");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((text) => document.querySelector("#picture-text").textContent !== text, before);
    check(await point(300, 200));
    const text = await point(200, 100);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForFunction(
      (row) => document.querySelector("#table-row").value === row,
      text.match(/rows? (\d+)/)[1],
    );
    const [row, column] = [Number(await page.inputValue("#table-row")), Number(await page.inputValue("#table-column"))];
    const cells = await page.$$eval("#table tbody tr:first-child td", (all) =>
      all.map((cell) => [Number(cell.firstChild.textContent), cell.classList.contains("kept")]),
    );
    assert.deepEqual(
      cells.slice(0, 4),
      [0, 1, 2, 3].map((c) => [column + c, column + c < row]),
    );
    await page.click("#zoom-all");
    await page.waitForFunction(() => !document.querySelector("#picture-text").textContent.includes("of 1,000"));

    const path = join(folder, "picture.png");
    const name = await save(page, "#save-picture", path);
    assert.equal(name, "square-picture.png");
    assert.deepEqual([...readFileSync(path).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  });

  test("explorer: the table shows positions, and what is kept first", async () => {
    const page = await visit("/index.html");
    await settled(page);
    await drop(page, join(folder, "deep.npy"));
    await page.waitForFunction(() => document.querySelector("#source-name").textContent === "deep.npy");
    await type(page, "i == 3 & j == 19 & k >= 28");
    await page.click("#table-kept");
    const rows = await page.$$eval("#table tbody tr", (all) => all.map((row) => row.cells[0].textContent));
    assert.deepEqual(rows, ["3, 19, 28", "3, 19, 29"]);
  });
}

export function add(tools) {
  addCases(tools);
  addFormats(tools);
  addPicture(tools);
}
