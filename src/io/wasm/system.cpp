// Files as WASI has them: there are no links, owners, disks or signals.
#include "io/system.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "core/check.h"
#include "io/writer.h"

namespace tamis::io {

Descriptor duplicate(int) {
  errno = ENOTSUP;
  return {};
}

Descriptor open_unnamed(const std::string& folder) {
  std::random_device random;
  Descriptor fd;
  do {
    const std::string path = fmt::format("{}/tamis-{:08x}", folder, random());
    fd = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    if (fd) unlink(path.c_str());
  } while (!fd && errno == EEXIST);
  return fd;
}

std::optional<uint64_t> free_bytes(int) { return std::nullopt; }

std::string follow_links(const std::string& path) { return path; }

void copy_permissions(int, const struct stat&) {}

void start_write_back(int, uint64_t, uint64_t) noexcept {}

void remove_tree(const char* path) noexcept { unlink(path); }

size_t remember(const std::string&) { return 0; }
void forget(size_t) {}
void remove_temporary_files_on_signals() {}

}  // namespace tamis::io
