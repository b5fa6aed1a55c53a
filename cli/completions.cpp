// Completions for bash, zsh and fish.
#include <fmt/format.h>

#include "documents.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (!command.examples.empty()) names.emplace_back(command.name);
  }
  return names;
}

/// In single quotes, for any of the shells.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string bash(const CLI::App& app) {
  std::string cases;
  for (const std::string& name : command_names()) {
    cases += fmt::format("    {}) words='{}' ;;\n", name,
                         joined(option_names(*app.get_subcommand(name))));
  }
  return fmt::format(R"(# Completion of tamis for bash, made by `tamis completions bash`.
_tamis() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words
  case ${{COMP_WORDS[1]}} in
{}    *) words='{} --help --version' ;;
  esac
  if [[ $COMP_CWORD -eq 1 || $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "${{current#*=}}")
  fi
}}
complete -F _tamis tamis
)",
                     cases, joined(command_names()));
}

std::string zsh(const CLI::App& app) {
  std::string list, cases;
  for (const std::string& name : command_names()) {
    list += fmt::format("    {}\n", quoted(name + ":" + find_command(name)->summary));
    cases += fmt::format("    {})\n      _arguments \\\n", name);
    for (const CLI::Option* option : app.get_subcommand(name)->get_options()) {
      for (const std::string& flag : option->get_lnames()) {
        std::string text;
        for (char c : option->get_description()) {
          text += c == '[' || c == ']' || c == ':' ? ' ' : c;
        }
        const bool takes_value = option->get_items_expected_max() > 0;
        const std::string value =
            takes_value ? fmt::format(":{}:_files", option->get_type_name()) : std::string();
        cases +=
            fmt::format("        {} \\\n", quoted(fmt::format("--{}[{}]{}", flag, text, value)));
      }
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef tamis
# Completion of tamis for zsh, made by `tamis completions zsh`.
_tamis() {{
  local -a commands=(
{})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_tamis "$@"
)",
                     list, cases);
}

std::string fish(const CLI::App& app) {
  std::string text = "# Completion of tamis for fish, made by `tamis completions fish`.\n";
  for (const std::string& name : command_names()) {
    text += fmt::format("complete -c tamis -n __fish_use_subcommand -f -a {} -d {}\n", name,
                        quoted(find_command(name)->summary));
  }
  for (const std::string& name : command_names()) {
    for (const CLI::Option* option : app.get_subcommand(name)->get_options()) {
      for (const std::string& flag : option->get_lnames()) {
        text += fmt::format("complete -c tamis -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n",
                            name, flag, option->get_items_expected_max() > 0 ? " -r" : "",
                            quoted(option->get_description()));
      }
    }
  }
  return text;
}

}  // namespace

std::string completions(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash(app);
  if (shell == "zsh") return zsh(app);
  if (shell == "fish") return fish(app);
  throw UsageError(
      fmt::format("there are completions for bash, zsh and fish, not for '{}'", shell));
}

}  // namespace tamis::cli
