// Registration: every row becomes a function of the module and, if it begins with a tensor called
// input, a method of Tensor.
#include <algorithm>
#include <map>
#include <string_view>

#include "functions.h"

namespace tamis::python {

namespace {

/// PyTorch's second names for some functions.
struct Alias {
  const char* name;
  const char* of;
};
constexpr Alias kAliases[] = {
    {"subtract", "sub"},
    {"multiply", "mul"},
    {"divide", "div"},
    {"true_divide", "div"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"not_equal", "ne"},
    {"negative", "neg"},
    {"absolute", "abs"},
    {"clip", "clamp"},
    {"concat", "cat"},
    {"concatenate", "cat"},
    {"swapaxes", "transpose"},
    {"swapdims", "transpose"},
    {"moveaxis", "movedim"},
};

template <size_t N>
bool contains(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// Where PyTorch takes a number in place of a tensor.
bool takes_number(const std::string& function, const Param& p, size_t index) {
  constexpr std::string_view kNever[] = {
      "logical_and",  "logical_or", "logical_xor", "maximum", "minimum",      "isclose",
      "allclose",     "equal",      "expand_as",   "view_as", "logical_and_", "logical_or_",
      "logical_xor_", "type_as",    "reshape_as",  "matmul",  "dot"};
  constexpr std::string_view kFirst[] = {"pow", "isin", "result_type", "bucketize"};
  constexpr std::string_view kNames[] = {"other", "exponent", "value", "min",     "max",
                                         "lo",    "hi",       "src",   "tensor2", "test_elements",
                                         "q",     "repeats"};
  if (function == "searchsorted") return p.name == "input";
  if (function == "where") return p.name != "condition";
  if (index == 0) return contains(kFirst, function);
  return contains(kNames, p.name) && !contains(kNever, function);
}

/// Where a list says the same as a tensor: lengths, indices, masks. PyTorch takes tensors only.
bool takes_list(const Param& p, size_t index) {
  constexpr std::string_view kNames[] = {"index",         "indices", "lengths", "offsets",   "mask",
                                         "test_elements", "q",       "repeats", "boundaries"};
  return index > 0 && contains(kNames, p.name);
}

/// All tensors of a mask builder may be lists, or an int in place of a list of one.
void add_abilities(Function& f, bool builds_masks) {
  auto& params = f.signature.params;
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].type != ParamType::tensor) continue;
    // x.where(...) and x.pow(...) have a tensor before the dot.
    params[i].number = takes_number(f.signature.name, params[i], i) && !(f.is_method && i == 0);
    params[i].list = builds_masks || takes_list(params[i], i);
    params[i].integer = builds_masks;
  }
  for (Param& p : params) p.single = p.name == "split_size_or_sections";
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == "out") f.writes = static_cast<int>(i);
    if (params[i].name == "dtype") f.dtype = static_cast<int>(i);
  }
  if (f.signature.name.back() == '_') f.writes = 0;
  if (f.signature.name == "broadcast_tensors" || f.signature.name == "meshgrid") f.varargs = true;
  if (!f.signature.fields.empty()) {
    const py::object namedtuple = py::module_::import("collections").attr("namedtuple");
    f.fields = namedtuple(f.signature.name, f.signature.fields, py::arg("module") = f.module)
                   .release()
                   .ptr();
  }
}

py::object make(const Row& row, const std::string& module, bool is_method,
                bool builds_masks = false) {
  auto* f = new Function(row, module, is_method);
  add_abilities(*f, builds_masks);
  return steal(make_function(f));
}

/// Functions whose results nothing was computed for: these can be leaves.
bool creates(const Row& row) {
  constexpr std::string_view kNames[] = {
      "empty",      "zeros",   "ones",     "full",         "empty_like",  "zeros_like", "ones_like",
      "full_like",  "arange",  "linspace", "eye",          "rand",        "randn",      "rand_like",
      "randn_like", "randint", "randperm", "tril_indices", "triu_indices"};
  return contains(kNames, row.name());
}

bool is_method_row(const Row& row) {
  // PyTorch has these as functions only; and the method to takes more than a row can say.
  constexpr std::string_view kFunctions[] = {
      "empty_like",    "zeros_like", "ones_like",    "full_like",       "rand_like", "randn_like",
      "nonzero_tuple", "bucketize",  "normalize",    "softmin",         "var_mean",  "std_mean",
      "real",          "imag",       "view_as_real", "view_as_complex", "one_hot",   "to"};
  return row.signature.find("(Tensor input") != std::string::npos &&
         !contains(kFunctions, row.name());
}

void add_rows(py::module_& m, py::object& tensor, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string name = row.name();
    const size_t dot = name.find('.');
    if (dot != std::string::npos) {  // masked.sum belongs to a module of its own
      Row inner = row;
      inner.signature = row.signature.substr(dot + 1);
      const std::string module = name.substr(0, dot);
      if (!py::hasattr(m, module.c_str())) m.def_submodule(module.c_str());
      py::setattr(m.attr(module.c_str()), inner.name().c_str(),
                  make(inner.out ? out_row(inner) : inner, "tamis." + module, false));
      continue;
    }
    const Row made = creates(row) ? leaf_row(row) : row;
    const Row full = row.out ? out_row(made) : made;
    m.attr(name.c_str()) = make(full, "tamis", false);
    if (is_method_row(row)) py::setattr(tensor, name.c_str(), make(full, "tamis", true));
    if (row.in_place) {
      py::setattr(tensor, (name + "_").c_str(), make(in_place_row(row), "tamis", true));
    }
  }
}

void add_aliases(py::module_& m, py::object& tensor) {
  for (const Alias& alias : kAliases) {
    if (py::hasattr(m, alias.of)) m.attr(alias.name) = m.attr(alias.of);
    for (const char* suffix : {"", "_"}) {
      const std::string name = std::string(alias.name) + suffix,
                        of = std::string(alias.of) + suffix;
      if (py::hasattr(tensor, of.c_str()))
        py::setattr(tensor, name.c_str(), tensor.attr(of.c_str()));
    }
  }
}

}  // namespace

void add_functions(py::module_& m) {
  add_function_type(m);
  py::object tensor = borrow(reinterpret_cast<PyObject*>(tensor_type));
  py::module_ masks = m.def_submodule("masks",
                                      "Mask builders: bool tensors from lengths, indices, "
                                      "token ids, diagonals and ranges. True keeps.");
  m.def_submodule("masked",
                  "Reductions and normalisations over the elements that a mask keeps, as "
                  "torch.masked has them.");
  std::map<std::string, bool> is_mask;
  for (const Row& row : mask_rows()) {
    is_mask[row.name()] = true;
    masks.attr(row.name().c_str()) = make(row, "tamis.masks", false, true);
  }
  std::vector<Row> rows;
  for (const Row& row : all_rows()) {
    if (!is_mask.count(row.name())) rows.push_back(row);
  }
  add_rows(m, tensor, rows);
  add_rows(m, tensor, replacement_rows());
  for (const Row& row : method_rows())
    py::setattr(tensor, row.name().c_str(), make(row, "tamis", true));
  add_aliases(m, tensor);
  PyType_Modified(tensor_type);
}

}  // namespace tamis::python
