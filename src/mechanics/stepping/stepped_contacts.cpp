#include "mechanics/stepping/stepped_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mechanics/contacts/contact_rows.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

constexpr double room = 1.2;  // of the way that speeds make within the horizon

SteppedLaw law_of(const Contact& contact, std::span<const double> parameters) {
  SteppedLaw law;
  law.restitution = evaluate<double>(contact.restitution, parameters)[0];
  if (contact.friction.given()) law.friction = evaluate<double>(contact.friction, parameters)[0];
  if (contact.rough) law.friction = std::numeric_limits<double>::infinity();
  law.active = contact.active.given() ? &contact.active : nullptr;
  return law;
}

Solid solid_of(const ContactSide& side, const Pose<double>& X, std::span<const double> parameters) {
  const std::vector<double> size =
      side.size.given() ? evaluate<double>(side.size, parameters) : std::vector<double>{0.0};
  Solid solid;
  solid.p = X.p;
  solid.R = X.R;
  switch (side.shape) {
    case ContactShape::capsule:
      solid.kind = SolidKind::capsule;
      solid.radius = size[0];
      solid.length = 0.5 * size[1];
      break;
    case ContactShape::box:
      solid.kind = SolidKind::box;
      solid.half = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]};
      break;
    case ContactShape::plane: {
      solid.kind = SolidKind::plane;
      const Vec3<double> n = X.R * Vec3<double>{size[0], size[1], size[2]};
      solid.normal = (1 / norm(n)) * n;
      break;
    }
    default:  // spheres and points; others do not come into groups
      solid.kind = side.inside ? SolidKind::hollow : SolidKind::sphere;
      solid.radius = size[0];
  }
  return solid;
}

Solid placed(const Solid& local, const MotionWorkspace<double>& ws, int link) {
  if (link == world) return local;
  const LinkState<double>& x = ws.links[link];
  Solid solid = local;
  solid.p = x.o + x.R * local.p;
  if (local.kind == SolidKind::box || local.kind == SolidKind::capsule) solid.R = x.R * local.R;
  if (local.kind == SolidKind::plane) solid.normal = x.R * local.normal;
  return solid;
}

// How far a piece of a link may come within the horizon.
double margin_of(const MotionWorkspace<double>& ws, int link, const Solid& solid, double horizon) {
  const double fall = horizon * horizon * norm(ws.gravity);
  if (link == world) return fall;
  const LinkState<double>& x = ws.links[link];
  const double centre = norm(x.u + cross(x.w, solid.p - x.o));
  const double turning = solid.kind == SolidKind::sphere ? 0 : norm(x.w) * reach_of(solid);
  return fall + room * horizon * (centre + turning);
}

}  // namespace

SteppedContacts::SteppedContacts(const Mechanism<double>& mechanism, const StateSpace& positions,
                                 ScratchOf scratch, FillKinematics fill_kinematics)
    : mechanism_(mechanism),
      positions_(positions),
      scratch_(std::move(scratch)),
      fill_kinematics_(std::move(fill_kinematics)),
      parts_(find_speed_parts(mechanism)),
      elements_(make_single_contacts(mechanism)) {
  const Model& model = *mechanism.model;
  for (const ContactElement<double>& e : elements_)
    element_laws_.push_back(law_of(model.contacts[e.contact], mechanism.parameters));
  for (const ContactGroup& group : model.contact_groups) add_group(group);
  for (const Joint& joint : model.joints)
    if (joint.parent.body != world && joint.child.body != world)
      joined_.push_back(std::minmax(joint.parent.body, joint.child.body));
  std::sort(joined_.begin(), joined_.end());
  refusal_ = find_refusal();
}

void SteppedContacts::add_group(const ContactGroup& group) {
  Group& made = groups_.emplace_back();
  made.law = law_of(group.law, mechanism_.parameters);
  const auto add = [&](const std::vector<ContactSide>& sides, std::vector<Piece>& pieces) {
    for (const ContactSide& side : sides) {
      const int body = side.place.body;
      const int link = body == world ? world : mechanism_.link_of_body[body];
      pieces.push_back(
          {link, body, solid_of(side, calc_side_frame(mechanism_, side), mechanism_.parameters)});
    }
  };
  add(group.sides, made.pieces);
  add(group.surfaces, made.surfaces);
  std::uint64_t before = 0;
  for (const Group& g : groups_)
    if (&g != &made) {
      const std::uint64_t n = g.pieces.size() + g.surfaces.size();
      before += n * n;
    }
  made.key0 = before;
}

std::string SteppedContacts::find_refusal() const {
  const Model& model = *mechanism_.model;
  for (const Contact& contact : model.contacts)
    if (contact.poisson)
      return fmt::format(
          "contact '{}' follows Poisson's law, moreau knows Newton's; use law = \"newton\", or an "
          "integrator that locates impacts, such as gl3",
          contact.name);
  for (const ContactGroup& group : model.contact_groups)
    if (group.law.poisson)
      return "a group of [[contacts]] follows Poisson's law, moreau knows Newton's; use law = "
             "\"newton\"";
  if (mechanism_.friction_modes > 0)
    return "moreau follows no joint friction that sticks; give it 'smoothing'";
  if (!mechanism_.loop_rotors.empty())
    return "moreau follows no rotors in joints that close loops; use gl3";
  for (const ContactElement<double>& e : elements_)
    if (e.kind == ContactKind::stop && mechanism_.link_of_joint[e.joint] < 0)
      return fmt::format(
          "'{}' stops a joint that closes a loop, which moreau does not follow; write 'loop = "
          "true' at another joint of the loop",
          model.contacts[e.contact].name);
  return "";
}

bool SteppedContacts::are_joined(int a, int b) const {
  return std::binary_search(joined_.begin(), joined_.end(),
                            static_cast<std::pair<int, int>>(std::minmax(a, b)));
}

bool SteppedContacts::counts(const SteppedLaw& law, MotionWorkspace<double>& ws) const {
  if (!law.active) return true;
  double value = 0;
  evaluate_program(mechanism_, ws, law.active->program, &value);
  return value > 0;
}

void SteppedContacts::list_elements(double horizon, MotionWorkspace<double>& ws,
                                    SteppingScratch& s) const {
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const ContactElement<double>& e = elements_[k];
    if (!counts(element_laws_[k], ws)) continue;
    NearPlace place;
    place.key = (std::uint64_t{1} << 63) + k;
    place.law = &element_laws_[k];
    const Vec3<double> u = calc_contact_speed(mechanism_, ws, e);
    const double reach = room * horizon * norm(u) + 2 * horizon * horizon * norm(ws.gravity);
    if (e.kind == ContactKind::stop) {
      const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[e.joint]];
      place.gap = calc_gap(mechanism_, ws, e);
      place.a = mechanism_.link_of_joint[e.joint];
      place.speed = link.v0 + e.component;
      place.sign = e.sign;
      // its acceleration is not known beforehand
      if (place.gap <= reach + 100 * horizon * horizon || place.gap < 0) s.near.push_back(place);
      continue;
    }
    const ContactFrame<double> f = calc_contact_frame(e.on, e.kind, ws);
    if (f.gap > reach && f.gap > 0) continue;
    place.a = e.on.a_link;
    place.b = e.on.b_link;
    place.point = f.c;
    place.normal = f.n;
    place.gap = f.gap;
    s.near.push_back(place);
  }
}

void SteppedContacts::add_pair(const Group& group, const Piece& a, const Solid& at_a,
                               const Piece& b, const Solid& at_b, double reach, std::uint64_t key,
                               SteppingScratch& s) const {
  s.places.clear();
  find_touch_places(at_a, at_b, reach, s.places);
  for (const TouchPlace& found : s.places) {
    NearPlace place;
    place.key = ((group.key0 + key) << 8) + static_cast<std::uint64_t>(found.feature);
    place.a = a.link;
    place.b = b.link;
    place.point = found.point;
    place.normal = found.normal;
    place.gap = found.gap;
    place.law = &group.law;
    s.near.push_back(place);
  }
}

void SteppedContacts::list_group(const Group& group, BroadPhase& broad, double horizon,
                                 MotionWorkspace<double>& ws, SteppingScratch& s) const {
  if (!counts(group.law, ws)) return;
  const std::size_t n = group.pieces.size(), all = n + group.surfaces.size();
  s.solids.resize(n);
  s.balls.resize(n);
  s.margins.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Piece& piece = group.pieces[i];
    s.solids[i] = placed(piece.solid, ws, piece.link);
    s.margins[i] = margin_of(ws, piece.link, s.solids[i], horizon);
    s.balls[i] = {s.solids[i].p, reach_of(s.solids[i]) + s.margins[i]};
  }
  for (const auto& [i, j] : broad.find_pairs(s.balls)) {
    const Piece &a = group.pieces[i], &b = group.pieces[j];
    if (a.body == b.body || are_joined(a.body, b.body)) continue;
    add_pair(group, a, s.solids[i], b, s.solids[j], s.margins[i] + s.margins[j],
             static_cast<std::uint64_t>(i) * all + static_cast<std::uint64_t>(j), s);
  }
  for (std::size_t k = 0; k < group.surfaces.size(); ++k) {
    const Piece& surface = group.surfaces[k];
    const Solid at = placed(surface.solid, ws, surface.link);
    const double margin = margin_of(ws, surface.link, at, horizon);
    const bool bounded = at.kind != SolidKind::plane && at.kind != SolidKind::hollow;
    for (std::size_t i = 0; i < n; ++i) {
      if (group.pieces[i].body == surface.body) continue;
      const double near = s.balls[i].radius + margin + reach_of(at);
      if (bounded && norm2(s.solids[i].p - at.p) > near * near) continue;
      if (at.kind == SolidKind::plane &&
          dot(at.normal, s.solids[i].p - at.p) > s.balls[i].radius + margin)
        continue;
      add_pair(group, group.pieces[i], s.solids[i], surface, at, s.margins[i] + margin,
               i * all + n + k, s);
    }
  }
}

namespace {

// The normal and two tangents.
struct Directions {
  Vec3<double> at[3];
  explicit Directions(const Vec3<double>& n) {
    const int least = std::fabs(n.x) <= std::fabs(n.y) ? (std::fabs(n.x) <= std::fabs(n.z) ? 0 : 2)
                                                       : (std::fabs(n.y) <= std::fabs(n.z) ? 1 : 2);
    Vec3<double> e;
    e[least] = 1;
    const Vec3<double> t = e - dot(e, n) * n;
    at[0] = n;
    at[1] = (1 / norm(t)) * t;
    at[2] = cross(n, at[1]);
  }
};

Vec3<double> speed_on(const MotionWorkspace<double>& ws, int link, const Vec3<double>& point) {
  if (link == world) return {};
  const LinkState<double>& x = ws.links[link];
  return x.u + cross(x.w, point - x.o);
}

// Of the gap.
double rate_of(const NearPlace& place, const MotionWorkspace<double>& ws,
               std::span<const double> speeds) {
  if (place.speed >= 0) return place.sign * speeds[place.speed];
  return dot(place.normal, speed_on(ws, place.a, place.point) - speed_on(ws, place.b, place.point));
}

}  // namespace

// Rows of what is near in the middle of a step, and answers to impulses there; gaps and speeds as
// they were at the start, where the same place was near, else by the rows.
void SteppedContacts::fill_set(const MotionWorkspace<double>& ws, const SteppingScratch& s,
                               Speeds start, Speeds middle, double length, ContactSet& set) const {
  set.clear();
  for (const NearPlace& place : s.near) {
    SteppedContact& c = set.contacts.emplace_back();
    c.key = place.key;
    c.restitution = place.law->restitution;
    c.friction = place.law->friction;
    c.rows = c.friction > 0 && place.speed < 0 ? 3 : 1;
    const Directions directions(place.speed < 0 ? place.normal : Vec3<double>{0, 0, 1});
    const int part_a = place.a == world ? -1 : parts_.of_link[place.a];
    const int part_b = place.b == world ? -1 : parts_.of_link[place.b];
    int used = 0;
    for (const int part : {part_a, part_b == part_a ? -1 : part_b}) {
      if (part < 0) continue;
      const int size = parts_.size(part);
      const std::size_t entry = set.entries.size(), count = static_cast<std::size_t>(c.rows) * size;
      c.part[used++] = {parts_.first[part], size, entry};
      set.entries.resize(entry + 2 * count, 0.0);
      double *J = set.entries.data() + entry, *W = J + count;
      for (int r = 0; r < c.rows; ++r) {
        double* row = J + r * size;
        if (place.speed >= 0) row[parts_.place[place.speed] - parts_.first[part]] = place.sign;
        for (const int side : {0, 1}) {
          const int link = side == 0 ? place.a : place.b;
          if (place.speed >= 0 || link == world || parts_.of_link[link] != part) continue;
          const Vec3<double> f = side == 0 ? directions.at[r] : -directions.at[r];
          add_to_row(mechanism_, parts_, ws, link, cross(place.point - ws.links[link].o, f), f,
                     row);
        }
        const Eigen::MatrixXd& K = s.response[part];
        for (int i = 0; i < size; ++i) {
          double sum = 0;
          for (int j = 0; j < size; ++j) sum += K(j, i) * row[j];
          W[r * size + i] = sum;
          if (r == 0) c.before += row[i] * start[parts_.order[parts_.first[part] + i]];
        }
      }
    }
    c.gap = place.gap - 0.5 * length * rate_of(place, ws, middle);
    const auto found =
        std::lower_bound(s.start.places.begin(), s.start.places.end(), place.key,
                         [](const LookedAt::Place& at, std::uint64_t key) { return at.key < key; });
    if (found == s.start.places.end() || found->key != place.key) continue;
    c.gap = found->gap;
    c.before = found->rate;
  }
}

void SteppedContacts::list_near(double horizon, MotionWorkspace<double>& ws,
                                SteppingScratch& s) const {
  s.near.clear();
  s.broad.resize(groups_.size());
  list_elements(horizon, ws, s);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    list_group(groups_[g], s.broad[g], horizon, ws, s);
}

// What is near at a state, for the step that starts there.
void SteppedContacts::look_at(StateView at, double horizon, Workspace& workspace) const {
  const Scratch scratch = scratch_(workspace);
  SteppingScratch& s = scratch.stepping;
  fill_kinematics_(at, scratch.motion);
  list_near(horizon, scratch.motion, s);
  LookedAt& seen = s.start;
  seen.x.assign(at.x.begin(), at.x.end());
  seen.t = at.t;
  seen.horizon = horizon;
  seen.places.clear();
  const Speeds v = speeds_of(at);
  for (const NearPlace& place : s.near)
    seen.places.push_back({place.key, place.gap, rate_of(place, scratch.motion, v)});
  std::sort(seen.places.begin(), seen.places.end(),
            [](const LookedAt::Place& a, const LookedAt::Place& b) { return a.key < b.key; });
}

std::string SteppedContacts::find_contacts(StateView start, StateView middle, double length,
                                           ContactSet& set, Workspace& workspace) const {
  const Scratch scratch = scratch_(workspace);
  MotionWorkspace<double>& ws = scratch.motion;
  SteppingScratch& s = scratch.stepping;
  if (s.start.t != start.t || s.start.horizon != length ||
      !std::equal(s.start.x.begin(), s.start.x.end(), start.x.begin(), start.x.end()))
    look_at(start, length, workspace);
  fill_kinematics_(middle, ws);
  list_near(length, ws, s);
  s.wanted.assign(parts_.count(), 0);
  for (const NearPlace& place : s.near)
    for (const int link : {place.a, place.b})
      if (link != world) s.wanted[parts_.of_link[link]] = 1;
  if (!s.near.empty()) fill_columns(mechanism_, ws);
  if (std::string problem = s.response.fill(mechanism_, parts_, ws, s.wanted); !problem.empty())
    return problem;
  fill_set(ws, s, speeds_of(start), speeds_of(middle), length, set);
  return "";
}

double SteppedContacts::deepest_overlap(StateView at, double horizon, Workspace& workspace) const {
  look_at(at, horizon, workspace);
  double deepest = 0;
  for (const LookedAt::Place& place : scratch_(workspace).stepping.start.places)
    deepest = std::max(deepest, -place.gap);
  return deepest;
}

std::unique_ptr<ContactStepping> make_stepped_contacts(
    const Mechanism<double>& mechanism, const StateSpace& positions,
    SteppedContacts::ScratchOf scratch, SteppedContacts::FillKinematics fill_kinematics) {
  return std::make_unique<SteppedContacts>(mechanism, positions, std::move(scratch),
                                           std::move(fill_kinematics));
}

}  // namespace cartan::mechanics
