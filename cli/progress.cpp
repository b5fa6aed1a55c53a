// Progress: drawing, with a carriage return and no cursor movement, so that any terminal will do.
#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace tamis::cli {

namespace {

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string time_text(double seconds) {
  const auto s = static_cast<int64_t>(std::min(seconds, 359999.0) + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace

std::string progress_line(const std::string& label, int64_t done, int64_t total, double seconds,
                          int width) {
  const double share = total > 0 ? std::min(1.0, static_cast<double>(done) / total) : 1.0;
  const double speed = seconds > 0 ? done / seconds : 0;
  std::string numbers = fmt::format("  {:3.0f} %  {:.2f} GB/s", share * 100, speed / 1e9);
  if (speed > 0) numbers += fmt::format("  {} left", time_text((total - done) / speed));
  const int space = std::min(40, width - static_cast<int>(label.size() + numbers.size()) - 4);
  if (space < 4) return (label + numbers).substr(0, std::max(0, width - 1));
  const int full = static_cast<int>(share * space);
  return fmt::format("{} [{}{}]{}", label, std::string(full, '#'), std::string(space - full, '-'),
                     numbers);
}

Progress::Progress(bool enabled) : enabled_(enabled) {}
Progress::~Progress() { clear(); }

void Progress::start(const std::string& label, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  label_ = label;
  total_ = bytes;
  done_ = 0;
  started_ = Clock::now();
}

void Progress::add(int64_t bytes) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  done_ += bytes;
  const auto now = Clock::now();
  if (now - began_ > std::chrono::seconds(1) && now - drawn_ > std::chrono::milliseconds(100)) {
    draw(now);
  }
}

void Progress::draw(Clock::time_point now) {
  const std::chrono::duration<double> seconds = now - started_;
  fmt::print(stderr, "\r{}\x1b[K",
             progress_line(label_, done_, total_, seconds.count(), terminal_width()));
  std::fflush(stderr);
  drawn_ = now;
  visible_ = true;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (visible_) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace tamis::cli
