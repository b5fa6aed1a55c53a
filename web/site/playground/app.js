// The playground: cells that one can change and run, on the CPU or on WebGPU.

import { highlight } from "../highlight.js";

const $ = (id) => document.getElementById(id);
const names = { cpu: "CPU", webgpu: "WebGPU" };
let device = "cpu";

// ---- running ------------------------------------------------------------------------------------

let worker = null;
let pending = null; // {id, resolve}
let count = 0;

function start() {
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (pending?.id !== data.id) return;
    const { resolve } = pending;
    pending = null;
    resolve(data);
  };
  worker.onerror = (event) => {
    pending?.resolve({ error: event.message || "the worker could not be started", text: "" });
    pending = null;
    worker = null;
  };
}

function send(code, on) {
  if (!worker) start();
  return new Promise((resolve) => {
    pending = { id: ++count, resolve };
    worker.postMessage({ id: count, code, device: on });
  });
}

/** One after the other, whoever asks. */
let line = Promise.resolve();
let stops = 0;
function enqueue(work) {
  const mine = stops;
  line = line.then(() => (mine === stops ? work() : undefined));
  return line;
}

function stop() {
  ++stops;
  worker?.terminate();
  worker = null;
  pending?.resolve({ error: "Stopped", text: "" });
  pending = null;
}

// ---- cells --------------------------------------------------------------------------------------

class Cell {
  times = {};

  constructor(element) {
    this.element = element;
    this.area = element.querySelector("textarea");
    this.under = element.querySelector(".under code");
    this.output = element.querySelector(".output");
    this.original = { code: this.area.value, output: this.output.textContent };
    this.area.addEventListener("input", () => this.paint());
    this.area.addEventListener("scroll", () => (this.under.parentElement.scrollLeft = this.area.scrollLeft));
    this.area.addEventListener("keydown", (event) => this.key(event));
    element.querySelector(".run").onclick = () => this.run();
    element.querySelector(".both").onclick = () => this.runBoth();
    element.querySelector(".reset").onclick = () => this.reset();
    this.paint();
  }

  paint() {
    this.under.innerHTML = `${highlight(this.area.value, "ts")}\n`;
    this.area.rows = this.area.value.split("\n").length;
    this.element.querySelector(".reset").hidden = this.area.value === this.original.code;
  }

  key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      this.run();
    }
  }

  reset() {
    this.area.value = this.original.code;
    this.show({ text: this.original.output });
    this.paint();
    this.area.focus();
  }

  show({ text, error }) {
    this.output.replaceChildren(text);
    if (error) {
      const mark = document.createElement("span");
      mark.className = "error";
      mark.textContent = error;
      this.output.append(text ? "\n" : "", mark);
    }
    this.element.classList.toggle("failed", Boolean(error));
  }

  showTimes() {
    const text = ([on, time]) => `${names[on]} ${time < 10 ? time.toFixed(2) : time.toFixed(0)} ms`;
    this.element.querySelector(".times").textContent = Object.entries(this.times).map(text).join(" · ");
  }

  run(on = device) {
    return enqueue(async () => {
      this.element.classList.add("running");
      working(true);
      const result = await send(this.area.value, on);
      this.element.classList.remove("running");
      this.element.dataset.device = on;
      this.show(result);
      if (result.time !== undefined) this.times[on] = result.time;
      else delete this.times[on];
      this.showTimes();
      working(false);
    });
  }

  /** Twice each: the first run has to compile. */
  async runBoth() {
    for (const on of ["cpu", "cpu", "webgpu", "webgpu"]) await this.run(on);
  }
}

const cells = [...document.querySelectorAll(".cell")].map((element) => new Cell(element));

let open = 0;
function working(begins) {
  open += begins ? 1 : -1;
  $("stop").disabled = open === 0;
  $("state").textContent = open ? "Running ..." : "";
}

for (const on of ["cpu", "webgpu"]) {
  $(`device-${on}`).onclick = () => {
    device = on;
    for (const other of ["cpu", "webgpu"]) $(`device-${other}`).setAttribute("aria-pressed", String(other === on));
  };
}
$("run-all").onclick = async () => {
  const begun = stops;
  for (const cell of cells) cell.run();
  await line;
  if (begun === stops) $("state").textContent = `All ${cells.length} cells ran on ${names[device]}.`;
};
$("stop").onclick = stop;

start(); // so that the library is there when it is needed
