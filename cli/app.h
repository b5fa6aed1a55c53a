// App: the commands with their options, as CLI11 parses them; help, documents and completions are
// made from it.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "options.h"

namespace tamis::cli {

class Session;

/// A call that the documentation shows, the tests run, and what it prints.
struct Example {
  const char* text;    // what it is for
  const char* line;    // "tamis count x.npy --where 'x > 3'"
  const char* output;  // of both streams
};

struct Command {
  const char* name;
  const char* summary;      // for the list of commands
  const char* description;  // paragraphs for its own page
  void (*define)(CLI::App& command, Options& options);
  void (*run)(const Session& session);
  std::vector<Example> examples;
};

const std::vector<Command>& commands();
const Command* find_command(const std::string& name);

/// The application, which writes what it parses into options.
std::unique_ptr<CLI::App> make_app(Options& options);

/// Names of options, for suggestions: "--where".
std::vector<std::string> option_names(const CLI::App& app);

}  // namespace tamis::cli
