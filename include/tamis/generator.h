// Generator: a stream of random numbers of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "tamis/tensor.h"

namespace tamis {

/// A stream of random numbers, as torch.Generator is: functions that take one draw from it instead
/// of the stream of the process. Two streams with one seed give the same numbers, also if one of
/// them is the process's. Copies are handles to the same stream. Any number of threads may draw
/// from it at once.
///
///     Generator g(7);
///     Tensor a = rand({3}, float32, g);
///     manual_seed(7);
///     Tensor b = rand({3});  // equals a
class Generator {
 public:
  /// The seed that PyTorch's generators begin with.
  static constexpr uint64_t kDefaultSeed = 67280421310721;

  explicit Generator(uint64_t seed = kDefaultSeed);

  /// Restarts the stream.
  const Generator& manual_seed(uint64_t seed) const;
  /// The same with an unpredictable seed, which is returned.
  uint64_t seed() const;
  /// The seed with which the stream was started last.
  uint64_t initial_seed() const;

  /// The position of the stream: uint8 [16].
  Tensor get_state() const;
  /// Goes on from there. Throws unless state is a uint8 tensor of 16 elements.
  void set_state(const Tensor& state) const;

  /// The seed, and the first of n counters of the stream, reserved for the caller.
  std::pair<uint64_t, uint64_t> take(uint64_t n) const;

  /// Whether both are handles to one stream.
  friend bool operator==(const Generator&, const Generator&) = default;

 private:
  struct Stream;
  std::shared_ptr<Stream> stream_;
};

/// The stream of the process, from which random functions draw unless they are given another.
const Generator& default_generator();

}  // namespace tamis
