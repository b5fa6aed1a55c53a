// Prints the size of files, plain and compressed: node size.mjs <file>...
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const kilobytes = (bytes) => `${(bytes.length / 1000).toFixed(0)} kB`;
for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  const compressed = `gzip ${kilobytes(gzipSync(bytes, { level: 9 }))}, brotli ${kilobytes(brotliCompressSync(bytes))}`;
  console.log(`${file}: ${kilobytes(bytes)}, ${compressed}`);
}
