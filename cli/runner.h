// Runner: goes through the windows of a shape on all threads and shows how far it is.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "in_order.h"
#include "progress.h"
#include "summary.h"
#include "windows.h"

namespace tamis::cli {

/// Bytes of input that a window should have: few enough that they are still in the cache when they
/// are used, and enough that what a window costs by itself is little beside it.
inline constexpr int64_t kWindowBytes = int64_t{768} << 10;
/// Windows that a thread works on before it waits for its turn to hand on what came of them.
inline constexpr int64_t kWindowsPerTurn = 4;

class Runner {
 public:
  Runner(int threads, Progress& progress) : threads_(threads), progress_(&progress) {}

  int threads() const { return threads_; }

  /// Calls work(box, worker) for all windows of a shape and take(results) in row-major order; see
  /// in_order. bytes are those of input per element.
  template <class Work, class Take>
  void run(const std::string& label, const Shape& shape, size_t bytes, Work work, Take take) const {
    const auto size = static_cast<int64_t>(std::max<size_t>(bytes, 1));
    const Windows windows(shape, std::max<int64_t>(1, kWindowBytes / size));
    progress_->start(label, numel(shape) * size);
    in_order(
        windows.count(), threads_, kWindowsPerTurn,
        [&](int64_t number, int worker) {
          const Box box = windows[number];
          auto result = work(box, worker);
          progress_->add(box.numel() * size);
          return result;
        },
        take);
    progress_->clear();
  }

 private:
  int threads_;
  Progress* progress_;
};

/// Summarises a stream: one pass, and a few more for quantiles.
Summary summarize(const Runner& runner, const Stream& stream, std::span<const Quantile> quantiles);

}  // namespace tamis::cli
