// Which contacts are closed, stick or slip: complementarity on accelerations.
#include "mechanics/contacts/contact_events.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mechanics/contacts/contact_problem.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/contacts/contact_tolerances.h"

namespace cartan::mechanics {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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
  for (std::size_t i = 0; keeping_ && i < places.size(); ++i) {
    const int m = mode(touching_[places[i]]);
    problem.expected_closed.push_back(m != contact_open);
    problem.expected_slips.push_back(is_slipping(m) &&
                                     problem.laws[i].kind == ContactLaw::Kind::friction);
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
    notes_.residual = std::max(notes_.residual, solution.residual);
    if (all.size() > 1)
      notes_.remark = fmt::format(
          "at t = {:.9g} {}: {} accelerations are consistent with it (Painleve's paradox). The one "
          "with the least contact force is chosen{}",
          state_.t, describe_sliding(slider), all.size(),
          solution.r.squaredNorm() == 0 ? ": the contact opens" : "");
    return true;
  }
  solution = solve_contacts(problem);
  if (solution.found) {
    notes_.residual = std::max(notes_.residual, solution.residual);
    return true;
  }
  if (slider >= 0)
    return fail(describe_sliding(slider) +
                fmt::format(": no acceleration is consistent with all contacts (residual {:.2g}), "
                            "which friction can cause (Painleve's paradox)",
                            solution.residual));
  return fail(fmt::format("the forces at {} could not be found (residual {:.2g})",
                          names_of(touching_), solution.residual));
}

// What creeps goes straight where that is independent of all that is held. Directions of several
// that begin to slide together need not belong to one motion: these are held by their forces alone.
void ContactEvents::keep_straight(const std::vector<int>& places, const std::vector<int>& chosen,
                                  int flag) {
  std::vector<RowChoice> order;
  for (int number : chosen) order.push_back({number, false, {1, 0}});
  for (int place : places) {
    const int k = touching_[place];
    const bool begins = std::find(begins_.begin(), begins_.end(), place) != begins_.end();
    if (is_creeping(mode(k)) && row_flag(mechanism_.contacts[k].row0) != 0 && k != turning_ &&
        (!begins || begins_.size() == 1))
      order.push_back(across(place));
  }
  for (const RowChoice& row : choose_independent(order))
    if (row.across) row_flag(mechanism_.contacts[touching_[row.number / 3]].row0 + 1) = flag;
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
  // a row that is zero (motion across a plane mechanism) carries nothing, and others are unique
  const double zero = dependent_row * A_.diagonal().maxCoeff();
  const bool loose = std::any_of(order.begin(), order.end(), [&](int number) {
    return A_(number, number) > zero &&
           std::find(chosen.begin(), chosen.end(), number) == chosen.end();
  });
  for (int number : chosen)
    row_flag(mechanism_.contacts[touching_[number / 3]].row0 + number % 3) = loose ? loose_row : 1;
  keep_straight(places, chosen, loose ? loose_row : 1);
  // what carries nothing but touches all the same stays closed if it depends on the others
  for (int i : sorted) {
    if (solution.closed[i] || solution.w[3 * i] > parting_ * acceleration_) continue;
    std::vector<int> more = chosen;
    more.push_back(3 * places[i]);
    if (choose_independent(more).size() == chosen.size())
      mode(touching_[places[i]]) = contact_closed;
  }
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
    else if (solution.slips[i]) {
      mode(k) = creeping_mode(-solution.r[n + 1], -solution.r[n + 2]);
      begins_.push_back(places[i]);
    } else
      mode(k) = contact_closed;
  }
  activate_rows(places, solution);
}

// When what bounces comes back: 2 g' / -g''. What rises to less than rounding is low.
void ContactEvents::expect_next(const std::vector<int>& places, const VectorXd& forces) {
  VectorXd all = VectorXd::Zero(A_.rows());
  for (std::size_t i = 0; i < places.size(); ++i)
    all.segment(3 * places[i], 3) = forces.segment(3 * static_cast<int>(i), 3);
  const VectorXd rate = A_ * all + accelerations_;
  low_.clear();
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const int k = 3 * static_cast<int>(i);
    if (mode(touching_[i]) != contact_open || !(rate[k] < 0) || !(speeds_[k] > 0)) continue;
    if (speeds_[k] * speeds_[k] < -2 * rate[k] * bounce_height * length_)
      low_.push_back(static_cast<int>(i));
    else
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
  low_.clear();
  begins_.clear();
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

// The order of contacts is given: normals first, then tangents; rows that depend on others carry
// nothing.
std::string ContactEvents::hold(std::span<const int> contacts) {
  touching_.clear();
  for (int r = mechanism_.contact_row0; r < mechanism_.row_count(); ++r) row_flag(r) = 0;
  for (int k = 0; k < count_; ++k) {
    const int of_model = mechanism_.contacts[k].contact;
    const bool listed = std::find(contacts.begin(), contacts.end(), of_model) != contacts.end();
    mode(k) = listed ? contact_closed : contact_open;
    if (listed) touching_.push_back(k);
  }
  measure();
  if (touching_.empty()) return "";
  prepare();
  std::vector<int> order;
  for (std::size_t i = 0; i < touching_.size(); ++i) order.push_back(3 * static_cast<int>(i));
  for (std::size_t i = 0; i < touching_.size(); ++i)
    for (int c = 1; c < 3 && rubs(touching_[i]); ++c) order.push_back(3 * static_cast<int>(i) + c);
  const std::vector<int> chosen = choose_independent(order);
  const double zero = dependent_row * A_.diagonal().maxCoeff();
  for (const int number : order) {
    const bool acts = std::find(chosen.begin(), chosen.end(), number) != chosen.end();
    // a row that is zero (across a plane mechanism) carries nothing
    if (!acts && (A_(number, number) > zero || number % 3 == 0))
      return fmt::format(
          "the contacts {} cannot all be closed with forces that are unique: that of contact {} "
          "follows from the others, or it holds what cannot move; leave it out",
          names_of(touching_), names_of({touching_[number / 3]}));
    if (acts) row_flag(mechanism_.contacts[touching_[number / 3]].row0 + number % 3) = 1;
  }
  return "";
}

}  // namespace cartan::mechanics
