// Makes index.d.ts, the types of the package: those of functions and methods from the table of functions and from the probe
// of their dtypes, the others from types/*.d.ts.

import { readFile } from "node:fs/promises";

import { defaultOf, variantsOf } from "./types/options.mjs";
import { Overload } from "./types/overload.mjs";
import { Maps } from "./types/rules.mjs";
import { shapesOf } from "./types/shapes.mjs";
import { dtypes, keys, promoted, readProbe } from "./types/tables.mjs";

const read = (name) => readFile(new URL(`./types/${name}`, import.meta.url), "utf8");

/** The members that the text of a class declares. */
const membersIn = (text) => new Set([...text.matchAll(/^  (?:readonly |get |set )?(\w+)[<(:]/gm)].map((match) => match[1]));

function documentation(f, overload, indent) {
  const defaults = overload.params.filter((p) => !p.required && !["None", "[]"].includes(p.default)).map((p) => `${p.name} = ${defaultOf(p)}`);
  const text = overload.overload.summary + (defaults.length > 0 ? ` Defaults: ${defaults.join(", ")}.` : "");
  return `${indent}/** ${text.replaceAll("*/", "* /")} */\n`;
}

/** All signatures of a function under a name, with the form that waits. */
function declare(f, name, overloads, { indent = "", before = "", asyncName }) {
  const lines = [];
  for (const wait of [false, true]) {
    overloads.forEach((overload) => {
      const generics = overload.generics.length > 0 ? `<${overload.generics.join(", ")}>` : "";
      const result = wait ? `Promise<${overload.resultType()}>` : overload.resultType();
      shapesOf(overload).forEach((shape, i) => {
        if (i === 0 && !wait) lines.push(documentation(f, overload, indent));
        lines.push(`${indent}${before}${wait ? asyncName(name) : name}${generics}(${shape.join(", ")}): ${result};\n`);
      });
    });
  }
  return lines.join("");
}

/** The table of promotions, as a type. */
function promotions() {
  const sets = (a) => keys.map((b) => `${b}: ${[...promoted(a, b)].map((dtype) => `"${dtype}"`).join(" | ")}`);
  const rows = keys.map((a) => `  ${a}: { ${sets(a).join("; ")} };\n`);
  return `type Promotions = {\n${rows.join("")}};\n`;
}

const reserved = new Set(["var", "delete", "in", "new", "this", "with", "default"]);

/** The text of index.d.ts. The first is the module core.js, `table` describes all functions, `probe` says what dtypes they take and give. */
export async function makeTypes({ asyncName }, table, probe) {
  const tablesOf = readProbe(probe);
  const maps = new Maps();
  const [base, tensor, rest] = await Promise.all(["base.d.ts", "tensor.d.ts", "package.d.ts"].map(read));
  const overloadsOf = (f) =>
    f.overloads.flatMap((overload) => variantsOf(f, overload, tablesOf(overload)).map((v) => new Overload(f, v.overload, v.tables, maps)));
  const all = table.filter((f) => !f.internal).map((f) => ({ f, aliases: [...new Set(f.aliases)], overloads: overloadsOf(f) }));

  const written = membersIn(tensor.slice(tensor.indexOf("declare class Tensor<")));
  const methods = all.filter(({ f }) => f.method && !written.has(f.name)).map(({ f, aliases, overloads }) => {
    const others = aliases.flatMap((alias) => [[alias, f.name], [asyncName(alias), asyncName(f.name)]]);
    const own = declare(f, f.name, overloads, { indent: "  ", asyncName });
    return own + others.map(([alias, name]) => `  /** Another name for {@link ${name}}. */\n  ${alias}: Tensor["${name}"];\n`).join("");
  });

  // JavaScript's own names: bool is a dtype there.
  const constants = new Set([...rest.matchAll(/^export declare const (\w+):/gm)].map((match) => match[1]));
  const functions = all.filter(({ f }) => !f.method && !f.space && !constants.has(f.name)).map(({ f, aliases, overloads }) => {
    const { name } = f;
    const own = reserved.has(name) ? `${name}_` : name;
    const later = asyncName(name);
    const others = aliases.flatMap((alias) => [`${own} as ${alias}`, `${later} as ${asyncName(alias)}`]);
    if (own !== name) others.push(`${own} as ${name}`, later);
    const text = declare(f, own, overloads, { before: own === name ? "export function " : "declare function ", asyncName: () => later });
    return others.length > 0 ? `${text}export { ${others.join(", ")} };\n` : text;
  });

  const spaces = [...new Set(all.filter(({ f }) => f.space).map(({ f }) => f.space))].map((space) => {
    const entries = all.filter(({ f }) => f.space === space).map(({ f, overloads }) => declare(f, f.name, overloads, { indent: "  ", asyncName }));
    return `export declare const ${space}: {\n${entries.join("")}};\n`;
  });

  const dtype = `export type DType = ${dtypes.map((name) => `"${name}"`).join(" | ")};\n`;
  return [
    `/// <reference lib="esnext.disposable" />\n// Made by make_types.mjs from the table of functions.\n`,
    dtype,
    base,
    promotions(),
    maps.declarations(),
    tensor.replace("  // (methods of the table)\n", () => methods.join("")),
    functions.join(""),
    spaces.join(""),
    rest,
  ].join("\n");
}
