// Kernels that make masks of values, and values of masks.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/compare.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <bit>
#include <cmath>
#include <type_traits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/kernels/mask_words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

struct Eq {
  template <class T>
  static bool one(T a, T b) {
    return a == b;
  }
};

struct Lt {
  template <class T>
  static bool one(T a, T b) {
    return a < b;
  }
};

struct Le {
  template <class T>
  static bool one(T a, T b) {
    return a <= b;
  }
};

// The same of the sizes of floating point numbers, whatever their signs.
template <class Test>
struct OfSizes {
  template <class T>
  static bool one(T a, T b) {
    return Test::one(std::abs(a), std::abs(b));
  }
};

#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX2
template <class Test>
constexpr bool kIsOfSizes = false;
template <class Test>
constexpr bool kIsOfSizes<OfSizes<Test>> = true;
// Which of several relations a test is, of numbers or of their sizes.
template <class Test, class Relation>
constexpr bool kIs = std::is_same_v<Test, Relation> || std::is_same_v<Test, OfSizes<Relation>>;
#endif

#if HWY_TARGET == HWY_AVX3_DL
// The mask of one vector of elements at a and b.
template <class Test, class T>
HWY_INLINE uint64_t compare_vector(const T* a, const T* b) {
  constexpr bool eq = kIs<Test, Eq>, lt = kIs<Test, Lt>;
  constexpr auto kIntegers = eq ? _MM_CMPINT_EQ : lt ? _MM_CMPINT_LT : _MM_CMPINT_LE;
  constexpr int kFloats = eq ? _CMP_EQ_OQ : lt ? _CMP_LT_OQ : _CMP_LE_OQ;
  if constexpr (std::is_same_v<T, float>) {
    const __m512 x = _mm512_loadu_ps(a), y = _mm512_loadu_ps(b);
    if constexpr (kIsOfSizes<Test>) {
      return _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_abs_ps(y), kFloats);
    } else {
      return _mm512_cmp_ps_mask(x, y, kFloats);
    }
  } else if constexpr (std::is_same_v<T, double>) {
    const __m512d x = _mm512_loadu_pd(a), y = _mm512_loadu_pd(b);
    if constexpr (kIsOfSizes<Test>) {
      return _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_abs_pd(y), kFloats);
    } else {
      return _mm512_cmp_pd_mask(x, y, kFloats);
    }
  } else {
    const __m512i x = _mm512_loadu_si512(a), y = _mm512_loadu_si512(b);
    constexpr bool plus = std::is_unsigned_v<T>;
    if constexpr (sizeof(T) == 1) {
      return plus ? _mm512_cmp_epu8_mask(x, y, kIntegers) : _mm512_cmp_epi8_mask(x, y, kIntegers);
    } else if constexpr (sizeof(T) == 2) {
      return plus ? _mm512_cmp_epu16_mask(x, y, kIntegers) : _mm512_cmp_epi16_mask(x, y, kIntegers);
    } else if constexpr (sizeof(T) == 4) {
      return plus ? _mm512_cmp_epu32_mask(x, y, kIntegers) : _mm512_cmp_epi32_mask(x, y, kIntegers);
    } else {
      return plus ? _mm512_cmp_epu64_mask(x, y, kIntegers) : _mm512_cmp_epi64_mask(x, y, kIntegers);
    }
  }
}
template <class T>
constexpr int kCompared = 64 / sizeof(T);
template <class Test, class T>
constexpr bool kInverted = false;
template <class T>
constexpr bool kComparesVectors = true;

#elif HWY_TARGET == HWY_AVX2
// Numbers without their signs, if the test is one of sizes.
template <class Test>
HWY_INLINE __m256 size_of(__m256 v) {
  return kIsOfSizes<Test> ? _mm256_andnot_ps(_mm256_set1_ps(-0.f), v) : v;
}
template <class Test>
HWY_INLINE __m256d size_of(__m256d v) {
  return kIsOfSizes<Test> ? _mm256_andnot_pd(_mm256_set1_pd(-0.0), v) : v;
}

// All bits of each element of 4 or 8 bytes for which the test holds. There is no <= of integers: it
// is inverted at the end.
template <class Test, class T>
HWY_INLINE __m256i compare_lanes(const T* a, const T* b) {
  constexpr bool eq = kIs<Test, Eq>, lt = kIs<Test, Lt>;
  constexpr int kFloats = eq ? _CMP_EQ_OQ : lt ? _CMP_LT_OQ : _CMP_LE_OQ;
  if constexpr (std::is_same_v<T, float>) {
    const __m256 x = size_of<Test>(_mm256_loadu_ps(a)), y = size_of<Test>(_mm256_loadu_ps(b));
    return _mm256_castps_si256(_mm256_cmp_ps(x, y, kFloats));
  } else if constexpr (std::is_same_v<T, double>) {
    const __m256d x = size_of<Test>(_mm256_loadu_pd(a)), y = size_of<Test>(_mm256_loadu_pd(b));
    return _mm256_castpd_si256(_mm256_cmp_pd(x, y, kFloats));
  } else {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    constexpr bool wide = sizeof(T) == 8;
    if constexpr (eq) return wide ? _mm256_cmpeq_epi64(x, y) : _mm256_cmpeq_epi32(x, y);
    if constexpr (lt) return wide ? _mm256_cmpgt_epi64(y, x) : _mm256_cmpgt_epi32(y, x);
    return wide ? _mm256_cmpgt_epi64(x, y) : _mm256_cmpgt_epi32(x, y);
  }
}

// 16 elements of 4 bytes, as 2 bytes each; packing works within the halves of vectors.
template <class Test, class T>
HWY_INLINE __m256i compare_two(const T* a, const T* b) {
  return _mm256_packs_epi32(compare_lanes<Test>(a, b), compare_lanes<Test>(a + 8, b + 8));
}

// The bits of 32 elements of 4 bytes, which are gathered as bytes, or of 4 elements of 8 bytes.
template <class Test, class T>
HWY_INLINE uint64_t compare_vector(const T* a, const T* b) {
  if constexpr (sizeof(T) == 4) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bytes =
        _mm256_packs_epi16(compare_two<Test>(a, b), compare_two<Test>(a + 16, b + 16));
    return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order)));
  } else {
    return static_cast<uint32_t>(
        _mm256_movemask_pd(_mm256_castsi256_pd(compare_lanes<Test>(a, b))));
  }
}
template <class Test, class T>
constexpr bool kInverted = std::is_integral_v<T>&& std::is_same_v<Test, Le>;
template <class T>
constexpr int kCompared = sizeof(T) == 4 ? 32 : 4;
// There is no comparison of unsigned integers either.
template <class T>
constexpr bool kComparesVectors = sizeof(T) >= 4 && std::is_signed_v<T>;

#else
template <class T>
constexpr bool kComparesVectors = false;
template <class T>
[[maybe_unused]] constexpr int kCompared = 0;
template <class Test, class T>
[[maybe_unused]] constexpr bool kInverted = false;
#endif

template <class Test, class T>
HWY_INLINE uint64_t compare_word(const T* a, const T* b) {
  if constexpr (kComparesVectors<T>) {
    uint64_t word = 0;
    for (int i = 0; i < 64; i += kCompared<T>) word |= compare_vector<Test>(a + i, b + i) << i;
    return kInverted<Test, T> ? ~word : word;
  } else {
    alignas(64) uint8_t bytes[64];
    for (int i = 0; i < 64; ++i) bytes[i] = Test::one(a[i], b[i]) ? 0xFF : 0;
    return bits_from_bytes(bytes);
  }
}

template <class Test, class T>
void compare(Elements a, Elements b, uint64_t* out, size_t n) {
  const T* x = static_cast<const T*>(a.data);
  const T* y = static_cast<const T*>(b.data);
  for (; n >= 64; n -= 64, x += a.step, y += b.step) *out++ = compare_word<Test>(x, y);
  if (n == 0) return;
  uint64_t rest = 0;
  for (size_t i = 0; i < n; ++i) rest |= uint64_t{Test::one(x[i], y[i])} << i;
  *out = rest;
}

template <class T>
size_t find(const void* a, const void* value, size_t n) {
  const T* const x = static_cast<const T*>(a);
  const T wanted = *static_cast<const T*>(value);
  const bool is_nan = wanted != wanted;
  T repeated[64];
  for (T& each : repeated) each = wanted;
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const uint64_t word =
        is_nan ? ~compare_word<Eq>(x + i, x + i) : compare_word<Eq>(x + i, repeated);
    if (word != 0) return i + static_cast<size_t>(std::countr_zero(word));
  }
  while (i < n && !(is_nan ? x[i] != x[i] : x[i] == wanted)) ++i;
  return i;
}

// Nonzero: of integers and, with all bits but the sign, of 16-bit floats.
template <class T, T bits>
struct NonzeroBits {
  using Element = T;
  static bool one(T x) { return (x & bits) != 0; }
};

template <class T>
struct Nonzero {
  using Element = T;
  static bool one(T x) { return x != 0; }
};

template <class Test>
HWY_INLINE uint64_t nonzero_word(const typename Test::Element* x) {
#if HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(*x) == 1) {
    const __m512i v = _mm512_loadu_si512(x);
    return _mm512_test_epi8_mask(v, v);
  }
#endif
  alignas(64) uint8_t bytes[64];
  for (int i = 0; i < 64; ++i) bytes[i] = Test::one(x[i]) ? 0xFF : 0;
  return bits_from_bytes(bytes);
}

template <class Test>
void to_mask(const void* a, uint64_t* out, size_t n) {
  const auto* x = static_cast<const typename Test::Element*>(a);
  for (; n >= 64; n -= 64, x += 64) {
    prefetch_next(x);
    *out++ = nonzero_word<Test>(x);
  }
  if (n == 0) return;
  uint64_t rest = 0;
  for (size_t i = 0; i < n; ++i) rest |= uint64_t{Test::one(x[i])} << i;
  *out = rest;
}

// `one` holds the bits of the value 1.
template <int W, uint64_t one>
void from_mask(const uint64_t* mask, void* out, size_t n) {
  using T = typename Word<W>::type;
  T* y = static_cast<T*>(out);
  alignas(64) uint8_t bytes[64];
  for (; n >= 64; n -= 64, y += 64) {
    bytes_from_bits(*mask++, bytes);
    for (int i = 0; i < 64; ++i) y[i] = bytes[i] ? static_cast<T>(one) : T{0};
  }
  for (size_t i = 0; i < n; ++i) y[i] = *mask >> i & 1 ? static_cast<T>(one) : T{0};
}

template <class T>
void set_compares(Kernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  table.compare[compare_index(Op::eq)][type] = &compare<Eq, Signless<T>>;
  table.compare[compare_index(Op::lt)][type] = &compare<Lt, T>;
  table.compare[compare_index(Op::le)][type] = &compare<Le, T>;
  table.find[type] = &find<Signless<T>>;
}

template <class T>
void set_compares_of_sizes(Kernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  table.compare[compare_index(Op::abs_lt)][type] = &compare<OfSizes<Lt>, T>;
  table.compare[compare_index(Op::abs_le)][type] = &compare<OfSizes<Le>, T>;
}

template <class Test, int W, uint64_t one>
void set_mask(Kernels& table, DType dtype) {
  table.to_mask[static_cast<int>(dtype)] = &to_mask<Test>;
  table.from_mask[static_cast<int>(dtype)] = &from_mask<W, one>;
}

}  // namespace

void fill_compare(Kernels& table) {
#define X(constant, type, ...) \
  set_compares<type>(table);   \
  set_mask<Nonzero<Signless<type>>, sizeof(type), 1>(table, DType::constant);
  TAMIS_INTEGER_DTYPES(X)
#undef X
  set_compares<float>(table);
  set_compares<double>(table);
  set_compares_of_sizes<float>(table);
  set_compares_of_sizes<double>(table);
  set_mask<Nonzero<int8_t>, 1, 1>(table, DType::boolean);
  set_mask<NonzeroBits<uint16_t, 0x7FFF>, 2, 0x3C00>(table, DType::float16);
  set_mask<NonzeroBits<uint16_t, 0x7FFF>, 2, 0x3F80>(table, DType::bfloat16);
  set_mask<Nonzero<float>, 4, 0x3F800000>(table, DType::float32);
  set_mask<Nonzero<double>, 8, 0x3FF0000000000000>(table, DType::float64);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
