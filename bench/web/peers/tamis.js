// Tamis on the CPU (WebAssembly) and on WebGPU.

import * as torch from "tamis";

import { rowLength } from "../workloads.js";

const hostOperations = {
  masked_select: ({ x, mask }) => x.masked_select(mask),
  fused_select: ({ x }) => x.mul(2).add(1).masked_select(x.gt(0)),
  masked_sum: ({ x, mask }) => torch.masked.sum(x, { mask }).item(),
  where: ({ a, b, mask }) => torch.where(mask, a, b).settle(),
  isin: ({ x, values }) => torch.isin(x, values).settle(),
  softmax: ({ x }) => x.softmax(1).settle(),
};

/** The same where nothing may block; what the size of the result depends on is awaited. */
const gpuOperations = {
  masked_select: ({ x, mask }) => x.masked_select_async(mask),
  fused_select: async ({ x }) => {
    const [value, mask] = torch.tidy(() => [x.mul(2).add(1), x.gt(0)]);
    const kept = await value.masked_select_async(mask);
    value.dispose();
    mask.dispose();
    return kept;
  },
  masked_sum: async ({ x, mask }) => {
    const sum = torch.masked.sum(x, { mask });
    const value = await sum.item_async();
    sum.dispose();
    return value;
  },
  where: async ({ a, b, mask }) => torch.where(mask, a, b).settle(),
  isin: async ({ x, values }) => (await torch.isin_async(x, values)).settle(),
  softmax: async ({ x }) => x.softmax(1).settle(),
};

function load(data, device, operation) {
  const own = {};
  for (const [name, array] of Object.entries(data)) {
    own[name] = torch.tidy(() => {
      const x = torch.tensor(array, { dtype: name === "mask" ? "bool" : "float32", device });
      return operation === "softmax" ? x.reshape(-1, rowLength) : x;
    });
  }
  return own;
}

const dispose = (value) => value instanceof torch.Tensor && value.dispose();

function closing(own) {
  return () => Object.values(own).forEach(dispose);
}

const onHost = {
  name: "Tamis wasm",
  device: "cpu",
  open: async () => "",
  async make(operation, data) {
    const own = load(data, "cpu", operation);
    const compute = hostOperations[operation];
    return {
      run: () => dispose(torch.tidy(() => compute(own))),
      read: async () => {
        const result = torch.tidy(() => compute(own));
        return typeof result === "number" ? result : result.data();
      },
      close: closing(own),
    };
  },
};

const onGpu = {
  name: "Tamis WebGPU",
  device: "webgpu",
  async open() {
    if (!(await torch.webgpu.is_available())) throw new Error(torch.webgpu.trouble);
    return torch.webgpu.adapter.name;
  },
  async make(operation, data) {
    const own = load(data, "webgpu", operation);
    const compute = gpuOperations[operation];
    return {
      run: async () => {
        const result = await compute(own);
        if (typeof result === "number") return; // which has been waited for
        await torch.webgpu.synchronize();
        dispose(result);
      },
      read: async () => {
        const result = await compute(own);
        return typeof result === "number" ? result : result.data();
      },
      close: closing(own),
    };
  },
};

export const peers = [onHost, onGpu];
