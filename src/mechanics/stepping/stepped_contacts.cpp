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

Solid solid_of(const ContactSide& side, const Pose<double>& X, std::span<const double> parameters,
               std::shared_ptr<const Polyhedron>& body) {
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
    case ContactShape::mesh: {
      solid.kind = SolidKind::polyhedron;
      const Vec3<double> scale{size[0], size[1], size[2]};
      const Vec3<double> middle = moved_polyhedron(*side.hull, scale, {}).middle;
      body = std::make_shared<const Polyhedron>(moved_polyhedron(*side.hull, scale, -middle));
      solid.body = body.get();
      solid.p = X * middle;
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
  solid.R = x.R * local.R;
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
      Piece& piece = pieces.emplace_back();
      piece.link = link;
      piece.body = body;
      piece.solid = solid_of(side, calc_side_frame(mechanism_, side), mechanism_.parameters,
                             piece.polyhedron);
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
          "'{}' stops a joint that is kept by constraints, which moreau does not follow; use the "
          "formulation recursive or moving-frame, and in a loop write 'loop = true' at another of "
          "its joints",
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
  find_touch_places(at_a, at_b, reach, s.touch, s.places);
  for (const TouchPlace& found : s.places) {
    NearPlace place;
    place.key = ((group.key0 + key) << 32) + found.feature;
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
