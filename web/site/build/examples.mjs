// The examples of the explorer: small files that are the same on every machine, made by the package itself.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";

/** Random numbers between 0 and 1, always the same ones. */
function randoms(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const bell = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const tenth = (value) => Math.round(value * 10) / 10;

/** Hourly temperatures of a year: some are missing, in one week all are, and a few are impossible. */
function weather(random) {
  const x = new Float32Array(365 * 24);
  for (let day = 0; day < 365; ++day) {
    const front = 3 * bell(random);
    for (let hour = 0; hour < 24; ++hour) {
      const season = 9 * Math.sin(((day - 110) / 365) * 2 * Math.PI);
      const time = 5 * Math.sin(((hour - 9) / 24) * 2 * Math.PI);
      let value = tenth(10 + season + time + front + bell(random));
      if (random() < 0.001) value = 99.9;
      if (random() < 0.02 || (day >= 220 && day < 227)) value = NaN;
      x[24 * day + hour] = value;
    }
  }
  return x;
}

/** Temperatures of a sea on a grid of degrees: warm at the equator; continents are NaN. */
function sea(random) {
  const waves = Array.from({ length: 40 }, (_, i) => ({
    a: 1 / (1 + i / 4),
    u: bell(random) * (1 + i / 3),
    v: bell(random) * (1 + i / 3),
    p: 7 * random(),
  }));
  const height = (lat, lon, from, to) => {
    let sum = 0;
    // On a sphere, so that the edges meet.
    const [x, y, z] = [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
    for (const { a, u, v, p } of waves.slice(from, to)) sum += a * Math.sin(u * x * 2 + v * y * 2 + (u + v) * z + p);
    return sum;
  };
  const data = new Float32Array(180 * 360);
  for (let i = 0; i < 180; ++i) {
    const lat = ((90 - i - 0.5) * Math.PI) / 180;
    for (let j = 0; j < 360; ++j) {
      const lon = ((j + 0.5) * Math.PI) / 180;
      const isLand = height(lat, lon, 0, 24) > 0.9;
      const value = 29 * Math.cos(lat) ** 1.5 - 1.5 + 0.8 * height(lat, lon, 24, 40);
      data[360 * i + j] = isLand ? NaN : Math.round(100 * Math.max(-1.8, value)) / 100;
    }
  }
  return data;
}

/** Readings of a year, one line per day. */
function stations(random) {
  const lines = ["day,month,temperature,wind,rain,humidity"];
  const ends = [31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
  for (let day = 0; day < 365; ++day) {
    const month = ends.findIndex((end) => day < end) + 1;
    const temperature = tenth(11 + 10 * Math.sin(((day - 110) / 365) * 2 * Math.PI) + 3 * bell(random));
    const wind = tenth(Math.abs(3 + 2.5 * bell(random)));
    const rain = random() < 0.35 ? tenth(-6 * Math.log(1 - random())) : 0;
    const humidity = Math.round(
      Math.min(100, Math.max(20, 75 - temperature + 12 * bell(random) + (rain > 0 ? 10 : 0))),
    );
    lines.push([day, month, random() < 0.02 ? "" : temperature, wind, rain, humidity].join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** An evening at a lake, as bytes of red, green and blue. */
function landscape(random, width, height) {
  const pixels = new Uint8Array(width * height * 3);
  const ridge = (x, base, a, f) =>
    base + a * Math.sin(f * x + 1) + 0.5 * a * Math.sin(2.7 * f * x) + 0.2 * a * Math.sin(7.1 * f * x + 2);
  const blend = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);
  const sky = (x, y) => {
    const far = Math.hypot(x - 340, y - 96);
    if (far < 26) return [255, 244, 214];
    return blend(blend([46, 84, 150], [252, 176, 110], Math.min(1, y / 150)), [255, 214, 150], Math.exp(-far / 60));
  };
  const land = (x, y) => {
    if (y > ridge(x, 178, 10, 0.02)) return [34, 58, 44];
    if (y > ridge(x, 150, 22, 0.013)) return [70, 84, 104];
    return sky(x, y);
  };
  const shore = 200;
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const depth = y - shore;
      const wave = depth > 0 ? 3 * Math.sin(y * 0.9 + 3 * Math.sin(x * 0.05)) : 0;
      const colour = depth > 0 ? blend(land(x + wave, shore - depth * 1.15), [22, 46, 96], 0.45) : land(x, y);
      const grain = 5 * bell(random);
      colour.forEach((v, c) => (pixels[3 * (width * y + x) + c] = Math.max(0, Math.min(255, v + grain))));
    }
  }
  return pixels;
}

/** The bytes of a PNG file of red, green and blue. */
function png(pixels, width, height) {
  const table = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
  });
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const sum = body.reduce((crc, byte) => table[(crc ^ byte) & 255] ^ (crc >>> 8), 0xffffffff) ^ 0xffffffff;
    const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    check.writeUInt32BE(sum >>> 0);
    return Buffer.concat([size, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const lines = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; ++y)
    lines.set(pixels.subarray(3 * width * y, 3 * width * (y + 1)), y * (1 + 3 * width) + 1);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Sentences of token ids, padded with 0, and their lengths. */
function tokens(random, sentences, positions) {
  const ids = new BigInt64Array(sentences * positions);
  const lengths = new BigInt64Array(sentences);
  for (let i = 0; i < sentences; ++i) {
    const length = 6 + Math.floor(random() * (positions - 5));
    lengths[i] = BigInt(length);
    for (let j = 0; j < length; ++j) ids[positions * i + j] = BigInt(j === 0 ? 1 : 2 + Math.floor(38 * random() ** 2));
  }
  return { ids, lengths };
}

export async function makeExamples(packageFolder, folder) {
  const { tensor, save } = await import(pathToFileURL(join(packageFolder, "index.js")));
  await mkdir(folder, { recursive: true });
  const write = (name, bytes) => writeFile(join(folder, name), bytes);
  const random = randoms(20);
  await write("weather.npy", await save(tensor(weather(random)).reshape(365, 24), "weather.npy"));
  await write("sea.npy", await save(tensor(sea(random)).reshape(180, 360), "sea.npy"));
  await write("stations.csv", stations(random));
  await write("picture.png", png(landscape(random, 480, 300), 480, 300));
  const { ids, lengths } = tokens(random, 64, 48);
  await write(
    "tokens.npz",
    await save({ tokens: tensor(ids).reshape(64, 48), lengths: tensor(lengths) }, "tokens.npz"),
  );
}
