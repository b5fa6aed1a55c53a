// ---- tensors from data ---------------------------------------------------------------------------

type ArrayDTypes = {
  Uint8Array: "uint8";
  Uint8ClampedArray: "uint8";
  Int8Array: "int8";
  Int16Array: "int16";
  Uint16Array: "uint16";
  Uint32Array: "uint32";
  BigUint64Array: "uint64";
  Int32Array: "int32";
  BigInt64Array: "int64";
  Float16Array: "float16";
  Float32Array: "float32";
  Float64Array: "float64";
};
/** A typed array whose elements are of a dtype. */
type TypedArray = {
  readonly [Symbol.toStringTag]: keyof ArrayDTypes;
  readonly [index: number]: number | bigint;
  readonly length: number;
  readonly buffer: ArrayBufferLike;
};
/** ImageData, as [height, width, 4]. */
type Image = { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
type Data = Scalar | TypedArray | Image | readonly Data[];
type Tagged<Tag> = { readonly [Symbol.toStringTag]: Tag };
type LeafOf<T> = T extends readonly (infer Item)[] ? LeafOf<Item> : T extends Tagged<"BigInt64Array" | "BigUint64Array"> ? bigint : T extends Tagged<keyof ArrayDTypes> ? number : T;
type LeafDType<L> = [L] extends [never]
  ? "float32"
  : L extends boolean
    ? "bool"
    : L extends bigint
      ? "int64"
      : L extends number
        ? "float32"
        : L extends Complex
          ? "complex64"
          : never;
type DataDType<T> = (
  T extends Tagged<infer Tag extends keyof ArrayDTypes> ? ArrayDTypes[Tag] : T extends Image ? "uint8" : LeafDType<LeafOf<T>>
) extends infer D extends DType
  ? D
  : never;

/**
 * A tensor with a copy of data: a number, boolean, bigint or {re, im}, nested arrays of them, a typed array, ImageData (as
 * [height, width, 4]), an ArrayBuffer (with dtype) or another tensor. Numbers become float32, bigints int64, booleans bool,
 * typed arrays keep their dtype.
 */
export declare function tensor<D extends DType, Dev extends Device, T extends DType = D, N extends DeviceName = DeviceName<Dev>>(
  data: Tensor<D, Dev>,
  options?: { dtype?: T | null; device?: N | null; requires_grad?: boolean },
): Tensor<NoInfer<T>, On<N>>;
export declare function tensor<T extends DType, N extends DeviceName = "cpu">(
  data: ArrayBuffer,
  options: { dtype: T; device?: N | null; requires_grad?: boolean },
): Tensor<NoInfer<T>, On<N>>;
export declare function tensor<X extends Data, T extends DType = DataDType<X>, N extends DeviceName = "cpu">(
  data: X,
  options?: { dtype?: T | null; device?: N | null; requires_grad?: boolean },
): Tensor<NoInfer<T>, On<N>>;

export declare function is_tensor(value: unknown): value is Tensor;

// ---- dtypes --------------------------------------------------------------------------------------

export declare const bool: "bool";
export declare const uint8: "uint8";
export declare const int8: "int8";
export declare const int16: "int16";
export declare const uint16: "uint16";
export declare const uint32: "uint32";
export declare const uint64: "uint64";
export declare const int32: "int32";
export declare const int64: "int64";
export declare const float16: "float16";
export declare const bfloat16: "bfloat16";
export declare const float32: "float32";
export declare const float64: "float64";
export declare const complex64: "complex64";
export declare const complex128: "complex128";
export declare const short: "int16";
export declare const int: "int32";
export declare const long: "int64";
export declare const half: "float16";
export declare const float: "float32";
export declare const double: "float64";

// ---- errors and memory ---------------------------------------------------------------------------

export type ErrorKind =
  | "shape"
  | "dtype"
  | "index"
  | "value"
  | "unsupported"
  | "memory"
  | "format"
  | "io"
  | "device"
  | "argument"
  | "condition"
  | "internal";

/** Thrown by every function that refuses its arguments, before anything is written. `kind` says what rule was broken. */
export declare class TamisError extends Error {
  constructor(kind: ErrorKind, message: string, options?: { cause?: unknown });
  kind: ErrorKind;
}

/**
 * Calls fn, and disposes of all tensors that were made in it except those that it returns (also in arrays and objects)
 * and those given to keep. fn must not be async.
 */
export declare function tidy<T>(fn: () => T extends PromiseLike<unknown> ? never : T): T;
/** Takes a tensor out of all tidy calls around it; returns it. */
export declare function keep<T extends Tensor>(x: T): T;
/** The bytes that the library has taken from the system. They are used again, and never given back. */
export declare function memory_bytes(): number;

/** Where tensors are made unless a device is given: "cpu", until another is set. */
export declare function get_default_device(): string;
export declare function set_default_device(device: "cpu" | "webgpu" | `webgpu:${number}`): void;

/** How tensors are printed; without an option, the defaults: precision 4, threshold 1000, edgeitems 3, linewidth 80. */
export declare function set_printoptions(options?: {
  precision?: number;
  threshold?: number;
  edgeitems?: number;
  linewidth?: number;
  sci_mode?: boolean | null;
}): void;

// ---- random numbers ------------------------------------------------------------------------------

/** A stream of random numbers of its own, for {generator} of rand, randn, randint, randperm, bernoulli and multinomial. */
export declare class Generator {
  constructor();
  readonly handle: number;
  dispose(): void;
  /** Restarts the stream; returns the generator. */
  manual_seed(seed: number | bigint): this;
  /** Restarts the stream with an unpredictable seed, and returns that. */
  seed(): number | bigint;
  initial_seed(): number | bigint;
  get_state(): Tensor<"uint8", "cpu">;
  set_state(state: Tensor<"uint8", "cpu">): void;
}
/** Restarts the stream that all random functions draw from. */
export declare function manual_seed(seed: number | bigint): void;
export declare function seed(): number | bigint;
export declare function initial_seed(): number | bigint;
export declare function get_rng_state(): Tensor<"uint8", "cpu">;
export declare function set_rng_state(state: Tensor<"uint8", "cpu">): void;

// ---- gradients -----------------------------------------------------------------------------------

type OneOrMore<T> = T | readonly T[];
type BackwardOptions = { retain_graph?: boolean | null; create_graph?: boolean };
type GradOptions = BackwardOptions & { grad_outputs?: OneOrMore<Tensor> | null };
type Gradients<I> = I extends Tensor ? [I] : { -readonly [K in keyof I]: I[K] };

export declare namespace autograd {
  /** The gradients of the outputs with respect to the inputs, as backward would add them. */
  function grad<const I extends OneOrMore<Tensor>>(outputs: OneOrMore<Tensor>, inputs: I, options?: GradOptions & { allow_unused?: false }): Gradients<I>;
  function grad(outputs: OneOrMore<Tensor>, inputs: OneOrMore<Tensor>, options: GradOptions & { allow_unused: boolean }): (Tensor | undefined)[];
  function grad_async<const I extends OneOrMore<Tensor>>(outputs: OneOrMore<Tensor>, inputs: I, options?: GradOptions & { allow_unused?: false }): Promise<Gradients<I>>;
  function grad_async(outputs: OneOrMore<Tensor>, inputs: OneOrMore<Tensor>, options: GradOptions & { allow_unused: boolean }): Promise<(Tensor | undefined)[]>;
  /** Adds the gradients of several tensors to `.grad` of the leaves that they were computed from. */
  function backward(tensors: OneOrMore<Tensor>, grad_tensors?: OneOrMore<Tensor> | null, options?: BackwardOptions): void;
  function backward_async(tensors: OneOrMore<Tensor>, grad_tensors?: OneOrMore<Tensor> | null, options?: BackwardOptions): Promise<void>;
  function is_grad_enabled(): boolean;
  /** What fn returns; what it computes is not recorded. */
  function no_grad<T>(fn: () => T): T;
  /** What fn returns; what it computes is recorded, also inside no_grad. */
  function enable_grad<T>(fn: () => T): T;
}
export import no_grad = autograd.no_grad;
export import enable_grad = autograd.enable_grad;
export import is_grad_enabled = autograd.is_grad_enabled;

/** Steps along the gradients that backward collected, by PyTorch's formulas. */
export declare namespace optim {
  abstract class Optimizer {
    /** Changes every parameter that has a gradient, in place and unrecorded. */
    step(): void;
    step_async(): Promise<void>;
    /** Forgets the gradients. */
    zero_grad(): void;
  }
  type AdamOptions = { lr?: number; betas?: readonly [number, number]; eps?: number; weight_decay?: number };
  class SGD extends Optimizer {
    constructor(params: Iterable<Tensor>, options?: { lr?: number; momentum?: number; dampening?: number; weight_decay?: number; nesterov?: boolean });
  }
  class Adam extends Optimizer {
    constructor(params: Iterable<Tensor>, options?: AdamOptions);
  }
  /** Adam with decoupled weight decay. */
  class AdamW extends Optimizer {
    constructor(params: Iterable<Tensor>, options?: AdamOptions);
  }
}

// ---- files ---------------------------------------------------------------------------------------

/** The bytes of a file; Blob and File are such. */
type FileSource = ArrayBuffer | ArrayBufferView | { readonly size: number; readonly name?: string; arrayBuffer(): Promise<ArrayBuffer> };
type FileFormat = "npy" | "npz" | "safetensors" | "raw" | "csv";

/** A file of arrays that is open: described, and read whole or window by window. */
export declare class ArrayFile {
  private constructor();
  readonly format: FileFormat;
  /** What is in it. dtype is null if Tamis has none like it; dtype_text is what the file calls it. */
  readonly arrays: readonly { readonly name: string; readonly dtype: DType | null; readonly dtype_text: string; readonly shape: readonly number[]; readonly bytes: number }[];
  /** All of an array, by name or number. */
  read(array?: string | number): Tensor<DType, "cpu">;
  /** Elements [first, first + count) of an array in row-major order, as a 1-d tensor. */
  window(array: string | number, first: number, count: number): Tensor<DType, "cpu">;
  close(): void;
  [Symbol.dispose](): void;
}
/** Opens a file. The format is told by the content; CSV by its name or {format: "csv"}. */
export declare function open(source: FileSource, options?: { format?: "csv" | "auto" | null }): Promise<ArrayFile>;
/**
 * The tensor of a .npy file; of an .npz or .safetensors file an object with all of them, or the one that is called `name`.
 */
export declare function load(source: FileSource, options: { name: string; format?: "csv" | "auto" | null }): Promise<Tensor<DType, "cpu">>;
export declare function load(
  source: FileSource,
  options?: { name?: null; format?: "csv" | "auto" | null },
): Promise<Tensor<DType, "cpu"> | { [name: string]: Tensor<DType, "cpu"> }>;
/**
 * The bytes of a file: save(x, "x.npy"), save({a, b}, "weights.safetensors"). The ending of the name decides the format:
 * .npy, .npz or .safetensors.
 */
export declare function save(data: Tensor | { readonly [name: string]: Tensor }, name: string): Promise<Uint8Array>;

// ---- conditions ----------------------------------------------------------------------------------

/** The value of an expression in the language of the command line: evaluate("x ** 2 + y", {x, y}). */
export declare function evaluate<Dev extends Device = "cpu">(text: string, tensors?: { readonly [name: string]: Tensor<DType, Dev> }): Tensor<DType, Dev>;
export declare function evaluate_async<Dev extends Device = "cpu">(text: string, tensors?: { readonly [name: string]: Tensor<DType, Dev> }): Promise<Tensor<DType, Dev>>;
/** The mask of a condition in the language of the command line: where("x > 3 & ~isnan(x)", {x}). */
export declare function where<Dev extends Device = "cpu">(condition: string, tensors?: { readonly [name: string]: Tensor<DType, Dev> }): Tensor<"bool", Dev>;
export declare function where_async<Dev extends Device = "cpu">(condition: string, tensors?: { readonly [name: string]: Tensor<DType, Dev> }): Promise<Tensor<"bool", Dev>>;

// ---- devices -------------------------------------------------------------------------------------

/** The device "webgpu". */
export declare const webgpu: {
  /** Opens the device on the first call; whether it can be used. */
  is_available(options?: { powerPreference?: "low-power" | "high-performance" }): Promise<boolean>;
  /** Why it cannot. */
  readonly trouble: string | null;
  /** What the browser tells of it, or null before it is open. */
  readonly adapter: { readonly name: string; readonly backend: string; readonly type: string; readonly driver: string } | null;
  /** Waits until the device has done all that it was given, and throws what went wrong. */
  synchronize(): Promise<void>;
  /** What the device was asked to do. */
  stats(): {
    dispatches: number;
    submits: number;
    readbacks: number;
    readback_bytes: number;
    written_bytes: number;
    pipelines: number;
    live_bytes: number;
    cached_bytes: number;
  };
  reset_stats(): void;
};
