#include "analysis/relative_orbits.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "analysis/null_space.h"
#include "analysis/orbit_continuation.h"
#include "analysis/tangents.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_relative_orbits = 3;
constexpr double orbit_rank_tolerance = 1e-9;

double largest_number(const State& state) {
  double largest = 1;
  for (double x : state.x) largest = std::max(largest, std::fabs(x));
  return largest;
}

bool same_relative_orbit(const ContinuationPoint& a, const ContinuationPoint& b) {
  return a.numbers.size() == b.numbers.size() && a.numbers == b.numbers &&
         a.states[0].x == b.states[0].x;
}

}  // namespace

// Directions at the point, and the flow once around where it was asked for.
struct RelativeOrbits::Here {
  ContinuationPoint point;
  std::string problem;
  SteadyMember made;
  std::unique_ptr<CoMovingSystem> system;
  std::unique_ptr<Workspace> workspace;
  State x;
  std::vector<int> which;  // parameters: that of the model, the speeds of the frame
  MatrixXd B;              // all directions, averages too
  MatrixXd closing;        // B without averages
  MatrixXd across;         // those across the symmetries
  MatrixXd motion;         // of x with the parameters
  VectorXd rate;
  Transition transition;
  bool flown = false;

  double period() const { return point.numbers[0]; }
};

RelativeOrbits::RelativeOrbits(RelativeOrbitSetting setting) : setting_(std::move(setting)) {}

SteadyMember& RelativeOrbits::member(double p) {
  for (auto& [value, made] : members_)
    if (value == p || setting_.family.expression) return made;
  if (members_.size() >= most_relative_orbits) members_.erase(members_.begin());
  members_.emplace_back(p, setting_.family.make(p));
  return members_.back().second;
}

std::vector<const StateFunction*> RelativeOrbits::averages(const SteadyMember& made) const {
  std::vector<const StateFunction*> list;
  for (const auto& held : made.held) list.push_back(held.get());
  if (setting_.family.expression) list.push_back(setting_.family.expression.get());
  return list;
}

const RelativeOrbits::Here& RelativeOrbits::at(const ContinuationPoint& point) {
  if (here_ && same_relative_orbit(here_->point, point)) return *here_;
  here_ = std::make_shared<Here>();
  Here& h = *here_;
  h.point = point;
  h.made = member(point.parameter());
  h.problem = h.made.problem;
  if (!h.problem.empty()) return h;
  const int k = setting_.symmetries.count();
  h.system = std::make_unique<CoMovingSystem>(*h.made.system, setting_.symmetries,
                                              point.numbers.segment(1, k), averages(h.made));
  const CoMovingSystem& system = *h.system;
  h.workspace = system.make_workspace();
  h.x = system.inside(point.states[0]);
  if (!setting_.family.expression) h.which.push_back(setting_.family.parameter);
  for (int j = 0; j < k; ++j) h.which.push_back(system.first_speed() + j);
  h.B = allowed_directions(system, h.x, *h.workspace);
  h.closing =
      system.averages() > 0
          ? MatrixXd(h.B * null_space(h.B.bottomRows(system.averages()), orbit_rank_tolerance))
          : h.B;
  h.closing = align_basis(h.closing, closing_reference_);
  const MatrixXd Y = h.closing.transpose() * system.symmetry_directions(h.x);
  h.across = align_basis(h.closing * complement(column_space(Y, orbit_rank_tolerance, 1.0)),
                         across_reference_);
  h.motion = least_parameter_motion(system, h.x, h.which, *h.workspace);
  h.rate = tangent_rate(system, h.x, *h.workspace);
  h.rate.tail(system.averages()).setZero();
  return h;
}

ContinuationProblem::Equations RelativeOrbits::linearise(const ContinuationPoint& point) {
  Equations e;
  at(point);
  Here& h = *here_;
  const int k = setting_.symmetries.count();
  const Eigen::Index across = h.across.cols(), closing = h.closing.cols();
  if (h.problem.empty() && !(h.period() > 0)) h.problem = "the period is not positive any more";
  if (h.problem.empty() && closing - across != k)
    h.problem = "symmetries that were independent are not any more";
  if (h.problem.empty() && !h.flown) {
    Flow flow(*h.system, static_cast<int>(h.B.cols() + h.motion.cols()), h.which, setting_.flow);
    h.transition = calc_transition(flow, h.x, h.x.t + h.period(), h.B, h.motion);
    h.problem = h.transition.problem;
    h.flown = true;
  }
  e.problem = h.problem;
  if (!e.problem.empty()) return e;

  const CoMovingSystem& system = *h.system;
  const Transition& once = h.transition;
  const double T = h.period();
  const int means = system.averages(), first_mean = tangent_numbers(system) - means;
  const bool model_parameter = !setting_.family.expression;
  // unknowns: y, T, c, p
  const Eigen::Index unknowns = across + 1 + k + 1, p = unknowns - 1;
  const VectorXd gap = [&] {
    VectorXd d = difference(system, once.end.x, h.x.x);
    d.tail(means).setZero();
    return d;
  }();
  MatrixXd end = MatrixXd::Zero(gap.size(), unknowns), begin = end;  // how the ends move
  end.leftCols(across) = once.end_directions * (once.product() * (h.B.transpose() * h.across));
  end.col(across) = once.end_rate;
  begin.leftCols(across) = h.across;
  const auto put = [&](MatrixXd& target, const MatrixXd& by_parameters) {
    if (model_parameter) target.col(p) = by_parameters.col(0);
    target.middleCols(across + 1, k) = by_parameters.rightCols(k);
  };
  put(end, once.by_parameters);
  put(begin, h.motion);

  e.residual = VectorXd::Zero(closing + 1 + means);
  e.matrix = MatrixXd::Zero(closing + 1 + means, unknowns);
  e.residual.head(closing) = h.closing.transpose() * gap;
  e.matrix.topRows(closing) = h.closing.transpose() * (difference_rate(system, gap, end) -
                                                       difference_rate(system, -gap, begin));
  e.matrix.row(closing + means).head(across) =
      h.rate.transpose() * h.across / std::max(h.rate.norm(), 1e-300);
  for (int j = 0; j < means; ++j) {
    const double mean = once.end.x[embedded_numbers(system) - means + j] / T;
    const bool label = !model_parameter && j == means - 1;
    e.residual[closing + j] =
        mean - (label ? point.parameter() : setting_.targets[static_cast<std::size_t>(j)]);
    e.matrix.row(closing + j) = end.row(first_mean + j) / T;
    e.matrix(closing + j, across) -= mean / T;
    if (label) e.matrix(closing + j, p) -= 1;
  }
  e.size = largest_number(point.states[0]);
  e.weights = VectorXd::Constant(unknowns, 1 / e.size);
  e.weights[across] = 1 / std::max(1.0, T);
  e.weights[p] = 1 / std::max(std::fabs(setting_.family.to - setting_.family.from), 1e-300);
  return e;
}

std::string RelativeOrbits::move(const VectorXd& step, ContinuationPoint& point) {
  const Here& h = at(point);
  if (!h.problem.empty()) return h.problem;
  const Eigen::Index across = h.across.cols();
  if (across + point.numbers.size() != step.size()) return "the constraints change their number";
  if (std::fabs(step[across]) > 0.5 * h.period()) return "the period changes too much in one step";
  VectorXd d = h.across * step.head(across);
  const double dp = step[step.size() - 1];
  if (!setting_.family.expression) d += dp * h.motion.col(0);
  State own = h.x;
  displace(*h.system, d, own);
  const State moved = h.system->outside(own, point.states[0]);
  point.numbers += step.tail(point.numbers.size());
  point.states[0] = moved;
  SteadyMember& next = member(point.parameter());
  if (!next.problem.empty()) return next.problem;
  if (!next.system->constrained()) return "";
  return next.system->project(point.states[0], *next.system->make_workspace()).problem;
}

Spectrum RelativeOrbits::calc_spectrum(const ContinuationPoint& point) {
  Spectrum spectrum;
  spectrum.multipliers = true;
  spectrum.neutral = setting_.symmetries.count() + 1 + setting_.families;
  spectrum.problem = linearise(point).problem;
  if (!spectrum.problem.empty()) return spectrum;
  const Here& h = *here_;
  const CoMovingSystem& system = *h.system;
  // coordinates, in a basis of all directions, of those across symmetries, orbit and averages
  const auto rest = [&](const State& state, const MatrixXd& basis) -> MatrixXd {
    const int k = setting_.symmetries.count(), means = system.averages();
    MatrixXd taken = MatrixXd::Zero(basis.rows(), k + 1 + means);
    taken.leftCols(k) = system.symmetry_directions(state);
    taken.col(k) = tangent_rate(system, state, *h.workspace);
    taken.col(k).tail(means).setZero();
    taken.bottomRightCorner(means, means).setIdentity();
    for (Eigen::Index j = 0; j < taken.cols(); ++j)
      if (taken.col(j).norm() > 0) taken.col(j).normalize();
    return complement(column_space(basis.transpose() * taken, orbit_rank_tolerance, 1.0));
  };
  std::vector<MatrixXd> factors;
  const MatrixXd first = rest(h.x, h.B);
  MatrixXd V = first;
  for (std::size_t j = 0; j < h.transition.factors.size(); ++j) {
    const bool last = j + 1 == h.transition.factors.size();
    const MatrixXd& basis = h.transition.bases[j];
    const MatrixXd next =
        last ? MatrixXd(basis.transpose() * h.B * first) : rest(h.transition.states[j], basis);
    if (next.cols() != V.cols()) {
      spectrum.problem = "symmetries that were independent are not any more";
      return spectrum;
    }
    factors.push_back(next.transpose() * h.transition.factors[j] * V);
    V = next;
  }
  auto& m = spectrum.values;
  if (V.cols() > 0) m = product_eigenvalues(factors);
  for (int k = 0; k < setting_.families && !m.empty(); ++k)
    m.erase(std::min_element(m.begin(), m.end(), [](const Complex& a, const Complex& b) {
      return std::abs(a - 1.0) < std::abs(b - 1.0);
    }));
  return spectrum;
}

std::string RelativeOrbits::look_for_end(const ContinuationPoint& before,
                                         const ContinuationPoint& after) {
  const VectorXd g = at(before).rate, f = at(after).rate;
  const bool gone = f.norm() * after.numbers[0] < 1e-6 * largest_number(after.states[0]);
  if (!gone && !(f.dot(g) < -0.5 * f.norm() * g.norm())) return "";
  return fmt::format("the orbits shrink to a steady motion: a Hopf point at about {:.6g}",
                     after.parameter());
}

std::string RelativeOrbits::choose(const SteadyBranch& steady, const State& state, int neutral,
                                   RelativeOrbitSetting& setting) {
  setting.family = steady.family();
  const SteadyMember made = setting.family.make(setting.family.from);
  const System& system = *made.system;
  setting.symmetries = steady.symmetries();
  const auto workspace = system.make_workspace();
  const SteadyProblem problem(system, setting.symmetries, *workspace);
  for (int i = 0; i < system.constraint_count(); ++i)
    if (system.geometry()->constraint_moves(i))
      return "motions with drives that are periodic up to a symmetry are not followed; those with "
             "the period of a drive can be found: look for a driven orbit";
  const MatrixXd Y = problem.generators(state);
  if (column_space(problem.to_tangent(state, Y), 1e-8, 1.0).cols() < Y.cols())
    return "the steady motion is left alone by some of its symmetries, so that several orbits are "
           "born at once; they are not followed";
  setting.families = neutral - static_cast<int>(Y.cols());

  // what symmetries change has no average
  const auto invariant = [&](const StateFunction& h) {
    VectorXd gradient(system.space().size());
    h.gradient(state, {gradient.data(), static_cast<std::size_t>(gradient.size())}, *workspace);
    const Eigen::RowVectorXd along = gradient.head(Y.rows()).transpose() * Y;
    return along.norm() <= 1e-9 * (1 + gradient.norm());
  };
  int wanted = setting.families;
  if (setting.family.expression) {
    if (!invariant(*setting.family.expression))
      return fmt::format("'{}' changes along a symmetry, so that it has no average to follow",
                         setting.family.name);
    --wanted;
  }
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < made.held.size() && static_cast<int>(kept.size()) < wanted; ++j)
    if (invariant(*made.held[j])) kept.push_back(j);
  if (const int open = wanted - static_cast<int>(kept.size()); open > 0)
    return fmt::format(
        "the orbits that are born there come in a family of {} more dimension{}; hold quantities "
        "that its members differ in, such as a speed or the energy",
        open, open == 1 ? "" : "s");
  setting.targets.clear();
  for (const std::size_t j : kept) setting.targets.push_back(steady.targets()[j]);
  setting.family.make = [all = setting.family.make, kept](double p) {
    SteadyMember member = all(p);
    std::vector<std::shared_ptr<const StateFunction>> held;
    for (const std::size_t j : kept)
      if (j < member.held.size()) held.push_back(member.held[j]);
    member.held = std::move(held);
    return member;
  };
  return "";
}

Branch RelativeOrbits::follow_hopf(const Bifurcation& hopf, const Linearisation& linear,
                                   const ContinuationOptions& options) {
  Branch none;
  const int mode = find_critical_mode(linear, hopf.critical);
  if (mode < 0) {
    none.problem = "the critical pair is not found again";
    return none;
  }
  BranchSample first;
  first.point.states = {linear.state};
  first.point.numbers.resize(linear.c.size() + 2);
  first.point.numbers << 2 * std::numbers::pi / hopf.critical.imag(), linear.c,
      hopf.at.point.parameter();
  at(first.point);
  const std::shared_ptr<const Here> kept = here_;  // the walk goes on to other points
  const Here& h = *kept;
  none.problem = h.problem;
  if (!none.problem.empty()) return none;
  const Eigen::Index across = h.across.cols();
  const VectorXd shape = linear.modes.col(mode).real();
  VectorXd direction = VectorXd::Zero(across + first.point.numbers.size());
  const MatrixXd across_symmetries = h.across.topRows(shape.size());
  direction.head(across) = across_symmetries.transpose() * shape;
  const Eigen::VectorXcd displaced =
      across_symmetries * (across_symmetries.transpose() * linear.modes.col(mode));
  first.weights = VectorXd::Constant(direction.size(), 1 / largest_number(linear.state));
  direction /= direction.cwiseProduct(first.weights).norm();
  first.spectrum.multipliers = true;
  Branch branch = follow_direction(*this, first, direction, options);
  if (branch.samples.size() < 2) {
    none.problem = branch.end;
    return none;
  }
  branch.slope = hopf_slope(*h.made.system, linear.state, displaced, branch.samples);
  branch.samples.erase(branch.samples.begin());
  return branch;
}

}  // namespace cartan::analysis
