// App: options of all commands and their common form.
#include "app.h"

#include <fmt/format.h>

#ifndef TAMIS_VERSION
#error "TAMIS_VERSION comes from the build"
#endif

namespace tamis::cli {

namespace {

std::string footer_of(const Command& command) {
  std::string text = "Examples:\n";
  for (const Example& example : command.examples) {
    text += fmt::format("  # {}\n  {}\n", example.text, example.line);
  }
  return text;
}

void add_common(CLI::App& command, Options& options) {
  command.add_flag("-q,--quiet", options.quiet, "Print only results and errors");
  command.add_option("--threads", options.threads, "Number of threads (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  command.set_help_flag("-h,--help", "Print this help");
}

}  // namespace

const Command* find_command(const std::string& name) {
  for (const Command& command : commands()) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

std::unique_ptr<CLI::App> make_app(Options& options) {
  auto app = std::make_unique<CLI::App>(
      "Select, fill, count, describe and draw the elements of .npy, .npz, .safetensors, CSV and\n"
      "raw files and of Zarr stores for which a condition is true.",
      "tamis");
  app->require_subcommand(1);
  app->set_help_flag("-h,--help", "Print this help");
  app->set_version_flag("--version", "tamis " TAMIS_VERSION, "Print the version");
  app->get_formatter()->column_width(28);
  app->footer(
      "`tamis help COMMAND` describes a command; `tamis docs` prints the whole manual.\n"
      "Exit codes: 0 success, 1 usage error, 2 bad input, 3 input or output failed.");
  for (const Command& command : commands()) {
    CLI::App* sub = app->add_subcommand(command.name, command.summary);
    sub->footer(footer_of(command));
    if (command.examples.empty()) {
      sub->group("");  // not shown
      sub->footer("");
    }
    command.define(*sub, options);
    add_common(*sub, options);
    sub->option_defaults()->always_capture_default(false);
  }
  return app;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace tamis::cli
