// Numbers as people read them.

/** "12,345" */
export const grouped = (n) => Number(n).toLocaleString("en-US");

/** "50.01%"; 0% and 100% only if none and all are kept. */
export function percentage(part, whole) {
  if (part === 0 || whole === 0) return "0%";
  if (part === whole) return "100%";
  const percent = (100 * part) / whole;
  if (percent < 0.01) return "<0.01%";
  if (percent > 99.99) return ">99.99%";
  return `${percent.toFixed(2)}%`;
}

/** A number of the library, given as text with all its digits, in seven. */
export function short(text) {
  if (/^-?\d+$/.test(text)) return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const value = Number(text.replace("inf", "Infinity"));
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  return String(Number(value.toPrecision(7)));
}

export function bytes(n) {
  const units = ["bytes", "kB", "MB", "GB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000;
    ++i;
  }
  return `${i === 0 ? n : n.toPrecision(3)} ${units[i]}`;
}

/** 1, 2, 5, 10, 20, 50, ...: the smallest of these steps that needs at most so many marks. */
export function niceStep(size, most) {
  for (let power = 1; ; power *= 10) {
    for (const digit of [1, 2, 5]) {
      if (Math.ceil(size / (digit * power)) <= Math.max(1, most)) return digit * power;
    }
  }
}
