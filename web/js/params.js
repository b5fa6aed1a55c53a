// Params: where the parameters of kernels are on the device.

const usage = { copyTarget: 0x8, uniform: 0x40 };

/** The parameters of all kernels of a list take at most this many bytes, as kParamsBytes says; those of a kernel begin at
 * multiples of kParamsStride. */
const paramsBytes = 1 << 18;
const paramsStride = 256;

/**
 * The parameters of kernels in a buffer of the device. They stay there, because writing takes longer than starting a
 * kernel, and kernels are often given the same again.
 */
export class Params {
  #device;
  #places = new Map(); // by the words
  #shadow = new Uint32Array(paramsBytes / 4); // what is in the buffer, or will be
  #written = 0;
  #end = 0;

  constructor(device) {
    this.#device = device;
    this.buffer = device.createBuffer({ size: paramsBytes, usage: usage.uniform | usage.copyTarget });
  }

  /** Before a list whose parameters take this many bytes. What lists before it use has been submitted. */
  begin(bytes) {
    if (this.#end + bytes + paramsStride <= paramsBytes) return;
    this.#places.clear();
    this.#written = this.#end = 0;
  }

  /** Where these words are, or will be after `write`. */
  place(words) {
    const key = words.join();
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#end;
      this.#shadow.set(words, place / 4);
      this.#places.set(key, place);
      this.#end += Math.ceil((4 * words.length) / paramsStride) * paramsStride;
    }
    return place;
  }

  /** Writes what is new. */
  write() {
    if (this.#end === this.#written) return;
    this.#device.queue.writeBuffer(this.buffer, this.#written, this.#shadow, this.#written / 4, (this.#end - this.#written) / 4);
    this.#written = this.#end;
  }
}
