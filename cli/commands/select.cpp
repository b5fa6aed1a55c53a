// select and partition: elements by a condition, into one file or two.
#include <algorithm>
#include <filesystem>

#include "commands/commands.h"
#include "tamis/mask.h"
#include "tamis/results.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

/// Bytes of input per element of the result; the first array is read even if the condition does not
/// ask for it.
size_t bytes_per_element(const Inputs& inputs, const Expression& where) {
  return std::max(where.bytes_per_element(), itemsize(inputs.first().dtype));
}

/// Whether two paths, whose files need not exist, name the same file.
bool same_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  std::error_code failed;
  const std::filesystem::path first = std::filesystem::weakly_canonical(a, failed);
  if (failed) return a == b;
  const std::filesystem::path second = std::filesystem::weakly_canonical(b, failed);
  return failed ? a == b : first == second;
}

}  // namespace

void run_select(const Session& session) {
  const Options& options = session.options();
  const Inputs inputs(options);
  const Expression where = session.condition(inputs, inputs.first().shape);
  io::Writer out =
      session.writer(options.output, inputs.first().dtype, {-1}, Session::output_name(inputs));
  int64_t kept = 0;
  session.runner().run(
      "select", where.shape(), bytes_per_element(inputs, where),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        const Tensor mask = where.evaluate(arrays);
        return masked_select(arrays[0].broadcast_to(box.size), mask);
      },
      [&](std::span<const Tensor> parts) {
        for (const Tensor& part : parts) kept += part.numel();
        out.append(parts);
      });
  inputs.check_intact();
  out.commit();
  session.say("kept " + share_text(kept, numel(where.shape())));
}

void run_partition(const Session& session) {
  const Options& options = session.options();
  if (same_file(options.rejected, options.output)) {
    throw UsageError("--output and --rejected must be two different files");
  }
  const Inputs inputs(options);
  const Expression where = session.condition(inputs, inputs.first().shape);
  const std::string name = Session::output_name(inputs);
  io::Writer kept = session.writer(options.output, inputs.first().dtype, {-1}, name);
  io::Writer rejected = session.writer(options.rejected, inputs.first().dtype, {-1}, name);
  int64_t count = 0;
  session.runner().run(
      "partition", where.shape(), bytes_per_element(inputs, where),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        const Tensor mask = where.evaluate(arrays);
        return partition(arrays[0].broadcast_to(box.size), mask);
      },
      [&](std::span<const std::pair<Tensor, Tensor>> parts) {
        std::vector<Tensor> first, second;
        for (const auto& [a, b] : parts) {
          count += a.numel();
          first.push_back(a);
          second.push_back(b);
        }
        kept.append(first);
        rejected.append(second);
      });
  inputs.check_intact();
  kept.commit();
  rejected.commit();
  session.say("kept " + share_text(count, numel(where.shape())));
}

}  // namespace tamis::cli
