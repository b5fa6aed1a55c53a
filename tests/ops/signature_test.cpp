// Signatures: what the parser reads from them, and what it refuses.
#include "ops/signature.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "ops/forms/forms.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using Types = std::vector<ParamType>;

TEST(Signature, HasNameParametersAndResult) {
  const Signature s("masked_select(Tensor input, Tensor mask) -> Tensor");
  EXPECT_EQ(s.name, "masked_select");
  EXPECT_EQ(s.space, "");
  EXPECT_EQ(s.full_name(), "masked_select");
  ASSERT_EQ(s.params.size(), 2u);
  EXPECT_EQ(s.params[1].name, "mask");
  EXPECT_EQ(s.params[1].types, Types{ParamType::tensor});
  EXPECT_TRUE(s.params[1].required);
  EXPECT_FALSE(s.params[1].optional);
  EXPECT_EQ(s.positional, 2u);
  EXPECT_EQ(s.result, ParamType::tensor);
  EXPECT_TRUE(s.fields.empty());
  EXPECT_FALSE(s.writes_input());
  EXPECT_TRUE(Signature("f() -> int").params.empty());
}

TEST(Signature, ReadsEveryTypeByItsName) {
  for (const char* type : {"Tensor", "Tensor[]", "Scalar", "int", "float", "bool", "dtype", "int[]",
                           "str", "Generator", "device"}) {
    const Signature s(std::string("f(") + type + " x) -> Tensor");
    ASSERT_EQ(s.params.size(), 1u) << type;
    EXPECT_STREQ(name(s.params[0].type()), type);
  }
}

TEST(Signature, NamespacesAndSeveralResultsHaveNames) {
  const Signature s("masked.top(Tensor input) -> (Tensor values, Tensor indices)");
  EXPECT_EQ(s.space, "masked");
  EXPECT_EQ(s.name, "top");
  EXPECT_EQ(s.full_name(), "masked.top");
  EXPECT_EQ(s.result, ParamType::tensors);
  EXPECT_EQ(s.fields, (std::vector<std::string>{"values", "indices"}));
}

TEST(Signature, DefaultsAreValues) {
  const Signature s(
      "f(int n=-3, float eps=1e-12, bool on=True, dtype dtype=int64, int[] dims=[0,-1], int[] "
      "none=[], str side='a, b) -> c', Scalar one=1, Scalar half=0.5, Tensor|Scalar x=2, Tensor? "
      "mask=None, float|str p='fro', float|str q=2) -> Tensor");
  const auto& p = s.params;
  ASSERT_EQ(p.size(), 13u);
  EXPECT_EQ(std::get<int64_t>(p[0].fallback), -3);
  EXPECT_EQ(std::get<double>(p[1].fallback), 1e-12);
  EXPECT_EQ(std::get<bool>(p[2].fallback), true);
  EXPECT_EQ(std::get<DType>(p[3].fallback), DType::int64);
  EXPECT_EQ(std::get<Shape>(p[4].fallback), (Shape{0, -1}));
  EXPECT_EQ(std::get<Shape>(p[5].fallback), Shape{});
  EXPECT_EQ(std::get<std::string>(p[6].fallback), "a, b) -> c");
  EXPECT_EQ(std::get<Scalar>(p[7].fallback).dtype(), DType::int64);
  EXPECT_EQ(std::get<Scalar>(p[8].fallback).to_double(), 0.5);
  EXPECT_EQ(std::get<Tensor>(p[9].fallback).item<int64_t>(), 2);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(p[10].fallback));
  EXPECT_TRUE(p[10].optional);
  EXPECT_EQ(std::get<std::string>(p[11].fallback), "fro");
  EXPECT_EQ(std::get<double>(p[12].fallback), 2.0);
  for (const Parameter& one : p) EXPECT_FALSE(one.required) << one.name;
  EXPECT_EQ(p[6].fallback_text, "'a, b) -> c'");
}

TEST(Signature, AStarStandsBeforeParametersThatNeedTheirName) {
  const Signature s("f(Tensor input, *, int size, bool keep=False) -> Tensor");
  EXPECT_EQ(s.positional, 1u);
  EXPECT_FALSE(s.params[0].keyword_only);
  EXPECT_TRUE(s.params[1].keyword_only);
  EXPECT_TRUE(s.params[1].required);
  EXPECT_TRUE(s.params[2].keyword_only);
  EXPECT_EQ(Signature("f(*, int size) -> Tensor").positional, 0u);
}

TEST(Signature, UnionsKeepTheirOrderAndLiteralsTheirValue) {
  const Signature s("f(Tensor|Scalar|float[]? q, float|str p, True on, False off=False) -> Tensor");
  EXPECT_EQ(s.params[0].types, (Types{ParamType::tensor, ParamType::scalar, ParamType::reals}));
  EXPECT_TRUE(s.params[0].optional);
  EXPECT_TRUE(s.params[0].takes(ParamType::scalar));
  EXPECT_FALSE(s.params[0].takes(ParamType::integer));
  EXPECT_EQ(s.params[1].types, (Types{ParamType::real, ParamType::string}));
  EXPECT_EQ(s.params[2].literal, true);
  EXPECT_EQ(s.params[2].type(), ParamType::flag);
  EXPECT_EQ(s.params[3].literal, false);
  EXPECT_EQ(s.params[0].literal, std::nullopt);
}

TEST(Signature, OnlyOnePositionalListOfIntegersSpreads) {
  const Signature zeros("zeros(int[] size, *, dtype dtype=float32) -> Tensor");
  EXPECT_TRUE(zeros.spreads_integers(false));
  const Signature view("view(Tensor input, int[] shape) -> Tensor");
  EXPECT_TRUE(view.spreads_integers(true));
  EXPECT_FALSE(view.spreads_integers(false));
  EXPECT_FALSE(Signature("f() -> Tensor").spreads_integers(false));
  EXPECT_FALSE(Signature("tile(Tensor input, int[] dims, int n) -> Tensor").spreads_integers(true));
}

TEST(Signature, KeywordsAreAddedBehindTheOthers) {
  EXPECT_EQ(Signature("f(Tensor x) -> Tensor").with_keywords("Tensor? out=None").text,
            "f(Tensor x, *, Tensor? out=None) -> Tensor");
  EXPECT_EQ(Signature("f(*, int n) -> (Tensor a, Tensor b)").with_keywords("int m").text,
            "f(*, int n, int m) -> (Tensor a, Tensor b)");
  EXPECT_EQ(Signature("f() -> Tensor").with_keywords("int m").text, "f(*, int m) -> Tensor");
  EXPECT_EQ(Signature("f(Tensor x) -> Tensor").renamed("f_").text, "f_(Tensor x) -> Tensor");
  EXPECT_TRUE(Signature("f_(Tensor x) -> Tensor").writes_input());
}

TEST(Signature, MalformedTextsAreRefused) {
  const char* const texts[] = {
      "",
      " ",
      "f",
      "f(",
      "f()",
      "f() ->",
      "f() -> ",
      "f() -> tensor",
      "f()->Tensor",
      "(int x) -> int",
      "1f() -> Tensor",
      "f.() -> Tensor",
      ".f() -> Tensor",
      "a.b.c() -> Tensor",
      "f() -> Tensor ",
      "f(int) -> Tensor",
      "f(int ) -> Tensor",
      "f(int x -> Tensor",
      "f(int x,) -> Tensor",
      "f(int x,int y) -> Tensor",
      "f(, int x) -> Tensor",
      "f(int  x) -> Tensor",
      "f(integer x) -> Tensor",
      "f(int[ x) -> Tensor",
      "f(Tensor[][] x) -> Tensor",
      "f(Tensor| x) -> Tensor",
      "f(|int x) -> Tensor",
      "f(int|int x) -> Tensor",
      "f(int?? x) -> Tensor",
      "f(int?|str x) -> Tensor",
      "f(float[] x) -> Tensor",
      "f(int|bool[] x) -> Tensor",
      "f(True|int x) -> Tensor",
      "f(int x, int x) -> Tensor",
      "f(int x=1, int y) -> Tensor",
      "f(*) -> Tensor",
      "f(int x, *) -> Tensor",
      "f(*, int x, *, int y) -> Tensor",
      "f(* int x) -> Tensor",
      "f(int x=) -> Tensor",
      "f(int x=1.5) -> Tensor",
      "f(int x=1x) -> Tensor",
      "f(int x=99999999999999999999) -> Tensor",
      "f(float x=a) -> Tensor",
      "f(float x=1e999) -> Tensor",
      "f(bool x=true) -> Tensor",
      "f(int x=None) -> Tensor",
      "f(dtype x=float31) -> Tensor",
      "f(int[] x=1) -> Tensor",
      "f(int[] x=[1) -> Tensor",
      "f(int[] x=[1,,2]) -> Tensor",
      "f(int[] x=[a]) -> Tensor",
      "f(str x=a) -> Tensor",
      "f(str x='a) -> Tensor",
      "f(str x=') -> Tensor",
      "f(int x='a') -> Tensor",
      "f(Tensor x=1) -> Tensor",
      "f(True x=False) -> Tensor",
      "f(Generator x=1) -> Tensor",
      "f() -> ()",
      "f() -> (Tensor)",
      "f() -> (int a)",
      "f() -> (Tensor a,)",
      "f() -> (Tensor a, Tensor b",
      "f() -> True",
      "f() -> float[]",
  };
  for (const char* text : texts) {
    EXPECT_THROW(Signature{text}, std::logic_error) << text;
  }
}

TEST(Signature, NoPrefixOfAGoodOneIsRead) {
  const std::string good =
      "masked.f(Tensor|Scalar[] x, int[] n=[1,2], *, str? s='a') -> (Tensor a, Tensor b)";
  EXPECT_NO_THROW(Signature{good});
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_THROW(Signature{good.substr(0, n)}, std::logic_error) << good.substr(0, n);
  }
}

TEST(Signature, NoByteInAGoodOneMakesItCrash) {
  const std::string good = "f(Tensor|int[] x, float|str p='a', int[] n=[1,2]) -> (Tensor a)";
  for (size_t i = 0; i < good.size(); ++i) {
    for (int c = 0; c < 256; ++c) {
      std::string text = good;
      text[i] = static_cast<char>(c);
      try {
        EXPECT_EQ(Signature(text).text, text);
      } catch (const std::logic_error&) {
      }
    }
  }
  EXPECT_THROW(Signature(std::string(100000, '(')), std::logic_error);
  EXPECT_THROW(Signature("f(" + std::string(100000, '[')), std::logic_error);
}

TEST(Signature, AUnionReachesTheFunctionAsAVariant) {
  const Row row = make_row(
      "f(float|str p, float|str q=2) -> float", "One or the other.",
      +[](const std::variant<double, std::string>& p, std::variant<double, std::string> q) {
        return std::holds_alternative<std::string>(p) ? -1.0 : std::get<double>(p) + q.index();
      },
      {});
  EXPECT_EQ(std::get<double>(row.call(Args{2.5, 1.0})), 2.5);
  EXPECT_EQ(std::get<double>(row.call(Args{2.5, std::string("a")})), 3.5);
  EXPECT_EQ(std::get<double>(row.call(Args{std::string("fro"), 1.0})), -1.0);
  EXPECT_THROW(row.call(Args{true, 1.0}), std::bad_optional_access);
}

// ---- forms --------------------------------------------------------------------------------------

Row named(const char* name, bool (*which)(const Row&) = nullptr) {
  for (const Row& row : all_rows()) {
    if (row.name() == name && (which == nullptr || which(row))) return row;
  }
  throw std::logic_error(name);
}

TEST(Forms, FollowFromFlags) {
  const std::vector<Form> forms = forms_of(named("mul"));
  ASSERT_EQ(forms.size(), 3u);
  EXPECT_EQ(forms[0].row.signature.text,
            "mul(Tensor input, Tensor|Scalar other, *, Tensor? out=None) -> Tensor");
  EXPECT_FALSE(forms[0].is_method);
  EXPECT_TRUE(forms[1].is_method);
  EXPECT_EQ(forms[2].row.signature.text, "mul_(Tensor input, Tensor|Scalar other) -> Tensor");
  EXPECT_EQ(forms[2].row.aliases, std::vector<std::string>{"multiply_"});
  const std::vector<Form> zeros_forms = forms_of(named("zeros"));
  ASSERT_EQ(zeros_forms.size(), 1u);
  EXPECT_EQ(zeros_forms[0].row.signature.text,
            "zeros(int[] size, *, dtype dtype=float32, device? device=None, bool "
            "requires_grad=False, Tensor? out=None) -> Tensor");
  EXPECT_EQ(forms_of(named("zeros_like")).size(), 1u);
}

TEST(Forms, WriteWhereTheyAreTold) {
  const std::vector<Form> forms = forms_of(named("masked_select"));
  const Tensor x = tensor({1, 2, 3}), mask = tensor({true, false, true});
  Tensor out = empty({0}, DType::int64);
  forms[0].row.call(Args{x, mask, out});
  EXPECT_EQ(out.to_vector<int64_t>(), (std::vector<int64_t>{1, 3}));
  const Value plain = forms[0].row.call(Args{x, mask, {}});
  EXPECT_EQ(std::get<Tensor>(plain).to_vector<int64_t>(), (std::vector<int64_t>{1, 3}));
  const Tensor y = tensor({1, 2, 3});
  forms_of(named("mul"))[2].row.call(Args{y, Tensor(2)});
  EXPECT_EQ(y.to_vector<int64_t>(), (std::vector<int64_t>{2, 4, 6}));
}

TEST(Forms, OfCreationRefuseOtherDevicesAndCanBeLeaves) {
  const Row zeros_row = forms_of(named("zeros"))[0].row;
  const auto made = [&](Value device, bool leaf) {
    return std::get<Tensor>(zeros_row.call(Args{Shape{2}, DType::float32, device, leaf, {}}));
  };
  EXPECT_TRUE(made(std::string("cpu"), true).requires_grad());
  EXPECT_FALSE(made({}, false).requires_grad());
  EXPECT_THROW(made(std::string("cuda"), false), Error);
}

}  // namespace
}  // namespace tamis
