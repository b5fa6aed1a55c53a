// Every name that index.d.ts declares is there at run time, and the other way round.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

import { compile } from "./tsc.mjs";

function compare(what, declared, actual) {
  const [a, b] = [new Set(declared), new Set(actual)];
  return [
    ...[...a].filter((name) => !b.has(name)).map((name) => `${what} ${name} is declared, but not there`),
    ...[...b].filter((name) => !a.has(name)).map((name) => `${what} ${name} is there, but not declared`),
  ];
}

/** The names of a class's instances, without symbols and what must not be called. */
const membersOf = (prototype) => Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");

export async function testNames(folder) {
  const types = join(folder, "index.d.ts");
  const { program, checker } = compile(folder, [types]);
  const module = checker.getSymbolAtLocation(program.getSourceFile(types));
  const exported = checker.getExportsOfModule(module);
  const isValue = (symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (target.flags & ts.SymbolFlags.Value) !== 0;
  };
  const actual = await import(pathToFileURL(join(folder, "index.js")));
  const problems = compare("export", exported.filter(isValue).map((symbol) => symbol.name), Object.keys(actual));
  if (Object.keys(actual).length < 400) problems.push("the package exports too little to be whole");

  const find = (name) => exported.find((symbol) => symbol.name === name);
  const named = (properties) => properties.map((symbol) => symbol.name).filter((name) => !name.startsWith("__@"));
  for (const name of ["Tensor", "Generator", "ArrayFile"]) {
    const own = membersOf(actual[name].prototype);
    // An ArrayFile has these of its own.
    if (name === "ArrayFile") own.push("format", "arrays");
    problems.push(...compare(`${name}.prototype`, named(checker.getDeclaredTypeOfSymbol(find(name)).getProperties()), own));
  }
  for (const name of ["masked", "masks", "webgpu", "autograd", "optim"]) {
    const declared = named(checker.getTypeOfSymbol(find(name)).getProperties());
    problems.push(...compare(name, declared.filter((member) => member !== "Optimizer"), Object.keys(actual[name])));
  }
  return problems;
}
