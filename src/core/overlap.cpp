// Overlap: decides exactly, from addresses and strides alone, whether two tensors share memory.
#include "core/overlap.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/check.h"
#include "core/tensor_impl.h"

namespace tamis {
namespace {

/// One summand of a distance between two elements, in bytes: stride * u with lo <= u <= hi.
struct Term {
  int64_t stride;
  int64_t lo, hi;
};

/// Whether some choice of the terms sums up to `target`. Terms are sorted by falling stride, so
/// that for ordinary layouts one or two values per term remain to be tried. Says yes when `budget`
/// steps were not enough.
bool has_solution(std::span<const Term> terms, int64_t target, int& budget) {
  if (terms.empty()) return target == 0;
  if (--budget < 0) return true;
  const Term& first = terms.front();
  const auto rest = terms.subspan(1);
  int64_t lo = 0, hi = 0;
  for (const Term& t : rest) {
    lo += t.stride * t.lo;
    hi += t.stride * t.hi;
  }
  const auto floor_div = [](int64_t a, int64_t b) { return a / b - (a % b < 0); };
  const int64_t from = std::max(first.lo, -floor_div(hi - target, first.stride));
  const int64_t to = std::min(first.hi, floor_div(target - lo, first.stride));
  for (int64_t u = from; u <= to; ++u) {
    if (has_solution(rest, target - first.stride * u, budget)) return true;
  }
  return false;
}

/// Bytes from the first to the last element.
int64_t extent(const Layout& layout, int64_t itemsize) {
  int64_t last = 0;
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    last += (layout.sizes[d] - 1) * layout.strides[d];
  }
  return last * itemsize;
}

/// Adds the distances that x's elements have from its first one (sign -1: the first has from them).
void add_terms(const Layout& layout, int64_t itemsize, int sign, std::vector<Term>& terms) {
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    const int64_t stride = layout.strides[d] * itemsize, last = layout.sizes[d] - 1;
    if (stride == 0 || last == 0) continue;
    auto same =
        std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.stride == stride; });
    if (same == terms.end()) same = terms.insert(terms.end(), {stride, 0, 0});
    (sign > 0 ? same->hi : same->lo) += sign * last;
  }
}

/// Address of the first element: relative to the storage if both have the same, so that the storage
/// need not be ready.
bool addresses(const TensorImpl& a, const TensorImpl& b, int64_t& at_a, int64_t& at_b) {
  at_a = a.layout.offset * static_cast<int64_t>(itemsize(a.dtype));
  at_b = b.layout.offset * static_cast<int64_t>(itemsize(b.dtype));
  if (a.storage == b.storage) return true;
  if (!a.storage->ready() || !b.storage->ready()) return false;
  // Only borrowed memory can be part of two storages.
  if (a.storage->memory().free && b.storage->memory().free) return false;
  at_a += reinterpret_cast<intptr_t>(a.storage->data());
  at_b += reinterpret_cast<intptr_t>(b.storage->data());
  return true;
}

bool overlap(const Tensor& x, const Tensor& y) {
  constexpr int kBudget = 100000;
  const TensorImpl &a = x.impl(), &b = y.impl();
  if (a.numel == 0 || b.numel == 0) return false;
  int64_t at_a, at_b;
  if (!addresses(a, b, at_a, at_b)) return false;
  const auto size_a = static_cast<int64_t>(itemsize(a.dtype));
  const auto size_b = static_cast<int64_t>(itemsize(b.dtype));
  if (at_a + extent(a.layout, size_a) + size_a <= at_b) return false;
  if (at_b + extent(b.layout, size_b) + size_b <= at_a) return false;
  std::vector<Term> terms;
  add_terms(a.layout, size_a, 1, terms);
  add_terms(b.layout, size_b, -1, terms);
  if (size_a > 1 || size_b > 1) {
    // Elements share memory if any of their bytes do; there can be no stride of one byte yet unless
    // one size is 1.
    auto bytes =
        std::find_if(terms.begin(), terms.end(), [](const Term& t) { return t.stride == 1; });
    if (bytes == terms.end()) bytes = terms.insert(terms.end(), {1, 0, 0});
    bytes->hi += size_a - 1;
    bytes->lo -= size_b - 1;
  }
  std::sort(terms.begin(), terms.end(),
            [](const Term& s, const Term& t) { return s.stride > t.stride; });
  int budget = kBudget;
  return has_solution(terms, at_b - at_a, budget);
}

/// Whether read, broadcast to written's shape, is the same elements at the same positions.
bool is_alias(const Tensor& written, const Tensor& read) {
  const TensorImpl &w = written.impl(), &r = read.impl();
  int64_t at_w, at_r;
  if (!addresses(w, r, at_w, at_r) || at_w != at_r || w.dtype != r.dtype) return false;
  const size_t rank = w.layout.sizes.size();
  if (r.layout.sizes.size() > rank) return false;
  const size_t lead = rank - r.layout.sizes.size();
  for (size_t d = 0; d < rank; ++d) {
    if (w.layout.sizes[d] == 1) continue;
    if (d < lead || r.layout.sizes[d - lead] != w.layout.sizes[d] ||
        r.layout.strides[d - lead] != w.layout.strides[d]) {
      return false;
    }
  }
  return true;
}

[[noreturn]] void refuse_shared() {
  raise(ErrorKind::unsupported,
        "unsupported operation: some elements of the input tensor and the written-to tensor refer "
        "to a single memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace

void check_no_internal_overlap(const Tensor& written) {
  if (written.impl().numel == 0) return;
  check(!has_internal_overlap(layout_of(written)), ErrorKind::unsupported,
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation.");
}

void check_no_overlap(const Tensor& written, const Tensor& read) {
  if (overlap(written, read)) refuse_shared();
}

void check_no_partial_overlap(const Tensor& written, const Tensor& read) {
  if (!is_alias(written, read) && overlap(written, read)) refuse_shared();
}

}  // namespace tamis
