// Measures one row of the table in the page: every library once per round, so that a slow moment of the machine affects
// all of them alike.

import { check, expected, makeData } from "./workloads.js";

const modules = ["tamis", "plain", "tensorflow", "jax"];
/** A sample calls an operation until this much time is over: the clock of a page is a coarse one. */
const sampleMs = 20;
/** As long as this, calls do not count: code is being compiled, by the library and by the browser. */
const warmUpMs = 300;

let peers = [];

/** Starts all libraries; the name of the adapter that Tamis uses. */
export async function open() {
  peers = (await Promise.all(modules.map((name) => import(`./peers/${name}.js`)))).flatMap((module) => module.peers);
  let adapter = "";
  for (const peer of peers) adapter = (await peer.open()) || adapter;
  return { adapter, names: peers.map(({ name, device }) => ({ name, device })) };
}

const isPromise = (value) => typeof value?.then === "function";

/** Milliseconds per call. */
async function time(subject, calls) {
  await subject.prepare?.();
  const begin = performance.now();
  for (let i = 0; i < calls; ++i) {
    const result = subject.run();
    if (isPromise(result)) await result;
  }
  return (performance.now() - begin) / calls;
}

/** Calls until all is compiled and at home; how many calls a sample needs. */
async function warmUp(subject) {
  const begin = performance.now();
  for (let calls = 1; ; calls *= 2) {
    const ms = await time(subject, calls);
    if (performance.now() - begin >= warmUpMs) return Math.max(1, Math.ceil(sampleMs / ms));
  }
}

async function makeSubjects(operation, device, n, data, wanted) {
  const subjects = [];
  for (const peer of peers) {
    if (peer.device !== device) continue;
    const made = await peer.make(operation, data);
    if (!made) continue;
    check(operation, peer.name, await made.read(), wanted, n);
    subjects.push({ name: peer.name, calls: await warmUp(made), ms: [], ...made });
  }
  // The same library outside of the browser, on one thread.
  if (device === "cpu" && window.native) subjects.push({ name: "native", ms: [], close: () => {} });
  return subjects;
}

/** The milliseconds of every sample by library: `rounds` of them, or fewer when `seconds` are over, but at least 3. */
export async function measure(operation, device, n, rounds, seconds) {
  const data = makeData(operation, n);
  const wanted = expected(operation, data);
  const subjects = await makeSubjects(operation, device, n, data, wanted);
  const begin = performance.now();
  for (let round = 0; round < rounds; ++round) {
    if (round >= 3 && performance.now() - begin > 1000 * seconds) break;
    for (const subject of subjects) {
      subject.ms.push(subject.name === "native" ? await window.native(operation, n) : await time(subject, subject.calls));
    }
  }
  for (const subject of subjects) {
    await subject.prepare?.();
    if (subject.read) check(operation, subject.name, await subject.read(), wanted, n); // work that failed is quick
    subject.close();
  }
  return Object.fromEntries(subjects.map(({ name, ms }) => [name, ms]));
}
