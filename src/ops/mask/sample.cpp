// Sampling: masks of the tokens that a language model may go on with, from its logits.
#include <cmath>
#include <limits>
#include <string>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/mask/largest.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Logits with the tokens last, and what is given for each row of them.
struct Choice {
  Tensor logits;     // NaN as -infinity
  Tensor parameter;  // a number, or of the shape of the logits with 1 for the last size
  int64_t dim;

  int64_t size() const { return logits.size(-1); }
  /// What may be kept at all.
  Tensor possible() const { return logits > -kInfinity; }
  /// A mask of the logits in the order of the caller's dimensions.
  Tensor in_place(const Tensor& mask) const { return mask.movedim(-1, dim); }
};

Choice choice_of(const char* op, const char* what, const Tensor& logits, const Tensor& parameter,
                 int64_t dim) {
  check(is_floating_point(logits.dtype()), ErrorKind::dtype,
        "{}: expected logits of floating point, but got {}; write logits.to(float32)", op,
        name(logits.dtype()));
  const int64_t along = wrap_dim(dim, logits.dim());
  const Tensor x = logits.dim() == 0 ? logits.detach().unsqueeze(0) : logits.detach();
  Tensor rows = parameter.detach();
  if (rows.dim() > 0) {
    Shape expected = x.shape();
    expected[along] = 1;
    if (rows.dim() + 1 == x.dim()) rows = rows.unsqueeze(along);
    check(rows.shape() == expected, ErrorKind::shape,
          "{}: expected {} as a number or one for each row, of shape {}, but got {}", op, what,
          expected, parameter.shape());
    rows = rows.movedim(along, -1);
  }
  return {where(isnan(x), -kInfinity, x).movedim(along, -1), rows, along};
}

/// For messages: a number, or the least and the largest of several.
std::string range_of(const Tensor& x) {
  const double least = x.min().item<double>(), most = x.max().item<double>();
  return x.dim() == 0 ? fmt::format("{}", least) : fmt::format("values from {} to {}", least, most);
}

void check_shares(const char* op, const char* what, const Tensor& shares, int64_t least) {
  check(!is_complex(shares.dtype()), ErrorKind::dtype, "{}: {} must be real, but got {}", op, what,
        name(shares.dtype()));
  check(least >= 1, ErrorKind::value, "{}: min_tokens_to_keep must be at least 1, but got {}", op,
        least);
  if (any_true(~((shares >= 0) & (shares <= 1)))) {
    raise(ErrorKind::value,
          fmt::format("{}: {} must be from 0 to 1, but got {}", op, what, range_of(shares)));
  }
}

/// Probabilities in proportion, that of the most probable token 1. Infinite logits are equal.
Tensor weights(const Tensor& logits) {
  const Tensor top = amax(logits, -1, true);
  const DType wide = wide_dtype(logits);
  return where(logits == top, scalar_tensor(1, wide), exp(logits.to(wide) - top.to(wide)));
}

/// The mask of the elements that `keep` keeps of them in descending order, the first ones.
Tensor keep_sorted(const Tensor& x, const Tensor& sorted, const Tensor& keep) {
  const Tensor least = amin(where(keep, sorted, kInfinity), -1, true);
  return keep_from(x, least, keep.sum(-1, true), -1);
}

Tensor places(const Choice& choice) {
  return arange(choice.size(), Options(DType::int64, choice.logits.device()));
}

Tensor none_of(const Tensor& logits) {
  return full_on(backend_of(logits), logits.shape(), false, DType::boolean);
}

}  // namespace

namespace masks {

Tensor top_k(const Tensor& logits, const Tensor& k, int64_t dim) {
  check(is_integral(k.dtype()), ErrorKind::dtype, "top_k: k must be integers, but got {}",
        name(k.dtype()));
  const Choice choice = choice_of("top_k", "k", logits, k, dim);
  if (any_true(k < 1)) {
    raise(ErrorKind::value, fmt::format("top_k: k must be at least 1, but got {}", range_of(k)));
  }
  if (logits.numel() == 0) return none_of(logits);
  const Tensor& x = choice.logits;
  Tensor mask;
  if (k.dim() == 0 && is_on_host(k)) {
    mask = keep_largest(x, k.item<int64_t>(), -1) & choice.possible();
  } else {
    const Tensor sorted = sort(x, -1, true).first;
    mask = keep_sorted(x, sorted, (places(choice) < choice.parameter) & (sorted > -kInfinity));
  }
  return choice.in_place(mask).reshape(logits.shape());
}

Tensor top_p(const Tensor& logits, const Tensor& p, int64_t dim, int64_t min_tokens_to_keep) {
  const Choice choice = choice_of("top_p", "p", logits, p, dim);
  check_shares("top_p", "p", p, min_tokens_to_keep);
  if (logits.numel() == 0) return none_of(logits);
  const Tensor sorted = sort(choice.logits, -1, true).first;
  const Tensor sums = cumsum(weights(sorted), -1);
  const int64_t last = choice.size() - 1;
  const Tensor before = pad(sums.narrow(-1, 0, last), {1, 0}), total = sums.narrow(-1, last, 1);
  const Tensor& share = choice.parameter;
  // Where the tail is too small to change the sum, a share of 1 keeps it all the same.
  const Tensor wanted = (before < total * share) | (share >= 1);
  const Tensor keep = (wanted | (places(choice) < min_tokens_to_keep)) & (sorted > -kInfinity);
  return choice.in_place(keep_sorted(choice.logits, sorted, keep)).reshape(logits.shape());
}

Tensor min_p(const Tensor& logits, const Tensor& min_p, int64_t dim, int64_t min_tokens_to_keep) {
  const Choice choice = choice_of("min_p", "min_p", logits, min_p, dim);
  check_shares("min_p", "min_p", min_p, min_tokens_to_keep);
  if (logits.numel() == 0) return none_of(logits);
  Tensor keep = weights(choice.logits) >= choice.parameter;
  if (min_tokens_to_keep > 1) keep = keep | keep_largest(choice.logits, min_tokens_to_keep, -1);
  return choice.in_place(keep & choice.possible()).reshape(logits.shape());
}

}  // namespace masks

std::vector<Row> sampling_rows() {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = SAMPLE(tensor({{1.f, 4.f, 2.f, 2.f, -inf}, {0.f, 0.f, 3.f, -1.f, 0.f}}));
  const Tensor row = SAMPLE(tensor({0.f, 3.f, 1.f, 2.5f}));
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row("masks.top_k(Tensor logits, Tensor|Scalar k, int dim=-1) -> Tensor",
               "True keeps the k largest logits along a dimension, of equal ones the first.",
               masks::top_k,
               SAMPLES({x, Tensor(3), n(-1)}, {row, Tensor(9), n(0)}, {x, tensor({2, 4}), n(1)},
                       {x, Tensor(1), n(0)})),
      make_row("masks.top_p(Tensor logits, Tensor|Scalar p, int dim=-1, int min_tokens_to_keep=1) "
               "-> Tensor",
               "True keeps the fewest most probable tokens whose probabilities add up to p.",
               masks::top_p,
               SAMPLES({x, Tensor(0.9), n(-1), n(1)}, {x, tensor({0.25f, 0.95f}), n(1), n(2)},
                       {row, Tensor(1.0), n(0), n(1)}, {x, Tensor(0.7), n(0), n(1)})),
      make_row("masks.min_p(Tensor logits, Tensor|Scalar min_p, int dim=-1, int "
               "min_tokens_to_keep=1) -> Tensor",
               "True keeps tokens that are at least min_p times as probable as the most probable "
               "one.",
               masks::min_p,
               SAMPLES({x, Tensor(0.1), n(-1), n(1)}, {x, tensor({{0.9f}, {0.01f}}), n(-1), n(3)},
                       {row, Tensor(0.0), n(0), n(1)})),
  };
}

}  // namespace tamis
