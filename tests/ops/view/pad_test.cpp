// Padding of any dimensions: expected values from PyTorch.
#include "tamis/sequence.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "tamis/masks.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::kind_of;
using List = std::vector<int64_t>;

List ints(const Tensor& x) { return x.to_vector<int64_t>(); }

TEST(Pad, AddsAtTheEndsFromTheLastDimensionOn) {
  const Tensor x = tensor({{1, 2}, {3, 4}});
  EXPECT_EQ(ints(pad(x, {1, 0})), (List{0, 1, 2, 0, 3, 4}));
  EXPECT_EQ(ints(pad(x, {0, 1, 1, 0}, "constant", 9)), (List{9, 9, 9, 1, 2, 9, 3, 4, 9}));
}

TEST(Pad, CutsByNegativeNumbers) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(ints(pad(x, {-1, 1})), (List{2, 3, 0, 5, 6, 0}));
  EXPECT_EQ(ints(pad(x, {-1, -1, 0, -1})), (List{2}));
  EXPECT_EQ(pad(x, {-3, 0}).shape(), (Shape{2, 0}));
  EXPECT_EQ(kind_of([&] { pad(x, {-2, -2}); }), ErrorKind::shape);
  EXPECT_EQ(kind_of([&] { pad(x, {-4, 5}); }), ErrorKind::shape);
}

TEST(Pad, ContinuesAtTheEdges) {
  const Tensor x = tensor({{1, 2, 3}});
  EXPECT_EQ(ints(pad(x, {2, 1}, "reflect")), (List{3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(ints(pad(x, {2, 1}, "replicate")), (List{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(ints(pad(x, {2, 1}, "circular")), (List{2, 3, 1, 2, 3, 1}));
}

TEST(Pad, NeverSharesMemory) {
  const Tensor x = arange(3);
  EXPECT_FALSE(pad(x, {}).shares_storage(x));
  EXPECT_FALSE(pad(x, {0, 0}).shares_storage(x));
}

TEST(Pad, RefusesWhatItCannotPad) {
  const Tensor x = zeros({2, 3}), y = zeros({3});
  EXPECT_EQ(kind_of([&] { pad(x, {1}); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { pad(x, {1, 1, 1, 1, 1, 1}); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { pad(x, {1, 1}, "mirror"); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { pad(x, {3, 0}, "reflect"); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { pad(x, {4, 0}, "circular"); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { pad(x, {1, 0}, "reflect", 2); }), ErrorKind::value);
  EXPECT_EQ(kind_of([&] { pad(y, {1, 0}, "reflect"); }), ErrorKind::unsupported);
}

}  // namespace
}  // namespace tamis
