// Programs that must not compile: every marked line is an error, and tsc reports marks that are none.

import * as torch from "tamis";
import type { Tensor } from "tamis";

const x = torch.randn(2, 3);
const ints = torch.tensor([1n, 2n]);
const complex = torch.tensor({ re: 1, im: 2 });
const mask = x.gt(0);
declare const gpu: Tensor<"float32", "webgpu">;
declare const unknown: Tensor;

// ---- masks are bool ----

// @ts-expect-error
x.masked_select(x);
// @ts-expect-error
torch.masked_select(x, ints);
// @ts-expect-error
x.masked_fill(x, 0);
// @ts-expect-error
x.masked_fill_({ mask: ints, value: 0 });
// @ts-expect-error
x.get(x);
// @ts-expect-error
x.set(x, 0);
// @ts-expect-error
torch.where(x, 1, 0);
// @ts-expect-error
x.where(x, 0);
// @ts-expect-error
torch.masked.sum(x, 0, { mask: x });
// @ts-expect-error
x.masked_select_async(x);
// @ts-expect-error
x.masked_select([1, 0]);
// @ts-expect-error
torch.count(x);

// ---- indices are integers ----

// @ts-expect-error
x.gather(0, x);
// @ts-expect-error
x.index_select(0, mask);
// @ts-expect-error
torch.take(x, [0.5, "1"]);
// @ts-expect-error
x.index_fill(0, x, 0);

// ---- one device ----

// @ts-expect-error
x.add(gpu);
// @ts-expect-error
gpu.add(x);
// @ts-expect-error
torch.add(x, gpu);
// @ts-expect-error
torch.pow(x, gpu);
// @ts-expect-error
x.masked_select(gpu.gt(0));
// @ts-expect-error
torch.cat([x, gpu]);
// @ts-expect-error
torch.where(mask, gpu, gpu);
// @ts-expect-error
gpu.add(unknown);
// @ts-expect-error
x.get(gpu.gt(0));

// ---- names ----

// @ts-expect-error
torch.zeros(2, { dtype: "float23" });
// @ts-expect-error
torch.zeros(2, { device: "gpu" });
// @ts-expect-error
x.to("cuda");
// @ts-expect-error
let t: Tensor<"float23">;
// @ts-expect-error
let u: Tensor<"float32", "cuda">;
// @ts-expect-error
x.sum({ keepdims: true });
// @ts-expect-error
x.sum(0, { axis: 1 });
// @ts-expect-error
x.mse_loss(x, { reduction: "average" });
// @ts-expect-error
torch.mse_loss(x, x, { reduction: "average" });
// @ts-expect-error
x.summ();
// @ts-expect-error
torch.masked_pick(x, mask);

// ---- arguments ----

// @ts-expect-error
x.add();
// @ts-expect-error
x.add("1");
// @ts-expect-error
x.reshape("2, 3");
// @ts-expect-error
x.sum(true);
// @ts-expect-error
x.sum(0, 1);
// @ts-expect-error
torch.zeros(2, 3, 4, true);
// @ts-expect-error
x.sum(0, { dim: 1 });
// @ts-expect-error
torch.tensor("1, 2");
// @ts-expect-error
torch.tensor(new ArrayBuffer(8));
// @ts-expect-error
new torch.Tensor();
// @ts-expect-error
x.dtype = "int64";

// ---- dtypes that functions refuse ----

// @ts-expect-error
complex.sort();
// @ts-expect-error
torch.sort(complex);
// @ts-expect-error
complex.lt(1);
// @ts-expect-error
x.bitwise_and(1);
// @ts-expect-error
ints.bitwise_and(x);
// @ts-expect-error
x.matmul(x.double());
// @ts-expect-error
ints.add_(x);
// @ts-expect-error
ints.sqrt_();
// @ts-expect-error
mask.sub(mask);
// @ts-expect-error
ints.mean().matmul(ints);

// ---- results are what they are, not what is hoped for ----

// @ts-expect-error
const a: Tensor<"int64"> = torch.zeros(2);
// @ts-expect-error
const b: Tensor<"float64"> = x.sum();
// @ts-expect-error
const c: Tensor<"float32", "webgpu"> = torch.zeros(2);
// @ts-expect-error
const d: Tensor<"int64"> = ints.div(2);
// @ts-expect-error
const e: Tensor<"float32"> = ints.add(x.double());
// @ts-expect-error
const f: Tensor<"float32", "cpu"> = unknown;
// @ts-expect-error
const g: number = ints.item();
// @ts-expect-error
const h: Tensor = x.sum_async();
// @ts-expect-error
torch.tidy(async () => x.add(1));

void [t!, u!, a, b, c, d, e, f, g, h];
