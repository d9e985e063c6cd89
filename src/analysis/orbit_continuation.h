// Periodic orbits along an entry of [parameters], as a continuation problem.
//
// Unknowns: displacements y_i of the nodes along their allowed directions, the period (unless the
// system is driven), the parameter; equations: those of shooting.h. Nodes follow the constraints by
// the smallest motion where the parameter changes. The spectrum are the multipliers without those
// that are one all along: along the orbit, one for each quantity that is held, symmetries. The
// parameter may also be the value of a conserved quantity: h(x_0) - p = 0.
#pragma once

#include "analysis/continuation.h"
#include "analysis/linearisation.h"
#include "analysis/orbit.h"

namespace cartan::analysis {

// A system at one value of the parameter, with what the orbit is found by. The functions refer to
// the system.
struct OrbitMember {
  std::unique_ptr<System> system;
  std::unique_ptr<StateFunction> section;
  std::vector<std::unique_ptr<StateFunction>> holds;
};

struct OrbitFamily {
  std::function<OrbitMember(double)> make;  // at a value of the parameter
  int parameter = 0;                        // in the order of the file: derivatives by it
  OrbitOptions options;                     // section, holds and parameters are set from the above
};

struct OrbitSetting {
  OrbitFamily family;
  std::vector<double> hold_values;  // of the members' holds
  bool by_value = false;  // the parameter is the value of the last hold: the system stays the same
  // Of driven systems: the period at a value of the parameter, and its derivative.
  std::function<double(double p, double& slope)> period;
  double from = 0, to = 1;
  int times = 1;  // of driven systems: periods of the drive in one of the orbit
};

class OrbitContinuation final : public ContinuationProblem {
 public:
  explicit OrbitContinuation(OrbitSetting setting) : setting_(std::move(setting)) {}

  // The orbit near a guess at p = from; "" or why there is none.
  std::string start(const State& guess, double period, int nodes, ContinuationPoint& point);

  Equations linearise(const ContinuationPoint& point) override;
  std::string move(const Eigen::VectorXd& step, ContinuationPoint& point) override;
  Spectrum calc_spectrum(const ContinuationPoint& point) override;
  std::string look_for_end(const ContinuationPoint& before,
                           const ContinuationPoint& after) override;
  std::string explain_end(const ContinuationPoint& before, const ContinuationPoint& last) override;

  const System& system_at(double p);
  static double period_of(const ContinuationPoint& point) { return point.numbers[0]; }

  // Orbits that are born at a Hopf point: with the mode z of the pair i omega, small ones are
  // x (+) e Re z, their period near 2 pi / omega. Branches begin with the first of them.
  Branch follow_hopf(const Bifurcation& hopf, const Linearisation& at,
                     const ContinuationOptions& options);
  // Orbits of twice the period that are born at a period doubling. Where F v = -v there, they are
  // x (+) e v to first order; once around they are at x (+) -e v. This object belongs to them: its
  // setting has twice the periods of the drive.
  Branch follow_doubling(const Bifurcation& doubling, const ContinuationOptions& options);

 private:
  struct Member {
    double p = 0;
    OrbitMember made;
    std::unique_ptr<Workspace> workspace;
    ShootingProblem problem;
  };
  Member& member(double p);  // valid until the next call
  std::vector<int> which() const;
  const ShootingEquations& equations_at(const ContinuationPoint& point);
  void add_parameter_column(const ContinuationPoint& point, const ShootingEquations& s,
                            Eigen::Ref<Eigen::VectorXd> column);
  double drive_period(double p, double& slope) const;
  bool driven() const { return setting_.family.options.problem.driven; }

  OrbitSetting setting_;
  bool doubled_ = false;  // the second half of the nodes belongs to the second time around
  int neutral_ = -1;      // multipliers that are one all along
  std::vector<Eigen::MatrixXd> references_;  // of the nodes' directions
  std::vector<Member> members_;
  ContinuationPoint cached_point_;
  ShootingEquations cached_;
};

// The mode of the pair that is critical at a Hopf point, or -1.
int find_critical_mode(const Linearisation& at, std::complex<double> critical);

// d p / d e^2 at a Hopf point, from the first samples of the orbits born there (the Hopf point
// first). e: how far x is displaced along the mode, whose largest number is one, whatever its
// phase. `shape`: the mode without what leads along symmetries, along which x is not displaced.
double hopf_slope(const System& system, const State& steady, const Eigen::VectorXcd& shape,
                  const std::vector<BranchSample>& samples);

}  // namespace cartan::analysis
