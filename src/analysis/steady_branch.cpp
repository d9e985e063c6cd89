#include "analysis/steady_branch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/null_space.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_members = 3;

// Whether the symmetries `some` are among `all`.
bool contains(const Symmetries& all, const Symmetries& some) {
  if (some.count() == 0) return true;
  if (all.count() < some.count()) return false;
  const MatrixXd Q = column_space(all.fields, 1e-10);
  return (some.fields - Q * (Q.transpose() * some.fields)).norm() < 1e-7 * some.fields.norm();
}

}  // namespace

std::vector<Held> SteadyBranch::held_at(const SteadyMember& made, double p) const {
  std::vector<Held> held;
  for (std::size_t j = 0; j < made.held.size(); ++j) {
    Held one;
    one.name = family_.held[j];
    one.function = made.held[j];
    one.target = targets_[j];
    held.push_back(std::move(one));
  }
  if (family_.expression) {
    Held one;
    one.name = family_.name;
    one.function = family_.expression;
    one.target = p;
    held.push_back(std::move(one));
  }
  held.insert(held.end(), chosen_.begin(), chosen_.end());
  return held;
}

SteadyBranch::Member* SteadyBranch::member(double p) {
  for (Member& known : members_) {
    if (known.p == p) return &known;
    if (!family_.expression) continue;
    known.p = p;
    known.held = held_at(known.made, p);
    return &known;
  }
  Member fresh;
  fresh.p = p;
  fresh.made = family_.make(p);
  trouble_ = fresh.made.problem;
  if (trouble_.empty()) trouble_ = refuse_steady(*fresh.made.system);
  if (!trouble_.empty()) return nullptr;
  const System& system = *fresh.made.system;
  fresh.workspace = system.make_workspace();
  if (targets_.size() == fresh.made.held.size()) fresh.held = held_at(fresh.made, p);
  if (symmetries_)
    fresh.problem = std::make_unique<SteadyProblem>(system, *symmetries_, *fresh.workspace);
  if (members_.size() >= most_members) members_.erase(members_.begin());
  members_.push_back(std::move(fresh));
  return &members_.back();
}

const System& SteadyBranch::system_at(double p) {
  return *member(p)->made.system;
}

// Those of a general value of the parameter; they must be symmetries at its ends too.
std::string SteadyBranch::check_symmetries(const State& state) {
  const auto find = [&](double p) -> std::optional<Symmetries> {
    Member* at = member(p);
    if (!at) return std::nullopt;
    return find_symmetries(*at->made.system, state, *at->workspace);
  };
  if (family_.expression) {
    symmetries_ = find(family_.from);
    return trouble_;
  }
  const std::optional<Symmetries> inside =
      find(family_.from + 0.381966 * (family_.to - family_.from));
  if (!inside) return trouble_;
  for (const double p : {family_.from, family_.to}) {
    const std::optional<Symmetries> end = find(p);
    if (!end) return trouble_;
    if (!contains(*end, *inside))
      return fmt::format(
          "the symmetries along which a steady state may move change with '{}'; "
          "that is not supported",
          family_.name);
  }
  symmetries_ = inside;
  return "";
}

std::string SteadyBranch::find_start(Member& at, const State& guess, ContinuationPoint& point) {
  EquilibriumOptions options;
  options.held = held_at(at.made, family_.from);
  const Equilibrium found = find_equilibrium(*at.problem, guess, options);
  if (!found.found)
    return fmt::format("there is no branch to follow at {} = {:g}: {}", family_.name, family_.from,
                       found.problem);
  contested_ = found.contested;
  chosen_.assign(found.holds.begin() + static_cast<std::ptrdiff_t>(options.held.size()),
                 found.holds.end());
  if (!contested_.empty())  // these directions are fixed where the steady state has them
    for (Held& one :
         hold_open_directions(*at.problem, found.state, found.c, found.holds, found.state))
      chosen_.push_back(std::move(one));
  at.held = held_at(at.made, family_.from);
  for (const Held& one : at.held)
    if (!one.function || one.function != family_.expression) held_names_.push_back(one.name);
  point.states = {found.state};
  point.numbers.resize(found.c.size() + 1);
  point.numbers << found.c, family_.from;
  return "";
}

std::string SteadyBranch::start(const State& guess, ContinuationPoint& point) {
  refused_ = true;
  if (!member(family_.from)) return trouble_;
  if (std::string reason = check_symmetries(guess); !reason.empty()) return reason;
  refused_ = false;
  members_.clear();
  Member& at = *member(family_.from);
  targets_.clear();
  for (const auto& function : at.made.held)
    targets_.push_back(function->value(guess, *at.workspace));
  for (std::size_t j = 0; j < targets_.size(); ++j)
    if (!std::isfinite(targets_[j]))
      return fmt::format("'{}' has no finite value at the start", family_.held[j]);
  if (std::string reason = find_start(at, guess, point); !reason.empty()) return reason;

  const System& system = *at.made.system;
  const State& state = point.states[0];
  tangent_ = at.problem->tangent();
  positions_ = system.kinematic_size() > 0
                   ? tangent_ - (at.problem->size() - system.kinematic_size())
                   : tangent_;
  refused_ = !family_.expression && !depends_on_parameter(at, state);
  if (refused_)
    return fmt::format(
        "the equations do not depend on '{}': it enters the initial state only, if anything. "
        "Follow an expression that it sets, such as \"R*axle.v\"",
        family_.name);
  choose_scales(point);
  return "";
}

// Numbers of the state count relative to their size, or to their change along the whole interval as
// it is foreseen at its beginning; angles and lengths of mechanisms as they are.
void SteadyBranch::choose_scales(const ContinuationPoint& point) {
  const Member& at = *member(family_.from);
  const int first = at.made.system->kinematic_size();
  first_scaled_ = first;
  double size = 1;
  for (int i = first; i < at.problem->size(); ++i)
    size = std::max(size, std::fabs(point.states[0].x[i]));
  scale_ = size;
  const Equations e = linearise(point);
  if (!e.problem.empty() || !e.matrix.allFinite()) return;
  const Eigen::Index n = e.matrix.cols() - 1;
  const VectorXd slope =
      e.matrix.leftCols(n).completeOrthogonalDecomposition().solve(-e.matrix.col(n));
  const Eigen::Index begin = first > 0 ? positions_ : 0;
  const double change =
      slope.tail(n - begin).lpNorm<Eigen::Infinity>() * std::fabs(family_.to - family_.from);
  if (std::isfinite(change)) scale_ = std::clamp(change, size, 100 * size);
}

// At the state itself a parameter may have no effect (p x at x = 0): states near it are looked at.
bool SteadyBranch::depends_on_parameter(Member& at, const State& state) const {
  for (int k = 0; k < 4; ++k) {
    VectorXd d(tangent_);
    for (int i = 0; i < tangent_; ++i) d[i] = 0.1 * std::sin(k * (1.0 + i));
    if (parameter_column(at, at.problem->moved(state, d)).norm() > 0) return true;
  }
  return false;
}

VectorXd SteadyBranch::parameter_column(Member& at, const State& state) const {
  const System& system = *at.made.system;
  const int n = at.problem->size(), rows = system.constraint_count();
  VectorXd column = VectorXd::Zero(n + rows + static_cast<Eigen::Index>(at.held.size()));
  if (family_.expression) {
    column[n + rows + static_cast<Eigen::Index>(at.made.held.size())] = -1;
    return column;
  }
  const int which[] = {family_.parameter};
  MatrixXd by_p(system.space().size(), 1), C_p(system.constraint_count(), 1);
  system.parameter_jacobian(state, which, by_p, *at.workspace);
  system.constraint_parameter_jacobian(state, which, C_p, *at.workspace);
  column.head(n) = by_p.col(0).head(n);
  column.segment(n, rows) = C_p.col(0).head(rows);  // the same functions in the same order
  FunctionSlope slope;
  for (std::size_t j = 0; j < at.made.held.size(); ++j) {
    at.made.held[j]->slope(state, which, slope, *at.workspace);
    column[n + rows + static_cast<Eigen::Index>(j)] = slope.by_parameters[0];
  }
  return column;
}

VectorXd SteadyBranch::make_weights(const State& state) const {
  const Eigen::Index c = symmetries_->count();
  const int first = positions_ < tangent_ ? positions_ : 0;
  double scale = scale_;
  for (int i = first_scaled_; i < first_scaled_ + tangent_ - first; ++i)
    scale = std::max(scale, std::fabs(state.x[i]));
  VectorXd weights = VectorXd::Ones(tangent_ + c + 1);
  weights.segment(first, tangent_ - first + c).setConstant(1 / scale);
  weights[tangent_ + c] = 1 / std::max(std::fabs(family_.to - family_.from), 1e-300);
  return weights;
}

ContinuationProblem::Equations SteadyBranch::linearise(const ContinuationPoint& point) {
  Equations e;
  Member* at = member(point.parameter());
  if (!at) {
    e.problem = trouble_;
    return e;
  }
  const State& state = point.states[0];
  const Eigen::Index k = symmetries_->count();
  const VectorXd c = point.numbers.head(k);
  const VectorXd r = at->problem->residual(state, c, at->held);
  const MatrixXd K = at->problem->matrix(state, c, at->held);
  e.residual = VectorXd::Zero(r.size() + k);
  e.residual.head(r.size()) = r;
  e.matrix = MatrixXd::Zero(r.size() + k, K.cols() + 1);
  e.matrix.topLeftCorner(K.rows(), K.cols()) = K;
  e.matrix.col(K.cols()).head(K.rows()) = parameter_column(*at, state);
  if (k > 0) {
    const MatrixXd N =
        null_space(at->problem->to_tangent(state, at->problem->generators(state)), 1e-8, 1.0);
    e.matrix.block(K.rows(), tangent_, k, k) = N * N.transpose();
  }
  e.weights = make_weights(state);
  e.size = std::max(1.0, at->problem->rate(state).cwiseAbs().maxCoeff());
  return e;
}

std::string SteadyBranch::move(const VectorXd& step, ContinuationPoint& point) {
  Member* at = member(point.parameter());
  if (!at) return trouble_;
  point.states[0] = at->problem->moved(point.states[0], step.head(tangent_));
  point.numbers += step.tail(point.numbers.size());
  return "";
}

Linearisation SteadyBranch::linearise_at(const ContinuationPoint& point) {
  return analysis::linearise(*member(point.parameter())->problem, point.states[0]);
}

SteadyPoint SteadyBranch::expand_at(const BranchSample& sample) {
  Member& at = *member(sample.point.parameter());
  const State& state = sample.point.states[0];
  return {*at.problem,
          state,
          sample.point.numbers.head(symmetries_->count()),
          at.held,
          sample.tangent,
          parameter_column(at, state),
          !family_.expression};
}

Spectrum SteadyBranch::calc_spectrum(const ContinuationPoint& point) {
  Spectrum spectrum;
  const Linearisation linear = linearise_at(point);
  spectrum.problem = linear.problem;
  if (!spectrum.problem.empty()) return spectrum;
  neutral_ = neutral_ < 0 ? linear.neutral : std::min(neutral_, linear.neutral);
  spectrum.neutral = neutral_;
  int zeros = 0;  // at a bifurcation an eigenvalue that is zero counts as neutral: it stays here
  for (const auto& value : linear.eigenvalues)
    if (value != std::complex<double>(0, 0) || ++zeros > spectrum.neutral)
      spectrum.values.push_back(value);
  return spectrum;
}

}  // namespace cartan::analysis
