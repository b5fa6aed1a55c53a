// Progress: a bar on the terminal for work that takes more than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace tamis::cli {

/// Nothing is drawn in the first second, and nothing at all unless enabled. What was drawn is
/// erased at the end. Any number of threads may call add.
class Progress {
 public:
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Starts again from nothing, towards that many bytes.
  void start(const std::string& label, int64_t bytes);
  void add(int64_t bytes);
  /// Erases the bar: the work is done.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(Clock::time_point now);

  const bool enabled_;
  std::mutex mutex_;
  std::string label_;
  int64_t total_ = 0, done_ = 0;
  Clock::time_point began_ = Clock::now();  // the first start of all
  Clock::time_point started_ = began_;      // the last one
  Clock::time_point drawn_{};               // the last drawing
  bool visible_ = false;
};

/// "[#####-----]  50 %  1.20 GB/s  3 s left", for a terminal of the given width.
std::string progress_line(const std::string& label, int64_t done, int64_t total, double seconds,
                          int width);

}  // namespace tamis::cli
