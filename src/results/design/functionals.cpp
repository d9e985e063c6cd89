#include "results/design/functionals.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mechanics/machine/parameter_seeds.h"

namespace cartan::results {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kind = Functional::Kind;

}  // namespace

Functionals::Functionals(const Model& model, std::vector<int> free, double duration,
                         std::string formulation, bool at_equilibrium)
    : model_(model),
      free_(std::move(free)),
      duration_(duration),
      formulation_(std::move(formulation)),
      at_equilibrium_(at_equilibrium) {}

bool Functionals::needs_run() const {
  return std::any_of(functionals_.begin(), functionals_.end(),
                     [](const Functional& f) { return !f.is_linear(); });
}

bool Functionals::mentions(int parameter) const {
  const auto in = [&](const Formula& formula) {
    return std::any_of(formula.program.inputs.begin(), formula.program.inputs.end(),
                       [&](const Symbol& symbol) {
                         return symbol.quantity == Quantity::parameter && symbol.index == parameter;
                       });
  };
  for (const FunctionalExpression& expression : expressions_)
    if (in(expression.formula)) return true;
  for (const Functional& functional : functionals_) {
    if (functional.formula.given() && in(functional.formula)) return true;
    for (const ChangedParameter& change : functional.changed)
      if (in(change.value)) return true;
  }
  return false;
}

// The parameters of a linearisation: what is free, and what is changed for it.
std::string Functionals::linearise_with(const Functional& functional, const VectorXd& theta,
                                        bool slopes, LinearNumbers& numbers) const {
  const std::vector<double> outside = parameter_values(model_, free_, {theta.data(), free_.size()});
  std::vector<int> which;
  std::vector<double> values;
  MatrixXd moves = MatrixXd::Zero(functional.changed.size() + free_.size(), theta.size());
  const auto row = [&] { return static_cast<Eigen::Index>(which.size()); };
  for (const ChangedParameter& change : functional.changed) {
    for (std::size_t first = 0; first < free_.size(); first += 4) {
      const std::vector<Dual4> seeded = seed_parameters(model_, outside, free_, first);
      const Dual4 value = results::evaluate<Dual4>(change.value, seeded)[0];
      for (std::size_t k = first; k < std::min(first + 4, free_.size()); ++k)
        moves(row(), static_cast<Eigen::Index>(k)) = value.d[k - first];
    }
    values.push_back(results::evaluate<double>(change.value, outside)[0]);
    which.push_back(change.parameter);
  }
  for (std::size_t k = 0; k < free_.size(); ++k) {
    if (std::find(which.begin(), which.end(), free_[k]) != which.end()) continue;
    moves(row(), static_cast<Eigen::Index>(k)) = 1;
    values.push_back(theta(static_cast<Eigen::Index>(k)));
    which.push_back(free_[k]);
  }
  LinearRequest request;
  request.parameters = parameter_values(model_, which, values);
  request.formulation = formulation_;
  request.at_equilibrium = at_equilibrium_;
  request.which = which;
  request.slopes = slopes;
  if (const auto known = neutral_.find(functional.changes); known != neutral_.end())
    request.neutral = known->second;
  for (const Functional& f : functionals_) {
    if (!f.is_linear() || f.changes != functional.changes) continue;
    (f.kind == Kind::real_part ? request.real_part : request.slowest) = true;
  }
  if (std::string problem = calc_linear_numbers(model_, request, numbers); !problem.empty())
    return problem;
  if (!slopes) return "";
  const MatrixXd by_free = moves.topRows(row()).transpose();
  if (numbers.real_part_slopes.size() > 0)
    numbers.real_part_slopes = by_free * numbers.real_part_slopes;
  if (numbers.slowest_slopes.size() > 0) numbers.slowest_slopes = by_free * numbers.slowest_slopes;
  return "";
}

std::string Functionals::add_linearised(const VectorXd& theta, bool slopes,
                                        Numbers& numbers) const {
  std::map<std::string, LinearNumbers> known;  // by what is changed
  for (std::size_t k = 0; k < functionals_.size(); ++k) {
    const Functional& f = functionals_[k];
    if (!f.is_linear()) continue;
    const auto [found, is_new] = known.try_emplace(f.changes);
    LinearNumbers& linear = found->second;
    if (is_new)
      if (std::string problem = linearise_with(f, theta, slopes, linear); !problem.empty())
        return f.changes.empty() ? problem : f.text + ": " + problem;
    if (f.kind == Kind::real_part) {
      if (!linear.has_real_part) return "the linearisation has neutral directions only";
      numbers.values(k) = linear.real_part;
      if (slopes) numbers.slopes.row(k) = linear.real_part_slopes;
      continue;
    }
    if (!linear.oscillates) return "the linearisation has no oscillation";
    const bool period = f.kind == Kind::period;
    const double w = linear.slowest;
    numbers.values(k) = period ? 2 * M_PI / w : w / (2 * M_PI);
    if (slopes)
      numbers.slopes.row(k) =
          (period ? -2 * M_PI / (w * w) : 1 / (2 * M_PI)) * linear.slowest_slopes;
  }
  return "";
}

std::string Functionals::find_kink(const VectorXd& theta) const {
  for (const Functional& f : functionals_) {
    if (f.kind != Kind::real_part) continue;
    LinearNumbers numbers;
    const std::string problem = linearise_with(f, theta, true, numbers);
    const std::string& kink = problem.empty() ? numbers.kink : problem;
    if (!kink.empty()) return f.text + ": " + kink;
  }
  return "";
}

std::string Functionals::evaluate(const VectorXd& theta, const VectorXd& size,
                                  const SimulateOptions& options, VectorXd& values,
                                  MatrixXd* slopes) const {
  const int count = static_cast<int>(functionals_.size()), n = static_cast<int>(theta.size());
  Numbers numbers{VectorXd::Zero(count), MatrixXd::Zero(count, n)};
  if (std::string problem = run(theta, size, options, slopes, numbers); !problem.empty())
    return problem;
  if (std::string problem = add_linearised(theta, slopes, numbers); !problem.empty())
    return problem;
  // parameters that follow from free ones move with them
  const std::vector<double> parameters =
      parameter_values(model_, free_, {theta.data(), free_.size()});
  MatrixXd moves = MatrixXd::Zero(parameters.size(), n);
  for (std::size_t first = 0; slopes && first < free_.size(); first += 4) {
    const std::vector<Dual4> seeded = seed_parameters(model_, parameters, free_, first);
    for (std::size_t i = 0; i < seeded.size(); ++i)
      for (std::size_t k = first; k < std::min(first + 4, free_.size()); ++k)
        moves(i, k) = seeded[i].d[k - first];
  }
  values.resize(expressions_.size());
  if (slopes) slopes->setZero(expressions_.size(), n);
  for (std::size_t e = 0; e < expressions_.size(); ++e) {
    const Program& program = expressions_[e].formula.program;
    std::vector<double> inputs, scratch(program.scratch_size()), adjoints(program.scratch_size()),
        gradient(program.inputs.size());
    const int own = static_cast<int>(parameters.size());
    for (const Symbol& symbol : program.inputs)
      inputs.push_back(symbol.index < own ? parameters[symbol.index]
                                          : numbers.values(symbol.index - own));
    values(e) = evaluate_gradient<double>(program, 0, inputs, scratch, adjoints, gradient);
    for (std::size_t k = 0; slopes && k < gradient.size(); ++k) {
      const int index = program.inputs[k].index;
      slopes->row(e) +=
          gradient[k] * (index < own ? Eigen::RowVectorXd(moves.row(index))
                                     : Eigen::RowVectorXd(numbers.slopes.row(index - own)));
    }
  }
  return "";
}

void Functionals::set_scales(const VectorXd& theta, const VectorXd& size,
                             const SimulateOptions& options) {
  Numbers numbers{VectorXd::Zero(functionals_.size()),
                  MatrixXd::Zero(functionals_.size(), theta.size())};
  for (const Functional& f : functionals_) {
    if (!f.is_linear() || neutral_.count(f.changes)) continue;
    LinearNumbers linear;
    if (linearise_with(f, theta, false, linear).empty()) neutral_[f.changes] = linear.neutral;
  }
  if (!run(theta, size, options, false, numbers).empty()) return;
  scales_.assign(functionals_.size(), 0.0);
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    if (functionals_[k].kind == Kind::integral) scales_[k] = std::fabs(numbers.values(k));
}

}  // namespace cartan::results
