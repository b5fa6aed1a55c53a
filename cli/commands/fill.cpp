// fill and mask: arrays of the shape of a condition.
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "commands/commands.h"
#include "tamis/create.h"
#include "tamis/mask.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

/// x with value where mask is true. A number must fit x's dtype; elements are converted to it.
Tensor filled(const Tensor& x, const Tensor& mask, const Tensor& value, bool is_number) {
  if (is_number) return masked_fill(x, mask, value);
  return where(mask, value.to(x.dtype()), x);
}

/// NaN and infinities are no whole numbers either.
bool has_fraction(const Tensor& number) {
  const double value = number.item().to_double();
  return !(std::trunc(value) == value) || std::isinf(value);
}

/// Whether it fits is told before anything is written.
void check_value(const Array& x, const Expression& value) {
  if (value.is_number()) {
    BoxOfArrays none({}, whole_box({}));
    const Tensor number = value.evaluate(none);
    try {
      (void)masked_fill(ones({1}, x.dtype), Tensor(true), number);
    } catch (const Error& e) {
      throw UsageError(fmt::format("--value: {}", e.what()));
    }
    if (is_floating_point(number.dtype()) && is_integral(x.dtype) && has_fraction(number)) {
      throw UsageError(
          fmt::format("--value: {} is not an integer, but the array holds {}; "
                      "use round(...)",
                      number.item().to_double(), name(x.dtype)));
    }
  } else if (!can_cast(value.dtype(), x.dtype)) {
    throw UsageError(fmt::format("--value: elements of {} cannot be stored in an array of {}",
                                 name(value.dtype()), name(x.dtype)));
  }
}

}  // namespace

void run_fill(const Session& session) {
  const Options& options = session.options();
  const Inputs inputs(options);
  const Array& x = inputs.first();
  const Expression condition = session.condition(inputs, x.shape);
  const Expression value = session.expression(options.value, inputs, condition.shape());
  const bool is_number = value.is_number();
  check_value(x, value);
  io::Writer out = session.writer(options.output, x.dtype, value.shape(),
                                  Session::output_name(inputs), inputs.first_zarr());
  std::atomic<int64_t> count_filled{0};
  session.runner().run(
      "fill", value.shape(), condition.bytes_per_element() + value.bytes_per_element(),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        const Tensor mask = condition.evaluate(arrays).broadcast_to(box.size);
        count_filled += count(mask);
        const Tensor result = filled(arrays[0], mask, value.evaluate(arrays), is_number);
        return result.settle().broadcast_to(box.size);
      },
      [&](std::span<const Tensor> parts) { out.append(parts); });
  inputs.check_intact();
  out.commit();
  session.say("filled " + share_text(count_filled, numel(value.shape())));
}

void run_mask(const Session& session) {
  Options options = session.options();
  if (options.lengths.empty() == options.where.empty()) {
    throw UsageError("give either --where or --lengths");
  }
  if (options.max_len && options.lengths.empty()) throw UsageError("--max-len needs --lengths");
  std::string text = options.where;
  if (!options.lengths.empty()) {
    if (!options.files.empty()) throw UsageError("--lengths takes no other files");
    options.files = {"lengths=" + options.lengths};
    text = options.max_len ? fmt::format("from_lengths(lengths, {})", *options.max_len)
                           : "from_lengths(lengths)";
  }
  const Inputs inputs(options);
  // Lengths and the like only say what the mask is, not how large.
  const bool has_shape = !inputs.arrays().empty() && !takes_whole(text, inputs.first().name);
  const Expression where =
      session.expression(text, inputs, has_shape ? inputs.first().shape : Shape{});
  where.check_condition();
  io::Writer out =
      session.writer(options.output, DType::boolean, where.shape(), "mask", inputs.first_zarr());
  std::atomic<int64_t> kept{0};
  session.runner().run(
      "mask", where.shape(), std::max<size_t>(1, where.bytes_per_element()),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        const Tensor mask = where.evaluate(arrays).broadcast_to(box.size);
        kept += count(mask);
        return mask.settle();
      },
      [&](std::span<const Tensor> parts) { out.append(parts); });
  inputs.check_intact();
  out.commit();
  session.say("true: " + share_text(kept, numel(where.shape())));
}

}  // namespace tamis::cli
