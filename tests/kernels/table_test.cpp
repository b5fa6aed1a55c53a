// The tables of kernels: an entry is there for exactly the dtypes that the rows of ops and
// reductions name, on every instruction set. A kernel that was forgotten fails here by its name.
#include <gtest/gtest.h>

#include "backend/cpu/kernels/kernels.h"
#include "core/convert.h"
#include "support/kernels.h"

namespace tamis::testing {
namespace {

using cpu::Kernels;

/// Calls f(dtype) for all of them.
template <class F>
void for_each_dtype(F f) {
  for (int i = 0; i < kDTypeCount; ++i) f(static_cast<DType>(i));
}

/// Whether kernels compute in it: bools are masks, and 16-bit floating point goes by way of
/// float32.
bool is_computed_in(DType dtype) {
  return dtype != DType::boolean && compute_dtype(dtype) == dtype;
}

template <class Table, class F>
void expect_row(const Kernels& k, const char* name, const Table& row, F is_there) {
  for_each_dtype([&](DType dtype) {
    EXPECT_EQ(row[index(dtype)] != nullptr, is_there(dtype))
        << k.isa << ": " << name << " of " << tamis::name(dtype);
  });
}

TEST(KernelTable, HasWhatTheRowsOfOpsSay) {
  for (const Kernels* k : all_kernels()) {
    const auto expect = [&](Op op, const auto& row) {
      expect_row(*k, name(op), row,
                 [&](DType dtype) { return is_computed_in(dtype) && takes(op, dtype); });
    };
#define X(name, ...) expect(Op::name, k->unary[unary_index(Op::name)]);
    TAMIS_UNARY_OPS(X)
#undef X
#define X(name, ...) expect(Op::name, k->binary[binary_index(Op::name)]);
    TAMIS_BINARY_OPS(X)
#undef X
#define X(name, ...) expect(Op::name, k->compare[compare_index(Op::name)]);
    TAMIS_COMPARE_OPS(X)
#undef X
  }
}

TEST(KernelTable, HasWhatTheRowsOfReductionsSay) {
  for (const Kernels* k : all_kernels()) {
    for (int i = 0; i < kReductions; ++i) {
      const auto reduction = static_cast<Reduction>(i);
      const auto is_there = [&](DType dtype) {
        return is_computed_in(dtype) && takes(reduction, dtype) &&
               operand_dtype(reduction, dtype) == dtype;
      };
      expect_row(*k, name(reduction), k->reduce[i], is_there);
      expect_row(*k, name(reduction), k->reduce_lines[i], is_there);
      // What partial results are put together with.
      for_each_dtype([&](DType dtype) {
        if (!is_there(dtype)) return;
        const DType acc = accumulator_dtype(reduction, dtype);
        const int combine = binary_index(row_of(reduction).combine);
        EXPECT_NE(k->binary[combine][index(acc)], nullptr) << k->isa << ": " << name(reduction);
        EXPECT_TRUE(acc == dtype || k->cast[index(dtype)][index(acc)] != nullptr)
            << k->isa << ": " << name(reduction) << " of " << name(dtype);
      });
    }
  }
}

TEST(KernelTable, FindsExtremesOfWhatHasAnOrder) {
  const auto is_real = [](DType dtype) { return is_computed_in(dtype) && !is_complex(dtype); };
  for (const Kernels* k : all_kernels()) {
    expect_row(*k, "find", k->find, is_real);
    for (const auto& row : k->arg_lines) expect_row(*k, "arg_lines", row, is_real);
  }
}

TEST(KernelTable, CastsBetweenAllRealDTypesAndComplexOnesByTheirParts) {
  for (const Kernels* k : all_kernels()) {
    for_each_dtype([&](DType from) {
      expect_row(*k, name(from), k->cast[index(from)], [&](DType to) {
        if (from == DType::boolean || to == DType::boolean) return false;
        if (!is_complex(from) && !is_complex(to)) return true;
        if (is_complex(from) && is_complex(to)) return true;
        return real_dtype(from) == real_dtype(to);
      });
    });
    const auto always = [](DType) { return true; };
    expect_row(*k, "to_mask", k->to_mask, always);
    expect_row(*k, "from_mask", k->from_mask, always);
  }
}

TEST(KernelTable, HasMovesOfAllWidthsAndThePartsOfSoftmax) {
  for (const Kernels* k : all_kernels()) {
    for (int w = 0; w < cpu::kWidths; ++w) {
      EXPECT_NE(k->where[w], nullptr) << k->isa;
      EXPECT_NE(k->compress[w], nullptr) << k->isa;
      EXPECT_NE(k->expand[w], nullptr) << k->isa;
      EXPECT_NE(k->gather[w], nullptr) << k->isa;
      EXPECT_NE(k->scatter[w], nullptr) << k->isa;
      EXPECT_NE(k->fill[w], nullptr) << k->isa;
    }
    const auto is_float = [](DType dtype) {
      return is_floating_point(dtype) && is_computed_in(dtype);
    };
    expect_row(*k, "kept_max", k->kept_max, is_float);
    expect_row(*k, "exp_sum", k->exp_sum, is_float);
    expect_row(*k, "scale", k->scale, is_float);
    expect_row(*k, "subtract", k->subtract, is_float);
    EXPECT_NE(k->positions, nullptr) << k->isa;
    EXPECT_NE(k->popcount, nullptr) << k->isa;
    EXPECT_NE(k->philox, nullptr) << k->isa;
  }
}

}  // namespace
}  // namespace tamis::testing
