// Documents: the manual as Markdown and as a man page, and completions for shells, all made from
// the application's own description.
#pragma once

#include <string>

#include "app.h"

namespace tamis::cli {

std::string markdown(const CLI::App& app);
std::string man_page(const CLI::App& app);
/// For bash, zsh or fish. Throws UsageError for another shell.
std::string completions(const CLI::App& app, const std::string& shell);

}  // namespace tamis::cli
