// A file that is larger than what is read of it at once: the page goes on answering, and typing on is not held up.

import assert from "node:assert/strict";

import { closeSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { counts, save, settled, type } from "./site_explorer.mjs";

const megabytes = Number(process.env.SITE_MEGABYTES ?? 300);

/** Drops a .npy file of float32 whose megabytes are all alike: 0, 1, 2, ..., 262143. */
const dropLarge = (page) =>
  page.evaluate((count) => {
    const rows = count * 256;
    const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, 1024), }`.padEnd(117) + "\n";
    const head = new Uint8Array([
      0x93,
      ...new TextEncoder().encode("NUMPY"),
      1,
      0,
      header.length,
      0,
      ...new TextEncoder().encode(header),
    ]);
    const block = new Blob([Float32Array.from({ length: 1 << 18 }, (_, i) => i)]);
    const transfer = new DataTransfer();
    transfer.items.add(new File([head, ...Array(count).fill(block)], "large.npy"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, megabytes);

/** Numbers of a .npy file of float32, from a position on. */
function floats(path, at, count) {
  const bytes = Buffer.alloc(4 * count);
  const file = openSync(path);
  readSync(file, bytes, 0, bytes.length, 128 + 4 * at);
  closeSync(file);
  return Array.from({ length: count }, (_, i) => bytes.readFloatLE(4 * i));
}

export function add({ test, visit, folder }) {
  test(`large: ${megabytes} MB do not hold up the page`, async () => {
    const page = await visit("/index.html");
    await settled(page);
    await type(page, "");
    await page.evaluate(() => {
      let last = performance.now();
      window.longest = 0;
      setInterval(() => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
      }, 10);
    });
    const begin = performance.now();
    await dropLarge(page);
    await page.waitForFunction(() => document.querySelector("#source-name").textContent === "large.npy");
    await page.waitForSelector("#progress:not([hidden])");
    await settled(page, 600000);
    const all = performance.now() - begin;
    const total = megabytes * (1 << 18);
    assert.deepEqual(await counts(page), { kept: total, total });

    const asked = performance.now();
    await type(page, "x < 65536");
    const condition = performance.now() - asked;
    assert.deepEqual(await counts(page), { kept: total / 4, total });
    const median = await page.textContent('[data-fact="q0.5"]');
    assert.equal(Number(median.replaceAll(",", "")), 32767.5);

    // While one condition is worked on, another is typed: it is answered, and not after the first.
    await page.fill("#where", "q(0.3) < x");
    await page.waitForSelector("#progress:not([hidden])");
    await page.fill("#where", "x >= 262143");
    await page.waitForFunction(
      (n) => document.querySelector("#counts").textContent.startsWith(n),
      megabytes.toLocaleString("en-US") + " of",
      { timeout: 600000 },
    );
    assert.deepEqual(await counts(page), { kept: megabytes, total });
    await page.fill("#fill-value", "-1");
    const path = join(folder, "large-filled.npy");
    await save(page, "#save-filled", path, 600000);
    assert.equal(statSync(path).size, 128 + 4 * total);
    assert.deepEqual(floats(path, total - 3, 3), [262141, 262142, -1]);
    assert.deepEqual(floats(path, (1 << 18) - 2, 4), [262142, -1, 0, 1]);
    rmSync(path);
    const longest = await page.evaluate(() => window.longest);
    console.log(
      `       first look ${(all / 1000).toFixed(1)} s, a condition ${(condition / 1000).toFixed(1)} s, the page was silent for ${longest.toFixed(0)} ms at most`,
    );
    // Other processes may hold it up for a moment; the work takes many seconds.
    assert.ok(longest < 500, `the page was silent for ${longest} ms`);
  });
}
