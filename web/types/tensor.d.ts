// ---- Tensor -------------------------------------------------------------------------------------

declare const phantom: unique symbol;

type Items = { [D in DType]: D extends "bool" ? boolean : D extends "int64" | "uint64" ? number | bigint : D extends ComplexDType ? Complex : number };
type Item<D extends DType> = Items[D];
type NestedItems<T> = T | NestedItems<T>[];
type TypedArrays = {
  bool: Uint8Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  complex64: Float32Array;
  complex128: Float64Array;
};
/** What stands in the brackets of x[...]: null is a new dimension, a string is like "1:3, ..., None". */
type Index<Dev extends Device> = Int | boolean | null | string | Tensor<"bool" | IntegerDType, Dev> | Nested<Int> | Nested<boolean>;
type Gradient<D extends DType, Dev extends Device> = Tensor<D, Dev> | null;

/** A tensor of dtype D on device Dev. */
export declare class Tensor<out D extends DType = DType, out Dev extends Device = Device> {
  /** Tensors come from functions: tensor(data), zeros(2, 3), x.add(1). */
  private constructor();
  readonly [phantom]: Dev;

  // ---- memory ----

  /** The library's number of this tensor. */
  readonly handle: number;
  /** Gives the memory back now, and not when the garbage collector finds out. Views and gradients that need it keep it. */
  dispose(): void;
  readonly is_disposed: boolean;
  [Symbol.dispose](): void;

  // ---- what it is ----

  /** The sizes of the dimensions. */
  readonly shape: number[];
  readonly dtype: D;
  /** "cpu" or "webgpu:0". */
  readonly device: { cpu: "cpu"; webgpu: "webgpu:0" }[Dev];
  readonly ndim: number;
  dim(): number;
  /** The shape, or one size of it; a negative dim counts from the end. */
  size(): number[];
  size(dim: number): number;
  /** The distances between neighbours of a dimension, in elements. */
  stride(): number[];
  stride(dim: number): number;
  numel(): number;
  /** The size of the first dimension. */
  readonly length: number;
  is_contiguous(): boolean;
  /** Whether the values are not computed yet. */
  is_deferred(): boolean;
  is_floating_point(): boolean;
  is_complex(): boolean;
  /** A view with the dimensions in reverse order. */
  readonly T: Tensor<D, Dev>;
  /** A view with the last two dimensions swapped. */
  readonly mT: Tensor<D, Dev>;

  // ---- gradients ----

  requires_grad: boolean;
  requires_grad_(on?: boolean): this;
  readonly is_leaf: boolean;
  /** The gradient collected so far, or null. */
  get grad(): Gradient<D, Dev>;
  set grad(value: Gradient<D, Dev> | undefined);
  retain_grad(): void;
  /** Adds the gradients of this tensor to `.grad` of the leaves that it was computed from. */
  backward(gradient?: Tensor<DType, Dev> | null, options?: { retain_graph?: boolean | null; create_graph?: boolean }): void;
  /** The same where gradients have to wait for values on a GPU. */
  backward_async(gradient?: Tensor<DType, Dev> | null, options?: { retain_graph?: boolean | null; create_graph?: boolean }): Promise<void>;

  // ---- values ----

  /** The only element: a number; a bigint if it is an integer that a number cannot hold; a boolean; or {re, im}. */
  item(): Item<D>;
  item_async(): Promise<Item<D>>;
  /** The elements as nested arrays; of a 0-d tensor, one value. Integers are bigints if one of them needs it. */
  tolist(): NestedItems<Item<D>>;
  tolist_async(): Promise<NestedItems<Item<D>>>;
  /**
   * The elements in row-major order in a typed array of their own: Float32Array for float32, BigInt64Array for int64,
   * BigUint64Array for uint64,
   * Uint8Array for bool, Uint16Array of the bits of float16 and bfloat16, pairs for complex numbers.
   *
   * With {copy: false} it is a view of the library's memory where that is possible: quick, but only valid until the next
   * call of any function of Tamis.
   */
  data(options?: { copy?: boolean }): Promise<TypedArrays[D]>;
  /** The same for tensors on the CPU, at once. */
  data_sync(options?: { copy?: boolean }): TypedArrays[D];
  /** Computes the values now if they are deferred. */
  settle(): this;
  /** As PyTorch prints it: tensor([1., 2., 3.]). */
  toString(): string;
  toString_async(): Promise<string>;
  toJSON(): NestedItems<Item<D>>;
  [Symbol.toPrimitive](hint: string): string | Item<D>;
  /** The views x.get(0), x.get(1), ... */
  [Symbol.iterator](): IterableIterator<Tensor<D, Dev>>;

  // ---- copies ----

  /** to(dtype), to(device), to(device, dtype) or to(other); itself if it is that already. */
  to<T extends DType>(dtype: T, copy?: boolean): Tensor<NoInfer<T>, Dev>;
  to<N extends DeviceName>(device: N, dtype?: null, copy?: boolean): Tensor<D, On<N>>;
  to<N extends DeviceName, T extends DType>(device: N, dtype: T, copy?: boolean): Tensor<NoInfer<T>, On<N>>;
  to<T extends DType, V extends Device>(other: Tensor<T, V>, copy?: boolean): Tensor<T, V>;
  to<T extends DType = D, N extends DeviceName = DeviceName<Dev>>(options: { device?: N; dtype?: T; copy?: boolean }): Tensor<NoInfer<T>, On<N>>;
  to_async<T extends DType>(dtype: T, copy?: boolean): Promise<Tensor<NoInfer<T>, Dev>>;
  to_async<N extends DeviceName>(device: N, dtype?: null, copy?: boolean): Promise<Tensor<D, On<N>>>;
  to_async<N extends DeviceName, T extends DType>(device: N, dtype: T, copy?: boolean): Promise<Tensor<NoInfer<T>, On<N>>>;
  to_async<T extends DType, V extends Device>(other: Tensor<T, V>, copy?: boolean): Promise<Tensor<T, V>>;
  to_async<T extends DType = D, N extends DeviceName = DeviceName<Dev>>(options: { device?: N; dtype?: T; copy?: boolean }): Promise<Tensor<NoInfer<T>, On<N>>>;
  cpu(): Tensor<D, "cpu">;
  cpu_async(): Promise<Tensor<D, "cpu">>;

  // ---- indexing ----

  /**
   * x[...]: each argument is an integer, a boolean, null (a new dimension), a Tensor (a mask or indices), an array, or a
   * string: x.get(0), x.get(mask), x.get("1:3, ..., None"), x.get(":", [0, 2]).
   */
  get(...indices: Index<Dev>[]): Tensor<D, Dev>;
  at(...indices: Index<Dev>[]): Tensor<D, Dev>;
  get_async(...indices: Index<Dev>[]): Promise<Tensor<D, Dev>>;
  /** x[...] = value: x.set(mask, 0), x.set(0, ":", y). */
  set(...indicesAndValue: [...indices: Index<Dev>[], value: Tensor<DType, Dev> | Scalar | Nested<Scalar>]): this;
  set_async(...indicesAndValue: [...indices: Index<Dev>[], value: Tensor<DType, Dev> | Scalar | Nested<Scalar>]): Promise<this>;

  // ---- the functions of the library ----

  // (methods of the table)
}
