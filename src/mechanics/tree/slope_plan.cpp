#include "mechanics/tree/slope_plan.h"

#include "mechanics/forces/joint_slopes.h"
#include "mechanics/joints/all_joints.h"

namespace cartan::mechanics {
namespace {

class SlopePlanner {
 public:
  SlopePlanner(const Mechanism<double>& mechanism, const WorkSplit& work, SlopePlan& plan)
      : mechanism_(mechanism), work_(work), plan_(plan) {}

  bool plan() {
    if (mechanism_.absolute || mechanism_.gravity_varies || mechanism_.needs_energy ||
        mechanism_.variables_need_energy || mechanism_.model->implicit ||
        !mechanism_.loop_rotors.empty())
      return false;
    plan_.nv = mechanism_.nv;
    plan_.nz = mechanism_.nz;
    plan_.quadratures = work_.quadratures();
    order_links();
    for (std::size_t k = 0; k < mechanism_.forces.size(); ++k)
      if (!add_force(static_cast<int>(k))) return false;
    for (int k = 0; k < mechanism_.nz; ++k)
      if (!add_variable(k)) return false;
    return add_rows() && note_reads();
  }

 private:
  void order_links() {
    const int n = static_cast<int>(mechanism_.links.size());
    std::vector<std::vector<int>> children(n);
    std::vector<int> roots;
    for (int i = 0; i < n; ++i) {
      const int parent = mechanism_.links[i].parent;
      (parent == world ? roots : children[parent]).push_back(i);
    }
    plan_.position.assign(n, -1);
    plan_.place.assign(mechanism_.nv, -1);
    plan_.paths.resize(n);
    std::vector<int> open(roots.rbegin(), roots.rend());
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      add_link(i);
      open.insert(open.end(), children[i].rbegin(), children[i].rend());
    }
  }

  void add_link(int i) {
    const Link<double>& link = mechanism_.links[i];
    SlopeLink x;
    x.link = i;
    x.nv = link.nv;
    x.p0 = static_cast<int>(plan_.speed.size());
    x.varying = !visit_joint(link.type,
                             [&](auto joint) { return joint.has_constant_columns(link.reversed); });
    if (link.parent != world) x.parent = plan_.position[link.parent];
    plan_.position[i] = static_cast<int>(plan_.links.size());
    for (int k = 0; k < link.nv; ++k) {
      plan_.place[link.v0 + k] = x.p0 + k;
      plan_.speed.push_back(link.v0 + k);
      plan_.link_of_place.push_back(i);
    }
    plan_.links.push_back(x);
    std::vector<int>& path = plan_.paths[i];
    if (link.parent != world) path = plan_.paths[link.parent];
    for (int k = 0; k < link.nv; ++k) path.push_back(x.p0 + k);
  }

  bool add_force(int k) {
    LocalLaw law;
    law.index = k;
    ReachList reach(mechanism_, law);
    std::visit([&](const auto& force) { force.list_reach(reach); }, mechanism_.forces[k]);
    if (!law.covered) return false;
    law.has_joint_slopes = has_joint_slopes(mechanism_, k);
    if (mechanism_.has_power && plan_.quadratures > 0) law.scalars.push_back(plan_.nz);
    if (work_.split)
      for (std::size_t s = 0; s < work_.shares.size(); ++s)
        if (!work_.shares[s].drive && work_.shares[s].element == k)
          law.scalars.push_back(plan_.nz + 1 + static_cast<int>(s));
    plan_.laws.push_back(std::move(law));
    return true;
  }

  bool add_variable(int k) {
    LocalLaw law;
    law.kind = LocalLaw::Kind::variable;
    law.index = k;
    law.scalars = {k};
    ReachList(mechanism_, law).read(mechanism_.model->variables[k].rate.program);
    if (!law.covered) return false;
    plan_.laws.push_back(std::move(law));
    return true;
  }

  // Rows of one loop joint or constraint after the other.
  bool add_rows() {
    std::size_t source = 0;
    for (int r = 0; r < mechanism_.contact_row0;) {
      const ConstraintRow& first = mechanism_.rows[r];
      LocalLaw law;
      law.kind = first.loop >= 0 ? LocalLaw::Kind::loop : LocalLaw::Kind::constraint;
      law.index = first.loop >= 0 ? first.loop : first.element;
      law.row0 = r;
      law.source0 = source;
      for (; r < mechanism_.contact_row0 && mechanism_.rows[r].loop == first.loop &&
             mechanism_.rows[r].element == first.element;
           ++r)
        ++law.rows;
      const std::size_t begin = source;
      while (source < mechanism_.contact_source0 &&
             mechanism_.sources[source].row < law.row0 + law.rows)
        ++source;
      switch (reach_of(first)) {
        case RowReach::pair:
          if (source - begin != 2 * static_cast<std::size_t>(law.rows)) return false;
          add_pair(law);
          break;
        case RowReach::speeds:
          break;  // terms on the speeds
        case RowReach::prescribed:
          add_drive(law);
          break;
        case RowReach::other:
          return false;
      }
    }
    return true;
  }

  // A loop joint holds two bodies together.
  RowReach reach_of(const ConstraintRow& row) const {
    if (row.loop >= 0) return RowReach::pair;
    return std::visit([&](const auto& element) { return element.row_reach(mechanism_); },
                      mechanism_.constraints[row.element]);
  }

  void add_pair(LocalLaw& law) {
    law.pair = true;
    law.a = mechanism_.sources[law.source0].link, law.b = mechanism_.sources[law.source0 + 1].link;
    law.a_first = law.a != world;
    if (!law.a_first) std::swap(law.a, law.b);
    plan_.laws.push_back(std::move(law));
  }

  void add_drive(const LocalLaw& rows) {
    DrivenSpeed driven;
    if (plan_.quadratures > 0) driven.scalars.push_back(plan_.nz);
    if (work_.split)
      for (std::size_t s = 0; s < work_.shares.size(); ++s)
        if (work_.shares[s].drive && work_.shares[s].element == rows.index)
          driven.scalars.push_back(plan_.nz + 1 + static_cast<int>(s));
    for (int r = rows.row0; r < rows.row0 + rows.rows; ++r) {
      driven.row = r;
      driven.place = plan_.place[mechanism_.rows[r].driven_speed];
      plan_.drives.push_back(driven);
    }
  }

  bool note_reads() {
    for (const LocalLaw& law : plan_.laws) {
      for (const int i : law.in_links) add_link_once(plan_.read_links, i);
      for (const int i : law.out_links) add_link_once(plan_.read_links, i);
      if (law.pair && law.kind != LocalLaw::Kind::loop) {
        add_link_once(plan_.read_links, law.a);
        add_link_once(plan_.read_links, law.b);
      }
      for (const int i : law.in_joints)
        if (mechanism_.links[i].nq > mechanism_.links[i].nv) add_once(plan_.radial, i);
    }
    return true;
  }

  const Mechanism<double>& mechanism_;
  const WorkSplit& work_;
  SlopePlan& plan_;
};

}  // namespace

bool make_slope_plan(const Mechanism<double>& mechanism, const WorkSplit& work, SlopePlan& plan) {
  return SlopePlanner(mechanism, work, plan).plan();
}

}  // namespace cartan::mechanics
