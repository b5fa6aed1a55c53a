// Ref: the intrusive reference count shared by storages, recipes and tensors.
#pragma once

#include <atomic>
#include <utility>

namespace tamis {

/// Base of counted objects. A new object has count 0; the first Ref makes it 1.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  // Neither the first reference nor the last one needs a locked instruction: only its holder can
  // take another.
  void retain() const noexcept {
    if (count_.load(std::memory_order_relaxed) == 0) {
      count_.store(1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// True if that was the last reference: the caller deletes.
  bool release() const noexcept { return use_count() == 1 || release_shared(); }
  /// The same for objects that try_retain may find: from then on it fails.
  bool release_shared() const noexcept {
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// Takes a reference unless the object is already dying.
  bool try_retain() const noexcept {
    int n = count_.load(std::memory_order_relaxed);
    while (n > 0) {
      if (count_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }
  int use_count() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  mutable std::atomic<int> count_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* p) noexcept : p_(p) {
    if (p_) p_->retain();
  }
  Ref(const Ref& o) noexcept : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && p_->release()) delete p_;
  }
  /// Wraps a reference that the caller already owns.
  static Ref adopt(T* p) noexcept {
    Ref r;
    r.p_ = p;
    return r;
  }

  T* get() const noexcept { return p_; }
  T* operator->() const noexcept { return p_; }
  T& operator*() const noexcept { return *p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }

 private:
  T* p_ = nullptr;
};

}  // namespace tamis
