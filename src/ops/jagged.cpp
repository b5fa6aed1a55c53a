// Jagged rows: offsets from masks, and checks of offsets.
#include "ops/jagged.h"

#include <algorithm>
#include <numeric>

#include "core/check.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace tamis {

Tensor offsets_of(const Tensor& mask) {
  const std::vector<int64_t> counts = sum(mask, {-1}).to_vector<int64_t>();
  std::vector<int64_t> offsets(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), offsets.begin() + 1);
  return to_backend(tensor(offsets), backend_of(mask));
}

std::vector<int64_t> lengths_of(const char* op, const Tensor& offsets) {
  check(offsets.dtype() == DType::int64, ErrorKind::dtype, "{}: expected int64 offsets, but got {}",
        op, name(offsets.dtype()));
  check(offsets.dim() == 1 && offsets.numel() > 0, ErrorKind::shape,
        "{}: expected offsets of shape [rows + 1], but got {}", op, offsets.shape());
  const std::vector<int64_t> at = offsets.to_vector<int64_t>();
  check(at[0] == 0, ErrorKind::value, "{}: the first offset must be 0, but got {}", op, at[0]);
  std::vector<int64_t> lengths;
  for (size_t i = 1; i < at.size(); ++i) {
    check(at[i - 1] <= at[i], ErrorKind::value,
          "{}: offsets must not decrease, but {} follows {} at position {}", op, at[i], at[i - 1],
          i);
    lengths.push_back(at[i] - at[i - 1]);
  }
  return lengths;
}

void check_jagged(const char* op, const Tensor& values, const std::vector<int64_t>& lengths) {
  check(values.dim() > 0, ErrorKind::shape, "{}: values must have at least one dimension", op);
  const int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  check(total == values.size(0), ErrorKind::value,
        "{}: the last offset must be the number of values, {}, but got {}", op, values.size(0),
        total);
}

int64_t longest_of(const std::vector<int64_t>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

Tensor first_of_rows(const Tensor& values, const std::vector<int64_t>& lengths, int64_t size) {
  const Tensor keep = full_on(host_backend(), {values.size(0)}, false, DType::boolean);
  bool* at = keep.mutable_data<bool>();
  for (int64_t length : lengths) {
    std::fill_n(at, std::min(length, size), true);
    at += length;
  }
  return values[to_backend(keep, backend_of(values))];
}

}  // namespace tamis
