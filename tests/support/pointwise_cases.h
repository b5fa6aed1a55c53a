// Pointwise cases: operands of every dtype and layout, and plain element-by-element references.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "support/layouts.h"
#include "tamis/tamis.h"

namespace tamis::testing {

/// All but the complex ones, which complex_test.cpp looks after.
inline constexpr DType kAllDTypes[] = {boolean, uint8,   uint16,   int8,    int16,  int32,
                                       int64,   float16, bfloat16, float32, float64};

inline std::string dtype_name(const ::testing::TestParamInfo<DType>& info) {
  return name(info.param);
}

/// The type that references compute in: what the library must round like.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double,
                                    std::conditional_t<std::is_integral_v<T>, int64_t, float>>;

/// Repeatable values that the dtype holds exactly: small whole numbers and quarters of either sign,
/// and for floating point now and then a zero of either sign, an infinity or NaN.
inline Tensor operand(DType dtype, const Shape& shape, uint32_t seed, bool zeros = true) {
  return visit_real(dtype, [&](auto type) {
    using T = decltype(type);
    std::vector<uint64_t> bytes(numel(shape) * sizeof(T) / 8 + 1);
    T* values = reinterpret_cast<T*>(bytes.data());
    for (int64_t i = 0; i < numel(shape); ++i) {
      seed = seed * 1664525u + 1013904223u;
      const int pick = static_cast<int>(seed >> 16) % 97;
      if constexpr (std::is_same_v<T, bool>) {
        values[i] = pick % 3 == 0 || !zeros;
      } else if constexpr (std::is_integral_v<T>) {
        const int v = std::is_signed_v<T> ? pick - 48 : pick;
        values[i] = static_cast<T>(v == 0 && !zeros ? 5 : v);
      } else {
        constexpr float kInf = std::numeric_limits<float>::infinity();
        constexpr float kSpecial[] = {0.0f, -0.0f, kInf, -kInf,
                                      std::numeric_limits<float>::quiet_NaN()};
        values[i] = pick < 5 ? T(kSpecial[pick]) : T(static_cast<float>(pick - 50) * 0.25f);
      }
    }
    return from_data(values, shape, dtype);
  });
}

/// Two operands whose shapes broadcast.
struct Pair {
  const char* layout;
  Tensor a, b;
};

/// The same kinds of values in every layout: what an op computes may not depend on it.
inline std::vector<Pair> pairs(DType da, DType db, bool zeros = true) {
  const auto a = [&](const Shape& s) { return operand(da, s, 1); };
  const auto b = [&](const Shape& s) { return operand(db, s, 2, zeros); };
  const auto transposed = [](const Tensor& x) { return *with_layout(LayoutKind::transposed, x); };
  const auto sliced = [](const Tensor& x) { return *with_layout(LayoutKind::sliced, x); };
  const auto offset = [](const Tensor& x) { return *with_layout(LayoutKind::offset, x); };
  return {
      {"contiguous", a({4, 5}), b({4, 5})},
      {"transposed", transposed(a({4, 5})), b({4, 5})},
      {"both transposed", transposed(a({4, 5})), transposed(b({4, 5}))},
      {"sliced", a({4, 5}), sliced(b({4, 5}))},
      {"offset", offset(a({4, 5})), offset(b({4, 5}))},
      {"row", a({4, 5}), b({5})},
      {"column", a({5}), b({4, 1})},
      {"outer", a({4, 1}), b({1, 5})},
      {"expanded", a({4, 1}).expand({4, 5}), b({4, 5})},
      {"0-d second", a({4, 5}), b({})},
      {"0-d first", a({}), b({4, 5})},
      {"both 0-d", a({}), b({})},
      {"empty", a({0, 5}), b({0, 5})},
      {"empty by broadcasting", a({4, 1}), b({4, 0})},
      {"three dimensions", a({3, 1, 5}), b({2, 1})},
      {"several blocks", a({67, 65}), b({67, 65})},
      {"several blocks, transposed", transposed(a({67, 131})), b({131})},
  };
}

/// One operand in every layout.
inline std::vector<Pair> singles(DType dtype) {
  std::vector<Pair> all;
  for (const Pair& p : pairs(dtype, dtype)) all.push_back({p.layout, p.a, p.b});
  return all;
}

/// The value of x, an operand that broadcasts to shape, at element i of shape in row-major order.
template <class T>
T at(const Tensor& x, const std::vector<T>& values, const Shape& shape, int64_t i) {
  int64_t index = 0, step = 1;
  const size_t lead = shape.size() - x.shape().size();
  for (size_t d = shape.size(); d-- > lead;) {
    const int64_t size = x.shape()[d - lead];
    if (size != 1) index += (i % shape[d]) * step;
    step *= size;
    i /= shape[d];
  }
  return values[static_cast<size_t>(index)];
}

/// Equal, or both NaN.
template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

/// Checks a result of dtype R against f of the operands' elements (both of dtype T), taken as
/// Computed<T>.
template <class T, class R, class F>
void expect_pointwise(const Tensor& result, const Tensor& a, const Tensor& b, F f) {
  ASSERT_EQ(result.dtype(), dtype_of<R>) << name(result.dtype());
  ASSERT_EQ(result.shape(), broadcast_shapes(a.shape(), b.shape()));
  const std::vector<T> va = a.to_vector<T>(), vb = b.to_vector<T>();
  const std::vector<R> got = result.to_vector<R>();
  ASSERT_EQ(static_cast<int64_t>(got.size()), numel(result.shape()));
  for (int64_t i = 0; i < numel(result.shape()); ++i) {
    const auto x = static_cast<Computed<T>>(at(a, va, result.shape(), i));
    const auto y = static_cast<Computed<T>>(at(b, vb, result.shape(), i));
    const R want = static_cast<R>(f(x, y));
    ASSERT_TRUE(same<Computed<R>>(got[i], want))
        << "element " << i << " of " << to_string(result.shape()) << ": f(" << +x << ", " << +y
        << ") gave " << Computed<R>(got[i]) << ", not " << Computed<R>(want);
  }
}

/// Calls f and checks that it throws Error with this kind and text.
template <class F>
void expect_error(ErrorKind kind, const std::string& text, F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), text);
    EXPECT_EQ(e.kind(), kind);
    return;
  }
  ADD_FAILURE() << "nothing was thrown; expected: " << text;
}

/// The content of a file of the source tree.
std::string read_text(const std::string& path);
/// All files in a folder of the tree and in the folders inside it, by their paths from its root.
std::vector<std::string> files_under(const std::string& folder);

/// The dtype of a PyTorch name.
inline DType parse_dtype(const std::string& text) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (text == name(static_cast<DType>(i))) return static_cast<DType>(i);
  }
  ADD_FAILURE() << "no dtype is named " << text;
  return boolean;
}

}  // namespace tamis::testing
