// Exports: how a function is exported to JavaScript, and the reply that it reads.
#pragma once

#include <string>

#define EXPORT(name) extern "C" __attribute__((export_name(#name), used))

namespace tamis::web {

/// Makes the text the whole reply.
void set_reply(const std::string& text);

}  // namespace tamis::web
