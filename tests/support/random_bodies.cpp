// Bodies and joints of random mechanisms.
#include <array>
#include <numeric>

#include "support/random_parts.h"

namespace cartan::test::random_parts {
namespace {

enum class Kind { full, plate, rod, particle };

// Joints that see inertia even in a body without any of its own: those that carry its mass along,
// if the mass is away from the axis.
bool moves_mass(JointType type) {
  return type == JointType::revolute || type == JointType::prismatic ||
         type == JointType::translation || type == JointType::screw || type == JointType::fixed;
}

Kind choose_kind(Builder& b, JointType joint) {
  if (!b.options.thin_bodies || b.random.chance(0.6)) return Kind::full;
  if (!moves_mass(joint) || b.random.chance(0.4)) return Kind::plate;
  return b.random.chance(0.5) ? Kind::rod : Kind::particle;
}

// Principal moments as second moments of mass (a, b, c): any a, b, c >= 0 give a legal body.
Values make_inertia(Builder& b, Kind kind, double mass) {
  const double size = mass * b.random.uniform(0.02, 0.1);
  double x = size * b.random.uniform(0.2, 1), y = size * b.random.uniform(0.2, 1),
         z = size * b.random.uniform(0.2, 1);
  if (kind == Kind::plate) z = 0;
  if (kind == Kind::rod) y = z = 0;
  const Sym3<double> principal = Sym3<double>::diagonal(y + z, x + z, x + y);
  if (kind != Kind::rod && b.random.chance(0.3)) return {principal.xx, principal.yy, principal.zz};
  const Sym3<double> J = rotate(rotation_matrix(b.random.rotation()), principal);
  return {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
}

ShapeText make_shape(Builder& b) {
  using Kind = ShapeText::Kind;
  ShapeText s;
  s.kind = std::array{Kind::box, Kind::cylinder, Kind::tube, Kind::sphere}[b.random.integer(0, 3)];
  auto size = [&] { return number(b, b.random.uniform(0.1, 0.4)); };
  if (s.kind == Kind::box) s.size = {size(), size(), size()};
  if (s.kind == Kind::cylinder) s.size = {size(), size()};
  if (s.kind == Kind::tube) s.size = {number(b, 0.08), size(), size()};
  if (s.kind == Kind::sphere) s.size = {size()};
  if (b.random.chance(0.7)) s.at = numbers(b, b.random.vector(0.3));
  if (b.random.chance(0.5)) s.rotate = rotation(b, b.random.rotation());
  return s;
}

BodyText make_body(Builder& b, const std::string& name, JointType joint) {
  BodyText body;
  body.name = name;
  const Kind kind = choose_kind(b, joint);
  if (kind == Kind::full && b.options.shapes && b.random.chance(0.25)) {
    for (int k = b.random.integer(1, 3); k > 0; --k) body.shapes.push_back(make_shape(b));
    body.density = number(b, b.random.uniform(50, 200));
    return body;
  }
  const double mass = b.random.uniform(0.3, 4);
  body.mass = number(b, mass);
  const bool must_be_offset = kind == Kind::particle || kind == Kind::rod;
  if (must_be_offset || b.random.chance(0.8)) body.com = numbers(b, b.random.vector(0.5));
  if (kind != Kind::particle) body.inertia = make_inertia(b, kind, mass);
  return body;
}

void add_motion(Builder& b, JointType type, JointText& joint) {
  auto speed = [&] { return number(b, b.random.away_from_zero(0.1, 2)); };
  for (int k = 0; k < info(type).nv; ++k) joint.velocity.push_back(speed());
  joint.velocity_given = joint.position.given = true;
  if (has_quaternion(type)) joint.position.rotation = rotation(b, b.random.rotation());
  if (type == JointType::free) joint.position.at = numbers(b, b.random.vector(1));
  if (!plain_coordinates(type)) return;
  for (int k = 0; k < info(type).nv; ++k) {
    const bool turned = is_angle(type, k) && b.turns.chance(b.options.turned);
    const int turns = turned ? b.turns.integer(-4, 4) : 0;
    joint.position.coordinates.push_back(number(b, b.random.uniform(-1.5, 1.5) + 2 * pi * turns));
  }
}

// Mostly oblique, sometimes a coordinate axis: those are treated apart by the engine.
Values make_axis(Builder& b) {
  if (b.random.chance(0.3)) {
    Values axis = {0, 0, 0};
    axis[b.random.integer(0, 2)] = b.random.chance(0.7) ? 1 : -1;
    return axis;
  }
  return numbers(b, b.random.uniform(0.3, 3) * b.random.direction());
}

// Draws that leave the sequence as it was: seeds mean the mechanisms they meant before.
void add_radii(const Builder& b, JointText& joint) {
  Random aside = b.random.aside();
  for (int k = 0; k < 3; ++k) joint.sizes["radii"].push_back(aside.uniform(0.1, 0.6));
}
JointType pick_type(Builder& b) {
  const JointType type = b.random.pick(b.options.joints);
  Random aside = b.random.aside();
  const bool stretched = type == JointType::spherical && aside.chance(b.options.ellipsoidal);
  return stretched ? JointType::ellipsoidal : type;
}

void add_axes(Builder& b, JointType type, JointText& joint) {
  switch (type) {
    case JointType::screw:
      joint.sizes["pitch"] = {number(b, b.random.away_from_zero(0.05, 0.4))};
      [[fallthrough]];
    case JointType::revolute:
    case JointType::prismatic:
    case JointType::cylindrical:
    case JointType::planar:
      joint.axis = make_axis(b);
      break;
    case JointType::universal: {
      // oblique to each other, not merely at right angles, but never near parallel
      const Vec3<double> first = b.random.direction();
      Vec3<double> second = b.random.direction();
      while (norm(cross(first, second)) < 0.4) second = b.random.direction();
      joint.axes = {numbers(b, 2.0 * first), numbers(b, 0.7 * second)};
      break;
    }
    case JointType::ellipsoidal:
      add_radii(b, joint);
      break;
    default:
      break;
  }
}

PlacementText joint_side(Builder& b, const std::string& body) {
  PlacementText side = placement(b, body, 0.6);
  if (b.random.chance(0.6)) side.rotate = rotation(b, b.random.rotation());
  return side;
}

JointText make_joint(Builder& b, JointType type, const std::string& inboard,
                     const std::string& outboard) {
  JointText joint;
  joint.name = "j" + std::to_string(b.model.joints.size());
  joint.type = info(type).name;
  joint.parent = joint_side(b, inboard);
  joint.child = joint_side(b, outboard);
  if (b.options.reversed && b.random.chance(0.3)) std::swap(joint.parent, joint.child);
  add_axes(b, type, joint);
  add_motion(b, type, joint);
  return joint;
}

// Puts bodies and joints into the file in another order; names stay.
void shuffle_file(Builder& b) {
  std::vector<int> order(b.model.joints.size());
  std::iota(order.begin(), order.end(), 0);
  b.random.shuffle(order);
  std::vector<JointText> joints;
  std::vector<JointType> types;
  for (int k : order) joints.push_back(b.model.joints[k]), types.push_back(b.joint_types[k]);
  b.model.joints = joints;
  b.joint_types = types;
  b.random.shuffle(b.model.bodies);
}

}  // namespace

void add_bodies_and_joints(Builder& b) {
  const int n = b.random.integer(b.options.min_bodies, b.options.max_bodies);
  for (int i = 0; i < n; ++i) {
    int inboard = i - 1;
    if (!b.random.chance(b.options.chain)) inboard = b.random.integer(-1, i - 1);
    if (b.options.floating && i > 0 && inboard < 0) inboard = 0;
    const bool base = b.options.floating && i == 0;
    const JointType type = base ? JointType::free : pick_type(b);
    const std::string name = "b" + std::to_string(i);
    b.model.bodies.push_back(make_body(b, name, type));
    b.model.joints.push_back(
        make_joint(b, type, inboard < 0 ? "world" : "b" + std::to_string(inboard), name));
    b.joint_types.push_back(type);
  }
  if (b.options.shuffled) shuffle_file(b);
}

}  // namespace cartan::test::random_parts
