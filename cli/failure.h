// Failure: what an exception means to the user.
#pragma once

#include <string>

namespace tamis::cli {

enum ExitCode { kDone = 0, kUsage = 1, kBadInput = 2, kIo = 3 };

struct Failure {
  ExitCode code = kDone;
  std::string text;  // for the standard error stream
};

/// That of the exception that is being handled.
Failure current_failure();

/// Prints "tamis:" and the text, after what the standard output has got so far.
void print_failure(const Failure& failure);

}  // namespace tamis::cli
