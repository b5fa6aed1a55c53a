// The text of what teams have in common.
#include "backend/webgpu/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backend/webgpu/shader.h"

namespace tamis::webgpu {

int64_t lanes_for(int64_t length) {
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>((length + 3) / 4, 1));
  return std::min(static_cast<int64_t>(std::bit_ceil(wanted)), kGroupSize);
}

int64_t groups_of_teams(int64_t units, int64_t lanes) {
  const int64_t teams = kGroupSize / lanes;
  return (units + teams - 1) / teams;
}

std::string team_header(int64_t lanes) {
  return fmt::format("let lane = t & {}u;\nlet unit = group * {}u + t / {}u;\n", lanes - 1,
                     kGroupSize / lanes, lanes);
}

namespace {

/// Lanes that one lane goes through alone: about as many as there are such runs in a team, so that
/// few steps and three barriers do. A tree has a barrier, and idle lanes, for every power of two.
int64_t run_of(int64_t lanes) {
  return int64_t{1} << (std::bit_width(static_cast<uint64_t>(lanes)) / 2);
}

}  // namespace

std::string team_fold(const std::string& name, const std::string& type, const std::string& combine,
                      int64_t lanes) {
  if (lanes == 1) return fmt::format("fn {0}(t: u32, v: {1}) -> {1} {{ return v; }}\n", name, type);
  return fmt::format(
      "var<workgroup> {0}_parts: array<{1}, {5}>;\n"
      "fn {0}(t: u32, v: {1}) -> {1} {{\n"
      "let lane = t & {3}u;\nlet first = t - lane;\nvar all = v;\n"
      "{0}_parts[t] = v;\nworkgroupBarrier();\n"
      "if (lane < {4}u) {{\n"
      "for (var k = t + {4}u; k <= first + {3}u; k += {4}u) {{ all = {2}(all, {0}_parts[k]); }}\n"
      "{0}_parts[t] = all;\n}}\nworkgroupBarrier();\n"
      "if (lane == 0u) {{\n"
      "for (var k = 1u; k < {4}u; k++) {{ all = {2}(all, {0}_parts[t + k]); }}\n"
      "{0}_parts[t] = all;\n}}\nworkgroupBarrier();\n"
      // Nobody may begin the next one before all have read.
      "all = {0}_parts[first];\nworkgroupBarrier();\nreturn all;\n}}\n",
      name, type, combine, lanes - 1, lanes / run_of(lanes), kGroupSize);
}

std::string team_scan(const std::string& name, const std::string& type, const std::string& combine,
                      const std::string& identity, int64_t lanes) {
  const int64_t run = run_of(lanes);
  return fmt::format(
      "var<workgroup> {0}_upto: array<{1}, {7}>;\n"
      "fn {0}(t: u32, v: {1}) -> {1} {{\n"
      "let lane = t & {4}u;\nlet first = t - lane;\n{0}_upto[t] = v;\nworkgroupBarrier();\n"
      // Up to each lane in its run, then up to the end of each run.
      "if (lane < {6}u) {{\nlet begin = first + lane * {5}u;\nvar upto = {0}_upto[begin];\n"
      "for (var k = begin + 1u; k < begin + {5}u; k++) {{\n"
      "upto = {2}(upto, {0}_upto[k]);\n{0}_upto[k] = upto;\n}}\n}}\nworkgroupBarrier();\n"
      "if (lane == 0u) {{\nvar upto = {0}_upto[first + {5}u - 1u];\n"
      "for (var k = first + 2u * {5}u - 1u; k <= first + {4}u; k += {5}u) {{\n"
      "upto = {2}(upto, {0}_upto[k]);\n{0}_upto[k] = upto;\n}}\n}}\nworkgroupBarrier();\n"
      "if (lane == 0u) {{ return {3}; }}\nlet before = {0}_upto[t - 1u];\n"
      "if (lane < {5}u || lane % {5}u == 0u) {{ return before; }}\n"
      "return {2}({0}_upto[t - lane % {5}u - 1u], before);\n}}\n",
      name, type, combine, identity, lanes - 1, run, lanes / run, kGroupSize);
}

std::string declare_sum_before() {
  return team_scan("sum_before", "u32", "add_i32", "0u", kGroupSize);
}

}  // namespace tamis::webgpu
