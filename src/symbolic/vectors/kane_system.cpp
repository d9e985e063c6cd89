#include "symbolic/vectors/kane_system.h"

#include "symbolic/simplify/is_zero.h"
#include "symbolic/vectors/linear_map.h"

namespace cartan::symbolic {

void KaneSystem::add_particle(const Expression& mass, const Vector& velocity, const Vector& force) {
  velocity_.entries.push_back(velocity);
  force_.entries.push_back(force);
  inertia_.add_mass(mass);
}

void KaneSystem::add_body(const Expression& mass, const Dyad& inertia, const Vector& velocity,
                          const Vector& angular_velocity, const Vector& force,
                          const Vector& torque) {
  add_particle(mass, velocity, force);
  velocity_.entries.push_back(angular_velocity);
  force_.entries.push_back(torque);
  inertia_.add_dyad(inertia);
}

void KaneSystem::add_force(const Vector& force, const Vector& velocity_of_point) {
  add_particle(0, velocity_of_point, force);
}

SystemVector KaneSystem::momentum_rate() const {
  return derivative(inertia_ * velocity_, inertial_);
}

Expression KaneSystem::kinetic_energy() const {
  Expression twice;
  for (int i = 0; i < velocity_.size(); ++i) {
    const Entry entry = make_entry(i);
    const Vec3<Expression> p =
        entry.is_mass ? entry.inertia(0, 0) * entry.velocity : entry.inertia * entry.velocity;
    twice += dot(entry.velocity, p);
  }
  return 0.5 * twice;
}

// Angular entries stay with their dyad; the others are gathered where the velocity is at home.
KaneSystem::Entry KaneSystem::make_entry(int i) const {
  Entry entry;
  const Inertia& inertia = inertia_.entries[i];
  const Vector& v = velocity_[i];
  entry.is_mass = inertia.dyad.is_zero();
  if (v.is_zero()) return entry;
  const Frame frame = entry.is_mass ? natural_frame(v) : inertia.dyad.frame();
  entry.velocity = components(v, frame);
  entry.residual = components(force_[i], frame);
  if (entry.is_mass) {
    entry.inertia(0, 0) = inertia.mass;
    if (is_zero(inertia.mass)) return entry;
    const Vector a = derivative_at_constant_speeds(v, inertial_);
    entry.residual -= inertia.mass * components(a, frame);
    return entry;
  }
  entry.inertia = inertia.dyad.components();
  const Vector h = inertia.dyad * v;
  entry.residual -= components(derivative_at_constant_speeds(h, inertial_), frame);
  return entry;
}

MotionEquations KaneSystem::equations(const std::vector<Expression>& speeds) const {
  MotionEquations result;
  result.speeds = speeds;
  const int n = result.size();
  std::vector<Entry> entries;
  std::vector<Expression> velocities, residuals;
  for (int i = 0; i < velocity_.size(); ++i) {
    entries.push_back(make_entry(i));
    for (int k = 0; k < 3; ++k) velocities.push_back(entries.back().velocity[k]);
    for (int k = 0; k < 3; ++k) residuals.push_back(entries.back().residual[k]);
  }
  Frames& frames = *inertial_.frames;
  const LinearMap map(frames.graph(), velocities, speeds);
  if (const int bad = map.nonlinear_value(); bad >= 0)
    frames.problems().error(
        {},
        "A velocity is not linear in the speeds: the rates of coordinates must be linear in "
        "them, and velocities derivatives of positions");
  result.f = map.apply_transposed(residuals);
  result.M.resize(static_cast<std::size_t>(n) * n);
  for (int k = 0; k < n; ++k) {
    std::vector<Expression> p = map.column(k);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Vec3<Expression> v = {p[3 * i], p[3 * i + 1], p[3 * i + 2]};
      const Entry& entry = entries[i];
      const Vec3<Expression> momentum = entry.is_mass ? entry.inertia(0, 0) * v : entry.inertia * v;
      for (int j = 0; j < 3; ++j) p[3 * i + j] = momentum[j];
    }
    const std::vector<Expression> column = map.apply_transposed(p, k);
    for (int l = k; l < n; ++l) result.M[k * n + l] = result.M[l * n + k] = column[l];
  }
  return result;
}

}  // namespace cartan::symbolic
