// Registration: the forms of every row become functions of the module, or of the module inside it
// that their namespace names, and methods of Tensor.
#include <map>
#include <memory>
#include <tuple>

#include "functions.h"
#include "ops/forms/forms.h"

namespace tamis::python {

namespace {

/// The callables by namespace, kind and name, and their other names.
class Registry {
 public:
  void add(const Row& row) {
    for (const Form& form : forms_of(row)) {
      const Signature& s = form.row.signature;
      std::unique_ptr<Function>& f = functions_[{s.space, form.is_method, s.name}];
      if (f == nullptr) {
        f = std::make_unique<Function>();
        f->name = s.name;
        f->module = s.space.empty() ? "tamis" : "tamis." + s.space;
        f->is_method = form.is_method;
      }
      f->add(form.row);
      for (const std::string& alias : form.row.aliases) aliases_.emplace(alias, f.get());
    }
  }

  void publish(py::module_& m) {
    const py::object tensor = borrow(reinterpret_cast<PyObject*>(tensor_type));
    std::map<const Function*, py::object> made;
    for (auto& [key, function] : functions_) {
      const auto& [space, is_method, name] = key;
      if (!space.empty() && !py::hasattr(m, space.c_str())) m.def_submodule(space.c_str());
      const py::object holder = is_method       ? tensor
                                : space.empty() ? py::object(m)
                                                : py::object(m.attr(space.c_str()));
      const Function* f = function.release();  // for as long as the process lives
      made[f] = steal(make_function(f));
      py::setattr(holder, name.c_str(), made[f]);
    }
    for (const auto& [alias, f] : aliases_) {
      py::setattr(f->is_method ? tensor : py::object(m), alias.c_str(), made.at(f));
    }
  }

 private:
  std::map<std::tuple<std::string, bool, std::string>, std::unique_ptr<Function>> functions_;
  std::multimap<std::string, const Function*> aliases_;
};

}  // namespace

void add_functions(py::module_& m) {
  add_function_type(m);
  m.def_submodule("masks",
                  "Mask builders: bool tensors from lengths, indices, "
                  "token ids, diagonals and ranges. True keeps.");
  m.def_submodule("masked",
                  "Reductions and normalisations over the elements that a mask keeps, as "
                  "torch.masked has them.");
  Registry registry;
  for (const Row& row : all_rows()) registry.add(row);
  for (const Row& row : method_rows()) registry.add(row);
  registry.publish(m);
  PyType_Modified(tensor_type);
}

}  // namespace tamis::python
