// Random programs: sequences of operations on a pool of tensors that share memory, run on the
// device and on the CPU. All that can be seen must be the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/layouts.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::observe;
using testing::random_mask;
using testing::random_values;

/// Runs one program. Floating point holds whole numbers below a bound, which sums and casts keep
/// exact.
class Machine {
 public:
  Machine(const Device& device, uint32_t seed) : device_(device), random_(seed) {
    uint32_t k = 1;
    for (DType dtype : {int32, uint8, int16, float32, float16, int64, int8, boolean}) {
      for (const Shape& shape : {Shape{6, 5}, Shape{5}, Shape{6, 1}, Shape{67, 40}}) {
        add(random_values(shape, uint8, ++k).to(dtype).to(device));
      }
    }
    add(random_mask({6, 5}, 6).to(device));
    add(random_mask({67, 40}, 7).to(device));
    add(masks::causal(6, 5).to(device));
    add(masks::band(67, 40, 3, 20).to(device));
    add(masks::from_lengths(tensor({1, 5, 0, 2, 3, 5})).to(device));
    add(masks::band(67, 40, 9, 2).to(device).t());
  }

  std::vector<std::string> run(int steps) {
    for (int i = 0; i < steps; ++i) {
      try {
        step();
      } catch (const Error& e) {
        seen_.push_back(std::string("error: ") + e.what());
      }
      seen_.push_back("step " + std::to_string(i));
    }
    for (const Tensor& x : pool_) seen_.push_back(observe(x));
    return std::move(seen_);
  }

 private:
  int any(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  void add(const Tensor& x) { pool_.push_back(x); }
  void keep(const Tensor& x) {
    if (x.numel() > 20000) return;
    pool_[any(static_cast<int>(pool_.size()))] = x;
  }
  /// Floating point stays whole and small.
  void keep_bounded(const Tensor& x) { keep(x.is_floating_point() ? x.clamp(-60, 60) : x); }

  Tensor pick() { return pool_[any(static_cast<int>(pool_.size()))]; }

  static bool broadcasts_to(const Shape& from, const Shape& to) {
    if (from.size() > to.size()) return false;
    for (size_t d = 1; d <= from.size(); ++d) {
      const int64_t size = from[from.size() - d];
      if (size != 1 && size != to[to.size() - d]) return false;
    }
    return true;
  }
  /// A tensor that broadcasts to x.
  Tensor partner(const Tensor& x, bool is_mask = false) {
    const size_t first = static_cast<size_t>(any(static_cast<int>(pool_.size())));
    for (size_t k = 0; k < pool_.size(); ++k) {
      const Tensor& y = pool_[(first + k) % pool_.size()];
      if ((!is_mask || y.dtype() == boolean) && broadcasts_to(y.shape(), x.shape())) return y;
    }
    return is_mask ? x > 3 : x;
  }
  Tensor mask_for(const Tensor& x) { return any(3) == 0 ? x > any(9) : partner(x, true); }

  void step() {
    switch (any(8)) {
      case 0:
      case 1:
        return compute();
      case 2:
        return view();
      case 3:
        return write();
      case 4:
      case 5:
        return write_masked();
      case 6:
        return select();
      default:
        return reduce();
    }
  }

  void compute() {
    const Tensor a = pick(), b = any(3) == 0 ? Tensor(any(7) - 2) : partner(a);
    switch (any(10)) {
      case 0:
        return keep_bounded(a + b);
      case 1:
        return keep_bounded(a.dtype() == boolean ? a ^ (b > 2) : a - b.to(a.dtype()));
      case 2:
        return keep_bounded(a * b);
      case 3:
        return keep(minimum(a, b));
      case 4:
        return keep(a < b);
      case 5:
        return keep((a == b) | (a > 7));
      case 6:
        return keep(where(mask_for(a), a, b));
      case 7:
        return keep(a.masked_fill(mask_for(a), 1));
      case 8: {
        constexpr DType kTo[] = {boolean, uint8, int8, int16, int32, int64, float32, float16};
        return keep_bounded(a.abs().clamp_max(100).to(kTo[any(8)]));
      }
      default:
        return keep_bounded((a + 1) * 2 - b.abs());
    }
  }

  void view() {
    const Tensor a = pick();
    if (a.dim() == 0) return;
    const int64_t d = any(static_cast<int>(a.dim())), size = a.shape()[d];
    switch (any(6)) {
      case 0:
        return keep(a.transpose(d, 0));
      case 1:
        return keep(a.slice(d, any(3), {}, 1 + any(3)));
      case 2:
        return keep(size ? a.select(d, any(static_cast<int>(size))) : a);
      case 3:
        return keep(a.unsqueeze(d));
      case 4:
        return keep(a.narrow(d, size / 3, size / 2));
      default:
        return keep(a.flatten());
    }
  }

  void write() {
    Tensor a = pick();
    const Tensor b = any(3) == 0 ? Tensor(any(5)) : partner(a);
    switch (any(6)) {
      case 0:
        a.copy_(b.to(a.dtype()));
        break;
      case 1:
        a.fill_(any(2));
        break;
      case 2:
        a.minimum_(b);
        break;
      case 3:
        a.copy_((b + 1).clamp(-60, 60));
        break;
      case 4:
        a.logical_not_();
        break;
      default:
        if (!a.is_floating_point()) a.add_(b * 2 + 1);
    }
  }

  void write_masked() {
    Tensor a = pick();
    const Tensor mask = mask_for(a);
    switch (any(8)) {
      case 0:
        a.masked_fill_(mask, any(2));
        break;
      case 1:
        a.masked_fill_(a > any(9), 1);
        break;
      case 2:
        a.masked_scatter_(mask, partner(a).to(a.dtype()));
        break;
      case 3:
        a.masked_scatter_(a > 2, pick().to(a.dtype()));
        break;
      case 4:
        a[mask] = any(2);
        break;
      case 5:
        a[a < any(20)] = a.masked_select(a < 5);
        break;
      case 6:
        if (!a.is_floating_point()) a[mask] += 2;
        break;
      default:
        if (a.dim() == 2 && a.shape()[0] == a.shape()[1]) a.masked_fill_(a.t() > 3, 1);
        a.copy_(where(mask, a, partner(a).to(a.dtype())));
    }
  }

  void select() {
    const Tensor a = pick(), mask = mask_for(a);
    switch (any(5)) {
      case 0:
        return keep(a.masked_select(mask));
      case 1: {
        const auto [values, n] = masked_select_padded(a, mask, 40, 1);
        keep(n);
        return keep(values);
      }
      case 2:
        return seen_.push_back(observe(nonzero(a)));
      case 3:
        return keep(partition(a, mask).second);
      default:
        seen_.push_back(std::to_string(count(mask)));
    }
  }

  void reduce() {
    const Tensor a = pick(), mask = mask_for(a);
    const Dims dims = a.dim() && any(2) ? Dims{any(static_cast<int>(a.dim()))} : Dims{};
    switch (any(6)) {
      case 0:
        return keep_bounded(masked::sum(a, mask, dims));
      case 1:
        return keep_bounded(a.sum(dims));
      case 2:
        return keep(a.any(dims));
      case 3:
        return keep(masked::amax(a.to(int32), mask, dims));
      case 4:
        return keep(a.count_nonzero(dims));
      default:
        return keep(a.to(float32).amin(dims));
    }
  }

  const Device device_;
  std::mt19937 random_;
  std::vector<Tensor> pool_;
  std::vector<std::string> seen_;
};

class WebGpuRandomPrograms : public testing::WebGpuTest {
 protected:
  static void expect_same(int seeds, uint32_t first, int steps) {
    for (uint32_t seed = first; seed < first + static_cast<uint32_t>(seeds); ++seed) {
      const auto there = Machine("webgpu", seed).run(steps), here = Machine("cpu", seed).run(steps);
      for (size_t i = 0; i < std::min(there.size(), here.size()); ++i) {
        if (there[i].starts_with("step")) continue;
        ASSERT_EQ(there[i], here[i]) << "seed " << seed << ", entry " << i << " of " << here.size();
      }
      ASSERT_EQ(there.size(), here.size()) << "seed " << seed;
    }
  }
};

TEST_F(WebGpuRandomPrograms, ShowTheSameAsOnTheCpuDeferred) {
  const testing::ModeGuard mode(false);
  expect_same(10, 1, 60);
}

TEST_F(WebGpuRandomPrograms, ShowTheSameAsOnTheCpuEager) {
  const testing::ModeGuard mode(true);
  expect_same(10, 100, 60);
}

}  // namespace
}  // namespace tamis
