// Loads inside a body ([[cut]]): what the part in front of a plane exerts on the part behind it.
//
// With everything that acts on the front part from outside (joints, forces, contacts) and its own
// motion, force F and moment M about the point `at` of the plane are
//   F = sum f - int rho (a(x) - g) dV
//   M = sum ((x - at) x f + n) - int rho (x - at) x (a(x) - g) dV
//   a(x) = a + dw x x + w x (w x x)
// over the front part (half_space.h). F along the normal is positive where the cut is pulled.
//
// What acts in the plane itself belongs to the part without mass, where there is one, so that a cut
// at the end of a rod has the load of the joint there; otherwise to the front part.
#pragma once

#include "mechanics/cuts/half_space.h"
#include "mechanics/machine/mechanism_system.h"

namespace cartan::mechanics {

struct CutLoad {
  Vec3<double> force, moment;  // body axes, about `at`
  // along the normal and across it
  double axial = 0, shear = 0, torsion = 0, bending = 0;
};

class CutLoads {
 public:
  CutLoads(const Model& model, std::span<const double> parameters);

  // One per cut of the model. `dynamics`, `wrenches` and `contacts` are the system's at the state.
  std::vector<CutLoad> calc(const Observation& now, const DynamicsReport& dynamics,
                            const std::vector<AppliedWrench>& wrenches,
                            const std::vector<ContactReport>& contacts) const;
  // The same, asking the system for them.
  std::vector<CutLoad> calc(const MechanicalSystem& system, StateView at,
                            Workspace& workspace) const;

 private:
  struct Section {
    int body = 0;
    CutPlane plane;
    PartMoments front;
    bool front_is_empty = false, back_is_empty = false;
    double size = 1;  // of the body, for what is in the plane
  };
  struct JointEnds {
    Vec3<double> on_parent, on_child;  // in the bodies' axes
  };
  // Is a point (body axes) on the front part?
  static bool is_in_front(const Section& section, const Vec3<double>& x);
  CutLoad calc_one(const Section& section, const Observation& now, const DynamicsReport& dynamics,
                   const std::vector<AppliedWrench>& wrenches,
                   const std::vector<ContactReport>& contacts) const;

  const Model& model_;
  std::vector<Section> sections_;
  std::vector<JointEnds> ends_;
};

}  // namespace cartan::mechanics
