// Asking the system how much memory there is: sysinfo, and the files of control groups.
#include "backend/cpu/memory_limit.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>

namespace tamis::cpu {

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

/// The number in a file; none if the file does not exist or holds a word such as "max".
int64_t number_in(const std::string& file) {
  std::ifstream in(file);
  int64_t number = 0;
  return in >> number ? number : kNone;
}

/// The smallest limit of a group and its parents. In a container the path may be that of the host,
/// while the files are mounted at the root: a missing file means no limit.
int64_t least_above(const std::string& root, std::string path, const char* file) {
  int64_t least = number_in(root + file);
  while (path.size() > 1) {
    least = std::min(least, number_in(root + path + file));
    path.resize(path.rfind('/'));
  }
  return least;
}

/// The limit of the control groups of this process, of either version.
int64_t group_limit() {
  std::ifstream groups("/proc/self/cgroup");
  int64_t least = kNone;
  for (std::string line; std::getline(groups, line);) {  // id:controllers:path
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, least_above("/sys/fs/cgroup", path, "/memory.max"));
    } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      least = std::min(least, least_above("/sys/fs/cgroup/memory", path, "/memory.limit_in_bytes"));
    }
  }
  return least;
}

int64_t find_limit() {
  struct sysinfo machine = {};
  if (sysinfo(&machine) != 0) return kNone;
  const auto unit = static_cast<int64_t>(machine.mem_unit);
  const int64_t memory = static_cast<int64_t>(machine.totalram) * unit;
  return std::min(memory, group_limit()) + static_cast<int64_t>(machine.totalswap) * unit;
}

}  // namespace

int64_t memory_limit() {
  static const int64_t limit = find_limit();
  return limit;
}

}  // namespace tamis::cpu
