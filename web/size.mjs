// Prints the size of files, plain and compressed: node size.mjs <file>...
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const kilobytes = (bytes) => `${(bytes.length / 1000).toFixed(0)} kB`;
for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  console.log(`${file}: ${kilobytes(bytes)}, ${kilobytes(gzipSync(bytes))} compressed`);
}
