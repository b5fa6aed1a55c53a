// ---- values -------------------------------------------------------------------------------------

export type IntegerDType = "uint8" | "uint16" | "uint32" | "uint64" | "int8" | "int16" | "int32" | "int64";
export type FloatDType = "float16" | "bfloat16" | "float32" | "float64";
export type ComplexDType = "complex64" | "complex128";
/** Those that have an order. */
export type RealDType = "bool" | IntegerDType | FloatDType;
/** All but bool. */
export type NumberDType = IntegerDType | FloatDType | ComplexDType;

export type Device = "cpu" | "webgpu";
/** A device as `x.device` calls it, and as functions take it. */
export type DeviceName<Dev extends Device = Device> = { cpu: "cpu"; webgpu: "webgpu" | "webgpu:0" }[Dev];
/** The device of that name. */
export type On<N extends DeviceName> = N extends "cpu" ? "cpu" : "webgpu";

export interface Complex {
  readonly re: number;
  readonly im: number;
}
/** A number of any kind. bigints and numbers without fraction are integers. */
export type Scalar = number | bigint | boolean | Complex;
type Int = number | bigint;
type Ints = Int | readonly Int[];
/** Arrays of equal length, of any depth. */
export type Nested<T> = readonly (T | Nested<T>)[];

// ---- what dtypes follow from ---------------------------------------------------------------------

/** A number is as good as a dtype where dtypes promote, but weaker. */
type NumberKind = "integer" | "fraction" | "boolean" | "complex";
type Key = DType | NumberKind;
type NumberKindOf<N> = N extends boolean
  ? "boolean"
  : N extends bigint
    ? "integer"
    : N extends number
      ? number extends N
        ? "integer" | "fraction"
        : `${N}` extends `${bigint}`
          ? "integer"
          : "fraction"
      : N extends Complex
        ? "complex"
        : never;
// With `infer`, here and below, tsc knows at once that the type is a Key, or a DType; it takes seconds otherwise.
type KindOf<O> = (O extends { readonly dtype: infer D } ? D : NumberKindOf<O>) extends infer K extends Key ? K : never;
/** The same for numbers that a new tensor is filled with, which are reals. */
type FillKind<O> = (O extends number ? "fraction" : NumberKindOf<O>) extends infer K extends Key ? K : never;

/**
 * What operands of two dtypes promote to. Some pairs have several results: a 0-d tensor gives way to one with dimensions
 * of the same kind of number, and types do not know dimensions.
 */
export type Promote<A extends Key, B extends Key> = Promotions[A][B] extends infer D extends DType ? D : never;
/** The same with an operand that need not be given: never, or null. */
type With<A extends Key, O> = [KindOf<O>] extends [never] ? A : Promote<A, KindOf<O>> | (O extends null ? A : never);
/** The same with a factor, which may leave the dtype as it is. */
type Loosely<A extends Key, O> = [O] extends [never] ? A : A | Promote<A, KindOf<O>>;

// ---- constraints ---------------------------------------------------------------------------------

/** A tensor of a dtype that the function takes. One whose dtype is not known passes. */
type Of<D extends DType, Dev extends Device, Taken extends DType> = Tensor<D, Dev> & (Tensor<Taken, Dev> | ([DType] extends [D] ? unknown : never));
/** A mask, or an array that stands for one. */
export type Mask<Dev extends Device = Device> = Tensor<"bool", Dev> | Nested<boolean>;

type DTypeOf<T> = T extends Tensor<infer D, Device> ? D : never;
type DeviceOf<T> = T extends Tensor<DType, infer Dev> ? Dev : never;
/** Where the result of tensors and numbers is. */
type PlaceOf<T> = [DeviceOf<T>] extends [never] ? "cpu" : DeviceOf<T>;
/** Where a second operand may be. */
type Beside<T> = [DeviceOf<T>] extends [never] ? Device : DeviceOf<T>;
/** A list of tensors must be on one device. */
type Unmixed<T, All = T> = [T extends Tensor<DType, infer Dev> ? ([All] extends [Tensor<DType, Dev>] ? true : never) : never] extends [never]
  ? { readonly " tensors are on several devices": All }
  : unknown;

/** Several results, by name and in order: `const { values, indices } = x.sort()`, `const [values, indices] = x.sort()`. */
export type Results<Named, Order extends readonly (keyof Named)[]> = Readonly<Named> & {
  readonly [I in Exclude<keyof Order, keyof (readonly unknown[])>]: Order[I] extends keyof Named ? Named[Order[I]] : never;
} & { [Symbol.iterator](): IterableIterator<Named[keyof Named]> };
