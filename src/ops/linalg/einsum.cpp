// Einsum: sums of products by letters, two operands at a time as a product of batches of matrices.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/check.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

constexpr int kLetters = 52;
constexpr int kEllipsis = kLetters;  // stands for several dimensions

bool is_label(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Capitals first, which is the order of letters that an implicit result has.
int number_of(char c) { return c >= 'a' ? c - 'a' + 26 : c - 'A'; }
char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

/// The labels of one operand, or of the result.
std::vector<int> parse_labels(const std::string& text, const std::string& whose) {
  std::vector<int> labels;
  bool has_ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '.') {
      check(text.compare(i, 3, "...") == 0 && !has_ellipsis, ErrorKind::value,
            "einsum(): found '.' for {} that is not part of any ellipsis or is part of a second "
            "one",
            whose);
      has_ellipsis = true;
      labels.push_back(kEllipsis);
      i += 2;
      continue;
    }
    check(is_label(text[i]), ErrorKind::value,
          "einsum(): invalid subscript given at index {} of {}, subscripts must be in [a-zA-Z]", i,
          whose);
    labels.push_back(number_of(text[i]));
  }
  return labels;
}

struct Equation {
  std::vector<std::vector<int>> operands;
  std::optional<std::vector<int>> result;
};

Equation parse(const std::string& text) {
  Equation equation;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  for (size_t from = 0; from <= left.size();) {
    const size_t to = std::min(left.find(',', from), left.size());
    equation.operands.push_back(parse_labels(
        left.substr(from, to - from), "operand " + std::to_string(equation.operands.size())));
    from = to + 1;
  }
  if (arrow != std::string::npos) {
    equation.result = parse_labels(text.substr(arrow + 2), "the output");
  }
  return equation;
}

/// Where the dimensions of operands stand in the order [those of the result, those summed over].
struct Order {
  int64_t ellipsis_rank = 0;  // the most dimensions that an ellipsis stands for
  int64_t ellipsis_at = 0;    // the first of them
  std::array<int64_t, kLetters> at{};
  int64_t result_rank = 0, rank = 0;
};

std::vector<int> implicit_result(const Equation& equation, bool has_ellipsis) {
  std::array<int, kLetters> count{};
  for (const auto& labels : equation.operands) {
    for (int label : labels) {
      if (label != kEllipsis) ++count[label];
    }
  }
  std::vector<int> result;
  if (has_ellipsis) result.push_back(kEllipsis);
  for (int label = 0; label < kLetters; ++label) {
    if (count[label] == 1) result.push_back(label);
  }
  return result;
}

/// How many dimensions the ellipsis of an operand stands for; -1 if it has none.
int64_t ellipsis_rank(const std::vector<int>& labels, const Tensor& x, size_t operand) {
  const bool has = std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
  const int64_t letters = static_cast<int64_t>(labels.size()) - (has ? 1 : 0);
  check(has ? letters <= x.dim() : letters == x.dim(), ErrorKind::shape,
        "einsum(): the number of subscripts in the equation ({}) {} the number of dimensions ({}) "
        "for operand {}",
        letters, has ? "is more than" : "does not match", x.dim(), operand);
  return has ? x.dim() - letters : -1;
}

Order order_of(const Equation& equation, const std::vector<Tensor>& operands) {
  Order order;
  bool has_ellipsis = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t rank = ellipsis_rank(equation.operands[i], operands[i], i);
    has_ellipsis |= rank >= 0;
    order.ellipsis_rank = std::max(order.ellipsis_rank, rank);
  }
  order.at.fill(-1);
  bool kept_ellipsis = false;
  for (int label : equation.result ? *equation.result : implicit_result(equation, has_ellipsis)) {
    if (label == kEllipsis) {
      order.ellipsis_at = order.rank;
      order.rank += order.ellipsis_rank;
      kept_ellipsis = true;
      continue;
    }
    check(order.at[label] < 0, ErrorKind::value,
          "einsum(): output subscript {} appears more than once in the output", letter_of(label));
    const bool occurs = std::any_of(
        equation.operands.begin(), equation.operands.end(), [&](const std::vector<int>& labels) {
          return std::find(labels.begin(), labels.end(), label) != labels.end();
        });
    check(occurs, ErrorKind::value,
          "einsum(): output subscript {} does not appear in the equation for any input operand",
          letter_of(label));
    order.at[label] = order.rank++;
  }
  order.result_rank = order.rank;
  if (has_ellipsis && !kept_ellipsis) {
    order.ellipsis_at = order.rank;
    order.rank += order.ellipsis_rank;
  }
  for (const auto& labels : equation.operands) {
    for (int label : labels) {
      if (label != kEllipsis && order.at[label] < 0) order.at[label] = order.rank++;
    }
  }
  return order;
}

/// x with all dimensions of the order; those that it does not have are of size 1. A letter that
/// stands twice is a diagonal.
Tensor ordered(const Tensor& x, const std::vector<int>& labels, const Order& order,
               size_t operand) {
  Tensor y = x;
  std::vector<int64_t> places;  // of y's dimensions
  const int64_t missing = static_cast<int64_t>(labels.size()) - 1;
  for (int label : labels) {
    if (label == kEllipsis) {
      const int64_t own = x.dim() - missing;
      for (int64_t k = 0; k < own; ++k) {
        places.push_back(order.ellipsis_at + order.ellipsis_rank - own + k);
      }
      continue;
    }
    const auto seen = std::find(places.begin(), places.end(), order.at[label]);
    if (seen == places.end()) {
      places.push_back(order.at[label]);
      continue;
    }
    const int64_t first = seen - places.begin(), second = static_cast<int64_t>(places.size());
    check(y.size(first) == y.size(second), ErrorKind::shape,
          "einsum(): subscript {} is repeated for operand {} but the sizes don't match, {} != {}",
          letter_of(label), operand, y.size(second), y.size(first));
    y = movedim(y.diagonal(0, first, second), {-1}, {first});
  }
  Shape from(static_cast<size_t>(order.rank), -1), dims;
  for (size_t i = 0; i < places.size(); ++i) from[places[i]] = static_cast<int64_t>(i);
  for (int64_t d : from) {
    if (d >= 0) dims.push_back(d);
  }
  y = y.permute(dims);
  for (int64_t d = 0; d < order.rank; ++d) {
    if (from[d] < 0) y = y.unsqueeze(d);
  }
  return y;
}

/// Refuses sizes of one label that do not broadcast.
void check_sizes(const std::vector<Tensor>& operands) {
  Shape sizes(operands[0].shape().size(), 1);
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t size = operands[i].shape()[d];
      check(size == 1 || sizes[d] == 1 || size == sizes[d], ErrorKind::shape,
            "einsum(): operands do not broadcast: operand {} has size {} where another has {}", i,
            size, sizes[d]);
      if (size != 1) sizes[d] = size;
    }
  }
}

Tensor sum_over(const Tensor& x, const Shape& dims) {
  return dims.empty() ? x : sum(x, dims, /*keepdim=*/true, x.dtype());
}

/// The dimensions of two operands, by what becomes of them in a product of matrices.
struct Roles {
  Shape batch, left, right, inner;  // each dimension is one of these
  Shape only_a, only_b;             // inner ones that only one operand has

  Roles(const Tensor& a, const Tensor& b, const Shape& over) {
    for (int64_t d = 0; d < a.dim(); ++d) {
      const bool in_a = a.size(d) != 1, in_b = b.size(d) != 1;
      if (std::find(over.begin(), over.end(), d) == over.end()) {
        (in_a && in_b ? batch : in_b ? right : left).push_back(d);
        continue;
      }
      inner.push_back(d);
      if (in_a && !in_b) only_a.push_back(d);
      if (in_b && !in_a) only_b.push_back(d);
    }
  }
};

Shape joined(std::initializer_list<const Shape*> groups) {
  Shape dims;
  for (const Shape* group : groups) {
    for (int64_t d : *group) dims.push_back(d);
  }
  return dims;
}

/// How many elements x has along these dimensions.
int64_t count(const Tensor& x, const Shape& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= x.size(d);
  return product;
}

/// The product of a and b, which have the same dimensions, summed over some of them, which stay as
/// size 1.
Tensor contract(Tensor a, Tensor b, const Shape& over) {
  if (over.empty()) return a * b;
  const Roles r(a, b, over);
  a = sum_over(a, r.only_a);
  b = sum_over(b, r.only_b);
  const int64_t batches = count(a, r.batch), k = count(a, r.inner);
  const Tensor product = bmm(a.permute(joined({&r.batch, &r.left, &r.inner, &r.right}))
                                 .reshape({batches, count(a, r.left), k}),
                             b.permute(joined({&r.batch, &r.inner, &r.right, &r.left}))
                                 .reshape({batches, k, count(b, r.right)}));
  // The dimensions of the product, then back in their order.
  const Shape order = joined({&r.batch, &r.left, &r.right, &r.inner});
  Shape shape, back(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t d = order[i];
    const bool is_inner = i >= order.size() - r.inner.size();
    shape.push_back(is_inner ? 1 : a.size(d) != 1 ? a.size(d) : b.size(d));
    back[d] = static_cast<int64_t>(i);
  }
  return product.view(shape).permute(back);
}

}  // namespace

Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands) {
  check(!operands.empty(), ErrorKind::value, "einsum(): must provide at least one operand");
  const Equation parsed = parse(equation);
  check(parsed.operands.size() == operands.size(), ErrorKind::value,
        "einsum(): {} operands were provided than specified in the equation",
        operands.size() < parsed.operands.size() ? "fewer" : "more");
  const Order order = order_of(parsed, operands);
  std::vector<Tensor> all;
  for (size_t i = 0; i < operands.size(); ++i) {
    all.push_back(ordered(operands[i], parsed.operands[i], order, i));
  }
  check_sizes(all);
  // A dimension is summed over once no operand that has it is left.
  const auto is_done = [&](int64_t d, size_t next) {
    if (d < order.result_rank) return false;
    return std::all_of(all.begin() + static_cast<int64_t>(next), all.end(),
                       [d](const Tensor& x) { return x.size(d) == 1; });
  };
  std::vector<bool> summed(static_cast<size_t>(order.rank), false);
  const auto next_sums = [&](size_t next) {
    Shape dims;
    for (int64_t d = 0; d < order.rank; ++d) {
      if (summed[d] || !is_done(d, next)) continue;
      summed[d] = true;
      dims.push_back(d);
    }
    return dims;
  };
  Tensor result = all[0];
  if (all.size() == 1) result = sum_over(result, next_sums(1));
  for (size_t i = 1; i < all.size(); ++i) result = contract(result, all[i], next_sums(i + 1));
  for (int64_t d = order.rank - 1; d >= order.result_rank; --d) result = result.squeeze(d);
  return result;
}

std::vector<Row> einsum_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, -2.f, 3.5f}, {4.f, 0.f, 6.f}}));
  const Tensor y = SAMPLE(tensor({{2.f, 0.5f}, {-1.f, 1.f}, {0.f, 3.f}}));
  const Tensor square = SAMPLE(tensor({{1.f, 2.f}, {3.f, -1.f}})),
               cube = SAMPLE(arange(24).view({2, 3, 4}));
  const auto given = [](const char* equation, std::vector<Tensor> operands) {
    return Args{std::string(equation), std::move(operands)};
  };
  return {
      make_row("einsum(str equation, Tensor[] operands) -> Tensor",
               "Products summed over the dimensions whose letters are not in the result: "
               "'ij,jk->ik'.",
               einsum,
               SAMPLES(given("ij,jk->ik", {x, y}), given("ij,jk", {x, y}), given("ij->ji", {x}),
                       given("ii->i", {square}), given("ii", {square}), given("ij,ij->", {x, x}),
                       given("i,j->ij", {x[0], y[0]}), given("...ij->...ji", {cube}),
                       given("bij,bkj->bik", {cube, cube}), given("ij,jk,kl->il", {x, y, square})))
          .is_variadic(),
  };
}

}  // namespace tamis
