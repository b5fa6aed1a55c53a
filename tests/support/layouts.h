// Layouts: the same logical tensor in every way that its elements can lie in memory, or not be
// there yet.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor_impl.h"
#include "support/guarded_device.h"
#include "tamis/tamis.h"

namespace tamis::testing {

enum class LayoutKind {
  contiguous,
  transposed,                // memory in the reverse order of dimensions
  sliced,                    // every second element of the last dimension
  offset,                    // the middle of a larger tensor
  expanded,                  // a dimension of stride 0, if the values allow it
  unaligned,                 // dense, but from the second element of its storage on
  deferred,                  // an expression that nothing has settled
  deferred_view,             // a transposed part of a larger expression
  foreign,                   // from_blob, strided; true is stored as various nonzero bytes
  sliced_rows,               // every third element of the first dimension
  deferred_over_transposed,  // an expression of tensors that lie in the reverse order
};

/// Those that the tests of every op go through.
inline constexpr std::array kLayoutKinds = {
    LayoutKind::contiguous, LayoutKind::transposed,    LayoutKind::sliced,
    LayoutKind::offset,     LayoutKind::expanded,      LayoutKind::unaligned,
    LayoutKind::deferred,   LayoutKind::deferred_view, LayoutKind::foreign};

/// Those that any matrix can have, and in which it can be written.
inline constexpr std::array kMatrixLayouts = {LayoutKind::contiguous,
                                              LayoutKind::transposed,
                                              LayoutKind::sliced,
                                              LayoutKind::sliced_rows,
                                              LayoutKind::offset,
                                              LayoutKind::deferred,
                                              LayoutKind::deferred_over_transposed};

inline const char* layout_name(LayoutKind kind) {
  constexpr const char* kNames[] = {"contiguous",
                                    "transposed",
                                    "sliced",
                                    "offset",
                                    "expanded",
                                    "unaligned",
                                    "deferred",
                                    "view of deferred",
                                    "foreign",
                                    "sliced rows",
                                    "deferred over transposed"};
  return kNames[static_cast<int>(kind)];
}

/// x on the device that tests run on, in the same layout and with the same memory around it.
inline Tensor on_device(const Tensor& x) {
  if (x.device() == Device() && device() == Device()) return x;
  const int64_t n = storage_of(x)->bytes() / static_cast<int64_t>(x.itemsize());
  return make_view(make_tensor(storage_of(x), x.dtype(), Shape{n}).to(device()), layout_of(x));
}

namespace detail {

/// Calls f(byte offset into x's memory, number of the element) for the elements in row-major order.
template <class F>
void for_each_element(const Tensor& x, F f) {
  const auto size = static_cast<int64_t>(x.itemsize());
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t rest = i, at = 0;
    for (size_t d = x.shape().size(); d-- > 0;) {
      at += rest % x.shape()[d] * x.strides()[d];
      rest /= x.shape()[d];
    }
    f(at * size, i);
  }
}

/// The elements as bytes, row-major. Reads memory, so that it depends on no op of the library.
inline std::vector<char> bytes_of(const Tensor& given) {
  const Tensor x = given.cpu();
  const auto size = static_cast<int64_t>(x.itemsize());
  std::vector<char> bytes(static_cast<size_t>(x.numel() * size));
  const char* data = static_cast<const char*>(x.data_ptr());
  for_each_element(x, [&](int64_t at, int64_t i) {
    std::memcpy(bytes.data() + i * size, data + at, static_cast<size_t>(size));
  });
  return bytes;
}

/// Writes the elements of x, which has memory of its own, from row-major bytes.
inline void put_bytes(const Tensor& x, const std::vector<char>& bytes) {
  const auto size = static_cast<int64_t>(x.itemsize());
  char* data = static_cast<char*>(x.mutable_data_ptr());
  for_each_element(x, [&](int64_t at, int64_t i) {
    std::memcpy(data + at, bytes.data() + i * size, static_cast<size_t>(size));
  });
}

/// A tensor whose elements are all wrong: what a test must not see.
inline Tensor garbage(const Shape& shape, DType dtype) {
  const Tensor x = empty(shape, {dtype, "cpu"});
  std::memset(x.mutable_data_ptr(), 0x5b, static_cast<size_t>(x.numel()) * x.itemsize());
  return x;
}

inline Shape reversed(const Shape& shape) {
  Shape result = shape;
  std::reverse(result.begin(), result.end());
  return result;
}

inline Tensor reverse_dims(const Tensor& x) {
  Shape dims;
  for (int64_t d = x.dim(); d-- > 0;) dims.push_back(d);
  return x.permute(dims);
}

/// The first dimension along which all slices are equal, at least two of them.
inline std::optional<int64_t> repeated_dim(const Shape& shape, const std::vector<char>& bytes,
                                           int64_t size) {
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t inner = size;
    for (size_t e = d + 1; e < shape.size(); ++e) inner *= shape[e];
    const auto total = static_cast<int64_t>(bytes.size());
    bool repeated = shape[d] > 1 && total > 0;
    for (int64_t at = 0; at < total && repeated; ++at) {
      const int64_t first = at - at / inner % std::max<int64_t>(shape[d], 1) * inner;
      repeated = bytes[at] == bytes[first];
    }
    if (repeated) return static_cast<int64_t>(d);
  }
  return std::nullopt;
}

/// An expression with these values: half of them come from one tensor, half from another.
inline Tensor deferred(const Shape& shape, DType dtype, const std::vector<char>& bytes) {
  const Tensor mask = empty(shape, {DType::boolean, "cpu"}), a = garbage(shape, dtype),
               b = garbage(shape, dtype);
  const auto size = static_cast<int64_t>(itemsize(dtype));
  auto* bits = static_cast<char*>(mask.mutable_data_ptr());
  for (int64_t i = 0; i < mask.numel(); ++i) {
    bits[i] = i * 7 % 5 < 2;
    const Tensor& chosen = bits[i] ? a : b;
    std::memcpy(static_cast<char*>(chosen.mutable_data_ptr()) + i * size, bytes.data() + i * size,
                static_cast<size_t>(size));
  }
  return where(on_device(mask), on_device(a), on_device(b));
}

/// An expression of two tensors, of which one lies in the reverse order of dimensions.
inline Tensor deferred_over_transposed(const Tensor& x, const std::vector<char>& bytes) {
  const Tensor reversed_x = reverse_dims(garbage(reversed(x.shape()), x.dtype()));
  put_bytes(reversed_x, bytes);
  return where(tensor(true), on_device(reversed_x),
               on_device(from_data(bytes.data(), x.shape(), x.dtype())));
}

/// The elements of an expression that is one larger in every dimension, seen in the reverse order.
inline Tensor deferred_view(const Tensor& x, const std::vector<char>& bytes) {
  if (x.dim() == 0) {
    std::vector<char> pair(bytes);
    pair.insert(pair.begin(), bytes.size(), 0x5b);
    return deferred({2}, x.dtype(), pair).select(0, 1);
  }
  Shape larger = reversed(x.shape());
  for (int64_t& size : larger) ++size;
  const auto middle = [&](const Tensor& whole) {
    Tensor part = reverse_dims(whole);
    for (int64_t d = 0; d < x.dim(); ++d) part = part.narrow(d, 1, x.shape()[d]);
    return part;
  };
  const Tensor whole = garbage(larger, x.dtype());
  put_bytes(middle(whole), bytes);
  return middle(deferred(larger, x.dtype(), bytes_of(whole)));
}

inline Tensor foreign(const Shape& shape, DType dtype, std::vector<char> bytes) {
  const auto size = static_cast<int64_t>(itemsize(dtype));
  Shape strides(shape.size(), 0);
  int64_t next = 1;  // elements; a gap of one behind every run
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = next;
    next = next * std::max<int64_t>(shape[d], 1) + 1;
  }
  auto* memory = new std::vector<double>(static_cast<size_t>(next * size) / 8 + 1, -1e300);
  const Tensor x = from_blob(
      memory->data(), shape, dtype, [memory](void*) { delete memory; }, strides);
  if (dtype == DType::boolean) {
    constexpr char kTrue[] = {1, 2, 127, static_cast<char>(128), static_cast<char>(255)};
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != 0) bytes[i] = kTrue[i % 5];
    }
  }
  put_bytes(x, bytes);
  return x;
}

}  // namespace detail

/// A new tensor with the values of x, laid out in the given way; nothing if these sizes or values
/// do not allow it.
inline std::optional<Tensor> with_layout(LayoutKind kind, const Tensor& x) {
  const std::vector<char> bytes = detail::bytes_of(x);
  const Shape& shape = x.shape();
  const DType dtype = x.dtype();
  Tensor result;
  switch (kind) {
    case LayoutKind::contiguous:
      return on_device(from_data(bytes.data(), shape, dtype));
    case LayoutKind::transposed:
      if (x.dim() < 2) return std::nullopt;
      result = detail::reverse_dims(detail::garbage(detail::reversed(shape), dtype));
      break;
    case LayoutKind::sliced: {
      if (x.dim() == 0) return std::nullopt;
      Shape wide = shape;
      wide.back() = 2 * wide.back() + 1;
      result = detail::garbage(wide, dtype).slice(-1, 1, {}, 2);
      break;
    }
    case LayoutKind::offset: {
      Shape larger = shape;
      for (int64_t& size : larger) size += 2;
      result = detail::garbage(larger, dtype);
      for (int64_t d = 0; d < x.dim(); ++d) result = result.narrow(d, 1, shape[d]);
      break;
    }
    case LayoutKind::expanded: {
      const auto dim = detail::repeated_dim(shape, bytes, static_cast<int64_t>(x.itemsize()));
      if (!dim) return std::nullopt;
      return with_layout(LayoutKind::contiguous, x.narrow(*dim, 0, 1))->expand(shape);
    }
    case LayoutKind::unaligned:
      result = detail::garbage({x.numel() + 1}, dtype).narrow(0, 1, x.numel()).view(shape);
      break;
    case LayoutKind::deferred:
      return detail::deferred(shape, dtype, bytes);
    case LayoutKind::deferred_view:
      return detail::deferred_view(x, bytes);
    case LayoutKind::foreign:
      return on_device(detail::foreign(shape, dtype, bytes));
    case LayoutKind::sliced_rows: {
      if (x.dim() == 0) return std::nullopt;
      Shape tall = shape;
      tall[0] *= 3;
      result = detail::garbage(tall, dtype).slice(0, 2, {}, 3);
      break;
    }
    case LayoutKind::deferred_over_transposed:
      return detail::deferred_over_transposed(x, bytes);
  }
  detail::put_bytes(result, bytes);
  return on_device(result);
}

/// The same from a list of values.
template <Number T>
std::optional<Tensor> with_layout(LayoutKind kind, const Shape& shape,
                                  const std::vector<T>& values) {
  return with_layout(kind, tensor(values, shape));
}

/// x (2-d) in every layout that a matrix can be written in, and as an expression.
struct LaidOut {
  std::string layout;
  Tensor x;
};
inline std::vector<LaidOut> layouts(const Tensor& x) {
  std::vector<LaidOut> all;
  for (LayoutKind kind : kMatrixLayouts) all.push_back({layout_name(kind), *with_layout(kind, x)});
  return all;
}

/// Evaluates deferred or at once while it lives.
class ModeGuard {
 public:
  explicit ModeGuard(bool eager) : before_(eager_mode()) { set_eager_mode(eager); }
  ~ModeGuard() { set_eager_mode(before_); }
  ModeGuard(const ModeGuard&) = delete;
  ModeGuard& operator=(const ModeGuard&) = delete;

 private:
  bool before_;
};

}  // namespace tamis::testing
