// require: what must hold on every input of a fuzz target.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tamis::fuzz {

/// Ends the process, which is how a fuzz target says that it found something.
inline void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
  std::abort();
}

}  // namespace tamis::fuzz
