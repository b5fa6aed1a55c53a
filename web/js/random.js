// Random numbers: Generator, and the stream that all functions draw from.

import { call, classes, disown, own, releaseGenerator } from "./core.js";
import { internal } from "./table.js";

const made = Symbol("made by the library");

/** A stream of random numbers of its own, for {generator} of rand, randn, randint, randperm, bernoulli and multinomial. */
export class Generator {
  #handle;

  constructor(key, handle) {
    if (key !== made) return call(internal.generator, []);
    this.#handle = handle;
    own(this, handle, releaseGenerator);
  }
  static from_handle(handle) {
    return new Generator(made, handle);
  }
  get handle() {
    return this.#handle;
  }
  dispose() {
    if (this.#handle === 0) return;
    disown(this);
    releaseGenerator(this.#handle);
    this.#handle = 0;
  }

  /** Restarts the stream; returns the generator. */
  manual_seed(seed) {
    call(internal.manual_seed, [this, seed]);
    return this;
  }
  /** Restarts the stream with an unpredictable seed, and returns that. */
  seed() {
    return call(internal.seed, [this]);
  }
  initial_seed() {
    return call(internal.initial_seed, [this]);
  }
  get_state() {
    return call(internal.get_state, [this]);
  }
  set_state(state) {
    call(internal.set_state, [this, state]);
  }
}
classes.Generator = Generator;

/** Restarts the stream that all random functions draw from. */
export function manual_seed(seed) {
  call(internal.manual_seed, [null, seed]);
}
export const seed = () => call(internal.seed, [null]);
export const initial_seed = () => call(internal.initial_seed, [null]);
export const get_rng_state = () => call(internal.get_state, [null]);
export function set_rng_state(state) {
  call(internal.set_state, [null, state]);
}
