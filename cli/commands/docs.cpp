// docs and completions: hidden commands that print the manual, and scripts for shells.
#include <fmt/format.h>

#include "commands/commands.h"
#include "documents.h"

namespace tamis::cli {

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
