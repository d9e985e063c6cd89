// What stands behind api::System.
#pragma once

#include <cartan/system.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/inside.h"
#include "results/refusal.h"
#include "system/inverse_motion.h"
#include "system/state_curvature.h"

namespace cartan::results {
class CompiledRates;  // results/code/rate_gradient.h
}  // namespace cartan::results

namespace cartan::api {

// What one call needs; kept for the next one.
struct SystemScratch {
  std::unique_ptr<Workspace> workspace;
  std::vector<double> x, w, rates;  // with quadratures
  std::vector<double> times;
  Eigen::MatrixXd J;
  Observation now;
  std::unique_ptr<StateCurvature> curvature;  // made when it is first asked for
  Eigen::MatrixXd force_slopes;
};

void check_length(const char* what, std::size_t given, std::size_t expected);

struct System::Inside {
  explicit Inside(const Model& m) : handle(m) {}

  Model handle;                               // whose model the system refers to
  std::unique_ptr<const model::Model> model;  // with its code, where that is allowed
  std::unique_ptr<system::System> system;
  system::State start;
  std::vector<std::string> names;
  std::size_t size = 0, whole = 0;  // without and with quadratures
  std::size_t speeds = 0;           // of a mechanism

  const MechanicalSystem& mechanism() const {
    const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
    if (!mechanism)
      refuse_at("system",
                "a [variables] file has no mass matrix and no energies; derivative and jacobian "
                "are there");
    return *mechanism;
  }
  // Refuses where there is none.
  const InverseMotion& inverse() const;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<SystemScratch>> idle;

  std::unique_ptr<SystemScratch> take() const {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<SystemScratch> scratch = std::move(idle.back());
        idle.pop_back();
        return scratch;
      }
    }
    auto scratch = std::make_unique<SystemScratch>();
    scratch->workspace = system->make_workspace();
    return scratch;
  }
  void give_back(std::unique_ptr<SystemScratch> scratch) const {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(scratch));
  }

  // Code that differentiates runs backwards, by parameters; null where there is none. Made when so
  // much has been asked for that compiling it pays.
  struct BackwardCode {
    std::shared_ptr<const CompiledRates> code;
    bool made = false;
    std::size_t stages = 0;  // asked for without it
  };
  mutable std::mutex backward_mutex;
  mutable std::map<std::vector<int>, BackwardCode> backward;

  // Of parameters by name; refuses those that are none, or have no derivative.
  std::vector<int> find_parameters(const std::vector<std::string>& names) const;

  // J by, or by^T J; numbers without quadratures.
  void multiply(bool transposed, double t, std::span<const double> at, std::span<const double> by,
                std::span<double> result, SystemScratch& s) const;

  // x with its quadratures, which nothing depends on.
  void fill(std::span<const double> x, std::vector<double>& full) const {
    full.assign(whole, 0.0);
    std::copy(x.begin(), x.end(), full.begin());
  }
};

}  // namespace cartan::api
