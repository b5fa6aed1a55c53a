// Slabs: decoded by all threads that need them, each chunk once.
#include "io/zarr_slabs.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "expr/expr.h"
#include "tamis/create.h"
#include "tamis/runtime.h"

namespace tamis::io {

namespace {

/// More chunks in a slab are refused: their states alone would take too much memory.
constexpr int64_t kMostChunks = int64_t{1} << 26;

/// Calls work(i) for all i below count on several threads; rethrows the first exception.
template <class Work>
void in_parallel(int64_t count, const Work& work) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto loop = [&] {
    try {
      for (int64_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard guard(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const int64_t threads = std::min<int64_t>(get_num_threads(), count);
  std::vector<std::thread> others;
  for (int64_t i = 1; i < threads; ++i) others.emplace_back(loop);
  loop();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

Tensor slab_memory(int64_t elements, DType dtype, const std::string& name) {
  const auto bytes = static_cast<uint64_t>(elements) * itemsize(dtype);
  if (bytes <= kMostSlabBytes) return allocate_on_host({elements}, dtype);
  const File file = File::temporary(name, bytes);
  // Space on the disk is taken now: once the file is mapped, a lack of it would be a crash.
  if (const int code = posix_fallocate(file.fd(), 0, static_cast<off_t>(bytes)); code != 0) {
    errno = code;
    raise_errno(name, "write to a temporary file (set TMPDIR to use another directory)");
  }
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (data == MAP_FAILED) raise_errno(name, "map a temporary file");
  return from_blob(data, {elements}, dtype, [bytes](void* p) { munmap(p, bytes); });
}

/// A slab whose chunks are decoded as they are needed.
struct ZarrSlabs::Slab {
  enum State : uint8_t { kWaiting, kTaken, kDone };

  int64_t number = 0;
  Tensor elements;
  char* data = nullptr;
  bool has_room = false;
  uint64_t last_use = 0;  // guarded by the mutex of all
  std::mutex mutex;       // guards what follows
  std::condition_variable changed;
  std::vector<State> states;
  int64_t next = 0;  // chunks before it are not waiting
};

ZarrSlabs::ZarrSlabs(const ZarrChunks& chunks, std::string name)
    : chunks_(chunks), grid_(chunks.grid()), name_(std::move(name)) {}

/// One that is kept, or a new one.
std::shared_ptr<ZarrSlabs::Slab> ZarrSlabs::slab(int64_t number) const {
  const std::lock_guard guard(mutex_);
  const auto found = recent_.find(number);
  std::shared_ptr<Slab> slab = found == recent_.end() ? nullptr : found->second;
  if (!slab) {
    auto fresh = std::make_shared<Slab>();
    fresh->number = number;
    check(grid_.chunks_per_slab() <= kMostChunks, ErrorKind::format,
          "{}: {} chunks side by side are more than {}", name_, grid_.chunks_per_slab(),
          kMostChunks);
    // A chunk is decoded with all its rows, unless they are far more than the array has.
    const int64_t elements = grid_.elements(number), whole = grid_.whole_slab();
    fresh->has_room = whole / 2 <= elements;
    fresh->elements = slab_memory(fresh->has_room ? whole : elements, chunks_.dtype(), name_);
    fresh->data = static_cast<char*>(fresh->elements.mutable_data_ptr());
    storage_of(fresh->elements)->set_read_only();
    fresh->states.resize(static_cast<size_t>(grid_.chunks_per_slab()));
    slab = recent_[number] = std::move(fresh);
  }
  slab->last_use = ++uses_;
  const uint64_t most = std::clamp<uint64_t>(kKeptSlabBytes / slab_bytes(), 3, 64);
  while (recent_.size() > most) {
    recent_.erase(std::min_element(recent_.begin(), recent_.end(), [](auto& a, auto& b) {
      return a.second->last_use < b.second->last_use;
    }));
  }
  return slab;
}

/// Decodes a chunk unless somebody else has begun to.
bool ZarrSlabs::take(Slab& slab, int64_t chunk) const {
  Slab::State& state = slab.states[static_cast<size_t>(chunk)];
  {
    const std::lock_guard guard(slab.mutex);
    if (state != Slab::kWaiting) return false;
    state = Slab::kTaken;
  }
  const auto set = [&](Slab::State result) {
    const std::lock_guard guard(slab.mutex);
    state = result;
    slab.changed.notify_all();
  };
  try {
    chunks_.decode(slab.number, chunk, slab.data, slab.has_room);
  } catch (...) {
    set(Slab::kWaiting);  // who needs it finds the same error
    throw;
  }
  set(Slab::kDone);
  return true;
}

/// Decodes a chunk of the slabs that follow, if there is one to be decoded and memory for it.
bool ZarrSlabs::work_ahead(int64_t number) const {
  if (slab_bytes() > kMostSlabBytes / 2) return false;
  const int64_t last = grid_.slab_of(numel(grid_.shape()) - 1);
  const auto reach =
      static_cast<int64_t>(std::clamp<uint64_t>(kKeptSlabBytes / slab_bytes(), 1, 16));
  for (int64_t i = number + 1; i <= std::min(number + reach, last); ++i) {
    const std::shared_ptr<Slab> ahead = slab(i);
    for (;;) {
      int64_t chunk = 0;
      {
        const std::lock_guard guard(ahead->mutex);
        const auto count = static_cast<int64_t>(ahead->states.size());
        while (ahead->next < count &&
               ahead->states[static_cast<size_t>(ahead->next)] != Slab::kWaiting) {
          ++ahead->next;
        }
        if (ahead->next == count) break;
        chunk = ahead->next;
      }
      if (take(*ahead, chunk)) return true;
    }
  }
  return false;
}

/// Returns when elements [first, first + count) of a slab are there.
void ZarrSlabs::require(Slab& slab, int64_t first, int64_t count) const {
  // The chunks that they touch are a box, seen from the first dimension along which they differ.
  const Shape& parts = grid_.parts();
  Shape begin(parts.size(), 0), end = parts;
  int64_t stride = grid_.row(), low = first, high = first + count - 1;
  for (size_t i = 0; i < parts.size() && low / stride == high / stride; ++i) {
    const size_t d = grid_.dim() + 1 + i;
    low %= stride, high %= stride;
    stride /= grid_.shape()[d];
    begin[i] = low / stride / grid_.chunk()[d];
    end[i] = high / stride / grid_.chunk()[d] + 1;
  }
  const auto for_each = [&](const auto& visit) {
    for (Shape index = begin;;) {
      int64_t number = 0;
      for (size_t i = 0; i < parts.size(); ++i) number = number * parts[i] + index[i];
      visit(number);
      size_t i = parts.size();
      while (i > 0 && ++index[i - 1] == end[i - 1]) {
        --i;
        index[i] = begin[i];
      }
      if (i == 0) return;
    }
  };
  for_each([&](int64_t chunk) { take(slab, chunk); });
  // Others may still be at work. Meanwhile this thread does what will be needed next.
  for_each([&](int64_t chunk) {
    const Slab::State& state = slab.states[static_cast<size_t>(chunk)];
    for (;;) {
      {
        const std::lock_guard guard(slab.mutex);
        if (state == Slab::kDone) return;
      }
      if (take(slab, chunk)) return;
      if (work_ahead(slab.number)) continue;
      std::unique_lock lock(slab.mutex);
      slab.changed.wait(lock, [&] { return state != Slab::kTaken; });
    }
  });
}

/// Decodes slabs [begin, end) one after the other in memory, on several threads.
void ZarrSlabs::decode_whole(int64_t begin, int64_t end, char* to) const {
  const int64_t chunks = grid_.chunks_per_slab(), start = grid_.begin(begin);
  check(chunks <= INT64_MAX / (end - begin), ErrorKind::format, "{}: too many chunks", name_);
  in_parallel((end - begin) * chunks, [&](int64_t i) {
    const int64_t slab = begin + i / chunks;
    const auto offset = static_cast<size_t>(grid_.begin(slab) - start);
    chunks_.decode(slab, i % chunks, to + offset * chunks_.width(), false);
  });
}

Tensor ZarrSlabs::read() const {
  const int64_t elements = numel(grid_.shape());
  const Tensor x = allocate_on_host(grid_.shape(), chunks_.dtype());
  if (elements == 0) return x;
  decode_whole(0, grid_.slab_of(elements - 1) + 1, static_cast<char*>(x.mutable_data_ptr()));
  return x;
}

Tensor ZarrSlabs::window(int64_t first, int64_t count) const {
  const int64_t begin = grid_.slab_of(first), last = grid_.slab_of(first + count - 1);
  if (begin == last) {
    const std::shared_ptr<Slab> slab = this->slab(begin);
    const int64_t offset = first - grid_.begin(begin);
    require(*slab, offset, count);
    return slab->elements.narrow(0, offset, count);
  }
  const Tensor x = allocate_on_host({count}, chunks_.dtype());
  char* const to = static_cast<char*>(x.mutable_data_ptr());
  const size_t width = chunks_.width();
  const auto part = [&](int64_t number, int64_t from, int64_t end) {
    const std::shared_ptr<Slab> slab = this->slab(number);
    const int64_t start = grid_.begin(number);
    require(*slab, from - start, end - from);
    std::memcpy(to + static_cast<size_t>(from - first) * width,
                slab->data + static_cast<size_t>(from - start) * width,
                static_cast<size_t>(end - from) * width);
  };
  // Slabs of which all is wanted are decoded where they belong; others are wanted by more windows.
  const int64_t whole_begin = begin + (grid_.begin(begin) != first);
  const int64_t last_end = grid_.begin(last) + grid_.elements(last);
  const int64_t whole_end = last + (last_end == first + count);
  if (whole_begin > begin) part(begin, first, grid_.begin(begin) + grid_.elements(begin));
  if (whole_begin < whole_end) {
    const auto offset = static_cast<size_t>(grid_.begin(whole_begin) - first);
    decode_whole(whole_begin, whole_end, to + offset * width);
  }
  if (whole_end <= last) part(last, grid_.begin(last), first + count);
  return x;
}

}  // namespace tamis::io
