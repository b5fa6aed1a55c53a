// Storage: the memory that tensors share, or the recipe by which that memory will be filled.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/pool.h"
#include "core/ref.h"

namespace tamis {

class Backend;
class Storage;

/// How the content of a storage can be made: an expression (expr/expr.h), a structured mask
/// (core/interval.h), bits (core/kept_bits.h), or a counter: element i is the int64 i. A pending
/// one represents work that reads other storages (expr/expr.h).
struct Recipe : RefCounted {
  enum class Kind : uint8_t { expression, intervals, bits, counter, pending };
  explicit Recipe(Kind k) : kind(k) {}
  virtual ~Recipe() = default;
  /// Called when `owner` no longer needs the recipe: the storages that it reads forget the reader.
  virtual void detach(Storage& /*owner*/) const noexcept {}
  const Kind kind;
};

/// A block of a backend's memory and how to give it back. On the CPU `data` is an address;
/// elsewhere it is a handle that only its backend understands.
struct Memory {
  void* data = nullptr;
  int64_t bytes = 0;
  void (*free)(void* data, int64_t bytes) = nullptr;
};

/// A spin lock for critical sections of a few instructions.
class SpinLock {
 public:
  void lock() noexcept {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() noexcept { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

/// The identity of a tensor's data. Ready storages have memory; the others have a recipe until
/// someone settles them. Knows the unsettled storages whose recipes read it, because a write must
/// settle those first.
class Storage final : public RefCounted, public Pooled<Storage> {
 public:
  Storage(Backend& backend, Memory memory) noexcept
      : bytes_(memory.bytes), data_(memory.data), memory_(memory), backend_(&backend) {}
  /// Memory that someone else owns, as a backend sees it.
  Storage(Backend& backend, void* foreign, int64_t bytes, std::function<void(void*)> deleter);
  Storage(Backend& backend, int64_t bytes, Ref<const Recipe> recipe) noexcept;
  ~Storage();

  /// Hides that of RefCounted: `readers` finds storages that were made with a recipe.
  bool release() const noexcept {
    return had_recipe_ ? RefCounted::release_shared() : RefCounted::release();
  }

  /// Whose memory it is, or will be once it is settled.
  Backend& backend() const noexcept { return *backend_; }
  int64_t bytes() const noexcept { return bytes_; }
  bool ready() const noexcept { return data_.load(std::memory_order_acquire) != nullptr; }
  /// What Memory::data is; null until ready.
  void* data() const noexcept { return data_.load(std::memory_order_acquire); }
  /// Null once ready.
  Ref<const Recipe> recipe() const { return ready() ? nullptr : unsettled_recipe(); }
  /// Publishes the memory that the recipe was run into. If another thread was first, gives the
  /// memory back.
  void fulfil(Memory memory);

  /// Goes on with another recipe for the same content, unless it is ready by now.
  void replace_recipe(Ref<const Recipe> other);

  /// Takes its own memory back after its allocator has made it smaller. Only while no one else has
  /// seen the storage.
  void shrink(Memory smaller) noexcept {
    bytes_ = smaller.bytes;
    memory_ = smaller;
  }
  const Memory& memory() const noexcept { return memory_; }

  /// False if there are too many readers to remember: the would-be reader must settle at once.
  bool add_reader(Storage* reader);
  void remove_reader(Storage* reader) noexcept;
  /// The live unsettled readers, kept alive for the caller.
  std::vector<Ref<Storage>> readers() const;
  bool has_readers() const noexcept { return reader_count_.load(std::memory_order_acquire) != 0; }

  /// Whether writes are refused: the memory is read-only. Set before it is shared.
  bool read_only() const noexcept { return read_only_; }
  void set_read_only() noexcept { read_only_ = true; }

  /// For memory that can fail while it is in use, such as that of a mapped file: `test` throws if
  /// it has. Set before it is shared.
  void set_test(std::function<void()> test) {
    test_ = std::make_unique<const std::function<void()>>(std::move(test));
  }
  /// Must be called before the memory is read.
  void check_intact() const {
    if (test_) (*test_)();
  }

  /// Whether element i is the int64 i, as arange made it: comparisons with it are structured masks.
  /// Not certain any more once someone outside has the address.
  bool counts_up() const noexcept {
    return counts_up_.load(std::memory_order_relaxed) &&
           version.load(std::memory_order_relaxed) == 0;
  }
  void set_counts_up(bool on) noexcept { counts_up_.store(on, std::memory_order_relaxed); }

  /// Counts the writes, so that a gradient can tell whether what it saved is still there.
  std::atomic<uint32_t> version{0};

  /// How often a sink has computed this storage's values without keeping them, as far as counted.
  std::atomic<uint8_t> recomputed{0};

 private:
  static constexpr uint32_t kMaxReaders = 64;

  Ref<const Recipe> unsettled_recipe() const;

  int64_t bytes_;
  const bool had_recipe_ = false;
  std::atomic<void*> data_{nullptr};
  Memory memory_;
  Backend* const backend_;
  std::function<void(void*)> deleter_;  // for foreign memory
  std::unique_ptr<const std::function<void()>> test_;
  mutable SpinLock lock_;  // guards recipe_ and the readers
  Ref<const Recipe> recipe_;
  Storage* reader_ = nullptr;  // one of them, or null; most storages have at most one
  std::vector<Storage*> other_readers_;
  std::atomic<uint32_t> reader_count_{0};
  bool read_only_ = false;
  std::atomic<bool> counts_up_{false};
};

}  // namespace tamis
