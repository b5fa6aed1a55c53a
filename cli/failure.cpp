// Failure: exit codes and messages of exceptions.
#include "failure.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "language/error.h"
#include "tamis/error.h"
#include "terminal.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::io:
    case ErrorKind::memory:
      return kIo;
    default:
      return kBadInput;
  }
}

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const ConditionError& e) {
    std::string lines = underlined(e.source(), e.span());
    const size_t caret = lines.rfind('^');
    lines = lines.substr(0, caret) + colored(lines.substr(caret), "1;32", use_color(STDERR_FILENO));
    return {kUsage, fmt::format("{}\n{}", e.what(), lines)};
  } catch (const UsageError& e) {
    return {kUsage, e.what()};
  } catch (const Error& e) {
    return {exit_code_of(e.kind()), e.what()};
  } catch (const std::bad_alloc&) {
    return {kIo, "out of memory"};
  } catch (const std::exception& e) {
    return {kIo, e.what()};
  }
}

void print_failure(const Failure& failure) {
  std::fflush(stdout);
  const bool color = use_color(STDERR_FILENO);
  fmt::print(stderr, "{} {}\n", colored("tamis:", "1;31", color), failure.text);
}

}  // namespace tamis::cli
