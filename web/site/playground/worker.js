// The worker of the playground: runs cells, one at a time. It can be ended at any moment.

const base = new URL("../package/index.js", import.meta.url).href;
const ready = import(base);
const compiler = import("./sucrase.js");

/** Puts a text together from what was printed, in the order of the calls, once all values are there. */
class Output {
  #lines = [];
  print(...values) {
    // A text is begun here, so that later writes to a tensor are not seen.
    this.#lines.push(Promise.all(values.map((value) => this.#text(value))));
  }
  async #text(value) {
    const { Tensor } = await ready;
    if (value instanceof Tensor) return value.toString_async();
    if (typeof value === "string") return value;
    if (typeof value === "object" && value !== null)
      return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? String(v) : v));
    return String(value);
  }
  async text() {
    const lines = await Promise.allSettled(this.#lines);
    const failed = lines.find(({ status }) => status === "rejected");
    const text = lines.map(({ status, value }) => (status === "fulfilled" ? value.join(" ") : "")).join("\n");
    if (failed) throw Object.assign(failed.reason, { before: text });
    return text;
  }
}

/** The cell as a module with one function: without types, and with the address of the library for its name. */
async function moduleOf(code) {
  const { transform } = await compiler;
  const plain = transform(code, {
    transforms: ["typescript"],
    disableESTransforms: true,
    keepUnusedImports: true,
  }).code;
  const imports = [];
  const body = plain.replaceAll(/^[ \t]*import\s[^;]*?["'][^"'\n]*["'];?/gm, (statement) => {
    imports.push(statement.replace(/(["'])tamis\1/, JSON.stringify(base)));
    return "";
  });
  return `${imports.join("\n")}\nexport default async () => {\n${body}\n};\n`;
}

async function run(code, device) {
  const torch = await ready;
  if (device !== "cpu" && !(await torch.webgpu.is_available())) {
    throw new torch.TamisError("device", `WebGPU cannot be used here: ${torch.webgpu.trouble}`);
  }
  torch.set_default_device(device);
  torch.manual_seed(0);
  const output = new Output();
  const print = (...values) => output.print(...values);
  Object.assign(self, { torch, print, device });
  const log = console.log;
  console.log = print;
  const url = URL.createObjectURL(new Blob([await moduleOf(code)], { type: "text/javascript" }));
  try {
    const { default: cell } = await import(url);
    const begin = performance.now();
    await cell();
    if (device !== "cpu") await torch.webgpu.synchronize();
    const time = performance.now() - begin;
    return { text: await output.text(), time };
  } catch (error) {
    const before = error.before ?? (await output.text().catch(() => ""));
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), { before });
  } finally {
    console.log = log;
    URL.revokeObjectURL(url);
  }
}

self.onmessage = async ({ data: { id, code, device } }) => {
  try {
    self.postMessage({ id, ...(await run(code, device)) });
  } catch (error) {
    self.postMessage({ id, error: `${error.name ?? "Error"}: ${error.message}`, text: error.before ?? "" });
  }
};
