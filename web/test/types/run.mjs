// Tests the types of a built package: that they accept and refuse what they should, name what there is, and say the dtypes
// that results have.
//
//     node web/test/types/run.mjs build/web/package

import { join, resolve } from "node:path";

import { testAgreement } from "./agreement.mjs";
import { testNames } from "./names.mjs";
import { compile, here, show } from "./tsc.mjs";

const folder = resolve(process.argv[2] ?? "build/web/package");

function testPrograms() {
  const { problems } = compile(folder, ["accepts.ts", "refuses.ts"].map((name) => join(here, name)));
  return problems.length > 0 ? [show(problems)] : [];
}

let failed = 0;
for (const test of [testPrograms, testNames, testAgreement]) {
  const start = performance.now();
  const problems = await test(folder);
  console.log(`${problems.length > 0 ? "FAILED" : "ok    "} ${test.name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  for (const problem of problems) console.error(problem);
  failed += problems.length;
}
process.exit(failed > 0 ? 1 : 0);
