// Promotion: the dtypes of results, compared with what PyTorch says for every combination.
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "ops/row.h"
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

Tensor operand_of_kind(const std::string& kind, DType dtype) {
  if (kind == "dim") return ones({2}, dtype);
  if (kind == "zero") return ones({}, dtype);
  if (dtype == boolean) return Tensor(true);
  if (dtype == complex128) return Tensor(std::complex<double>(0, 1));
  return dtype == int64 ? Tensor(1) : Tensor(1.0);
}

TEST(Promotion, IsPyTorchsForEveryPairOfOperands) {
  std::istringstream lines(read_text("tests/data/promotion.txt"));
  std::string kind_a, a, kind_b, b, want;
  int count = 0;
  while (lines >> kind_a >> a >> kind_b >> b >> want) {
    const Tensor x = operand_of_kind(kind_a, parse_dtype(a));
    const Tensor y = operand_of_kind(kind_b, parse_dtype(b));
    EXPECT_STREQ(name(result_type(x, y)), want.c_str())
        << kind_a << " " << a << ", " << kind_b << " " << b;
    if (kind_a == "dim" && kind_b == "dim") {
      EXPECT_STREQ(name(promote_types(x.dtype(), y.dtype())), want.c_str()) << a << ", " << b;
    }
    ++count;
  }
  EXPECT_EQ(count, 28 * 28);
}

/// What a dtype gives with each integer dtype; others are what they are.
void expect_rules(DType dtype, const std::map<DType, DType>& rules) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto other = static_cast<DType>(i);
    ASSERT_EQ(rules.count(other) == 1, is_integral(other) || other == boolean);
    const DType want = rules.count(other) == 1 ? rules.at(other) : other;
    EXPECT_EQ(promote_types(dtype, other), want) << name(other);
    EXPECT_EQ(promote_types(other, dtype), want) << name(other);
    EXPECT_EQ((ones({2}, dtype) + ones({2}, other)).dtype(), want) << name(other);
  }
}

// uint16, uint32 and uint64 are none of torch 1.13, and later ones refuse to mix them with other
// integers: these are NumPy's and the array API's rules.
TEST(Promotion, OfUnsignedIntegersIsNumPys) {
  expect_rules(uint16, {{boolean, uint16},
                        {uint8, uint16},
                        {uint16, uint16},
                        {uint32, uint32},
                        {uint64, uint64},
                        {int8, int32},
                        {int16, int32},
                        {int32, int32},
                        {int64, int64}});
  expect_rules(uint32, {{boolean, uint32},
                        {uint8, uint32},
                        {uint16, uint32},
                        {uint32, uint32},
                        {uint64, uint64},
                        {int8, int64},
                        {int16, int64},
                        {int32, int64},
                        {int64, int64}});
  expect_rules(uint64, {{boolean, uint64},
                        {uint8, uint64},
                        {uint16, uint64},
                        {uint32, uint64},
                        {uint64, uint64},
                        {int8, float64},
                        {int16, float64},
                        {int32, float64},
                        {int64, float64}});
}

TEST(Promotion, NumbersDoNotWidenUnsignedIntegers) {
  // Numbers and 0-d tensors do not widen it.
  EXPECT_EQ((ones({2}, uint16) + 70000).dtype(), uint16);
  EXPECT_EQ((ones({2}, uint16) + ones({}, int64)).dtype(), uint16);
  EXPECT_EQ((ones({2}, uint16) + 0.5).dtype(), float32);
  EXPECT_EQ((ones({2}, uint16) / 2).dtype(), float32);
  EXPECT_EQ(sum(ones({2}, uint16)).dtype(), int64);
  EXPECT_EQ(sum(ones({2}, uint32)).dtype(), int64);
  EXPECT_EQ(sum(ones({2}, uint64)).dtype(), uint64);
  EXPECT_EQ(prod(ones({2}, uint64)).dtype(), uint64);
  EXPECT_EQ(cumsum(ones({2}, uint64), 0).dtype(), uint64);
  EXPECT_EQ((ones({2}, uint64) + -1).dtype(), uint64);
  EXPECT_EQ((ones({2}, uint64) + UINT64_MAX).dtype(), uint64);
  EXPECT_EQ((ones({2}, boolean) + UINT64_MAX).dtype(), uint64);
  EXPECT_EQ((ones({2}, float32) + UINT64_MAX).dtype(), float32);
  EXPECT_EQ(clamp(ones({2}, uint64), 1, UINT64_MAX).dtype(), uint64);
  EXPECT_EQ((ones({2}, uint64) + 0.5).dtype(), float32);
  expect_error(ErrorKind::value,
               "a number above the largest int64 cannot be converted to int32 without overflow",
               [] { (void)(ones({2}, int32) < UINT64_MAX); });
}

/// The dtypes that PyTorch 1.13 has, in the order of op_dtypes.txt.
constexpr DType kTorchDTypes[] = {boolean, uint8,    int8,    int16,   int32,     int64,
                                  float16, bfloat16, float32, float64, complex64, complex128};

/// What calling the row gives: the name of the result's dtype, or "error" for an error of kind
/// dtype.
std::string outcome(const Row& row, const Args& args) {
  try {
    return name(std::get<Tensor>(row.call(args)).dtype());
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::dtype) << e.what();
    return "error";
  }
}

/// The operands, and the defaults of the other parameters.
Args with_defaults(const Row& row, Args operands) {
  const auto& params = row.signature.params;
  for (size_t i = operands.size(); i < params.size(); ++i) operands.push_back(params[i].fallback);
  return operands;
}

TEST(Promotion, EveryOpGivesPyTorchsDTypeForEveryDType) {
  std::map<std::string, const Row*> rows;
  for (const Row& row : all_rows()) rows.emplace(row.name(), &row);  // of overloads the first
  std::istringstream lines(read_text("tests/data/op_dtypes.txt"));
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string op, a, want;
    words >> op >> a;
    ASSERT_TRUE(rows.count(op)) << op;
    const Tensor x = ones({2}, parse_dtype(a));
    std::vector<std::string> wanted;
    while (words >> want) wanted.push_back(want);
    if (wanted.size() == 1) {
      EXPECT_EQ(outcome(*rows[op], with_defaults(*rows[op], {x})), wanted[0]) << line;
    } else {
      ASSERT_EQ(wanted.size(), std::size(kTorchDTypes));
      for (size_t i = 0; i < wanted.size(); ++i) {
        const DType dtype = kTorchDTypes[i];
        const Args args = with_defaults(*rows[op], {x, ones({2}, dtype)});
        EXPECT_EQ(outcome(*rows[op], args), wanted[i])
            << op << "(" << a << ", " << name(dtype) << ")";
      }
    }
    ++count;
  }
  EXPECT_EQ(count, 84 * static_cast<int>(std::size(kTorchDTypes)));
}

TEST(Promotion, NumbersDoNotWidenTensors) {
  const Tensor bytes = tensor({1, 2}, int8);
  EXPECT_EQ((bytes + 1).dtype(), int8);
  EXPECT_EQ((1 + bytes).dtype(), int8);
  EXPECT_EQ((bytes + 1.5).dtype(), float32);
  EXPECT_EQ((bytes + true).dtype(), int8);
  EXPECT_EQ((tensor({true}) + 1).dtype(), int64);
  EXPECT_EQ((tensor({1.0f}, float16) * 1e-3).dtype(), float16);
  EXPECT_EQ((tensor({1.0f}, float16) * tensor(2.0f)).dtype(), float16);
}

TEST(Promotion, ANumberAloneIsInt64OrFloat32) {
  EXPECT_EQ((Tensor(1) + Tensor(2)).dtype(), int64);
  EXPECT_EQ((Tensor(1) + Tensor(2.5)).dtype(), float32);
  EXPECT_EQ((Tensor(1.5) * Tensor(2.5)).dtype(), float32);
  EXPECT_EQ(sqrt(Tensor(2.0)).dtype(), float32);
  EXPECT_EQ(abs(Tensor(-2.0)).dtype(), float32);
}

TEST(Promotion, ViewsOfNumbersAreOrdinaryTensors) {
  EXPECT_EQ(result_type(tensor({1}, int8), Tensor(1).unsqueeze(0)), int64);
}

TEST(Promotion, CastsTheNumberNotTheTensor) {
  // As PyTorch: 257 becomes the uint8 1, and 1.1 becomes the float32 nearest to it.
  EXPECT_EQ((tensor({1, 2}, uint8) == 257).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_TRUE((tensor({1.1f}) == 1.1).item<bool>());
  EXPECT_EQ((tensor({1, 2}, int8) + 1000).to_vector<int8_t>(), (std::vector<int8_t>{-23, -22}));
}

TEST(Promotion, ClampPromotesOverAllThreeOperands) {
  const Tensor bytes = tensor({1, 2}, int8);
  EXPECT_EQ(clamp(bytes, 0, 1).dtype(), int8);
  EXPECT_EQ(clamp(bytes, 0, 1.5).dtype(), float32);
  EXPECT_EQ(clamp(bytes, tensor({1}), {}).dtype(), int64);
  EXPECT_EQ(clamp(bytes, tensor({1}), tensor(1.5, float64)).dtype(), float64);
  EXPECT_EQ(clamp(tensor({true}), 0, 1).dtype(), int64);
}

}  // namespace
}  // namespace tamis
