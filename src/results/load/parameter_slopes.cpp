#include "results/load/parameter_slopes.h"

#include <fmt/format.h>

namespace cartan::results {
namespace {

// The first derivatives that the code of functions lacks.
std::string list_missing(const Model& model) {
  std::string list;
  for (const UserFunction& function : model.functions.list()) {
    if (!function.code || function.code->is_name_only()) continue;
    for (const int number : function.code->order(0).slope)
      if (!function.code->has(number))
        list += (list.empty() ? "" : ", ") + function.code->name_of(number);
  }
  return list;
}

}  // namespace

std::string refuse_parameter_slopes(const Model& model, const System& system,
                                    std::span<const int> which) {
  const std::string missing = list_missing(model);
  if (missing.empty()) return "";
  const auto workspace = system.make_workspace();
  Eigen::MatrixXd J(system.space().size(), which.size());
  system.parameter_jacobian(system.initial_state(), which, J, *workspace);
  for (std::size_t k = 0; k < which.size(); ++k)
    if (!J.col(static_cast<int>(k)).allFinite())
      return fmt::format(
          "the parameter '{}' enters a function of [functions] whose derivative by it is not "
          "there; the code lacks: {}. Add it, or write the function as a formula (`value`)",
          model.parameters[which[k]].name, missing);
  return "";
}

}  // namespace cartan::results
