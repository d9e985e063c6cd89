#include "support/random_mechanism.h"

#include <cstdio>
#include <cstdlib>

#include "support/random_parts.h"

namespace cartan::test {
namespace random_parts {

Value number(Builder& b, double x) {
  if (!b.options.expressions || !b.random.chance(0.15)) return x;
  char text[64];
  if (b.random.chance(0.5))
    std::snprintf(text, sizeof text, "%.17g*half + %.17g", x, 0.5 * x);
  else
    std::snprintf(text, sizeof text, "%.17g*unit", x);
  return Value(std::string(text));
}

Values numbers(Builder& b, const Vec3<double>& a) {
  return {number(b, a.x), number(b, a.y), number(b, a.z)};
}

RotationText rotation(Builder& b, const Quat<double>& q) {
  RotationText text;
  switch (b.random.integer(0, 2)) {
    case 0: {
      const Vec3<double> a = log(q);
      const double angle = norm(a), length = b.random.uniform(0.5, 2);
      text.kind = RotationText::Kind::axis_angle;
      text.values = numbers(b, (length / angle) * a);
      text.values.push_back(number(b, angle));
      break;
    }
    case 1:
      text.kind = RotationText::Kind::quaternion;
      text.values = {q.w, q.x, q.y, q.z};
      break;
    default:
      text.kind = RotationText::Kind::rpy;
      text.values = {number(b, b.random.uniform(-3, 3)), number(b, b.random.uniform(-1.4, 1.4)),
                     number(b, b.random.uniform(-3, 3))};
  }
  return text;
}

PlacementText placement(Builder& b, const std::string& body, double reach) {
  PlacementText text;
  text.body = body;
  if (b.random.chance(0.85)) text.at = numbers(b, b.random.vector(reach));
  return text;
}

void add_gravity(Builder& b) {
  if (!b.options.gravity) {
    b.model.gravity = {0, 0, 0};
    return;
  }
  if (b.random.chance(0.2)) return;  // the default
  const Vec3<double> g = b.random.uniform(3, 12) * b.random.direction();
  b.model.gravity = numbers(b, g);
  if (!b.options.varying_gravity) return;
  if (b.random.chance(0.3)) b.model.gravity[b.random.integer(0, 2)] = "4*sin(2*t) - unit";
  if (b.random.chance(0.2)) b.model.gravity_frame = b.random.pick(b.model.bodies).name;
}

void add_rotors(Random& random, double likelihood, std::vector<JointText>& joints) {
  for (JointText& joint : joints) {
    const JointType type = *joint_type_from_name(joint.type);
    const int nv = info(type).nv;
    const bool wanted = random.chance(likelihood);
    if (!wanted || !joint.inertia.empty()) continue;
    if (is_ball(type)) joint.inertia = {random.uniform(0.05, 1)};  // the same in all directions
    if (nv == 0 || nv != info(type).nq) continue;
    for (int k = 0; k < nv; ++k) joint.inertia.push_back(random.uniform(0.05, 1));
  }
}

}  // namespace random_parts

ModelDescription make_random_mechanism(std::uint64_t seed, const RandomMechanismOptions& options) {
  random_parts::Builder b(seed, options);
  b.model.name = "random " + std::to_string(seed);
  b.model.parameters = {{"half", 0.5}, {"unit", "2*half"}, {"k", b.random.uniform(0.5, 1.5)}};
  if (options.inputs) b.model.inputs = {{"push", b.rotors.uniform(0.5, 1.5)}};
  random_parts::add_bodies_and_joints(b);
  random_parts::add_rotors(b.rotors, options.rotors, b.model.joints);
  if (b.rotors.chance(0.5)) {
    PointText tip;
    tip.name = "tip";
    tip.body = b.rotors.pick(b.model.bodies).name;
    tip.at = {0.3, -0.2, 0.1};
    b.model.points = {tip};
  }
  random_parts::add_gravity(b);
  if (options.forces) random_parts::add_forces(b);
  if (options.variables > 0) random_parts::add_variables(b);
  return std::move(b.model);
}

Model make_checked_random_model(std::uint64_t seed, const RandomMechanismOptions& options) {
  Diagnostics problems("random " + std::to_string(seed));
  std::optional<Model> model = check_model(make_random_mechanism(seed, options), problems);
  if (!model) {
    std::fprintf(stderr, "%s", problems.text().c_str());
    std::abort();
  }
  return std::move(*model);
}

}  // namespace cartan::test
