// wrench: a force and a torque on a body, expressions of everything.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct WrenchForce {
  static constexpr const char* type = "wrench";
  static constexpr ElementKey keys[] = {
      {"body"}, {"at"}, {"force"}, {"torque"}, {.key = "frame", .world = "frame"}};

  int body = 0;
  Formula at;
  Formula force, torque;
  int frame = world;  // body whose axes the components refer to

  template <class Self, class Visit>
  static void for_each_expression(Self&& f, Visit&& visit) {
    visit(f.force);
    visit(f.torque);
  }

  void write(auto& out) const {
    out.body("body", body);
    out.numbers("at", at);
    out.numbers("force", force);
    out.numbers("torque", torque);
    out.body("frame", frame);
  }

  static WrenchForce check(auto& check, const ForceText& text, const auto& owner) {
    WrenchForce wrench;
    wrench.body = check.body(text.body, {"body", owner}, false);
    wrench.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
    require_any(check, present(text.force) || present(text.torque), owner, "force or torque");
    const auto vector = [&](const Values& values, const char* key) {
      return or_default(check.expressions(values, {key, owner, {3}}, Scope::everything), {0, 0, 0});
    };
    wrench.force = vector(text.force, "force");
    wrench.torque = vector(text.torque, "torque");
    if (text.frame.name == "body")
      wrench.frame = wrench.body;
    else if (!text.frame.empty())
      wrench.frame = check.body(text.frame, {"frame", owner}, true);
    return wrench;
  }
};

}  // namespace cartan::model
