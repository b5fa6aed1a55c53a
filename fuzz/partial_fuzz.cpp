// Any bytes as a partial state: refused, or a state that can be merged, finished and written again.
#include <zlib.h>

#include <functional>
#include <string>

#include "fuzz/require.h"
#include "tamis/error.h"
#include "tamis/partial.h"

using namespace tamis;
using fuzz::require;

namespace {

/// With the checksum that it should have, which no fuzzer would find.
std::string with_checksum(std::string bytes) {
  const auto sum = static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(sum >> 8 * i));
  return bytes;
}

template <class State>
void check_state(const std::string& bytes) {
  State state = State::from_bytes(bytes);
  require(state.to_bytes() == bytes, "a state has only one spelling");
  if constexpr (requires { state.merge(state); }) {
    try {
      State copy = state;
      copy.merge(state);
      copy.to_bytes();
    } catch (const Error& e) {
      require(e.kind() == ErrorKind::value, "parts may overlap, nothing else");
    }
  }
  try {
    if constexpr (std::is_same_v<State, partial::Histogram>) {
      state.count();
    } else if constexpr (std::is_same_v<State, partial::Unique>) {
      // A NaN may stand for very many.
    } else {
      (void)state.finish();
    }
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::value || e.kind() == ErrorKind::memory, "not finished yet");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  constexpr void (*kChecks[])(const std::string&) = {
      check_state<partial::Count>,    check_state<partial::Sum>,
      check_state<partial::Moments>,  check_state<partial::Extremes>,
      check_state<partial::Selected>, check_state<partial::TopK>,
      check_state<partial::Unique>,   check_state<partial::Histogram>,
      check_state<partial::Search>};
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const size_t kind = size > 5 ? static_cast<size_t>(data[5]) - 1 : 0;
  const auto& check = kChecks[kind < std::size(kChecks) ? kind : 0];
  for (const std::string& input : {bytes, with_checksum(bytes)}) {
    try {
      check(input);
    } catch (const Error& e) {
      require(e.kind() == ErrorKind::format, "malformed bytes are an error of that kind");
    }
  }
  return 0;
}
