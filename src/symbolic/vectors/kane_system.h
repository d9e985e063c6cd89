// The equations of motion of particles and bodies by Kane's method: M u' = f.
//
//   M_kl = sum over entries of tangent_k . inertia tangent_l
//   f_k  = sum over entries of tangent_k . (F - inertia v' - w x inertia w),   u' = 0
// No tangent vector is formed. Velocities are gathered each in one frame; the coefficients of the
// speeds in them are a linear map A (linear_map.h), M = A^T inertia A column by column and
// f = A^T (...) in one sweep. For a chain of n bodies M takes O(n^2) and f O(n) operations.
#pragma once

#include <vector>

#include "symbolic/vectors/system_vector.h"

namespace cartan::symbolic {

struct MotionEquations {  // M u' = f
  std::vector<Expression> speeds;
  std::vector<Expression> M;  // row by row
  std::vector<Expression> f;
  int size() const { return static_cast<int>(speeds.size()); }
};

class KaneSystem {
 public:
  explicit KaneSystem(Frame inertial) : inertial_(inertial) {}

  void add_particle(const Expression& mass, const Vector& velocity, const Vector& force);
  // Velocity of the mass centre, inertia about it, torque about it.
  void add_body(const Expression& mass, const Dyad& inertia, const Vector& velocity,
                const Vector& angular_velocity, const Vector& force, const Vector& torque = {});
  // A force on a point that carries no mass, a torque on a frame.
  void add_force(const Vector& force, const Vector& velocity_of_point);

  MotionEquations equations(const std::vector<Expression>& speeds) const;

  // The same as system vectors, to go on by hand: tangents(velocity(), speeds), kane(...).
  const SystemVector& velocity() const { return velocity_; }
  const SystemVector& force() const { return force_; }
  const SystemInertia& inertia() const { return inertia_; }
  SystemVector momentum_rate() const;  // p', with u' as symbols
  Expression kinetic_energy() const;

 private:
  // Velocity, inertia and inertia force of an entry, components in one frame.
  struct Entry {
    Vec3<Expression> velocity;
    Vec3<Expression> residual;  // F - p' at constant speeds
    Mat3<Expression> inertia;
    bool is_mass = true;  // then the inertia is inertia(0, 0) times the unit matrix
  };
  Entry make_entry(int i) const;

  Frame inertial_;
  SystemVector velocity_, force_;
  SystemInertia inertia_;
};

}  // namespace cartan::symbolic
