#include "results/design/linear_functionals.h"

#include <cmath>

#include <fmt/format.h>

#include "analysis/equilibrium.h"
#include "analysis/expansions/eigenvalue_slopes.h"
#include "formulations/formulations.h"
#include "mechanics/machine/system_curvature.h"
#include "results/fit/fit_start.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

constexpr double same_real_part = 1e-8;  // of the size of the eigenvalues

// Eigenvalues one after the other, with their derivatives where these are wanted.
class SteadyEigenvalues {
 public:
  SteadyEigenvalues(const Model& model, const LinearRequest& request)
      : model_(model), request_(request) {}

  std::string find() {
    std::string problem;
    instance_.system = make_system(model_, request_.parameters, request_.formulation, problem);
    if (!instance_.system) return problem;
    const System& system = *instance_.system;
    if (problem = refuse_steady(system); !problem.empty()) return problem;
    workspace_ = system.make_workspace();
    State state = system.initial_state();
    steady_.emplace(system, find_symmetries(system, state, *workspace_), *workspace_);
    motion_.is_start = !request_.at_equilibrium;
    if (request_.at_equilibrium) {
      Equilibrium found = find_equilibrium(*steady_, state);
      if (!found.found) return found.problem;
      state = found.state;
      motion_.held = std::move(found.holds);
    }
    linear_ = linearise(*steady_, state);
    if (!linear_.problem.empty() || !request_.slopes) return linear_.problem;
    motion_.state = linear_.state;
    motion_.c = linear_.c;
    if (motion_.is_start || !motion_.held.empty())
      if (problem = fill_start_slopes(); !problem.empty()) return problem;
    curvature_ = make_state_curvature(system, request_.parameters, request_.which);
    slopes_ = calc_steady_slopes(*steady_, motion_, request_.which, *curvature_);
    if (slopes_.problem.empty()) eigenvalues_.emplace(*steady_, linear_, slopes_, *curvature_);
    return slopes_.problem;
  }

  const Linearisation& linear() const { return linear_; }
  EigenvalueSlope slope_of(int k) const { return eigenvalues_->of(linear_.eigenvalues[k]); }

 private:
  std::string fill_start_slopes() {
    StateValues values;
    values.q.resize(model_.joints.size());
    values.v.resize(model_.joints.size());
    values.variables.resize(model_.variables.size());
    std::string problem = fill_start(values, request_.which, instance_);
    motion_.start_slopes = instance_.start_by_parameters;
    return problem;
  }

  const Model& model_;
  const LinearRequest& request_;
  FitInstance instance_;
  std::unique_ptr<Workspace> workspace_;
  std::optional<SteadyProblem> steady_;
  SteadyMotion motion_;
  Linearisation linear_;
  std::unique_ptr<StateCurvature> curvature_;
  SteadySlopes slopes_;
  std::optional<EigenvalueSlopes> eigenvalues_;
};

bool is_neutral(const std::complex<double>& value) {
  return value == std::complex<double>(0, 0);
}

std::string name_pair(const std::complex<double>& value) {
  return value.imag() == 0 ? fmt::format("{:.6g}", value.real())
                           : fmt::format("{:.6g} +- {:.6g}i", value.real(), value.imag());
}

// One of each pair and of each group that coincides, among those with the largest real part.
std::vector<int> leading_eigenvalues(const Linearisation& linear, double most) {
  double size = 0;
  for (const auto& value : linear.eigenvalues) size = std::max(size, std::abs(value));
  std::vector<int> leading;
  std::vector<bool> seen(linear.eigenvalues.size(), false);
  for (std::size_t k = 0; k < linear.eigenvalues.size(); ++k) {
    const auto& value = linear.eigenvalues[k];
    if (is_neutral(value) || seen[k] || value.imag() < 0) continue;
    if (value.real() < most - same_real_part * size) continue;
    for (const int same : coinciding_eigenvalues(linear, static_cast<int>(k))) seen[same] = true;
    leading.push_back(static_cast<int>(k));
  }
  return leading;
}

std::string fill_real_part_slopes(const SteadyEigenvalues& all, LinearNumbers& numbers) {
  const std::vector<int> leading = leading_eigenvalues(all.linear(), numbers.real_part);
  for (const int k : leading) {
    const EigenvalueSlope slope = all.slope_of(k);
    if (!slope.problem.empty()) return slope.problem;
    const VectorXd real = slope.slopes.real();
    if (k == leading.front()) {
      numbers.real_part_slopes = real;
    } else if ((real - numbers.real_part_slopes).norm() >
               1e-6 * (real.norm() + numbers.real_part_slopes.norm())) {
      numbers.kink =
          fmt::format("the largest real part belongs to {} and {} at once: it has a kink here",
                      name_pair(all.linear().eigenvalues[leading.front()]),
                      name_pair(all.linear().eigenvalues[k]));
    }
  }
  return "";
}

void add_half(const LinearNumbers& side, LinearNumbers& mean) {
  mean.real_part += 0.5 * side.real_part;
  mean.slowest += 0.5 * side.slowest;
  mean.has_real_part = side.has_real_part;
  mean.oscillates = side.oscillates;
  const auto add = [](const VectorXd& from, VectorXd& to) {
    if (from.size() > 0) to = to.size() > 0 ? VectorXd(to + 0.5 * from) : VectorXd(0.5 * from);
  };
  add(side.real_part_slopes, mean.real_part_slopes);
  add(side.slowest_slopes, mean.slowest_slopes);
  if (!side.kink.empty()) mean.kink = side.kink;
  mean.neutral = side.neutral;
}

// Beside these parameters nothing coincides; the error of the mean is of second order in 1e-6.
std::string take_mean_of_sides(const Model& model, const LinearRequest& request,
                               LinearNumbers& numbers) {
  std::vector<double> values;
  for (const int parameter : request.which) values.push_back(request.parameters[parameter]);
  for (std::size_t k = 0; k < values.size(); ++k) {
    LinearNumbers mean;
    bool apart = true;
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> moved = values;
      moved[k] += sign * 1e-6 * std::max(std::fabs(values[k]), 1e-3);
      LinearRequest beside = request;
      beside.parameters = parameter_values(model, request.which, moved);
      beside.neutral = -1;
      LinearNumbers side;
      apart = apart && calc_linear_numbers(model, beside, side).empty() &&
              side.neutral == request.neutral;
      if (apart) add_half(side, mean);
    }
    if (!apart) continue;
    numbers = mean;
    return "";
  }
  return "an eigenvalue is zero like those of symmetries and families of steady motions, and no "
         "free "
         "parameter tells it apart";
}

}  // namespace

std::string calc_linear_numbers(const Model& model, const LinearRequest& request,
                                LinearNumbers& numbers) {
  SteadyEigenvalues all(model, request);
  if (std::string problem = all.find(); !problem.empty()) return problem;
  const Linearisation& linear = all.linear();
  numbers.neutral = linear.neutral;
  if (request.neutral >= 0 && linear.neutral > request.neutral)
    return take_mean_of_sides(model, request, numbers);
  int slowest = -1;
  for (std::size_t k = 0; k < linear.eigenvalues.size(); ++k) {
    const std::complex<double>& value = linear.eigenvalues[k];
    if (is_neutral(value)) continue;
    if (!numbers.has_real_part || value.real() > numbers.real_part)
      numbers.real_part = value.real();
    numbers.has_real_part = true;
    if (!(value.imag() > 0) || (slowest >= 0 && value.imag() >= numbers.slowest)) continue;
    slowest = static_cast<int>(k);
    numbers.slowest = value.imag();
    numbers.oscillates = true;
  }
  if (!request.slopes) return "";
  if (request.real_part && numbers.has_real_part)
    if (std::string problem = fill_real_part_slopes(all, numbers); !problem.empty()) return problem;
  if (request.slowest && slowest >= 0) {
    const EigenvalueSlope slope = all.slope_of(slowest);
    if (!slope.problem.empty()) return slope.problem;
    numbers.slowest_slopes = slope.slopes.imag();
  }
  return "";
}

}  // namespace cartan::results
