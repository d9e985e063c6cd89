// Steady motions (equilibria and relative ones) along a parameter, as a continuation problem.
//
// Unknowns: tangent numbers d of x, the speeds c along the symmetries, the parameter p. Equations:
// those of steady_problem.h with what is held, and
//   p an entry of [parameters]:  the system is made anew for each value; the column is
//                                (df/dp, dg/dp, dy/dp, dh/dp), exact
//   p the value of a function:   e(x) - p = 0; nothing is made anew
// Where symmetries are dependent at a state (a sleeping top) combinations n with sum n_k Y_k = 0
// change nothing: rows n . dc = 0 keep them out of steps and tangents.
#pragma once

#include <optional>

#include "analysis/continuation.h"
#include "analysis/equilibrium.h"
#include "analysis/expansions/normal_forms.h"

namespace cartan::analysis {

// A system at one value of the parameter, with the functions that the user holds, in their order.
struct SteadyMember {
  std::shared_ptr<const System> system;
  std::vector<std::shared_ptr<const StateFunction>> held;
  std::string problem;  // why there is none
};

struct SteadyFamily {
  std::function<SteadyMember(double)> make;         // of an expression: always the same system
  int parameter = -1;                               // of [parameters], in the order of the file, or
  std::shared_ptr<const StateFunction> expression;  // what has the parameter as its value
  std::string name;                                 // of the parameter
  std::vector<std::string> held;                    // names of what the user holds
  double from = 0, to = 1;
};

class SteadyBranch final : public ContinuationProblem {
 public:
  explicit SteadyBranch(SteadyFamily family) : family_(std::move(family)) {}

  // The steady state near a guess at p = from; what is held keeps its value at the guess. "" or why
  // there is none.
  std::string start(const State& guess, ContinuationPoint& point);
  // Whether that was because such a branch makes no sense, not because none was found.
  bool refused() const { return refused_; }
  const std::vector<std::string>& held() const { return held_names_; }
  const SteadyFamily& family() const { return family_; }
  const Symmetries& symmetries() const { return *symmetries_; }
  const std::vector<double>& targets() const { return targets_; }  // of what the user holds
  const std::vector<std::string>& not_held() const { return contested_; }

  Equations linearise(const ContinuationPoint& point) override;
  std::string move(const Eigen::VectorXd& step, ContinuationPoint& point) override;
  Spectrum calc_spectrum(const ContinuationPoint& point) override;

  // The system at a value of the parameter, and everything about the point there.
  const System& system_at(double p);
  Linearisation linearise_at(const ContinuationPoint& point);
  // A sample as what normal forms are made of; valid until another value of the parameter is asked
  // for. Functions: those that the user holds, then the expression that is the parameter.
  SteadyPoint expand_at(const BranchSample& sample);

 private:
  struct Member {
    double p = 0;
    SteadyMember made;
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<SteadyProblem> problem;
    std::vector<Held> held;
  };
  // Null after `trouble_` was set.
  Member* member(double p);
  std::vector<Held> held_at(const SteadyMember& made, double p) const;
  Eigen::VectorXd parameter_column(Member& at, const State& state) const;
  void choose_scales(const ContinuationPoint& point);
  bool depends_on_parameter(Member& at, const State& state) const;
  Eigen::VectorXd make_weights(const State& state) const;
  std::string check_symmetries(const State& state);
  std::string find_start(Member& at, const State& guess, ContinuationPoint& point);

  SteadyFamily family_;
  std::optional<Symmetries> symmetries_;
  std::vector<Member> members_;  // the last few
  std::vector<double> targets_;  // of what the user holds
  std::vector<Held> chosen_;     // initial values
  std::vector<std::string> held_names_, contested_;
  int positions_ = 0, tangent_ = 0;  // tangent numbers
  double scale_ = 1;                 // of speeds, or of variables
  int first_scaled_ = 0;             // number of x
  int neutral_ = -1;                 // directions, where nothing happens
  bool refused_ = false;
  std::string trouble_;
};

}  // namespace cartan::analysis
