// Generators: streams of their own, their state and seed.
#include <optional>

#include "support/pointwise_cases.h"
#include "tamis/generator.h"
#include "tamis/order.h"

namespace tamis {
namespace {

using namespace testing;

/// One string for every function that takes a generator.
std::vector<std::string> drawn(const std::optional<Generator>& g) {
  const Tensor p = full({4, 9}, 0.25);
  return {rand({9}, float32, g).to_string(),       randn({9}, float64, g).to_string(),
          rand({5}, complex64, g).to_string(),     randn({5}, complex64, g).to_string(),
          randint(100, {9}, int64, g).to_string(), randint(-5, 5, {9}, int32, g).to_string(),
          randperm(9, int64, g).to_string(),       bernoulli(p, g).to_string(),
          multinomial(p, 3, false, g).to_string(), multinomial(p, 20, true, g).to_string()};
}

TEST(Generator, GivesWhatTheStreamOfTheProcessGivesForTheSameSeed) {
  manual_seed(7);
  const std::vector<std::string> first = drawn({}), second = drawn({});
  EXPECT_NE(first, second);
  const Generator g(7);
  EXPECT_EQ(drawn(g), first);
  EXPECT_EQ(drawn(g), second);
  g.manual_seed(7);
  EXPECT_EQ(drawn(g), first);
  EXPECT_EQ(drawn(default_generator().manual_seed(7)), first);
}

TEST(Generator, LeavesOtherStreamsAlone) {
  manual_seed(7);
  const std::vector<std::string> expected = drawn({});
  manual_seed(7);
  const Generator g(1), other(1);
  drawn(g);
  EXPECT_EQ(drawn({}), expected);
  drawn({});
  g.manual_seed(1);
  EXPECT_EQ(drawn(g), drawn(other));
}

TEST(Generator, CopiesShareTheStream) {
  const Generator g(5), copy = g;
  EXPECT_TRUE(copy == g);
  EXPECT_FALSE(Generator(5) == g);
  EXPECT_NE(rand({9}, float32, g).to_string(), rand({9}, float32, copy).to_string());
}

TEST(Generator, GoesOnFromItsState) {
  const Generator g(5);
  drawn(g);
  const Tensor state = g.get_state();
  EXPECT_EQ(state.shape(), Shape{16});
  EXPECT_EQ(state.dtype(), uint8);
  const std::vector<std::string> next = drawn(g);
  g.manual_seed(9);
  g.set_state(state);
  EXPECT_EQ(g.initial_seed(), 5u);
  EXPECT_EQ(drawn(g), next);
  g.set_state(stack({state, state}, 1).select(1, 0));  // not contiguous
  EXPECT_EQ(drawn(g), next);
  EXPECT_THROW(g.set_state(zeros({15}, uint8)), Error);
  EXPECT_THROW(g.set_state(zeros({16})), Error);
  EXPECT_EQ(g.initial_seed(), 5u);
}

TEST(Generator, KnowsItsSeed) {
  EXPECT_EQ(Generator().initial_seed(), 67280421310721u);  // torch.Generator().initial_seed()
  const Generator g;
  const uint64_t a = g.seed(), b = g.seed();
  EXPECT_NE(a, b);
  EXPECT_EQ(g.initial_seed(), b);
  EXPECT_EQ(drawn(g), drawn(Generator(b)));
}

}  // namespace
}  // namespace tamis
