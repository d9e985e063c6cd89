#include "mechanics/tree/slope_plan.h"

#include <algorithm>

namespace cartan::mechanics {
namespace {

void add_once(std::vector<int>& list, int index) {
  if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
}
void add_link_once(std::vector<int>& list, int link) {
  if (link != world) add_once(list, link);
}

// The types whose columns have constant components in the axes of the link.
bool has_constant_columns(const Link<double>& link) {
  switch (link.type) {
    case JointType::planar:
    case JointType::universal:
    case JointType::ellipsoidal:
      return false;
    case JointType::spherical:
    case JointType::free:
      return !link.reversed;
    default:
      return true;
  }
}

// What one law reads and what it acts on.
class LawReader {
 public:
  LawReader(const Mechanism<double>& mechanism, LocalLaw& law) : mechanism_(mechanism), law_(law) {}

  bool covered() const { return covered_; }

  void read(const Formula* formula) {
    if (formula) read(formula->program);
  }
  void read(const Program& program) {
    for (const Symbol& symbol : program.inputs) read(symbol);
  }

  // Without a length the damper acts against the whole velocity, also where both bodies turn.
  void operator()(const Spring<double>& e) {
    if (!e.zero_length || e.damping == 0) return interact(e.to.link, e.from.link);
    push(e.to.link);
    push(e.from.link);
  }
  void operator()(const Bushing<double>& e) { interact(e.to, e.from); }
  // Its variable has no formula of its own: dual numbers do it.
  void operator()(const TyreElement<double>&) { covered_ = false; }
  void operator()(const DragElement<double>& e) {
    if (e.on != world) return interact(e.at.link, e.on);
    read(e.medium);
    push(e.at.link);
  }
  void operator()(const WrenchElement<double>& e) {
    read(e.force);
    read(e.torque);
    add_link_once(law_.in_links, e.frame);
    push(e.link);
  }
  void operator()(const JointElement<double>& e) {
    read(e.value);
    act(e.joint);
  }
  void operator()(const Torsion<double>& e) {
    read_joint(e.joint);
    act(e.joint);
  }
  void operator()(const Friction<double>& e) {
    covered_ &= e.bearings.empty();
    read(e.load);
    read_joint(e.joint);
    act(e.joint);
  }
  void operator()(const PotentialElement<double>& e) {
    for (const Symbol& symbol : e.value->program.inputs) {
      read(symbol);
      switch (symbol.quantity) {
        case Quantity::joint_q:
          act(symbol.index);
          break;
        case Quantity::body_position:
        case Quantity::body_rotation:
          push(mechanism_.link_of_body[symbol.index]);
          break;
        case Quantity::point_position:
          push(mechanism_.points[symbol.index].link);
          break;
        default:
          break;
      }
    }
  }

 private:
  void interact(int a, int b) {
    law_.pair = true;
    law_.a = a, law_.b = b;
    if (a == world) std::swap(law_.a, law_.b);
  }
  void push(int link) {
    add_link_once(law_.in_links, link);
    add_link_once(law_.out_links, link);
  }
  // The power of a force in a joint depends on the joint's speeds.
  void act(int joint) {
    const int i = mechanism_.link_of_joint[joint];
    covered_ &= i >= 0;
    if (i < 0) return;
    add_once(law_.in_joints, i);
    add_once(law_.out_joints, i);
  }
  void read_joint(int joint) {
    const int i = mechanism_.link_of_joint[joint];
    covered_ &= i >= 0;
    if (i >= 0) add_once(law_.in_joints, i);
  }
  void read(const Symbol& symbol) {
    switch (symbol.quantity) {
      case Quantity::time:
      case Quantity::parameter:
      case Quantity::branch:
        return;
      case Quantity::joint_q:
      case Quantity::joint_v:
        return read_joint(symbol.index);
      case Quantity::body_position:
      case Quantity::body_velocity:
      case Quantity::body_angular:
      case Quantity::body_rotation:
        return add_link_once(law_.in_links, mechanism_.link_of_body[symbol.index]);
      case Quantity::point_position:
      case Quantity::point_velocity:
        return add_link_once(law_.in_links, mechanism_.points[symbol.index].link);
      case Quantity::variable:
        return add_once(law_.in_variables, symbol.index);
      default:
        covered_ = false;
    }
  }

  const Mechanism<double>& mechanism_;
  LocalLaw& law_;
  bool covered_ = true;
};

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
    x.varying = !has_constant_columns(link);
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
    LawReader reader(mechanism_, law);
    std::visit(reader, mechanism_.forces[k]);
    if (!reader.covered()) return false;
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
    LawReader reader(mechanism_, law);
    reader.read(mechanism_.model->variables[k].rate.program);
    if (reader.covered()) plan_.laws.push_back(std::move(law));
    return reader.covered();
  }

  // Rows of one loop joint or constraint after the other, two sources each. Couplers of tree joints
  // have none: their rows are terms on the speeds.
  bool add_rows() {
    std::size_t source = 0;
    for (int r = 0; r < mechanism_.contact_row0;) {
      const ConstraintRow& first = mechanism_.rows[r];
      LocalLaw law;
      law.kind = first.loop >= 0 ? LocalLaw::Kind::loop : LocalLaw::Kind::constraint;
      law.index = first.loop >= 0 ? first.loop : first.element;
      law.row0 = r;
      law.source0 = source;
      law.pair = true;
      for (; r < mechanism_.contact_row0 && mechanism_.rows[r].loop == first.loop &&
             mechanism_.rows[r].element == first.element;
           ++r)
        ++law.rows;
      const std::size_t begin = source;
      while (source < mechanism_.contact_source0 &&
             mechanism_.sources[source].row < law.row0 + law.rows)
        ++source;
      if (first.driven_speed >= 0) {
        if (!add_drive(law)) return false;
        continue;
      }
      if (first.drive) return false;  // of a loop joint
      const auto* coupler =
          first.element < 0
              ? nullptr
              : std::get_if<CouplerElement<double>>(&mechanism_.constraints[first.element]);
      if (coupler && !coupler->is_curved() && source == begin) continue;
      if (coupler || source - begin != 2 * static_cast<std::size_t>(law.rows)) return false;
      law.a = mechanism_.sources[begin].link, law.b = mechanism_.sources[begin + 1].link;
      law.a_first = law.a != world;
      if (!law.a_first) std::swap(law.a, law.b);
      plan_.laws.push_back(std::move(law));
    }
    return true;
  }

  bool add_drive(const LocalLaw& rows) {
    const auto& drive = std::get<DriveElement<double>>(mechanism_.constraints[rows.index]);
    for (const Symbol& symbol : drive.position->program.inputs)
      if (symbol.quantity != Quantity::time && symbol.quantity != Quantity::parameter &&
          symbol.quantity != Quantity::branch)
        return false;
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
    return true;
  }

  bool note_reads() {
    for (const LocalLaw& law : plan_.laws) {
      for (const int i : law.in_links) add_link_once(plan_.read_links, i);
      for (const int i : law.out_links) add_link_once(plan_.read_links, i);
      if (law.pair) {
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
