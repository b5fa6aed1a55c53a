// Reports: whether long work says how far it is.
#pragma once

namespace tamis::web {

/// Off at first. When on, cli::Progress writes lines "progress LABEL DONE TOTAL", in bytes, to the
/// standard error stream.
void set_reports(bool on);

}  // namespace tamis::web
