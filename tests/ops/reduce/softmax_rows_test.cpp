// Softmax along rows, with and without masks, of every length and layout against a plain loop; and
// the counting of masks by rows.
#include <cmath>
#include <limits>

#include "support/mask_cases.h"
#include "tamis/masked.h"
#include "tamis/reduce.h"
#include "tamis/runtime.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Around the word, the block and the longest row that is normalised in the cache.
constexpr int64_t kRowLengths[] = {1, 3, 63, 64, 65, 130, 4095, 4096, 4097, 10000, 65537};

/// softmax along rows, or its logarithm, in double.
std::vector<double> plain_softmax(const Tensor& x, const Tensor& mask, bool logarithm) {
  std::vector<double> values = x.to_vector<double>();
  const std::vector<uint8_t> keep = mask.to_vector<uint8_t>();
  const size_t length = static_cast<size_t>(x.size(1));
  for (size_t row = 0; row < values.size(); row += length) {
    double largest = -kInf;
    long double sum = 0;
    for (size_t i = row; i < row + length; ++i) {
      if (keep[i]) largest = std::max(largest, values[i]);
    }
    for (size_t i = row; i < row + length; ++i) {
      if (keep[i]) sum += std::exp(values[i] - largest);
    }
    for (size_t i = row; i < row + length; ++i) {
      const double exponent = values[i] - largest;
      values[i] = !keep[i]    ? logarithm ? -kInf : 0
                  : logarithm ? exponent - static_cast<double>(std::log(sum))
                              : std::exp(exponent) / static_cast<double>(sum);
    }
  }
  return values;
}

TEST(SoftmaxRows, AgreeWithAPlainLoop) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    const double tolerance = dtype == float64 ? 1e-14 : dtype == float32 ? 1e-6 : 1e-2;
    for (int64_t length : kRowLengths) {
      const Tensor x = (values_of(float32, {3, length}) / 8).to(dtype).settle();
      for (const char* pattern : {"none", "all", "clustered", "random", "sparse"}) {
        const Tensor mask = mask_of(pattern, {3, length});
        for (bool logarithm : {false, true}) {
          const Tensor got =
              logarithm ? masked::log_softmax(x, mask, 1) : masked::softmax(x, mask, 1);
          ASSERT_EQ(got.dtype(), dtype);
          const std::vector<double> want = plain_softmax(x, mask, logarithm);
          const std::vector<double> values = got.to_vector<double>();
          for (size_t i = 0; i < want.size(); ++i) {
            if (std::isinf(want[i])) {
              ASSERT_EQ(values[i], want[i]) << pattern << ' ' << length << ' ' << i;
            } else {
              ASSERT_NEAR(values[i], want[i], tolerance * std::max(1., std::abs(want[i])))
                  << pattern << ' ' << length << ' ' << i;
            }
          }
        }
      }
      expect_same(softmax(x, 1), masked::softmax(x, mask_of("all", {3, length}), 1));
    }
  }
}

TEST(SoftmaxRows, NothingOfWhatIsMaskedOutIsSeen) {
  for (int64_t length : {int64_t{70}, int64_t{4096}, int64_t{9000}}) {
    const Tensor mask = mask_of("random", {4, length});
    const Tensor x = (values_of(float32, {4, length}) / 8).settle();
    for (double trash : {kNaN, kInf, -kInf, 1e30}) {
      const Tensor dirty = where(mask, x, full({}, trash, float32));
      expect_same(masked::softmax(dirty, mask, 1), masked::softmax(x, mask, 1));
      expect_same(masked::log_softmax(dirty, mask, 1), masked::log_softmax(x, mask, 1));
    }
  }
}

TEST(SoftmaxRows, ANaNThatIsKeptFillsTheKeptPartOfItsRow) {
  const Tensor x = tensor({{1.f, 2.f, static_cast<float>(kNaN)}, {0.f, 0.f, 5.f}});
  const Tensor mask = tensor({{true, false, true}, {true, true, false}});
  expect_same(masked::softmax(x, mask, 1), tensor({{kNaN, 0., kNaN}, {0.5, 0.5, 0.}}).to(float32));
  expect_same(softmax(tensor({-kInf, -kInf}), 0), tensor({kNaN, kNaN}));
  expect_same(softmax(tensor({kInf, 1.}), 0), tensor({kNaN, kNaN}));
  expect_same(softmax(tensor({-kInf, 1.}), 0), tensor({0., 1.}));
  expect_same(softmax(tensor(3.f), 0), tensor(1.f));
}

TEST(SoftmaxRows, BitsDoNotDependOnLayoutThreadsOrTheKindOfMask) {
  const int before = get_num_threads();
  for (int64_t length : {int64_t{100}, int64_t{1000}, int64_t{5000}}) {
    const Tensor x = (values_of(float32, {200, length}) / 8).settle();
    const Tensor structured = masks::from_lengths(arange(200) * 37 % (length + 1), length);
    const Tensor stored = structured.clone().settle();
    set_num_threads(1);
    const Tensor want = masked::softmax(x, stored, 1);
    for (int threads : {1, 3}) {
      set_num_threads(threads);
      expect_same(masked::softmax(x, structured, 1), want, "structured");
      for (const Case& c : layouts(x)) {
        expect_same(masked::softmax(c.x, stored, 1), want, c.layout);
        expect_same(masked::softmax(c.x, (stored * 2).to_bool(), 1), want, c.layout);
      }
    }
  }
  set_num_threads(before);
}

TEST(CountRows, AgreesWithSumsOfNumbers) {
  for (int64_t length : kRowLengths) {
    for (const char* pattern : kPatterns) {
      const Tensor mask = mask_of(pattern, {5, length});
      const Tensor want = mask.to(int64).settle().sum({1});
      expect_same(mask.sum({1}), want, pattern);
      expect_same(mask.t().contiguous().t().sum({1}), want, pattern);
      expect_same(mask.logical_not().sum({1}, true), length - want.view({5, 1}), pattern);
    }
  }
  const Tensor lengths = arange(3000) % 71;
  expect_same(masks::from_lengths(lengths, 70).sum({1}), lengths);
}

}  // namespace
}  // namespace tamis
