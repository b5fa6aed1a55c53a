// Sources: what a file that was opened or dropped becomes: files for the worker, and the arrays in them.

import { EngineError } from "./engine.js";

let count = 0;

const reserved = new Set(["i", "j", "k", "true", "false", "inf", "nan", "and", "or", "not", "True", "False", "x"]);

/** A name that a condition can use; "" if there is none. */
export function variable(text) {
  const name = text
    .trim()
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return /^[A-Za-z_]/.test(name) && !reserved.has(name) ? name : "";
}

const safe = (name) => name.replace(/[:=/\\]/g, "_") || "data";

/** Messages of the command line, where paths are those in the worker, as the page gives them. */
export const readable = (message) => message.replaceAll(/\/(?:in|out)\/(?:\d+\/)?/g, "").replace(/^--value: /, "");

/** Fields of the first line of a CSV file. */
function firstFields(text) {
  const line = text.replace(/^\uFEFF/, "").split(/\r?\n/, 1)[0];
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    (quoted ?? plain).trim(),
  );
}

const isNumber = (field) =>
  field === "" || /^[+-]?(?:inf|nan|infinity|true|false)$/i.test(field) || !Number.isNaN(Number(field));

/** Distinct names for columns. */
function columnNames(fields) {
  const names = [];
  for (const [i, field] of fields.entries()) {
    const name = variable(field) || `column${i}`;
    names.push(names.includes(name) ? `${name}_${i}` : name);
  }
  return names;
}

async function fromCsv(file, engine) {
  const fields = firstFields(await file.slice(0, 65536).text());
  const header = fields.some((field) => !isNumber(field));
  const path = `/in/${++count}/${safe(file.name)}`.replace(/(?:\.csv)?$/i, ".csv");
  engine.setFiles({ [path]: file });
  const columns = header ? columnNames(fields) : [];
  const made = await engine.ask("csv", { path, header, columns });
  const files = { [`/in/${count}/table.npy`]: made.table };
  if (made.columns) files[`/in/${count}/columns.npz`] = made.columns;
  engine.setFiles(files);
  const arrays = await arraysIn(engine, Object.keys(files));
  if (arrays[0]) arrays[0].name = "table";
  return { files, arrays, columns: made.columns ? columns : null };
}

/** The bytes of a .safetensors file with arrays of bytes. */
function safetensors(arrays) {
  let offset = 0;
  const header = {};
  for (const [name, { shape, data }] of Object.entries(arrays)) {
    header[name] = { dtype: "U8", shape, data_offsets: [offset, offset + data.length] };
    offset += data.length;
  }
  let text = JSON.stringify(header);
  text += " ".repeat((8 - (text.length % 8)) % 8);
  const size = new DataView(new ArrayBuffer(8));
  size.setBigUint64(0, BigInt(text.length), true);
  return new Blob([size.buffer, text, ...Object.values(arrays).map(({ data }) => data)]);
}

/** An image as its brightness and its colours, bytes each. */
async function fromImage(file) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new EngineError({
      kind: "format",
      message: `${file.name}: this image cannot be read; it is broken, or of a kind that the browser does not know`,
    });
  }
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const pixels = context.getImageData(0, 0, width, height).data;
  const plane = () => ({ shape: [height, width], data: new Uint8Array(width * height) });
  const planes = { gray: plane(), red: plane(), green: plane(), blue: plane(), alpha: plane() };
  for (let i = 0; i < width * height; ++i) {
    const [r, g, b, a] = [pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], pixels[4 * i + 3]];
    planes.red.data[i] = r;
    planes.green.data[i] = g;
    planes.blue.data[i] = b;
    planes.alpha.data[i] = a;
    planes.gray.data[i] = Math.round(0.299 * r + 0.587 * g + 0.114 * b);
  }
  if (planes.alpha.data.every((a) => a === 255)) delete planes.alpha;
  return safetensors(planes);
}

/** The arrays of files: {name, path, array, shape, dtype, variable}. */
async function arraysIn(engine, paths) {
  const all = [];
  for (const path of paths) {
    const { format, arrays } = await engine.ask("describe", { files: [path] });
    const hasNames = format === "npz" || format === "safetensors";
    for (const { name, shape, dtype, dtype_text } of arrays) {
      all.push({
        name,
        path,
        array: hasNames ? name : "",
        shape,
        dtype,
        dtypeText: dtype_text,
        variable: hasNames && variable(name) === name ? name : "",
      });
    }
  }
  return all;
}

const isImage = (file) => file.type.startsWith("image/") || /\.(?:png|jpe?g|gif|webp|bmp|avif)$/i.test(file.name);
const isCsv = (file) => /\.csv$/i.test(file.name) || file.type === "text/csv";

/** Opens a file: {title, stem, bytes, files, arrays}. What cannot be read throws; the engine then has to be given its files again. */
export async function openSource(file, engine) {
  const common = { title: file.name, stem: file.name.replace(/\.[^.]*$/, "") || "data", bytes: file.size };
  if (isCsv(file)) return { ...common, ...(await fromCsv(file, engine)) };
  const name = isImage(file) ? `${safe(common.stem)}.safetensors` : safe(file.name);
  const path = `/in/${++count}/${name}`;
  const files = { [path]: isImage(file) ? await fromImage(file) : file };
  engine.setFiles(files);
  const arrays = await arraysIn(engine, [path]);
  if (arrays.length === 0)
    throw new EngineError({ kind: "value", message: `${file.name}: there is no array in this file` });
  return { ...common, files, arrays };
}

/** The files of a request, as the command line names them: x, and the other arrays that the texts speak of. */
export function filesFor(source, chosen, texts) {
  const argument = (name, { path, array }) => `${name}=${path}${array === "" ? "" : `:${array}`}`;
  const words = new Set(texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
  const others = source.arrays.filter((array) => array.variable && array.dtype && words.has(array.variable));
  return [argument("x", chosen), ...others.map((array) => argument(array.variable, array))];
}
