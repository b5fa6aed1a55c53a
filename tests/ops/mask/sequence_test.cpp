// Sequences: padding, packing, unpacking.
#include "tamis/sequence.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/observe.h"
#include "tamis/masks.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::kind_of;
using testing::observe;
using testing::random_values;
using List = std::vector<int64_t>;

List ints(const Tensor& x) { return x.to_vector<int64_t>(); }

// ---- lists --------------------------------------------------------------------------------------

TEST(PadSequence, PutsTheTimeFirstUnlessTold) {
  const std::vector<Tensor> list = {tensor({1, 2, 3}), tensor({4}), zeros({0}, int64)};
  EXPECT_EQ(pad_sequence(list).shape(), (Shape{3, 3}));
  EXPECT_EQ(ints(pad_sequence(list)), (List{1, 4, 0, 2, 0, 0, 3, 0, 0}));
  EXPECT_EQ(ints(pad_sequence(list, true, -1)), (List{1, 2, 3, 4, -1, -1, -1, -1, -1}));
  EXPECT_EQ(ints(pad_sequence(list, true, 9, "left")), (List{1, 2, 3, 9, 9, 4, 9, 9, 9}));
}

TEST(PadSequence, HasTheDtypeOfTheFirst) {
  const Tensor padded = pad_sequence({tensor({1.5f}), tensor({2, 3})}, true);
  EXPECT_EQ(padded.dtype(), float32);
  EXPECT_EQ(padded.to_vector<float>(), (std::vector<float>{1.5f, 0, 2, 3}));
}

TEST(PadSequence, RefusesWhatDoesNotFit) {
  EXPECT_EQ(kind_of([] { pad_sequence({}); }), ErrorKind::value);
  EXPECT_EQ(kind_of([] { pad_sequence({tensor(1)}); }), ErrorKind::shape);
  EXPECT_EQ(kind_of([] { pad_sequence({zeros({2, 3}), zeros({2, 4})}); }), ErrorKind::shape);
  EXPECT_EQ(kind_of([] { pad_sequence({zeros({2})}, false, 0, "up"); }), ErrorKind::value);
}

// ---- packing ------------------------------------------------------------------------------------

TEST(Pack, KeepsStepsAndSaysWhereSequencesBegin) {
  const Tensor x = arange(12).view({2, 3, 2});
  const Jagged packed = pack(x, tensor({{true, false, true}, {false, true, false}}));
  EXPECT_EQ(packed.values.shape(), (Shape{3, 2}));
  EXPECT_EQ(ints(packed.values), (List{0, 1, 4, 5, 8, 9}));
  EXPECT_EQ(ints(packed.offsets), (List{0, 2, 3}));
  const Jagged by_length = pack_padded(x, tensor({1, 3}));
  EXPECT_EQ(ints(by_length.values), (List{0, 1, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(ints(by_length.offsets), (List{0, 1, 4}));
}

TEST(Pack, IsUndoneByUnpack) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    const Tensor x = random_values({9, 23, 3}, float32, seed);
    const Tensor lengths = randint(0, 24, {9});
    const Jagged packed = pack_padded(x, lengths);
    const auto [padded, mask] = unpack(packed, 23, 0);
    const Tensor expected = masks::from_lengths(lengths, 23);
    EXPECT_EQ(observe(mask), observe(expected));
    EXPECT_EQ(observe(padded), observe(where(expected.unsqueeze(-1), x, 0)));
    const Jagged again = pack(padded, mask);
    EXPECT_EQ(observe(again.values), observe(packed.values));
    EXPECT_EQ(observe(again.offsets), observe(packed.offsets));
  }
}

TEST(Pack, TakesZeroLengths) {
  const Jagged none = pack_padded(zeros({3, 4, 2}), tensor({0, 0, 0}));
  EXPECT_EQ(none.values.shape(), (Shape{0, 2}));
  EXPECT_EQ(ints(none.offsets), (List{0, 0, 0, 0}));
  const auto [padded, mask] = unpack(none);
  EXPECT_EQ(padded.shape(), (Shape{3, 0, 2}));
  EXPECT_EQ(mask.shape(), (Shape{3, 0}));
}

TEST(Pack, RefusesWhatDoesNotFit) {
  EXPECT_EQ(kind_of([] { pack(zeros({2, 3}), zeros({2, 3})); }), ErrorKind::dtype);
  EXPECT_EQ(kind_of([] { pack(zeros({2, 3}), zeros({3}, boolean)); }), ErrorKind::index);
  EXPECT_EQ(kind_of([] { pack(zeros({2, 3}), tensor(true)); }), ErrorKind::shape);
  EXPECT_EQ(kind_of([] { pack_padded(zeros({2, 3}), tensor({1, 4})); }), ErrorKind::value);
  EXPECT_EQ(kind_of([] { pack_padded(zeros({2}), tensor({1, 2})); }), ErrorKind::shape);
}

}  // namespace
}  // namespace tamis
