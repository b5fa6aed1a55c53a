// WebGpu: the GPU of a browser, for the library. The C++ side (src/browser_gpu.cpp) knows buffers and pipelines by
// numbers and sends lists of commands; numbers come back when a promise says so, and so does what went wrong.

import { Params } from "./params.js";

const usage = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, storage: 0x80 };
const compute = 0x4; // GPUShaderStage.COMPUTE
const mapForReading = 0x1; // GPUMapMode.READ

/** Groups of bound buffers are remembered until there are this many. */
const maxGroups = 4096;
/** Buffers to read through are kept if they have this many bytes; larger ones are rare. */
const keptStagingBytes = 1 << 16;

const commandKinds = { dispatch: 0, copy: 1, clear: 2 };

/** One device: what the library has made of it, and what went wrong there since somebody asked. */
class Device {
  buffers = new Map();
  pipelines = [];
  layouts = new Map();
  groups = new Map();
  staging = [];
  errors = []; // causes before what follows from them
  checks = new Set(); // promises that say whether buffers and shaders were made
  lost = null; // why it was
  encoder = null; // of commands that are about to be submitted
  given = 0; // how often something was given to the device, and how much of that it is known to have done
  done = 0;
  lastBuffer = 0;

  constructor(number, device) {
    this.number = number;
    this.device = device;
    this.params = new Params(device);
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault(); // it is thrown where somebody awaits
      const isMemory = event.error.constructor.name === "GPUOutOfMemoryError";
      this.errors.push({ kind: isMemory ? "memory" : "device", message: event.error.message });
    });
  }

  // ---- what the library asks for ----------------------------------------------------------------

  /** Calls then(error) if one of the calls that came between was refused. Those that use what they made fail, too. */
  watch(scope, then) {
    const checked = scope
      .then((error) => error && then(error))
      .catch(() => {}) // the device was lost, which is told otherwise
      .finally(() => this.checks.delete(checked));
    this.checks.add(checked);
  }

  /** Calls failed(number) if there is no memory for it. */
  makeBuffer(size, failed) {
    const number = ++this.lastBuffer;
    for (const kind of ["validation", "out-of-memory"]) this.device.pushErrorScope(kind);
    const buffer = this.device.createBuffer({ size, usage: usage.storage | usage.copySource | usage.copyTarget });
    this.buffers.set(number, buffer);
    for (let scopes = 0; scopes < 2; ++scopes) {
      this.watch(this.device.popErrorScope(), ({ message }) => {
        this.errors.unshift({ kind: "memory", message: `could not allocate ${size} bytes: ${message}` });
        failed(number);
      });
    }
    return number;
  }

  freeBuffer(number) {
    this.flush();
    this.buffers.get(number)?.destroy();
    this.buffers.delete(number);
  }

  /** `accesses` has one letter per buffer: r for those that are only read, w for the others. */
  layoutOf(accesses) {
    if (!this.layouts.has(accesses)) {
      const entries = [{ binding: 0, visibility: compute, buffer: { type: "uniform", hasDynamicOffset: true } }];
      for (const access of accesses) {
        const type = access === "r" ? "read-only-storage" : "storage";
        entries.push({ binding: entries.length, visibility: compute, buffer: { type } });
      }
      const group = this.device.createBindGroupLayout({ entries });
      const pipeline = this.device.createPipelineLayout({ bindGroupLayouts: [group] });
      this.layouts.set(accesses, { accesses, group, pipeline });
    }
    return this.layouts.get(accesses);
  }

  makePipeline(code, accesses) {
    const layout = this.layoutOf(accesses);
    const made = { layout, kernel: null, refused: null };
    this.device.pushErrorScope("validation");
    const module = this.device.createShaderModule({ code });
    made.kernel = this.device.createComputePipeline({ layout: layout.pipeline, compute: { module, entryPoint: "main" } });
    this.watch(this.device.popErrorScope(), async (error) => {
      const { messages } = await module.getCompilationInfo();
      const text = messages.map((m) => `${m.lineNum}:${m.linePos} ${m.type}: ${m.message}`).join("\n");
      made.refused = { kind: "device", message: `a shader was refused: ${text || error.message}\n${code}` };
      this.errors.unshift(made.refused);
    });
    return this.pipelines.push(made);
  }

  groupOf(layout, bytes, numbers) {
    const key = `${layout.accesses} ${bytes} ${numbers.join(" ")}`; // numbers are never used again
    let group = this.groups.get(key);
    if (!group) {
      const entries = [{ binding: 0, resource: { buffer: this.params.buffer, size: bytes } }];
      for (const number of numbers) entries.push({ binding: entries.length, resource: { buffer: this.buffers.get(number) } });
      group = this.device.createBindGroup({ layout: layout.group, entries });
      if (this.groups.size >= maxGroups) this.groups.clear();
      this.groups.set(key, group);
    }
    return group;
  }

  /** Sends what has been encoded. */
  flush() {
    if (!this.encoder) return;
    const commands = this.encoder.finish();
    this.encoder = null;
    this.given += 1;
    this.device.queue.submit([commands]);
  }

  /** Encodes a list. It is sent with the read that follows, or when the library returns. */
  submit(words, params) {
    this.flush();
    this.params.begin(4 * params.length);
    const encoder = this.device.createCommandEncoder();
    let pass = null;
    let at = 0;
    const next = () => words[at++];
    const nextWide = () => next() + next() * 2 ** 32;
    const nextBuffer = () => this.buffers.get(next());
    while (at < words.length) {
      const kind = next();
      if (kind === commandKinds.dispatch) {
        pass ??= encoder.beginComputePass();
        this.encodeDispatch(pass, next, params);
        continue;
      }
      pass?.end();
      pass = null;
      if (kind === commandKinds.copy) {
        const [from, fromBegin, to, toBegin, size] = [nextBuffer(), nextWide(), nextBuffer(), nextWide(), nextWide()];
        encoder.copyBufferToBuffer(from, fromBegin, to, toBegin, size);
      } else {
        const [to, toBegin, size] = [nextBuffer(), nextWide(), nextWide()];
        encoder.clearBuffer(to, toBegin, size);
      }
    }
    pass?.end();
    this.params.write();
    this.encoder = encoder;
    queueMicrotask(() => this.flush());
  }

  write(number, begin, memory, data, bytes) {
    this.flush();
    this.given += 1;
    this.device.queue.writeBuffer(this.buffers.get(number), begin, memory, data, bytes);
  }

  /** Until all is done that was given to it. */
  async finish() {
    this.flush();
    if (this.done === this.given) return; // as a read has seen
    const { given } = this;
    await this.device.queue.onSubmittedWorkDone();
    this.done = Math.max(this.done, given);
  }

  encodeDispatch(pass, next, params) {
    const { kernel, layout, refused } = this.pipelines[next() - 1];
    const [paramsBegin, bytes, columns, rows, count] = [next(), next(), next(), next(), next()];
    const numbers = Array.from({ length: count }, next);
    if (refused) {
      this.errors.push(refused); // every time that it is missed
      return;
    }
    pass.setPipeline(kernel);
    const own = params.subarray(paramsBegin / 4, (paramsBegin + bytes) / 4);
    pass.setBindGroup(0, this.groupOf(layout, bytes, numbers), [this.params.place(own)]);
    pass.dispatchWorkgroups(columns, rows);
  }

  /** Calls take(bytes) once all that was submitted is done. */
  async read(number, begin, bytes, take) {
    const size = Math.max(256, 2 ** Math.ceil(Math.log2(bytes)));
    const kept = this.staging.findIndex((buffer) => buffer.size === size);
    const [staging] =
      kept >= 0 ? this.staging.splice(kept, 1) : [this.device.createBuffer({ size, usage: usage.mapRead | usage.copyTarget })];
    this.encoder ??= this.device.createCommandEncoder();
    this.encoder.copyBufferToBuffer(this.buffers.get(number), begin, staging, 0, bytes);
    this.flush();
    const { given } = this;
    await staging.mapAsync(mapForReading, 0, bytes);
    this.done = Math.max(this.done, given);
    take(new Uint8Array(staging.getMappedRange(0, bytes)));
    staging.unmap();
    if (size <= keptStagingBytes) this.staging.push(staging);
    else staging.destroy();
  }

  /** Nothing of it is of use any more. */
  close() {
    this.encoder = null;
    for (const kept of [this.buffers, this.layouts, this.groups]) kept.clear();
    this.staging = [];
  }
}

export class WebGpu {
  /** Why there is no device, or null. */
  trouble = null;
  /** What the browser says of it, {name, backend, type, driver}, or null if there is none. */
  adapter = null;

  #makeError;
  #library = null;
  #devices = [];
  #current = null;
  #opening = null;
  #reading = null; // the promise of the read that was started last, until somebody waits for it

  /** @param {(kind: string, message: string) => Error} makeError what is thrown */
  constructor(makeError) {
    this.#makeError = makeError;
  }

  /** What the module imports from "tamis". */
  imports() {
    const device = (number) => this.#devices[number - 1];
    const memory = () => this.#library.memory.buffer;
    return {
      gpu_make_buffer: (number, bytes) =>
        device(number).makeBuffer(bytes, (buffer) => this.#library.tm_gpu_buffer_failed(number, buffer)),
      gpu_free_buffer: (number, buffer) => device(number).freeBuffer(buffer),
      gpu_write: (number, buffer, begin, data, bytes) => device(number).write(buffer, begin, memory(), data >>> 0, bytes),
      gpu_make_pipeline: (number, wgsl, bytes, accesses, bindings) => {
        const code = new TextDecoder().decode(new Uint8Array(memory(), wgsl >>> 0, bytes));
        const letters = Array.from(new Uint8Array(memory(), accesses >>> 0, bindings), (access) => (access ? "w" : "r"));
        return device(number).makePipeline(code, letters.join(""));
      },
      gpu_submit: (number, commands, words, params, bytes) => {
        const wordsAt = (address, count) => new Uint32Array(memory(), address >>> 0, count);
        device(number).submit(wordsAt(commands, words), wordsAt(params, bytes / 4));
      },
      gpu_read: (number, buffer, begin, bytes, token) => {
        this.#reading = this.#read(device(number), buffer, begin, bytes, token);
        this.#reading.catch(() => {}); // whoever waits gets it
      },
      gpu_lose: (number) => this.#lose(device(number), "destroyed"),
    };
  }

  /** Must come before any call of the module. */
  attach(library) {
    this.#library = library;
  }

  /**
   * Opens the device, unless it is open and well. Whether there is one; `trouble` says why not.
   * @param {{powerPreference?: "low-power" | "high-performance"}} [options]
   * @returns {Promise<boolean>}
   */
  async open(options = {}) {
    if (this.#current && this.#current.lost === null) return true;
    this.#opening ??= this.#open(options).finally(() => (this.#opening = null));
    this.trouble = await this.#opening;
    if (this.trouble !== null) this.#library.tm_gpu_absent(this.#give(this.trouble));
    return this.trouble === null;
  }

  /** Right after a run of an operation that is pending: until what it has asked for is there. */
  async waiting() {
    const reading = this.#reading;
    this.#reading = null;
    await reading;
  }

  /** Until the device has done all that it was given. */
  async synchronize() {
    if (!this.#current) return;
    this.#throwIfLost(this.#current);
    this.#library.tm_gpu_flush();
    await this.#current.finish();
    await turn(); // events of errors come as tasks of their own
    await this.#report(this.#current);
  }

  /** Throws what went wrong since the last time. */
  async check() {
    if (this.#current && this.#current.errors.length > 0) await this.#report(this.#current);
  }

  /** Why the device was lost, or null. */
  get lost() {
    return this.#current?.lost ?? null;
  }

  /** Loses the device, as an unplugged one is lost; for tests. */
  lose() {
    if (this.#current) this.#lose(this.#current, "destroyed");
  }

  /** Tensors may take that many bytes; 0: as many as there are. For tests. */
  limitMemory(bytes) {
    this.#library.tm_gpu_set_memory_limit(bytes);
  }

  /** Why there is no device, or null when there is one. */
  async #open({ powerPreference }) {
    const gpu = globalThis.navigator?.gpu;
    if (!gpu) return "this browser, or this version of Node, has no WebGPU (navigator.gpu); use the CPU";
    const adapter = await gpu.requestAdapter(powerPreference ? { powerPreference } : {});
    if (!adapter) return "the browser has no WebGPU adapter: no driver that it trusts was found; use the CPU";
    const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
    let device;
    try {
      device = await adapter.requestDevice({ requiredLimits: { maxStorageBufferBindingSize, maxBufferSize } });
    } catch (error) {
      return `the adapter gives no device: ${error.message}`;
    }
    const opened = new Device(this.#devices.length + 1, device);
    this.#devices.push(opened);
    this.#current = opened;
    device.lost.then(({ message, reason }) => this.#lose(opened, message || reason));
    this.adapter = describe(adapter);
    const { name, backend, type, driver } = this.adapter;
    const bytes = this.#give([name, backend, type, driver].map((text) => `${text}\0`).join(""));
    this.#library.tm_gpu_opened(opened.number, bytes, Math.min(maxStorageBufferBindingSize, maxBufferSize));
    return null;
  }

  async #read(device, buffer, begin, bytes, token) {
    let ok = false;
    try {
      await device.read(buffer, begin, bytes, (found) => {
        const room = this.#library.tm_gpu_room(bytes) >>> 0;
        new Uint8Array(this.#library.memory.buffer, room, bytes).set(found);
        ok = true;
        this.#library.tm_gpu_answer(token, 1);
      });
    } catch (error) {
      // A loss is told soon after what fails by it.
      await Promise.race([device.device.lost, new Promise((done) => setTimeout(done, 100))]);
      if (device.lost === null) device.errors.push({ kind: "device", message: error.message });
    }
    if (!ok) this.#library.tm_gpu_answer(token, 0);
    this.#throwIfLost(device);
    await this.#report(device);
  }

  /** Throws the first error: the others follow from it. */
  async #report(device) {
    await Promise.all(device.checks);
    this.#throwIfLost(device);
    if (device.errors.length === 0) return;
    await turn();
    const [first] = device.errors.splice(0);
    if (first) throw this.#makeError(first.kind, `${this.adapter.name}: ${first.message}`); // else another caller was first
  }

  #throwIfLost(device) {
    if (device.lost === null) return;
    throw this.#makeError(
      "device",
      `${this.adapter.name}: the device was lost (${device.lost}); its tensors are gone, those on the CPU are not. ` +
        "`await tamis.webgpu.is_available()` opens it again",
    );
  }

  #lose(device, reason) {
    if (device.lost !== null) return;
    device.lost = reason;
    this.#library.tm_gpu_lost(device.number, this.#give(reason));
    device.device.destroy();
    device.close();
  }

  /** Puts text where the module finds it; how many bytes. */
  #give(text) {
    const bytes = new TextEncoder().encode(text);
    const room = this.#library.tm_gpu_room(bytes.length) >>> 0; // before .buffer: the memory may grow
    new Uint8Array(this.#library.memory.buffer, room, bytes.length).set(bytes);
    return bytes.length;
  }
}

const turns = []; // those who wait for one
let channel = null; // made once, which takes longer than a turn

/** Until the tasks that are due have run. A timeout would take milliseconds. */
function turn() {
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => {
      turns.shift()();
      if (turns.length === 0) channel.port1.unref?.(); // Node would wait for more
    };
  }
  return new Promise((done) => {
    turns.push(done);
    channel.port1.ref?.();
    channel.port2.postMessage(null);
  });
}

/** What a browser tells of its adapter; some tell little. */
function describe(adapter) {
  const info = adapter.info ?? {};
  const maker = [info.vendor, info.architecture].filter(Boolean).join(" ");
  const isFallback = info.isFallbackAdapter ?? adapter.isFallbackAdapter ?? false;
  return {
    name: info.description || info.device || maker || "WebGPU",
    backend: info.backend || "browser",
    type: isFallback ? "cpu" : "unknown",
    driver: info.driver || maker,
  };
}
