// The description of all functions, from which web/make_package.mjs makes those of the package.
#include <nlohmann/json.hpp>

#include "maker.h"

namespace tamis::web {

namespace {

using Json = nlohmann::ordered_json;

Json describe(const Parameter& p) {
  Json types = Json::array();
  for (ParamType type : p.types) types.push_back(name(type));
  Json d = {{"name", p.name},         {"types", types},          {"optional", p.optional},
            {"required", p.required}, {"named", p.keyword_only}, {"default", p.fallback_text}};
  if (p.literal) d["literal"] = *p.literal;
  return d;
}

Json describe(const Overload& o) {
  Json params = Json::array();
  for (const Parameter& p : o.signature.params) params.push_back(describe(p));
  return {{"text", o.signature.text},     {"summary", o.summary},
          {"parameters", params},         {"result", name(o.signature.result)},
          {"fields", o.signature.fields}, {"creates", o.creates},
          {"variadic", o.variadic},       {"writes", o.writes}};
}

}  // namespace

std::string describe() {
  Json all = Json::array();
  for (const Function& f : functions()) {
    Json overloads = Json::array();
    for (const Overload& o : f.overloads) overloads.push_back(describe(o));
    all.push_back({{"space", f.space},
                   {"name", f.name},
                   {"method", f.is_method},
                   {"internal", f.is_internal},
                   {"aliases", f.aliases},
                   {"overloads", overloads}});
  }
  return all.dump();
}

EXPORT(tm_describe) void tm_describe() { set_reply(describe()); }

}  // namespace tamis::web
