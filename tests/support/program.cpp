// The interpreter of random programs.
#include "support/program.h"

#include <fmt/format.h>

#include "support/observe.h"
#include "tamis/masks.h"

namespace tamis::testing {

namespace {

constexpr DType kDTypes[] = {boolean, uint8,   uint16,   int8,    int16,  int32,
                             int64,   float16, bfloat16, float32, float64};
constexpr int64_t kLargest = 20000;  // elements
constexpr size_t kPool = 26;

std::vector<Tensor> fresh_pool() {
  return {
      random_values({3, 4}, float32, 1),
      random_values({4}, float32, 2),
      random_values({3, 4}, int64, 3),
      random_mask({3, 4}, 6),
      random_mask({3, 1}, 12),
      random_values({}, float64, 5),
      random_values({3, 4}, int8, 6),
      random_values({4}, uint8, 7),
      random_values({3, 4}, float16, 8),
      random_values({0, 4}, float32, 9),
      random_values({70, 65}, float32, 10),
      random_mask({70, 65}, 18),
      random_values({65}, int32, 11),
      random_values({3, 1}, bfloat16, 12),
      random_values({67, 67}, float64, 13),  // more than a block, and square
      masks::causal(3, 4),
      masks::band(70, 65, 3, 20),
      masks::from_lengths(tensor({1, 4, 0, 2}), 4),
  };
}

class Interpreter {
 public:
  std::vector<std::string> run(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      try {
        execute(step);
      } catch (const Error& e) {
        seen_.push_back(std::string("error: ") + e.what());
      }
    }
    for (const Tensor& x : pool_) see(x);
    return std::move(seen_);
  }

 private:
  using Action = void (Interpreter::*)(const Step&);

  void execute(const Step& s) {
    static constexpr Action kActions[] = {&Interpreter::binary,
                                          &Interpreter::binary,
                                          &Interpreter::unary,
                                          &Interpreter::compare,
                                          &Interpreter::logic,
                                          &Interpreter::choose,
                                          &Interpreter::fill,
                                          &Interpreter::cast,
                                          &Interpreter::view,
                                          &Interpreter::view,
                                          &Interpreter::view,
                                          &Interpreter::view,
                                          &Interpreter::write,
                                          &Interpreter::write,
                                          &Interpreter::write_masked,
                                          &Interpreter::write_masked,
                                          &Interpreter::write_over_itself,
                                          &Interpreter::reduce,
                                          &Interpreter::select,
                                          &Interpreter::look,
                                          &Interpreter::forget,
                                          &Interpreter::build,
                                          &Interpreter::select_into};
    (this->*kActions[s[0] % std::size(kActions)])(s);
  }

  void see(const Tensor& x) { seen_.push_back(observe(x)); }

  void keep(Tensor x, uint8_t slot) {
    if (x.numel() > kLargest) return;
    if (pool_.size() < kPool) {
      pool_.push_back(std::move(x));
    } else {
      pool_[slot % kPool] = std::move(x);
    }
  }

  Tensor pick(uint8_t i) const { return pool_[i % pool_.size()]; }

  /// A tensor that broadcasts with x.
  Tensor partner(const Tensor& x, uint8_t i) const {
    for (size_t k = 0; k < pool_.size(); ++k) {
      const Tensor y = pool_[(i + k) % pool_.size()];
      if (broadcasts(x.shape(), y.shape())) return y;
    }
    return x;
  }

  /// A mask that broadcasts to x: one of the pool, or a new expression.
  Tensor mask_for(const Tensor& x, uint8_t i) const {
    for (size_t k = 0; k < pool_.size(); ++k) {
      const Tensor y = pool_[(i + k) % pool_.size()];
      if (y.dtype() == boolean && y.dim() <= x.dim() && broadcasts(x.shape(), y.shape()) &&
          broadcast_shapes(x.shape(), y.shape()) == x.shape() && i % 3 != 0) {
        return y;
      }
    }
    return x > 1;
  }

  static bool broadcasts(const Shape& a, const Shape& b) {
    for (size_t d = 1; d <= std::min(a.size(), b.size()); ++d) {
      const int64_t x = a[a.size() - d], y = b[b.size() - d];
      if (x != y && x != 1 && y != 1) return false;
    }
    return true;
  }

  // ---- pointwise --------------------------------------------------------------------------------

  void binary(const Step& s) {
    constexpr Tensor (*kOps[])(const Tensor&, const Tensor&) = {
        tamis::add, tamis::sub,     tamis::mul,       tamis::div, tamis::minimum,
        tamis::pow, tamis::maximum, tamis::remainder, tamis::mul, tamis::add};
    const Tensor a = pick(s[1]), b = s[4] % 4 == 0 ? Tensor(s[5] % 5 - 2) : partner(a, s[2]);
    keep(kOps[s[3] % std::size(kOps)](a, b), s[5]);
  }

  void unary(const Step& s) {
    constexpr Tensor (*kOps[])(const Tensor&) = {
        tamis::neg,  tamis::abs,  tamis::exp,     tamis::sqrt, tamis::floor, tamis::relu,
        tamis::tanh, tamis::sign, tamis::sigmoid, tamis::log,  tamis::square};
    keep(kOps[s[2] % std::size(kOps)](pick(s[1])), s[5]);
  }

  void compare(const Step& s) {
    constexpr Tensor (*kOps[])(const Tensor&, const Tensor&) = {tamis::lt, tamis::le, tamis::eq,
                                                                tamis::ne, tamis::gt, tamis::ge};
    const Tensor a = pick(s[1]), b = s[4] % 2 == 0 ? Tensor(s[5] % 7 - 3) : partner(a, s[2]);
    keep(kOps[s[3] % std::size(kOps)](a, b), s[5]);
  }

  void logic(const Step& s) {
    constexpr Tensor (*kOps[])(const Tensor&, const Tensor&) = {
        tamis::logical_and, tamis::logical_or, tamis::logical_xor, tamis::bitwise_and};
    const Tensor a = pick(s[1]);
    if (s[3] % 5 == 4) return keep(logical_not(a), s[5]);
    keep(kOps[s[3] % 5](a, partner(a, s[2])), s[5]);
  }

  void choose(const Step& s) {
    const Tensor a = pick(s[1]), b = partner(a, s[2]);
    keep(where(mask_for(a, s[3]), a, b), s[5]);
  }

  void fill(const Step& s) {
    const Tensor a = pick(s[1]);
    keep(s[2] % 3 ? a.masked_fill(mask_for(a, s[3]), s[4] % 5)
                  : isin(a, tensor({1, 2, 3, 7}), s[4] % 2 == 0),
         s[5]);
  }

  void cast(const Step& s) { keep(pick(s[1]).to(kDTypes[s[2] % std::size(kDTypes)]), s[5]); }

  void build(const Step& s) {
    const int64_t n = s[1] % 8, m = s[2] % 8;
    keep(s[3] % 2 ? masks::band(n, m, s[4] % 9 - 2, s[5] % 9 - 2)
                  : masks::causal(n, m, s[4] % 5 - 2),
         s[5]);
  }

  // ---- views ------------------------------------------------------------------------------------

  void view(const Step& s) {
    const Tensor a = pick(s[1]);
    const int64_t rank = a.dim();
    const int64_t d = rank ? s[3] % rank : 0, size = rank ? a.shape()[d] : 1;
    switch (s[2] % 8) {
      case 0:
        return keep(a.transpose(d, rank ? s[4] % rank : 0), s[5]);
      case 1:
        return keep(a.slice(d, s[4] % 3, {}, 1 + s[5] % 3), s[5]);
      case 2:
        return keep(a.select(d, size ? s[4] % size : 0), s[5]);
      case 3: {
        Shape wide = a.shape();
        wide.insert(0, 1 + s[4] % 3);
        return keep(a.expand(wide), s[5]);
      }
      case 4:
        return keep(a.unsqueeze(s[3] % (rank + 1)), s[5]);
      case 5: {
        const int64_t start = s[4] % (size + 1);
        return keep(a.narrow(d, start, (size - start + 1) / 2), s[5]);
      }
      case 6:
        return keep(a.flatten(), s[5]);
      default:
        return keep(a.squeeze(), s[5]);
    }
  }

  // ---- writes -----------------------------------------------------------------------------------

  void write(const Step& s) {
    Tensor a = pick(s[1]);
    const Tensor b = s[4] % 3 == 0 ? Tensor(s[5] % 5) : partner(a, s[2]);
    switch (s[3] % 7) {
      case 0:
        a.add_(b);
        break;
      case 1:
        a.mul_(b);
        break;
      case 2:
        a.copy_(b);
        break;
      case 3:
        a.add_(b * 2 + 1);  // an expression that nobody else sees
        break;
      case 4:
        a.fill_(s[5] % 3);
        break;
      case 5:
        a.minimum_(b);
        break;
      default:
        a.logical_not_();
    }
  }

  void write_masked(const Step& s) {
    Tensor a = pick(s[1]);
    const Tensor mask = mask_for(a, s[2]);
    switch (s[3] % 11) {
      case 0:
        a.masked_fill_(mask, s[4] % 7);
        break;
      case 1:
        a.masked_fill_(a > 2, s[4] % 3);
        break;
      case 2:
        a.masked_scatter_(mask, pick(s[4]));
        break;
      case 3:
        a.masked_scatter_(mask, pick(s[4]).to(a.dtype()));
        break;
      case 4:
        a[mask] = s[4] % 5;
        break;
      case 5:
        a[mask] = pick(s[4]);
        break;
      case 6:
        a[mask] *= 2;
        break;
      // Masks that nobody else holds are computed while the target is written.
      case 7:
        a.masked_fill_((a > -5) & (a < s[4] % 9), 1);
        break;
      case 8:
        a[mask & (a > 0)] = 3;
        break;
      case 9:
        a.masked_scatter_(a > 0, pick(s[4]).to(a.dtype()));
        break;
      default:
        a[(a != 0) | mask] += s[4] % 3;
    }
  }

  /// Writes whose value reads the target in another order.
  void write_over_itself(const Step& s) {
    Tensor a = pick(s[1]);
    if (a.dim() == 0) return;
    const int64_t d = s[2] % a.dim(), size = a.shape()[d];
    if (size == 0) return;
    switch (s[3] % 4) {
      case 0:
        a.add_(a.narrow(d, s[4] % size, 1) * 1);
        break;
      case 1:
        a.masked_fill_(a.narrow(d, s[4] % size, 1) > 1, 2);
        break;
      case 2:
        if (a.dim() != 2 || a.shape()[0] != a.shape()[1]) return;
        a.copy_(a.t() * 1);
        a[a.t() > s[4] % 5] = 1;
        a[a > a.t()] *= 2;
        a.masked_scatter_(a.t() < 3, a * 2);
        break;
      default:
        a.narrow(d, size / 2, size - size / 2).add_(a.narrow(d, 0, 1) + 1);
    }
  }

  // ---- sinks ------------------------------------------------------------------------------------

  void reduce(const Step& s) {
    const Tensor a = pick(s[1]);
    const Dims dims = a.dim() && s[2] % 2 ? Dims{s[3] % a.dim()} : Dims{};
    switch (s[4] % 6) {
      case 0:
        return see(a.sum(dims));
      case 1:
        return see(a.amax(dims));
      case 2:
        return see(a.any(dims));
      case 3:
        return see(a.all(dims));
      case 4:
        return see(a.to(float32).mean(dims));
      default:
        return see(a.count_nonzero(dims));
    }
  }

  void select(const Step& s) {
    const Tensor a = pick(s[1]), mask = mask_for(a, s[2]);
    switch (s[3] % 4) {
      case 0:
        return keep(a.masked_select(mask), s[5]);
      case 1:
        return see(a[mask]);
      case 2:
        return see(nonzero(a));
      default:
        seen_.push_back(fmt::format("{}", count(mask)));
    }
  }

  void select_into(const Step& s) {
    const Tensor a = pick(s[1]);
    Tensor out = pick(s[2]);
    see(masked_select_out(out, a, mask_for(a, s[3])));
  }

  void look(const Step& s) {
    const Tensor a = pick(s[1]);
    if (s[2] % 2) {
      a.settle();
    } else {
      see(a);
    }
  }

  void forget(const Step& s) {
    if (pool_.size() > 6) pool_.erase(pool_.begin() + s[1] % pool_.size());
  }

  std::vector<Tensor> pool_ = fresh_pool();
  std::vector<std::string> seen_;
};

}  // namespace

std::vector<std::string> run_program(const std::vector<Step>& steps) {
  return Interpreter().run(steps);
}

}  // namespace tamis::testing
