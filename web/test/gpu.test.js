// WebGPU in a browser: what is awaited, what needs no wait, and what happens when a device refuses or is lost.

import * as torch from "tamis";
import { gpu } from "/package/core.js";
import { assert, test } from "./harness.js";

const { webgpu } = torch;

/** 10007 numbers that differ from their neighbours, on the CPU. */
const numbers = () => torch.arange(10007, { device: "cpu" }).mul(7919).remainder(10007).sub(5000).to("float32").mul(0.25);
const onBoth = () => {
  const here = numbers();
  return { here, there: here.to("webgpu") };
};

/** How stats() changes while fn runs. */
async function asked(fn) {
  const before = webgpu.stats();
  await fn();
  const after = webgpu.stats();
  return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
}

test("before it is open, the error says how to open it", () => {
  assert.throws(() => torch.zeros(3, { device: "webgpu" }), "device", "await tamis.webgpu.is_available()");
  assert.throws(() => webgpu.stats(), "device", "await tamis.webgpu.is_available()");
  assert.equal(webgpu.adapter, null);
});

test("there is a device", async () => {
  assert.equal(await webgpu.is_available(), true);
  assert.equal(webgpu.trouble, null);
  assert.ok(webgpu.adapter.name.length > 0);
  assert.equal(torch.zeros(3, { device: "webgpu" }).device, "webgpu:0");
  assert.equal(await webgpu.is_available(), true); // the same one
});

test("data goes there and comes back as it was", async () => {
  const { here, there } = onBoth();
  assert.equal(Array.from(await there.data()), Array.from(await here.data()));
  assert.equal(await torch.tensor([true, false, true]).to("webgpu").tolist_async(), [true, false, true]);
  assert.equal(await torch.tensor([1n, -(2n ** 62n)]).to("webgpu").tolist_async(), [1n, -(2n ** 62n)]);
  assert.equal((await there.cpu_async()).device, "cpu");
  assert.equal(await torch.zeros(0, { device: "webgpu" }).tolist_async(), []);
});

test("an exact selection is awaited, and is in order", async () => {
  const { here, there } = onBoth();
  const mask = there.gt(100).logical_or(there.lt(-1000));
  const selected = await there.masked_select_async(mask);
  assert.equal(selected.device, "webgpu:0");
  assert.equal(await selected.tolist_async(), here.masked_select(here.gt(100).logical_or(here.lt(-1000))).tolist());
  assert.equal((await there.masked_select_async(there.gt(1e9))).shape, [0]);
  const [rows] = (await there.gt(1200).nonzero_async()).shape;
  assert.equal(rows, here.gt(1200).nonzero().shape[0]);
});

test("it reads one count, and computes nothing twice", async () => {
  const { there } = onBoth();
  const mask = there.sin().exp().gt(1); // not computed yet
  const counts = await asked(() => there.masked_select_async(mask));
  assert.equal([counts.readbacks, counts.readback_bytes], [1, 4]);
  assert.ok(counts.dispatches <= 3, `${counts.dispatches} kernels`);
});

test("a padded selection reads nothing", async () => {
  const { here, there } = onBoth();
  let padded;
  const counts = await asked(() => {
    const { values, count } = there.masked_select_padded(there.gt(1000), 2000, { fill: -1 });
    const valid = torch.arange(2000, { device: "webgpu" }).lt(count);
    padded = { values, count, mean: torch.masked.mean(values, { mask: valid }) };
  });
  assert.equal([counts.readbacks, counts.readback_bytes], [0, 0]);
  const expected = here.masked_select(here.gt(1000));
  const n = expected.shape[0];
  assert.equal(await padded.count.item_async(), n);
  const values = await padded.values.tolist_async();
  assert.equal(values.slice(0, n), expected.tolist());
  assert.ok(values.slice(n).every((v) => v === -1));
  assert.close(await padded.mean.item_async(), expected.mean().item(), 1e-2);
});

test("what would have to wait throws, and names what to write", () => {
  const { there } = onBoth();
  const mask = there.gt(0);
  assert.throws(() => there.masked_select(mask), "device", "masked_select_async");
  assert.throws(() => there.masked_select(mask), "device", "masked_select_padded");
  assert.throws(() => there.sum().item(), "device", "item_async");
  assert.throws(() => there.tolist(), "device", "await");
  assert.throws(() => there.get(mask), "device", "await");
});

test("the tensors of a refused call are as they were", async () => {
  const { here, there } = onBoth();
  const source = there.neg();
  assert.throws(() => there.masked_scatter_(there.gt(0), source), "device", "masked_scatter");
  assert.equal(await there.tolist_async(), here.tolist());
  await there.masked_scatter_async_(there.gt(0), source);
  assert.equal(await there.tolist_async(), here.masked_scatter(here.gt(0), here.neg()).tolist());
});

test("errors come as rejections", async () => {
  const { there } = onBoth();
  await assert.rejects(there.index_select_async(0, torch.tensor([1n, 20000n]).to("webgpu")), "index", "out of");
  await assert.rejects(there.masked_select_async(there), "dtype", "BoolTensor");
  await assert.rejects(there.masked_select_async(torch.tensor([true])), "value", "same device");
});

test("many may wait at once", async () => {
  const { here, there } = onBoth();
  const limits = Array.from({ length: 30 }, (_, i) => i * 40);
  const all = await Promise.all(limits.map((limit) => there.masked_select_async(there.gt(limit))));
  for (const [i, limit] of limits.entries()) {
    assert.equal(await all[i].tolist_async(), here.masked_select(here.gt(limit)).tolist());
  }
});

test("a call sees its arguments as they were", async () => {
  const { here, there } = onBoth();
  const mask = there.gt(1100);
  const pending = there.masked_select_async(mask);
  there.zero_();
  assert.equal(await (await pending).tolist_async(), here.masked_select(here.gt(1100)).tolist());
  assert.equal(await there.sum().item_async(), 0);
});

test("gradients flow through a selection", async () => {
  const { here, there } = onBoth();
  for (const x of [here, there]) x.requires_grad_();
  const [a, b] = [here.masked_select(here.gt(3)), await there.masked_select_async(there.gt(3))];
  a.mul(a).sum().backward();
  b.mul(b).sum().backward();
  assert.equal(await there.grad.tolist_async(), here.grad.tolist());
});

test("backward may wait on the way, and gradients add up once", async () => {
  const [here, there] = [torch.tensor([3, 1, 2, 5]), torch.tensor([3, 1, 2, 5]).to("webgpu")];
  const index = torch.tensor([0n, 0n, 3n]);
  for (const x of [here, there]) x.requires_grad_();
  for (let step = 0; step < 2; ++step) {
    here.mul(2).index_select(0, index).sum().backward();
    const loss = (await there.mul(2).index_select_async(0, index.to("webgpu"))).sum();
    await loss.backward_async();
    await assert.rejects(loss.backward_async(), "unsupported", "second time");
  }
  assert.equal(await there.grad.tolist_async(), here.grad.tolist());
});

test("random numbers are drawn once", async () => {
  const draw = async (device) => {
    torch.manual_seed(5);
    const p = torch.full([100], 0.5, { device });
    const kept = await torch.rand(100, { device }).masked_select_async(p.gt(0));
    return [await kept.tolist_async(), await torch.rand(3, { device }).tolist_async()];
  };
  assert.close(await draw("webgpu"), await draw("cpu"), 0);
});

test("a loop that disposes of its tensors holds its memory", async () => {
  const { there } = onBoth();
  const step = (i) => torch.tidy(() => void there.mul(i).add(1).settle());
  for (let i = 0; i < 300; ++i) step(i);
  const { live_bytes, cached_bytes } = await asked(() => {
    for (let i = 0; i < 3000; ++i) step(i);
  });
  assert.equal([live_bytes, cached_bytes], [0, 0]);
});

// ---- what goes wrong ----------------------------------------------------------------------------

/** Runs fn while a method of all devices is another. */
async function withMethod(name, make, fn) {
  const original = GPUDevice.prototype[name];
  GPUDevice.prototype[name] = make(original);
  try {
    await fn();
  } finally {
    GPUDevice.prototype[name] = original;
  }
}

test("a shader that is refused rejects with the compiler's message, again and again", async () => {
  const { here, there } = onBoth();
  const odd = () => there.mul(3).sub(1).cos().mul(there).maximum(there.neg()); // a kernel that nobody else has
  const breaking = (original) =>
    function ({ code }) {
      return original.call(this, { code: `${code}\nthis is no WGSL` });
    };
  await withMethod("createShaderModule", breaking, () =>
    assert.rejects(odd().tolist_async(), "device", "a shader was refused"),
  );
  await assert.rejects(odd().tolist_async(), "device", "error: unexpected token");
  assert.equal(await there.tolist_async(), here.tolist());
  await webgpu.synchronize();
});

test("a call that the device refuses rejects the next await", async () => {
  const { here, there } = onBoth();
  const tooLarge = (original) =>
    function ({ usage }) {
      return original.call(this, { usage, size: 2 ** 45 });
    };
  await withMethod("createBuffer", tooLarge, async () => {
    there.to("float16").settle(); // of a size that is not kept
    torch.zeros(3_000_001, { device: "webgpu" }).settle();
  });
  await assert.rejects(webgpu.synchronize(), "memory", "could not allocate");
  await webgpu.synchronize();
  assert.equal(await torch.zeros(3_000_001, { device: "webgpu" }).sum().item_async(), 0); // not in what failed
  assert.equal(await there.tolist_async(), here.tolist());
});

test("memory that tensors may take is counted", async () => {
  gpu.limitMemory(webgpu.stats().live_bytes + 1_000_000);
  try {
    const small = torch.zeros(1000, { device: "webgpu" }).settle();
    assert.throws(() => torch.zeros(1_000_000, { device: "webgpu" }).settle(), "memory", "in use");
    assert.equal(await small.sum().item_async(), 0);
  } finally {
    gpu.limitMemory(0);
  }
});

test("a lost device rejects what waits and refuses what follows; the CPU goes on", async () => {
  const { here, there } = onBoth();
  const deferred = there.add(1);
  torch.set_default_device("webgpu");
  const waiting = [there.masked_select_async(there.gt(0)), there.sum().item_async(), webgpu.synchronize()];
  gpu.lose();
  for (const promise of waiting) await assert.rejects(promise, "device", "lost");
  assert.throws(() => there.add(1).settle(), "device", "was lost");
  assert.throws(() => deferred.settle(), "device", "is_available()");
  assert.throws(() => torch.zeros(5_000_000, { device: "webgpu" }).settle(), "device", "was lost");
  await assert.rejects(there.tolist_async(), "device", "was lost");
  await assert.rejects(webgpu.synchronize(), "device", "was lost");
  assert.equal(here.gt(0).sum().item(), numbers().gt(0).sum().item());

  assert.equal(await webgpu.is_available(), true); // another one
  assert.equal(await torch.ones(3).sum().item_async(), 3); // the default device is the new one
  torch.set_default_device("cpu");
  const again = here.to("webgpu");
  assert.equal(await again.tolist_async(), here.tolist());
  await assert.rejects(there.tolist_async(), "device", "was lost");
  assert.throws(() => again.add(there), "device", "was lost");
  assert.equal((await again.masked_select_async(again.gt(0))).shape, here.masked_select(here.gt(0)).shape);
});
