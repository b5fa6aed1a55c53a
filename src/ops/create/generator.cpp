// Generator: the counters of a stream.
#include "tamis/generator.h"

#include <array>
#include <cstring>
#include <mutex>
#include <random>

#include "core/check.h"
#include "core/convert.h"
#include "core/fork.h"
#include "expr/expr.h"
#include "tamis/create.h"
#include "tamis/random.h"

namespace tamis {

/// A seed, and how many counters have been used.
struct Generator::Stream {
  uint64_t seed = 0;
  uint64_t used = 0;
};

namespace {

using State = std::array<uint64_t, 2>;

/// Held for a few instructions, so one serves all streams. Nothing is allocated under it: a fork
/// holds the allocator's lock too, and takes them in an order of its own.
std::mutex& stream_mutex() {
  static std::mutex mutex;
  return mutex;
}
[[maybe_unused]] const bool held_at_fork = hold_at_fork<stream_mutex>();

}  // namespace

Generator::Generator(uint64_t seed) : stream_(std::make_shared<Stream>()) { stream_->seed = seed; }

const Generator& Generator::manual_seed(uint64_t seed) const {
  const std::lock_guard guard(stream_mutex());
  stream_->seed = seed;
  stream_->used = 0;
  return *this;
}

uint64_t Generator::seed() const {
  std::random_device entropy;
  const uint64_t seed = uint64_t{entropy()} << 32 | entropy();
  manual_seed(seed);
  return seed;
}

uint64_t Generator::initial_seed() const {
  const std::lock_guard guard(stream_mutex());
  return stream_->seed;
}

Tensor Generator::get_state() const {
  const auto [seed, used] = take(0);
  const State state = {seed, used};
  return from_data(&state, {sizeof(State)}, DType::uint8);
}

void Generator::set_state(const Tensor& state) const {
  check(state.dtype() == DType::uint8, ErrorKind::dtype,
        "set_state: expected a Byte tensor as get_state() gives it, but got {}",
        scalar_type_name(state.dtype()));
  check(state.shape() == Shape{sizeof(State)}, ErrorKind::shape,
        "set_state: expected a state of {} bytes, as get_state() gives it, but got shape {}",
        sizeof(State), state.shape());
  const Tensor bytes = to_host(state.contiguous());
  State values;
  std::memcpy(&values, bytes.data_ptr(), sizeof(values));
  const std::lock_guard guard(stream_mutex());
  stream_->seed = values[0];
  stream_->used = values[1];
}

std::pair<uint64_t, uint64_t> Generator::take(uint64_t n) const {
  const std::lock_guard guard(stream_mutex());
  const uint64_t first = stream_->used;
  stream_->used += n;
  return {stream_->seed, first};
}

const Generator& default_generator() {
  static const Generator generator(0x853c49e6748fea9b);
  return generator;
}

void manual_seed(uint64_t seed) { default_generator().manual_seed(seed); }

}  // namespace tamis
