// Tensors: creation, values, indexing, printing, errors, memory.

import * as torch from "tamis";
import { assert, test } from "./harness.js";

test("numbers become float32, booleans bool, bigints int64, whatever their values", () => {
  assert.equal(torch.tensor([1, 2]).dtype, "float32");
  assert.equal(torch.tensor([1.5, 2]).dtype, "float32");
  assert.equal(torch.tensor([true, false]).dtype, "bool");
  assert.equal(torch.tensor([1n, 2n]).dtype, "int64");
  assert.equal(torch.tensor(3).shape, []);
  assert.equal(torch.tensor([]).shape, [0]);
  assert.equal(torch.tensor([[], []]).shape, [2, 0]);
  assert.equal(torch.full([2], 1).dtype, "float32");
  assert.equal(torch.full([2], 1n).dtype, "int64");
});

test("typed arrays keep their dtype", () => {
  const cases = [
    [Float32Array, "float32"],
    [Float64Array, "float64"],
    [Int8Array, "int8"],
    [Uint8Array, "uint8"],
    [Uint8ClampedArray, "uint8"],
    [Int16Array, "int16"],
    [Uint16Array, "uint16"],
    [Uint32Array, "uint32"],
    [Int32Array, "int32"],
  ];
  for (const [array, dtype] of cases) {
    const x = torch.tensor(array.of(1, 2, 3));
    assert.equal([x.dtype, x.tolist()], [dtype, [1, 2, 3]]);
  }
  assert.equal(torch.tensor(BigInt64Array.of(5n)).tolist(), [5]);
  const large = torch.tensor(BigUint64Array.of(5n, 2n ** 64n - 1n));
  assert.equal([large.dtype, large.tolist(), large.get(1).item()], ["uint64", [5n, 2n ** 64n - 1n], 2n ** 64n - 1n]);
  assert.throws(() => torch.tensor(new DataView(new ArrayBuffer(4))), "dtype", "DataView");
});

test("bigints above all of int64 are uint64 or refused", () => {
  const most = 2n ** 64n - 1n;
  const x = torch.tensor([0n, most], { dtype: "uint64" });
  assert.equal([x.dtype, x.tolist(), x.eq(most).tolist()], ["uint64", [0n, most], [false, true]]);
  assert.equal(x.bitwise_xor(most).tolist(), [most, 0n]);
  assert.equal(x.sum().item(), most);
  assert.throws(() => torch.tensor([most]), "value", "uint64");
  // A dtype does not depend on a value, here neither.
  assert.equal(torch.full([1], most, { dtype: "uint64" }).tolist(), [most]);
  assert.equal(torch.where(torch.tensor([true]), x, most).dtype, "uint64");
  assert.equal(torch.tensor([1]).mul(most).dtype, "float32");
  for (const make of [() => torch.full([1], most), () => torch.where(torch.tensor([true]), most, 1n), () => torch.result_type(most, 1n)]) {
    assert.throws(make, "value", "does not fit into int64");
  }
  assert.throws(() => torch.tensor([most + 1n], { dtype: "uint64" }), "value", "64 bits");
  assert.throws(() => torch.tensor([1n]).lt(most), "value", "above the largest int64");
});

test("a part of a buffer is what a typed array over it shows", () => {
  const buffer = new Float32Array([0, 1, 2, 3]).buffer;
  assert.equal(torch.tensor(new Float32Array(buffer, 4, 2)).tolist(), [1, 2]);
  assert.equal(torch.tensor(buffer, { dtype: "float32" }).tolist(), [0, 1, 2, 3]);
  assert.throws(() => torch.tensor(buffer), "argument", "needs a dtype");
});

test("images become height x width x 4", () => {
  const image = { width: 2, height: 1, data: Uint8ClampedArray.of(1, 2, 3, 255, 5, 6, 7, 255) };
  const x = torch.tensor(image);
  assert.equal([x.shape, x.dtype, x.tolist()[0][1]], [[1, 2, 4], "uint8", [5, 6, 7, 255]]);
});

test("nested arrays of unequal lengths are refused", () => {
  assert.throws(() => torch.tensor([[1, 2], [3]]), "value", "expected sequence of length 2 at dim 1 (got 1)");
  assert.throws(() => torch.tensor([1, [2]]), "value", "dim 1");
  assert.throws(() => torch.tensor([1, "2"]), "value", "string");
  assert.throws(() => torch.tensor([1, 2n]), "value", "mixed");
  assert.throws(() => torch.tensor([2n ** 63n]), "value", "does not fit into int64");
});

test("a dtype converts, exactly where it can", () => {
  assert.equal(torch.tensor([2 ** 40 + 1], { dtype: "int64" }).item(), 2 ** 40 + 1);
  assert.equal(torch.tensor([0.1], { dtype: "float64" }).item(), 0.1);
  assert.equal(torch.tensor([0, 2], { dtype: "bool" }).tolist(), [false, true]);
  assert.throws(() => torch.tensor([1], { dtype: "float31" }), "argument", "float31");
});

test("int64 comes back as a number where that is safe, as a bigint where not", () => {
  assert.equal(torch.tensor([5n]).item(), 5);
  assert.equal(torch.tensor([2n ** 60n + 1n]).item(), 2n ** 60n + 1n);
  assert.equal(torch.tensor([1n, 2n ** 60n + 1n]).tolist(), [1n, 2n ** 60n + 1n]);
  assert.equal(torch.tensor([2n ** 60n]).add(1n).item(), 2n ** 60n + 1n);
});

test("data gives a typed array of its own", async () => {
  const x = torch.tensor([[1, 2], [3, 4]]);
  const data = await x.t().data();
  assert.ok(data instanceof Float32Array);
  assert.equal([...data], [1, 3, 2, 4]);
  data[0] = 9;
  assert.equal(x.tolist(), [[1, 2], [3, 4]]);
  assert.ok((await torch.tensor([1n]).data()) instanceof BigInt64Array);
  assert.equal([...(await torch.tensor([true, false]).data())], [1, 0]);
  assert.equal([...x.data_sync({ copy: false })], [1, 2, 3, 4]);
});

test("complex numbers are {re, im}", () => {
  const z = torch.tensor([{ re: 1, im: 2 }, 3]);
  assert.equal([z.dtype, z.tolist()], ["complex64", [{ re: 1, im: 2 }, { re: 3, im: 0 }]]);
  assert.equal(z.mul({ re: 0, im: 1 }).tolist(), [{ re: -2, im: 1 }, { re: 0, im: 3 }]);
  assert.equal(z.get(0).item(), { re: 1, im: 2 });
});

test("half precision comes back as numbers", () => {
  assert.equal(torch.tensor([1.5, -2], { dtype: "float16" }).tolist(), [1.5, -2]);
  assert.equal(torch.tensor([1.5, -2], { dtype: "bfloat16" }).tolist(), [1.5, -2]);
});

test("sizes are arguments or an array", () => {
  assert.equal(torch.zeros(2, 3).shape, [2, 3]);
  assert.equal(torch.zeros([2, 3]).shape, [2, 3]);
  assert.equal(torch.ones(2, 3, { dtype: "int32" }).dtype, "int32");
  assert.equal(torch.arange(6).reshape(2, 3).tolist(), [[0, 1, 2], [3, 4, 5]]);
  assert.equal(torch.arange(6).reshape([3, -1]).shape, [3, 2]);
});

test("options are named in a last object", () => {
  const x = torch.tensor([[1, 2], [3, 4]]);
  assert.equal(x.sum(0).tolist(), [4, 6]);
  assert.equal(x.sum({ dim: 1 }).tolist(), [3, 7]);
  assert.equal(x.sum(1, { keepdim: true }).tolist(), [[3], [7]]);
  assert.equal(torch.sum(x, 1).tolist(), [3, 7]);
  assert.throws(() => x.sum(0, { keepdims: true }), "argument", "keepdims");
  assert.throws(() => x.sum("0"), "argument", "string");
});

test("several results have names and an order", () => {
  const x = torch.tensor([3, 1, 2]);
  const sorted = x.sort();
  assert.equal(sorted.values.tolist(), [1, 2, 3]);
  assert.equal(sorted.indices.tolist(), [1, 2, 0]);
  const [values, indices] = x.topk(2);
  assert.equal([values.tolist(), indices.tolist()], [[3, 2], [0, 2]]);
  assert.equal(torch.tensor([1, 2, 3, 4]).chunk(2).map((part) => part.tolist()), [[1, 2], [3, 4]]);
});

test("in-place methods return the tensor itself", () => {
  const x = torch.tensor([1, 2]);
  assert.ok(x.add_(1) === x);
  assert.equal(x.tolist(), [2, 3]);
  assert.ok(x.contiguous() === x);
  const out = torch.zeros(2);
  assert.ok(torch.add(x, 1, { out }) === out);
  assert.equal(out.tolist(), [3, 4]);
});

test("get and set take integers, masks, arrays, null and strings", () => {
  const x = torch.arange(12).reshape(3, 4);
  assert.equal(x.get(1).tolist(), [4, 5, 6, 7]);
  assert.equal(x.get(1, 2).item(), 6);
  assert.equal(x.at(-1, -1).item(), 11);
  assert.equal(x.get("1:3, ..., None").shape, [2, 4, 1]);
  assert.equal(x.get(":, ::2").tolist(), [[0, 2], [4, 6], [8, 10]]);
  assert.equal(x.get(":", [0, 3]).tolist(), [[0, 3], [4, 7], [8, 11]]);
  assert.equal(x.get(null).shape, [1, 3, 4]);
  assert.equal(x.get(x.gt(8)).tolist(), [9, 10, 11]);
  assert.equal(x.get(torch.tensor([true, false, true])).shape, [2, 4]);
  x.set(x.gt(8), 0);
  assert.equal(x.get(2).tolist(), [8, 0, 0, 0]);
  x.set(0, ":", [7, 7, 7, 7]);
  assert.equal(x.get(0).tolist(), [7, 7, 7, 7]);
  assert.throws(() => x.get("1:3:0"), "value", "step");
  assert.throws(() => x.get("a"), "index", "'a'");
  assert.throws(() => x.get(5), "index", "out of bounds");
  assert.throws(() => x.get(1.5), "argument", "number");
  assert.throws(() => x.get(), "argument", "index");
  assert.throws(() => x.get(torch.tensor([1, 0, 1], { dtype: "uint8" })), "dtype", "Byte");
});

test("rows can be iterated", () => {
  const rows = [...torch.tensor([[1, 2], [3, 4]])].map((row) => row.tolist());
  assert.equal(rows, [[1, 2], [3, 4]]);
  assert.throws(() => [...torch.tensor(1)], "value", "0-d");
});

test("it prints as PyTorch prints", () => {
  assert.equal(String(torch.tensor([1, 2.5])), "tensor([1.0000, 2.5000])");
  assert.equal(`${torch.tensor([[true], [false]])}`, "tensor([[ True],\n        [False]])");
  assert.equal(torch.arange(3)[Symbol.for("nodejs.util.inspect.custom")](), "tensor([0, 1, 2])");
  assert.equal(JSON.stringify({ x: torch.tensor([1, 2]) }), '{"x":[1,2]}');
});

test("operators of JavaScript work on one element and are refused on more", () => {
  assert.equal(torch.tensor(3) + 1, 4);
  assert.ok(torch.tensor(3) > 2);
  assert.throws(() => torch.tensor([1, 2]) > 1, "unsupported", "x.gt(3)");
});

test("errors name the op, the shapes and what to write instead", () => {
  const x = torch.tensor([1, 2, 3]);
  assert.throws(() => x.masked_select(torch.tensor([1, 0, 1])), "dtype", "write mask.bool() or mask.ne(0)");
  assert.throws(() => x.add(torch.zeros(2)), "shape", "The size of tensor a (3) must match the size of tensor b (2)");
  assert.throws(() => x.masked_select(), "argument", "missing 'mask'");
  assert.throws(() => x.masked_select("x > 1"), "argument", "must be Tensor, not string 'x > 1'");
  assert.throws(() => torch.zeros(2, { device: "cuda" }), "value", "cuda");
  assert.throws(() => torch.zeros(-1), "shape", "negative dimension -1");
  assert.throws(() => torch.zeros(2 ** 20, 2 ** 20), "memory", "");
  assert.throws(() => new torch.Tensor(), "argument", "tensor(data)");
});

test("a disposed tensor is refused, its views live on", () => {
  const x = torch.tensor([1, 2, 3]);
  const view = x.get("1:");
  x.dispose();
  x.dispose();
  assert.throws(() => x.add(1), "value", "disposed");
  assert.equal(view.tolist(), [2, 3]);
});

test("tidy disposes of all but what is returned or kept", () => {
  let inner, kept;
  const result = torch.tidy(() => {
    inner = torch.ones(3);
    kept = torch.keep(inner.add(1));
    return { sum: inner.sum(), list: [inner.mul(2)] };
  });
  assert.ok(inner.is_disposed && !kept.is_disposed);
  assert.equal([result.sum.item(), result.list[0].tolist()], [3, [2, 2, 2]]);
  assert.throws(() => torch.tidy(async () => 1), "unsupported", "async");
});

test("10^5 operations hold their memory", () => {
  const before = torch.memory_bytes();
  const x = torch.ones(1000);
  for (let i = 0; i < 1e5; ++i) {
    torch.tidy(() => {
      x.mul(2).masked_select(x.gt(0));
    });
  }
  assert.ok(torch.memory_bytes() - before < 4e6, `the memory grew by ${torch.memory_bytes() - before} bytes`);
});

test("what the garbage collector finds is given back", async () => {
  // 4 MB each: without collection this would take 4 GB and fail.
  for (let i = 0; i < 1000; ++i) {
    torch.zeros(1 << 20).add_(1).settle();
    if (i % 16 === 15) {
      new Array(1 << 18).fill(i); // work for the collector
      await new Promise((done) => setTimeout(done));
    }
  }
});
