// Reference: creation and random numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/reference.h"

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
  require(dtype != DType::boolean || steps <= 1, ErrorKind::dtype);
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

/// Indices of each row that are possible, and different ones without replacement.
std::string judge_multinomial(const Args& args, const Arg& got) {
  const Array &p = array_of(args, 0), &x = std::get<Array>(got);
  const size_t drawn = static_cast<size_t>(x.shape.back());
  const int64_t classes = p.shape.back();
  for (size_t i = 0; i < x.cells.size(); ++i) {
    const int64_t v = x.cells[i].i, row = static_cast<int64_t>(i / drawn);
    if (v < 0 || v >= classes || p.cells[row * classes + v].f == 0) {
      return fmt::format("{} cannot be drawn", v);
    }
    for (size_t k = i - i % drawn; k < i && !std::get<bool>(args[2]); ++k) {
      if (x.cells[k].i == v) return fmt::format("{} is drawn twice", v);
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
                                (has_sign(dtype) || is_real(dtype) || v >= 0);
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

Arg multinomial(const Args& args) {
  const Array& p = array_of(args, 0);
  require(is_real(p.dtype), ErrorKind::dtype);
  require(p.shape.size() == 1 || p.shape.size() == 2, ErrorKind::shape);
  const int64_t wanted = int_of(args, 1), classes = p.shape.back();
  const bool again = std::get<bool>(args[2]);
  require(wanted > 0 && (again || wanted <= classes), ErrorKind::value);
  for (const Cell& c : p.cells) require(c.f >= 0 && std::isfinite(c.f), ErrorKind::value);
  const int64_t rows = p.shape.size() == 1 ? 1 : p.shape[0];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t possible = 0;
    for (int64_t i = 0; i < classes; ++i) possible += p.cells[row * classes + i].f > 0;
    require(possible >= (again ? 1 : wanted), ErrorKind::value);
  }
  Shape shape = p.shape;
  shape.back() = wanted;
  return constant(shape, 0, DType::int64);
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
  t["multinomial"] = {multinomial, 0, false, judge_multinomial};
}

}  // namespace tamis::reference
