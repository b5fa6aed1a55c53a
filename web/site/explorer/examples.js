// The examples of the explorer, which build/examples.mjs makes, and conditions to try on any array.

export const examples = [
  {
    id: "weather",
    text: "A year of weather",
    file: "weather.npy",
    facts: "hourly degrees Celsius, [day, hour], with gaps and wrong readings",
    where: "x > 20 & ~(x > 60)",
    suggestions: ["isnan(x)", "q(0.05) <= x <= q(0.95)", "abs(x - mean(x)) > 3 * std(x)", "12 <= j < 18 & x < 0"],
  },
  {
    id: "sea",
    text: "Sea temperatures",
    file: "sea.npy",
    facts: "degrees Celsius, [latitude, longitude]; land is NaN",
    where: "x > 24",
    suggestions: ["isnan(x)", "0 < x < 10", "x >= q(0.9)", "(i - 90) ** 2 + (j - 180) ** 2 < 2500 & ~isnan(x)"],
  },
  {
    id: "stations",
    text: "A table",
    file: "stations.csv",
    facts: "a CSV file; its columns are arrays of their own",
    where: "temperature > 20 & rain == 0",
    suggestions: ["wind > q(wind, 0.9)", "humidity < 50 | temperature < 0", "x < 0", "isin(month, [6, 7, 8])"],
  },
  {
    id: "picture",
    text: "A picture",
    file: "picture.png",
    facts: "brightness and colours, 0 to 255",
    where: "blue > red & blue > green",
    suggestions: ["x > 200", "red > 200 & blue < 120", "between(x, 90, 130)", "x > mean(x)"],
  },
  {
    id: "tokens",
    text: "Tokens",
    file: "tokens.npz",
    facts: "ids of words, [sentence, position], padded with 0, and the lengths of the sentences",
    where: "from_lengths(lengths, 48) & ~isin(x, [2, 4, 7])",
    suggestions: ["from_lengths(lengths, 48)", "x == 0", "drop_token_ids(x, [0, 1])", "j < 8"],
  },
];

/** Conditions for an array of which only the dtype is known. */
export function suggestionsFor({ dtype }) {
  if (dtype === "bool") return ["x", "~x"];
  if (dtype?.startsWith("complex")) return ["abs(x) > 1", "real(x) > 0"];
  const common = ["x > 0", "x > mean(x)", "q(0.05) <= x <= q(0.95)", "abs(x - mean(x)) > 3 * std(x)"];
  return /^b?float/.test(dtype) ? ["isnan(x)", ...common] : [...common, "x % 2 == 0"];
}
