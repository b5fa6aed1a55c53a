// Measures Tamis on a GPU against the simplest shader that copies the same elements on the same
// device, and against a selection written by hand by the usual route: mask to bytes, scan, scatter,
// count read back.
//
//   tamis_webgpu_bench [--json] [numel]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "backend/webgpu/open.h"
#include "backend/webgpu/shader.h"
#include "core/tensor_impl.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace {

using namespace tamis;
using webgpu::Access;
using webgpu::Queue;
using webgpu::Scratch;
using webgpu::Shader;

constexpr int kRounds = 31;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Something that a user would call, what the device is asked to do in it, and the time it took.
struct Case {
  std::string what;
  double target = 0;  // at most this many copies; 0: none
  std::function<void()> call;
  webgpu::Stats stats;
  double ms = 0;
};

/// In each round every case runs once, so that a slow moment of the machine meets all of them. The
/// fastest of the rounds counts: what else the machine does only adds to it.
void measure(std::vector<Case>& cases) {
  for (Case& c : cases) {
    c.call();  // compiles the kernels
    webgpu::synchronize();
    webgpu::reset_stats();
    c.call();
    c.stats = webgpu::stats();
    webgpu::synchronize();
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Case& c : cases) {
      const double begin = seconds();
      c.call();
      webgpu::synchronize();
      const double ms = (seconds() - begin) * 1e3;
      c.ms = round == 0 ? ms : std::min(c.ms, ms);
    }
  }
}

/// y[i] = x[i], a word for each invocation.
void copy_words(Queue& queue, webgpu::Block* from, webgpu::Block* to, int64_t n) {
  Shader shader;
  const std::string y = shader.bind(to, Access::write), x = shader.bind(from, Access::read);
  shader.add(fmt::format("if (i < {}) {{ {}[i] = {}[i]; }}\n", shader.param(n), y, x));
  queue.run(shader, n);
}

/// x[x > 0] as libraries without fusion do it: a mask of words, a scan of it in three kernels, a
/// kernel that scatters, and the count.
Tensor select_by_hand(Queue& queue, const Tensor& x) {
  const int64_t n = x.numel(), tiles = (n + 255) / 256;
  webgpu::Block* const from = webgpu::block_of(buffer_of(x));
  Scratch mask(queue, n * 4), ranks(queue, n * 4), sums(queue, (tiles + 1) * 4);
  constexpr const char* kScan =
      "var<workgroup> s: array<u32, 256>;\n"
      "fn scan(t: u32, v: u32) -> u32 { s[t] = v; workgroupBarrier();\n"
      "for (var d = 1u; d < 256u; d = d * 2u) { var b = 0u; if (t >= d) { b = s[t - d]; }\n"
      "workgroupBarrier(); s[t] += b; workgroupBarrier(); } return s[t] - v; }\n";
  {
    Shader shader;
    const std::string m = shader.bind(mask, Access::write), v = shader.bind(from, Access::read);
    shader.add(fmt::format("if (i < {}) {{ {}[i] = select(0u, 1u, bitcast<f32>({}[i]) > 0.0); }}\n",
                           shader.param(n), m, v));
    queue.run(shader, n);
  }
  {
    Shader shader;
    const std::string r = shader.bind(ranks, Access::write), b = shader.bind(sums, Access::write);
    const std::string m = shader.bind(mask, Access::read), count = shader.param(n);
    shader.declare(kScan);
    shader.add(fmt::format(
        "var v = 0u; if (i < {0}) {{ v = {1}[i]; }} let before = scan(t, v);\n"
        "if (i < {0}) {{ {2}[i] = before; }} if (t == 255u) {{ {3}[group + 1u] = before + v; }}\n",
        count, m, r, b));
    queue.run(shader, n);
  }
  {
    Shader shader;
    const std::string b = shader.bind(sums, Access::write), count = shader.param(tiles + 1);
    shader.declare(kScan);
    shader.add(fmt::format(
        "var carry = 0u; for (var at = 0u; at < {0}; at += 256u) {{ let k = at + t; var v = 0u;\n"
        "if (k > 0u && k < {0}) {{ v = {1}[k]; }} let sum = scan(t, v) + v;\n"
        "if (k < {0}) {{ {1}[k] = carry + sum; }} workgroupBarrier(); carry += s[255]; "
        "workgroupBarrier(); }}\n",
        count, b));
    queue.run_groups(shader, 1);
  }
  uint32_t total = 0;
  queue.read(sums, tiles * 4, &total, 4);
  Tensor result = empty({static_cast<int64_t>(total)}, {float32, x.device()});
  Shader shader;
  const std::string y = shader.bind(webgpu::block_of(buffer_of(result)), Access::write);
  const std::string v = shader.bind(from, Access::read), m = shader.bind(mask, Access::read);
  const std::string r = shader.bind(ranks, Access::read), b = shader.bind(sums, Access::read);
  shader.add(fmt::format("if (i < {} && {}[i] != 0u) {{ {}[{}[group] + {}[i]] = {}[i]; }}\n",
                         shader.param(n), m, y, b, r, v));
  queue.run(shader, n);
  return result;
}

std::vector<Case> measure_all(int64_t n) {
  Queue& queue = webgpu::queue_of("webgpu");
  const Tensor x = randn({n}).to("webgpu"), mask = (x > 0).settle();
  webgpu::Block* const from = webgpu::block_of(buffer_of(x));
  std::vector<Case> cases;
  const auto add = [&](const char* what, double target, const std::function<void()>& call) {
    cases.push_back({what, target, call, {}});
  };
  add("copy by the simplest shader", 0, [&] {
    Scratch to(queue, n * 4);
    copy_words(queue, from, to, n);
  });
  add("x * 2 + 1 where x > 0, else -x", 1.5, [&] { (void)where(x > 0, x * 2 + 1, -x).settle(); });
  add("the same, unfused", 0, [&] {
    const Tensor m = (x > 0).settle(), a = (x * 2).settle(), b = (a + 1).settle();
    (void)where(m, b, (-x).settle()).settle();
  });
  add("x[x > 0]", 4, [&] { (void)x[x > 0].get(); });
  add("x[mask], mask in memory", 4, [&] { (void)x[mask].get(); });
  add("x[x > 0] by hand, unfused", 0, [&] { (void)select_by_hand(queue, x); });
  add("masked_select_padded(x, x > 0, n)", 0, [&] { (void)masked_select_padded(x, x > 0, n); });
  add("x.sum()", 1.5, [&] { (void)x.sum(); });
  add("masked::sum(x, x > 0)", 1.5, [&] { (void)masked::sum(x, x > 0); });
  add("(x > 0).sum()", 1.5, [&] { (void)(x > 0).sum(); });
  add("masked_scatter(x, mask, x)", 0, [&] { (void)masked_scatter(x, mask, x); });
  add("masked_fill(x, x > 0, 0)", 1.5, [&] { (void)masked_fill(x, x > 0, 0).settle(); });
  measure(cases);
  return cases;
}

void print(const std::vector<Case>& cases, int64_t n) {
  const double copy = cases[0].ms;
  fmt::print("{}, {} elements of float32\n", webgpu::adapters()[0].name, n);
  fmt::print("{:36} {:>9} {:>8} {:>7} {:>10} {:>8} {:>9}\n", "", "ms", "copies", "target",
             "dispatches", "submits", "readbacks");
  for (const Case& c : cases) {
    const webgpu::Stats& s = c.stats;
    fmt::print("{:36} {:9.3f} {:8.2f} {:>7} {:10} {:8} {:9}\n", c.what, c.ms, c.ms / copy,
               c.target == 0 ? "" : fmt::format("{}", c.target), s.dispatches, s.submits,
               s.readbacks);
  }
}

void print_json(const std::vector<Case>& cases, int64_t n) {
  fmt::print("{{\"adapter\": \"{}\", \"numel\": {}, \"rows\": [", webgpu::adapters()[0].name, n);
  for (const Case& c : cases) {
    const webgpu::Stats& s = c.stats;
    fmt::print(
        "{}{{\"what\": \"{}\", \"ms\": {:.4f}, \"copies\": {:.3f}, \"target\": {}, "
        "\"dispatches\": {}, \"submits\": {}, \"readbacks\": {}}}",
        &c == cases.data() ? "" : ", ", c.what, c.ms, c.ms / cases[0].ms, c.target, s.dispatches,
        s.submits, s.readbacks);
  }
  fmt::print("]}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  int64_t n = 1 << 20;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--json") == 0) {
      json = true;
    } else {
      n = std::stoll(argv[k]);
    }
  }
  try {
    const std::vector<Case> cases = measure_all(n);
    json ? print_json(cases, n) : print(cases, n);
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
