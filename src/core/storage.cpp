// Storage: publishing memory, and the list of unsettled readers.
#include "core/storage.h"

#include <algorithm>
#include <mutex>

namespace tamis {

Storage::Storage(Backend& backend, void* foreign, int64_t bytes, std::function<void(void*)> deleter)
    : bytes_(bytes),
      data_(foreign),
      memory_{foreign, bytes, nullptr},
      backend_(&backend),
      deleter_(std::move(deleter)) {}

Storage::Storage(Backend& backend, int64_t bytes, Ref<const Recipe> recipe) noexcept
    : bytes_(bytes), had_recipe_(true), backend_(&backend), recipe_(std::move(recipe)) {}

Storage::~Storage() {
  if (recipe_) recipe_->detach(*this);
  if (deleter_) deleter_(memory_.data);
  if (memory_.free) memory_.free(memory_.data, memory_.bytes);
}

Ref<const Recipe> Storage::unsettled_recipe() const {
  std::lock_guard guard(lock_);
  return recipe_;
}

void Storage::fulfil(Memory memory) {
  Ref<const Recipe> done;  // destroyed outside the lock: it may free other storages
  {
    std::lock_guard guard(lock_);
    if (!ready()) {
      std::swap(memory_, memory);
      std::swap(done, recipe_);
      data_.store(memory_.data, std::memory_order_release);
    }
  }
  if (done) done->detach(*this);
  if (memory.free) memory.free(memory.data, memory.bytes);
}

void Storage::replace_recipe(Ref<const Recipe> other) {
  {
    std::lock_guard guard(lock_);
    if (!ready()) std::swap(recipe_, other);
  }
  other->detach(*this);  // the one that is not needed any more
}

bool Storage::add_reader(Storage* reader) {
  std::lock_guard guard(lock_);
  const uint32_t count = reader_count_.load(std::memory_order_relaxed);
  if (count >= kMaxReaders) return false;
  if (!reader_) {
    reader_ = reader;
  } else {
    other_readers_.push_back(reader);
  }
  reader_count_.store(count + 1, std::memory_order_release);
  return true;
}

void Storage::remove_reader(Storage* reader) noexcept {
  std::lock_guard guard(lock_);
  if (reader_ == reader) {
    reader_ = nullptr;
  } else {
    const auto at = std::find(other_readers_.begin(), other_readers_.end(), reader);
    if (at == other_readers_.end()) return;
    *at = other_readers_.back();
    other_readers_.pop_back();
  }
  reader_count_.store(reader_count_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

std::vector<Ref<Storage>> Storage::readers() const {
  std::vector<Ref<Storage>> live;
  const auto add = [&](Storage* r) {
    if (r->try_retain()) {
      live.push_back(Ref<Storage>::adopt(r));
    } else {
      (void)r->use_count();  // acquires: what a dying reader read on another thread has been read
    }
  };
  std::lock_guard guard(lock_);
  if (reader_) add(reader_);
  for (Storage* r : other_readers_) add(r);
  return live;
}

}  // namespace tamis
