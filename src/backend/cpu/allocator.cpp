// The caching allocator: small blocks in lists of the thread, large ones in one list of the
// process, on huge pages.
#include "backend/cpu/allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/cpu/memory_limit.h"
#include "backend/cpu/pages.h"
#include "core/check.h"
#include "core/fork.h"
#include "core/pool.h"
#include "tamis/runtime.h"

namespace tamis {

namespace {

constexpr int64_t kAlign = 64;
constexpr int64_t kPadding = 64;
constexpr int64_t kLarge = int64_t{1} << 20;  // from here on blocks are mapped
constexpr int64_t kHugePage = int64_t{2} << 20;
/// The largest request: rounded up to pages it still fits size_t, also of 32 bits.
constexpr int64_t kMost =
    static_cast<int64_t>(std::min<uint64_t>(SIZE_MAX, INT64_MAX)) - 4 * kHugePage;
constexpr int kClasses = 64;  // sizes below kLarge: four steps for each power of two
constexpr size_t kKeptBytes = size_t{1} << 20;  // per class and thread

// ---- what memory_stats tells --------------------------------------------------------------------

/// One thread's share of the numbers, written by that thread alone, so that a small allocation
/// needs no locked instruction. A block may be freed by another thread than the one that took it,
/// so a share may be negative.
struct Tally {
  std::atomic<int64_t> live{0}, cached{0}, allocations{0}, allocated{0};

  void add(std::atomic<int64_t> Tally::*number, int64_t change) {
    auto& own = this->*number;
    own.store(own.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
};

/// A thread's live bytes are added to those of the process when they reach this many; the peak may
/// be off by as much per thread.
constexpr int64_t kJoin = int64_t{64} << 10;

/// The numbers of the process, and the shares of its threads.
struct Ledger {
  std::atomic<int64_t> live{0}, peak{0};  // except for the threads' shares
  std::mutex mutex;                       // guards the rest
  std::vector<const Tally*> threads;
  Tally others;  // of threads that have ended

  int64_t sum(std::atomic<int64_t> Tally::*number) {
    std::lock_guard guard(mutex);
    int64_t total = (others.*number).load(std::memory_order_relaxed);
    for (const Tally* t : threads) total += (t->*number).load(std::memory_order_relaxed);
    return total;
  }
  void change_live(int64_t change) {
    const int64_t now = live.fetch_add(change, std::memory_order_relaxed) + change;
    int64_t highest = peak.load(std::memory_order_relaxed);
    while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {
    }
  }
};
Ledger& ledger() {
  static auto* all = new Ledger;  // never destroyed: tensors may be freed after main
  return *all;
}

/// The bytes in tensors and in scratch.
int64_t live_bytes() { return ledger().live + ledger().sum(&Tally::live); }

/// Before every block's data.
struct alignas(kAlign) Header {
  void* base;        // what the system gave
  int64_t mapped;    // bytes from base; 0: from aligned_alloc
  int64_t capacity;  // bytes usable from the data on, padding included
};

Header* header_of(void* data) { return static_cast<Header*>(data) - 1; }

void give_back(Header* h) {
  if (h->mapped) {
    cpu::unmap_pages(static_cast<char*>(h->base), h->mapped);
  } else {
    std::free(h->base);
  }
}

[[noreturn]] void out_of_memory(int64_t bytes) {
  raise(ErrorKind::memory,
        fmt::format("DefaultCPUAllocator: can't allocate memory: you tried to allocate {} bytes; "
                    "tensors hold {} of the {} bytes that the process can have",
                    bytes, live_bytes(), cpu::memory_limit()));
}

// ---- small blocks -------------------------------------------------------------------------------

/// The class whose blocks hold `capacity` bytes, and that size: 64, 80, 96, 112, 128, 160, ...
struct SizeClass {
  int index;
  int64_t capacity;
};
SizeClass class_of(int64_t capacity) {
  if (capacity <= kAlign) return {0, kAlign};
  const int log =
      std::bit_width(static_cast<uint64_t>(capacity - 1)) - 1;  // 2^log < capacity <= 2^(log + 1)
  const int shift = log - 2;  // steps of a quarter of 2^log, at least 16 bytes
  const int64_t steps = ((capacity - 1) >> shift) + 1;
  return {(log - 6) * 4 + static_cast<int>(steps) - 4, steps << shift};
}

void* new_small(int64_t capacity) {
  const int64_t bytes =
      (capacity + static_cast<int64_t>(sizeof(Header)) + kAlign - 1) / kAlign * kAlign;
  void* base = std::aligned_alloc(kAlign, static_cast<size_t>(bytes));
  if (!base) out_of_memory(capacity - kPadding);
  auto* h = static_cast<Header*>(base);
  *h = {base, 0, capacity};
  return h + 1;
}

/// A thread's free small blocks. Blocks may be freed by another thread than the one that took them.
struct SmallCache {
  std::array<std::vector<void*>, kClasses> free;
  Tally tally;

  SmallCache() {
    std::lock_guard guard(ledger().mutex);
    ledger().threads.push_back(&tally);
  }
  ~SmallCache() {
    clear();
    Ledger& all = ledger();
    std::lock_guard guard(all.mutex);
    std::erase(all.threads, &tally);
    for (auto number : {&Tally::live, &Tally::cached, &Tally::allocations, &Tally::allocated}) {
      all.others.add(number, tally.*number);
    }
  }
  void clear() {
    for (std::vector<void*>& list : free) {
      for (void* data : list) {
        tally.add(&Tally::cached, -header_of(data)->capacity);
        give_back(header_of(data));
      }
      list.clear();
    }
  }
};
// A plain pointer, so that reaching the cache usually takes one access to the thread's memory.
thread_local SmallCache* own_cache = nullptr;
thread_local bool own_cache_gone = false;

SmallCache* make_own_cache() {
  struct Guard {
    ~Guard() {
      own_cache_gone = true;
      delete std::exchange(own_cache, nullptr);
    }
  };
  if (own_cache_gone) return nullptr;
  thread_local Guard guard;
  return own_cache = new SmallCache;
}
/// Null after the thread's cache has been destroyed: late frees go straight to the system.
SmallCache* small_cache() { return own_cache ? own_cache : make_own_cache(); }

/// Counts bytes taken (or given back, if negative).
void count_live(int64_t change, SmallCache* cache) {
  if (!cache) return ledger().change_live(change);
  const int64_t share = cache->tally.live.load(std::memory_order_relaxed) + change;
  const bool joins = share > kJoin || share < -kJoin;
  cache->tally.live.store(joins ? 0 : share, std::memory_order_relaxed);
  if (joins) ledger().change_live(share);
}

/// Counts a block of that many bytes.
void count_taken(int64_t bytes, SmallCache* cache) {
  count_live(bytes, cache);
  if (!cache) return;
  cache->tally.add(&Tally::allocations, 1);
  cache->tally.add(&Tally::allocated, bytes);
}

void* take_small(int64_t capacity, SmallCache* cache) {
  const SizeClass cls = class_of(capacity);
  if (TAMIS_CACHE_MEMORY && cache && !cache->free[cls.index].empty()) {
    void* data = cache->free[cls.index].back();
    cache->free[cls.index].pop_back();
    cache->tally.add(&Tally::cached, -cls.capacity);
    return data;
  }
  return new_small(TAMIS_CACHE_MEMORY ? cls.capacity : capacity);
}

void put_small(Header* h, SmallCache* cache) {
  if (TAMIS_CACHE_MEMORY && cache) {
    std::vector<void*>& list = cache->free[class_of(h->capacity).index];
    if ((list.size() + 1) * static_cast<size_t>(h->capacity) <= kKeptBytes) {
      list.push_back(h + 1);
      cache->tally.add(&Tally::cached, h->capacity);
      return;
    }
  }
  give_back(h);
}

// ---- large blocks -------------------------------------------------------------------------------

int64_t cache_limit() {
  static const int64_t limit = [] {
    if (const char* text = std::getenv("TAMIS_CACHE_MB")) return std::atoll(text) << 20;
    return static_cast<long long>(std::min<int64_t>(int64_t{1} << 30, cpu::memory_limit() / 8));
  }();
  return limit;
}

struct LargeCache {
  std::mutex mutex;
  std::multimap<int64_t, Header*> free;  // by capacity
  int64_t bytes = 0;
};
LargeCache& large_cache() {
  static auto* cache = new LargeCache;  // never destroyed: tensors may be freed after main
  return *cache;
}

void empty_large_cache() {
  LargeCache& cache = large_cache();
  std::lock_guard guard(cache.mutex);
  for (auto& [capacity, h] : cache.free) give_back(h);
  cache.free.clear();
  cache.bytes = 0;
}

/// Throws unless the process can have that many more bytes. Systems that overcommit would grant
/// them, and kill the process when it writes to them.
void reserve(int64_t capacity) {
  const int64_t left = cpu::memory_limit() - live_bytes();
  if (capacity > left) out_of_memory(capacity - kPadding);
  if (capacity > left - cache_limit()) empty_large_cache();
}

/// A block in pages that `map` gives, or null.
void* new_large(int64_t capacity, char* (*map)(int64_t)) {
  reserve(capacity);
  static std::atomic<uint32_t> turn{0};
  // Blocks start at different offsets in their page: equal ones make loads and stores that are 4
  // KiB apart collide.
  const int64_t stagger = 256 * (turn.fetch_add(1, std::memory_order_relaxed) % 8);
  const int64_t lead = static_cast<int64_t>(sizeof(Header)) + stagger;
  const int64_t bytes = cpu::round_to_pages(capacity + lead);
  char* base = map(bytes);
  if (!base) {  // what is cached may be what the system lacks
    empty_large_cache();
    base = map(bytes);
  }
  if (!base) return nullptr;
  auto* h = reinterpret_cast<Header*>(base + stagger);
  *h = {base, bytes, bytes - lead};
  return h + 1;
}

/// The largest block that is used for this capacity.
int64_t largest_for(int64_t capacity) { return capacity + capacity / 4 + kHugePage; }

void* take_large(int64_t capacity) {
  if (TAMIS_CACHE_MEMORY) {
    LargeCache& cache = large_cache();
    std::lock_guard guard(cache.mutex);
    const auto at = cache.free.lower_bound(capacity);
    if (at != cache.free.end() && at->first <= largest_for(capacity)) {
      Header* h = at->second;
      cache.free.erase(at);
      cache.bytes -= h->capacity;
      return h + 1;
    }
  }
  void* const data = new_large(capacity, cpu::map_pages);
  if (!data) out_of_memory(capacity - kPadding);
  return data;
}

void put_large(Header* h) {
  std::vector<Header*> evicted;
  if (TAMIS_CACHE_MEMORY && h->capacity <= cache_limit()) {
    LargeCache& cache = large_cache();
    std::lock_guard guard(cache.mutex);
    while (cache.bytes + h->capacity > cache_limit()) {
      const auto largest = std::prev(cache.free.end());
      cache.bytes -= largest->first;
      evicted.push_back(largest->second);
      cache.free.erase(largest);
    }
    cache.free.emplace(h->capacity, h);
    cache.bytes += h->capacity;
  } else {
    evicted.push_back(h);
  }
  for (Header* e : evicted) give_back(e);
}

std::mutex& ledger_mutex() { return ledger().mutex; }
std::mutex& large_mutex() { return large_cache().mutex; }
[[maybe_unused]] const bool held_at_fork =
    hold_at_fork<ledger_mutex>() && hold_at_fork<large_mutex>();

/// A block whose pages are those that the system gave, all zero, goes back to the system: if it
/// were kept, the next one would have to be written.
void free_fresh_block(void* data, int64_t bytes) {
  count_live(-bytes, small_cache());
  give_back(header_of(data));
}

void free_block(void* data, int64_t bytes) {
  SmallCache* const cache = small_cache();
  count_live(-bytes, cache);
  Header* h = header_of(data);
  if (h->mapped) {
    put_large(h);
  } else {
    put_small(h, cache);
  }
}

}  // namespace

namespace cpu {

Memory allocate(int64_t bytes) {
  if (bytes > kMost) out_of_memory(bytes);
  const int64_t capacity = bytes + kPadding;
  SmallCache* const cache = small_cache();
  void* data = capacity < kLarge ? take_small(capacity, cache) : take_large(capacity);
  count_taken(bytes, cache);
  return {data, bytes, free_block};
}

Memory allocate_zeros(int64_t bytes) {
  if (bytes > kMost) out_of_memory(bytes);
  const int64_t capacity = bytes + kPadding;
  if (void* const data = capacity < kLarge ? nullptr : new_large(capacity, map_zeros)) {
    count_taken(bytes, small_cache());
    return {data, bytes, free_fresh_block};
  }
  const Memory memory = allocate(bytes);
  std::memset(memory.data, 0, static_cast<size_t>(bytes));
  return memory;
}

void check_memory(int64_t bytes) {
  if (bytes < kLarge) return;
  if (bytes > kMost || bytes > memory_limit() - live_bytes()) out_of_memory(bytes);
}

Memory shrink(Memory memory, int64_t bytes) {
  SmallCache* const cache = small_cache();
  count_live(bytes - memory.bytes, cache);
  if (cache) cache->tally.add(&Tally::allocated, bytes - memory.bytes);
  Header* const h = header_of(memory.data);
  const int64_t capacity = bytes + kPadding;
  if (h->mapped && h->capacity > 2 * largest_for(capacity)) {
    const int64_t lead = static_cast<char*>(memory.data) - static_cast<char*>(h->base);
    h->mapped = trim_pages(static_cast<char*>(h->base), h->mapped, lead + capacity);
    h->capacity = h->mapped - lead;
  }
  return {memory.data, bytes, memory.free};
}

}  // namespace cpu

MemoryStats memory_stats() {
  Ledger& all = ledger();
  LargeCache& large = large_cache();
  std::unique_lock guard(large.mutex);
  const int64_t large_bytes = large.bytes;
  guard.unlock();
  const int64_t live = live_bytes();
  return {live, all.sum(&Tally::cached) + large_bytes, std::max<int64_t>(all.peak, live),
          all.sum(&Tally::allocations), all.sum(&Tally::allocated)};
}

void reset_peak_memory() { ledger().peak.store(ledger().live.load()); }

void empty_cache() {
  if (SmallCache* cache = small_cache()) cache->clear();
  empty_large_cache();
}

}  // namespace tamis
