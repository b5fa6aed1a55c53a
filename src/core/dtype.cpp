// Promotion between dtypes, by PyTorch's lattice.
#include "tamis/dtype.h"

#include <array>

namespace tamis {

namespace {

/// The first dtype of the list for which is_wanted holds.
template <class F>
constexpr DType find(F is_wanted) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (is_wanted(static_cast<DType>(i))) return static_cast<DType>(i);
  }
  __builtin_unreachable();
}

constexpr DType wider(DType a, DType b) { return itemsize(a) < itemsize(b) ? b : a; }

/// The smallest integer dtype that holds both, or float64, as NumPy does, where there is none.
constexpr DType promote_integers(DType a, DType b) {
  if (is_signed(a) == is_signed(b)) return wider(a, b);
  const DType with_sign = is_signed(a) ? a : b, without = is_signed(a) ? b : a;
  if (itemsize(with_sign) > itemsize(without)) return with_sign;
  if (itemsize(without) == itemsize(DType::int64)) return DType::float64;
  return find([=](DType d) {
    return is_integral(d) && is_signed(d) && itemsize(d) == 2 * itemsize(without);
  });
}

constexpr DType promote_floats(DType a, DType b) {
  if (itemsize(a) != itemsize(b)) return wider(a, b);
  return find([=](DType d) { return is_floating_point(d) && itemsize(d) == 2 * itemsize(a); });
}

constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    const DType parts = promote(real_dtype(a), real_dtype(b));
    return find([=](DType d) { return is_complex(d) && real_dtype(d) == parts; });
  }
  if (is_floating_point(a) && is_floating_point(b)) return promote_floats(a, b);
  if (is_floating_point(a) || is_floating_point(b)) return is_floating_point(a) ? a : b;
  if (is_integral(a) && is_integral(b)) return promote_integers(a, b);
  return is_integral(a) ? a : b;
}

using Promotions = std::array<std::array<DType, kDTypeCount>, kDTypeCount>;
constexpr Promotions kPromotions = [] {
  Promotions table{};
  for (int a = 0; a < kDTypeCount; ++a) {
    for (int b = 0; b < kDTypeCount; ++b) {
      table[a][b] = promote(static_cast<DType>(a), static_cast<DType>(b));
    }
  }
  return table;
}();

}  // namespace

DType promote_types(DType a, DType b) {
  return kPromotions[static_cast<size_t>(a)][static_cast<size_t>(b)];
}

bool can_cast(DType from, DType to) {
  if (is_complex(from)) return is_complex(to);
  if (is_floating_point(from)) return is_floating_point(to) || is_complex(to);
  return from == DType::boolean || to != DType::boolean;
}

}  // namespace tamis
