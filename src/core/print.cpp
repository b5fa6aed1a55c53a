// Printing tensors exactly as PyTorch prints them.
#include "core/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <ostream>

#include "core/check.h"
#include "tamis/complex.h"
#include "tamis/mask.h"
#include "tamis/pointwise.h"
#include "tamis/print.h"
#include "tamis/view.h"

namespace tamis {

namespace {

std::mutex options_mutex;
PrintOptions options_of_all;

/// The first and last `edge` items of the dimensions from d on. They are cut as views before
/// anything is copied, so a large structured or deferred tensor is not computed for printing.
Tensor corners(const Tensor& x, int64_t d, int64_t edge) {
  if (d == x.dim()) return x;
  const int64_t size = x.shape()[d];
  if (size <= 2 * edge) return corners(x, d + 1, edge);
  return cat({corners(x.narrow(d, 0, edge), d + 1, edge),
              corners(x.narrow(d, size - edge, edge), d + 1, edge)},
             d);
}

/// The texts of numbers, by rules that look at all of them: integral values, range of magnitudes.
class FloatFormat {
 public:
  FloatFormat(const std::vector<double>& values, int precision) : precision_(precision) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (double v : values) {
      if (!std::isfinite(v) || v == 0) continue;
      least = std::min(least, std::abs(v));
      most = std::max(most, std::abs(v));
      integral_ = integral_ && v == std::ceil(v);
    }
    if (most == 0) return;
    scientific_ = most / least > 1000.0 || most > 1e8 || (!integral_ && least < 1e-4);
  }

  /// What the values decide.
  bool scientific() const { return scientific_; }

  std::string operator()(double v, bool scientific) const {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    if (scientific) return fmt::format("{:.{}e}", v, precision_);
    return integral_ ? fmt::format("{:.0f}.", v) : fmt::format("{:.{}f}", v, precision_);
  }

 private:
  int precision_;
  bool integral_ = true;
  bool scientific_ = false;
};

/// The texts of the printed elements, in row-major order, and the width of a column.
struct Items {
  std::vector<std::string> texts;
  int64_t width = 1;
};

void pad(Items& items) {
  for (std::string& text : items.texts) text = fmt::format("{:>{}}", text, items.width);
}

Items float_items(const std::vector<double>& values, const PrintOptions& options) {
  const FloatFormat format(values, options.precision);
  Items items;
  for (double v : values) {
    items.texts.push_back(format(v, options.sci_mode.value_or(format.scientific())));
    // Zeros, infinities and NaN do not widen the column in PyTorch. Neither does sci_mode: the
    // column is as wide as it would be without.
    if (std::isfinite(v) && v != 0) {
      const std::string text = format(v, format.scientific());
      items.width = std::max(items.width, static_cast<int64_t>(text.size()));
    }
  }
  return items;
}

/// Real and imaginary parts each have a format of their own; only the real parts are padded.
Items complex_items(const Tensor& part, const PrintOptions& options) {
  std::vector<double> re, im;
  for (const std::complex<double> v : part.to_vector<std::complex<double>>()) {
    re.push_back(v.real());
    im.push_back(v.imag());
  }
  Items items = float_items(re, options);
  const Items imag = float_items(im, options);
  pad(items);
  items.width += imag.width + 1;
  for (size_t i = 0; i < re.size(); ++i) {
    const std::string& text = imag.texts[i];
    items.texts[i] += (text[0] == '-' ? "" : "+") + text + "j";
  }
  return items;
}

Items other_items(const Tensor& part) {
  Items items;
  const bool is_bool = part.dtype() == DType::boolean, is_large = part.dtype() == DType::uint64;
  for (int64_t v : part.to_vector<int64_t>()) {
    items.texts.push_back(is_bool    ? (v ? "True" : "False")
                          : is_large ? fmt::format("{}", static_cast<uint64_t>(v))
                                     : fmt::format("{}", v));
    items.width = std::max(items.width, static_cast<int64_t>(items.texts.back().size()));
  }
  return items;
}

/// `--` for what is masked out, which does not widen the column.
void leave_out(Items& items, const Tensor& mask, DType dtype) {
  const std::vector<bool> keep = mask.to_vector<bool>();
  // Zeros do not either, but as bools they are the longer word.
  if (dtype == DType::boolean) items.width = 2;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) items.texts[i] = "--";
    const bool widens = !keep[i] || dtype == DType::boolean;
    if (widens) items.width = std::max(items.width, static_cast<int64_t>(items.texts[i].size()));
  }
}

/// An undefined mask keeps all.
Items items_of(const Tensor& part, const Tensor& mask, const PrintOptions& options) {
  // Zeros decide nothing about the format.
  const Tensor x = mask.defined() ? where(mask, part, 0).to(part.dtype()) : part;
  Items items = is_complex(x.dtype())          ? complex_items(x, options)
                : is_floating_point(x.dtype()) ? float_items(x.to_vector<double>(), options)
                                               : other_items(x);
  if (mask.defined()) leave_out(items, mask, x.dtype());
  if (mask.defined() || !is_complex(x.dtype())) pad(items);
  return items;
}

/// A comma, line ends, and the indent of what follows.
std::string new_line(int64_t lines, int64_t indent) {
  std::string text = ",";
  text.append(lines, '\n').append(indent, ' ');
  return text;
}

/// Arranges the texts in nested brackets.
class Brackets {
 public:
  Brackets(const Shape& shape, Items items, bool summarize, const PrintOptions& options)
      : shape_(shape), items_(std::move(items)), summarize_(summarize), options_(options) {}

  std::string tensor(int64_t dim, int64_t indent) {
    const int64_t rank = static_cast<int64_t>(shape_.size());
    if (rank == 0) return items_.texts[0];
    if (dim == rank - 1) return vector(indent);
    const bool cut = is_cut(shape_[dim]);
    const int64_t count = cut ? 2 * options_.edgeitems : shape_[dim];
    const std::string separator = new_line(rank - dim - 1, indent + 1);
    std::string text = "[";
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) text += separator;
      if (cut && i == options_.edgeitems) text.append("...").append(separator);
      text += tensor(dim + 1, indent + 1);
    }
    return text + "]";
  }

 private:
  /// Whether a dimension is cut to its first and last items.
  bool is_cut(int64_t size) const { return summarize_ && size > 2 * options_.edgeitems; }

  std::string vector(int64_t indent) {
    const bool cut = is_cut(shape_.back());
    const int64_t count = cut ? 2 * options_.edgeitems : shape_.back();
    const int64_t per_line =
        std::max<int64_t>(1, (options_.linewidth - indent) / (items_.width + 2));
    std::string text = "[";
    int64_t column = 0;
    const auto append = [&](const std::string& item) {
      if (column == per_line) {
        text += new_line(1, indent + 1);
        column = 0;
      } else if (column > 0) {
        text += ", ";
      }
      text += item;
      ++column;
    };
    for (int64_t i = 0; i < count; ++i) {
      if (cut && i == options_.edgeitems) append(" ...");
      append(items_.texts[next_++]);
    }
    return text + "]";
  }

  const Shape& shape_;
  Items items_;
  bool summarize_;
  const PrintOptions& options_;
  size_t next_ = 0;
};

/// Appends ", suffix", on a new line if it does not fit.
void append_suffix(std::string& text, const std::string& suffix, int64_t indent, int64_t linewidth,
                   size_t& length) {
  if (length + suffix.size() + 2 > static_cast<size_t>(linewidth)) {
    text += new_line(1, indent) + suffix;
    length = indent + suffix.size();
  } else {
    text.append(", ").append(suffix);
    length += suffix.size() + 2;
  }
}

/// "(2, 3)"
std::string tuple_text(const Shape& shape) {
  std::string text = to_string(shape);
  text.front() = '(';
  text.back() = ')';
  return text;
}

bool is_default_dtype(DType dtype) {
  return dtype == DType::float32 || dtype == DType::complex64 || dtype == DType::int64 ||
         dtype == DType::boolean;
}

}  // namespace

void set_printoptions(const PrintOptions& options) {
  check(options.precision >= 0, ErrorKind::value,
        "set_printoptions: precision must not be negative, but got {}", options.precision);
  check(options.threshold >= 0, ErrorKind::value,
        "set_printoptions: threshold must not be negative, but got {}", options.threshold);
  check(options.edgeitems >= 1, ErrorKind::value,
        "set_printoptions: edgeitems must be at least 1, but got {}", options.edgeitems);
  check(options.linewidth >= 1, ErrorKind::value,
        "set_printoptions: linewidth must be at least 1, but got {}", options.linewidth);
  const std::lock_guard guard(options_mutex);
  options_of_all = options;
}

PrintOptions get_printoptions() {
  const std::lock_guard guard(options_mutex);
  return options_of_all;
}

std::string Tensor::to_string() const { return text_of("tensor(", *this, Tensor()); }

std::string text_of(const std::string& prefix, const Tensor& x, const Tensor& mask) {
  const PrintOptions options = get_printoptions();
  const int64_t indent = static_cast<int64_t>(prefix.size());
  std::vector<std::string> suffixes;
  if (!x.is_cpu()) suffixes.push_back(fmt::format("device='{}'", x.device().str()));
  std::string text = prefix;
  if (x.numel() == 0) {
    if (x.dim() != 1) suffixes.push_back(fmt::format("size={}", tuple_text(x.shape())));
    // No element shows the dtype, so only float32 is left out.
    if (x.dtype() != DType::float32)
      suffixes.push_back(fmt::format("dtype=torch.{}", name(x.dtype())));
    text += "[]";
  } else {
    if (!is_default_dtype(x.dtype())) {
      suffixes.push_back(fmt::format("dtype=torch.{}", name(x.dtype())));
    }
    const bool summarize = x.numel() > options.threshold;
    const auto shown = [&](const Tensor& t) {
      return summarize && t.defined() ? corners(t, 0, options.edgeitems) : t;
    };
    Items items = items_of(shown(x), shown(mask), options);
    text += Brackets(x.shape(), std::move(items), summarize, options).tensor(0, indent);
  }
  // PyTorch counts two characters too many for the last line.
  const size_t newline = text.rfind('\n');
  size_t length = newline == std::string::npos ? text.size() + 2 : text.size() - newline + 1;
  for (const std::string& suffix : suffixes) {
    append_suffix(text, suffix, indent, options.linewidth, length);
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << x.to_string(); }
std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }
std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }
std::ostream& operator<<(std::ostream& out, const Scalar& v) {
  if (v.is_complex()) return out << v.to_complex();
  if (v.is_floating_point()) return out << v.to_double();
  if (v.dtype() == DType::boolean) return out << (v.to_bool() ? "true" : "false");
  if (v.is_beyond_int64()) return out << v.to<uint64_t>();
  return out << v.to_int64();
}

}  // namespace tamis
