// Impacts, and contacts that close.
#include "mechanics/contacts/contact_events.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/dense.h"
#include "mechanics/contacts/contact_problem.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/contacts/contact_tolerances.h"

namespace cartan::mechanics {

using Eigen::MatrixXd;
using Eigen::VectorXd;

bool ContactEvents::solve_impact(ImpactSolution& impact) {
  const int n = static_cast<int>(touching_.size());
  ContactProblem problem;
  problem.A = A_;
  problem.b = speeds_;
  bool poisson = false;
  for (int i = 0; i < n; ++i) {
    const ContactElement<double>& e = mechanism_.contacts[touching_[i]];
    ContactLaw law;
    law.kind = e.rough              ? ContactLaw::Kind::rough
               : rubs(touching_[i]) ? ContactLaw::Kind::friction
                                    : ContactLaw::Kind::smooth;
    law.mu = e.friction;
    // what never slides but does: it stops whatever its normal impulse is, the limit mu -> infinity
    if (e.rough && slides_on(touching_[i])) law.given = 1;
    problem.laws.push_back(law);
    poisson |= e.poisson && speeds_[3 * i] < -resting_speed * speed_;
  }
  const auto unsolved = [&](double residual) {
    return fail(fmt::format(
        "the impact at {} has no solution that could be found (residual {:.2g}); use equal laws "
        "for these contacts, or fewer of them",
        names_of(touching_), residual));
  };
  const auto bounce = [&](int i) {
    return poisson ? 0.0
                   : -mechanism_.contacts[touching_[i]].restitution * std::min(0.0, speeds_[3 * i]);
  };
  for (int i = 0; i < n; ++i) problem.b[3 * i] -= bounce(i);
  ContactSolution last = solve_contacts(problem);
  if (!last.found) return unsolved(last.residual);
  notes_.residual = std::max(notes_.residual, last.residual);
  impact.record.touching = touching_;
  impact.record.phases = {{problem, last}};
  impact.P = last.r;
  if (poisson) {
    VectorXd expansion = VectorXd::Zero(3 * n);
    for (int i = 0; i < n; ++i) {
      problem.laws[i].given = mechanism_.contacts[touching_[i]].restitution * last.r[3 * i];
      expansion[3 * i] = problem.laws[i].given;
    }
    // what has been stopped stays so
    for (int i = 0; i < n; ++i)
      if (mechanism_.contacts[touching_[i]].rough && slides_on(touching_[i]))
        problem.laws[i].given = 1;
    impact.P += expansion;
    problem.b = speeds_ + A_ * impact.P;
    last = solve_contacts(problem);
    if (!last.found) return unsolved(last.residual);
    notes_.residual = std::max(notes_.residual, last.residual);
    impact.record.phases.push_back({problem, last});
    impact.P += last.r;
  }
  impact.after = speeds_ + A_ * impact.P;
  impact.decided.assign(3 * n, 0);
  for (int i = 0; i < n; ++i) {
    const int k = 3 * i;
    if (last.closed[i]) impact.after[k] = bounce(i), impact.decided[k] = 1;
    const bool touches = last.closed[i] || problem.laws[i].given > 0;
    if (!touches || last.slips[i] || problem.laws[i].kind == ContactLaw::Kind::smooth) continue;
    impact.after[k + 1] = impact.after[k + 2] = 0;
    impact.decided[k + 1] = impact.decided[k + 2] = 1;
  }
  return true;
}

// Speeds that the law decides are reached to rounding, whatever the condition of A: the rest is
// taken away by impulses of its size, as long as that helps.
void ContactEvents::apply(const ImpactSolution& impact) {
  apply(impact.P);
  std::vector<int> decided;
  for (int k = 0; k < A_.rows(); ++k)
    if (impact.decided[k] && A_(k, k) > 0) decided.push_back(k);
  if (decided.empty()) return;
  const int n = static_cast<int>(decided.size());
  MatrixXd part(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) part(i, j) = A_(decided[i], decided[j]);
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(1e-12);
  solver.compute(part);
  std::vector<double> before;
  double last = INFINITY;
  for (int round = 0; round < 4; ++round) {
    fill_touching(v());
    VectorXd missing(n), impulses = VectorXd::Zero(A_.rows());
    for (int i = 0; i < n; ++i) missing[i] = impact.after[decided[i]] - row_speed(decided[i]);
    const double largest = missing.cwiseAbs().maxCoeff();
    if (!(largest < last)) {
      std::copy(before.begin(), before.end(), state_.x.begin());
      return;
    }
    if (largest <= 4e-16 * speed_) return;
    last = largest;
    before = state_.x;
    const VectorXd more = solver.solve(missing);
    for (int i = 0; i < n; ++i) impulses[decided[i]] = more[i];
    apply(impulses);
  }
}

bool ContactEvents::gains_energy(double lost, double kinetic) {
  if (!(lost < -energy_gain * std::max(kinetic, 1e-300))) return false;
  bool newton = false;
  for (int k : touching_) newton |= !mechanism_.contacts[k].poisson;
  fail(fmt::format(
      "the impact at {} would gain {:.3g} J, {:.2g} of the kinetic energy: {}", names_of(touching_),
      -lost, -lost / kinetic,
      newton ? "Newton's law can do so where restitution meets friction or several contacts; use "
               "law = \"poisson\", or restitution 0"
             : "use restitution 0 for one of these contacts"));
  return true;
}

// A contact that is closed and never slides, but does: at the start, or behind a jump of the user.
bool ContactEvents::slides_on(int k) const {
  return mechanism_.contacts[k].rough && mode(k) == contact_closed &&
         std::hypot(touch_[k].speed.y, touch_[k].speed.z) > sticking_speed();
}

bool ContactEvents::approaches() const {
  const double tolerance = resting_speed * speed_;
  return std::any_of(touching_.begin(), touching_.end(), [&](int k) {
    return touch_[k].speed.x < -(mode(k) == contact_open ? tolerance : 1e4 * tolerance);
  });
}

// False: nothing approaches or has to stop, or the motion cannot go on.
bool ContactEvents::impact() {
  const bool stops =
      std::any_of(touching_.begin(), touching_.end(), [&](int k) { return slides_on(k); });
  if (!approaches() && !stops) return false;
  prepare();
  ImpactSolution impact;
  if (!solve_impact(impact)) return false;
  const VectorXd &P = impact.P, mean = 0.5 * (speeds_ + impact.after);
  if (gains_energy(-P.dot(mean), kinetic())) return false;
  // a place that only touches has impulses of rounding
  const double none = 1e-13 * P.cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < touching_.size(); ++i)
    if (P[3 * static_cast<int>(i)] > none || slides_on(touching_[i]))
      notes_.impacts.push_back(make_note(static_cast<int>(i), P, impact.after));
  apply(impact);
  // what bounces is open from here on
  for (std::size_t i = 0; i < touching_.size(); ++i)
    if (impact.after[3 * static_cast<int>(i)] > resting_speed * speed_)
      mode(touching_[i]) = contact_open;
  if (mechanism_.friction_modes > 0)
    start_friction(mechanism_, {state_.t, state_.x.data(), v(), state_.mode}, ws_, solve_);
  return true;
}

Impact ContactEvents::make_note(int place, const VectorXd& P, const VectorXd& after) {
  const ContactElement<double>& e = mechanism_.contacts[touching_[place]];
  const int k = 3 * place;
  Impact note;
  note.contact = e.contact;
  note.t = state_.t;
  note.speed_before = speeds_[k];
  note.speed_after = after[k];
  note.normal = P[k];
  note.tangential = std::hypot(P[k + 1], P[k + 2]);
  note.energy_lost = -0.5 * P.segment(k, 3).dot(speeds_.segment(k, 3) + after.segment(k, 3));
  if (e.kind == ContactKind::stop) return note;
  const ContactFrame<double> f = calc_contact_frame(e.on, e.kind, ws_);
  const Vec3<double> whole = P[k] * f.n + P[k + 1] * f.t1 + P[k + 2] * f.t2;
  for (int c = 0; c < 3; ++c) note.point[c] = f.c[c], note.impulse[c] = whole[c];
  return note;
}

bool ContactEvents::find_impact(int which, ImpactRecord& record) {
  if (which % 2 != 0 || mode(which / 2) != contact_open) return false;
  met_ = which / 2;
  measure();
  find_touching();
  if (!approaches()) return false;
  prepare();
  ImpactSolution impact;
  if (!solve_impact(impact)) return true;
  // Poisson's law goes on from impulses of compression
  std::vector<int> rows;
  for (int k = 0; k < A_.rows(); ++k)
    if (A_(k, k) > dependent_row * A_.diagonal().maxCoeff()) rows.push_back(k);
  if (impact.record.phases.size() > 1 && choose_independent(rows).size() < rows.size())
    fail(
        fmt::format("the impulses of compression at {} are not unique, and Poisson's law depends "
                    "on them; derivatives are taken there with law = \"newton\"",
                    names_of(touching_)));
  else
    record = std::move(impact.record);
  return true;
}

// Speeds of these rows go to zero by the impulses that belong to it. Needs prepare().
void ContactEvents::stop_rows(const std::vector<int>& numbers) {
  const int size = static_cast<int>(numbers.size());
  MatrixXd part(size, size);
  VectorXd wanted(size);
  for (int i = 0; i < size; ++i) {
    wanted[i] = -speeds_[numbers[i]];
    for (int j = 0; j < size; ++j) part(i, j) = A_(numbers[i], numbers[j]);
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(1e-10);
  solver.compute(part);
  const VectorXd least = solver.solve(wanted);
  VectorXd impulses = VectorXd::Zero(A_.rows());
  for (int i = 0; i < size; ++i) impulses[numbers[i]] = least[i];
  const VectorXd after = speeds_ + A_ * impulses;
  for (std::size_t i = 0; i < touching_.size(); ++i)
    if (impulses.segment(3 * static_cast<int>(i), 3).any())
      notes_.closings.push_back(make_note(static_cast<int>(i), impulses, after));
  apply(impulses);
}

// What begins to slide from rest has no speed yet: the rounding it has, in any direction, is taken
// away, so that the direction it is held in tells whether it has stopped.
void ContactEvents::begin_sliding() {
  if (begins_.empty() || !notes_.problem.empty()) return;
  std::vector<int> numbers;
  double fastest = 0;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = touching_[i], n = 3 * static_cast<int>(i);
    const bool begins =
        std::find(begins_.begin(), begins_.end(), static_cast<int>(i)) != begins_.end();
    if (mode(k) == contact_open) continue;
    numbers.push_back(n);
    if (!begins && (mode(k) != contact_closed || !rubs(k))) continue;
    numbers.push_back(n + 1);
    numbers.push_back(n + 2);
    if (begins) fastest = std::max(fastest, std::hypot(speeds_[n + 1], speeds_[n + 2]));
  }
  if (fastest > 0.1 * creeping_slack) stop_rows(numbers);
}

// Normal speeds of these places go to zero by the impulse that belongs to it; what is closed stays
// so, what sticks goes on sticking. Needs prepare().
void ContactEvents::stop_bouncing(const std::vector<int>& places) {
  double fastest = 0;
  for (int i : places) fastest = std::max(fastest, std::fabs(speeds_[3 * i]));
  std::vector<int> numbers;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = touching_[i], n = 3 * static_cast<int>(i);
    const bool listed =
        std::find(places.begin(), places.end(), static_cast<int>(i)) != places.end();
    if (!listed && mode(k) == contact_open) continue;
    numbers.push_back(n);
    if (!rubs(k) || std::hypot(speeds_[n + 1], speeds_[n + 2]) > 10 * fastest) continue;
    numbers.push_back(n + 1);
    numbers.push_back(n + 2);
  }
  stop_rows(numbers);
  for (int i : places) mode(touching_[i]) = contact_closed;
}

// What bounces back from less than rounding of positions does not bounce: the rest of the sequence
// is as low, and closing now makes a difference of the size of that height.
void ContactEvents::close_low_bounces() {
  for (int round = 0; round <= count_ && notes_.problem.empty() && !low_.empty(); ++round) {
    const std::vector<int> places = low_;
    stop_bouncing(places);
    decide_modes();
  }
}

void ContactEvents::close(std::span<const int> contacts) {
  measure();
  find_touching();
  const auto is_listed = [&](int k) {
    return std::find(contacts.begin(), contacts.end(), mechanism_.contacts[k].contact) !=
           contacts.end();
  };
  double fastest = 0;
  for (int k : touching_)
    if (is_listed(k)) fastest = std::max(fastest, std::fabs(touch_[k].speed.x));
  // others of the same sequence are next to the surface
  for (int k = 0; k < count_; ++k) {
    const bool near = touch_[k].counts && touch_[k].gap <= 1e-7 * length_ &&
                      std::fabs(touch_[k].speed.x) <= 10 * fastest;
    if (is_listed(k) && near && std::find(touching_.begin(), touching_.end(), k) == touching_.end())
      touching_.push_back(k);
  }
  prepare();
  std::vector<int> places;
  for (std::size_t i = 0; i < touching_.size(); ++i)
    if (is_listed(touching_[i])) places.push_back(static_cast<int>(i));
  stop_bouncing(places);
  decide_modes();
  close_low_bounces();
}

}  // namespace cartan::mechanics
