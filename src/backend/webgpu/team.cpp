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

std::string team_fold(const std::string& name, const std::string& type, const std::string& combine,
                      int64_t lanes) {
  if (lanes == 1) return fmt::format("fn {0}(t: u32, v: {1}) -> {1} {{ return v; }}\n", name, type);
  return fmt::format(
      "var<workgroup> {0}_parts: array<{1}, {5}>;\n"
      "fn {0}(t: u32, v: {1}) -> {1} {{\n"
      "{0}_parts[t] = v;\nworkgroupBarrier();\n"
      "for (var d = {4}u; d > 0u; d = d / 2u) {{\n"
      "if ((t & {3}u) < d) {{ {0}_parts[t] = {2}({0}_parts[t], {0}_parts[t + d]); }}\n"
      "workgroupBarrier();\n}}\n"
      // Nobody may begin the next one before all have read.
      "let all = {0}_parts[t & ~{3}u];\nworkgroupBarrier();\nreturn all;\n}}\n",
      name, type, combine, lanes - 1, lanes / 2, kGroupSize);
}

std::string team_scan(const std::string& name, const std::string& type, const std::string& combine,
                      const std::string& identity, int64_t lanes) {
  return fmt::format(
      "var<workgroup> {0}_upto: array<{1}, {6}>;\n"
      "fn {0}(t: u32, v: {1}) -> {1} {{\n"
      "let lane = t & {4}u;\nvar upto = v;\n{0}_upto[t] = v;\nworkgroupBarrier();\n"
      "for (var d = 1u; d < {5}u; d = d * 2u) {{\n"
      "if (lane >= d) {{ upto = {2}({0}_upto[t - d], upto); }}\n"
      "workgroupBarrier();\n{0}_upto[t] = upto;\nworkgroupBarrier();\n}}\n"
      "if (lane == 0u) {{ return {3}; }}\nreturn {0}_upto[t - 1u];\n}}\n",
      name, type, combine, identity, lanes - 1, lanes, kGroupSize);
}

}  // namespace tamis::webgpu
