// help, docs and completions: commands that print help, the manual, and scripts for shells.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/commands.h"
#include "documents.h"
#include "nearest.h"
#include "usage_error.h"

namespace tamis::cli {

void run_help(const Session& session) {
  Options unused;
  const std::unique_ptr<CLI::App> app = make_app(unused);
  const std::string& name = session.options().command;
  if (name.empty()) {
    fmt::print("{}", app->help());
    return;
  }
  if (find_command(name) == nullptr) {
    std::vector<std::string> names;
    for (const Command& command : commands()) names.emplace_back(command.name);
    throw UsageError(fmt::format("unknown command '{}'{}", name, did_you_mean(name, names)));
  }
  fmt::print("{}", app->get_subcommand(name)->help("tamis"));
}

void run_docs(const Session& session) {
  Options unused;
  const std::unique_ptr<CLI::App> app = make_app(unused);
  fmt::print("{}", session.options().man ? man_page(*app) : markdown(*app));
}

void run_completions(const Session& session) {
  Options unused;
  const std::unique_ptr<CLI::App> app = make_app(unused);
  fmt::print("{}", completions(*app, session.options().shell));
}

}  // namespace tamis::cli
