// TensorFlow.js on its backends cpu, wasm and webgpu. It is one global object, which the page loads by script elements.

import { rowLength } from "../workloads.js";

const tf = globalThis.tf;

// Each gives a tensor. There is no isin: one comparison per value is faster than one with all, and needs less memory.
const operations = {
  masked_select: ({ x, mask }) => tf.booleanMaskAsync(x, mask),
  fused_select: async ({ x }) => {
    const [value, mask] = tf.tidy(() => [x.mul(2).add(1), x.greater(0)]);
    const kept = await tf.booleanMaskAsync(value, mask);
    tf.dispose([value, mask]);
    return kept;
  },
  masked_sum: ({ x, mask, zero }) => tf.tidy(() => tf.where(mask, x, zero).sum()),
  where: ({ a, b, mask }) => tf.where(mask, a, b),
  isin: ({ x, values }) => tf.tidy(() => values.map((v) => x.equal(v)).reduce((found, is) => found.logicalOr(is))),
  softmax: ({ x }) => tf.softmax(x),
};

function load(data, operation) {
  const own = {};
  for (const [name, array] of Object.entries(data)) {
    if (name === "values") own[name] = Array.from(array, (v) => tf.scalar(v));
    else if (operation === "softmax") own[name] = tf.tensor2d(array, [array.length / rowLength, rowLength]);
    else own[name] = tf.tensor1d(array, name === "mask" ? "bool" : "float32");
  }
  if (operation === "masked_sum") own.zero = tf.scalar(0);
  return own;
}

/** Until the result is there: on the GPU, all that was submitted; a sum is a number that has to be read. */
async function finish(backend, operation, result) {
  if (operation === "masked_sum") await result.data();
  else if (backend === "webgpu") {
    const gpu = tf.backend();
    gpu.ensureCommandEncoderReady();
    gpu.endComputePassEncoder();
    gpu.submitQueue();
    await gpu.queue.onSubmittedWorkDone();
  }
}

function peer(backend) {
  const isGpu = backend === "webgpu";
  return {
    name: `TensorFlow.js ${isGpu ? "WebGPU" : backend}`,
    device: isGpu ? "webgpu" : "cpu",
    async open() {
      if (backend === "wasm") tf.wasm.setWasmPaths("/peers/@tensorflow/tfjs-backend-wasm/dist/");
      if (!(await tf.setBackend(backend))) throw new Error(`the backend ${backend} of TensorFlow.js does not start`);
      return "";
    },
    async make(operation, data) {
      await tf.setBackend(backend);
      const own = load(data, operation);
      return {
        prepare: () => tf.setBackend(backend),
        run: async () => {
          const result = await operations[operation](own);
          await finish(backend, operation, result);
          result.dispose();
        },
        read: async () => {
          const result = await operations[operation](own);
          const values = await result.data();
          result.dispose();
          return operation === "masked_sum" ? values[0] : values;
        },
        close: () => tf.dispose(own),
      };
    },
  };
}

export const peers = ["cpu", "wasm", "webgpu"].map(peer);
