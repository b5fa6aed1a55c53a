// The command `tamis`: parses arguments, runs a command, and turns what goes wrong into messages
// and exit codes.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app.h"
#include "nearest.h"
#include "session.h"
#include "tamis/error.h"
#include "terminal.h"
#include "usage_error.h"

namespace tamis::cli {
namespace {

enum ExitCode { kDone = 0, kUsage = 1, kBadInput = 2, kIo = 3 };

int fail(ExitCode code, const std::string& text) {
  std::fflush(stdout);
  const bool color = use_color(STDERR_FILENO);
  fmt::print(stderr, "{} {}\n", colored("tamis:", "1;31", color), text);
  return code;
}

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::io:
    case ErrorKind::memory:
      return kIo;
    default:
      return kBadInput;
  }
}

/// What CLI11 says, with a suggestion for what was mistyped.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::App* sub : app.get_subcommands()) {
    const std::vector<std::string> rest = sub->remaining();
    if (!rest.empty() && rest[0].starts_with('-')) {
      return fmt::format("unknown option {}{}\nTry `tamis {} --help`.", rest[0],
                         did_you_mean(rest[0], option_names(*sub)), sub->get_name());
    }
    const std::string text = error.what();
    return fmt::format("{}\nTry `tamis {} --help`.",
                       text == "files is required" ? "name a file to work on" : text,
                       sub->get_name());
  }
  const std::string text = error.what();
  return fmt::format("{}\nTry `tamis --help`.",
                     text == "A subcommand is required" ? "name a command" : text);
}

/// Empty if the first argument is a command or an option.
std::string unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || find_command(argv[1]) != nullptr) return {};
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return fmt::format("unknown command '{}'{}\nTry `tamis --help`.", argv[1],
                     did_you_mean(argv[1], names));
}

int run(int argc, char** argv) {
  if (const std::string text = unknown_command(argc, argv); !text.empty()) {
    return fail(kUsage, text);
  }
  Options options;
  const std::unique_ptr<CLI::App> app = make_app(options);
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app->exit(e);  // --help, --version
    return fail(kUsage, explain(*app, e));
  }
  io::remove_temporary_files_on_signals();
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of write, as a full disk is
  const Session session(options);
  find_command(app->get_subcommands()[0]->get_name())->run(session);
  return kDone;
}

int guarded(int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0) return fail(kIo, "cannot write to the standard output");
    return code;
  } catch (const ConditionError& e) {
    std::string lines = underlined(e.source(), e.place());
    const size_t caret = lines.rfind('^');
    lines = lines.substr(0, caret) + colored(lines.substr(caret), "1;32", use_color(STDERR_FILENO));
    return fail(kUsage, fmt::format("{}\n{}", e.what(), lines));
  } catch (const UsageError& e) {
    return fail(kUsage, e.what());
  } catch (const Error& e) {
    return fail(static_cast<ExitCode>(exit_code_of(e.kind())), e.what());
  } catch (const std::bad_alloc&) {
    return fail(kIo, "out of memory");
  } catch (const std::exception& e) {
    return fail(kIo, e.what());
  }
}

}  // namespace
}  // namespace tamis::cli

int main(int argc, char** argv) { return tamis::cli::guarded(argc, argv); }
