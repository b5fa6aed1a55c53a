// Pad: a tensor with more elements, or fewer, at the ends of its dimensions.
#include <algorithm>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// What is added at the ends of one dimension; negative numbers cut off.
struct Ends {
  int64_t before = 0, behind = 0;

  int64_t cut_before() const { return std::max<int64_t>(-before, 0); }
  int64_t added_before() const { return std::max<int64_t>(before, 0); }
  /// How many of n elements are left.
  int64_t kept(int64_t n) const {
    return n + std::min<int64_t>(before, 0) + std::min<int64_t>(behind, 0);
  }
};

/// One entry per dimension of x.
std::vector<Ends> ends_of(const Tensor& x, const Shape& pad) {
  check(pad.size() % 2 == 0, ErrorKind::value,
        "Padding length must be divisible by 2, but got {} numbers", pad.size());
  const size_t rank = x.shape().size();
  check(pad.size() <= 2 * rank, ErrorKind::value,
        "Padding length should be less than or equal to two times the input dimension but got "
        "padding length {} and input of dimension {}",
        pad.size(), rank);
  std::vector<Ends> ends(rank);
  for (size_t i = 0; i < pad.size() / 2; ++i) ends[rank - 1 - i] = {pad[2 * i], pad[2 * i + 1]};
  return ends;
}

Shape padded_shape(const Tensor& x, const std::vector<Ends>& ends) {
  Shape shape = x.shape();
  for (size_t d = 0; d < ends.size(); ++d) {
    shape[d] += ends[d].before + ends[d].behind;
    check(shape[d] >= 0 && ends[d].kept(x.shape()[d]) >= 0, ErrorKind::shape,
          "The input size {}, plus negative padding {} and {} resulted in a negative output size, "
          "which is invalid. Check dimension {} of your input.",
          x.shape()[d], ends[d].before, ends[d].behind, d);
  }
  return shape;
}

/// Copies what is left of x to where it belongs in result.
void copy_middle(const Tensor& result, const Tensor& x, const std::vector<Ends>& ends) {
  Tensor from = x, to = result;
  for (size_t d = 0; d < ends.size(); ++d) {
    const int64_t kept = ends[d].kept(x.shape()[d]);
    from = from.narrow(d, ends[d].cut_before(), kept);
    to = to.narrow(d, ends[d].added_before(), kept);
  }
  store(to, from);
}

enum class Edge { reflect, replicate, circular };

/// Which of n elements is at position i, which may be outside [0, n).
int64_t source_of(Edge edge, int64_t i, int64_t n) {
  switch (edge) {
    case Edge::reflect:
      return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
    case Edge::replicate:
      return std::clamp<int64_t>(i, 0, n - 1);
    default:
      return i < 0 ? i + n : i >= n ? i - n : i;
  }
}

void check_edges(Edge edge, const Tensor& x, const std::vector<Ends>& ends, size_t dims) {
  const size_t rank = ends.size();
  check(dims >= 1 && dims <= 3 && (rank == dims + 1 || rank == dims + 2), ErrorKind::unsupported,
        "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  for (size_t d = rank - dims; d < rank; ++d) {
    const int64_t n = x.shape()[d], most = std::max(ends[d].before, ends[d].behind);
    check(n > 0, ErrorKind::shape, "pad: expected dimension {} to have elements, but got shape {}",
          d, x.shape());
    check(edge != Edge::reflect || most < n, ErrorKind::value,
          "Padding size should be less than the corresponding input dimension, but got: padding "
          "({}, {}) at dimension {} of input {}",
          ends[d].before, ends[d].behind, d, x.shape());
    check(edge != Edge::circular || most <= n, ErrorKind::value,
          "Padding value causes wrapping around more than once.");
    check(ends[d].kept(n) > 0, ErrorKind::value,
          "Negative padding value is resulting in an empty dimension.");
  }
}

/// Pads dimension d alone.
Tensor pad_edge(Edge edge, const Tensor& x, int64_t d, const Ends& ends) {
  const int64_t n = x.shape()[d], kept = ends.kept(n), first = ends.added_before();
  const int64_t size = n + ends.before + ends.behind;
  std::vector<Tensor> parts;
  const auto continue_to = [&](int64_t from, int64_t to) {
    for (int64_t j = from; j < to; ++j) {
      parts.push_back(x.narrow(d, source_of(edge, j - ends.before, n), 1));
    }
  };
  continue_to(0, first);
  parts.push_back(x.narrow(d, ends.cut_before(), kept));
  continue_to(first + kept, size);
  return cat(parts, d);
}

}  // namespace

Tensor pad(const Tensor& x, const Shape& pad, const std::string& mode,
           std::optional<Scalar> value) {
  const std::vector<Ends> ends = ends_of(x, pad);
  if (mode == "constant") {
    const Shape shape = padded_shape(x, ends);
    const Scalar fill = value.value_or(0);
    // PyTorch's value is a double here: a negative one does not wrap around in unsigned integers.
    const bool is_unsigned = is_integral(x.dtype()) && !is_signed(x.dtype());
    check_fits(fill, x.dtype());
    if (is_unsigned && !fill.is_beyond_int64()) check_fits(fill.to_double(), x.dtype());
    const Tensor result = full_on(backend_of(x), shape, fill, x.dtype());
    if (result.numel() > 0) copy_middle(result, x, ends);
    if (is_tracked(x)) {
      Shape back = pad;
      bool cuts = false;
      for (int64_t& n : back) {
        cuts |= n < 0;
        n = -n;
      }
      record(result, "pad", cuts ? Flow::picks : Flow::moves, {x}, {},
             [back](const Tensor& g, std::span<const Tensor>) -> Gradients {
               return {tamis::pad(g, back)};
             });
    }
    return result;
  }
  check(!value || value->to_double() == 0, ErrorKind::value,
        "Padding mode \"{}\" doesn't take in value argument", mode);
  constexpr std::pair<const char*, Edge> kModes[] = {
      {"reflect", Edge::reflect}, {"replicate", Edge::replicate}, {"circular", Edge::circular}};
  for (const auto& [name, edge] : kModes) {
    if (mode != name) continue;
    check_edges(edge, x, ends, pad.size() / 2);
    (void)padded_shape(x, ends);
    Tensor result = x;
    for (size_t d = ends.size() - pad.size() / 2; d < ends.size(); ++d) {
      result = pad_edge(edge, result, d, ends[d]);
    }
    return result;
  }
  raise(ErrorKind::value, fmt::format("Unrecognised padding mode {}", mode));
}

std::vector<Row> pad_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  const Tensor image = SAMPLE(arange(24).view({2, 3, 4}));
  const Value none;
  const std::string constant = "constant";
  return {make_row(
      "pad(Tensor input, int[] pad, str mode='constant', Scalar? value=None) -> Tensor",
      "input with elements added (or cut off) before and after its last dimensions.", pad,
      SAMPLES({x, Shape{1, 2}, constant, none}, {x, Shape{-1, 1, 0, 1}, constant, Scalar(9)},
              {image, Shape{1, 1, 2, 0, -1, 1}, constant, Scalar(-1)},
              {x, Shape{2, 1}, std::string("reflect"), none},
              {image, Shape{2, 0, 1, 1}, std::string("replicate"), none},
              {image, Shape{1, 3, 2, 1}, std::string("circular"), none}))};
}

}  // namespace tamis
