// The walk over the entries of an index, by PyTorch's rules.
#include "ops/index/index_walk.h"

#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/index/indexed.h"

namespace tamis {

namespace {

bool is_mask(const Tensor& t) { return t.dtype() == DType::boolean; }

/// How many dimensions of x an entry indexes.
int64_t dims_of(const Index& index) {
  if (const auto* t = std::get_if<Tensor>(&index.value())) return is_mask(*t) ? t->dim() : 1;
  return std::holds_alternative<int64_t>(index.value()) ||
         std::holds_alternative<Slice>(index.value());
}

class Walker {
 public:
  Walker(const Tensor& x, const std::vector<Index>& indices) {
    int64_t spoken_for = 0;
    for (const Index& index : indices) {
      if (const auto* t = std::get_if<Tensor>(&index.value())) check_index_dtype(*t);
      spoken_for += dims_of(index);
    }
    check(spoken_for <= x.dim(), ErrorKind::index, "too many indices for tensor of dimension {}",
          x.dim());
    rest_ = x.dim() - spoken_for;
    result_.view = x;
    for (const Index& index : indices) {
      std::visit([&](const auto& entry) { add(entry); }, index.value());
      ++number_;
    }
  }

  IndexWalk take() { return std::move(result_); }

 private:
  Tensor& view() { return result_.view; }

  void add(EllipsisType) { dim_ += rest_; }
  void add(NoneType) { view() = view().unsqueeze(dim_++); }

  void add(int64_t i) {
    const int64_t size = view().size(dim_);
    check(i >= -size && i < size, ErrorKind::index,
          "index {} is out of bounds for dimension {} with size {}", i, number_, size);
    view() = view().select(dim_, i);
  }

  void add(const Slice& slice) {
    check(slice.step > 0, ErrorKind::value, "step must be greater than zero");
    view() = view().slice(dim_++, slice.start, slice.stop, slice.step);
  }

  void add(bool truth) {
    view() = view().unsqueeze(dim_);
    result_.indices.push_back(
        {dim_++, zeros_on(backend_of(result_.view), {truth ? 1 : 0}, DType::int64)});
  }

  void add(const Tensor& t) {
    if (t.dim() == 0) {
      const Scalar number = t.item();
      check_fits(number, DType::int64);
      return is_mask(t) ? add(number.to_bool()) : add(number.to_int64());
    }
    if (is_mask(t)) {
      check(dim_ + t.dim() <= view().dim(), ErrorKind::index,
            "too many indices for tensor of dimension {}", view().dim());
      check_mask_sizes(view(), t, dim_);
    }
    view().size(dim_);  // throws if a second Ellipsis has left no dimension
    result_.indices.push_back({dim_, t});
    dim_ += is_mask(t) ? t.dim() : 1;
  }

  IndexWalk result_;
  int64_t rest_ = 0;    // the dimensions that an Ellipsis skips
  int64_t dim_ = 0;     // of the view, for the next entry
  int64_t number_ = 0;  // of the entry
};

}  // namespace

IndexWalk walk(const Tensor& x, const std::vector<Index>& indices) {
  return Walker(x, indices).take();
}

}  // namespace tamis
