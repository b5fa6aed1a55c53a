// jax-js on wasm and WebGPU, compiled by its jit. Results have fixed sizes there, so it has no selections.

import { init, jit, nn, numpy as np } from "@jax-js/jax";

import { rowLength } from "../workloads.js";

// Functions own their arguments; `.ref` keeps one for the next call.
const operations = {
  masked_sum: ({ x, mask }) => jitted.masked_sum(x.ref, mask.ref),
  where: ({ a, b, mask }) => jitted.where(mask.ref, a.ref, b.ref),
  isin: ({ x, values }) => jitted.isin(x.ref, values.ref),
  softmax: ({ x }) => jitted.softmax(x.ref),
};
const jitted = {
  masked_sum: jit((x, mask) => np.where(mask, x, 0).sum()),
  where: jit((mask, a, b) => np.where(mask, a, b)),
  isin: jit((x, values) => np.isin(x, values)),
  softmax: jit((x) => nn.softmax(x, -1)),
};

async function load(data, device, operation) {
  const own = {};
  for (const [name, array] of Object.entries(data)) {
    const isMask = name === "mask";
    const shape = operation === "softmax" ? [array.length / rowLength, rowLength] : [array.length];
    own[name] = np.array(isMask ? Int32Array.from(array) : array, { shape, dtype: isMask ? np.bool : np.float32, device });
    await own[name].blockUntilReady();
  }
  return own;
}

function peer(device) {
  const isGpu = device === "webgpu";
  return {
    name: `jax-js ${isGpu ? "WebGPU" : device}`,
    device: isGpu ? "webgpu" : "cpu",
    async open() {
      if (!(await init(device)).includes(device)) throw new Error(`the device ${device} of jax-js does not start`);
      return "";
    },
    async make(operation, data) {
      const compute = operations[operation];
      if (!compute) return null;
      const own = await load(data, device, operation);
      return {
        run: async () => {
          const result = compute(own);
          if (operation === "masked_sum") await result.data(); // which ends its life, too
          else (await result.blockUntilReady()).dispose();
        },
        read: async () => {
          const values = await compute(own).data();
          return operation === "masked_sum" ? values[0] : values;
        },
        close: () => Object.values(own).forEach((x) => x.dispose()),
      };
    },
  };
}

export const peers = ["wasm", "webgpu"].map(peer);
