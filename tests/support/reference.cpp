// Reference: reading and writing tensors, conversions between dtypes, promotion, broadcasting,
// comparing.
#include "support/reference.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/tensor_impl.h"

namespace tamis::reference {

namespace {

/// The parameters of a binary floating point format.
struct Format {
  int digits, lowest_exponent;
  double largest;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {11, -14, 65504.0};
    case DType::bfloat16:
      return {8, -126, 0x1.fep127};
    case DType::float32:
      return {24, -126, 0x1.fffffep127};
    default:
      return {53, -1022, std::numeric_limits<double>::max()};
  }
}

/// The distance between neighbours of the format around v.
double spacing(double v, const Format& format) {
  const int exponent =
      v == 0 ? format.lowest_exponent : std::max(std::ilogb(v), format.lowest_exponent);
  return std::ldexp(1.0, exponent - format.digits + 1);
}

/// v, a value of a longer format, rounded to the nearest value of this one, ties to even.
double round_to(double v, const Format& format) {
  if (!std::isfinite(v)) return v;
  const double step = spacing(v, format);
  const double rounded = std::nearbyint(v / step) * step;
  return std::abs(rounded) > format.largest ? std::copysign(HUGE_VAL, v) : rounded;
}

template <class T>
T load(const char* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}

/// The value of 16 bits in a format with the given number of fraction bits.
double decode16(uint16_t bits, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = bits & ((1 << fraction_bits) - 1);
  double v;
  if (exponent == (1 << exponent_bits) - 1) {
    v = fraction != 0 ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    v = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    v = std::ldexp(1 + std::ldexp(fraction, -fraction_bits), exponent - bias);
  }
  return bits >> 15 ? -v : v;
}

Cell load_cell(const char* at, DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return {0, *at != 0};
    case DType::uint8:
      return {0, load<uint8_t>(at)};
    case DType::uint16:
      return {0, load<uint16_t>(at)};
    case DType::uint32:
      return {0, load<uint32_t>(at)};
    case DType::int8:
      return {0, load<int8_t>(at)};
    case DType::int16:
      return {0, load<int16_t>(at)};
    case DType::int32:
      return {0, load<int32_t>(at)};
    case DType::int64:
      return {0, load<int64_t>(at)};
    case DType::float16:
      return {decode16(load<uint16_t>(at), 10), 0};
    case DType::bfloat16:
      return {decode16(load<uint16_t>(at), 7), 0};
    case DType::float32:
      return {load<float>(at), 0};
    case DType::float64:
      return {load<double>(at), 0};
    default:  // the reference has no complex numbers, and its integers are int64
      return {};
  }
}

std::string text_of(Cell c, DType dtype) {
  return is_real(dtype) ? fmt::format("{}", c.f) : fmt::format("{}", c.i);
}

bool same(Cell want, Cell got, DType dtype, double ulps) {
  if (!is_real(dtype)) return want.i == got.i;
  if (want.f == got.f || (std::isnan(want.f) && std::isnan(got.f))) return true;
  if (!std::isfinite(want.f) || !std::isfinite(got.f)) return false;
  return std::abs(want.f - got.f) <= ulps * spacing(want.f, format_of(dtype));
}

std::string array_difference(const Array& want, const Array& got, double ulps) {
  if (want.dtype != got.dtype) {
    return fmt::format("dtype {} instead of {}", name(got.dtype), name(want.dtype));
  }
  if (!(want.shape == got.shape)) {
    return fmt::format("shape {} instead of {}", to_string(got.shape), to_string(want.shape));
  }
  for (size_t i = 0; i < want.cells.size(); ++i) {
    if (!same(want.cells[i], got.cells[i], want.dtype, ulps)) {
      return fmt::format("element {} of {} is {} instead of {}", i, to_string(want.shape),
                         text_of(got.cells[i], want.dtype), text_of(want.cells[i], want.dtype));
    }
  }
  return "";
}

}  // namespace

// ---- between the library and the model ----------------------------------------------------------

Array read(const Tensor& given) {
  const Tensor x = given.cpu();
  Array result{x.dtype(), x.shape(), {}, given.impl().is_number && x.dim() == 0};
  const char* data = static_cast<const char*>(x.data_ptr());
  const auto size = static_cast<int64_t>(itemsize(x.dtype()));
  for (int64_t i = 0; i < count_of(x.shape()); ++i) {
    const Shape at = coordinates_of(i, x.shape());
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d) offset += at[d] * x.strides()[d];
    result.cells.push_back(load_cell(data + offset * size, x.dtype()));
  }
  return result;
}

Arg read(const Value& value) {
  return std::visit(
      [](const auto& v) -> Arg {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          return read(v);
        } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
          std::vector<Array> all;
          for (const Tensor& x : v) all.push_back(read(x));
          return all;
        } else if constexpr (std::is_same_v<T, Options>) {
          if (!v.dtype) return std::monostate();  // the model has one device
          return *v.dtype;
        } else if constexpr (std::is_same_v<T, Generator>) {
          return std::monostate();  // the model draws no random numbers
        } else {
          return v;
        }
      },
      value);
}

Tensor write(const Array& x) {
  const Tensor result = empty(x.shape, {x.dtype, "cpu"});
  visit_real(x.dtype, [&](auto type) {
    using T = decltype(type);
    T* out = result.mutable_data<T>();
    for (const Cell& c : x.cells) {
      *out++ = is_real(x.dtype) ? Scalar(c.f).to<T>() : Scalar(c.i).to<T>();
    }
  });
  return result;
}

std::string difference(const Arg& want, const Arg& got, double ulps) {
  if (want.index() != got.index()) return "a result of another kind";
  if (const auto* a = std::get_if<Array>(&want)) {
    return array_difference(*a, std::get<Array>(got), ulps);
  }
  if (const auto* list = std::get_if<std::vector<Array>>(&want)) {
    const auto& other = std::get<std::vector<Array>>(got);
    if (list->size() != other.size()) {
      return fmt::format("{} tensors instead of {}", other.size(), list->size());
    }
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string text = array_difference((*list)[i], other[i], ulps);
      if (!text.empty()) return fmt::format("tensor {}: {}", i, text);
    }
    return "";
  }
  if (const auto* n = std::get_if<int64_t>(&want)) {
    return *n == std::get<int64_t>(got)
               ? ""
               : fmt::format("{} instead of {}", std::get<int64_t>(got), *n);
  }
  if (const auto* b = std::get_if<bool>(&want)) {
    return *b == std::get<bool>(got) ? "" : fmt::format("{} instead of {}", !*b, *b);
  }
  if (const auto* d = std::get_if<DType>(&want)) {
    const DType other = std::get<DType>(got);
    return *d == other ? "" : fmt::format("{} instead of {}", name(other), name(*d));
  }
  return "a result of a kind that has no comparison";
}

// ---- numbers ------------------------------------------------------------------------------------

bool is_real(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 ||
         dtype == DType::float64;
}

Cell real(double v, DType dtype) {
  // 16-bit values are made from floats, as PyTorch does.
  if (dtype != DType::float64) v = static_cast<float>(v);
  return {dtype == DType::float32 ? v : round_to(v, format_of(dtype)), 0};
}

Cell whole(int64_t v, DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return {0, v != 0};
    case DType::uint8:
      return {0, static_cast<uint8_t>(v)};
    case DType::uint16:
      return {0, static_cast<uint16_t>(v)};
    case DType::uint32:
      return {0, static_cast<uint32_t>(v)};
    case DType::int8:
      return {0, static_cast<int8_t>(v)};
    case DType::int16:
      return {0, static_cast<int16_t>(v)};
    case DType::int32:
      return {0, static_cast<int32_t>(v)};
    default:
      return {0, v};
  }
}

Cell convert(Cell c, DType from, DType to) {
  if (is_real(to)) {
    if (is_real(from)) return real(c.f, to);
    // Not by way of double, which would round twice.
    return to == DType::float64 ? Cell{static_cast<double>(c.i), 0}
                                : real(static_cast<float>(c.i), to);
  }
  if (!is_real(from)) return whole(c.i, to);
  if (to == DType::boolean) return {0, c.f != 0};
  const bool fits = c.f > -0x1p63 && c.f < 0x1p63;
  return whole(fits ? static_cast<int64_t>(c.f) : 0, to);
}

Array cast(const Array& x, DType to) {
  Array result{to, x.shape, x.cells, false};
  if (to == x.dtype) return result;
  for (Cell& c : result.cells) c = convert(c, x.dtype, to);
  return result;
}

bool truth(const Array& x, size_t i) {
  return is_real(x.dtype) ? x.cells[i].f != 0 : x.cells[i].i != 0;
}

bool has_sign(DType dtype) {
  return dtype != DType::uint8 && dtype != DType::uint16 && dtype != DType::uint32;
}

bool holds(DType dtype, Cell number, DType from) {
  if (dtype == DType::boolean) return true;
  if (is_real(dtype)) {
    const double v = is_real(from) ? number.f : static_cast<double>(number.i);
    return !std::isfinite(v) || std::abs(v) <= format_of(dtype).largest;
  }
  const bool is_signed = has_sign(dtype);
  const int bits = static_cast<int>(itemsize(dtype)) * 8 - (is_signed ? 1 : 0);
  const double bound = std::ldexp(1.0, bits);  // one more than the largest
  if (is_real(from)) {
    return number.f >= (is_signed ? -bound : 0) &&
           (bits > 53 ? number.f < bound : number.f <= bound - 1);
  }
  // Negative integers wrap into unsigned types.
  const auto v = static_cast<double>(number.i);
  return bits > 53 || (v < bound && (is_signed ? v >= -bound : v > -bound));
}

DType promote(DType a, DType b) {
  if (a == b || b == DType::boolean) return a;
  if (a == DType::boolean) return b;
  if (is_real(a) != is_real(b)) return is_real(a) ? a : b;
  if (is_real(a)) {
    const bool both16 = itemsize(a) == 2 && itemsize(b) == 2;
    return both16 ? DType::float32 : itemsize(a) > itemsize(b) ? a : b;
  }
  const DType small = itemsize(a) > itemsize(b) ? b : a, large = itemsize(a) > itemsize(b) ? a : b;
  if (has_sign(a) == has_sign(b)) return large;
  if (itemsize(small) < itemsize(large) && has_sign(large)) return large;
  return itemsize(large) == 1 ? DType::int16 : itemsize(large) == 2 ? DType::int32 : DType::int64;
}

DType result_type(std::initializer_list<const Array*> operands) {
  // Tensors with dimensions decide; 0-d tensors count only if they are of a higher kind, then
  // numbers.
  std::optional<DType> classes[3];
  for (const Array* x : operands) {
    const DType dtype = x->is_number && is_real(x->dtype) ? DType::float32 : x->dtype;
    auto& mine = classes[!x->shape.empty() ? 0 : !x->is_number ? 1 : 2];
    mine = mine ? promote(*mine, dtype) : dtype;
  }
  const auto kind = [](DType d) { return d == DType::boolean ? 0 : is_real(d) ? 2 : 1; };
  std::optional<DType> result;
  for (const auto& next : classes) {
    if (!next) continue;
    if (!result || kind(*next) > kind(*result)) result = *next;
  }
  return *result;
}

// ---- shapes -------------------------------------------------------------------------------------

int64_t count_of(const Shape& shape) {
  int64_t n = 1;
  for (int64_t size : shape) n *= size;
  return n;
}

Shape broadcast(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank, 1);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t x = d + a.size() < rank ? 1 : a[d + a.size() - rank];
    const int64_t y = d + b.size() < rank ? 1 : b[d + b.size() - rank];
    require(x == y || x == 1 || y == 1, ErrorKind::shape);
    result[d] = x == 1 ? y : x;
  }
  return result;
}

Shape coordinates_of(int64_t i, const Shape& shape) {
  Shape at(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = i % shape[d];
    i /= shape[d];
  }
  return at;
}

int64_t number_of(const Shape& coordinates, const Shape& shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + coordinates[d];
  return number;
}

std::vector<int64_t> spread(const Shape& from, const Shape& to) {
  std::vector<int64_t> numbers;
  const size_t lead = to.size() - from.size();
  for (int64_t i = 0; i < count_of(to); ++i) {
    const Shape at = coordinates_of(i, to);
    Shape source(from.size(), 0);
    for (size_t d = 0; d < from.size(); ++d) source[d] = from[d] == 1 ? 0 : at[lead + d];
    numbers.push_back(number_of(source, from));
  }
  return numbers;
}

Array stretch(const Array& x, const Shape& shape) {
  if (x.shape == shape) return x;
  Array result{x.dtype, shape, {}, false};
  for (int64_t number : spread(x.shape, shape)) result.cells.push_back(x.cells[number]);
  return result;
}

int64_t wrap(int64_t dim, int64_t rank) {
  const int64_t n = std::max<int64_t>(rank, 1);
  require(dim >= -n && dim < n, ErrorKind::index);
  return dim < 0 ? dim + n : dim;
}

const Table& table() {
  static const Table all = [] {
    Table t;
    add_arithmetic(t);
    add_creation(t);
    add_masking(t);
    add_reductions(t);
    add_shapes(t);
    return t;
  }();
  return all;
}

}  // namespace tamis::reference
