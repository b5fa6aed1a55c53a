// Engine: asks a worker, and replaces it by another when it works on what is not wanted any more. A second worker waits, with
// the library loaded, so that the change takes no time.

export class EngineError extends Error {
  constructor({ kind, message }) {
    super(message);
    this.kind = kind;
  }
}

/** What becomes of a request when its worker was given up. */
export class Abandoned extends Error {}

class Channel {
  #worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  #open = new Map(); // requests under way, by number
  #last = 0;
  broken = null;

  constructor() {
    this.#worker.onmessage = ({ data: { id, progress, answer, error } }) => {
      const request = this.#open.get(id);
      if (progress) return request?.report?.(progress);
      this.#open.delete(id);
      if (error) request?.reject(new EngineError(error));
      else request?.resolve(answer);
    };
    this.#worker.onerror = (event) => {
      this.broken = event.message || "the worker could not be started";
      this.#end(new EngineError({ kind: "internal", message: this.broken }));
    };
  }
  get busy() {
    return this.#open.size > 0;
  }
  ask(name, request, { files, report } = {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject, report });
      this.#worker.postMessage({ id, name, request, files });
    });
  }
  #end(error) {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
  close() {
    this.#worker.terminate();
    this.#end(new Abandoned("given up"));
  }
}

export class Engine {
  #channel = null;
  #spare = new Channel();
  #files = {};

  /** The files that requests may name, by path: Blobs. */
  setFiles(files) {
    this.abandon();
    this.#files = files;
    this.#channel?.ask("files", null, { files }).catch(() => {});
  }

  #open() {
    if (this.#channel && !this.#channel.broken) return this.#channel;
    this.#channel = this.#spare?.broken ? new Channel() : (this.#spare ?? new Channel());
    this.#spare = null;
    this.#channel.ask("files", null, { files: this.#files }).catch(() => {});
    // Later, so that it does not compete for the processor.
    setTimeout(() => (this.#spare ??= new Channel()), 1500);
    return this.#channel;
  }

  ask(name, request, report) {
    return this.#open().ask(name, request, { report });
  }

  /** Ends what is under way; its promises are rejected with Abandoned. */
  abandon() {
    if (!this.#channel?.busy) return;
    this.#channel.close();
    this.#channel = null;
  }

  /** Waits until nothing is under way; what takes longer than that is given up. */
  async free(milliseconds = 150) {
    const end = performance.now() + milliseconds;
    while (this.#channel?.busy && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    this.abandon();
  }

  /** Asks a worker of its own, which nothing ends. */
  async aside(name, request, report) {
    const channel = new Channel();
    try {
      await channel.ask("files", null, { files: this.#files });
      return await channel.ask(name, request, { report });
    } finally {
      channel.close();
    }
  }
}
