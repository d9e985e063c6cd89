#include "mechanics/tree/stage_elimination.h"

#include <algorithm>
#include <cmath>

namespace cartan::mechanics {
bool acts_along_tree(const Mechanism<double>& mechanism, const SlopePlan& plan) {
  if (!mechanism.rows.empty() || mechanism.nz > 0) return false;
  return std::all_of(plan.laws.begin(), plan.laws.end(), [&](const LocalLaw& law) {
    if (law.kind != LocalLaw::Kind::force) return false;
    if (!law.pair)
      return law.in_links.empty() && law.out_links.empty() && law.in_joints.size() <= 1 &&
             law.in_joints == law.out_joints;
    const auto parent = [&](int i) { return i == world ? world - 1 : mechanism.links[i].parent; };
    return law.a == law.b || parent(law.a) == law.b || parent(law.b) == law.a;
  });
}

StageElimination::StageElimination(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                                   const SlopePlan& plan)
    : mechanism_(mechanism),
      plan_(plan),
      links_(mechanism, dual, plan),
      laws_(mechanism, dual, plan),
      no_rows_(mechanism.row_count(), -1) {
  for (const LocalLaw& law : plan.laws) any_wrench_ |= law.pair || !law.out_links.empty();
  std::size_t laws = 0;
  has_children_.assign(plan.links.size(), 0);
  for (const SlopeLink& x : plan.links) {
    laws_at_.push_back(laws);
    if (x.parent >= 0) has_children_[x.parent] = 1;
    const Motion motion = mechanism.links[x.link].motion;
    slides_.push_back(motion != Motion::rotation1 && motion != Motion::rotation3);
    for (int k = 0; k < x.nv; ++k)
      force_rows_.push_back({static_cast<int>(laws) + k * x.nv - x.p0, x.nv * x.nv});
    if (!plan.laws.empty()) laws += 2 * x.nv * (x.nv + (any_wrench_ ? 12 : 0));
  }
  joint_laws_.assign(laws, 0.0);
  share_slots();
}

void StageElimination::share_slots() {
  const int links = static_cast<int>(plan_.links.size());
  slot_.assign(links, 0);
  last_child_.assign(links, 0);
  std::vector<char> seen(links, 0);
  for (int d = links - 1; d >= 0; --d) {
    const int parent = plan_.links[d].parent;
    if (parent < 0) continue;
    last_child_[d] = !seen[parent];
    seen[parent] = 1;
  }
  for (int d = 0; d < links; ++d) {
    const int parent = plan_.links[d].parent;
    if (parent >= 0) slot_[d] = slot_[parent] + (last_child_[d] ? 0 : 1);
    slots_ = std::max(slots_, slot_[d] + 1);
  }
}

StageElimination::JointLaws StageElimination::laws_of(int d) {
  const int nv = plan_.links[d].nv;
  double* const at = joint_laws_.data() + laws_at_[d];
  JointLaws laws{};
  for (const int by : {0, 1}) {
    laws.force[by] = at + by * nv * nv;
    if (!any_wrench_) continue;
    laws.own[by] = reinterpret_cast<double(*)[6]>(at + 2 * nv * nv + 6 * by * nv);
    laws.on_parent[by] = laws.own[by] + 2 * nv;
  }
  return laws;
}

template <>
StageElimination::Scratch<double>& StageElimination::scratch<double>() {
  return real_;
}
template <>
StageElimination::Scratch<Complex>& StageElimination::scratch<Complex>() {
  return complex_;
}

// ------------------------------------------------------------------------------------------- laws

// A column of the joint of a neighbour or of the link itself; about the origin of that joint's
// link.
void StageElimination::add_wrench(int link, int column, const Vec3<double>& n,
                                  const Vec3<double>& f) {
  if (link == world || column >= 2 * plan_.nv) return;
  const int by = column % 2, place = column / 2;  // SlopePlan
  const int d = plan_.position[plan_.link_of_place[place]], k = place - plan_.links[d].p0;
  const JointLaws laws = laws_of(d);
  const bool own = d == plan_.position[link];
  const Vec3<double> moment = own ? n : n - cross(links_.body(d).r, f);
  double* to = own ? laws.own[by][k] : laws.on_parent[by][k];
  for (int i = 0; i < 3; ++i) to[i] += moment[i], to[3 + i] += f[i];
}

// The length of a quaternion has a column of its own, which displacements do not see.
void StageElimination::add_force(int place, int column, double force) {
  if (column >= 2 * plan_.nv) return;
  const int by = column % 2, of = column / 2;  // SlopePlan
  const ForceRow& row = force_rows_[place];
  joint_laws_[row.first + by * row.step + of] += force;
}

void StageElimination::linearise(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual) {
  links_.fill_motion(ws);
  if (plan_.laws.empty()) return;
  std::fill(joint_laws_.begin(), joint_laws_.end(), 0.0);
  laws_.fill(ws, dual, links_, no_rows_, *this);
}

}  // namespace cartan::mechanics
