// Writing beside the target, syncing and renaming; removing what a signal leaves behind.
#include "io/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <vector>

#include "core/check.h"
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

/// The slot, or kSlots if all are taken: the file is then not removed by signals.
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

void on_signal(int number) {
  for (const Slot& slot : slots) {
    if (slot.used.load(std::memory_order_acquire)) unlink(slot.path);
  }
  signal(number, SIG_DFL);
  ::raise(number);
}

/// Bytes after which writing to disk starts, so that it is nearly done when everything is written.
constexpr uint64_t kWriteBack = uint64_t{4} << 20;

iovec make_part(const void* data, size_t bytes) { return {const_cast<void*>(data), bytes}; }

/// Where a chain of links ends, so that the file is replaced and not the link.
std::string follow_links(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  const std::string result(real);
  free(real);
  return result;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

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

Output::Output(const std::string& path, bool will_patch, bool sync)
    : name_(path == "-" ? "standard output" : path), sync_(sync) {
  struct stat status;
  const bool exists = path != "-" && stat(path.c_str(), &status) == 0;
  check(!exists || !S_ISDIR(status.st_mode), ErrorKind::io, "{}: cannot write: it is a directory",
        name_);
  if (path != "-" && (!exists || S_ISREG(status.st_mode))) {
    // Renaming would bypass the protection of a read-only file.
    if (exists && access(path.c_str(), W_OK) != 0) raise_errno(name_, "write");
    open_replacement(path);
    return;
  }
  Descriptor direct(path == "-" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                : ::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!direct) raise_errno(name_, "open for writing");
  if (!will_patch) {
    fd_ = std::move(direct);
    return;
  }
  direct_ = std::move(direct);
  fd_ = File::temporary(name_).release();
}

void Output::open_replacement(const std::string& path) {
  target_ = follow_links(path);
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = fmt::format("{}.{:08x}.tmp", target_, random());
    // Before the file exists: a signal right after open must find its name.
    slot_ = remember(temporary_);
    fd_ = Descriptor(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd_) break;
    const int code = errno;
    forget(slot_);
    errno = code;
    if (code != EEXIST) break;
  }
  if (!fd_) {
    temporary_.clear();
    raise_errno(name_, ("write to the directory " + folder_of(target_)).c_str());
  }
  struct stat old;
  if (stat(target_.c_str(), &old) == 0) {
    // The owner first, since that may clear bits of the mode. Only root can give files away.
    if (fchown(fd_.get(), old.st_uid, old.st_gid) != 0) errno = 0;
    fchmod(fd_.get(), old.st_mode & 07777);
  }
}

Output::~Output() { remove_temporary(); }

void Output::remove_temporary() noexcept {
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget(slot_);
  temporary_.clear();
}

void Output::write(const void* data, size_t bytes) {
  iovec part = make_part(data, bytes);
  write({&part, 1});
}

void Output::write(std::span<iovec> parts) {
  uint64_t bytes = 0;
  for (const iovec& part : parts) bytes += part.iov_len;
  if (!write_all(fd_.get(), parts)) raise_errno(name_, "write");
  position_ += bytes;
  if (sync_ && !target_.empty()) start_write_back();
}

void Output::start_write_back() noexcept {
  // A page that is still being filled would be written twice.
  const uint64_t end = position_ / kWriteBack * kWriteBack;
  if (end == started_) return;
  sync_file_range(fd_.get(), static_cast<off64_t>(started_), static_cast<off64_t>(end - started_),
                  SYNC_FILE_RANGE_WRITE);
  started_ = end;
}

void Output::patch(uint64_t offset, const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = pwrite(fd_.get(), from, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise_errno(name_, "write");
    from += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
}

void Output::copy_to_target() {
  std::vector<char> buffer(1 << 20);
  const File waiting(std::move(fd_), name_);
  for (uint64_t at = 0; at < waiting.size(); at += buffer.size()) {
    const size_t n = std::min<uint64_t>(buffer.size(), waiting.size() - at);
    waiting.read(at, buffer.data(), n);
    iovec part = make_part(buffer.data(), n);
    if (!write_all(direct_.get(), {&part, 1})) raise_errno(name_, "write");
  }
}

void Output::commit() {
  if (direct_) copy_to_target();
  if (target_.empty()) {
    fd_ = {}, direct_ = {};  // whoever reads the other end of a pipe waits for this
    return;
  }
  if (sync_ && fsync(fd_.get()) != 0) raise_errno(name_, "write");
  if (rename(temporary_.c_str(), target_.c_str()) != 0) raise_errno(name_, "rename into place");
  forget(slot_);
  temporary_.clear();
  if (!sync_) return;
  // The new name must be on the disk as well. Some file systems cannot sync a folder; the file
  // exists all the same.
  const Descriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) fsync(folder.get());
}

}  // namespace tamis::io
