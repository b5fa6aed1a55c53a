// Commands: what each of them does.
#pragma once

#include "session.h"

namespace tamis::cli {

void run_select(const Session& session);
void run_fill(const Session& session);
void run_count(const Session& session);
void run_stats(const Session& session);
void run_mask(const Session& session);
void run_partition(const Session& session);
void run_show(const Session& session);
void run_head(const Session& session);
void run_convert(const Session& session);
void run_info(const Session& session);
void run_help(const Session& session);
void run_docs(const Session& session);
void run_completions(const Session& session);

}  // namespace tamis::cli
