// Masks from bits, as numpy.packbits and Arrow have them, and back.
#include <string>
#include <vector>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

bool is_little(const std::string& order) {
  check(order == "little" || order == "big", ErrorKind::value,
        "bitorder must be 'little' or 'big', but is '{}'", order);
  return order == "little";
}

/// The value of each bit of a byte, in the order of the elements.
Tensor values_of_bits(Backend& backend, bool little) {
  const Tensor values =
      little ? tensor({1, 2, 4, 8, 16, 32, 64, 128}) : tensor({128, 64, 32, 16, 8, 4, 2, 1});
  return to_backend(values.to(DType::uint8), backend);
}

}  // namespace

namespace masks {

Tensor from_bits(const Tensor& bits, std::optional<int64_t> count, const std::string& bitorder) {
  const bool little = is_little(bitorder);
  check(bits.dtype() == DType::uint8, ErrorKind::dtype,
        "from_bits: expected bytes (uint8), but got {}", name(bits.dtype()));
  const int64_t most = 8 * bits.numel(), n = count.value_or(most);
  check(n >= 0 && n <= most, ErrorKind::value, "from_bits: {} bytes have {} bits, but count is {}",
        bits.numel(), most, n);
  if (little && is_on_host(bits) && bits.is_contiguous()) return mask_over_bits(bits.flatten(), n);
  const Tensor values = values_of_bits(backend_of(bits), little);
  const Tensor each = bitwise_and(bits.flatten().unsqueeze(1), values) != 0;
  return each.flatten().narrow(0, 0, n);
}

Tensor to_bits(const Tensor& mask, const std::string& bitorder) {
  const bool little = is_little(bitorder);
  check(mask.dtype() == DType::boolean, ErrorKind::dtype,
        "to_bits: expected a mask (bool), but got {}; write mask != 0", name(mask.dtype()));
  Backend& backend = backend_of(mask);
  const Tensor flat = mask.flatten();
  if (little && flat.numel() > 0) {
    const Tensor bits = bits_of_mask(flat);
    if (bits.defined()) return bits;
  }
  const int64_t bytes = (flat.numel() + 7) / 8;
  Tensor padded = zeros_on(backend, {8 * bytes}, DType::uint8);
  padded.narrow(0, 0, flat.numel()).copy_(flat);
  const Tensor values = values_of_bits(backend, little);
  return (padded.reshape({bytes, 8}) * values).sum(1).to(DType::uint8);
}

}  // namespace masks

std::vector<Row> bit_rows() {
  const Value none, little = std::string("little"), big = std::string("big");
  const Tensor bytes = SAMPLE(tensor({5, 255, 128}).to(DType::uint8));
  const Tensor mask =
      SAMPLE(tensor({{true, false, true}, {false, true, true}, {true, true, false}}));
  return {
      make_row(
          "masks.from_bits(Tensor bits, int? count=None, *, str bitorder='little') -> Tensor",
          "The mask of `count` elements whose bits are in bytes, as Arrow has them, or "
          "numpy.packbits; shares the memory if the order is little.",
          masks::from_bits,
          SAMPLES({bytes, none, little}, {bytes, int64_t{19}, little}, {bytes, int64_t{5}, big})),
      make_row("masks.to_bits(Tensor mask, *, str bitorder='little') -> Tensor",
               "The elements of a mask as bits, eight in a byte, the last filled up with zeros.",
               masks::to_bits, SAMPLES({mask, little}, {mask, big}, {mask.flatten(), little})),
  };
}

}  // namespace tamis
