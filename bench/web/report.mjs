// Tables of what was measured: how many times as fast Tamis is as each of the others.

import { cpus } from "node:os";

import { titles } from "./workloads.js";

const subject = { cpu: "Tamis wasm", webgpu: "Tamis WebGPU" };

function median(samples) {
  const sorted = samples.toSorted?.((a, b) => a - b) ?? [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A number with three digits that count. */
const digits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

function timeText(ms) {
  if (ms >= 1) return `${digits(ms)} ms`;
  return `${digits(1000 * ms)} µs`;
}

/** Of one row: the time of Tamis, and by library how many times as long it takes. */
function compare({ device, samples }) {
  const own = median(samples[subject[device]]);
  const others = Object.keys(samples).filter((name) => name !== subject[device]);
  return { own, ratios: Object.fromEntries(others.map((name) => [name, median(samples[name]) / own])) };
}

const rowName = ({ operation, n }) => `${titles[operation]}, 1e${Math.round(Math.log10(n))}`;

/** One line per row, while the benchmark runs. */
export function ratios(row) {
  const { own, ratios: found } = compare(row);
  const parts = Object.entries(found).map(([name, ratio]) => `${name} ${digits(ratio)}`);
  return `${row.device} ${rowName(row)}: ${timeText(own)}; times as long: ${parts.join(", ")}`;
}

function table(header, lines) {
  return [header, header.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function deviceTable(rows, device) {
  const own = rows.filter((row) => row.device === device);
  const names = [...new Set(own.flatMap((row) => Object.keys(row.samples)))].filter((name) => name !== subject[device] && name !== "native");
  const lines = own.map((row) => {
    const { own: ms, ratios: found } = compare(row);
    return [`\`${titles[row.operation]}\``, `1e${Math.round(Math.log10(row.n))}`, timeText(ms), ...names.map((name) => (name in found ? digits(found[name]) : ""))];
  });
  return table(["workload", "elements", subject[device], ...names.map((name) => `x ${name}`)], lines);
}

/** How many times as long WebAssembly takes as the native code. */
function nativeTable(rows) {
  const own = rows.filter((row) => row.samples.native);
  const sizes = [...new Set(own.map((row) => row.n))];
  const names = [...new Set(own.map((row) => row.operation))];
  const cell = (operation, n) => {
    const row = own.find((one) => one.operation === operation && one.n === n);
    return row ? digits(1 / compare(row).ratios.native) : "";
  };
  const lines = names.map((name) => [`\`${titles[name]}\``, ...sizes.map((n) => cell(name, n))]);
  return table(["workload", ...sizes.map((n) => `1e${Math.round(Math.log10(n))}`)], lines);
}

/** The cells in which Tamis is the slower one, and those that take more than 3 times as long as native code. */
function lost(rows) {
  const lines = [];
  for (const row of rows) {
    for (const [name, ratio] of Object.entries(compare(row).ratios)) {
      if (name === "native" ? 1 / ratio > 3 : ratio < 1) lines.push(`- ${row.device} ${rowName(row)}: ${name}, ${digits(ratio)}`);
    }
  }
  return lines.length ? `Slower than:\n${lines.join("\n")}` : "Slower than: none";
}

export function report(rows) {
  const parts = { cpu: deviceTable(rows, "cpu"), webgpu: deviceTable(rows, "webgpu"), native: nativeTable(rows) };
  return { ...parts, all: [lost(rows), parts.cpu, parts.webgpu, parts.native].join("\n\n") };
}

export function machine({ browser, adapter, versions, rounds }) {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${cpus()[0].model.trim()}, Chromium ${browser}, WebGPU on ${adapter}, ${rounds} rounds; ${names.join(", ")}`;
}
