// Selecting elements by rank without sorting: small slices by partitioning a copy of the keys,
// large ones by narrowing down to the few elements between two elements of a sample.
#include <algorithm>
#include <vector>

#include "backend/cpu/order.h"
#include "backend/cpu/order_radix.h"

namespace tamis::cpu {

namespace {

constexpr int64_t kManyRanks = 16;  // from here on, sorting all keys is cheaper

/// Finds keys by rank in one slice of n elements, and where they first stand.
template <class T>
class Selection {
 public:
  using K = typename Keys<T>::Key;
  using Element = typename Keys<T>::Element;

  Selection(const Element* x, int64_t n) : x_(x), n_(n) {}

  /// keys[r] = the key of rank ranks[r]; order is ranks' positions by ascending rank.
  void by_partition(const int64_t* ranks, const std::vector<size_t>& order, K* room, K* keys) {
    for (int64_t i = 0; i < n_; ++i) room[i] = Keys<T>::of(x_[i]);
    int64_t from = 0;  // all before it are in their places
    const bool sort = static_cast<int64_t>(order.size()) >= kManyRanks;
    if (sort) std::sort(room, room + n_);
    for (size_t r : order) {
      if (!sort && ranks[r] >= from) {
        std::nth_element(room + from, room + ranks[r], room + n_);
        from = ranks[r] + 1;
      }
      keys[r] = room[ranks[r]];
    }
  }

  /// The keys of ranks low..high (few, and close together) into keys[0], keys[1], ...
  void by_sample(int64_t low, int64_t high, K* keys) {
    const auto [least, greatest] = window(low, high);
    collect(least, greatest);
    const int64_t found = static_cast<int64_t>(between_.size());
    if (low < below_ || high >= below_ + found) {  // the sample was misleading
      below_ = 0;
      collect(0, Keys<T>::kLast);
    }
    const auto begin = between_.begin();
    std::nth_element(begin, begin + (low - below_), between_.end());
    keys[0] = between_[static_cast<size_t>(low - below_)];
    if (high > low) {
      keys[1] = *std::min_element(begin + (low - below_ + 1), between_.end());
    }
  }

  int64_t first_of(K key) const {
    constexpr int64_t kBlock = 256;
    int64_t i = 0;
    for (; i + kBlock <= n_; i += kBlock) {
      bool found = false;
      for (int64_t j = 0; j < kBlock; ++j) found |= Keys<T>::of(x_[i + j]) == key;
      if (found) break;
    }
    while (Keys<T>::of(x_[i]) != key) ++i;
    return i;
  }

 private:
  static constexpr int64_t kSample = 1 << 14;

  /// Two keys between which the ranks are found, almost certainly: elements of a sample that stand
  /// some standard deviations to the left and right of where the ranks are expected.
  std::pair<K, K> window(int64_t low, int64_t high) const {
    std::vector<K> sample(kSample);
    const int64_t step = n_ / kSample;
    for (int64_t i = 0; i < kSample; ++i) {
      // A place within each step that follows no period of the data.
      const uint64_t hash = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
      const auto place = static_cast<int64_t>((hash >> 32) % static_cast<uint64_t>(step));
      sample[static_cast<size_t>(i)] = Keys<T>::of(x_[i * step + place]);
    }
    constexpr int64_t kMargin = 4 * 64;  // the deviation is at most sqrt(kSample) / 2
    const auto expected = [&](int64_t rank) {
      return static_cast<int64_t>(static_cast<double>(rank) / static_cast<double>(n_) * kSample);
    };
    const int64_t from = expected(low) - kMargin, to = expected(high) + kMargin;
    std::sort(sample.begin(), sample.end());
    return {from < 0 ? K{0} : sample[static_cast<size_t>(from)],
            to >= kSample ? Keys<T>::kLast : sample[static_cast<size_t>(to)]};
  }

  /// Counts the keys below `least`, and keeps those from there to `greatest`.
  void collect(K least, K greatest) {
    constexpr int64_t kPart = 1 << 17;
    const int64_t parts = (n_ + kPart - 1) / kPart;
    std::vector<std::vector<K>> found(static_cast<size_t>(parts));
    std::vector<int64_t> below(static_cast<size_t>(parts));
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        below[static_cast<size_t>(p)] =
            collect_part(p * kPart, std::min(n_, (p + 1) * kPart), least, greatest,
                         found[static_cast<size_t>(p)]);
      }
    });
    below_ = 0;
    between_.clear();
    for (size_t p = 0; p < found.size(); ++p) {
      below_ += below[p];
      between_.insert(between_.end(), found[p].begin(), found[p].end());
    }
  }

  int64_t collect_part(int64_t begin, int64_t end, K least, K greatest,
                       std::vector<K>& found) const {
    constexpr int64_t kBlock = 32;
    int64_t below = 0, i = begin;
    for (; i + kBlock <= end; i += kBlock) {
      below +=
          collect_block(x_ + i, std::integral_constant<int64_t, kBlock>{}, least, greatest, found);
    }
    for (; i < end; ++i) {
      below += collect_block(x_ + i, std::integral_constant<int64_t, 1>{}, least, greatest, found);
    }
    return below;
  }

  /// The number of elements is a constant, so that the loops become vector instructions.
  template <class Size>
  static int64_t collect_block(const Element* x, Size size, K least, K greatest,
                               std::vector<K>& found) {
    const K width = static_cast<K>(greatest - least);
    K keys[size], less = 0, in = 0;
    for (int64_t j = 0; j < size; ++j) keys[j] = Keys<T>::of(x[j]);
    for (int64_t j = 0; j < size; ++j) less = static_cast<K>(less + (keys[j] < least));
    for (int64_t j = 0; j < size; ++j) {
      in = static_cast<K>(in + (static_cast<K>(keys[j] - least) <= width));
    }
    if (in == 0) return less;
    const size_t at = found.size();
    found.resize(at + size + 1);  // one more, which the last step may write
    K* to = found.data() + at;
    for (int64_t j = 0; j < size; ++j) {
      *to = keys[j];
      to += static_cast<K>(keys[j] - least) <= width;
    }
    found.resize(at + static_cast<size_t>(in));
    return less;
  }

  const Element* x_;
  int64_t n_;
  int64_t below_ = 0;
  std::vector<K> between_;
};

/// A large slice: ranks in ascending order, neighbours together.
template <class T>
void select_large(Selection<T>& selection, const int64_t* ranks, const std::vector<size_t>& order,
                  typename Keys<T>::Key* keys) {
  for (size_t i = 0; i < order.size();) {
    const int64_t low = ranks[order[i]];
    size_t end = i;
    while (end < order.size() && ranks[order[end]] <= low + 1) ++end;
    const int64_t high = ranks[order[end - 1]];
    typename Keys<T>::Key found[2];
    selection.by_sample(low, high, found);
    for (; i < end; ++i) keys[order[i]] = found[ranks[order[i]] - low];
  }
}

template <class T>
void select_from_slices(const Slices& x, const int64_t* all_ranks, int64_t per_slice, void* values,
                        int64_t* indices) {
  using K = typename Keys<T>::Key;
  using Element = typename Keys<T>::Element;
  const bool large = x.size >= kLargeSlice && per_slice < kManyRanks;
  for_slices(x, [&](int64_t first, int64_t last) {
    const Scratch<K> room(large ? 0 : x.size);
    std::vector<K> keys(static_cast<size_t>(per_slice));
    std::vector<size_t> order(static_cast<size_t>(per_slice));
    for (int64_t s = first; s < last; ++s) {
      const int64_t* ranks = all_ranks + s * per_slice;
      for (size_t r = 0; r < order.size(); ++r) order[r] = r;
      std::sort(order.begin(), order.end(),
                [&](size_t a, size_t b) { return ranks[a] < ranks[b]; });
      const Element* const slice = static_cast<const Element*>(x.data) + s * x.size;
      Selection<T> selection(slice, x.size);
      if (large) {
        select_large<T>(selection, ranks, order, keys.data());
      } else {
        selection.by_partition(ranks, order, room.data(), keys.data());
      }
      for (int64_t r = 0; r < per_slice; ++r) {
        const K key = keys[static_cast<size_t>(r)];
        const int64_t to = s * per_slice + r;
        const bool look = indices != nullptr || !Keys<T>::is_exact(key);
        const int64_t at = look ? selection.first_of(key) : 0;
        static_cast<Element*>(values)[to] = look ? slice[at] : Keys<T>::element(key);
        if (indices != nullptr) indices[to] = at;
      }
    }
  });
}

}  // namespace

void run_select(const Slices& x, const int64_t* ranks, int64_t per_slice, void* values,
                int64_t* indices) {
  visit_ordered(x.dtype, [&](auto v) {
    select_from_slices<decltype(v)>(x, ranks, per_slice, values, indices);
  });
}

}  // namespace tamis::cpu
