// Selecting elements by rank without sorting: few elements by partitioning a copy of their keys,
// many by narrowing them down to the few between two elements of a sample.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "backend/cpu/order.h"
#include "backend/cpu/order_bound.h"
#include "backend/cpu/order_radix.h"

namespace tamis::cpu {

namespace {

constexpr size_t kManyRanks = 16;     // from here on, sorting all keys is cheaper
constexpr int64_t kSampled = 1 << 9;  // from this size on, taking a sample is worth it
constexpr int64_t kPart = 1 << 16;    // elements of a task

/// A key, and an index before which no element has it.
template <class T>
struct Found {
  Key<T> key{};
  int64_t from = 0;
};

/// found[i] = what has rank ranks[i]; ranks ascend, buffer holds n keys.
template <class T>
void partition(const Element<T>* x, int64_t n, std::span<const int64_t> ranks, Key<T>* buffer,
               Found<T>* found) {
  for (int64_t i = 0; i < n; ++i) buffer[i] = Keys<T>::of(x[i]);
  const bool sort = ranks.size() >= kManyRanks;
  if (sort) std::sort(buffer, buffer + n);
  int64_t from = 0;  // all before it precede the rest
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (!sort && ranks[r] >= from) {
      std::nth_element(buffer + from, buffer + ranks[r], buffer + n);
      from = ranks[r] + 1;
    }
    found[r].key = buffer[ranks[r]];
  }
}

// ---- narrowing down -----------------------------------------------------------------------------

/// Two elements between which some ranks are found, almost certainly; none at an end.
template <class T>
struct Window {
  size_t first, last;  // of the ranks
  std::optional<Bound<T>> lower, upper;
};

/// What a part has of a window.
template <class T>
struct Share {
  int64_t up_to_lower = 0, below_upper = 0;
  std::vector<Element<T>> between;

  void collect(const Window<T>& window, const Step<T>& step, const Element<T>* x) {
    const size_t n = step.size();
    uint64_t low[kStepWords] = {}, in[kStepWords];
    fill_words(n, in);
    if (window.lower) up_to_lower += window.lower->less_equal(step, low);
    below_upper += window.upper ? window.upper->less(step, in) : static_cast<int64_t>(n);
    uint64_t any = 0;
    for (size_t i = 0; i < (n + 63) / 64; ++i) any |= in[i] &= ~low[i];
    if (any == 0) return;
    Element<T> packed[kStep];
    const size_t count = kernels().compress[width_index(sizeof(T))](x, in, packed, packed + n, n);
    between.insert(between.end(), packed, packed + count);
  }
};

template <class T>
class Sampled {
 public:
  Sampled(const Element<T>* x, int64_t n, std::span<const int64_t> ranks, Found<T>* found)
      : x_(x), n_(n), ranks_(ranks), found_(found) {}

  void run() {
    choose_windows();
    const auto count = static_cast<size_t>(parts()) * windows_.size();
    std::vector<Share<T>> shares(count);
    each_part([&](int64_t part, int64_t begin, int64_t end) {
      Share<T>* const own = shares.data() + static_cast<size_t>(part) * windows_.size();
      for_steps<T>(x_, begin, end, [&](const Step<T>& step, int64_t at) {
        for (size_t w = 0; w < windows_.size(); ++w) own[w].collect(windows_[w], step, x_ + at);
      });
    });
    for (size_t w = 0; w < windows_.size(); ++w) {
      std::vector<Share<T>*> of_window;
      for (size_t i = w; i < count; i += windows_.size()) of_window.push_back(&shares[i]);
      resolve(windows_[w], of_window);
    }
  }

 private:
  int64_t parts() const { return (n_ + kPart - 1) / kPart; }

  template <class F>
  void each_part(const F& f) const {
    parallel_for(parts(), 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) f(p, p * kPart, std::min(n_, (p + 1) * kPart));
    });
  }

  std::vector<Key<T>> sample() const {
    const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(n_)));
    const int64_t size = int64_t{1} << std::min(13, 2 * bits / 3);
    const int64_t step = n_ / size;
    std::vector<Key<T>> keys(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      // A position within each step, independent of any period of the data.
      const uint64_t hash = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
      const auto position = static_cast<int64_t>((hash >> 32) % static_cast<uint64_t>(step));
      keys[static_cast<size_t>(i)] = Keys<T>::of(x_[i * step + position]);
    }
    return keys;
  }

  /// One window for neighbouring ranks, from some standard deviations left of where the sample has
  /// them to as many right of it.
  void choose_windows() {
    std::vector<Key<T>> keys = sample();
    const auto size = static_cast<int64_t>(keys.size());
    // A standard deviation is at most half of the root.
    const auto margin = static_cast<int64_t>(4 * 0.5 * std::sqrt(static_cast<double>(size)));
    int64_t sorted = 0;  // keys before it precede the rest
    const auto bound = [&](int64_t at) -> std::optional<Bound<T>> {
      if (at < 0 || at >= size) return std::nullopt;
      if (at >= sorted) std::nth_element(keys.begin() + sorted, keys.begin() + at, keys.end());
      sorted = std::max(sorted, at + 1);
      return Bound<T>(keys[static_cast<size_t>(at)]);
    };
    const auto expected = [&](int64_t rank) {
      return static_cast<int64_t>(static_cast<double>(rank) / static_cast<double>(n_) *
                                  static_cast<double>(size));
    };
    for (size_t first = 0, last; first < ranks_.size(); first = last) {
      last = first;
      while (last < ranks_.size() && ranks_[last] <= ranks_[first] + 1) ++last;
      auto lower = bound(expected(ranks_[first]) - margin);
      windows_.push_back({first, last, lower, bound(expected(ranks_[last - 1]) + margin)});
    }
  }

  void resolve(const Window<T>& window, const std::vector<Share<T>*>& shares) {
    int64_t up_to_lower = 0, below_upper = 0;
    for (const Share<T>* share : shares) {
      up_to_lower += share->up_to_lower;
      below_upper += share->below_upper;
    }
    std::vector<int64_t> inner;  // ranks among the elements between the bounds
    size_t first_inner = window.last;
    for (size_t r = window.first; r < window.last; ++r) {
      if (ranks_[r] >= up_to_lower && ranks_[r] < below_upper) {
        if (inner.empty()) first_inner = r;
        inner.push_back(ranks_[r] - up_to_lower);
      } else if (ranks_[r] < up_to_lower && ranks_[r] >= count_less(*window.lower)) {
        found_[r] = {window.lower->key(), 0};
      } else if (ranks_[r] >= below_upper && ranks_[r] < count_less_equal(*window.upper)) {
        found_[r] = {window.upper->key(), 0};
      } else {  // the sample was misleading
        const Scratch<Key<T>> buffer(n_);
        partition<T>(x_, n_, ranks_.subspan(r, 1), buffer.data(), found_ + r);
      }
    }
    if (!inner.empty()) search_between(shares, inner, found_ + first_inner);
  }

  void search_between(const std::vector<Share<T>*>& shares, const std::vector<int64_t>& ranks,
                      Found<T>* found) {
    std::vector<Element<T>> between;
    for (const Share<T>* share : shares) {
      between.insert(between.end(), share->between.begin(), share->between.end());
    }
    const auto n = static_cast<int64_t>(between.size());
    if (n >= kSampled && n < n_ / 2) {
      Sampled(between.data(), n, ranks, found).run();
    } else {
      const Scratch<Key<T>> buffer(n);
      partition<T>(between.data(), n, ranks, buffer.data(), found);
    }
    for (size_t r = 0; r < ranks.size(); ++r) {
      found[r].from = 0;
      for (const Share<T>* share : shares) {
        const auto has_key = [&](Element<T> e) { return Keys<T>::of(e) == found[r].key; };
        if (std::any_of(share->between.begin(), share->between.end(), has_key)) break;
        found[r].from += kPart;
      }
    }
  }

  int64_t count_less(const Bound<T>& bound) const { return count(bound, &Bound<T>::less); }
  int64_t count_less_equal(const Bound<T>& bound) const {
    return count(bound, &Bound<T>::less_equal);
  }

  template <class Test>
  int64_t count(const Bound<T>& bound, Test test) const {
    std::vector<int64_t> counts(static_cast<size_t>(parts()));
    each_part([&](int64_t part, int64_t begin, int64_t end) {
      for_steps<T>(x_, begin, end, [&](const Step<T>& step, int64_t) {
        uint64_t words[kStepWords];
        counts[static_cast<size_t>(part)] += (bound.*test)(step, words);
      });
    });
    int64_t sum = 0;
    for (const int64_t c : counts) sum += c;
    return sum;
  }

  const Element<T>* x_;
  int64_t n_;
  std::span<const int64_t> ranks_;
  Found<T>* found_;
  std::vector<Window<T>> windows_;
};

// ---- slices -------------------------------------------------------------------------------------

template <class T>
int64_t first_of(const Element<T>* x, int64_t n, Key<T> key, int64_t from) {
  constexpr int64_t kRun = 256;
  int64_t i = from;
  for (; i + kRun <= n; i += kRun) {
    bool found = false;
    for (int64_t j = 0; j < kRun; ++j) found |= Keys<T>::of(x[i + j]) == key;
    if (found) break;
  }
  while (Keys<T>::of(x[i]) != key) ++i;
  return i;
}

template <class T>
void select_from_slices(const Slices& x, const int64_t* all_ranks, int64_t per_slice, void* values,
                        int64_t* indices) {
  const auto count = static_cast<size_t>(per_slice);
  const bool large = x.size >= kSampled && count < kManyRanks && !std::same_as<T, bool>;
  for_slices(x, [&](int64_t first, int64_t last) {
    const Scratch<Key<T>> buffer(large ? 0 : x.size);
    std::vector<Found<T>> found(count);
    std::vector<int64_t> ranks(count);
    std::vector<size_t> order(count);
    for (int64_t s = first; s < last; ++s) {
      const int64_t* const wanted = all_ranks + s * per_slice;
      for (size_t r = 0; r < count; ++r) order[r] = r;
      std::sort(order.begin(), order.end(),
                [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
      for (size_t r = 0; r < count; ++r) ranks[r] = wanted[order[r]];
      const auto* const slice = address<const Element<T>>(x.buffer) + s * x.size;
      if (!large) {
        partition<T>(slice, x.size, ranks, buffer.data(), found.data());
      } else if constexpr (!std::same_as<T, bool>) {
        Sampled<T>(slice, x.size, ranks, found.data()).run();
      }
      for (size_t r = 0; r < count; ++r) {
        const Key<T> key = found[r].key;
        const int64_t to = s * per_slice + static_cast<int64_t>(order[r]);
        const bool look = indices != nullptr || !Keys<T>::is_exact(key);
        const int64_t at = look ? first_of<T>(slice, x.size, key, large ? found[r].from : 0) : 0;
        static_cast<Element<T>*>(values)[to] = look ? slice[at] : Keys<T>::element(key);
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
