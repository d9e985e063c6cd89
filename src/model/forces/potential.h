// potential: the forces of any potential of positions and time.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct PotentialForce {
  static constexpr const char* type = "potential";
  static constexpr ElementKey keys[] = {{"value"}};

  Formula value;  // one expression of positions and t

  template <class Self, class Visit>
  static void for_each_expression(Self&& f, Visit&& visit) {
    visit(f.value);
  }

  void write(auto& out) const { out.number("value", value); }

  static PotentialForce check(auto& check, const ForceText& text, const auto& owner) {
    check.require(text.value, {"value", owner});
    return {check.expressions(text.value, {"value", owner}, Scope::positions)};
  }
};

}  // namespace cartan::model
