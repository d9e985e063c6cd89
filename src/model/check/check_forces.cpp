// Each type checks itself: model/forces/TYPE.h.
#include "model/check/check_elements.h"
#include "model/check/check_friction.h"
#include "model/type_names.h"

namespace cartan::model {
void check_forces(CheckContext& check) {
  const std::vector<std::string> names = element_names(check.text.forces);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ForceText& text = check.text.forces[i];
    const Owner owner{"force", names[i], text.where};
    Force force;
    force.name = names[i];
    force.where = text.where;
    if (check_element_type(check, text, owner, force_types))
      check_law(check, text, owner, force.law);
    check.model.forces.push_back(std::move(force));
  }
}

}  // namespace cartan::model
