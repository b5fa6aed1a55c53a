// Histograms and searches as they share them: ranges of keys and the elements counted in them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/keys.h"
#include "ops/partial/bytes.h"
#include "tamis/partial.h"

namespace tamis::partial::detail {

/// Elements whose keys are in [low, low + 2^bits), counted in steps of 2^step keys.
struct Group {
  uint64_t low = 0;
  int bits = 0, step = 0;
  int64_t before = 0;  // elements with smaller keys
  int64_t size = 0;

  bool operator==(const Group&) const = default;
  bool holds(uint64_t key) const { return bits == 64 || (key - low) >> bits == 0; }
};

/// What was asked for.
struct Wanted {
  enum class Form : uint8_t { ranks, quantile, median, kthvalue };
  Form form = Form::ranks;
  bool ignore_nan = false;
  bool is_list = true;  // the result is 1-d
  std::string interpolation;
  std::vector<double> q;
  std::vector<int64_t> ranks;  // as given; k - 1 of kthvalue

  bool operator==(const Wanted&) const = default;
};

struct Resolved {
  int64_t rank = 0;
  uint64_t key = 0;
  bool operator==(const Resolved&) const = default;
};

struct SearchData {
  DType dtype = DType::float32;
  int64_t count = 0, nans = 0;
  Wanted wanted;
  std::vector<Resolved> resolved;  // by rank
  std::vector<Group> groups;       // by key; they hold the ranks that are not resolved

  bool operator==(const SearchData&) const = default;
};

/// How many elements have keys from `low` on, up to the end of its step.
struct Bucket {
  uint64_t low = 0;
  int64_t count = 0;
};

/// Counts by number, of which most are zero: in pages that are made when they are needed.
class Pages {
 public:
  explicit Pages(uint32_t numbers) : pages_((numbers + kPage - 1) / kPage, 0), counts_(kPage, 0) {}
  void add(uint32_t number) {
    if (pages_[number / kPage] == 0) [[unlikely]]
      make_page(number / kPage);
    ++counts_[pages_[number / kPage] * kPage + number % kPage];
  }
  template <class F>
  void for_each(F f) const {
    for (size_t p = 0; p < pages_.size(); ++p) {
      if (pages_[p] == 0) continue;
      for (size_t i = 0; i < kPage; ++i) {
        const int64_t n = counts_[pages_[p] * kPage + i];
        if (n != 0) f(static_cast<uint32_t>(p * kPage + i), n);
      }
    }
  }

 private:
  static constexpr size_t kPage = 256;
  void make_page(uint32_t page);  // not inline, so that add is
  std::vector<uint32_t> pages_;   // 0: none; the first page of counts is not used
  std::vector<int64_t> counts_;
};

struct HistogramData {
  DType dtype = DType::float32;
  int64_t count = 0, nans = 0;               // of the first pass
  std::shared_ptr<const SearchData> search;  // null in the first pass
  std::vector<Bucket> buckets;               // by key
  // Elements that were added since: counted by step, or the lowest keys of their steps.
  std::optional<Pages> pages;
  std::vector<int64_t> lows;  // as int64 in the order of uint64
};

/// The ranks that are needed, in order and distinct.
std::vector<int64_t> ranks_of(const SearchData& search);
/// The next search, from all counts of a pass.
SearchData narrowed(const SearchData& before, const std::vector<Group>& groups,
                    const std::vector<Bucket>& buckets);
Tensor result_of(const SearchData& search);

void write(ByteWriter& out, const SearchData& search);
SearchData read_search(ByteReader& in);

/// The first pass counts in steps that are small for small numbers: the step of a key, as a group
/// without counts.
Group first_step(DType dtype, uint64_t key);
/// Whether a pass counts by a step that begins there.
bool is_step(const HistogramData& data, uint64_t low);
/// q, checked as quantile does.
Wanted quantile_wanted(const Tensor& q, DType dtype, const std::string& interpolation,
                       bool ignore_nan);

}  // namespace tamis::partial::detail
