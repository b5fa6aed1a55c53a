// Storage: publishing memory, and the list of unsettled readers.
#include "core/storage.h"

#include <algorithm>
#include <mutex>

namespace tamis {

Storage::Storage(void* foreign, int64_t bytes, std::function<void(void*)> deleter)
    : bytes_(bytes),
      data_(foreign),
      memory_{foreign, bytes, nullptr},
      deleter_(std::move(deleter)) {}

Storage::Storage(int64_t bytes, Ref<const Recipe> recipe) noexcept
    : bytes_(bytes), recipe_(std::move(recipe)) {}

Storage::~Storage() {
  if (recipe_) recipe_->detach(*this);
  if (deleter_) deleter_(memory_.data);
  if (memory_.free) memory_.free(memory_.data, memory_.bytes);
}

Ref<const Recipe> Storage::recipe() const {
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

bool Storage::add_reader(Storage* reader) {
  std::lock_guard guard(lock_);
  if (readers_.size() >= kMaxReaders) return false;
  readers_.push_back(reader);
  reader_count_.store(static_cast<uint32_t>(readers_.size()), std::memory_order_release);
  return true;
}

void Storage::remove_reader(Storage* reader) noexcept {
  std::lock_guard guard(lock_);
  const auto at = std::find(readers_.begin(), readers_.end(), reader);
  if (at == readers_.end()) return;
  *at = readers_.back();
  readers_.pop_back();
  reader_count_.store(static_cast<uint32_t>(readers_.size()), std::memory_order_release);
}

std::vector<Ref<Storage>> Storage::readers() const {
  std::vector<Ref<Storage>> live;
  std::lock_guard guard(lock_);
  for (Storage* r : readers_) {
    if (r->try_retain()) {
      live.push_back(Ref<Storage>::adopt(r));
    } else {
      (void)r->use_count();  // acquires: what a dying reader read on another thread is behind us
    }
  }
  return live;
}

}  // namespace tamis
