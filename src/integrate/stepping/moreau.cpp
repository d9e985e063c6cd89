#include "integrate/stepping/moreau.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "integrate/explicit_step.h"
#include "integrate/stepping/cone_problem.h"
#include "system/contact_stepping.h"

namespace cartan::integrate {
namespace {

constexpr int most_sweeps = 8000;       // over many contacts; over few of them more
constexpr int most_visits = 4000000;    // of a contact
constexpr int most_corrections = 4;     // of positions, after the first
constexpr int most_rounds = 6;          // in which rates and impulses follow each other
constexpr double gain_allowed = 1e-12;  // of the energy that contacts take and give
// in tolerances: change of speeds at which rates do not have to follow; overlap in metres that the
// correction of positions may leave
constexpr double settled_rates = 0.1, overlap_left = 0.1;
constexpr double rounding = 2e-16;        // of the largest speed
constexpr double overlap_waiting = 1e-6;  // m: below that a correction may wait

class MoreauIntegrator final : public Integrator {
 public:
  MoreauIntegrator(const System& system, const IntegratorOptions& options)
      : Integrator(system),
        stepping_(*system.contact_stepping()),
        tolerance_(options.tolerance > 0 ? options.tolerance : default_moreau_tolerance),
        order_(stepping_.speed_order()),
        nq_(stepping_.positions().size()),
        speeds_(stepping_.positions().tangent_size()),
        nv_(static_cast<int>(order_.size())),
        x1_(n_),
        middle_(n_),
        rates_(n_),
        at_rest_(n_),
        before_(nv_),
        free_(nv_),
        after_(nv_),
        step_(nv_),
        pushed_(nv_),
        accelerations_(nv_),
        tangent_(system.space().tangent_size()),
        way_(speeds_),
        moved_(nv_),
        at_once_(nv_) {}

  void restart() override { impulses_.clear(); }
  void moved() override {}

  StepReport take_step(State& state, double h, double t_end) override;
  bool dense(double theta, std::span<double> x) override;
  // Of order 1, as the method.
  StepReport restep(double h, std::span<double> x) override {
    const bool finite = dense(h0_ > 0 ? h / h0_ : 0, x);
    return {finite ? StepStatus::ok : StepStatus::not_finite, h, 0, -1, 0};
  }

 private:
  struct Contact {
    Triple before{};       // J v0
    bool closes = false;   // within the step, if nothing acts
    bool bounces = false;  // for at least a step
  };

  // Speeds in the order of parts, and back.
  void gather(std::span<const double> x, std::vector<double>& v) const {
    for (int i = 0; i < nv_; ++i) v[i] = order_[i] < 0 ? 0 : x[nq_ + order_[i]];
  }
  void scatter(const std::vector<double>& v, std::span<double> x) const {
    for (int i = 0; i < nv_; ++i)
      if (order_[i] >= 0) x[nq_ + order_[i]] = v[i];
  }
  bool move_freely(double h, double& change);
  std::string begin_problem(double h);
  void set_shifts(double h, bool keeps);
  void recall(double h);
  void remember();
  bool follow_rates(double h, double change, ConeReport& report);
  bool solve(double h);
  bool gains();
  void move_positions(std::span<const double> x, std::span<const double> step,
                      std::span<const double> way, double part, std::span<double> result);
  bool push_apart(std::span<const double> where);
  std::string move(double t, double h);
  int sweeps() const {
    return std::max(most_sweeps, most_visits / std::max(1, static_cast<int>(contacts_.size())));
  }

  const ContactStepping& stepping_;
  const double tolerance_;
  const std::span<const int> order_;
  const int nq_, speeds_, nv_;  // positions, speeds, and their places
  std::vector<double> x1_, middle_, rates_, at_rest_;
  std::vector<double> before_, free_, after_, step_, pushed_, accelerations_, tangent_, way_;
  std::vector<double> moved_;          // speeds since the contacts were solved
  const std::vector<double> at_once_;  // zero: a way that turns nothing
  ContactSet near_;
  ConeProblem problem_, positions_;
  std::vector<Contact> contacts_;
  std::unordered_map<std::uint64_t, Triple> impulses_;  // of the last step
  double last_h_ = 0;
  double contact_work_ = 0;
};

// x after a part of `step`, along the rotations in the middle of `way` (both in the order of
// parts); all but positions as they were.
void MoreauIntegrator::move_positions(std::span<const double> x, std::span<const double> step,
                                      std::span<const double> way, double part,
                                      std::span<double> result) {
  for (int i = 0; i < nv_; ++i)
    if (order_[i] >= 0) tangent_[order_[i]] = step[i], way_[order_[i]] = way[i];
  const auto q = static_cast<std::size_t>(nq_);
  if (result.data() != x.data()) std::copy(x.begin(), x.end(), result.begin());
  stepping_.positions().plus_straight(x.first(q), std::span<const double>(tangent_).first(speeds_),
                                      way_, part, result.first(q));
  system_.space().normalise(result);
}

// Rates in the middle of the step, where it goes with the speeds in after_, and v_free; the change
// of that is added to after_. Into `change`: its size over that of the speeds.
bool MoreauIntegrator::move_freely(double h, double& change) {
  for (int i = 0; i < nv_; ++i) step_[i] = 0.5 * h * (before_[i] + after_[i]);
  move_positions(x0_, step_, step_, 0.5, middle_);
  for (int i = 0; i < nv_; ++i) step_[i] = 0.5 * (before_[i] + after_[i]);
  scatter(step_, middle_);
  evaluate(t0_ + 0.5 * h, middle_, rates_);
  double moved = 0, size = 0;
  for (int i = 0; i < nv_; ++i) {
    if (order_[i] < 0) continue;
    const double now = before_[i] + h * rates_[nq_ + order_[i]];
    moved = std::max(moved, std::fabs(now - free_[i]));
    size = std::max(size, std::fabs(now));
    after_[i] += now - free_[i];
    free_[i] = now;
  }
  change = size > 0 ? moved / size : 0;
  return all_finite(rates_);
}

// What the laws of contacts add to J v1, so that it becomes u1 + e u0 where a contact bounces, u1
// where it stays closed, u1 + u0 there if `keeps` energy, and what leaves room elsewhere. Rows turn
// with the bodies: the rate of a gap is J v0 - turned at the start and J v1 + turned at the end.
// Across the normal that is of second order and left out. All contacts that stay closed have one
// and the same law: those that lean on each other cannot contradict themselves.
void MoreauIntegrator::set_shifts(double h, bool keeps) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const SteppedContact& contact = near_.contacts[c];
    const Triple& rows = contacts_[c].before;
    const double turned = rows[0] - contact.before;
    Triple& shift = problem_.shift[c];
    shift = keeps ? rows : Triple{turned, 0, 0};
    if (contacts_[c].bounces)
      shift[0] = contact.restitution * contact.before + turned;
    else if (!contacts_[c].closes)
      shift[0] = rows[0] + 2 * std::max(contact.gap, 0.0) / h;
  }
}

// Impulses of the last step, for the length of this one.
void MoreauIntegrator::recall(double h) {
  const double scale = last_h_ > 0 ? h / last_h_ : 0;
  for (std::size_t c = 0; c < near_.contacts.size(); ++c) {
    const auto found = impulses_.find(near_.contacts[c].key);
    if (found == impulses_.end()) continue;
    Triple impulse{};
    for (int k = 0; k < near_.contacts[c].rows; ++k) impulse[k] = scale * found->second[k];
    problem_.push(static_cast<int>(c), impulse);
  }
}

void MoreauIntegrator::remember() {
  impulses_.clear();
  for (std::size_t c = 0; c < near_.contacts.size(); ++c)
    if (problem_.impulse[c][0] > 0) impulses_[near_.contacts[c].key] = problem_.impulse[c];
}

// What is near in the middle of the free motion: rows there, gaps at the start.
std::string MoreauIntegrator::begin_problem(double h) {
  const std::string problem = stepping_.find_contacts(
      {t0_, x0_, mode_}, {t0_ + 0.5 * h, middle_, mode_}, h, near_, *workspace_);
  if (!problem.empty()) return problem;
  problem_.begin(near_, order_.size());
  contacts_.assign(near_.contacts.size(), {});
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const int c = static_cast<int>(k);
    Contact& contact = contacts_[k];
    contact.before = problem_.speed(c, before_);
    const double end = problem_.speed(c, free_)[0], start = near_.contacts[k].before;
    contact.closes = near_.contacts[k].gap + 0.5 * h * (contact.before[0] + end) <= 0;
    // a flight of 2 e |u0| / |a|, longer than the step
    contact.bounces = contact.closes && start < 0 &&
                      -2 * near_.contacts[k].restitution * start > contact.before[0] - end;
  }
  set_shifts(h, false);
  return "";
}

// Whether the impulses do more work than they take, all contacts together. Normal impulses never
// do: where surfaces part already, they keep the speed of that. Friction may, where sliding turns
// round within the step.
bool MoreauIntegrator::gains() {
  double size = 0;
  contact_work_ = 0;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Triple &P = problem_.impulse[k], u = problem_.speed(static_cast<int>(k), after_);
    for (int i = 0; i < near_.contacts[k].rows; ++i) {
      const double work = 0.5 * P[i] * (contacts_[k].before[i] + u[i]);
      contact_work_ += work;
      size += std::fabs(work);
    }
  }
  return contact_work_ > gain_allowed * size;
}

// The rates go on alone until they are those in the middle of the motion to rounding: what they and
// the impulses do then is what the energies change by. (Where speeds are in axes that turn, rates
// depend on them: v' = R^T g - w x v.) What the contacts see of it counts as violation.
bool MoreauIntegrator::follow_rates(double h, double change, ConeReport& report) {
  for (int round = 0; round < most_rounds && change > rounding; ++round)
    if (const double last = change; !move_freely(h, change))
      return false;
    else if (change > 0.5 * last)
      break;
  for (int i = 0; i < nv_; ++i) moved_[i] = after_[i] - moved_[i];
  double seen = 0;
  for (std::size_t c = 0; c < near_.contacts.size(); ++c)
    for (const double u : problem_.speed(static_cast<int>(c), moved_))
      seen = std::max(seen, std::fabs(u));
  report.residual += seen;
  return true;
}

// Impulses and the rates in the middle of the motion they make; again with friction that cannot
// gain where it would.
bool MoreauIntegrator::solve(double h) {
  ConeReport report;
  bool keeps = false, settled = false;
  double change = 0;
  for (int round = 0; round < most_rounds; ++round) {
    if (keeps) set_shifts(h, true);
    report = problem_.solve(free_, {tolerance_, 0, sweeps()});
    counts_.iterations += report.sweeps;
    after_ = free_;
    stepping_.add_answer(problem_.answer(), after_, *workspace_);
    moved_ = after_;
    if (!move_freely(h, change)) return false;
    const bool first = !keeps && gains();
    keeps |= first;
    settled = report.settled && change <= settled_rates * tolerance_;
    if (change <= settled_rates * tolerance_ && !first) break;
  }
  if (!follow_rates(h, change, report)) return false;
  gains();
  counts_.contacts.residual = std::max(counts_.contacts.residual, report.residual);
  if (!settled) ++counts_.contacts.unsettled;
  counts_.contacts.most = std::max(counts_.contacts.most, static_cast<long>(near_.contacts.size()));
  return true;
}

// The least change after which nothing overlaps of what has these gaps (in positions_.shift) and
// rows at this place, into pushed_. What it lifts against the forces counts as work of the
// contacts. Where that is more than they take, and the overlaps are small, it is left to a later
// step. False: nothing is to be moved.
bool MoreauIntegrator::push_apart(std::span<const double> where) {
  std::fill(pushed_.begin(), pushed_.end(), 0.0);
  double deepest = 0, lifted = 0;
  for (const Triple& gap : positions_.shift) deepest = std::max(deepest, -gap[0]);
  if (deepest <= 0.1 * overlap_left * tolerance_) return false;
  counts_.iterations +=
      positions_.solve(pushed_, {0, 0.1 * overlap_left * tolerance_, sweeps()}).sweeps;
  stepping_.add_answer(positions_.answer(), pushed_, *workspace_);
  // accelerations from rest: what lifting works against
  if (where.data() != middle_.data()) std::copy(where.begin(), where.end(), middle_.begin());
  std::fill_n(middle_.begin() + nq_, speeds_, 0.0);
  evaluate(t0_, middle_, at_rest_);
  gather(at_rest_, accelerations_);
  for (std::size_t c = 0; c < near_.contacts.size(); ++c)
    lifted -= positions_.impulse[c][0] * positions_.speed(static_cast<int>(c), accelerations_)[0];
  if (contact_work_ + lifted > 0 && deepest < overlap_waiting) {
    std::fill(pushed_.begin(), pushed_.end(), 0.0);
    return false;
  }
  contact_work_ += lifted;
  return true;
}

// The new positions. What rows in the middle of the step did not see is taken back where it is too
// much.
std::string MoreauIntegrator::move(double t, double h) {
  for (int i = 0; i < nv_; ++i) step_[i] = 0.5 * h * (before_[i] + after_[i]);
  positions_.begin(near_, order_.size(), ConeProblem::Laws::smooth);
  for (std::size_t c = 0; c < near_.contacts.size(); ++c)
    positions_.shift[c][0] =
        near_.contacts[c].gap + positions_.speed(static_cast<int>(c), step_)[0];
  push_apart(middle_);
  for (int i = 0; i < nv_; ++i) pushed_[i] += step_[i];
  move_positions(x0_, pushed_, step_, 1, x1_);
  scatter(after_, x1_);
  for (int round = 0;; ++round) {
    double deepest = stepping_.deepest_overlap({t, x1_, mode_}, h, *workspace_);
    if (deepest <= overlap_left * tolerance_ || round == most_corrections) {
      counts_.contacts.overlap = std::max(counts_.contacts.overlap, deepest);
      return "";
    }
    const std::string problem =
        stepping_.find_contacts({t, x1_, mode_}, {t, x1_, mode_}, h, near_, *workspace_);
    if (!problem.empty()) return problem;
    positions_.begin(near_, order_.size(), ConeProblem::Laws::smooth);
    for (std::size_t c = 0; c < near_.contacts.size(); ++c)
      positions_.shift[c][0] = near_.contacts[c].gap;
    if (push_apart(x1_))
      move_positions(x1_, pushed_, at_once_, 1, x1_);
    else
      round = most_corrections - 1;
  }
}

StepReport MoreauIntegrator::take_step(State& state, double h, double t_end) {
  x0_ = state.x;
  mode_ = state.mode;
  t0_ = state.t;
  const auto refuse = [&](std::string problem) {
    return StepReport{StepStatus::not_finite, h, 0, -1, 0, std::move(problem)};
  };
  gather(x0_, before_);
  after_ = free_ = before_;
  double change = 0;
  for (int round = 0; round < 2; ++round)
    if (!move_freely(h, change)) return refuse("");
  if (std::string problem = begin_problem(h); !problem.empty()) return refuse(problem);
  recall(h);
  if (!solve(h)) return refuse("");
  remember();
  last_h_ = h;
  if (std::string problem = move(t_end, h); !problem.empty()) return refuse(problem);
  for (int i = nq_ + speeds_; i < n_; ++i) x1_[i] = x0_[i] + h * rates_[i];
  if (m_ < n_) x1_[m_] += contact_work_;
  if (!all_finite(x1_)) return refuse("");
  state.x = x1_;
  state.t = t_end;
  h0_ = h;
  return {StepStatus::ok, h, 0, -1, 0};
}

// Along the displacement of the step.
bool MoreauIntegrator::dense(double theta, std::span<double> x) {
  system_.space().minus(x1_, x0_, tangent_);
  for (double& d : tangent_) d *= theta;
  system_.space().plus(x0_, tangent_, x);
  return true;
}

}  // namespace

std::unique_ptr<Integrator> make_moreau_integrator(const System& system,
                                                   const IntegratorOptions& options) {
  return std::make_unique<MoreauIntegrator>(system, options);
}

std::string refuse_moreau(const System& system) {
  if (!system.contact_stepping())
    return "moreau steps over contacts in `run` of a model that has some, in the formulations "
           "recursive, moving-frame, absolute-se3 and absolute-so3r3; elsewhere use gl3 or dop853";
  return system.contact_stepping()->refusal();
}

}  // namespace cartan::integrate
