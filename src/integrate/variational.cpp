#include "integrate/variational.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/dense.h"
#include "integrate/explicit_step.h"
#include "integrate/gauss_legendre.h"
#include "integrate/iteration_watch.h"
#include "system/discrete_mechanics.h"

namespace cartan::integrate {
namespace {

using Verdict = IterationWatch::Verdict;
using Numbers = std::vector<double>;

// A projection that changes a number by more than this was no matter of rounding.
constexpr double largest_projection = 1e-9;

// to + low_to = from + low + change, exactly (Moller, Knuth).
void add_exactly(double from, double low, double change, double& to, double& low_to) {
  const double sum = low + change, value = from + sum, part = value - from;
  low_to = (from - (value - part)) + (sum - part);
  to = value;
}

// A node of the discrete motion: everything the next step needs.
struct Node {
  Numbers x;         // as given to the caller
  Numbers low;       // what rounding took from q
  Numbers p, p_low;  // momenta, and what rounding took from them
  Numbers F;         // forces
  Numbers quadrature_low;
};

class Variational final : public Integrator {
 public:
  Variational(const System& system, const IntegratorOptions& options);
  void restart() override;
  // The constraints are satisfied to rounding already: what projection does to the state is for
  // those who look at it; the motion goes on from its own memory.
  void moved() override { moved_ = true; }
  StepReport take_step(State& state, double h, double t_end) override;
  bool dense(double theta, std::span<double> x) override;
  StepReport restep(double h, std::span<double> x) override;

 private:
  bool remembers(const State& state) const;
  bool start_from(const State& state);
  StepReport advance(double h, double t_end, Numbers& d, Node& to);
  Verdict solve_displacement(Numbers& d, StepReport& report);
  bool push(double t_end, double half, Node& to);
  StepStatus solve_node(double h, double t_end, Node& to, StepReport& report);
  enum class Outcome { converged, slow, not_finite };
  Outcome substitute(double h, double t_end, Node& to, StepReport& report);
  bool newton(double h, double t_end, Node& to, StepReport& report);
  void refresh_slope(double h, double t_end, Node& to);
  double node_change(const Node& to) const;
  bool add_quadratures(double h, double t_end, Node& to, Numbers& rate);
  void predict(double h);
  void keep(double h);
  bool fill_dense();
  Verdict judge(IterationWatch& watch, double change, double& before, double of_position);

  const DiscreteMechanics& mechanics_;
  std::unique_ptr<Workspace> discrete_;
  const int nq_, nv_, np_, quadratures_;
  const double tolerance_;
  Node start_, now_, again_;  // start and end of the last step; end of a restep
  bool known_ = false;        // now_ belongs to the state
  bool moved_ = false;
  bool stagnated_ = false, noisy_ = false;  // how the iterations of this step ended
  Numbers d_, again_d_, change_, p_, p_low_, pushed_, pushed_low_, v_;
  Numbers rate0_, rate1_, unused_;  // x' at both ends of the step
  bool rate_known_ = false;         // rate1_ belongs to now_
  double t1_ = 0;
  std::array<Numbers, 5> past_;  // displacements of the last steps, newest first
  int past_count_ = 0;
  double past_h_ = 0;  // the length of all of them
  // Newton's method for the speeds of a node
  Eigen::MatrixXd slope_;
  Eigen::PartialPivLU<Eigen::MatrixXd> slope_lu_;
  double slope_h_ = 0;  // length the factors belong to; 0: none
  Eigen::VectorXd gap_, gap_before_, step_;
  Numbers at_speed_;
  Numbers shape0_, shape1_, shape2_, at_;  // dense output in the tangent space
  bool dense_known_ = false;
};

const DiscreteMechanics& mechanics_of(const System& system) {
  return *system.discrete_mechanics();
}

Variational::Variational(const System& system, const IntegratorOptions& options)
    : Integrator(system),
      mechanics_(mechanics_of(system)),
      discrete_(mechanics_.make_workspace()),
      nq_(mechanics_.coordinates()),
      nv_(mechanics_.speeds()),
      np_(mechanics_.momenta()),
      quadratures_(system.quadratures()),
      tolerance_(options.tolerance > 0 ? options.tolerance : default_stage_tolerance),
      d_(nv_),
      again_d_(nv_),
      change_(nv_),
      p_(np_),
      p_low_(np_),
      pushed_(np_),
      pushed_low_(np_),
      v_(nv_),
      rate0_(n_),
      rate1_(n_),
      unused_(n_) {
  gap_.resize(nv_);
  at_speed_.resize(nv_);
  for (Node* node : {&start_, &now_, &again_}) {
    node->x.resize(n_);
    node->low.resize(nq_);
    node->p.resize(np_);
    node->p_low.resize(np_);
    node->F.resize(np_);
    node->quadrature_low.resize(quadratures_);
  }
  const int tangent = system.space().tangent_size();
  for (Numbers* numbers : {&shape0_, &shape1_, &shape2_, &at_}) numbers->resize(tangent);
}

void Variational::restart() {
  known_ = moved_ = rate_known_ = false;
  slope_h_ = 0;
  past_count_ = 0;
}

// ------------------------------------------------------------------------------------------- nodes

// The state is the one that was given out, or what projection made of it.
bool Variational::remembers(const State& state) const {
  if (!known_ || state.t != t1_ || is_other_mode(state.mode, mode_)) return false;
  if (!moved_) return state.x == now_.x;
  for (int k = 0; k < n_; ++k)
    if (!(std::fabs(state.x[k] - now_.x[k]) <=
          largest_projection * std::max(1.0, std::fabs(now_.x[k]))))
      return false;
  return true;
}

bool Variational::start_from(const State& state) {
  restart();
  mode_ = state.mode;
  now_.x = state.x;
  std::fill(now_.low.begin(), now_.low.end(), 0.0);
  std::fill(now_.p_low.begin(), now_.p_low.end(), 0.0);
  std::fill(now_.quadrature_low.begin(), now_.quadrature_low.end(), 0.0);
  mechanics_.calc_momenta(state, now_.p, *discrete_);
  return mechanics_.calc_forces(state, now_.F, *discrete_) && all_finite(now_.p) &&
         all_finite(now_.F);
}

double Variational::node_change(const Node& to) const {
  double largest = 0;
  for (int j = 0; j < nv_; ++j) {
    const double v = to.x[nq_ + j];
    const double change = std::fabs(v - v_[j]) / std::max(1.0, std::fabs(v));
    if (!(change <= largest)) largest = change;
  }
  return largest;
}

// v = V(v), where V(v) solves M V = [p_ + half F(v)] + J^T mu: V into to.x, v being in v_.
bool Variational::push(double t_end, double half, Node& to) {
  std::copy_n(to.x.begin() + nq_, nv_, v_.begin());
  if (!mechanics_.calc_forces({t_end, to.x, mode_}, to.F, *discrete_)) return false;
  for (int j = 0; j < np_; ++j)
    add_exactly(p_[j], p_low_[j], half * to.F[j], pushed_[j], pushed_low_[j]);
  mechanics_.calc_speeds({t_end, to.x, mode_}, pushed_, {to.x.data() + nq_, v_.size()}, *discrete_);
  ++counts_.evaluations;
  return true;
}

// Speeds, forces and momenta at the end, from p_. Speeds of `to` are a guess.
StepStatus Variational::solve_node(double h, double t_end, Node& to, StepReport& report) {
  if (!push(t_end, 0.5 * h, to)) return StepStatus::not_finite;
  if (mechanics_.forces_depend_on_speeds()) {
    const Outcome outcome = substitute(h, t_end, to, report);
    if (outcome == Outcome::not_finite) return StepStatus::not_finite;
    if (outcome == Outcome::slow && !newton(h, t_end, to, report))
      return std::isfinite(report.measure) ? StepStatus::no_convergence : StepStatus::not_finite;
  }
  to.p = pushed_;
  to.p_low = pushed_low_;
  return StepStatus::ok;
}

// v <- V(v), while that contracts well.
Variational::Outcome Variational::substitute(double h, double t_end, Node& to, StepReport& report) {
  IterationWatch watch(tolerance_);
  double before = std::numeric_limits<double>::infinity();
  for (;;) {
    const double change = node_change(to);
    report.measure = change;
    ++report.iterations;
    const Verdict verdict = judge(watch, change, before, h * change);
    if (verdict == Verdict::diverged || (watch.sweeps() >= 3 && watch.mean_rate() > 0.3))
      return Outcome::slow;
    if (verdict != Verdict::go_on) return Outcome::converged;
    if (!push(t_end, 0.5 * h, to)) return Outcome::not_finite;
  }
}

// (1 - V') dv = V(v) - v with V' exact, kept over steps while it reduces |V(v) - v| well. With a
// fresh one steps are halved until that falls, which it must do where a steep loss (smoothed
// friction) turns flat.
bool Variational::newton(double h, double t_end, Node& to, StepReport& report) {
  const double half = 0.5 * h;
  const auto defect = [&](double part) {  // |V(v) - v| at at_speed_ + part * step_, or infinity
    for (int j = 0; j < nv_; ++j) to.x[nq_ + j] = at_speed_[j] + part * step_[j];
    if (!push(t_end, half, to)) return std::numeric_limits<double>::infinity();
    for (int j = 0; j < nv_; ++j) gap_[j] = to.x[nq_ + j] - v_[j];
    return gap_.norm();
  };
  ++counts_.newton_steps;
  IterationWatch watch(tolerance_);
  double before = std::numeric_limits<double>::infinity();
  std::copy_n(start_.x.begin() + nq_, nv_, at_speed_.begin());
  step_.setZero(nv_);
  double left = defect(0);
  bool refresh = slope_h_ != h;
  for (int sweep = 1; sweep <= 50 && std::isfinite(left); ++sweep) {
    const bool fresh = refresh;
    if (refresh) refresh_slope(h, t_end, to);
    gap_before_ = gap_;
    step_ = slope_lu_.solve(gap_);
    double change = 0;
    for (int j = 0; j < nv_; ++j)
      change = std::max(change, std::fabs(step_[j]) / std::max(1.0, std::fabs(at_speed_[j])));
    double now = defect(1);
    const bool settled = h * change <= IterationWatch::stagnation_band;
    refresh = !settled && !(now <= 0.3 * left);
    if (refresh && !fresh) {  // again from the same speeds
      std::swap(gap_, gap_before_);
      continue;
    }
    for (double part = 0.5; !settled && !(now < left) && part > 1e-6; part *= 0.5)
      now = defect(part);
    at_speed_ = v_;
    left = now;
    report.measure = change;
    ++report.iterations;
    const Verdict verdict = judge(watch, change, before, h * change);
    if (verdict != Verdict::go_on && verdict != Verdict::diverged) return std::isfinite(left);
  }
  slope_h_ = 0;
  return false;
}

void Variational::refresh_slope(double h, double t_end, Node& to) {
  slope_.resize(nv_, nv_);
  std::copy(at_speed_.begin(), at_speed_.end(), to.x.begin() + nq_);
  mechanics_.calc_speed_slope({t_end, to.x, mode_}, slope_, *discrete_);
  slope_ *= -0.5 * h;
  slope_.diagonal().array() += 1;
  slope_lu_.compute(slope_);
  slope_h_ = h;
  ++counts_.jacobians;
  ++counts_.factorisations;
}

// Trapezoidal rule for the power, its rounding carried along.
bool Variational::add_quadratures(double h, double t_end, Node& to, Numbers& rate) {
  if (quadratures_ == 0) return true;
  evaluate(t_end, to.x, rate);
  for (int k = n_ - quadratures_; k < n_; ++k) {
    const int i = k - (n_ - quadratures_);
    add_exactly(start_.x[k], start_.quadrature_low[i], 0.5 * h * (rate0_[k] + rate[k]), to.x[k],
                to.quadrature_low[i]);
    if (!std::isfinite(to.x[k])) return false;
  }
  return true;
}

// -------------------------------------------------------------------------------------------- step

// The watch's verdict on a change of speeds, unless it no longer falls and is nothing to positions.
Verdict Variational::judge(IterationWatch& watch, double change, double& before,
                           double of_position) {
  Verdict verdict = watch.judge(change);
  if (change >= before && of_position <= IterationWatch::stagnation_band)
    verdict = Verdict::stagnated;
  before = change;
  stagnated_ |= verdict == Verdict::stagnated || verdict == Verdict::noisy;
  noisy_ |= verdict == Verdict::noisy;
  return verdict;
}

// d of the last steps, all of one length, extrapolated; else h v.
void Variational::predict(double h) {
  static constexpr double weights[5][5] = {
      {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}, {5, -10, 10, -5, 1}};
  if (past_count_ == 0 || past_h_ != h) {
    for (int j = 0; j < nv_; ++j) d_[j] = h * start_.x[nq_ + j];
    return;
  }
  std::fill(d_.begin(), d_.end(), 0.0);
  for (int k = 0; k < past_count_; ++k)
    for (int j = 0; j < nv_; ++j) d_[j] += weights[past_count_ - 1][k] * past_[k][j];
}

void Variational::keep(double h) {
  if (past_h_ != h) past_count_ = 0;
  past_h_ = h;
  past_count_ = std::min(past_count_ + 1, static_cast<int>(past_.size()));
  std::rotate(past_.begin(), past_.end() - 1, past_.end());
  past_.front() = d_;
}

// Changes are those of v = d / h, relative to the largest of them, since rounding of a fast link
// reaches all joints. Where they no longer fall, d itself decides: within 100 machine epsilons it
// is known as well as q. What is left of the equation goes on with the momenta.
Verdict Variational::solve_displacement(Numbers& d, StepReport& report) {
  constexpr int limit = 100;
  IterationWatch watch(tolerance_);
  double before = std::numeric_limits<double>::infinity(), reach = 1;
  for (int k = 0; k < nq_; ++k) reach = std::max(reach, std::fabs(start_.x[k]));
  for (int sweep = 1; sweep <= limit; ++sweep) {
    mechanics_.improve(d, change_, *discrete_);
    ++counts_.evaluations;
    ++counts_.iterations;
    ++report.iterations;
    double change = 0, size = 0;
    for (int j = 0; j < nv_; ++j) {
      size = std::max(size, std::fabs(d[j]));
      if (std::fabs(change_[j]) <= change) continue;
      change = std::fabs(change_[j]);
      report.component = nq_ + j;
    }
    report.measure = change / std::max(report.taken, size);
    const double of_position = change / std::max(reach, size);
    const Verdict verdict = judge(watch, report.measure, before, of_position);
    if (verdict == Verdict::go_on) continue;
    if (verdict != Verdict::diverged)
      counts_.max_stage_change = std::max(counts_.max_stage_change, of_position);
    return verdict;
  }
  return Verdict::diverged;
}

// From start_ to `to`; d is a guess on entry.
StepReport Variational::advance(double h, double t_end, Numbers& d, Node& to) {
  StepReport report;
  report.taken = h;
  const auto failed = [&](StepStatus status) {
    report.status = status;
    return report;
  };
  for (int j = 0; j < np_; ++j)
    add_exactly(start_.p[j], start_.p_low[j], 0.5 * h * start_.F[j], p_[j], p_low_[j]);
  const StateView at(t0_, start_.x, mode_);
  mechanics_.begin(at, start_.low, p_, p_low_, h, t_end, d, *discrete_);
  if (solve_displacement(d, report) == Verdict::diverged) {  // again, from the simplest guess
    for (int j = 0; j < nv_; ++j) d[j] = h * start_.x[nq_ + j];
    mechanics_.begin(at, start_.low, p_, p_low_, h, t_end, d, *discrete_);
    if (solve_displacement(d, report) == Verdict::diverged)
      return failed(std::isfinite(report.measure) ? StepStatus::no_convergence
                                                  : StepStatus::not_finite);
  }
  mechanics_.finish(d, {to.x.data(), static_cast<std::size_t>(nq_)}, to.low, p_, p_low_,
                    *discrete_);
  for (int j = 0; j < nv_; ++j)  // a guess: d / h is the mean of both speeds
    to.x[nq_ + j] = 2 * d[j] / h - start_.x[nq_ + j];
  std::copy(start_.x.begin() + nq_ + nv_, start_.x.end(), to.x.begin() + nq_ + nv_);
  const StepStatus status = solve_node(h, t_end, to, report);
  if (status != StepStatus::ok) return failed(status);
  if (!all_finite(to.x) || !all_finite(to.F)) return failed(StepStatus::not_finite);
  report.component = -1;
  return report;
}

StepReport Variational::take_step(State& state, double h, double t_end) {
  if (!remembers(state) && !start_from(state)) {
    known_ = false;
    return {StepStatus::not_finite, h, 0, -1, 0};
  }
  mode_ = state.mode;  // with the turns of now
  t0_ = state.t;
  start_ = now_;
  x0_ = start_.x;
  if (quadratures_ > 0) {
    if (rate_known_)
      rate0_ = rate1_;
    else
      evaluate(t0_, start_.x, rate0_);
  }
  predict(h);
  stagnated_ = noisy_ = false;
  StepReport report = advance(h, t_end, d_, now_);
  if (report.status == StepStatus::ok && !add_quadratures(h, t_end, now_, rate1_))
    report.status = StepStatus::not_finite;
  if (report.status != StepStatus::ok) {
    restart();
    return report;
  }
  counts_.stagnations += stagnated_;
  counts_.noisy_steps += noisy_;
  rate_known_ = quadratures_ > 0;
  dense_known_ = moved_ = false;
  known_ = true;
  keep(h);
  state.x = now_.x;
  state.t = t1_ = t_end;
  h0_ = h;
  return report;
}

StepReport Variational::restep(double h, std::span<double> x) {
  for (int j = 0; j < nv_; ++j) again_d_[j] = h / h0_ * d_[j];
  StepReport report = advance(h, t0_ + h, again_d_, again_);
  if (report.status == StepStatus::ok && !add_quadratures(h, t0_ + h, again_, unused_))
    report.status = StepStatus::not_finite;
  if (report.status == StepStatus::ok) std::copy(again_.x.begin(), again_.x.end(), x.begin());
  return report;
}

// ------------------------------------------------------------------------------------ dense output

// The cubic in the tangent space at the start that has the states and the rates of both ends.
bool Variational::fill_dense() {
  const StateSpace& space = system_.space();
  if (quadratures_ == 0) {
    evaluate(t0_, start_.x, rate0_);
    evaluate(t1_, now_.x, rate1_);
  }
  if (!all_finite(rate0_) || !all_finite(rate1_)) return false;
  Numbers& end = shape0_;
  Numbers &slope0 = shape1_, &slope1 = shape2_;
  space.minus(now_.x, start_.x, end);
  space.to_tangent(start_.x, rate0_, slope0);
  space.to_tangent(now_.x, rate1_, at_);
  space.displacement_rate(end, at_, slope1);
  dense_known_ = true;
  return true;
}

bool Variational::dense(double theta, std::span<double> x) {
  if (!dense_known_ && !fill_dense()) return false;
  const double s = theta, r = 1 - theta;
  for (std::size_t k = 0; k < at_.size(); ++k)
    at_[k] =
        s * s * (3 - 2 * s) * shape0_[k] + h0_ * (s * r * r * shape1_[k] - s * s * r * shape2_[k]);
  system_.space().plus(start_.x, at_, x);
  return true;
}

}  // namespace

std::unique_ptr<Integrator> make_variational_integrator(const System& system,
                                                        const IntegratorOptions& options) {
  return std::make_unique<Variational>(system, options);
}

std::string refuse_variational(const System& system) {
  const DiscreteMechanics* mechanics = system.discrete_mechanics();
  if (mechanics) return mechanics->refusal();
  return "variational needs a mechanism whose state is positions and speeds: use the formulation "
         "recursive, moving-frame, absolute-se3 or absolute-so3r3, or the integrator gl1, which is "
         "symplectic where the equations are canonical";
}

}  // namespace cartan::integrate
