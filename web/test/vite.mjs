// Builds a page of TypeScript with Vite, as a user would, and opens what it gives in Chromium.
//
//     node web/test/vite.mjs build/web/consumer
//
// The folder has the package installed (node.mjs does that).

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";

import { launch, openPage, serve } from "./browser.mjs";

const consumer = resolve(process.argv[2]);
const [page, output] = [join(consumer, "page"), join(consumer, "page", "dist")];
rmSync(page, { recursive: true, force: true });
mkdirSync(page, { recursive: true });
writeFileSync(
  join(page, "index.html"),
  '<!doctype html><link rel="icon" href="data:,"><title>Vite</title><p id="result"></p><script type="module" src="/main.ts"></script>\n',
);
writeFileSync(
  join(page, "main.ts"),
  `import { tensor, type Tensor } from "tamis";
const x: Tensor<"float32", "cpu"> = tensor([1, -2, 3]);
document.querySelector("#result")!.textContent = String(x.masked_select(x.gt(0)));
`,
);
await build({ root: page, logLevel: "warn", build: { target: "es2022", outDir: output } });

const server = await serve({ "/": output });
const browser = await launch();
try {
  const { page: tab, errors } = await openPage(browser, server.url);
  await tab.waitForFunction(() => document.querySelector("#result").textContent !== "");
  const text = await tab.textContent("#result");
  console.log(`the page that Vite built shows ${text}`);
  if (text !== "tensor([1., 3.])" || errors.length > 0) {
    console.error(errors.join("\n"));
    process.exitCode = 1;
  }
} finally {
  await browser.close();
  server.close();
}
