// Downloads: what is kept, the mask, the array with elements replaced, the picture.

import { grouped, percentage } from "./numbers.js";
import { pictureFile } from "./picture.js";
import { filesFor, readable } from "./sources.js";
import { $, arrayText, problem } from "./view.js";

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser needs a moment to begin.
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export function saveButtons({ state, engine }) {
  /** Runs one download, and says how it goes. */
  async function save(button, name, make) {
    if (!state.found) return;
    button.disabled = true;
    problem("save-problem", null);
    $("save-status").textContent = `Making ${name} ...`;
    try {
      const blob = await make();
      download(blob, name);
      $("save-status").textContent = `${name}: ${grouped(blob.size)} bytes`;
    } catch (error) {
      $("save-status").textContent = "";
      problem("save-problem", readable(error.message));
    } finally {
      button.disabled = false;
    }
  }

  /** A file that a command of the command line writes, in a worker of its own. */
  const command = (name, request) => () => {
    const report = ({ share }) => ($("save-status").textContent = `${Math.round(100 * share)}%`);
    return engine.aside(
      "command",
      { command: name, files: filesFor(state.source, state.chosen, [state.where, request.value ?? ""]), ...request },
      report,
    );
  };
  const nameOf = (what) => `${state.source.stem}-${what}.${$("format").value}`;
  const where = () => state.where || "true";

  $("save-kept").onclick = ({ target }) => {
    const name = nameOf("kept");
    save(target, name, command("select", { where: where(), output: `/out/${name}` }));
  };
  $("save-mask").onclick = ({ target }) => {
    const name = nameOf("mask");
    save(target, name, command("mask", { where: where(), output: `/out/${name}` }));
  };
  $("save-filled").onclick = ({ target }) => {
    const name = nameOf("filled");
    const filled = $("fill-which").value === "kept" ? where() : `~(${where()})`;
    save(target, name, command("fill", { where: filled, value: $("fill-value").value, output: `/out/${name}` }));
  };
  $("save-picture").onclick = ({ target }) => {
    const { kept, total } = state.found;
    const lines = [
      `${state.source.title} ${arrayText(state.chosen)}${state.where ? `, where ${state.where}` : ""}`,
      `kept ${grouped(kept)} of ${grouped(total)} (${percentage(kept, total)})`,
    ];
    save(target, `${state.source.stem}-picture.png`, () =>
      pictureFile(state.picture, state.picture.hasValues ? state.mode : "share", lines),
    );
  };
}
