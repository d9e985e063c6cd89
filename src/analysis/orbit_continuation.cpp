#include "analysis/orbit_continuation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/QR>

#include "analysis/orbit_grazing.h"
#include "analysis/tangents.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_orbits = 3;
constexpr double family_distance = 1e-4;

ShootingPoint shooting_point(const ContinuationPoint& point) {
  return {point.states, OrbitContinuation::period_of(point)};
}

bool same_orbit(const ContinuationPoint& a, const ContinuationPoint& b) {
  if (a.numbers != b.numbers || a.states.size() != b.states.size()) return false;
  for (std::size_t i = 0; i < a.states.size(); ++i)
    if (a.states[i].x != b.states[i].x) return false;
  return true;
}

double size_of(const State& state) {
  double largest = 1;
  for (double x : state.x) largest = std::max(largest, std::fabs(x));
  return largest;
}

}  // namespace

OrbitContinuation::Member& OrbitContinuation::member(double p) {
  for (Member& known : members_) {
    if (known.p == p) return known;
    if (!setting_.by_value) continue;
    known.p = known.problem.holds.back().second = p;
    return known;
  }
  if (members_.size() >= most_orbits) members_.erase(members_.begin());
  Member fresh;
  fresh.p = p;
  fresh.made = setting_.family.make(p);
  if (fresh.made.system) {
    fresh.workspace = fresh.made.system->make_workspace();
    fresh.problem = setting_.family.options.problem;
    fresh.problem.section = fresh.made.section.get();
    fresh.problem.parameters = which();
    fresh.problem.references = &references_;
    fresh.problem.swap_times = setting_.times;
    fresh.problem.holds.clear();
    for (std::size_t k = 0; k < fresh.made.holds.size(); ++k)
      fresh.problem.holds.push_back({fresh.made.holds[k].get(), setting_.hold_values[k]});
    if (setting_.by_value) fresh.problem.holds.back().second = p;
  }
  members_.push_back(std::move(fresh));
  return members_.back();
}

std::vector<int> OrbitContinuation::which() const {
  return setting_.by_value ? std::vector<int>{} : std::vector<int>{setting_.family.parameter};
}

// Of driven systems; zero where nothing is known of it.
double OrbitContinuation::drive_period(double p, double& slope) const {
  slope = 0;
  if (!driven() || !setting_.period) return 0;
  const double period = setting_.times * setting_.period(p, slope);
  slope *= setting_.times;
  return period;
}

const System& OrbitContinuation::system_at(double p) {
  return *member(p).made.system;
}

const ShootingEquations& OrbitContinuation::equations_at(const ContinuationPoint& point) {
  if (cached_point_.numbers.size() > 0 && same_orbit(point, cached_point_)) return cached_;
  cached_point_ = point;
  cached_ = {};
  Member& at = member(point.parameter());
  if (!at.made.system) {
    cached_.problem = fmt::format("there is no such system at {:g}", point.parameter());
    return cached_;
  }
  const System& system = *at.made.system;
  const double period = period_of(point);
  if (!(period > 0)) {
    cached_.problem = "the period is not positive any more";
    return cached_;
  }
  const int d = static_cast<int>(allowed_directions(system, point.states[0], *at.workspace).cols());
  Flow flow(system, d + static_cast<int>(which().size()), which(), setting_.family.options.flow);
  cached_ = linearise_shooting(flow, at.problem, shooting_point(point));
  if (!cached_.problem.empty())
    cached_.problem = fmt::format("the orbit is lost: {}", cached_.problem);
  return cached_;
}

std::string OrbitContinuation::start(const State& guess, double period, int nodes,
                                     ContinuationPoint& point) {
  Member& at = member(setting_.from);
  if (!at.made.system) return "there is no system at the start";
  OrbitOptions options = setting_.family.options;
  options.problem = at.problem;
  options.period = period;
  options.shooting = nodes;
  const Orbit orbit = find_orbit(*at.made.system, guess, options);
  if (!orbit.found()) return orbit.problem;
  double slope = 0;
  drive_period(setting_.from, slope);
  if (slope != 0 && nodes > 1)
    return "where the period of the drive follows the parameter, a single node along the orbit is "
           "possible only";
  point.states = orbit.point.nodes;
  point.numbers.resize(2);
  point.numbers << orbit.point.period, setting_.from;
  return "";
}

// Besides the flow: a section or a quantity that is held may contain the parameter, and the period
// of a drive may follow it.
void OrbitContinuation::add_parameter_column(const ContinuationPoint& point,
                                             const ShootingEquations& s,
                                             Eigen::Ref<VectorXd> column) {
  Member& at = member(point.parameter());
  const System& system = *at.made.system;
  const State& x = point.states[0];
  const std::vector<int> parameters = which();
  if (!parameters.empty()) column += s.by_parameters.col(0);
  double period_slope = 0;
  drive_period(point.parameter(), period_slope);
  column += period_slope * s.by_period;
  const MatrixXd E = tangent_map(system, x.x);
  const MatrixXd motion = least_parameter_motion(system, x, parameters, *at.workspace);
  const auto add_slope = [&](const StateFunction& h, Eigen::Index row, double target_slope) {
    FunctionSlope by;
    h.slope(x, parameters, by, *at.workspace);
    const Eigen::RowVectorXd gradient =
        Eigen::Map<const Eigen::RowVectorXd>(by.by_x.data(), embedded_numbers(system)) * E;
    double slope = -target_slope;
    if (!parameters.empty()) slope += by.by_parameters[0] + (gradient * motion)(0, 0);
    const double length = (gradient * s.directions[0]).norm();
    column[row] += slope / (length > 0 ? length : 1);
  };
  const std::size_t holds = at.problem.holds.size();
  Eigen::Index row = column.size() - static_cast<Eigen::Index>(holds);
  if (!driven() && at.problem.section) add_slope(*at.problem.section, row - 1, 0);
  for (std::size_t k = 0; k < holds; ++k)
    add_slope(*at.problem.holds[k].first, row++, setting_.by_value && k + 1 == holds ? 1 : 0);
}

ContinuationProblem::Equations OrbitContinuation::linearise(const ContinuationPoint& point) {
  Equations e;
  const ShootingEquations& s = equations_at(point);
  e.problem = s.problem;
  if (!e.problem.empty()) return e;
  const Eigen::Index n = s.matrix.cols();
  e.residual = s.residual;
  e.matrix = MatrixXd::Zero(s.matrix.rows(), n + 1);
  e.matrix.leftCols(n) = s.matrix;
  add_parameter_column(point, s, e.matrix.col(n));
  e.size = size_of(point.states[0]);
  e.weights = VectorXd::Constant(n + 1, 1 / e.size / std::sqrt(double(point.states.size())));
  if (!driven()) e.weights[n - 1] = 1 / std::max(1.0, period_of(point));
  e.weights[n] = 1 / std::max(std::fabs(setting_.to - setting_.from), 1e-300);
  return e;
}

std::string OrbitContinuation::move(const VectorXd& step, ContinuationPoint& point) {
  Member& at = member(point.parameter());
  if (!at.made.system) return "there is no system here";
  const System& system = *at.made.system;
  const std::vector<int> parameters = which();
  const double dp = step[step.size() - 1], p = point.parameter() + dp;
  const int count = static_cast<int>(point.states.size());
  std::vector<VectorXd> moves;
  Eigen::Index first = 0;
  const std::vector<MatrixXd> directions =
      node_directions(system, at.problem, point.states, *at.workspace);
  for (int i = 0; i < count; ++i) {
    const State& node = point.states[i];
    const MatrixXd& B = directions[i];
    if (first + B.cols() > step.size()) return "the constraints change their number";
    moves.push_back(B * step.segment(first, B.cols()));
    if (!parameters.empty())
      moves.back() += dp * least_parameter_motion(system, node, parameters, *at.workspace).col(0);
    first += B.cols();
  }
  if (!driven()) {
    const double change = step[step.size() - 2];
    if (std::fabs(change) > 0.5 * period_of(point))
      return "the period changes too much in one step";
    point.numbers[0] += change;
  }
  double slope = 0;
  if (driven() && setting_.period) point.numbers[0] = drive_period(p, slope);
  point.numbers[1] = p;
  for (int i = 0; i < count; ++i) {
    State& node = point.states[i];
    displace(system, moves[i], node);
    node.t = point.states[0].t + period_of(point) * i / count;
  }
  if (!system.constrained()) return "";
  Member& next = member(p);
  if (!next.made.system) return fmt::format("there is no such system at {:g}", p);
  for (State& node : point.states) {
    const Projection done = next.made.system->project(node, *next.workspace);
    if (!done.problem.empty()) return done.problem;
  }
  return "";
}

Spectrum OrbitContinuation::calc_spectrum(const ContinuationPoint& point) {
  Spectrum spectrum;
  const ShootingEquations& s = equations_at(point);
  spectrum.problem = s.problem;
  spectrum.multipliers = true;
  if (!s.problem.empty()) return spectrum;
  spectrum.values = product_eigenvalues(s.factors);
  auto& m = spectrum.values;
  // Further ones that stay at one belong to families (symmetries).
  const int least =
      (driven() ? 0 : 1) + static_cast<int>(member(point.parameter()).problem.holds.size());
  const int ones = static_cast<int>(std::count_if(
      m.begin(), m.end(), [](const Complex& z) { return std::abs(z - 1.0) < family_distance; }));
  neutral_ = std::max(least, neutral_ < 0 ? ones : std::min(neutral_, ones));
  spectrum.neutral = neutral_;
  for (int k = 0; k < spectrum.neutral && !m.empty(); ++k)
    m.erase(std::min_element(m.begin(), m.end(), [](const Complex& a, const Complex& b) {
      return std::abs(a - 1.0) < std::abs(b - 1.0);
    }));
  return spectrum;
}

// Small orbits have small rates; where an orbit shrinks to nothing the next step is on its other
// side, half a period away.
std::string OrbitContinuation::look_for_end(const ContinuationPoint& before,
                                            const ContinuationPoint& after) {
  if (doubled_ && after.states.size() > 1) {
    const System& system = system_at(after.parameter());
    const auto apart = [&](const ContinuationPoint& point) {
      return difference(system, point.states[point.states.size() / 2].x, point.states[0].x);
    };
    if (apart(before).dot(apart(after)) < 0)
      return fmt::format(
          "both times around have become equal: the orbits of half the period double theirs at "
          "about {:.6g}",
          after.parameter());
  }
  if (driven()) return "";
  Member& at = member(after.parameter());
  const VectorXd f = tangent_rate(*at.made.system, after.states[0], *at.workspace);
  Member& last = member(before.parameter());
  const VectorXd g = tangent_rate(*last.made.system, before.states[0], *last.workspace);
  const bool gone = f.norm() * period_of(after) < 1e-6 * size_of(after.states[0]);
  if (!gone && !(f.dot(g) < -0.5 * f.norm() * g.norm())) return "";
  return fmt::format("the orbits shrink to an equilibrium: a Hopf point at about {:.6g}",
                     after.parameter());
}

// An event function that the orbit almost touches reaches zero where the line through its values at
// both points does: beyond it the orbit has another event.
std::string OrbitContinuation::explain_end(const ContinuationPoint& before,
                                           const ContinuationPoint& last) {
  constexpr double almost = 1e-5;  // of the function's size
  const auto touch_of = [&](const ContinuationPoint& point) {
    return find_near_touch(system_at(point.parameter()), point.states[0], period_of(point));
  };
  const NearTouch here = touch_of(last);
  if (here.event < 0 || !(std::fabs(here.value) < almost * here.size)) return "";
  const NearTouch there = touch_of(before);
  double p = last.parameter();
  if (there.event == here.event && there.value != here.value)
    p += (p - before.parameter()) * here.value / (there.value - here.value);
  return fmt::format(
      "the orbit grazes '{}' at {:.12g} (a grazing bifurcation); orbits beyond it have other "
      "events "
      "and are another branch",
      system_at(last.parameter()).events()[here.event].name, p);
}

Branch OrbitContinuation::follow_hopf(const Bifurcation& hopf, const Linearisation& at,
                                      const ContinuationOptions& options) {
  Branch none;
  const double omega = hopf.critical.imag();
  const int mode = find_critical_mode(at, hopf.critical);
  if (mode < 0) {
    none.problem = "the critical pair is not found again";
    return none;
  }
  BranchSample first;
  first.point.states = {hopf.at.point.states[0]};
  first.point.numbers.resize(2);
  first.point.numbers << 2 * std::numbers::pi / omega, hopf.at.point.parameter();
  Member& here = member(first.point.parameter());
  const MatrixXd B =
      node_directions(*here.made.system, here.problem, first.point.states, *here.workspace)[0];
  VectorXd direction = VectorXd::Zero(B.cols() + 2);
  direction.head(B.cols()) = B.transpose() * at.modes.col(mode).real().head(B.rows());
  first.weights = VectorXd::Constant(B.cols() + 2, 1 / size_of(first.point.states[0]));
  first.weights[B.cols()] = 1 / std::max(1.0, first.point.numbers[0]);
  first.weights[B.cols() + 1] = 1 / std::max(std::fabs(setting_.to - setting_.from), 1e-300);
  direction /= direction.cwiseProduct(first.weights).norm();
  first.spectrum.multipliers = true;
  neutral_ = 1;  // the critical multiplier of small orbits is next to one
  Branch branch = follow_direction(*this, first, direction, options);
  if (branch.samples.size() < 2) {
    none.problem = branch.end;
    return none;
  }
  branch.slope =
      hopf_slope(system_at(setting_.from), at.state, at.modes.col(mode).real(), branch.samples);
  branch.samples.erase(branch.samples.begin());
  return branch;
}

Branch OrbitContinuation::follow_doubling(const Bifurcation& doubling,
                                          const ContinuationOptions& options) {
  Branch none;
  const ContinuationPoint& once = doubling.at.point;
  BranchSample first;
  first.point = once;
  first.point.numbers[0] *= 2;
  double slope = 0;
  drive_period(once.parameter(), slope);
  if (slope == 0)  // else the times of further nodes would depend on the parameter
    for (State node : once.states) {
      node.t += period_of(once);
      first.point.states.push_back(std::move(node));
    }
  const Equations e = linearise(first.point);
  none.problem = e.problem;
  if (!none.problem.empty()) return none;
  // A annihilates the tangent of the branch that is twice around, and the new direction, in which
  // the parameter does not change
  const MatrixXd A = e.matrix * e.weights.cwiseInverse().asDiagonal();
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  const MatrixXd two = svd.matrixV().rightCols(2);
  const Eigen::RowVector2d dp = two.bottomRows(1);
  if (!(dp.norm() > 1e-6)) {
    none.problem = "the branch turns round there; the doubled orbits cannot be told from it";
    return none;
  }
  first.weights = e.weights;
  first.spectrum.multipliers = true;
  neutral_ = doubling.at.spectrum.neutral;  // the critical multiplier is next to one
  doubled_ = true;
  const VectorXd direction = (two * Eigen::Vector2d(dp[1], -dp[0])).normalized();
  Branch branch = follow_direction(*this, first, direction.cwiseQuotient(e.weights), options);
  if (branch.samples.size() < 2) {
    none.problem = branch.end;
    return none;
  }
  branch.samples.erase(branch.samples.begin());
  return branch;
}

int find_critical_mode(const Linearisation& at, Complex critical) {
  int mode = -1;
  for (std::size_t k = 0; k < at.eigenvalues.size(); ++k)
    if (at.eigenvalues[k].imag() > 0 && (mode < 0 || std::abs(at.eigenvalues[k] - critical) <
                                                         std::abs(at.eigenvalues[mode] - critical)))
      mode = static_cast<int>(k);
  return critical.imag() > 0 ? mode : -1;
}

// p = p0 + s e^2 + O(e^4): two samples give s up to O(e^4).
double hopf_slope(const System& system, const State& steady, const Eigen::VectorXcd& shape,
                  const std::vector<BranchSample>& samples) {
  MatrixXd plane(tangent_numbers(system), 2);
  plane << shape.real().head(plane.rows()), shape.imag().head(plane.rows());
  const Eigen::ColPivHouseholderQR<MatrixXd> solver(plane);
  const auto squared = [&](const BranchSample& s) {
    return solver.solve(difference(system, s.point.states[0].x, steady.x)).squaredNorm();
  };
  const double p0 = samples[0].point.parameter(), e1 = squared(samples[1]);
  const double s1 = (samples[1].point.parameter() - p0) / e1;
  if (samples.size() < 3) return s1;
  const double e2 = squared(samples[2]), s2 = (samples[2].point.parameter() - p0) / e2;
  return e2 > e1 ? s1 - (s2 - s1) * e1 / (e2 - e1) : s1;
}

}  // namespace cartan::analysis
