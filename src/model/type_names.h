// The words a model file may use for types, each list in one place; those for methods are
// in core/method_names.h.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "model/constraint_list.h"
#include "model/force_list.h"

namespace cartan::model {

template <class... F>
std::vector<std::string> type_names_of(const std::variant<F...>*) {
  return {F::type...};
}
inline const std::vector<std::string> force_types =
    type_names_of(static_cast<const ForceLaw*>(nullptr));
inline const std::vector<std::string> constraint_types =
    type_names_of(static_cast<const ConstraintLaw*>(nullptr));

}  // namespace cartan::model
