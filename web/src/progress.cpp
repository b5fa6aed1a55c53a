// Progress, as a page needs it: how far work is goes to the standard error stream, where JavaScript
// takes it from (Files.print). The bar of the terminal is in cli/progress.cpp.
#include "progress.h"

#include <cstdio>

#include <fmt/format.h>

#include "report.h"

namespace tamis {

namespace {
bool reports = false;
}

void web::set_reports(bool on) { reports = on; }

namespace cli {

Progress::Progress(bool enabled) : enabled_(enabled) {}
Progress::~Progress() = default;

void Progress::start(const std::string& label, int64_t bytes) {
  label_ = label;
  total_ = bytes;
  done_ = 0;
}

void Progress::add(int64_t bytes) {
  done_ += bytes;
  const auto now = Clock::now();
  if (!(enabled_ || reports) || now - drawn_ < std::chrono::milliseconds(50)) return;
  drawn_ = now;
  fmt::print(stderr, "progress {} {} {}\n", label_, done_, total_);
  std::fflush(stderr);
}

void Progress::clear() {}

}  // namespace cli

}  // namespace tamis
