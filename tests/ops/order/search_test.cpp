// Search in sorted sequences against PyTorch's examples.
#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

TEST(SearchSorted, FindsBothSidesOfEquals) {
  const Tensor sequence = tensor({{1, 3, 5, 7, 9}, {2, 4, 6, 8, 10}});
  const Tensor values = tensor({{3, 6, 9}, {3, 6, 9}});
  expect_same(searchsorted(sequence, values), tensor({{1, 3, 4}, {1, 2, 4}}));
  expect_same(searchsorted(sequence, values, false, true), tensor({{2, 3, 5}, {1, 3, 4}}));
  expect_same(searchsorted(sequence[0], values, true), tensor({{1, 3, 4}, {1, 3, 4}}).to(int32));
  expect_same(searchsorted(tensor({5, 1, 3}), 3, false, false, "right", tensor({1, 2, 0})),
              tensor(2));
}

TEST(SearchSorted, ChecksTheSorterBeforeItIsUsed) {
  expect_error(ErrorKind::index, "torch.searchsorted(): sorter index out of range", [] {
    searchsorted(tensor({1, 2}), tensor({1}), false, false, {}, tensor({0, 2}));
  });
}

TEST(Bucketize, IsSearchTheOtherWayRound) {
  expect_same(bucketize(tensor({{3, 6, 9}, {3, 6, 9}}), tensor({1, 3, 5, 7, 9})),
              tensor({{1, 3, 4}, {1, 3, 4}}));
  expect_same(bucketize(2.5, tensor({1, 3})), tensor(1));
}

}  // namespace
}  // namespace tamis
