// Files on Linux, and the table of those that a signal removes.
#include "io/system.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "io/writer.h"

namespace tamis::io {

namespace {

/// Names of temporary files, where a signal handler can read them: `used` is written last and
/// cleared first.
struct Slot {
  char path[PATH_MAX];
  std::atomic<bool> used{false};
};
constexpr size_t kSlots = 16;
Slot slots[kSlots];
std::mutex slots_mutex;

/// As the system lists what is in a folder.
struct Entry {
  uint64_t inode;
  int64_t offset;
  uint16_t bytes;
  uint8_t type;
  char name[1];
};

/// Nothing here allocates, so that a signal handler may call it. Other threads may still be adding
/// files, so it looks again until the folder is gone.
void remove_below(int folder, const char* name, int depth) noexcept {
  if (unlinkat(folder, name, 0) == 0 || depth == 0) return;
  const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  for (int round = 0; round < 100 && unlinkat(folder, name, AT_REMOVEDIR) != 0; ++round) {
    lseek(fd, 0, SEEK_SET);
    alignas(Entry) char buffer[4096];
    for (long n = 0; (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;) {
      for (long at = 0; at < n;) {
        const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
        at += entry->bytes;
        const bool is_dots =
            std::strcmp(entry->name, ".") == 0 || std::strcmp(entry->name, "..") == 0;
        if (!is_dots) remove_below(fd, entry->name, depth - 1);
      }
    }
  }
  close(fd);
}

void on_signal(int number) {
  for (const Slot& slot : slots) {
    if (slot.used.load(std::memory_order_acquire)) remove_tree(slot.path);
  }
  signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

Descriptor duplicate(int fd) { return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

Descriptor open_unnamed(const std::string& folder) {
  std::string path = folder + "/tamis-XXXXXX";
  Descriptor fd(mkostemp(path.data(), O_CLOEXEC));
  if (fd) unlink(path.c_str());
  return fd;
}

std::optional<uint64_t> free_bytes(int fd) {
  struct statvfs status;
  if (fstatvfs(fd, &status) != 0) return std::nullopt;
  return uint64_t{status.f_bavail} * status.f_frsize;
}

std::string follow_links(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  const std::string result(real);
  free(real);
  return result;
}

void copy_permissions(int fd, const struct stat& old) {
  // The owner first, since that may clear bits of the mode. Only root can give files away.
  if (fchown(fd, old.st_uid, old.st_gid) != 0) errno = 0;
  fchmod(fd, old.st_mode & 07777);
}

void start_write_back(int fd, uint64_t begin, uint64_t end) noexcept {
  sync_file_range(fd, static_cast<off64_t>(begin), static_cast<off64_t>(end - begin),
                  SYNC_FILE_RANGE_WRITE);
}

void remove_tree(const char* path) noexcept {
  constexpr int kMaxDepth = 128;
  remove_below(AT_FDCWD, path, kMaxDepth);
}

/// kSlots if all are taken: the file is then not removed by signals.
size_t remember(const std::string& path) {
  std::lock_guard guard(slots_mutex);
  for (size_t i = 0; i < kSlots; ++i) {
    if (slots[i].used.load(std::memory_order_relaxed) || path.size() >= PATH_MAX) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].used.store(true, std::memory_order_release);
    return i;
  }
  return kSlots;
}

void forget(size_t slot) {
  if (slot == kSlots) return;
  std::lock_guard guard(slots_mutex);
  slots[slot].used.store(false, std::memory_order_release);
}

void remove_temporary_files_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old;
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

}  // namespace tamis::io
