// Peer: what a library that is measured has to provide, and the arrays it works on. Each library is
// a module of its own that bench/timing.py loads, so that one that is missing is left out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bench {

/// An array of the driver, read and written in place; up to two dimensions, strides in elements.
struct Array {
  const char* name;
  void* data;
  const char* dtype;  // NumPy's names: "bool", "float32", ...
  int64_t dims;
  int64_t sizes[2];
  int64_t strides[2];
};

/// The arrays of a workload, by name.
class Arrays {
 public:
  Arrays(const Array* arrays, int64_t count) : arrays_(arrays), count_(count) {}

  const Array& operator[](std::string_view name) const {
    for (int64_t i = 0; i < count_; ++i) {
      if (arrays_[i].name == name) return arrays_[i];
    }
    throw std::runtime_error("no array " + std::string(name));
  }
  /// The only element of a float32 or int64 array.
  float number(std::string_view name) const {
    return *static_cast<const float*>((*this)[name].data);
  }
  int64_t integer(std::string_view name) const {
    return *static_cast<const int64_t*>((*this)[name].data);
  }

 private:
  const Array* arrays_;
  int64_t count_;
};

/// One call of an operation, allocation and release of its result included.
using Call = std::function<void()>;
/// Makes one from the arrays; their memory outlives it, the descriptions do not.
using Operation = Call (*)(const Arrays&);

/// Defined by each peer: what it has, by the name of the operation.
const std::map<std::string_view, Operation>& operations();
void set_threads(int n);

}  // namespace bench
