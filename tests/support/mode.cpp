// The mode that the tests run in: everything is deferred, unless the environment says something
// else. Few elements are computed at once otherwise, and those are what most tests have; eager mode
// does that, too.
#include <cstdlib>

namespace {

// Before all other initialisation, which may compute something already.
__attribute__((constructor(101))) void defer_everything() { setenv("TAMIS_DEFER", "all", 0); }

}  // namespace
