// Limits of joints as stops.
#include <algorithm>
#include <cmath>

#include "import/import_context.h"

namespace cartan::import {
namespace {

constexpr double endless = 1e15;

DraftJoint* joint_with_stop(ImportContext& context, const std::string& name) {
  for (DraftJoint& joint : context.draft.joints)
    if (joint.name == name && joint.stops.size() <= 1 && joint.axes.size() == 1 &&
        joint.type != "planar")
      return &joint;
  return nullptr;
}

// lower <= m x + b <= upper as bounds of x.
DraftStop bounds_of_leader(const DraftStop& stop, double m, double b) {
  DraftStop result;
  if (stop.lower) (m > 0 ? result.lower : result.upper) = (*stop.lower - b) / m;
  if (stop.upper) (m > 0 ? result.upper : result.lower) = (*stop.upper - b) / m;
  return result;
}

void hand_limits_on(const ImportContext::Follower& follower, ImportContext& context) {
  DraftJoint* own = joint_with_stop(context, follower.name);
  DraftJoint* leader = joint_with_stop(context, follower.leader);
  if (!own || !leader || own == leader || own->stops.empty() || follower.multiplier == 0) return;
  const DraftStop more = bounds_of_leader(own->stops[0], follower.multiplier, follower.offset);
  own->stops.clear();
  DraftStop both = leader->stops.empty() ? DraftStop{} : leader->stops[0];
  if (more.lower) both.lower = both.lower ? std::max(*both.lower, *more.lower) : *more.lower;
  if (more.upper) both.upper = both.upper ? std::min(*both.upper, *more.upper) : *more.upper;
  if (both.lower && both.upper && *both.lower >= *both.upper) {
    context.report.leave("limits of coupled joints", own->where,
                         "together they leave no room: the limits of the joint they follow count");
    return;
  }
  leader->stops = {both};
}

void move_start(DraftJoint& joint, ImportContext& context) {
  for (std::size_t k = 0; k < joint.stops.size(); ++k) {
    const DraftStop& stop = joint.stops[k];
    const double start = k < joint.position.size() ? joint.position[k] : 0;
    const double inside = stop.lower && start < *stop.lower   ? *stop.lower
                          : stop.upper && start > *stop.upper ? *stop.upper
                                                              : start;
    if (inside == start) continue;
    joint.position.resize(joint.stops.size(), 0);
    joint.position[k] = inside;
    context.report.note(joint.where, "joint '" + joint.name + "' starts at its limit " +
                                         number_text(inside) + ": the file's own start, " +
                                         number_text(start) + ", lies beyond it");
  }
}

}  // namespace

void add_limits(DraftJoint& joint, std::size_t k, std::size_t count, DraftStop limits,
                Location where, ImportContext& context) {
  for (std::optional<double>* bound : {&limits.lower, &limits.upper})
    if (*bound && !(std::fabs(**bound) < endless)) bound->reset();
  if (!limits.given()) return;
  if (!context.options.limits) {
    context.report.leave("joint limits", where, "as --limits none says");
    return;
  }
  if (limits.lower && limits.upper && *limits.lower >= *limits.upper) {
    context.report.leave("joint limits that leave no room", where,
                         "the lower one is not below the upper one: the joints move freely");
    return;
  }
  joint.stops.resize(count);
  joint.stops[k] = limits;
  context.report.carry("joint limits");
}

void finish_limits(ImportContext& context) {
  // Chains of followers: whoever follows a follower comes first.
  for (std::size_t pass = 0; pass < context.followers.size() && pass < 20; ++pass)
    for (const ImportContext::Follower& follower : context.followers)
      hand_limits_on(follower, context);
  for (DraftJoint& joint : context.draft.joints) move_start(joint, context);
}

}  // namespace cartan::import
