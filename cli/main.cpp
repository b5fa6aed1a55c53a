// The command `tamis`: parses arguments, runs a command, and ends with its exit code.
#include <signal.h>

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app.h"
#include "failure.h"
#include "nearest.h"
#include "session.h"

namespace tamis::cli {
namespace {

int fail(ExitCode code, const std::string& text) {
  print_failure({code, text});
  return code;
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
    return fmt::format(
        "{}\nTry `tamis {} --help`.",
        text == "files is required" ? "no input file; name one, or use - for standard input" : text,
        sub->get_name());
  }
  const std::string text = error.what();
  return fmt::format("{}\nTry `tamis --help`.",
                     text == "A subcommand is required" ? "no command given" : text);
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
  return session.exit_code();
}

int guarded(int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0) return fail(kIo, "cannot write to standard output");
    return code;
  } catch (...) {
    const Failure failure = current_failure();
    print_failure(failure);
    return failure.code;
  }
}

}  // namespace
}  // namespace tamis::cli

int main(int argc, char** argv) { return tamis::cli::guarded(argc, argv); }
