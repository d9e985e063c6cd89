// torsion: springs and dampers on the coordinates of a joint; on a ball, on its rotation.
#pragma once

#include <algorithm>

#include "model/joint_types.h"
#include "model/quantities.h"

namespace cartan::model {

enum class TorsionMeasure { rotation_vector, euler321, euler321_literal };
inline const std::vector<std::string> torsion_measures = {"rotation-vector", "euler321",
                                                          "euler321-literal"};

struct TorsionForce {
  static constexpr const char* type = "torsion";
  static constexpr ElementKey keys[] = {
      {"stiffness"}, {"damping"}, {"joint"}, {"rest"}, {"measure"}};

  int joint = 0;
  Formula stiffness, damping;  // one number per speed
  Formula rest;                // plain coordinates: one number per speed
  Rotation rest_rotation;      // a ball
  TorsionMeasure measure = TorsionMeasure::rotation_vector;

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.joint("joint", joint);
    out.numbers("stiffness", stiffness);
    out.numbers("damping", damping);
    if (rest.given()) return out.numbers("rest", rest);
    out.rotation("rest", rest_rotation);
    out.word("measure", torsion_measures[static_cast<int>(measure)]);
  }

  static TorsionForce check(auto& check, const ForceText& text, const auto& owner) {
    TorsionForce torsion;
    torsion.joint = check.joint(text.joint, {"joint", owner});
    require_any(check, present(text.stiffness) || present(text.damping), owner,
                "stiffness or damping");
    if (torsion.joint == unresolved) return torsion;
    const JointType type = *check.names.joint_type(torsion.joint);
    if (!is_ball(type) && !plain_coordinates(type)) {
      check.problems.error(text.joint.where,
                           "force '" + owner.name + "': a " + info(type).name +
                               " joint has no coordinate a torsion spring can act on; "
                               "expected a spherical joint or one with plain coordinates");
      return torsion;
    }
    const int nv = info(type).nv;
    torsion.stiffness = coefficients(check, text.stiffness, {"stiffness", owner}, nv);
    torsion.damping = coefficients(check, text.damping, {"damping", owner}, nv);
    torsion.check_rest(check, text, owner, type);
    torsion.check_measure(check, text, type);
    return torsion;
  }

 private:
  void check_rest(auto& check, const ForceText& text, const auto& owner, JointType type) {
    const int nv = info(type).nv;
    if (is_ball(type)) {
      rest_rotation = check.rotation(text.rest_rotation, {"rest", owner});
      if (!text.rest.empty())
        check.problems.error(text.rest.where,
                             "rest of force '" + owner.name + "' on a " + info(type).name +
                                 " joint is a rotation; expected { axis = [..], angle = .. }, "
                                 "{ quaternion = [..] } or { rpy = [..] }");
      return;
    }
    if (text.rest_rotation.kind != RotationText::Kind::none)
      check.problems.error(text.rest_rotation.where,
                           "rest of force '" + owner.name + "' must have " + std::to_string(nv) +
                               (nv == 1 ? " number" : " numbers") + ", got a rotation");
    rest = spread_numbers(check, text.rest, {"rest", owner}, nv, false);
  }
  void check_measure(auto& check, const ForceText& text, JointType type) {
    if (text.measure.empty()) return;
    if (!is_ball(type))
      check.problems.error(text.measure_where, "'measure' belongs to torsion of spherical joints");
    const auto found = std::find(torsion_measures.begin(), torsion_measures.end(), text.measure);
    if (found == torsion_measures.end())
      check.problems.error(text.measure_where, "unknown measure '" + text.measure + "'" +
                                                   check.suggest(text.measure, torsion_measures));
    else
      measure = static_cast<TorsionMeasure>(found - torsion_measures.begin());
  }
};

}  // namespace cartan::model
