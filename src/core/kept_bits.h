// KeptBits: the recipe of a mask that is in memory as bits, an eighth of what its bytes would take.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/storage.h"

namespace tamis {

/// Element i is bit i % 8 of byte i / 8. Bits after the last may be anything.
struct KeptBits final : Recipe {
  /// Elements that are counted together.
  static constexpr int64_t kCounted = int64_t{1} << 16;

  KeptBits(Ref<Storage> bytes_, int64_t numel_, std::vector<int64_t> begins_)
      : Recipe(Kind::bits), bytes(std::move(bytes_)), numel(numel_), begins(std::move(begins_)) {}
  void detach(Storage& owner) const noexcept override { bytes->remove_reader(&owner); }

  const Ref<Storage> bytes;
  const int64_t numel;
  /// How many true elements there are before each kCounted, and in all.
  const std::vector<int64_t> begins;
};
/// The same recipe, null unless it is that of kept bits. The caller keeps the recipe alive.
inline const KeptBits* as_kept_bits(const Recipe* recipe) {
  const bool is_one = recipe && recipe->kind == Recipe::Kind::bits;
  return is_one ? static_cast<const KeptBits*>(recipe) : nullptr;
}

}  // namespace tamis
