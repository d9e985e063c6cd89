// Plain differential equations ([variables] of a model file) as a System.
#pragma once

#include <memory>
#include <vector>

#include "mechanics/machine/rate_code.h"
#include "model/model.h"
#include "system/state_function.h"
#include "system/switches.h"
#include "system/system.h"

namespace cartan::mechanics {

class VariablesSystem : public System, public Switched {
 public:
  virtual const Model& model() const = 0;
  // Values of the model's outputs at a state.
  virtual void calc_outputs(StateView at, std::span<double> outputs,
                            Workspace& workspace) const = 0;
  // d start / d p_which of the file's initial values; zero for variables whose value is `known`.
  virtual void fill_start_slopes(std::span<const int> which, const std::vector<bool>& known,
                                 Eigen::Ref<Eigen::MatrixXd> J) const = 0;
  // An expression over the names of the model.
  virtual std::unique_ptr<StateFunction> make_function(Formula formula) const = 0;
  // What the equations without rates made of written initial values, and why there is no start.
  struct DecidedStart {
    int variable = 0;
    double written = 0, used = 0;
  };
  virtual const std::vector<DecidedStart>& decided_starts() const = 0;
  virtual const std::string& start_problem() const = 0;
};

// The model must outlive the system. With a compiler, rates and their Jacobian come from its code.
std::unique_ptr<VariablesSystem> make_variables_system(
    const Model& model, std::vector<double> parameters,
    std::shared_ptr<RateCompiler> compiler = nullptr);

}  // namespace cartan::mechanics
