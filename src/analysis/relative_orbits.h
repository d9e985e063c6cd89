// Orbits up to symmetries, born where a relative equilibrium loses its stability (a bicycle that
// weaves), along a parameter, as a continuation problem.
//
// In the frame of comoving.h they close: psi_T(x; c) = x. Unknowns: displacements y of x across the
// symmetries, the period T, the speeds c of the frame, the parameter p. Equations:
//
//   B^T (psi_T(x; c) (-) x) = 0     all allowed directions B
//   1/T int h_j dt = h_j(start)     what is held: its average
//   1/T int e dt - p = 0            where the parameter is an expression e: its average is p
//   y . (f - sum c_k Y_k) = 0       x keeps its place along the orbit
//
// Symmetries and the direction of the orbit are divided out of the multipliers: with V(x) across
// them, V(x_j+1)^T F_j V(x_j) are the factors of what is left.
#pragma once

#include "analysis/comoving.h"
#include "analysis/steady_branch.h"
#include "analysis/transition.h"

namespace cartan::analysis {

struct RelativeOrbitSetting {
  SteadyFamily family;  // the systems, the parameter, what is held (only what symmetries keep)
  Symmetries symmetries;
  std::vector<double> targets;  // of what is held
  int families = 0;             // multipliers that stay one: quantities that the motion conserves
  FlowOptions flow;
};

class RelativeOrbits final : public ContinuationProblem {
 public:
  explicit RelativeOrbits(RelativeOrbitSetting setting);

  // The setting for orbits born on a branch of steady motions, at a state with so many neutral
  // directions; "" or why they cannot be followed.
  static std::string choose(const SteadyBranch& steady, const State& state, int neutral,
                            RelativeOrbitSetting& setting);

  Equations linearise(const ContinuationPoint& point) override;
  std::string move(const Eigen::VectorXd& step, ContinuationPoint& point) override;
  Spectrum calc_spectrum(const ContinuationPoint& point) override;
  std::string look_for_end(const ContinuationPoint& before,
                           const ContinuationPoint& after) override;

  // From a Hopf point of a branch of steady motions, with its linearisation.
  Branch follow_hopf(const Bifurcation& hopf, const Linearisation& at,
                     const ContinuationOptions& options);

 private:
  struct Here;  // everything about one point
  const Here& at(const ContinuationPoint& point);
  SteadyMember& member(double p);
  std::vector<const StateFunction*> averages(const SteadyMember& made) const;

  RelativeOrbitSetting setting_;
  std::vector<std::pair<double, SteadyMember>> members_;  // the last few
  std::shared_ptr<Here> here_;
  Eigen::MatrixXd closing_reference_, across_reference_;
};

}  // namespace cartan::analysis
