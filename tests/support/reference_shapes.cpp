// Reference: creation, random numbers, views and joins.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference.h"

namespace tamis::reference {

namespace {

Cell cell_of(Scalar v, DType dtype) {
  return v.is_floating_point() ? convert({v.to_double(), 0}, DType::float64, dtype)
                               : convert({0, v.to_int64()}, DType::int64, dtype);
}

Array constant(const Shape& shape, Scalar value, DType dtype) {
  return {dtype, shape, std::vector<Cell>(count_of(shape), cell_of(value, dtype)), false};
}

DType dtype_or(const Args& args, size_t i, DType otherwise) {
  return given(args, i) ? std::get<DType>(args[i]) : otherwise;
}

// ---- creation -----------------------------------------------------------------------------------

Arg full(const Shape& shape, Scalar value, DType dtype) {
  const Cell raw{value.to_double(), value.is_floating_point() ? 0 : value.to_int64()};
  require(holds(dtype, raw, value.dtype()), ErrorKind::value);
  return constant(shape, value, dtype);
}

Arg arange(const Args& args) {
  const Scalar start = std::get<Scalar>(args[0]), end = std::get<Scalar>(args[1]),
               step = std::get<Scalar>(args[2]);
  const bool fractions =
      start.is_floating_point() || end.is_floating_point() || step.is_floating_point();
  const DType dtype = dtype_or(args, 3, fractions ? DType::float32 : DType::int64);
  require(dtype != DType::boolean, ErrorKind::dtype);
  double from = start.to_double(), to = end.to_double(), by = step.to_double();
  // PyTorch reads integers for an integer dtype; the size comes from the integers only for int64.
  const double size =
      std::ceil(dtype == DType::int64 ? (std::trunc(to) - std::trunc(from)) / std::trunc(by)
                                      : (to - from) / by);
  if (!is_real(dtype)) {
    from = std::trunc(from);
    to = std::trunc(to);
    by = std::trunc(by);
  }
  require(by != 0 && (by > 0 ? to >= from : to <= from), ErrorKind::value);
  Array result{dtype, {static_cast<int64_t>(size)}, {}, false};
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    result.cells.push_back(convert({from + static_cast<double>(i) * by, 0}, DType::float64, dtype));
  }
  return result;
}

Arg linspace(const Args& args) {
  const Scalar start = std::get<Scalar>(args[0]), end = std::get<Scalar>(args[1]);
  const int64_t steps = int_of(args, 2);
  const DType dtype = std::get<DType>(args[3]);
  require(steps >= 0, ErrorKind::value);
  require(dtype != DType::boolean, ErrorKind::dtype);
  for (Scalar v : {start, end}) {
    const Cell raw{v.to_double(), v.is_floating_point() ? 0 : v.to_int64()};
    require(holds(dtype, raw, v.dtype()), ErrorKind::value);
  }
  const auto as_double = [&](Scalar v) {
    return convert(cell_of(v, dtype), dtype, DType::float64).f;
  };
  const double first = as_double(start), last = as_double(end);
  Array result{dtype, {steps}, {}, false};
  for (int64_t i = 0; i < steps; ++i) {
    const double step = (last - first) / static_cast<double>(steps - 1);
    const double v = steps == 1      ? first
                     : i < steps / 2 ? first + step * static_cast<double>(i)
                                     : last - step * static_cast<double>(steps - 1 - i);
    result.cells.push_back(convert({v, 0}, DType::float64, dtype));
  }
  return result;
}

Arg eye(const Args& args) {
  const int64_t n = int_of(args, 0), m = given(args, 1) ? int_of(args, 1) : n;
  Array result = constant({n, m}, 0, std::get<DType>(args[2]));
  for (int64_t i = 0; i < std::min(n, m); ++i) {
    result.cells[i * m + i] = cell_of(1, result.dtype);
  }
  return result;
}

/// Keeps where keep(column - row - diagonal).
Arg triangle(const Args& args, bool (*keep)(int64_t)) {
  Array x = array_of(args, 0);
  require(x.shape.size() >= 2, ErrorKind::index);
  for (size_t i = 0; i < x.cells.size(); ++i) {
    const Shape at = coordinates_of(static_cast<int64_t>(i), x.shape);
    if (!keep(at.back() - at[at.size() - 2] - int_of(args, 1))) x.cells[i] = Cell{};
  }
  return x;
}

// ---- random numbers -----------------------------------------------------------------------------

using Judge = std::function<std::string(const Args&, const Arg&)>;

/// Every element must pass.
Judge each(bool (*ok)(double)) {
  return [ok](const Args&, const Arg& got) -> std::string {
    const Array& x = std::get<Array>(got);
    for (const Cell& c : x.cells) {
      const double v = is_real(x.dtype) ? c.f : static_cast<double>(c.i);
      if (!ok(v)) return fmt::format("{} is out of range", v);
    }
    return "";
  };
}

Judge anything() {
  return each([](double) { return true; });
}

std::string judge_randint(const Args& args, const Arg& got) {
  const Array& x = std::get<Array>(got);
  for (const Cell& c : x.cells) {
    const double v = is_real(x.dtype) ? c.f : static_cast<double>(c.i);
    if (v < static_cast<double>(int_of(args, 0)) || v >= static_cast<double>(int_of(args, 1)) ||
        v != std::floor(v)) {
      return fmt::format("{} is out of range", v);
    }
  }
  return "";
}

std::string judge_randperm(const Args& args, const Arg& got) {
  std::vector<double> seen;
  const Array& x = std::get<Array>(got);
  for (const Cell& c : x.cells) seen.push_back(is_real(x.dtype) ? c.f : static_cast<double>(c.i));
  std::sort(seen.begin(), seen.end());
  for (int64_t i = 0; i < int_of(args, 0); ++i) {
    if (seen[i] != static_cast<double>(i)) return fmt::format("{} is missing", i);
  }
  return "";
}

std::string judge_bernoulli(const Args& args, const Arg& got) {
  const Array &p = array_of(args, 0), &x = std::get<Array>(got);
  for (size_t i = 0; i < p.cells.size(); ++i) {
    const double v = x.cells[i].f, chance = p.cells[i].f;
    if ((v != 0 && v != 1) || (chance == 0 && v != 0) || (chance == 1 && v != 1)) {
      return fmt::format("{} where the chance is {}", v, chance);
    }
  }
  return "";
}

Arg real_of_shape(const Shape& shape, DType dtype) {
  require(is_real(dtype), ErrorKind::dtype);
  return constant(shape, 0, dtype);
}

Arg randint(const Args& args) {
  const int64_t low = int_of(args, 0), high = int_of(args, 1);
  const DType dtype = std::get<DType>(args[3]);
  require(low < high, ErrorKind::value);
  for (int64_t v : {low, high - 1}) {
    const bool fits = dtype == DType::boolean
                          ? v == 0 || v == 1
                          : holds(dtype, {static_cast<double>(v), v}, DType::int64) &&
                                (dtype != DType::uint8 || v >= 0);
    require(fits, ErrorKind::value);
  }
  return constant(std::get<Shape>(args[2]), 0, dtype);
}

Arg bernoulli(const Args& args) {
  const Array& p = array_of(args, 0);
  require(is_real(p.dtype), ErrorKind::dtype);
  for (const Cell& c : p.cells) require(c.f >= 0 && c.f <= 1, ErrorKind::value);
  return constant(p.shape, 0, p.dtype);
}

// ---- views --------------------------------------------------------------------------------------

/// x's elements in another shape.
Arg reshape(const Array& x, Shape shape) {
  int64_t known = 1, unknown = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      require(unknown < 0, ErrorKind::shape);
      unknown = static_cast<int64_t>(d);
    } else {
      known *= shape[d];
    }
  }
  const auto n = static_cast<int64_t>(x.cells.size());
  if (unknown >= 0) {
    require(known != 0 && n % known == 0, ErrorKind::shape);
    shape[unknown] = n / known;
  }
  require(count_of(shape) == n, ErrorKind::shape);
  return Array{x.dtype, shape, x.cells, false};
}

/// Element `at` of the result is the element of x at the coordinates that source(at) gives.
template <class F>
Array pick(const Array& x, const Shape& shape, F source) {
  Array result{x.dtype, shape, {}, false};
  for (int64_t i = 0; i < count_of(shape); ++i) {
    result.cells.push_back(x.cells[place_of(source(coordinates_of(i, shape)), x.shape)]);
  }
  return result;
}

Arg flatten(const Args& args) {
  const Array& x = array_of(args, 0);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t first = wrap(int_of(args, 1), rank), last = wrap(int_of(args, 2), rank);
  require(first <= last, ErrorKind::value);
  if (rank == 0) return reshape(x, {1});
  Shape shape;
  for (int64_t d = 0; d < rank; ++d) {
    if (d > first && d <= last) {
      shape.back() *= x.shape[d];
    } else {
      shape.push_back(x.shape[d]);
    }
  }
  return reshape(x, shape);
}

Array permute(const Array& x, const Shape& dims) {
  require(dims.size() == x.shape.size(), ErrorKind::shape);
  Shape order, shape;
  for (int64_t d : dims) {
    order.push_back(wrap(d, static_cast<int64_t>(dims.size())));
    shape.push_back(x.shape[order.back()]);
  }
  return pick(x, shape, [&](const Shape& at) {
    Shape source = at;
    for (size_t d = 0; d < order.size(); ++d) source[order[d]] = at[d];
    return source;
  });
}

Arg transpose(const Array& x, int64_t a, int64_t b) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  Shape dims;
  for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
  a = wrap(a, rank);
  b = wrap(b, rank);
  if (rank > 0) std::swap(dims[a], dims[b]);
  return permute(x, dims);
}

Arg unsqueeze(const Args& args) {
  Shape shape = array_of(args, 0).shape;
  shape.insert(wrap(int_of(args, 1), static_cast<int64_t>(shape.size()) + 1), 1);
  return reshape(array_of(args, 0), shape);
}

Arg squeeze(const Args& args) {
  const Shape& from = array_of(args, 0).shape;
  Shape shape;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool asked =
        !given(args, 1) ||
        wrap(int_of(args, 1), static_cast<int64_t>(from.size())) == static_cast<int64_t>(d);
    if (from[d] != 1 || !asked) shape.push_back(from[d]);
  }
  return reshape(array_of(args, 0), shape);
}

Array narrow(const Array& x, int64_t dim, int64_t start, int64_t length) {
  const int64_t d = wrap(dim, static_cast<int64_t>(x.shape.size()));
  if (start < 0) start += x.shape[d];
  Shape shape = x.shape;
  shape[d] = length;
  return pick(x, shape, [&](Shape at) {
    at[d] += start;
    return at;
  });
}

Arg select(const Args& args) {
  const Array& x = array_of(args, 0);
  const int64_t d = wrap(int_of(args, 1), static_cast<int64_t>(x.shape.size()));
  Shape shape = x.shape;
  shape.erase(d);
  return reshape(narrow(x, d, int_of(args, 2), 1), shape);
}

Arg broadcast_to(const Array& x, Shape shape) {
  const size_t lead = shape.size() - x.shape.size();
  for (size_t d = lead; d < shape.size(); ++d) {
    if (shape[d] == -1) shape[d] = x.shape[d - lead];
  }
  return stretch(x, shape);
}

// ---- joins --------------------------------------------------------------------------------------

Arg cat(const std::vector<Array>& all, int64_t dim) {
  std::vector<const Array*> parts;
  DType dtype = all[0].dtype;
  for (const Array& x : all) {
    dtype = promote(dtype, x.dtype);
    if (!(x.shape == Shape{0})) parts.push_back(&x);
  }
  Shape shape = parts[0]->shape;
  const int64_t d = wrap(dim, static_cast<int64_t>(shape.size()));
  shape[d] = 0;
  for (const Array* x : parts) shape[d] += x->shape[d];
  Array result{dtype, shape, {}, false};
  for (int64_t i = 0; i < count_of(shape); ++i) {
    Shape at = coordinates_of(i, shape);
    size_t part = 0;
    for (; at[d] >= parts[part]->shape[d]; ++part) at[d] -= parts[part]->shape[d];
    const Array& x = *parts[part];
    result.cells.push_back(convert(x.cells[place_of(at, x.shape)], x.dtype, dtype));
  }
  return result;
}

Arg stack(const std::vector<Array>& all, int64_t dim) {
  std::vector<Array> parts;
  for (const Array& x : all) {
    parts.push_back(std::get<Array>(unsqueeze({x, dim})));
  }
  return cat(parts, dim);
}

}  // namespace

void add_creation(Table& t) {
  t["empty"] = {[](const Args& a) -> Arg {
                  return constant(std::get<Shape>(a[0]), 0, std::get<DType>(a[1]));
                },
                0, false, anything()};
  t["zeros"] = {[](const Args& a) -> Arg {
    return constant(std::get<Shape>(a[0]), 0, std::get<DType>(a[1]));
  }};
  t["ones"] = {[](const Args& a) -> Arg {
    return constant(std::get<Shape>(a[0]), 1, std::get<DType>(a[1]));
  }};
  t["full"] = {[](const Args& a) {
    const Scalar v = std::get<Scalar>(a[1]);
    const DType own = v.is_floating_point() ? DType::float32 : v.dtype();
    return full(std::get<Shape>(a[0]), v, dtype_or(a, 2, own));
  }};
  const auto like = [](Scalar value) {
    return [value](const Args& a) -> Arg {
      return constant(array_of(a, 0).shape, value, dtype_or(a, 1, array_of(a, 0).dtype));
    };
  };
  t["empty_like"] = {like(0), 0, false, anything()};
  t["zeros_like"] = {like(0)};
  t["ones_like"] = {like(1)};
  t["full_like"] = {[](const Args& a) {
    return full(array_of(a, 0).shape, std::get<Scalar>(a[1]), dtype_or(a, 2, array_of(a, 0).dtype));
  }};
  t["arange"] = {arange, 1};
  t["linspace"] = {linspace, 1};
  t["eye"] = {eye};
  t["tril"] = {[](const Args& a) { return triangle(a, [](int64_t d) { return d <= 0; }); }};
  t["triu"] = {[](const Args& a) { return triangle(a, [](int64_t d) { return d >= 0; }); }};

  const auto random = [](const Args& a) {
    return real_of_shape(std::get<Shape>(a[0]), std::get<DType>(a[1]));
  };
  const auto random_like = [](const Args& a) {
    return real_of_shape(array_of(a, 0).shape, dtype_or(a, 1, array_of(a, 0).dtype));
  };
  const Judge uniform = each([](double v) { return v >= 0 && v < 1; });
  const Judge normal = each([](double v) { return std::abs(v) < 12; });
  t["rand"] = {random, 0, false, uniform};
  t["randn"] = {random, 0, false, normal};
  t["rand_like"] = {random_like, 0, false, uniform};
  t["randn_like"] = {random_like, 0, false, normal};
  t["randint"] = {randint, 0, false, judge_randint};
  t["randperm"] = {[](const Args& a) -> Arg {
                     const DType dtype = std::get<DType>(a[1]);
                     require(dtype != DType::boolean, ErrorKind::dtype);
                     return constant({int_of(a, 0)}, 0, dtype);
                   },
                   0, false, judge_randperm};
  t["bernoulli"] = {bernoulli, 0, false, judge_bernoulli};
}

void add_shapes(Table& t) {
  t["reshape"] = {[](const Args& a) { return reshape(array_of(a, 0), std::get<Shape>(a[1])); }};
  t["flatten"] = {flatten};
  t["transpose"] = {
      [](const Args& a) { return transpose(array_of(a, 0), int_of(a, 1), int_of(a, 2)); }};
  t["t"] = {[](const Args& a) -> Arg {
    const Array& x = array_of(a, 0);
    require(x.shape.size() <= 2, ErrorKind::shape);
    return x.shape.size() == 2 ? transpose(x, 0, 1) : Arg(x);
  }};
  t["permute"] = {
      [](const Args& a) -> Arg { return permute(array_of(a, 0), std::get<Shape>(a[1])); }};
  t["unsqueeze"] = {unsqueeze};
  t["squeeze"] = {squeeze};
  t["narrow"] = {[](const Args& a) -> Arg {
    return narrow(array_of(a, 0), int_of(a, 1), int_of(a, 2), int_of(a, 3));
  }};
  t["select"] = {select};
  t["clone"] = {[](const Args& a) -> Arg { return array_of(a, 0); }};
  t["to"] = {[](const Args& a) -> Arg { return cast(array_of(a, 0), std::get<DType>(a[1])); }};
  t["broadcast_to"] = {
      [](const Args& a) { return broadcast_to(array_of(a, 0), std::get<Shape>(a[1])); }};
  t["broadcast_tensors"] = {[](const Args& a) -> Arg {
    const auto& all = std::get<std::vector<Array>>(a[0]);
    Shape shape;
    for (const Array& x : all) shape = broadcast(shape, x.shape);
    std::vector<Array> result;
    for (const Array& x : all) result.push_back(stretch(x, shape));
    return result;
  }};
  t["cat"] = {[](const Args& a) { return cat(std::get<std::vector<Array>>(a[0]), int_of(a, 1)); }};
  t["stack"] = {
      [](const Args& a) { return stack(std::get<std::vector<Array>>(a[0]), int_of(a, 1)); }};
}

}  // namespace tamis::reference
