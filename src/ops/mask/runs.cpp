// Run lengths of masks, and masks from run lengths.
#include <algorithm>
#include <string>
#include <vector>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

bool is_column_major(const char* op, const std::string& order) {
  check(order == "C" || order == "F", ErrorKind::value,
        "{}: order must be 'C' (row-major) or 'F' (column-major), but is '{}'", op, order);
  return order == "F";
}

Shape reversed(const Shape& shape) {
  Shape result = shape;
  std::reverse(result.begin(), result.end());
  return result;
}

Tensor with_dims_reversed(const Tensor& x) {
  Shape dims;
  for (int64_t d = x.dim(); d > 0; --d) dims.push_back(d - 1);
  return x.permute(dims);
}

/// The elements of a mask in one row.
Tensor in_one_row(const char* op, const Tensor& mask, const std::string& order) {
  const bool turned = is_column_major(op, order);
  check(mask.dtype() == DType::boolean, ErrorKind::dtype,
        "{}: expected a mask (bool), but got {}; write mask != 0", op, name(mask.dtype()));
  return (turned ? with_dims_reversed(mask) : mask).reshape({-1});
}

/// A mask of a shape from its elements in one row.
Tensor in_shape(const Tensor& row, const Shape& shape, bool turned) {
  return turned ? with_dims_reversed(row.view(reversed(shape))) : row.view(shape);
}

/// Where elements differ from those before them: false comes before the first.
Tensor changes(const Tensor& row) {
  const int64_t n = row.numel() - 1;
  return nonzero(row.narrow(0, 1, n) != row.narrow(0, 0, n)).flatten();
}

std::vector<int64_t> integers(const char* op, const char* what, const Tensor& x) {
  check(is_integral(x.dtype()) || x.numel() == 0, ErrorKind::dtype,
        "{}: {} must be integers, but got {}", op, what, name(x.dtype()));
  check(x.dim() == 1, ErrorKind::shape, "{}: {} must have one dimension, but got the shape {}", op,
        what, x.shape());
  return x.to_vector<int64_t>();
}

int64_t checked_numel(const char* op, const Shape& shape) {
  for (int64_t size : shape) {
    check(size >= 0, ErrorKind::value, "{}: negative size in {}", op, shape);
  }
  return numel(shape);
}

}  // namespace

namespace masks {

std::pair<Tensor, Tensor> to_runs(const Tensor& mask, const std::string& order) {
  // By turns where runs begin and where they end, as there is false on both sides.
  const Tensor edges = changes(pad(in_one_row("to_runs", mask, order), {1, 1}));
  const Tensor both = edges.view({edges.numel() / 2, 2});
  const Tensor starts = both.select(1, 0).contiguous();
  return {starts, both.select(1, 1) - starts};
}

Tensor from_runs(const Shape& shape, const Tensor& starts, const Tensor& lengths,
                 const std::string& order) {
  const bool turned = is_column_major("from_runs", order);
  const int64_t n = checked_numel("from_runs", shape);
  const std::vector<int64_t> at = integers("from_runs", "starts", starts);
  const std::vector<int64_t> count = integers("from_runs", "lengths", lengths);
  check(at.size() == count.size(), ErrorKind::shape,
        "from_runs: there are {} starts, but {} lengths", at.size(), count.size());
  for (size_t i = 0; i < at.size(); ++i) {
    check(at[i] >= 0 && count[i] >= 0 && at[i] <= n && count[i] <= n - at[i], ErrorKind::value,
          "from_runs: a run of {} elements from {} is not inside of the {} elements of shape {}",
          count[i], at[i], n, shape);
  }
  const Tensor row = full_on(host_backend(), {n}, false, DType::boolean);
  bool* data = row.mutable_data<bool>();
  for (size_t i = 0; i < at.size(); ++i) std::fill_n(data + at[i], count[i], true);
  return in_shape(to_backend(row, backend_of(starts)), shape, turned);
}

Tensor to_counts(const Tensor& mask, const std::string& order) {
  const Tensor row = in_one_row("to_counts", mask, order);
  const Tensor edges = changes(pad(row, {1, 0}));
  return pad(edges, {0, 1}, "constant", row.numel()) - pad(edges, {1, 0});
}

Tensor from_counts(const Shape& shape, const Tensor& counts, const std::string& order) {
  const bool turned = is_column_major("from_counts", order);
  const int64_t n = checked_numel("from_counts", shape);
  const std::vector<int64_t> list = integers("from_counts", "counts", counts);
  int64_t left = n;
  for (int64_t count : list) {
    check(count >= 0, ErrorKind::value, "from_counts: counts must not be negative, but got {}",
          count);
    check(count <= left, ErrorKind::value,
          "from_counts: counts add up to more than the {} elements of shape {}", n, shape);
    left -= count;
  }
  check(left == 0, ErrorKind::value,
        "from_counts: counts must add up to the {} elements of shape {}, but {} are missing", n,
        shape, left);
  const Tensor row = allocate_on_host({n}, DType::boolean);
  bool* data = row.mutable_data<bool>();
  bool value = false;
  for (int64_t count : list) {
    data = std::fill_n(data, count, value);
    value = !value;
  }
  return in_shape(to_backend(row, backend_of(counts)), shape, turned);
}

}  // namespace masks

std::vector<Row> run_rows() {
  const Tensor mask = SAMPLE(tensor({{true, true, false, false}, {false, true, true, true}}));
  const Value row_major = std::string("C"), column_major = std::string("F");
  const Tensor starts = SAMPLE(tensor({0, 5})), lengths = SAMPLE(tensor({2, 3})),
               counts = SAMPLE(tensor({0, 1, 1, 2, 1, 1, 1, 1}));
  return {
      make_row("masks.to_runs(Tensor|bool[] mask, *, str order='C') -> (Tensor starts, Tensor "
               "lengths)",
               "Where each run of true elements starts, and how long it is.", masks::to_runs,
               SAMPLES({mask, row_major}, {mask, column_major}, {mask[0], row_major})),
      make_row("masks.from_runs(int[] shape, Tensor|int[] starts, Tensor|int[] lengths, *, str "
               "order='C') -> Tensor",
               "The mask of a shape that is true in these runs.", masks::from_runs,
               SAMPLES({Shape{2, 4}, starts, lengths, row_major},
                       {Shape{2, 4}, starts, lengths, column_major})),
      make_row("masks.to_counts(Tensor|bool[] mask, *, str order='F') -> Tensor",
               "The lengths of runs of false and true elements by turns, as in COCO's uncompressed "
               "encoding.",
               masks::to_counts, SAMPLES({mask, column_major}, {mask, row_major})),
      make_row("masks.from_counts(int[] shape, Tensor|int[] counts, *, str order='F') -> Tensor",
               "The mask of a shape from the lengths of runs of false and true elements by turns.",
               masks::from_counts,
               SAMPLES({Shape{2, 4}, counts, column_major}, {Shape{8}, counts, row_major})),
  };
}

}  // namespace tamis
