// Assembling the text of kernels.
#include "backend/webgpu/shader.h"

#include <fmt/format.h>

#include <utility>

namespace tamis::webgpu {

std::string type_of(DType dtype) {
  if (dtype == DType::boolean) return "bool";
  switch (itemsize(dtype)) {
    case 8:
      return "vec2u";
    case 16:
      return "vec4u";
    default:
      return "u32";
  }
}

std::string zero_of(DType dtype) { return type_of(dtype) + "()"; }

std::string Shader::bind_as(Block* block, Access access, const char* type) {
  for (size_t k = 0; k < blocks_.size(); ++k) {
    if (blocks_[k] != block) continue;
    std::string name = fmt::format("b{}", k);
    return name;
  }
  blocks_.push_back(block);
  accesses_.push_back(access);
  std::string name = fmt::format("b{}", blocks_.size() - 1);
  types_[name] = type;
  return name;
}

std::string Shader::param(uint32_t value) {
  const size_t k = params_.size();
  params_.push_back(value);
  return fmt::format("params[{}].{}", k / 4, "xyzw"[k % 4]);
}

std::string Shader::param_pair(uint64_t value) {
  const std::string low = param(static_cast<uint32_t>(value));
  return fmt::format("vec2u({}, {})", low, param(static_cast<uint32_t>(value >> 32)));
}

namespace {

/// The name of the way in which an element lies in words.
std::string kind_of_access(DType dtype) {
  if (dtype == DType::boolean) return "bool";
  const size_t size = itemsize(dtype);
  if (size < 4 && is_integral(dtype) && is_signed(dtype)) return fmt::format("i{}", size * 8);
  return fmt::format("u{}", size * 8);
}

}  // namespace

std::string Shader::load(DType dtype, const std::string& array, const std::string& index) {
  const std::string kind = kind_of_access(dtype), name = fmt::format("load_{}_{}", kind, array);
  const auto word = [&](const std::string& at) {
    return is_atomic(array) ? fmt::format("atomicLoad(&{}[{}])", array, at)
                            : fmt::format("{}[{}]", array, at);
  };
  std::string value;
  switch (itemsize(dtype)) {
    case 1:
    case 2: {
      const bool bytes = itemsize(dtype) == 1;
      const std::string at = word(bytes ? "k >> 2u" : "k >> 1u");
      const std::string shift = bytes ? "(k & 3u) * 8u" : "(k & 1u) * 16u";
      const int bits = bytes ? 8 : 16;
      if (kind[0] == 'i') {
        value =
            fmt::format("bitcast<u32>(extractBits(bitcast<i32>({}), {}, {}u))", at, shift, bits);
      } else {
        value = fmt::format("(({} >> ({})) & {}u)", at, shift, (1 << bits) - 1);
      }
      if (dtype == DType::boolean) value += " != 0u";
      break;
    }
    case 4:
      return word(index);
    case 8:
      value = fmt::format("vec2u({}, {})", word("2u * k"), word("2u * k + 1u"));
      break;
    default:
      value = fmt::format("vec4u({}, {}, {}, {})", word("4u * k"), word("4u * k + 1u"),
                          word("4u * k + 2u"), word("4u * k + 3u"));
  }
  define(name, fmt::format("fn {}(k: u32) -> {} {{ return {}; }}\n", name, type_of(dtype), value));
  return fmt::format("{}({})", name, index);
}

std::string Shader::store(DType dtype, const std::string& array, const std::string& index,
                          const std::string& value) {
  const std::string kind = kind_of_access(dtype), name = fmt::format("store_{}_{}", kind, array);
  std::string body;
  switch (itemsize(dtype)) {
    case 1:
    case 2: {
      const bool bytes = itemsize(dtype) == 1;
      const std::string bits = dtype == DType::boolean ? "select(0u, 1u, v)" : "v";
      // Nobody else writes these bits of the word.
      body = fmt::format(
          "let s = {}; let m = {} << s; atomicAnd(&{}[{}], ~m); atomicOr(&{}[{}], ({} << s) & m);",
          bytes ? "(k & 3u) * 8u" : "(k & 1u) * 16u", bytes ? "255u" : "65535u", array,
          bytes ? "k >> 2u" : "k >> 1u", array, bytes ? "k >> 2u" : "k >> 1u", bits);
      break;
    }
    case 4:
      if (is_atomic(array)) return fmt::format("atomicStore(&{}[{}], {});\n", array, index, value);
      return fmt::format("{}[{}] = {};\n", array, index, value);
    case 8:
      body = fmt::format("{0}[2u * k] = v.x; {0}[2u * k + 1u] = v.y;", array);
      break;
    default:
      body = fmt::format(
          "{0}[4u * k] = v.x; {0}[4u * k + 1u] = v.y; {0}[4u * k + 2u] = v.z; "
          "{0}[4u * k + 3u] = v.w;",
          array);
  }
  define(name, fmt::format("fn {}(k: u32, v: {}) {{ {} }}\n", name, type_of(dtype), body));
  return fmt::format("{}({}, {});\n", name, index, value);
}

const std::vector<uint32_t>& Shader::params() const {
  while (params_.empty() || params_.size() % 4 != 0) params_.push_back(0);
  return params_;
}

namespace {

/// The body with `params_3.x` for `params[3].x`: copies of single vectors stay in registers, where
/// drivers give a copy of the array memory.
std::string with_vectors(std::string body) {
  for (size_t at = 0; (at = body.find("params[", at)) != std::string::npos;) {
    body[at + 6] = '_';
    body.erase(body.find(']', at), 1);
  }
  return body;
}

}  // namespace

const std::string& Shader::text() const {
  if (!text_.empty()) return text_;
  std::string own = fmt::format("@group(0) @binding(0) var<uniform> params: array<vec4u, {}>;\n",
                                params().size() / 4);
  for (size_t k = 0; k < blocks_.size(); ++k) {
    const std::string name = fmt::format("b{}", k);
    own += fmt::format("@group(0) @binding({}) var<storage, {}> {}: array<{}>;\n", k + 1,
                       accesses_[k] == Access::read ? "read" : "read_write", name, types_.at(name));
  }
  for (const auto& [name, function] : functions_) own += function;
  own += declarations_;
  own += fmt::format(
      "@compute @workgroup_size({}) fn main(@builtin(workgroup_id) wg: vec3u, "
      "@builtin(num_workgroups) wgs: vec3u, @builtin(local_invocation_index) t: u32) {{\n"
      "let group = wg.y * wgs.x + wg.x;\nlet i = group * {}u + t;\n",
      kGroupSize, kGroupSize);
  // Read once: drivers do not see that what the kernel writes leaves the parameters alone.
  for (size_t k = 0; k < params_.size() / 4; ++k) {
    own += fmt::format("let params_{0} = params[{0}];\n", k);
  }
  own += with_vectors(body_);
  own += "}\n";
  text_ = std::move(own);
  return text_;
}

}  // namespace tamis::webgpu
