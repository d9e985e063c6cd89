// What `linearize` and `equilibrium` share: a model made ready for the analysis of steady motions,
// what is held, and how states and modes are told.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/equilibrium.h"
#include "results/load/load.h"

namespace cartan::results {

struct SteadyCase {
  std::unique_ptr<const Model> model;
  std::unique_ptr<System> system;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<SteadyProblem> problem;
  std::optional<double> time;  // at which time stands still
};

// Refused: a bad file, a system that depends on time.
std::unique_ptr<SteadyCase> load_steady(const std::string& command, const ModelArguments& arguments,
                                        const std::string& formulation, std::optional<double> time,
                                        const api::Watch& watch, bool quiet = false);

// The same of a model at hand.
std::unique_ptr<SteadyCase> make_steady(const std::string& command,
                                        std::unique_ptr<const Model> model,
                                        const std::string& formulation,
                                        std::optional<double> time = {});
// The initial state of a case, at its time.
State initial_state(const SteadyCase& steady);

// The expressions of --hold, each at its value in the state.
std::vector<Held> read_holds(const std::string& command, const SteadyCase& steady,
                             const std::vector<std::string>& texts, const State& state);

// "along the shift of x at 2.5, ..." for the symmetries a steady motion follows; "" at rest.
std::string describe_motion(const SteadyCase& steady, const Eigen::VectorXd& c);

}  // namespace cartan::results
