// Partial states: what some of the elements of an array say, to be merged with what others say. For
// arrays that are larger than memory, or on several machines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tamis/tensor.h"

/// A state is made from a part of an array, a tensor on the CPU, and an optional mask (bool,
/// broadcasts to x; true keeps; undefined keeps all). `merge` adds another state and `finish` gives
/// the result. Whatever the parts are, in whatever order and grouping they are merged: the result
/// has the same bits as that of the whole array. `to_bytes` gives bytes that are the same on every
/// machine, and the same for equal states; `from_bytes` refuses (kind format) what is no such
/// state. Copies are cheap: they share memory until one of them is merged into.
///
///     partial::Sum sum(first);
///     sum.merge(partial::Sum(second)).merge(partial::Sum::from_bytes(received));
///     Tensor total = sum.finish();
namespace tamis::partial {

/// How a tensor is a part of an array, and what is reduced of it.
struct Part {
  Dims dims = {};  ///< what is reduced; none given means all. States of parts that are merged have
                   ///< equal sizes in all other dimensions.
  bool keepdim = false;
  Shape shape = {};   ///< of the whole array; none given: the part is the whole
  Shape offset = {};  ///< of the part's first element in it; none given: zeros
};

namespace detail {
struct CountData;
struct SumData;
struct MomentsData;
struct ExtremesData;
struct SelectedData;
struct TopKData;
struct UniqueData;
struct HistogramData;
struct SearchData;
struct Wanted;
}  // namespace detail

/// How many elements are kept, and how many of these are not zero.
class Count {
 public:
  explicit Count(const Tensor& x, const Tensor& mask = {}, const Part& part = {});
  Count& merge(const Count& other);
  Tensor finish() const;   ///< as masked::count: int64
  Tensor nonzero() const;  ///< as count_nonzero of what is kept: int64
  Tensor any() const;      ///< as any and all of what is kept: bool, uint8 of a uint8 x
  Tensor all() const;
  std::string to_bytes() const;
  static Count from_bytes(std::string_view bytes);
  DType dtype() const;  ///< of x

 private:
  Count() = default;
  std::shared_ptr<detail::CountData> data_;
};

/// The exact sum. Of any dtype.
class Sum {
 public:
  explicit Sum(const Tensor& x, const Tensor& mask = {}, const Part& part = {});
  Sum& merge(const Sum& other);
  /// The sum, rounded once, in the dtype that sum gives (integers wrap around as there), or in the
  /// given one. NaN and infinities as in arithmetic, whatever their order; a sum of 0 is +0.
  Tensor finish(std::optional<DType> dtype = {}) const;
  std::string to_bytes() const;
  static Sum from_bytes(std::string_view bytes);
  DType dtype() const;

 private:
  Sum() = default;
  std::shared_ptr<detail::SumData> data_;
};

/// The count, the exact sum and the exact sum of squares. All results are those of exact
/// arithmetic, rounded once: to the given dtype, or to x's own (real for the variance of complex
/// numbers), float32 for integers and bools. Of nothing they are NaN.
class Moments {
 public:
  explicit Moments(const Tensor& x, const Tensor& mask = {}, const Part& part = {});
  Moments& merge(const Moments& other);
  Tensor count() const;                               ///< int64
  Tensor sum(std::optional<DType> dtype = {}) const;  ///< as Sum::finish
  Tensor mean(std::optional<DType> dtype = {}) const;
  /// The divisor is the count less correction, but not less than 0.
  Tensor var(double correction = 1, std::optional<DType> dtype = {}) const;
  Tensor std(double correction = 1, std::optional<DType> dtype = {}) const;
  std::pair<Tensor, Tensor> finish(double correction = 1) const;  ///< mean and var
  std::string to_bytes() const;
  static Moments from_bytes(std::string_view bytes);
  DType dtype() const;

 private:
  Moments() = default;
  std::shared_ptr<detail::MomentsData> data_;
};

/// The extremes and where they are: the first among equals; NaN wins. Not for complex numbers.
class Extremes {
 public:
  explicit Extremes(const Tensor& x, const Tensor& mask = {}, const Part& part = {});
  Extremes& merge(const Extremes& other);
  /// The element at that index. As masked::amin if nothing is kept: the largest (smallest) value.
  Tensor amin() const;
  Tensor amax() const;
  /// int64: the index along the dimension that is reduced, of the whole array; if there are
  /// several, in their row-major order. -1 if nothing is kept.
  Tensor argmin() const;
  Tensor argmax() const;
  std::tuple<Tensor, Tensor, Tensor, Tensor> finish() const;  ///< amin, argmin, amax, argmax
  std::string to_bytes() const;
  static Extremes from_bytes(std::string_view bytes);
  DType dtype() const;

 private:
  Extremes() = default;
  std::shared_ptr<detail::ExtremesData> data_;
};

/// The elements that a mask keeps, in the row-major order of the whole array, and where they are:
/// as runs of neighbours. Parts must not overlap.
class Selected {
 public:
  /// Of an undefined x only the positions; mask then has the shape of the part.
  Selected(const Tensor& x, const Tensor& mask, const Part& part = {});
  Selected& merge(const Selected& other);
  /// The same for many at once, which costs no more than one.
  Selected& merge(std::span<const Selected> others);
  int64_t numel() const;
  bool has_values() const;
  Tensor finish() const;       ///< the elements, 1-d; refuses a state without values
  Tensor indices() const;      ///< int64, [numel]: row-major numbers in the whole
  Tensor coordinates() const;  ///< int64, [numel, dimensions], as nonzero
  Tensor runs() const;         ///< int64, [runs, 2]: the first index and the length of each
  /// The index of the rank-th of the kept elements.
  int64_t position(int64_t rank) const;
  /// What is kept of the elements from index start up to stop.
  Selected between(int64_t start, int64_t stop) const;
  Selected without_values() const;
  std::string to_bytes() const;
  static Selected from_bytes(std::string_view bytes);
  std::optional<DType> dtype() const;
  const Shape& shape() const;  ///< of the whole

 private:
  Selected() = default;
  std::shared_ptr<detail::SelectedData> data_;
};

/// The k largest (smallest) elements of the whole and their indices. Not for bools and complex
/// numbers.
class TopK {
 public:
  TopK(const Tensor& x, int64_t k, const Tensor& mask = {}, bool largest = true,
       const Part& part = {});
  TopK& merge(const TopK& other);
  /// As topk of the flattened whole: in order, the lower index first among equals; all that are
  /// kept if those are fewer than k.
  std::pair<Tensor, Tensor> finish() const;
  std::string to_bytes() const;
  static TopK from_bytes(std::string_view bytes);
  DType dtype() const;

 private:
  TopK() = default;
  std::shared_ptr<detail::TopKData> data_;
};

/// The distinct elements, how often each occurs and where first. Not for complex numbers.
class Unique {
 public:
  explicit Unique(const Tensor& x, const Tensor& mask = {}, const Part& part = {});
  Unique& merge(const Unique& other);
  /// In ascending order, as unique: values, counts (int64), first indices in the whole (int64). No
  /// NaN equals another; they come last, with the index -1.
  std::tuple<Tensor, Tensor, Tensor> finish() const;
  std::string to_bytes() const;
  static Unique from_bytes(std::string_view bytes);
  DType dtype() const;

 private:
  Unique() = default;
  std::shared_ptr<detail::UniqueData> data_;
};

/// What is known of the elements of wanted ranks: between which values they lie, or the elements
/// themselves.
class Search {
 public:
  bool done() const;
  /// What was asked for, when it is done; a zero is +0.
  Tensor finish() const;
  std::string to_bytes() const;
  static Search from_bytes(std::string_view bytes);
  DType dtype() const;

 private:
  friend class Histogram;
  Search() = default;
  std::shared_ptr<detail::SearchData> data_;
};

/// Counts of elements by value, from which quantiles, medians and other elements of given ranks are
/// found exactly in few passes over the array, in bounded memory. Not for complex numbers.
///
///     partial::Histogram first(x);             // merged with those of the other parts
///     partial::Search found = first.quantile(0.99);
///     while (!found.done()) {
///       partial::Histogram next(x, {}, found);  // merged with those of the other parts
///       found = next.search();
///     }
///     Tensor q = found.finish();
///
/// Of 8 and 16 bits one pass is enough, of 32 bits two; of 64 bits there are mostly two, and never
/// more than four.
class Histogram {
 public:
  explicit Histogram(const Tensor& x, const Tensor& mask = {});
  /// Another pass. Costs nothing if the search is done.
  Histogram(const Tensor& x, const Tensor& mask, const Search& search);
  Histogram& merge(const Histogram& other);
  /// As merging the state of another part in the same pass, but faster.
  Histogram& add(const Tensor& x, const Tensor& mask = {});
  int64_t count() const;  ///< elements other than NaN
  int64_t nans() const;
  /// After the first pass: what is wanted. As quantile and nanquantile of all that is kept, NaN if
  /// that is nothing.
  Search quantile(const Tensor& q, const std::string& interpolation = "linear",
                  bool ignore_nan = false) const;
  Search median(bool ignore_nan = false) const;  ///< as median and nanmedian
  Search kthvalue(int64_t k) const;              ///< as the values of kthvalue
  /// The elements of these ranks, from 0, among those that are not NaN; 1-d.
  Search ranks(std::span<const int64_t> ranks) const;
  /// After the others: what is known by then.
  Search search() const;
  /// The number of passes that is enough.
  static int passes(DType dtype);
  std::string to_bytes() const;
  static Histogram from_bytes(std::string_view bytes);
  DType dtype() const;

 private:
  Histogram() = default;
  Search begin(detail::Wanted wanted) const;
  std::shared_ptr<detail::HistogramData> data_;
};

}  // namespace tamis::partial
