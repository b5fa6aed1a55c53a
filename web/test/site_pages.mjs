// Tests of all pages: links, search, colours, and what axe finds for readers who do not see the page.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { settled } from "./site_explorer.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const axe = createRequire(join(root, "build", "site-tools", "package.json")).resolve("axe-core/axe.min.js");

const pages = ["/index.html", "/playground.html", "/docs/index.html", "/docs/reference.html", "/docs/LICENSE.html"];

/** The HTML files of a folder and of those in it. */
function* htmlFiles(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* htmlFiles(path);
    else if (name.endsWith(".html")) yield path;
  }
}

export function add({ test, visit, site }) {
  test("pages: every link leads somewhere", () => {
    const anchors = new Map();
    for (const path of htmlFiles(site))
      anchors.set(path, new Set([...readFileSync(path, "utf8").matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)));
    let count = 0;
    for (const path of anchors.keys()) {
      for (const [, , link] of readFileSync(path, "utf8").matchAll(
        /<(?:a|link|script|img)\s[^>]*?(href|src)="([^"]*)"/g,
      )) {
        if (/^(?:https?|mailto|data):/.test(link)) continue;
        const [file, anchor] = link.replaceAll("&amp;", "&").split("#");
        const target = file === "" ? path : join(dirname(path), file);
        assert.ok(existsSync(target), `${path}: ${link}`);
        if (anchor) assert.ok(anchors.get(target)?.has(anchor), `${path}: ${link}`);
        ++count;
      }
    }
    assert.ok(count > 500, `only ${count} links`);
  });

  test("pages: the search finds functions, and the keys reach them", async () => {
    const page = await visit("/docs/index.html");
    await page.keyboard.press("/");
    await page.keyboard.type("masked_select");
    await page.waitForSelector("#found a");
    assert.equal(await page.getAttribute("#found a", "href"), "reference.html#masked_select");
    assert.match(await page.textContent("#found-count"), /^\d+ found$/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(
      await page.evaluate(() => [...document.querySelectorAll("#found a")].indexOf(document.activeElement)),
      1,
    );
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/reference.html#masked_select");
    assert.equal(await page.textContent("h3:target"), "masked_select #");
    await page.fill("#search", "no such words");
    await page.waitForSelector("#found .nothing");
    await page.press("#search", "Escape");
    assert.equal(await page.isVisible("#found"), false);
  });

  test("pages: light or dark by the system, or as chosen", async () => {
    const dark = await visit("/docs/index.html", { colorScheme: "dark" });
    const theme = (page) =>
      page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
    const before = await theme(dark);
    assert.equal(before[0], "dark");
    await dark.click(".theme");
    const after = await theme(dark);
    assert.equal(after[0], "light");
    assert.notEqual(before[1], after[1]);
    await dark.reload();
    assert.deepEqual(await theme(dark), after);
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`pages: axe finds no fault, ${colorScheme}`, async () => {
      for (const path of pages) {
        const page = await visit(path, { colorScheme, bypassCSP: true });
        if (path === "/index.html") await settled(page);
        await page.addScriptTag({ path: axe });
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        const text = violations.map(
          ({ id, help, nodes }) =>
            `${id}: ${help}\n  ${nodes
              .slice(0, 3)
              .map(({ html, failureSummary }) => `${html}\n  ${failureSummary}`)
              .join("\n  ")}`,
        );
        assert.equal(violations.length, 0, `${path}\n${text.join("\n")}`);
      }
    });
  }

  test("pages: nothing is wider than a phone", async () => {
    for (const path of [...pages, "/docs/performance.html", "/docs/command-line.html"]) {
      const page = await visit(path, { viewport: { width: 360, height: 740 } });
      if (path === "/index.html") await settled(page);
      const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= screen, `${path} is ${wide} wide on a screen of ${screen}`);
    }
  });
}
