// Shape: a short list of 64-bit sizes, strides or dimensions that needs no heap up to six entries.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tamis {

/// Sizes, strides or dimension numbers. Behaves like a small std::vector<int64_t>, except that one
/// integer is a list of itself, so that `x.sum(0)` and `zeros(3)` need no braces.
class Shape {
 public:
  using value_type = int64_t;

  Shape() = default;
  Shape(std::initializer_list<int64_t> v) { assign(v.begin(), v.size()); }
  /// Not from bool: `x.sum(true)` is a keepdim without its dims.
  template <std::integral T>
  requires(!std::same_as<T, bool>) Shape(T v) : size_(1), inline_{static_cast<int64_t>(v)} {}
  Shape(const std::vector<int64_t>& v) { assign(v.data(), v.size()); }
  Shape(std::span<const int64_t> v) { assign(v.data(), v.size()); }
  Shape(size_t n, int64_t value) {
    reserve(n);
    if (!heap_) {
      std::fill(inline_, inline_ + kInline, value);
    } else {
      std::fill(heap_.get(), heap_.get() + n, value);
    }
    size_ = static_cast<uint32_t>(n);
  }
  Shape(const Shape& o) { copy(o); }
  Shape(Shape&& o) noexcept { steal(o); }
  Shape& operator=(const Shape& o) {
    if (this != &o) copy(o);
    return *this;
  }
  Shape& operator=(Shape&& o) noexcept {
    if (this != &o) steal(o);
    return *this;
  }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const int64_t* data() const noexcept { return heap_ ? heap_.get() : inline_; }
  int64_t* data() noexcept { return heap_ ? heap_.get() : inline_; }
  const int64_t* begin() const noexcept { return data(); }
  const int64_t* end() const noexcept { return data() + size_; }
  int64_t* begin() noexcept { return data(); }
  int64_t* end() noexcept { return data() + size_; }
  int64_t operator[](size_t i) const noexcept { return data()[i]; }
  int64_t& operator[](size_t i) noexcept { return data()[i]; }
  int64_t back() const noexcept { return data()[size_ - 1]; }
  int64_t& back() noexcept { return data()[size_ - 1]; }

  /// New entries are zero.
  void resize(size_t n) {
    reserve(n);
    if (n > size_) std::fill(data() + size_, data() + n, 0);
    size_ = static_cast<uint32_t>(n);
  }
  void clear() noexcept { size_ = 0; }
  void push_back(int64_t v) {
    reserve(size_ + 1);
    data()[size_++] = v;
  }
  void insert(size_t at, int64_t v) {
    push_back(v);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (const int64_t *x = a.data(), *y = b.data(), *end = x + a.size_; x != end; ++x, ++y) {
      if (*x != *y) return false;
    }
    return true;
  }
  /// As to_string. A friend, so that no integer is printed as a shape.
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape);
  operator std::span<const int64_t>() const noexcept { return {data(), size_}; }
  std::vector<int64_t> vec() const { return {begin(), end()}; }

 private:
  static constexpr uint32_t kInline = 6;

  void reserve(size_t n) {
    if (n <= capacity_) return;
    const size_t wanted = std::max<size_t>(n, 2 * capacity_);
    std::unique_ptr<int64_t[]> bigger(new int64_t[wanted]);
    std::copy(begin(), end(), bigger.get());
    heap_ = std::move(bigger);
    capacity_ = static_cast<uint32_t>(wanted);
  }
  void assign(const int64_t* v, size_t n) {
    size_ = 0;
    reserve(n);
    std::copy(v, v + n, data());
    size_ = static_cast<uint32_t>(n);
  }
  // All inline entries, used or not: a few wide moves instead of a loop.
  void copy_inline(const Shape& o) noexcept {
    std::copy(o.inline_, o.inline_ + kInline, inline_);
    size_ = o.size_;
  }
  void copy(const Shape& o) {
    if (heap_ || o.heap_) return assign(o.data(), o.size());
    copy_inline(o);
  }
  void steal(Shape& o) noexcept {
    heap_ = std::move(o.heap_);
    copy_inline(o);
    capacity_ = o.capacity_;
    o.size_ = 0;
    o.capacity_ = kInline;
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  int64_t inline_[kInline] = {};
  std::unique_ptr<int64_t[]> heap_;
};

/// Product of the sizes; 1 for an empty shape.
int64_t numel(const Shape& shape);

/// "[2, 3]", as in PyTorch's messages.
std::string to_string(const Shape& shape);

/// The shape that a and b broadcast to. Throws kind shape, naming sizes and dimension, if they do
/// not.
Shape broadcast_shapes(const Shape& a, const Shape& b);

}  // namespace tamis
