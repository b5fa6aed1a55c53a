// Applying one operation to a few elements: its kernel is called at once, for which making a
// program would take longer than the work.
#include <algorithm>
#include <cstring>

#include "backend/cpu/address.h"
#include "backend/cpu/bits.h"
#include "backend/cpu/evaluator.h"
#include "backend/cpu/sinks.h"
#include "core/convert.h"

namespace tamis::cpu {

namespace {

/// Whether a kernel converts between these without a step in between. Bools do through mask words.
bool converts(DType from, DType to) { return from == to || (!is_complex(from) && !is_complex(to)); }

/// The operands of one call, and buffers for those that are not in memory as kernels read them.
class Call {
 public:
  Call(const Shape& shape, int64_t n)
      : shape_(shape),
        n_(n),
        bytes_((static_cast<size_t>(n) * 16 + 63) / 64 * 64 + 64),
        buffers_(apply_buffers(kBuffers * bytes_)) {}

  /// x as elements of dtype `to`, a single one as kernels take it if `may_be_uniform`.
  Elements values(const Applied& x, DType to, bool may_be_uniform = true) {
    const char* const from = address(x.buffer, itemsize(x.dtype));
    if (x.is_number) {
      const int64_t n = may_be_uniform ? std::min<int64_t>(n_, 64) : n_;
      const void* const one = converted(from, x.dtype, to, 1);
      if (n == 1) return {one, false};
      void* const all = buffer();
      kernels().fill[width_index(itemsize(to))](one, all, static_cast<size_t>(n));
      return {all, may_be_uniform};
    }
    return {converted(packed(x, from), x.dtype, to, n_), false};
  }
  /// A mask as words.
  const uint64_t* words(const Applied& x) {
    auto* const out = static_cast<uint64_t*>(buffer());
    const char* const from = address(x.buffer, itemsize(x.dtype));
    const auto to_mask = kernels().to_mask[static_cast<int>(x.dtype)];
    if (x.is_number) {
      to_mask(from, out, 1);
      fill_words(out, n_, out[0] != 0);
    } else {
      to_mask(packed(x, from), out, size());
    }
    return out;
  }
  /// For n elements of any dtype.
  void* buffer() { return buffers_ + bytes_ * used_++; }
  size_t size() const { return static_cast<size_t>(n_); }

 private:
  // For each of three operands its elements in order, converted, and the words of a mask between.
  static constexpr size_t kBuffers = 10;

  const void* packed(const Applied& x, const char* from) {
    if (!x.strides || is_packed(shape_, *x.strides)) return from;
    char* const out = static_cast<char*>(buffer());
    const auto bytes = static_cast<int64_t>(itemsize(x.dtype));
    const Shape& strides = *x.strides;
    const int64_t stride = strides.back();
    const auto gather = kernels().gather[width_index(itemsize(x.dtype))];
    for_each_segment(shape_, strides, 0, n_, [&](int64_t offset, int64_t at, int64_t length) {
      const char* const run = from + offset * bytes;
      if (stride == 1) {
        std::memcpy(out + at * bytes, run, static_cast<size_t>(length * bytes));
      } else {
        gather(run, stride, out + at * bytes, static_cast<size_t>(length));
      }
    });
    return out;
  }

  const void* converted(const void* from, DType dtype, DType to, int64_t n) {
    // Bools are not just copied: any nonzero byte becomes 1.
    if (dtype == to && to != DType::boolean) return from;
    const auto count = static_cast<size_t>(n);
    const int in = static_cast<int>(dtype), out = static_cast<int>(to);
    void* const result = buffer();
    if (dtype == DType::boolean || to == DType::boolean) {
      auto* const bits = static_cast<uint64_t*>(buffer());
      kernels().to_mask[in](from, bits, count);
      kernels().from_mask[out](bits, result, count);
    } else {
      kernels().cast[in][out](from, result, count);
    }
    return result;
  }

  const Shape& shape_;
  const int64_t n_;
  const size_t bytes_;  // of a buffer
  char* const buffers_;
  size_t used_ = 0;
};

void combine(Op op, const uint64_t* a, const uint64_t* b, int64_t n, uint64_t* out) {
  const size_t count = words_of(n);
  for (size_t i = 0; i < count; ++i) {
    out[i] = op == Op::mask_and ? a[i] & b[i] : op == Op::mask_or ? a[i] | b[i] : a[i] ^ b[i];
  }
}

/// An operation whose result is a mask, to words.
void apply_mask(Call& call, Op op, DType operand, std::span<const Applied> inputs, int64_t n,
                uint64_t* out) {
  if (is_compare(op)) {
    const Elements a = call.values(inputs[0], operand), b = call.values(inputs[1], operand);
    kernels().compare[compare_index(op)][static_cast<int>(operand)](a, b, out, call.size());
  } else if (op == Op::mask_not) {
    const uint64_t* const a = call.words(inputs[0]);
    for (size_t i = 0; i < words_of(n); ++i) out[i] = ~a[i];
    out[words_of(n) - 1] &= tail_word(n);
  } else {
    const uint64_t* const a = call.words(inputs[0]);
    combine(op, a, call.words(inputs[1]), n, out);
  }
}

void apply_values(Call& call, Op op, DType operand, std::span<const Applied> inputs, void* out) {
  const int in = static_cast<int>(operand);
  if (is_unary(op)) {
    kernels().unary[unary_index(op)][in](call.values(inputs[0], operand, false).data, out,
                                         call.size());
  } else if (is_binary(op)) {
    const Elements a = call.values(inputs[0], operand), b = call.values(inputs[1], operand);
    kernels().binary[binary_index(op)][in](a, b, out, call.size());
  } else if (op == Op::where) {
    const uint64_t* const mask = call.words(inputs[0]);
    const Elements a = call.values(inputs[1], operand), b = call.values(inputs[2], operand);
    kernels().where[width_index(itemsize(operand))](a, b, mask, out, call.size());
  } else {
    const void* const copy = call.values(inputs[0], operand, false).data;
    std::memcpy(out, copy, call.size() * itemsize(operand));
  }
}

}  // namespace

bool is_one_kernel(Op op, DType operand, DType result, std::span<const Applied> inputs) {
  const auto fits = [&](const Applied& x) { return converts(x.dtype, operand); };
  if (op == Op::cast) return converts(inputs[0].dtype, result);
  if (op == Op::where) return std::all_of(inputs.begin() + 1, inputs.end(), fits);
  if (is_mask_op(op)) return true;
  const DType made = is_compare(op)           ? DType::boolean
                     : is_real_of_complex(op) ? real_dtype(operand)
                                              : operand;
  const bool has_kernel = (is_unary(op) || is_binary(op) || is_compare(op)) &&
                          operand != DType::boolean && takes(op, operand);
  return has_kernel && made == result && compute_dtype(operand) == operand &&
         std::all_of(inputs.begin(), inputs.end(), fits);
}

void run_apply(Op op, DType operand, DType result, std::span<const Applied> inputs,
               const Shape& shape, void* out) {
  const int64_t n = numel(shape);
  if (n == 0) return;
  Call call(shape, n);
  if (is_compare(op) || is_mask_op(op)) {
    auto* const words = static_cast<uint64_t*>(call.buffer());
    apply_mask(call, op, operand, inputs, n, words);
    kernels().from_mask[static_cast<int>(DType::boolean)](words, out, call.size());
  } else {
    apply_values(call, op, op == Op::cast ? result : operand, inputs, out);
  }
}

}  // namespace tamis::cpu
