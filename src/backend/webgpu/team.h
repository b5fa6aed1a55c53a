// Teams: the invocations of a workgroup in groups of `lanes`, a power of two, each of which works
// on one line of elements: a whole workgroup on a long line, a single invocation on a short one.
#pragma once

#include <cstdint>
#include <string>

namespace tamis::webgpu {

/// As many lanes as a line of this length keeps busy with some elements each.
int64_t lanes_for(int64_t length);

/// The workgroups that `units` teams need.
int64_t groups_of_teams(int64_t units, int64_t lanes);

/// Statements that define `unit`, the number of the team among all, and `lane`, that of the
/// invocation in it. The last units may be more than were asked for.
std::string team_header(int64_t lanes);

/// Declares `name`(t, v), which gives every lane the values v of its team put together in a fixed
/// order by the function `combine`. It has barriers.
std::string team_fold(const std::string& name, const std::string& type, const std::string& combine,
                      int64_t lanes);

/// Declares `name`(t, v), which gives every lane the values of those before it put together, the
/// first one `identity`, and keeps that of all lanes in `name`_upto[t | (lanes - 1)]. It has
/// barriers; whoever calls it again needs one between.
std::string team_scan(const std::string& name, const std::string& type, const std::string& combine,
                      const std::string& identity, int64_t lanes);

/// Declares `sum_before`(t, v), the scan of words by a whole workgroup: the sum of those of the
/// invocations before it. That of all is then in `sum_before_upto[255]`.
std::string declare_sum_before();

}  // namespace tamis::webgpu
