// Rows that only the JavaScript of the package calls: values on their way out, gradients,
// optimisers, generators, statistics.
#include <map>
#include <nlohmann/json.hpp>

#include "core/check.h"
#include "expr/expr.h"
#include "functions.h"
#include "tamis/autograd.h"
#include "tamis/create.h"
#include "tamis/optim.h"
#include "tamis/print.h"
#include "tamis/runtime.h"
#include "tamis/webgpu.h"

namespace tamis::web {

namespace {

using Span = std::span<const Value>;

const Tensor& tensor_arg(Span args, size_t i) { return std::get<Tensor>(args[i]); }
const std::vector<Tensor>& tensors_arg(Span args, size_t i) {
  return std::get<std::vector<Tensor>>(args[i]);
}
std::optional<bool> flag_arg(Span args, size_t i) {
  return detail::FromValue<std::optional<bool>>::get(args[i]);
}

void add(std::vector<Row>& rows, std::string_view signature, Value (*call)(Span)) {
  rows.push_back(make_row(signature, "", std::function<Value(Span)>(call), {}));
}

// ---- values -------------------------------------------------------------------------------------

Value move_to(const Tensor& x, std::optional<Device> device, std::optional<DType> dtype,
              bool copy) {
  const Tensor there = device ? x.to(*device) : x;
  if (dtype && *dtype != x.dtype()) return there.to(*dtype);
  return copy && there.shares_storage(x) ? x.clone() : there;
}

void add_values(std::vector<Row>& rows) {
  add(rows, "web.item(Tensor input) -> Scalar",
      [](Span a) -> Value { return tensor_arg(a, 0).item(); });
  add(rows, "web.text(Tensor input) -> str",
      [](Span a) -> Value { return tensor_arg(a, 0).to_string(); });
  // On the CPU, computed, row-major: as data() and tolist() read it.
  add(rows, "web.host(Tensor input) -> Tensor",
      [](Span a) -> Value { return to_host(tensor_arg(a, 0).detach()).contiguous().settle(); });
  add(rows, "web.settle(Tensor input) -> Tensor",
      [](Span a) -> Value { return tensor_arg(a, 0).settle(); });
  add(rows, "web.to(Tensor input, dtype dtype, bool copy=False) -> Tensor", [](Span a) {
    return move_to(tensor_arg(a, 0), {}, std::get<DType>(a[1]), std::get<bool>(a[2]));
  });
  add(rows, "web.to(Tensor input, device device, dtype? dtype=None, bool copy=False) -> Tensor",
      [](Span a) {
        return move_to(tensor_arg(a, 0), Device(std::get<std::string>(a[1])),
                       detail::FromValue<std::optional<DType>>::get(a[2]), std::get<bool>(a[3]));
      });
  add(rows, "web.to(Tensor input, Tensor other, bool copy=False) -> Tensor", [](Span a) {
    const Tensor& other = tensor_arg(a, 1);
    return move_to(tensor_arg(a, 0), other.device(), other.dtype(), std::get<bool>(a[2]));
  });
  add(rows,
      "web.set_printoptions(int precision=4, int threshold=1000, int edgeitems=3, int "
      "linewidth=80, bool? sci_mode=None) -> int",
      [](Span a) -> Value {
        set_printoptions({static_cast<int>(std::get<int64_t>(a[0])), std::get<int64_t>(a[1]),
                          std::get<int64_t>(a[2]), std::get<int64_t>(a[3]), flag_arg(a, 4)});
        return Value();
      });
}

// ---- gradients ----------------------------------------------------------------------------------

void add_gradients(std::vector<Row>& rows) {
  add(rows,
      "web.backward(Tensor[] roots, Tensor[] grads, bool? retain_graph=None, bool "
      "create_graph=False) -> int",
      [](Span a) -> Value {
        backward(tensors_arg(a, 0), tensors_arg(a, 1), flag_arg(a, 2), std::get<bool>(a[3]));
        return Value();
      });
  add(rows,
      "web.grad(Tensor[] outputs, Tensor[] inputs, Tensor[] grad_outputs, bool? "
      "retain_graph=None, bool create_graph=False, bool allow_unused=False) -> Tensor[]",
      [](Span a) -> Value {
        return grad(tensors_arg(a, 0), tensors_arg(a, 1), tensors_arg(a, 2), flag_arg(a, 3),
                    std::get<bool>(a[4]), std::get<bool>(a[5]));
      });
  add(rows, "web.requires_grad_(Tensor input, bool requires_grad=True) -> Tensor",
      [](Span a) -> Value {
        Tensor x = tensor_arg(a, 0);
        return x.requires_grad_(std::get<bool>(a[1]));
      });
  add(rows, "web.get_grad(Tensor input) -> Tensor",
      [](Span a) -> Value { return tensor_arg(a, 0).grad(); });
  add(rows, "web.set_grad(Tensor input, Tensor? grad=None) -> int", [](Span a) -> Value {
    const auto* grad = std::get_if<Tensor>(&a[1]);
    tensor_arg(a, 0).set_grad(grad ? *grad : Tensor());
    return Value();
  });
  add(rows, "web.retain_grad(Tensor input) -> int", [](Span a) -> Value {
    tensor_arg(a, 0).retain_grad();
    return Value();
  });
  // Sets whether operations are recorded; returns whether they were.
  add(rows, "web.set_grad_enabled(bool mode) -> bool", [](Span a) -> Value {
    const bool before = is_grad_enabled();
    set_grad_enabled(std::get<bool>(a[0]));
    return before;
  });
  add(rows, "web.is_grad_enabled() -> bool", [](Span) -> Value { return is_grad_enabled(); });
}

// ---- optimisers ---------------------------------------------------------------------------------

/// By number; JavaScript drops those that it has no more use for.
std::map<int64_t, std::unique_ptr<Optimizer>>& optimizers() {
  static std::map<int64_t, std::unique_ptr<Optimizer>> all;
  return all;
}

Value keep(std::unique_ptr<Optimizer> optimizer) {
  static int64_t last = 0;
  optimizers()[++last] = std::move(optimizer);
  return last;
}

void add_optimizers(std::vector<Row>& rows) {
  add(rows,
      "web.sgd(Tensor[] params, float lr=0.001, float momentum=0, float dampening=0, float "
      "weight_decay=0, bool nesterov=False) -> int",
      [](Span a) {
        const auto real = [&](size_t i) { return std::get<double>(a[i]); };
        const SGD::Options options{real(1), real(2), real(3), real(4), std::get<bool>(a[5])};
        return keep(std::make_unique<SGD>(tensors_arg(a, 0), options));
      });
  add(rows,
      "web.adam(Tensor[] params, float lr=0.001, float beta1=0.9, float beta2=0.999, float "
      "eps=1e-08, float weight_decay=0, bool decoupled=False) -> int",
      [](Span a) {
        const auto real = [&](size_t i) { return std::get<double>(a[i]); };
        const Adam::Options options{
            real(1), {real(2), real(3)}, real(4), real(5), std::get<bool>(a[6])};
        return keep(std::make_unique<Adam>(tensors_arg(a, 0), options));
      });
  add(rows, "web.step(int optimizer) -> int", [](Span a) -> Value {
    optimizers().at(std::get<int64_t>(a[0]))->step();
    return Value();
  });
  add(rows, "web.zero_grad(int optimizer) -> int", [](Span a) -> Value {
    optimizers().at(std::get<int64_t>(a[0]))->zero_grad();
    return Value();
  });
  add(rows, "web.drop_optimizer(int optimizer) -> int", [](Span a) -> Value {
    optimizers().erase(std::get<int64_t>(a[0]));
    return Value();
  });
}

// ---- random numbers -----------------------------------------------------------------------------

Generator generator_arg(Span args, size_t i) {
  const auto* own = std::get_if<Generator>(&args[i]);
  return own ? *own : default_generator();
}

void add_generators(std::vector<Row>& rows) {
  add(rows, "web.generator() -> Generator", [](Span) -> Value { return Generator(); });
  add(rows, "web.manual_seed(Generator? generator, int seed) -> int", [](Span a) -> Value {
    generator_arg(a, 0).manual_seed(static_cast<uint64_t>(std::get<int64_t>(a[1])));
    return Value();
  });
  add(rows, "web.seed(Generator? generator=None) -> int",
      [](Span a) -> Value { return static_cast<int64_t>(generator_arg(a, 0).seed()); });
  add(rows, "web.initial_seed(Generator? generator=None) -> int",
      [](Span a) -> Value { return static_cast<int64_t>(generator_arg(a, 0).initial_seed()); });
  add(rows, "web.get_state(Generator? generator=None) -> Tensor",
      [](Span a) -> Value { return generator_arg(a, 0).get_state(); });
  add(rows, "web.set_state(Generator? generator, Tensor state) -> int", [](Span a) -> Value {
    generator_arg(a, 0).set_state(tensor_arg(a, 1));
    return Value();
  });
}

// ---- devices ------------------------------------------------------------------------------------

void add_devices(std::vector<Row>& rows) {
  add(rows, "web.stats() -> str", [](Span) -> Value {
    const webgpu::Stats s = webgpu::stats();
    const nlohmann::ordered_json found = {
        {"dispatches", s.dispatches},       {"submits", s.submits},
        {"readbacks", s.readbacks},         {"readback_bytes", s.readback_bytes},
        {"written_bytes", s.written_bytes}, {"pipelines", s.pipelines},
        {"live_bytes", s.live_bytes},       {"cached_bytes", s.cached_bytes}};
    return found.dump();
  });
  add(rows, "web.reset_stats() -> int", [](Span) -> Value {
    webgpu::reset_stats();
    return Value();
  });
  add(rows, "web.default_device() -> str", [](Span) -> Value { return default_device().str(); });
  add(rows, "web.set_default_device(str device) -> int", [](Span a) -> Value {
    set_default_device(Device(std::get<std::string>(a[0])));
    return Value();
  });
}

}  // namespace

std::vector<Row> web_rows() {
  std::vector<Row> rows;
  add_values(rows);
  add_gradients(rows);
  add_optimizers(rows);
  add_generators(rows);
  add_devices(rows);
  return rows;
}

}  // namespace tamis::web
