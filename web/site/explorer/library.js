// What the worker asks of the library. The requests are those of web/src/explore.cpp.

import "../package/index.js";
import { call, files } from "../package/core.js";
import { internal } from "../package/table.js";

let report = () => {};
export const setReport = (to) => (report = to);

// How far long work is, as lines "progress LABEL DONE TOTAL".
const print = files.print;
files.print = (descriptor, text) => {
  for (const line of text.split("\n").filter(Boolean)) {
    const found = line.match(/^progress (\S+) (\d+) (\d+)$/);
    if (found) report({ label: found[1], share: Number(found[2]) / Math.max(1, Number(found[3])) });
    else print(descriptor, line);
  }
};
call(internal.set_reports, [true]);

const ask = (name, request) => {
  const text = call(internal[`explore_${name}`], [JSON.stringify(request)]);
  return typeof text === "string" ? JSON.parse(text) : null;
};

/** The cells of the last picture: elements, kept, mean of the kept. */
function cells() {
  const tensor = call(internal.explore_cells, []);
  const data = tensor.data_sync();
  tensor.dispose();
  return data;
}

function output(path) {
  const blob = new Blob([files.get(path)]);
  files.remove(path);
  return blob;
}

const most = 256e6; // bytes of a table whose columns become arrays of their own

/** A CSV file as a .npy file, and its columns as an .npz file with a name for each. */
function csv({ path, header, columns }) {
  ask("command", { command: "convert", files: [path], header, output: "/out/table.npy" });
  const { arrays } = ask("describe", { files: ["/out/table.npy"] });
  const bytes = 8 * arrays[0].shape.reduce((a, b) => a * b, 1);
  const canSplit = columns.length > 1 && columns.length === arrays[0].shape[1] && bytes <= most;
  if (canSplit) ask("split", { files: ["/out/table.npy"], columns, output: "/out/columns.npz" });
  return { table: output("/out/table.npy"), columns: canSplit ? output("/out/columns.npz") : null };
}

export async function answer(name, request, blobs) {
  switch (name) {
    case "files":
      for (const [path, blob] of Object.entries(blobs)) files.putBlob(path, blob);
      return { answer: null };
    case "csv":
      return { answer: csv(request) };
    case "command":
      ask(name, request);
      return { answer: output(request.output) };
    case "look":
    case "draw": {
      const found = ask(name, request);
      const data = cells();
      return { answer: { found, cells: data }, transfer: [data.buffer] };
    }
    default:
      return { answer: ask(name, request) };
  }
}
