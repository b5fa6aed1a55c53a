// Documents: Markdown and man page.
#include "documents.h"

#include <fmt/format.h>

#include "language/functions.h"
#include "manual.h"

namespace tamis::cli {

namespace {

/// "-o, --output FILE"
std::string option_text(const CLI::Option& option) {
  if (option.get_positional()) {
    return option.get_type_name() + (option.get_items_expected_max() > 1 ? "..." : "");
  }
  std::string text;
  for (const std::string& name : option.get_snames()) text += (text.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) text += (text.empty() ? "--" : ", --") + name;
  if (option.get_items_expected_max() > 0) text += " " + option.get_type_name();
  return text;
}

/// "tamis select FILE... --where CONDITION [options]"
std::string usage_text(const CLI::App& command) {
  std::string text = "tamis " + command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    const bool required = option->get_required();
    if (option->get_positional()) {
      text += required ? " " + option_text(*option) : " [" + option_text(*option) + "]";
    } else if (required) {
      text += " --" + option->get_lnames()[0] + " " + option->get_type_name();
    }
  }
  return text + " [options]";
}

// ---- Markdown -----------------------------------------------------------------------------------

std::string table_text(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string markdown_functions() {
  std::string text, group;
  for (const Function& f : functions()) {
    if (f.group != group) text += fmt::format("\n**{}**\n\n| | |\n|---|---|\n", f.group);
    group = f.group;
    text += fmt::format("| `{}` | {} |\n", table_text(f.usage), table_text(f.summary));
  }
  return text;
}

std::string markdown_command(const CLI::App& app, const Command& command) {
  const CLI::App& sub = *app.get_subcommand(command.name);
  std::string text = fmt::format("\n### tamis {}\n\n{}\n\n```text\n{}\n```\n\n| | |\n|---|---|\n",
                                 command.name, command.description, usage_text(sub));
  for (const CLI::Option* option : sub.get_options()) {
    text +=
        fmt::format("| `{}` | {} |\n", option_text(*option), table_text(option->get_description()));
  }
  for (const Example& e : command.examples) {
    text += fmt::format("\n{}:\n\n```console\n$ {}\n{}```\n", e.text, e.line, e.output);
  }
  return text;
}

// ---- man page -----------------------------------------------------------------------------------

std::string roff(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'' && (result.empty() || result.back() == '\n')) {
      result += "\\(aq";
    } else if (c == '.' && (result.empty() || result.back() == '\n')) {
      result += "\\&.";
    } else {
      result += c;
    }
  }
  return result;
}

/// Paragraphs of the manual: `code` in bold, lines with four spaces as they are.
std::string roff_paragraphs(std::string_view text) {
  std::string result;
  bool bold = false, as_is = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("    ") != as_is) {
      as_is = !as_is;
      result += as_is ? ".nf\n" : ".fi\n";
    }
    if (line.empty()) {
      result += ".PP\n";
      continue;
    }
    std::string part;
    for (char c : roff(line)) {
      if (c == '`') bold = !bold;
      part += c == '`' ? std::string(bold ? "\\fB" : "\\fR") : std::string(1, c);
    }
    result += part + "\n";
  }
  return as_is ? result + ".fi\n" : result;
}

std::string roff_entry(const std::string& what, std::string_view text) {
  return ".TP\n\\fB" + roff(what) + "\\fR\n" + roff_paragraphs(text);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string man_command(const CLI::App& app, const Command& command) {
  const CLI::App& sub = *app.get_subcommand(command.name);
  std::string text = ".SS " + roff(usage_text(sub)) + "\n" + roff_paragraphs(command.description);
  for (const CLI::Option* option : sub.get_options()) {
    text += roff_entry(option_text(*option), option->get_description());
  }
  for (const Example& e : command.examples) {
    text += fmt::format(".PP\n{}:\n.PP\n.nf\n    {}\n.fi\n", roff(e.text), roff(e.line));
  }
  return text;
}

bool is_shown(const Command& command) { return !command.examples.empty(); }

}  // namespace

std::string markdown(const CLI::App& app) {
  std::string text =
      "# The command line\n\n" + std::string(manual_introduction()) +
      "\n\nThis page is the output of `tamis docs`. The examples use the files that `make "
      "demo` creates in `build/demo`, and are\nrun by the tests.\n\n## Commands\n\n| | "
      "|\n|---|---|\n";
  for (const Command& command : commands()) {
    if (is_shown(command)) {
      text += fmt::format("| [`tamis {0}`](#tamis-{0}) | {1} |\n", command.name, command.summary);
    }
  }
  for (const Command& command : commands()) {
    if (is_shown(command)) text += markdown_command(app, command);
  }
  for (const Section& section : manual_sections()) {
    text += fmt::format("\n## {}\n\n{}\n", section.title, section.text);
    if (section.title == "Conditions") text += markdown_functions();
  }
  return text;
}

std::string man_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH TAMIS 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\ntamis \\- select, fill, count and draw "
      "array files by a condition\n"
      ".SH SYNOPSIS\n\\fBtamis\\fR \\fICOMMAND\\fR [options]\n.SH DESCRIPTION\n{}.SH COMMANDS\n",
      app.version(), roff_paragraphs(manual_introduction()));
  for (const Command& command : commands()) {
    if (is_shown(command)) text += man_command(app, command);
  }
  for (const Section& section : manual_sections()) {
    text += ".SH " + upper(section.title) + "\n" + roff_paragraphs(section.text);
    if (section.title != "Conditions") continue;
    std::string group;
    for (const Function& f : functions()) {
      if (f.group != group) text += ".SS " + roff(f.group) + "\n";
      group = f.group;
      text += roff_entry(f.usage, f.summary);
    }
  }
  return text;
}

}  // namespace tamis::cli
