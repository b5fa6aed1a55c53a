// When the GIL is held: calls that take less time than releasing it and taking it back.
#pragma once

#include "expr/expr.h"
#include "object.h"

namespace tamis::python {

/// This many elements are processed in less than a microsecond, on the calling thread.
constexpr int64_t kQuickElements = 1024;

/// Whether reading x takes no time and never waits: it has few elements, in the CPU's memory.
inline bool is_quick(const Tensor& x) {
  return x.numel() <= kQuickElements && storage_of(x)->ready() && is_on_host(x);
}
/// The same for an operation on two, whose result has no more elements than they have.
inline bool is_quick(const Tensor& x, const Tensor& y) {
  return is_quick(x) && is_quick(y) && (x.numel() == 1 || y.numel() == 1 || x.shape() == y.shape());
}
/// The same for writing. Other threads may be reading x, and need the GIL until they are done.
inline bool is_quick_to_write(const Tensor& x) {
  return is_quick(x) && !storage_of(x)->has_readers();
}

/// Runs f, which touches no Python object, without the GIL unless it is quick.
template <class F>
auto without_gil_unless(bool quick, F&& f) {
  return quick ? std::forward<F>(f)() : without_gil(std::forward<F>(f));
}

}  // namespace tamis::python
