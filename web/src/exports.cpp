// Exports: what JavaScript calls. Arguments and results go through the wire; tensors and generators
// are known by handles, numbers that JavaScript gives back when it has no more use for them.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "backend/attempt.h"
#include "core/check.h"
#include "core/tensor_impl.h"
#include "exports.h"
#include "expr/expr.h"
#include "functions.h"
#include "language/error.h"
#include "tamis/future.h"

namespace tamis::web {

namespace {

/// Objects by handle. Handle 0 is none.
template <class T>
class Handles {
 public:
  uint32_t add(T object) {
    if (free_.empty()) {
      objects_.emplace_back(std::move(object));
      return static_cast<uint32_t>(objects_.size());
    }
    const uint32_t handle = free_.back();
    free_.pop_back();
    objects_[handle - 1] = std::move(object);
    return handle;
  }
  const T& at(uint32_t handle) const {
    check(handle > 0 && handle <= objects_.size() && objects_[handle - 1], ErrorKind::value,
          "this tensor or generator was disposed of");
    return *objects_[handle - 1];
  }
  void release(uint32_t handle) {
    objects_.at(handle - 1).reset();
    free_.push_back(handle);
  }

 private:
  std::vector<std::optional<T>> objects_;
  std::vector<uint32_t> free_;
};

Handles<Tensor> tensors;
Handles<Generator> generators;
std::vector<uint64_t> scratch;  // where JavaScript writes arguments
Reply reply;

// ---- results ------------------------------------------------------------------------------------

void put_scalar(const Scalar& v) {
  if (v.dtype() == DType::boolean) return reply.boolean(v.to_bool());
  if (v.is_complex()) return reply.complex(v.to_complex().real(), v.to_complex().imag());
  if (v.is_floating_point()) return reply.number(v.to_double());
  v.is_beyond_int64() ? reply.large_integer(v.to<uint64_t>()) : reply.integer(v.to_int64());
}

/// The argument itself, if the result is one: x.contiguous() of a contiguous x is x.
void put_tensor(const Tensor& x, const Call& call) {
  if (!x.defined()) return reply.undefined();
  for (size_t i = 0; i < call.args.size(); ++i) {
    const auto* arg = std::get_if<Tensor>(&call.args[i]);
    if (arg != nullptr && call.handles[i] != 0 && arg->defined() && &arg->impl() == &x.impl()) {
      return reply.same(call.handles[i]);
    }
  }
  reply.tensor(tensors.add(x));
}

void put_tensors(const std::vector<Tensor>& list, const Call& call) {
  static const std::vector<std::string> kNone;
  const std::vector<std::string>& fields = call.overload ? call.overload->signature.fields : kNone;
  if (fields.empty()) {
    reply.list(list.size());
    for (const Tensor& x : list) put_tensor(x, call);
    return;
  }
  reply.named(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    reply.text(fields[i]);
    put_tensor(list[i], call);
  }
}

bool has_dtype(const Value& value, DType dtype) {
  if (const auto* x = std::get_if<Tensor>(&value)) return x->defined() && x->dtype() == dtype;
  if (const auto* given = std::get_if<DType>(&value)) return *given == dtype;
  if (const auto* options = std::get_if<Options>(&value)) return options->dtype == dtype;
  const auto* list = std::get_if<std::vector<Tensor>>(&value);
  return list != nullptr && std::any_of(list->begin(), list->end(), [&](const Tensor& x) {
           return x.defined() && x.dtype() == dtype;
         });
}

/// A dtype never depends on a value, and that of bigints is int64: a larger one makes no uint64 of
/// what would be int64 otherwise.
void check_large_numbers(const Value& result, const Call& call) {
  if (!has_dtype(result, DType::uint64)) return;
  std::optional<Scalar> large;
  for (const Value& arg : call.args) {
    const auto* x = std::get_if<Tensor>(&arg);
    const auto* number = std::get_if<Scalar>(&arg);
    if (x != nullptr && x->defined() && x->impl().is_number && x->dtype() == DType::uint64) {
      large = x->item();
    } else if (number != nullptr && number->is_beyond_int64()) {
      large = *number;
    } else if (has_dtype(arg, DType::uint64)) {
      return;
    }
  }
  check(!large, ErrorKind::value,
        "{0}(): {1}n does not fit into int64; write tensor({1}n, {{dtype: \"uint64\"}})",
        call.overload ? call.overload->signature.name : "get", large ? large->to<uint64_t>() : 0);
}

void put_result(const Value& value, const Call& call) {
  check_large_numbers(value, call);
  reply.clear();
  // What is written in place or by out= is returned itself.
  const int writes = call.overload ? call.overload->writes : -1;
  if (writes >= 0 && call.handles[static_cast<size_t>(writes)] != 0) {
    return reply.same(call.handles[static_cast<size_t>(writes)]);
  }
  if (const auto* x = std::get_if<Tensor>(&value)) return put_tensor(*x, call);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) return put_tensors(*list, call);
  if (const auto* v = std::get_if<Scalar>(&value)) return put_scalar(*v);
  if (const auto* v = std::get_if<int64_t>(&value)) return reply.integer(*v);
  if (const auto* v = std::get_if<double>(&value)) return reply.number(*v);
  if (const auto* v = std::get_if<bool>(&value)) return reply.boolean(*v);
  if (const auto* v = std::get_if<DType>(&value)) return reply.text(name(*v));
  if (const auto* v = std::get_if<std::string>(&value)) return reply.text(*v);
  if (const auto* v = std::get_if<Generator>(&value)) return reply.generator(generators.add(*v));
  if (const auto* shape = std::get_if<Shape>(&value)) {
    reply.list(shape->size());
    for (int64_t size : *shape) reply.integer(size);
    return;
  }
  reply.undefined();
}

// ---- errors -------------------------------------------------------------------------------------

const char* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::shape:
      return "shape";
    case ErrorKind::dtype:
      return "dtype";
    case ErrorKind::index:
      return "index";
    case ErrorKind::value:
      return "value";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::memory:
      return "memory";
    case ErrorKind::format:
      return "format";
    case ErrorKind::io:
      return "io";
    case ErrorKind::device:
      return "device";
  }
  return "value";
}

enum Status : int32_t { kDone = 0, kError = 1, kPending = 2 };

Status fail(const char* kind, const std::string& text) {
  reply.clear();
  reply.text(kind);
  reply.text(text);
  return kError;
}

/// In place, the underscore stays last: masked_scatter_async_.
std::string async_name(const Function& f) {
  if (!f.writes_input()) return f.name + "_async";
  return f.name.substr(0, f.name.size() - 1) + "_async_";
}

/// What to write instead of a call that would have to wait.
std::string waiting_text(const Function& f, const std::string& what) {
  std::string text = fmt::format("{}: {}; write `await {}(...)`", f.name, what, async_name(f));
  for (const char* ending : {"_padded", "_static"}) {
    if (has_function(f.name + ending)) {
      text += fmt::format(", or {}{}, which needs no wait", f.name, ending);
    }
  }
  return text;
}

/// The text with advice as JavaScript spells it.
std::string in_javascript(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {{".to_bool()", ".bool()"},
                                                                          {" != 0", ".ne(0)"}};
  for (const auto& [cpp, own] : kSpellings) {
    for (size_t at = text.find(cpp); at != std::string::npos; at = text.find(cpp)) {
      text.replace(at, cpp.size(), own);
    }
  }
  return text;
}

/// Runs a call and says how it ended; what it gave, or the error, is in the reply.
template <class F>
Status guarded(const Function& f, F&& run) {
  try {
    run();
    return kDone;
  } catch (const Pending&) {
    return kPending;
  } catch (const WouldWait& e) {
    return fail("device", waiting_text(f, e.what()));
  } catch (const Error& e) {
    return fail(kind_name(e.kind()), in_javascript(e.what()));
  } catch (const ArgumentError& e) {
    return fail("argument", e.what());
  } catch (const cli::ConditionError& e) {
    return fail("condition",
                fmt::format("{}\n{}", e.what(), cli::underlined(e.source(), e.span())));
  } catch (const std::bad_alloc&) {
    return fail("memory", f.name + ": out of memory; dispose() of tensors, or use tidy()");
  } catch (const std::exception& e) {
    return fail("internal", fmt::format("{}: {}", f.name, e.what()));
  }
}

// ---- calls that may wait ------------------------------------------------------------------------

/// A call that is run again from its start whenever a value from the device has arrived. It sees
/// its arguments as they were at the call: when one is about to be written, it takes a copy.
class AsyncCall {
 public:
  AsyncCall(const Function& f, std::span<const uint64_t> words)
      : function_(f), words_(words.begin(), words.end()), given_(decode(words_)) {
    for (size_t i = 0; i < given_.positional.size(); ++i) {
      hold(given_.positional[i], i == 0 && f.writes_input());
    }
    for (const auto& [name, argument] : given_.named) hold(argument, name == "out");
  }

  Status run() {
    reader_ = nullptr;
    const Status status = guarded(function_, [&] {
      const Attempt::Run current(attempt_);
      const Call call = match(function_, given_, objects());
      put_result(call.run(), call);
    });
    if (status == kPending) wait();
    return status;
  }

 private:
  void hold(const Argument& a, bool written) {
    if (a.kind == Kind::tensor) {
      const Tensor& x = tensors.at(a.handle);
      held_[a.handle] = written ? x : detail::own_handle(x);
      if (!written) read_.push_back(a.handle);
    }
    if (a.kind == Kind::generator) streams_.emplace(a.handle, generators.at(a.handle));
    for (const Argument& item : a.items) hold(item, written);
  }

  Objects objects() {
    // What a run has drawn and not used is drawn again.
    states_.clear();
    states_.emplace_back(default_generator(), default_generator().get_state());
    for (const auto& [handle, stream] : streams_) states_.emplace_back(stream, stream.get_state());
    return {[this](uint32_t handle) { return held_.at(handle); },
            [this](uint32_t handle) { return streams_.at(handle); }};
  }

  void wait() {
    for (const auto& [stream, state] : states_) stream.set_state(state);
    if (copied_) return;
    std::vector<Tensor> inputs;
    for (uint32_t handle : read_) inputs.push_back(held_.at(handle));
    reader_ = watch(inputs, [this] { copy_inputs(); });
    if (!reader_) copy_inputs();
  }

  void copy_inputs() {
    if (std::exchange(copied_, true)) return;
    for (uint32_t handle : read_) held_[handle] = held_.at(handle).clone().settle();
  }

  const Function& function_;
  const std::vector<uint64_t> words_;  // given_ points into them
  const Arguments given_;
  Attempt attempt_;
  std::map<uint32_t, Tensor> held_;
  std::vector<uint32_t> read_;  // handles of what is not written
  std::map<uint32_t, Generator> streams_;
  std::vector<std::pair<Generator, Tensor>> states_;
  Ref<Storage> reader_;
  bool copied_ = false;
};

std::map<uint32_t, std::unique_ptr<AsyncCall>> async_calls;

}  // namespace

// ---- exports ------------------------------------------------------------------------------------

void set_reply(const std::string& text) {
  reply.clear();
  reply.text(text);
}

EXPORT(tm_scratch) uint64_t* tm_scratch(uint32_t words) {
  if (scratch.size() < words) scratch.resize(words);
  return scratch.data();
}
EXPORT(tm_reply) const uint64_t* tm_reply() { return reply.words().data(); }
EXPORT(tm_reply_words) uint32_t tm_reply_words() {
  return static_cast<uint32_t>(reply.words().size());
}

EXPORT(tm_call) int32_t tm_call(uint32_t function, uint32_t words) {
  const Function& f = functions()[function];
  return guarded(f, [&] {
    const Objects objects{[](uint32_t handle) { return tensors.at(handle); },
                          [](uint32_t handle) { return generators.at(handle); }};
    const Arguments given = decode(std::span(scratch).first(words));
    const Call call = match(f, given, objects);
    put_result(call.run(), call);
  });
}

/// Begins a call that may wait; its number, or 0 with the error in the reply.
EXPORT(tm_begin) uint32_t tm_begin(uint32_t function, uint32_t words) {
  static uint32_t last = 0;
  const Function& f = functions()[function];
  const Status status = guarded(f, [&] {
    async_calls[++last] = std::make_unique<AsyncCall>(f, std::span(scratch).first(words));
  });
  return status == kDone ? last : 0;
}
EXPORT(tm_run) int32_t tm_run(uint32_t call) { return async_calls.at(call)->run(); }
EXPORT(tm_end) void tm_end(uint32_t call) { async_calls.erase(call); }

EXPORT(tm_release) void tm_release(uint32_t tensor) { tensors.release(tensor); }
EXPORT(tm_release_generator) void tm_release_generator(uint32_t generator) {
  generators.release(generator);
}

/// dtype, device, shape, strides, and whether it requires a gradient, is a leaf, is deferred and is
/// contiguous.
EXPORT(tm_info) void tm_info(uint32_t tensor) {
  const Tensor& x = tensors.at(tensor);
  reply.clear();
  reply.text(name(x.dtype()));
  reply.text(x.device().str());
  for (const Shape* sizes : {&x.shape(), &x.strides()}) {
    reply.list(sizes->size());
    for (int64_t size : *sizes) reply.integer(size);
  }
  reply.boolean(x.requires_grad());
  reply.boolean(x.is_leaf());
  reply.boolean(x.is_deferred());
  reply.boolean(x.is_contiguous());
}

/// The address of the first element, to read; to write only if the tensor is new and no one has
/// seen it.
EXPORT(tm_data) const void* tm_data(uint32_t tensor) { return tensors.at(tensor).data_ptr(); }

}  // namespace tamis::web
