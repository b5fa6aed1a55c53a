// tsc over programs with the types of a built package.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const here = dirname(fileURLToPath(import.meta.url));

/** The strictest settings: what compiles with them compiles with others. */
const options = (folder) => ({
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.esnext.disposable.d.ts"], // neither a browser's nor Node's
  types: [],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  paths: { tamis: [join(folder, "index.d.ts")] },
});

export function compile(folder, files) {
  const program = ts.createProgram(files, options(folder));
  return { program, checker: program.getTypeChecker(), problems: ts.getPreEmitDiagnostics(program) };
}

/** The same for text under the name of a file that is not there. */
export function compileText(folder, name, text) {
  const host = ts.createCompilerHost(options(folder));
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (file, ...rest) => (file === name ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true) : getSourceFile.call(host, file, ...rest));
  host.fileExists = (file) => file === name || fileExists.call(host, file);
  const program = ts.createProgram([name], options(folder), host);
  return { program, checker: program.getTypeChecker(), source: program.getSourceFile(name) };
}

export const show = (problems) =>
  ts.formatDiagnostics(problems, { getCurrentDirectory: () => here, getCanonicalFileName: (name) => name, getNewLine: () => "\n" });
