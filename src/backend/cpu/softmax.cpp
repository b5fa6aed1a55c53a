// The softmax sink: every row is read once and normalised while it is in the cache. The order of
// additions depends on the length alone.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"
#include "tamis/scalar.h"

namespace tamis::cpu {

namespace {

void fill(DType dtype, double value, int64_t n, void* out) {
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    std::fill_n(static_cast<T*>(out), n, Scalar(value).to<T>());
  });
}

/// Normalises rows on one thread.
class RowNormalizer {
 public:
  RowNormalizer(const Program& program, bool logarithm, int64_t length, DType result)
      : evaluator_(program),
        has_mask_(program.mask >= 0),
        logarithm_(logarithm),
        length_(length),
        dtype_(program.dtype),
        result_(result),
        masked_out_(logarithm ? -std::numeric_limits<double>::infinity() : 0),
        words_(static_cast<size_t>(length + 63) / 64) {
    if (length > kBlock) values_.resize(static_cast<size_t>(length * size()) / sizeof(float));
    if (result != dtype_) wide_.resize(static_cast<size_t>(length));
    if (has_mask_) fill(dtype_, masked_out_, kBlock, evaluator_.scratch());
  }

  /// Rows [first, first + n), at most a block altogether.
  void short_rows(int64_t first, int64_t n, char* out) {
    const int64_t start = first * length_, all = n * length_;
    const Register* mask = has_mask_ ? &evaluator_.run_mask(start, all) : nullptr;
    if (mask && mask->state == MaskState::none) return fill(result_, masked_out_, all, out);
    const auto* values = static_cast<const char*>(mask ? evaluator_.run_kept(start, all)
                                                       : evaluator_.run_value(start, all));
    const bool mixed = mask && mask->state == MaskState::mixed;
    for (int64_t r = 0; r < n; ++r) {
      if (mixed) copy_bits(mask->words(), r * length_, length_, words_.data());
      normalize(values + r * length_ * size(), mixed ? words_.data() : nullptr,
                out + r * length_ * static_cast<int64_t>(itemsize(result_)));
    }
  }

  /// A row of several blocks; those without a kept element are not computed.
  void long_row(int64_t row, char* out) {
    char* values = reinterpret_cast<char*>(values_.data());
    for (int64_t at = 0; at < length_; at += kBlock) {
      const int64_t start = row * length_ + at, n = std::min(kBlock, length_ - at);
      if (has_mask_) {
        const Register& mask = evaluator_.run_mask(start, n);
        std::memcpy(&words_[at / 64], mask.words(), static_cast<size_t>(n + 63) / 64 * 8);
        if (mask.state == MaskState::none) continue;
      }
      evaluator_.run_value(start, n, values + at * size());
    }
    normalize(values, has_mask_ ? words_.data() : nullptr, out);
  }

 private:
  int64_t size() const { return static_cast<int64_t>(itemsize(dtype_)); }

  /// A null `words` keeps all; what is not kept of the values may be anything.
  void normalize(const char* values, const uint64_t* words, char* out) {
    const int dtype = static_cast<int>(dtype_);
    char* const to = result_ == dtype_ ? out : reinterpret_cast<char*>(wide_.data());
    const auto for_blocks = [&](auto&& block) {
      for (int64_t at = 0; at < length_; at += kBlock) {
        block(values + at * size(), words ? words + at / 64 : nullptr, to + at * size(),
              static_cast<size_t>(std::min(kBlock, length_ - at)));
      }
    };
    double shift = -std::numeric_limits<double>::infinity(), sum = 0;
    for_blocks([&](const char* x, const uint64_t* mask, char*, size_t n) {
      const double found = kernels_.kept_max[dtype](x, mask, n);
      if (!(found <= shift)) shift = found;
    });
    for_blocks([&](const char* x, const uint64_t* mask, char* y, size_t n) {
      sum += kernels_.exp_sum[dtype](x, mask, shift, y, n);
    });
    const double factor = 1 / sum, log_sum = logarithm_ ? std::log(sum) : 0;
    // The sum is 0 if nothing is kept, and then so is the result; NaN must not reach the rest.
    const bool blends = words && (logarithm_ || sum != sum || sum == 0);
    for_blocks([&](const char* x, const uint64_t* mask, char* y, size_t n) {
      if (logarithm_) {
        kernels_.subtract[dtype](x, shift, log_sum, y, n);
      } else {
        kernels_.scale[dtype](factor, y, n);
      }
      if (blends) kernels_.where[width_index(size())](y, evaluator_.scratch(), mask, y, n);
    });
    if (to != out) kernels_.cast[dtype][static_cast<int>(result_)](to, out, length_);
  }

  Evaluator evaluator_;
  const Kernels& kernels_ = kernels();
  bool has_mask_, logarithm_;
  int64_t length_;
  DType dtype_, result_;
  double masked_out_;            // also a block of it in the evaluator's scratch
  std::vector<uint64_t> words_;  // the row's mask
  std::vector<float> values_;    // a long row, of either dtype
  std::vector<float> wide_;      // a result that is not of the dtype of the values
};

}  // namespace

void run_softmax(const Program& program, bool logarithm, int64_t rows, int64_t length, void* out,
                 DType result) {
  const int64_t row_bytes = length * static_cast<int64_t>(itemsize(result));
  const int64_t together = std::max<int64_t>(1, kBlock / length);
  const int64_t parts = (rows + together - 1) / together;
  const int64_t grain = std::max<int64_t>(1, kChunk / (together * length));
  parallel_for(parts, grain, [&](int64_t begin, int64_t end) {
    RowNormalizer normalizer(program, logarithm, length, result);
    for (int64_t part = begin; part < end; ++part) {
      const int64_t row = part * together;
      char* to = static_cast<char*>(out) + row * row_bytes;
      if (length > kBlock) {
        normalizer.long_row(row, to);
      } else {
        normalizer.short_rows(row, std::min(together, rows - row), to);
      }
    }
  });
}

}  // namespace tamis::cpu
