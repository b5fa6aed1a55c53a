// Programs that must compile, and the types of their results.

import * as torch from "tamis";
import type { Device, DType, Tensor } from "tamis";
import { is } from "./equal.js";

type F32 = Tensor<"float32", "cpu">;
type I64 = Tensor<"int64", "cpu">;
type Bool = Tensor<"bool", "cpu">;

// ---- tensors from data ----

is<F32>()(torch.tensor([1, 2, 3]));
is<F32>()(torch.tensor([[1], [2]]));
is<F32>()(torch.tensor(1));
is<F32>()(torch.tensor([]));
is<Bool>()(torch.tensor([true, false]));
is<I64>()(torch.tensor([1n, 2n]));
is<Tensor<"complex64", "cpu">>()(torch.tensor({ re: 1, im: 2 }));
is<F32>()(torch.tensor(new Float32Array(2)));
is<Tensor<"uint8", "cpu">>()(torch.tensor(new Uint8ClampedArray(2)));
is<I64>()(torch.tensor(new BigInt64Array(2)));
is<Tensor<"uint8", "cpu">>()(torch.tensor({ data: new Uint8ClampedArray(16), width: 2, height: 2 }));
is<Tensor<"int16", "cpu">>()(torch.tensor([1, 2], { dtype: "int16" }));
is<Tensor<"float32", "webgpu">>()(torch.tensor([1, 2], { device: "webgpu" }));
is<Tensor<"float64", "webgpu">>()(torch.tensor(new ArrayBuffer(8), { dtype: torch.float64, device: "webgpu:0" }));
is<Tensor<"float32" | "bool", "cpu">>()(torch.tensor([1, true]));
declare const gpu: Tensor<"float32", "webgpu">;
is<Tensor<"float32", "webgpu">>()(torch.tensor(gpu));
is<Tensor<"int8", "cpu">>()(torch.tensor(gpu, { dtype: "int8", device: "cpu" }));

// ---- creation ----

is<F32>()(torch.zeros(2, 3));
is<F32>()(torch.zeros([2, 3]));
is<I64>()(torch.zeros([2, 3], { dtype: "int64" }));
is<Tensor<"int64", "webgpu">>()(torch.zeros(2, 3, { dtype: "int64", device: "webgpu" }));
is<F32>()(torch.randn(3, { requires_grad: true }));
is<I64>()(torch.randint(0, 10, [4]));
is<I64>()(torch.arange(5));
is<I64>()(torch.arange(0n, 5n));
is<F32>()(torch.arange(0, 1, 0.25));
declare const n: number;
is<Tensor<"int64" | "float32", "cpu">>()(torch.arange(n));
is<Tensor<"int32", "cpu">>()(torch.arange(n, { dtype: "int32" }));
is<F32>()(torch.full([2], 7));
is<I64>()(torch.full([2], 7n));
is<Bool>()(torch.full([2], true));
is<F32>()(torch.linspace(0, 1, 5));
is<Tensor<"float32", "webgpu">>()(torch.zeros_like(gpu));
is<Tensor<"bool", "cpu">>()(torch.zeros_like(gpu, { dtype: "bool", device: "cpu" }));

// ---- dtypes of results ----

const x = torch.randn(2, 3);
const ints = torch.tensor([1n, 2n, 3n]);
const mask = x.gt(0);
is<Bool>()(mask);
is<F32>()(x.sum());
is<F32>()(x.sum(0, { keepdim: true }));
is<F32>()(x.sum({ dim: [0, 1] }));
is<I64>()(ints.sum());
is<I64>()(mask.sum());
is<Tensor<"float64", "cpu">>()(x.sum({ dtype: "float64" }));
is<Tensor<"float64", "cpu">>()(torch.sum(ints, 0, true, { dtype: torch.float64 }));
is<F32>()(ints.sqrt());
is<I64>()(ints.add(1));
is<F32>()(ints.add(1.5));
is<Tensor<"int64" | "float32", "cpu">>()(ints.add(n));
is<I64>()(ints.add(1n));
is<F32>()(ints.add(x));
is<F32>()(x.add(ints));
is<F32>()(ints.div(2));
is<I64>()(ints.div(2, { rounding_mode: "floor" }));
is<F32>()(x.add(1, { alpha: 2 }));
is<I64>()(mask.add(1));
is<Tensor<"float32" | "float64", "cpu">>()(x.add(x.double())); // a 0-d tensor gives way
is<Tensor<"complex64", "cpu">>()(x.mul({ re: 0, im: 1 }));
is<F32>()(x.add({ other: 1 }));
is<F32>()(torch.pow(2, x));
is<F32>()(torch.where(mask, x, 0));
is<I64>()(torch.where(mask, 1, 0));
is<F32>()(x.where(mask, 0));
is<Tensor<"int64", "cpu">[]>()(torch.where(mask));
is<I64>()(x.argmax());
is<F32>()(x.clamp({ min: 0 }));
is<F32>()(x.clamp(null, 1));
is<F32>()(x.abs());
is<F32>()(torch.tensor({ re: 1, im: 2 }).abs());
is<F32>()(torch.cat([x, x]));
is<F32 | I64>()(null! as F32 | I64);
is<"float32">()(torch.result_type(x, 1));
is<boolean>()(torch.allclose(x, x));
is<number>()(torch.count(mask));
is<Tensor<"int32", "cpu">>()(torch.bucketize(x, [0, 1], { out_int32: true }));
is<Tensor<"int64", "cpu">>()(torch.bucketize(x, [0, 1]));
is<F32>()(x.var());
is<F32>()(torch.var(x, 0));
is<I64>()(torch.nonzero(x));
is<Tensor<"int64", "cpu">[]>()(torch.nonzero(x, { as_tuple: true }));

// ---- masks ----

is<F32>()(x.masked_select(mask));
is<F32>()(x.masked_select({ mask }));
is<F32>()(x.masked_select([[true, false, true]]));
is<F32>()(torch.masked_select(x, mask));
is<F32>()(x.masked_fill(mask, 0));
is<F32>()(x.masked_fill_(mask, -1));
is<F32>()(x.get(mask));
is<F32>()(x.at("0, ...", [0, 1]));
is<F32>()(x.set(mask, 0));
is<F32>()(torch.masked.mean(x, 1, { mask }));
is<Bool>()(torch.masks.causal(4));
is<Tensor<"bool", "webgpu">>()(torch.masks.from_lengths(torch.tensor([1n, 2n], { device: "webgpu" })));
is<Bool>()(torch.masks.from_lengths([1, 2]));
is<Bool>()(torch.where("x > 3 & ~isnan(x)", { x }));
is<Tensor<"bool", "webgpu">>()(torch.where("gpu > 3", { gpu }));
is<Tensor<DType, "cpu">>()(torch.evaluate("x ** 2", { x }));

// ---- several results ----

const sorted = x.sort(1, { descending: true });
is<F32>()(sorted.values);
is<I64>()(sorted.indices);
const [values, indices] = x.topk(2);
is<F32>()(values);
is<I64>()(indices);
is<F32>()(torch.kthvalue(x, 2).values);
const { min, max } = torch.aminmax(ints);
is<I64>()(min);
is<I64>()(max);
is<F32[]>()(x.split(1));
is<F32>()(x.unique());
is<Tensor<"float32" | "int64", "cpu">[]>()(x.unique({ return_counts: true }));

// ---- devices ----

is<Tensor<"float32", "webgpu">>()(gpu.add(1).mul(gpu));
is<Tensor<"float32", "cpu">>()(gpu.cpu());
is<Tensor<"float16", "webgpu">>()(x.to("webgpu", "float16"));
is<Tensor<"float32", "webgpu">>()(x.to(gpu));
is<Tensor<"int8", "cpu">>()(x.to("int8"));
is<"webgpu:0">()(gpu.device);
is<"cpu">()(x.device);
is<F32>()(torch.zeros(1, { device: x.device }));
is<Tensor<"float32", "webgpu">>()(torch.zeros(1, { device: gpu.device }));

// ---- what waits ----

async function waits(): Promise<void> {
  is<Tensor<"float32", "webgpu">>()(await gpu.masked_select_async(gpu.gt(0)));
  is<Tensor<"float32", "webgpu">>()(await gpu.masked_scatter_async_(gpu.gt(0), gpu));
  is<Tensor<"int64", "webgpu">>()((await torch.sort_async(gpu)).indices);
  is<number>()(await gpu.item_async());
  is<Float32Array>()(await gpu.data());
  is<BigInt64Array>()(ints.data_sync());
  is<boolean>()(mask.item());
  is<number | bigint>()(ints.item());
  is<boolean>()(await torch.webgpu.is_available());
  const loaded = await torch.load(new ArrayBuffer(0));
  if (torch.is_tensor(loaded)) loaded.sort();
  else is<Tensor<DType, "cpu">>()(loaded["weights"]!);
  is<Tensor<DType, "cpu">>()(await torch.load(new Blob(), { name: "x" }));
  is<Uint8Array>()(await torch.save({ x, ints }, "both.npz"));
}
declare class Blob {
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

// ---- gradients, memory, errors ----

const w = torch.randn(3, { requires_grad: true });
const loss = torch.mse_loss(x.mul(w), x);
loss.backward();
is<F32 | null>()(w.grad);
const [dw, dx] = torch.autograd.grad(loss, [w, x]);
is<F32>()(dw);
is<F32>()(dx);
const optimizer = new torch.optim.AdamW([w], { lr: 1e-2, betas: [0.9, 0.99] });
optimizer.step();
is<F32>()(torch.no_grad(() => w.mul(2)));
is<{ a: F32 }>()(torch.tidy(() => ({ a: x.add(1) })));
is<F32>()(torch.keep(x));
torch.rand(2, { generator: new torch.Generator().manual_seed(1) });
try {
  torch.zeros(-1);
} catch (error) {
  if (error instanceof torch.TamisError && error.kind === "shape") error.message.length;
}
{
  using temporary = x.add(1);
  is<F32>()(temporary);
}
for (const row of x) is<F32>()(row);

// ---- tensors of any dtype and device ----

function standardize(input: Tensor<torch.FloatDType>): Tensor<torch.FloatDType> {
  return input.sub(input.mean()).div(input.std());
}
function largest<D extends torch.RealDType, Dev extends Device>(input: Tensor<D, Dev>): Tensor<D, Dev> {
  return input.amax();
}
is<Tensor<torch.FloatDType>>()(standardize(gpu));
is<I64>()(largest(ints));
const anything: Tensor = x;
anything.sort();
anything.add(gpu);

void waits;
