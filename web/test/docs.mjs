// Runs the snippets of docs/javascript.md as one module and compares what they print with what the page says.
//
//     node web/test/docs.mjs docs/javascript.md build/web/consumer
//
// `// prints: ` comments follow a console.log, one for each line; `// throws: ` follows a statement of one line.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const [page, consumer] = process.argv.slice(2);
const blocks = [...readFileSync(page, "utf8").matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]);

const expected = [];
const lines = [];
for (const line of blocks.join("\n").split("\n")) {
  const note = line.match(/^\/\/ (prints|throws): ?(.*)$/);
  if (!note) {
    lines.push(line);
  } else if (note[1] === "prints") {
    expected.push(note[2]);
  } else {
    const statement = lines.pop();
    lines.push(`try { ${statement} console.log("nothing was thrown"); } catch (error) { console.log(error.message.slice(0, ${note[2].length})); }`);
    expected.push(note[2]);
  }
}

const module = resolve(join(consumer, "docs.mjs"));
writeFileSync(module, lines.join("\n"));
const printed = [];
const { log } = console;
console.log = (...args) => printed.push(...format(...args).split("\n"));
await import(pathToFileURL(module));
console.log = log;

let failed = printed.length === expected.length ? 0 : 1;
for (let i = 0; i < Math.max(printed.length, expected.length); ++i) {
  if (printed[i] === expected[i]) continue;
  console.error(`line ${i + 1} of the output:\n  expected ${expected[i]}\n  printed  ${printed[i]}`);
  ++failed;
}
console.log(`${page}: ${blocks.length} snippets, ${expected.length} lines`);
process.exit(failed === 0 && expected.length > 0 ? 0 : 1);
