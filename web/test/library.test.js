// The library from JavaScript: masking, gradients, optimisers, random numbers, files, conditions.

import * as torch from "tamis";
import { assert, test } from "./harness.js";

test("the examples of the masked_select page run as they are", () => {
  const [batch_size, seq_len, vocab_size, batch] = [2, 3, 4, 2];
  const x = torch.tensor([[1, 2, 3], [4, 5, 6]]);
  const mask = x.gt(3);
  assert.equal(mask.tolist(), [[false, false, false], [true, true, true]]);
  assert.equal(x.masked_select(mask).tolist(), [4, 5, 6]); // and nothing after them
  assert.equal(x.masked_select(x.ne(0)).tolist(), [1, 2, 3, 4, 5, 6]);

  // Its masks of ones and zeros are not masks, and the error says so.
  const logits = torch.randn(batch_size, seq_len, vocab_size);
  const padding_mask = torch.ones(batch_size, seq_len);
  assert.throws(() => logits.masked_select(padding_mask.unsqueeze(-1)), "dtype", "BoolTensor");
  assert.equal(logits.masked_select(padding_mask.bool().unsqueeze(-1)).shape, [24]);
  const attention = torch.randn(batch, seq_len, seq_len);
  const future_mask = torch.tril(torch.ones(seq_len, seq_len));
  assert.throws(() => attention.masked_select(future_mask.unsqueeze(0)), "dtype", "BoolTensor");
  assert.equal(attention.masked_select(future_mask.bool().unsqueeze(0)).shape, [12]);

  const data = torch.randn(1000);
  const q05 = torch.kthvalue(data, 50).values;
  const q95 = torch.kthvalue(data, 950).values;
  const inliers = data.masked_select(data.ge(q05).logical_and(data.le(q95)));
  assert.equal(inliers.shape, [901]);
});

test("the asynchronous form gives the same", async () => {
  const x = torch.tensor([1, -2, 3]);
  assert.equal((await x.masked_select_async(x.gt(0))).tolist(), [1, 3]);
  assert.equal((await torch.masked_select_async(x, x.gt(0))).tolist(), [1, 3]);
  assert.equal((await torch.nonzero_async(x.gt(0))).tolist(), [[0], [2]]);
  await assert.rejects(x.masked_select_async(x), "dtype", "BoolTensor");
  await assert.rejects(x.masked_select_async(), "argument", "mask");
});

test("a padded selection has a known size and a count", () => {
  const [values, count] = torch.masked_select_padded(torch.tensor([1, 2, 3]), torch.tensor([true, false, true]), 4);
  assert.equal([values.tolist(), count.item()], [[1, 3, 0, 0], 2]);
});

test("masks from lengths, and reductions over what they keep", () => {
  const x = torch.tensor([[1, 2, NaN], [4, 5, 6]]);
  const mask = torch.masks.from_lengths([2, 3]);
  assert.equal(mask.tolist(), [[true, true, false], [true, true, true]]);
  assert.equal(torch.masked.sum(x, 1, { mask }).tolist(), [3, 15]);
  assert.equal(torch.masked.mean(x, { dim: 1, mask }).tolist(), [1.5, 5]);
});

test("gradients flow through selections, and not where the mask is false", () => {
  const x = torch.tensor([1, -2, 3], { requires_grad: true });
  x.mul(x).masked_select(x.gt(0)).sum().backward();
  assert.equal(x.grad.tolist(), [2, 0, 6]);
  x.grad = null;
  assert.ok(x.grad === null);
  const [g] = torch.autograd.grad(x.pow(3).sum(), x, { create_graph: true });
  const [h] = torch.autograd.grad(g.sum(), [x]);
  assert.equal(h.tolist(), [6, -12, 18]);
  assert.ok(!torch.no_grad(() => x.mul(2)).requires_grad);
});

test("optimisers and losses train", () => {
  torch.manual_seed(0);
  const x = torch.randn(64, 3);
  const wanted = torch.tensor([1, -2, 0.5]);
  const y = x.matmul(wanted);
  for (const make of [
    (w) => new torch.optim.SGD([w], { lr: 0.1, momentum: 0.9 }),
    (w) => new torch.optim.Adam([w], { lr: 0.1 }),
    (w) => new torch.optim.AdamW([w], { lr: 0.1, weight_decay: 0 }),
  ]) {
    const w = torch.zeros(3, { requires_grad: true });
    const optimizer = make(w);
    for (let step = 0; step < 200; ++step) {
      torch.tidy(() => {
        optimizer.zero_grad();
        torch.mse_loss(x.matmul(w), y).backward();
        optimizer.step();
      });
    }
    assert.close(w.tolist(), [1, -2, 0.5], 1e-2);
  }
});

test("random numbers follow their seed", () => {
  torch.manual_seed(3);
  const a = torch.rand(4).tolist();
  torch.manual_seed(3);
  assert.equal(torch.rand(4).tolist(), a);
  const generator = new torch.Generator().manual_seed(3);
  assert.equal(torch.rand(4, { generator }).tolist(), a);
  const state = generator.get_state();
  const b = torch.rand(2, { generator }).tolist();
  generator.set_state(state);
  assert.equal(torch.rand(2, { generator }).tolist(), b);
});

test("files go through bytes and back", async () => {
  const a = torch.tensor([[1, 2], [3, 4]]);
  const b = torch.tensor([1n, -5n]);
  const npy = await torch.save(a, "a.npy");
  assert.equal([...npy.slice(0, 6)], [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]);
  assert.equal((await torch.load(npy)).tolist(), [[1, 2], [3, 4]]);
  for (const name of ["w.npz", "w.safetensors"]) {
    const bytes = await torch.save({ a, b }, name);
    const loaded = await torch.load(bytes.buffer);
    assert.equal(Object.keys(loaded).sort(), ["a", "b"]);
    assert.equal([loaded.a.tolist(), loaded.b.tolist(), loaded.b.dtype], [[[1, 2], [3, 4]], [1, -5], "int64"]);
    assert.equal((await torch.load(new Blob([bytes]), { name: "b" })).tolist(), [1, -5]);
  }
  const file = await torch.open(await torch.save({ a, b }, "w.npz"));
  assert.equal(file.arrays.map(({ name, shape }) => [name, shape]), [["a", [2, 2]], ["b", [2]]]);
  assert.equal(file.window("a", 1, 2).tolist(), [2, 3]);
  assert.throws(() => file.read("c"), "value", "'a', 'b'");
  file.close();
  assert.throws(() => file.read("a"), "value", "closed");
});

test("CSV is read as numbers", async () => {
  const text = new TextEncoder().encode("1,2.5\n3,nan\n");
  assert.equal((await torch.load(text, { format: "csv" })).tolist(), [[1, 2.5], [3, NaN]]);
});

test("broken files give a message and leave nothing behind", async () => {
  await assert.rejects(torch.load(new Uint8Array(0)), "format", "");
  await assert.rejects(torch.load(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])), "format", "");
  const npy = await torch.save(torch.ones(100), "a.npy");
  await assert.rejects(torch.load(npy.slice(0, 200)), "format", "");
  await assert.rejects(torch.load("a.npy"), "argument", "ArrayBuffer");
  await assert.rejects(torch.save(torch.ones(2), "a.txt"), "value", ".npy");
  await assert.rejects(torch.save({ a: torch.ones(2) }, "a.npy"), "value", "npy");
});

test("conditions are the command line's", () => {
  const x = torch.tensor([1, 4, NaN, 8]);
  assert.equal(torch.where("x > 3 & ~isnan(x)", { x }).tolist(), [false, true, false, true]);
  assert.equal(torch.where("x > mean(y)", { x, y: torch.tensor([2, 4]) }).tolist(), [false, true, false, true]);
  assert.equal(torch.evaluate("x * 2", { x }).tolist(), [2, 8, NaN, 16]);
  assert.equal(torch.where(x.gt(3), x, 0).tolist(), [0, 4, 0, 8]);
  assert.throws(() => torch.where("x >", { x }), "condition", "^");
  assert.throws(() => torch.where("y > 3", { x }), "condition", "y");
});

test("the device says who it is, or why there is none", async () => {
  if (await torch.webgpu.is_available()) {
    assert.ok(torch.webgpu.adapter.name.length > 0);
    assert.equal(torch.zeros(2, { device: "webgpu" }).device, "webgpu:0");
    return;
  }
  assert.throws(() => torch.zeros(2, { device: "webgpu" }), "device", "WebGPU");
  assert.ok(torch.webgpu.trouble.length > 0);
});
