// Shapes: the ways in which one overload may be called: arguments by position, the rest by name in a last object, and
// sizes or tensors one by one.

/** The type of a parameter with what else means "not given". */
function valueType(overload, p) {
  const isNullable = (p.optional || p.default === "[]") && !p.fixed && p.name !== "out" && !overload.letters[p.name];
  return overload.typeOf(p) + (isNullable ? " | null" : "");
}

/** What a parameter by position is called: a word of JavaScript cannot be a name. */
const nameOf = (p) => (p.name === "var" ? "var_" : p.name);
const field = (overload, p) => `${p.name}${p.required ? "" : "?"}: ${valueType(overload, p)}`;
const object = (overload, params) => `{ ${params.map((p) => field(overload, p)).join("; ")} }`;

/** All by position, then what needs a name. */
function primary(overload, byPosition, named) {
  // A parameter that must be given cannot follow one that may be left out.
  const lastRequired = byPosition.findLastIndex((p) => p.required);
  const parts = byPosition.map((p, i) => `${nameOf(p)}${i <= lastRequired ? "" : "?"}: ${valueType(overload, p)}`);
  if (named.length > 0) {
    const isRequired = named.some((p) => p.required);
    if (isRequired && lastRequired < byPosition.length - 1) return null; // another shape says this
    parts.push(`options${isRequired ? "" : "?"}: ${object(overload, named)}`);
  }
  return parts;
}

/** The first ones by position, the rest by name. */
function mixed(overload, byPosition, named, count) {
  const parts = byPosition.slice(0, count).map((p) => `${nameOf(p)}: ${valueType(overload, p)}`);
  return [...parts, `options: ${object(overload, [...byPosition.slice(count), ...named])}`];
}

/** zeros(2, 3), zeros(2, 3, {dtype: "int64"}) */
function spread(overload, byPosition, named) {
  const list = byPosition.at(-1);
  const before = byPosition.slice(0, -1).map((p) => `${nameOf(p)}: ${overload.typeOf(p)}`);
  const item = list.types[0] === "int[]" ? "Int" : "L";
  const shapes = [[...before, `...${list.name}: ${item}[]${item === "L" ? " & Unmixed<L>" : ""}`]];
  if (named.length > 0) shapes.push([...before, `...args: [...${list.name}: ${item}[], options: ${object(overload, named)}]`]);
  return shapes;
}

/** The lists of parameters, each as an array of texts; the first has the documentation. */
export function shapesOf(overload) {
  const isMethod = overload.f.method;
  const params = overload.params.slice(isMethod ? 1 : 0);
  const byPosition = params.filter((p) => !p.named);
  const named = params.filter((p) => p.named);
  // A tensor that a function is about comes first, without a name.
  const least = !isMethod && byPosition[0]?.types[0].startsWith("Tensor") ? 1 : 0;
  const shapes = [primary(overload, byPosition, named)];
  if (overload.overload.variadic) shapes.push(...spread(overload, byPosition, named));
  for (let count = byPosition.length - 1; count >= least; --count) shapes.push(mixed(overload, byPosition, named, count));
  const self = isMethod ? [`this: ${overload.typeOf(overload.params[0])}`] : [];
  return shapes.filter(Boolean).map((shape) => [...self, ...shape]);
}
