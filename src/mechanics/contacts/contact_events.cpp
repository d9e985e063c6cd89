#include "mechanics/contacts/contact_events.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/dense.h"
#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/contacts/contact_problem.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/kinematics.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double touching_gap = 1e-11;     // of the size of the mechanism
constexpr double overlap = 1e-9;           // more is an error of the model
constexpr double resting_speed = 1e-12;    // of the speeds of the mechanism
constexpr double no_force = 1e-9;          // of what the accelerations would take
constexpr double before_standstill = 0.4;  // part of the time to it that is announced
constexpr double beyond_cone = 1e-9;       // part of mu taken away so that sticking ends
constexpr double energy_gain = 1e-12;      // of the kinetic energy
constexpr double dependent_row = 1e-10;    // of the largest diagonal of A

}  // namespace

ContactEvents::ContactEvents(const Mechanism<double>& mechanism, AccelerationSolver<double> solve,
                             MotionWorkspace<double>& ws, State& state, JumpNotes& notes)
    : mechanism_(mechanism),
      solve_(solve),
      ws_(ws),
      state_(state),
      notes_(notes),
      count_(static_cast<int>(mechanism.contacts.size())),
      touch_(count_) {
  const int rows = mechanism.row_count() - mechanism.contact_row0;
  sources_of_.resize(rows);
  terms_of_.resize(rows);
  for (std::size_t s = mechanism.contact_source0; s < mechanism.sources.size(); ++s)
    sources_of_[mechanism.sources[s].row - mechanism.contact_row0].push_back(static_cast<int>(s));
  for (std::size_t k = 0; k < mechanism.terms.size(); ++k)
    if (mechanism.terms[k].row >= mechanism.contact_row0)
      terms_of_[mechanism.terms[k].row - mechanism.contact_row0].push_back(static_cast<int>(k));
}

bool ContactEvents::fail(std::string sentence) {
  notes_.problem = std::move(sentence);
  return false;
}

bool ContactEvents::rubs(int k) const {
  const ContactElement<double>& e = mechanism_.contacts[k];
  return e.rough || (e.rubs && e.friction > 0);
}

// Each contact of the model once.
std::string ContactEvents::names_of(const std::vector<int>& contacts) const {
  std::vector<int> of_model;
  for (int k : contacts)
    if (std::find(of_model.begin(), of_model.end(), mechanism_.contacts[k].contact) ==
        of_model.end())
      of_model.push_back(mechanism_.contacts[k].contact);
  std::string text;
  for (int c : of_model)
    text += (text.empty() ? "'" : ", '") + mechanism_.model->contacts[c].name + "'";
  return text;
}

// ------------------------------------------------------------------------------ what is where

void ContactEvents::measure() {
  std::copy(state_.mode.begin(), state_.mode.end(), ws_.mode.begin());
  fill_kinematics<double>(mechanism_, state_.t, state_.x.data(), v(), ws_);
  length_ = 1;
  speed_ = 1;
  for (const LinkState<double>& x : ws_.links) {
    length_ = std::max(length_, norm(x.o));
    speed_ = std::max(speed_, norm(x.u) + norm(x.w));
  }
  for (int k = 0; k < count_; ++k) {
    const ContactElement<double>& e = mechanism_.contacts[k];
    touch_[k] = {calc_gap(mechanism_, ws_, e), calc_contact_speed(mechanism_, ws_, e),
                 is_counting(mechanism_, ws_, e)};
  }
}

void ContactEvents::find_touching() {
  touching_.clear();
  for (int k = 0; k < count_; ++k) {
    if (!touch_[k].counts && mode(k) == contact_open) continue;
    const double near =
        touching_gap * length_ + 64 * 2.3e-16 * std::fabs(touch_[k].speed.x) * std::fabs(state_.t);
    if (mode(k) != contact_open || k == met_ || touch_[k].gap <= near) touching_.push_back(k);
  }
}

std::string ContactEvents::find_overlap() {
  measure();
  for (int k = 0; k < count_; ++k)
    if (touch_[k].counts && touch_[k].gap < -overlap * length_)
      return fmt::format(
          "contact '{}': its surfaces overlap by {:.3g} m; move them apart, or let the contact "
          "count later ('active')",
          mechanism_.model->contacts[mechanism_.contacts[k].contact].name, -touch_[k].gap);
  return "";
}

// y' or y of a row from the accelerations in ws (with -gravity as that of the world).
double ContactEvents::respond(int row) const {
  double sum = 0;
  for (int s : sources_of_[row - mechanism_.contact_row0]) {
    const int link = mechanism_.sources[s].link;
    sum += link == world ? -dot(ws_.source_f[s], ws_.gravity)
                         : dot(ws_.source_n[s], ws_.links[link].dw) +
                               dot(ws_.source_f[s], ws_.links[link].du);
  }
  for (int k : terms_of_[row - mechanism_.contact_row0]) {
    const RowTerm<double>& term = mechanism_.terms[k];
    sum += term.factor * ws_.vdot[mechanism_.links[term.link].v0 + term.component];
  }
  return sum;
}

void ContactEvents::push(int row, double amount) {
  for (int s : sources_of_[row - mechanism_.contact_row0]) {
    const int link = mechanism_.sources[s].link;
    if (link == world) continue;
    ws_.wrench_n[link] += amount * ws_.source_n[s];
    ws_.wrench_f[link] += amount * ws_.source_f[s];
  }
  for (int k : terms_of_[row - mechanism_.contact_row0]) {
    const RowTerm<double>& term = mechanism_.terms[k];
    ws_.tau[mechanism_.links[term.link].v0 + term.component] += amount * term.factor;
  }
}

// The rows of all that touches are filled, none of them is active.
void ContactEvents::fill_touching(const double* speeds) {
  std::copy(state_.mode.begin(), state_.mode.end(), ws_.mode.begin());
  for (int k = 0; k < count_; ++k) ws_.mode[mechanism_.contact_mode0 + k] = contact_open;
  for (int k : touching_) ws_.mode[mechanism_.contact_mode0 + k] = contact_closed;
  for (int r = mechanism_.contact_row0; r < mechanism_.row_count(); ++r)
    ws_.mode[mechanism_.mode_count + r] = 0;
  fill_kinematics<double>(mechanism_, state_.t, state_.x.data(), speeds, ws_);
}

// Ready for impulses: at rest, no forces, no joint held.
void ContactEvents::clear_forces() {
  std::fill(ws_.row_rest.begin(), ws_.row_rest.end(), 0.0);
  std::fill(ws_.prescribed.begin(), ws_.prescribed.end(), 0.0);
  std::fill(ws_.tau.begin(), ws_.tau.end(), 0.0);
  std::fill(ws_.wrench_n.begin(), ws_.wrench_n.end(), Vec3<double>{});
  std::fill(ws_.wrench_f.begin(), ws_.wrench_f.end(), Vec3<double>{});
  ws_.gravity = {};
  ws_.any_locked = false;
}

void ContactEvents::prepare() {
  const int n = static_cast<int>(touching_.size());
  A_.setZero(3 * n, 3 * n);
  speeds_.setZero(3 * n);
  accelerations_.setZero(3 * n);
  const auto for_each_row = [&](auto&& visit) {
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < mechanism_.contacts[touching_[i]].rows; ++c)
        visit(3 * i + c, mechanism_.contacts[touching_[i]].row0 + c);
  };
  fill_touching(v());
  fill_forces(mechanism_, ws_);
  solve_with_friction(mechanism_, ws_, solve_);
  acceleration_ = std::max(norm(ws_.gravity), 1e-300);
  for (const LinkState<double>& x : ws_.links)
    acceleration_ = std::max(acceleration_, norm(x.du) + norm(x.dw));
  for_each_row([&](int i, int row) {
    speeds_[i] = ws_.row_speed[row];
    accelerations_[i] = respond(row) + ws_.row_rest[row];
  });
  still_.assign(mechanism_.nv, 0.0);
  fill_touching(still_.data());
  for_each_row([&](int j, int column) {
    clear_forces();
    push(column, 1);
    solve_closed(mechanism_, ws_);
    for_each_row([&](int i, int row) { A_(i, j) = respond(row); });
  });
  const MatrixXd symmetric = 0.5 * (A_ + A_.transpose());
  A_ = symmetric;
}

// v += M^-1 J^T impulses, constraints kept. The change of the kinetic energy counts as work.
void ContactEvents::apply(const VectorXd& impulses) {
  const double before = kinetic();
  fill_touching(still_.data());
  clear_forces();
  for (std::size_t i = 0; i < touching_.size(); ++i)
    for (int c = 0; c < mechanism_.contacts[touching_[i]].rows; ++c)
      push(mechanism_.contacts[touching_[i]].row0 + c, impulses[3 * static_cast<int>(i) + c]);
  solve_closed(mechanism_, ws_);
  for (int j = 0; j < mechanism_.nv; ++j) v()[j] += ws_.vdot[j];
  const std::size_t work = mechanism_.state_size();
  const double change = kinetic() - before;
  if (work < state_.x.size()) state_.x[work] += change;
}

double ContactEvents::kinetic() {
  fill_kinematics<double>(mechanism_, state_.t, state_.x.data(), v(), ws_);
  return calc_kinetic_energy(mechanism_, ws_);
}

// ------------------------------------------------------------------------------------- impacts

bool ContactEvents::solve_impact(VectorXd& P) {
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
    problem.laws.push_back(law);
    poisson |= e.poisson && speeds_[3 * i] < 0;
  }
  const auto unsolved = [&](double residual) {
    return fail(fmt::format(
        "the impact at {} has no solution that could be found (residual {:.2g}); use equal laws "
        "for these contacts, or fewer of them",
        names_of(touching_), residual));
  };
  if (!poisson)
    for (int i = 0; i < n; ++i)
      problem.b[3 * i] +=
          mechanism_.contacts[touching_[i]].restitution * std::min(0.0, speeds_[3 * i]);
  ContactSolution first = solve_contacts(problem);
  if (!first.found) return unsolved(first.residual);
  P = first.r;
  if (!poisson) return true;
  VectorXd expansion = VectorXd::Zero(3 * n);
  for (int i = 0; i < n; ++i) {
    problem.laws[i].given = mechanism_.contacts[touching_[i]].restitution * first.r[3 * i];
    expansion[3 * i] = problem.laws[i].given;
  }
  problem.b = speeds_ + A_ * (first.r + expansion);
  const ContactSolution second = solve_contacts(problem);
  if (!second.found) return unsolved(second.residual);
  P = first.r + expansion + second.r;
  return true;
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

// False: nothing approaches, or the motion cannot go on.
bool ContactEvents::impact() {
  const double tolerance = resting_speed * speed_;
  const bool approaches = std::any_of(touching_.begin(), touching_.end(), [&](int k) {
    return touch_[k].speed.x < -(mode(k) == contact_open ? tolerance : 1e4 * tolerance);
  });
  if (!approaches) return false;
  prepare();
  VectorXd P;
  if (!solve_impact(P)) return false;
  const VectorXd after = speeds_ + A_ * P, mean = 0.5 * (speeds_ + after);
  if (gains_energy(-P.dot(mean), kinetic())) return false;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = 3 * static_cast<int>(i);
    if (!(P[k] > 0)) continue;
    notes_.impacts.push_back({mechanism_.contacts[touching_[i]].contact, state_.t, speeds_[k],
                              after[k], P[k], std::hypot(P[k + 1], P[k + 2]),
                              -P.segment(k, 3).dot(mean.segment(k, 3))});
  }
  apply(P);
  // what bounces is open from here on
  for (std::size_t i = 0; i < touching_.size(); ++i)
    if (after[3 * static_cast<int>(i)] > tolerance) mode(touching_[i]) = contact_open;
  if (mechanism_.friction_modes > 0)
    start_friction(mechanism_, {state_.t, state_.x.data(), v(), state_.mode}, ws_, solve_);
  return true;
}

// --------------------------------------------------------------------------------------- modes

// Painleve: a sliding contact whose friction makes the normal acceleration fall with the normal
// force.
std::string ContactEvents::describe_sliding(int k) const {
  const ContactElement<double>& e = mechanism_.contacts[k];
  std::string angle;
  if (e.kind == ContactKind::plane && e.on.a_link != world) {
    const LinkState<double>& x = ws_.links[e.on.a_link];
    const ContactFrame<double> f = calc_contact_frame(e.on, e.kind, ws_);
    const Vec3<double> arm = x.o + x.R * mechanism_.bodies[e.on.a_link].com_L - f.c;
    const double rise = dot(arm, f.n);
    angle = fmt::format(", the centre of mass at {:.6g} rad above the surface",
                        std::atan2(rise, norm(arm - rise * f.n)));
  }
  return fmt::format("contact '{}' slides with friction coefficient {:.6g}{}",
                     mechanism_.model->contacts[e.contact].name, e.friction, angle);
}

std::string ContactEvents::find_jam() {
  constexpr double nearly = 1e-2;  // what is left of the effect of the normal force
  measure();
  find_touching();
  if (touching_.empty()) return "";
  prepare();
  measure();
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = touching_[i], n = 3 * static_cast<int>(i);
    if (!is_slipping(mode(k))) continue;
    const Vec3<double>& u = touch_[k].speed;
    const double slide = std::max(std::hypot(u.y, u.z), 1e-300);
    const double pivot = A_(n, n) - mechanism_.contacts[k].friction *
                                        (A_(n, n + 1) * u.y + A_(n, n + 2) * u.z) / slide;
    if (pivot < nearly * A_(n, n))
      return describe_sliding(k) +
             ": its normal force grows without bound (Painleve's paradox, a dynamic jam); "
             "rigid-body sliding cannot go on from here. Use a smaller coefficient, or a compliant "
             "support (a spring)";
  }
  return "";
}

bool ContactEvents::choose_solution(const std::vector<int>& places, ContactSolution& solution) {
  const int n = static_cast<int>(places.size());
  ContactProblem problem;
  problem.A.resize(3 * n, 3 * n);
  problem.b.resize(3 * n);
  bool only_known = true, doubtful = false;
  int slider = -1;
  for (int i = 0; i < n; ++i) {
    const int k = touching_[places[i]];
    const ContactElement<double>& e = mechanism_.contacts[k];
    problem.b.segment(3 * i, 3) = accelerations_.segment(3 * places[i], 3);
    for (int j = 0; j < n; ++j)
      problem.A.block(3 * i, 3 * j, 3, 3) = A_.block(3 * places[i], 3 * places[j], 3, 3);
    ContactLaw law;
    law.mu = e.friction;
    const Vec3<double>& u = touch_[k].speed;
    const double slide = std::hypot(u.y, u.z);
    if (e.rough) {
      law.kind = ContactLaw::Kind::rough;
    } else if (!rubs(k)) {
      law.kind = ContactLaw::Kind::smooth;
    } else if (slide > sticking_speed()) {
      law.kind = ContactLaw::Kind::sliding;
      law.d1 = u.y / slide;
      law.d2 = u.z / slide;
      const int a = 3 * places[i];
      slider = k;
      doubtful |= A_(a, a) - law.mu * (A_(a, a + 1) * law.d1 + A_(a, a + 2) * law.d2) <= 0;
    } else {
      law.kind = ContactLaw::Kind::friction;
      if (k == slipped_) law.mu *= 1 - beyond_cone;
    }
    only_known &= law.kind == ContactLaw::Kind::smooth || law.kind == ContactLaw::Kind::sliding;
    problem.laws.push_back(law);
  }
  if (doubtful && only_known && n <= 12) {
    const std::vector<ContactSolution> all = find_all_solutions(problem);
    if (all.empty())
      return fail(describe_sliding(slider) +
                  ": no acceleration is consistent with it (Painleve's paradox); rigid-body "
                  "sliding cannot go on from here. Use a smaller coefficient, or a compliant "
                  "support (a spring)");
    solution = *std::min_element(all.begin(), all.end(),
                                 [](const ContactSolution& a, const ContactSolution& b) {
                                   return a.r.squaredNorm() < b.r.squaredNorm();
                                 });
    if (all.size() > 1)
      notes_.remark = fmt::format(
          "at t = {:.9g} {}: {} accelerations are consistent with it (Painleve's paradox). The one "
          "with the least contact force is chosen{}",
          state_.t, describe_sliding(slider), all.size(),
          solution.r.squaredNorm() == 0 ? ": the contact opens" : "");
    return true;
  }
  solution = solve_contacts(problem);
  if (solution.found) return true;
  if (slider >= 0)
    return fail(describe_sliding(slider) +
                fmt::format(": no acceleration is consistent with all contacts (residual {:.2g}), "
                            "which friction can cause (Painleve's paradox)",
                            solution.residual));
  return fail(fmt::format("the forces at {} could not be found (residual {:.2g})",
                          names_of(touching_), solution.residual));
}

// Independent rows: normals with the largest forces first, then tangents of what sticks.
void ContactEvents::activate_rows(const std::vector<int>& places, const ContactSolution& solution) {
  for (int r = mechanism_.contact_row0; r < mechanism_.row_count(); ++r) row_flag(r) = 0;
  std::vector<int> order;  // numbers of A_
  std::vector<int> sorted(places.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<int>(i);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int a, int b) { return solution.r[3 * a] > solution.r[3 * b]; });
  for (int i : sorted)
    if (solution.closed[i]) order.push_back(3 * places[i]);
  for (int i : sorted) {
    const int k = touching_[places[i]];
    if (mode(k) != contact_closed || !rubs(k)) continue;
    order.push_back(3 * places[i] + 1);
    order.push_back(3 * places[i] + 2);
  }
  const std::vector<int> chosen = choose_independent(order);
  for (int number : chosen)
    row_flag(mechanism_.contacts[touching_[number / 3]].row0 + number % 3) = 1;
  // what carries nothing but touches all the same stays closed if it depends on the others
  for (int i : sorted) {
    if (solution.closed[i] || solution.w[3 * i] > 1e-9 * acceleration_) continue;
    std::vector<int> more = chosen;
    more.push_back(3 * places[i]);
    if (choose_independent(more).size() == chosen.size())
      mode(touching_[places[i]]) = contact_closed;
  }
}

// Of numbers of A, one after the other, those whose rows do not depend on the chosen ones before.
std::vector<int> ContactEvents::choose_independent(const std::vector<int>& order) const {
  const double largest = A_.size() > 0 ? A_.diagonal().maxCoeff() : 0;
  const int n = static_cast<int>(order.size());
  MatrixXd L = MatrixXd::Zero(n, n);
  std::vector<int> chosen;
  for (int number : order) {
    const int at = static_cast<int>(chosen.size());
    VectorXd row(at);
    double rest = A_(number, number);
    for (int c = 0; c < at; ++c) {
      row[c] = (A_(number, chosen[c]) - row.head(c).dot(L.row(c).head(c))) / L(c, c);
      rest -= row[c] * row[c];
    }
    if (!(rest > dependent_row * largest)) continue;
    L.row(at).head(at) = row.transpose();
    L(at, at) = std::sqrt(rest);
    chosen.push_back(number);
  }
  return chosen;
}

void ContactEvents::set_modes(const std::vector<int>& places, ContactSolution& solution) {
  const double size = acceleration_ / std::max(A_.diagonal().maxCoeff(), 1e-300);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int k = touching_[places[i]], n = 3 * static_cast<int>(i);
    // next to no force where the surfaces have only just met: that is parting
    if (mode(k) == contact_open && solution.r[n] < no_force * size) solution.closed[i] = 0;
    if (!solution.closed[i]) {
      mode(k) = contact_open;
      continue;
    }
    const Vec3<double>& u = touch_[k].speed;
    const double slide = std::hypot(u.y, u.z);
    if (!rubs(k) || mechanism_.contacts[k].rough)
      mode(k) = contact_closed;
    else if (slide > creeping_speed)
      mode(k) = contact_slips;
    else if (slide > sticking_speed())
      mode(k) = creeping_mode(u.y, u.z);
    else if (solution.slips[i])
      mode(k) = creeping_mode(-solution.r[n + 1], -solution.r[n + 2]);
    else
      mode(k) = contact_closed;
  }
  activate_rows(places, solution);
}

// When what bounces comes back: 2 g' / -g''.
void ContactEvents::expect_next(const std::vector<int>& places, const VectorXd& forces) {
  VectorXd all = VectorXd::Zero(A_.rows());
  for (std::size_t i = 0; i < places.size(); ++i)
    all.segment(3 * places[i], 3) = forces.segment(3 * static_cast<int>(i), 3);
  const VectorXd rate = A_ * all + accelerations_;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = 3 * static_cast<int>(i);
    if (mode(touching_[i]) != contact_open || !(rate[k] < 0) ||
        !(speeds_[k] > resting_speed * speed_))
      continue;
    announce(-2 * speeds_[k] / rate[k]);
  }
  // sliding that ends: steps become short before it
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = 3 * static_cast<int>(i);
    if (mode(touching_[i]) != contact_slips) continue;
    const double slide = std::hypot(speeds_[k + 1], speeds_[k + 2]);
    const double change = (speeds_[k + 1] * rate[k + 1] + speeds_[k + 2] * rate[k + 2]) / slide;
    if (change < 0) announce(-before_standstill * slide / change);
  }
}

void ContactEvents::announce(double time) {
  if (notes_.soon == 0 || time < notes_.soon) notes_.soon = time;
}

void ContactEvents::decide_modes() {
  prepare();
  measure();
  const double tolerance = resting_speed * speed_;
  std::vector<int> places, others;
  int left_out = -1;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = touching_[i];
    if (touch_[k].speed.x > 100 * tolerance && mode(k) == contact_open) continue;
    if (k == opened_) {
      left_out = static_cast<int>(i);
      continue;
    }
    places.push_back(static_cast<int>(i));
  }
  ContactSolution solution;
  if (!choose_solution(places, solution)) return;
  if (left_out >= 0) {
    // the contact that lets go must part
    double rate = accelerations_[3 * left_out];
    for (std::size_t i = 0; i < places.size(); ++i)
      rate += A_.block(3 * left_out, 3 * places[i], 1, 3)
                  .row(0)
                  .dot(solution.r.segment(3 * static_cast<int>(i), 3));
    mode(touching_[left_out]) = contact_open;
    if (rate < -1e-7 * acceleration_) {
      places.push_back(left_out);
      if (!choose_solution(places, solution)) return;
    }
  }
  set_modes(places, solution);
  expect_next(places, solution.r);
}

// -------------------------------------------------------------------------------------- events

void ContactEvents::change(int which) {
  const int k = which / 2;
  const bool first = which % 2 == 0;
  if (first && mode(k) == contact_open) met_ = k;
  if (first && mode(k) != contact_open) opened_ = k;
  if (!first && mode(k) == contact_closed) slipped_ = k;
  measure();
  if (met_ >= 0 && touch_[k].counts && touch_[k].gap < -overlap * length_) {
    notes_.problem = find_overlap();
    return;
  }
  if (!first && is_slipping(mode(k))) {
    const Vec3<double>& u = touch_[k].speed;
    const double slide = std::hypot(u.y, u.z);
    if (!is_creeping(mode(k))) {
      mode(k) = creeping_mode(u.y, u.z);
      return;
    }
    if (slide > creeping_speed) {
      mode(k) = contact_slips;
      return;
    }
  }
  find_touching();
  if (impact()) {
    opened_ = slipped_ = -1;  // forces are others now
  }
  if (notes_.problem.empty()) decide_modes();
}

bool ContactEvents::find_impact(int which, std::vector<int>& rows, std::string& why) {
  if (which % 2 != 0 || mode(which / 2) != contact_open) return false;
  met_ = which / 2;
  measure();
  find_touching();
  if (!(touch_[met_].speed.x < 0)) return false;
  prepare();
  VectorXd P;
  if (!solve_impact(P)) {
    why = notes_.problem;
    return true;
  }
  const VectorXd after = speeds_ + A_ * P;
  const double size = P.cwiseAbs().maxCoeff();
  std::vector<int> normals, tangents;
  bool poisson = false;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = 3 * static_cast<int>(i);
    const ContactElement<double>& e = mechanism_.contacts[touching_[i]];
    if (!(P[k] > 1e-12 * size)) continue;
    normals.push_back(k);
    poisson |= e.poisson;
    if (!rubs(touching_[i])) continue;
    if (std::hypot(after[k + 1], after[k + 2]) > sticking_speed())
      why = fmt::format(
          "contact '{}' slides during the impact; derivatives are taken of impacts without "
          "friction and of those that stick",
          mechanism_.model->contacts[e.contact].name);
    tangents.push_back(k + 1);
    tangents.push_back(k + 2);
  }
  if (poisson && normals.size() > 1)
    why = "derivatives of impacts of several contacts are taken with Newton's law only";
  normals.insert(normals.end(), tangents.begin(), tangents.end());
  rows.clear();
  for (int number : choose_independent(normals))
    rows.push_back(mechanism_.contacts[touching_[number / 3]].row0 + number % 3);
  return true;
}

bool ContactEvents::settle() {
  measure();
  find_touching();
  notes_.problem = find_overlap();
  if (touching_.empty() || !notes_.problem.empty()) return false;
  impact();
  if (notes_.problem.empty()) decide_modes();
  return true;
}

void ContactEvents::start() {
  for (int k = 0; k < count_; ++k) mode(k) = contact_open;
  for (int r = mechanism_.contact_row0; r < mechanism_.row_count(); ++r) row_flag(r) = 0;
  measure();
  find_touching();
  // approaching ones are left to settle(), parting ones are open
  std::erase_if(touching_, [&](int k) { return std::fabs(touch_[k].speed.x) > 1e-9 * speed_; });
  if (!touching_.empty()) decide_modes();
}

void ContactEvents::close(std::span<const int> contacts) {
  measure();
  find_touching();
  for (int k = 0; k < count_; ++k) {
    const int c = mechanism_.contacts[k].contact;
    const bool listed = std::find(contacts.begin(), contacts.end(), c) != contacts.end();
    const bool near = touch_[k].counts && touch_[k].gap <= 1e-6 * length_;
    if (listed && near && std::find(touching_.begin(), touching_.end(), k) == touching_.end())
      touching_.push_back(k);
  }
  // their normal speeds go to zero by the impulse that belongs to it; what sticks goes on sticking
  prepare();
  const auto is_listed = [&](int k) {
    return std::find(contacts.begin(), contacts.end(), mechanism_.contacts[k].contact) !=
           contacts.end();
  };
  double fastest = 0;
  for (std::size_t i = 0; i < touching_.size(); ++i)
    if (is_listed(touching_[i]))
      fastest = std::max(fastest, std::fabs(speeds_[3 * static_cast<int>(i)]));
  std::vector<int> places, numbers;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = touching_[i], n = 3 * static_cast<int>(i);
    if (!is_listed(k) && mode(k) == contact_open) continue;
    if (is_listed(k)) places.push_back(static_cast<int>(i));
    numbers.push_back(n);
    if (!rubs(k) || std::hypot(speeds_[n + 1], speeds_[n + 2]) > 10 * fastest) continue;
    numbers.push_back(n + 1);
    numbers.push_back(n + 2);
  }
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
  apply(impulses);
  for (int i : places) mode(touching_[i]) = contact_closed;
  decide_modes();
}

}  // namespace cartan
