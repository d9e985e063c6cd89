#include "model/check/check_friction.h"

#include "model/check/check_elements.h"

namespace cartan::model {
namespace {

// "a revolute, prismatic, ... or spherical joint": those bearings can be given to.
std::string joints_with_bearings() {
  std::vector<std::string> names;
  for (const JointTypeInfo& row : all_joint_types())
    if (row.bearings != JointBearings::none) names.push_back(row.name);
  std::string text = "a ";
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + names[k];
  return text + " joint";
}

Bearing check_bearing(CheckContext& check, const BearingText& text, const Owner& owner,
                      JointType type) {
  Bearing bearing;
  bearing.at = or_default(check.numbers(text.at, {"bearing at", owner, {3}}).formula, {0, 0, 0});
  const Field radial{"bearing radial", owner}, axial{"bearing axial", owner};
  const Checked r = check.number(text.radial, radial), a = check.number(text.axial, axial);
  check.warn_negative(r, radial);
  check.warn_negative(a, axial);
  bearing.radial = r.formula;
  bearing.axial = a.formula;
  if (!text.radial && !text.axial)
    check.problems.error(text.where, "a bearing of force '" + owner.name +
                                         "' carries no load; expected radial or axial");
  if (text.axial && info(type).bearings == JointBearings::ball)
    check.problems.error(text.axial->where, std::string("a bearing of a ") + info(type).name +
                                                " joint has no axis; expected only 'radial'");
  return bearing;
}

void check_bearings(CheckContext& check, const ForceText& text, const Owner& owner, JointType type,
                    FrictionForce& friction) {
  if (text.bearings.empty()) return;
  if (info(type).bearings == JointBearings::none) {
    check.problems.error(text.bearings_where,
                         "bearings of force '" + owner.name + "': a " + info(type).name +
                             " joint has no single axis; expected " + joints_with_bearings());
    return;
  }
  for (const BearingText& bearing : text.bearings)
    friction.bearings.push_back(check_bearing(check, bearing, owner, type));
}

}  // namespace

FrictionForce check_friction(CheckContext& check, const ForceText& text, const Owner& owner) {
  FrictionForce friction;
  friction.joint = check.joint(text.joint, {"joint", owner});
  require_any(check,
              present(text.coulomb) || present(text.viscous) || present(text.quadratic) ||
                  present(text.load) || !text.bearings.empty() || text.bearings_where.line > 0,
              owner, "coulomb, viscous, quadratic, load or bearings");
  const Field smoothing_field{"smoothing", owner};
  const Checked smoothing = check.number(text.smoothing, smoothing_field);
  check.demand_positive(smoothing, smoothing_field);
  friction.smoothing = smoothing.formula;
  if (present(text.load))
    friction.load = check.expressions(text.load, {"load", owner}, Scope::everything);
  if (friction.joint == unresolved) return friction;
  const JointType type = *check.names.joint_type(friction.joint);
  if (is_weld(type)) {
    check.problems.error(text.joint.where, "force '" + owner.name +
                                               "': a fixed joint has no speed friction can oppose");
    return friction;
  }
  const int count = is_ball(type) ? 1 : info(type).nv;  // a ball: of |w|
  friction.coulomb = coefficients(check, text.coulomb, {"coulomb", owner}, count);
  friction.viscous = coefficients(check, text.viscous, {"viscous", owner}, count);
  friction.quadratic = coefficients(check, text.quadratic, {"quadratic", owner}, count);
  check_bearings(check, text, owner, type, friction);
  return friction;
}

}  // namespace cartan::model
