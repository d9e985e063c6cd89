// What touches, how it moves and what impulses do there; events.
#include "mechanics/contacts/contact_events.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/contacts/contact_tolerances.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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

double ContactEvents::row_speed(int number) const {
  return ws_.row_speed[mechanism_.contacts[touching_[number / 3]].row0 + number % 3];
}

double ContactEvents::kinetic() {
  fill_kinematics<double>(mechanism_, state_.t, state_.x.data(), v(), ws_);
  return calc_kinetic_energy(mechanism_, ws_);
}

// Of rows, one after the other, those that do not depend on the chosen ones before.
std::vector<ContactEvents::RowChoice> ContactEvents::choose_independent(
    const std::vector<RowChoice>& order) const {
  const double largest = A_.size() > 0 ? A_.diagonal().maxCoeff() : 0;
  const int n = static_cast<int>(order.size());
  const auto product = [&](const RowChoice& a, const RowChoice& b) {
    double sum = 0;
    for (int i = 0; i < (a.across ? 2 : 1); ++i)
      for (int j = 0; j < (b.across ? 2 : 1); ++j)
        sum += a.factor[i] * b.factor[j] * A_(a.number + i, b.number + j);
    return sum;
  };
  MatrixXd L = MatrixXd::Zero(n, n);
  std::vector<RowChoice> chosen;
  for (const RowChoice& candidate : order) {
    const int at = static_cast<int>(chosen.size());
    VectorXd row(at);
    double rest = product(candidate, candidate);
    for (int c = 0; c < at; ++c) {
      row[c] = (product(candidate, chosen[c]) - row.head(c).dot(L.row(c).head(c))) / L(c, c);
      rest -= row[c] * row[c];
    }
    if (!(rest > dependent_row * largest)) continue;
    L.row(at).head(at) = row.transpose();
    L(at, at) = std::sqrt(rest);
    chosen.push_back(candidate);
  }
  return chosen;
}

// The same of numbers of A.
std::vector<int> ContactEvents::choose_independent(const std::vector<int>& order) const {
  std::vector<RowChoice> rows;
  for (int number : order) rows.push_back({number, false, {1, 0}});
  std::vector<int> chosen;
  for (const RowChoice& row : choose_independent(rows)) chosen.push_back(row.number);
  return chosen;
}

ContactEvents::RowChoice ContactEvents::across(int place) const {
  const HeldDirection d = held_direction(mode(touching_[place]));
  return {3 * place + 1, true, {-d.along2, d.along1}};
}

// A contact that slips has become slow: from here on it goes straight, unless that is decided
// already.
void ContactEvents::hold_direction(int k) {
  touching_.clear();
  for (int i = 0; i < count_; ++i)
    if (mode(i) != contact_open) touching_.push_back(i);
  prepare();
  std::vector<RowChoice> order;
  int flag = 0, place = 0;
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const ContactElement<double>& e = mechanism_.contacts[touching_[i]];
    if (touching_[i] == k) place = static_cast<int>(i);
    for (int c = 0; c < e.rows; ++c) {
      if (row_flag(e.row0 + c) == 0) continue;
      flag = std::max(flag, row_flag(e.row0 + c));
      if (c > 0 && is_creeping(mode(touching_[i])))
        order.push_back(across(static_cast<int>(i)));
      else
        order.push_back({3 * static_cast<int>(i) + c, false, {1, 0}});
    }
  }
  const std::size_t before = order.size();
  order.push_back(across(place));
  const std::vector<RowChoice> chosen = choose_independent(order);
  const bool normal_acts = row_flag(mechanism_.contacts[k].row0) != 0;
  if (normal_acts && chosen.size() == before + 1) row_flag(mechanism_.contacts[k].row0 + 1) = flag;
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
      hold_direction(k);
      return;
    }
    if (slide > creeping_speed) {
      mode(k) = contact_slips;
      row_flag(mechanism_.contacts[k].row0 + 1) = 0;
      return;
    }
    if (slide > sticking_speed()) turning_ = k;  // neither fast nor at rest: the cone is too narrow
  }
  find_touching();
  if (impact()) {
    opened_ = slipped_ = -1;  // forces are others now
  }
  if (notes_.problem.empty()) decide_modes();
  close_low_bounces();
  begin_sliding();
}

bool ContactEvents::settle() {
  measure();
  find_touching();
  notes_.problem = find_overlap();
  if (touching_.empty() || !notes_.problem.empty()) return false;
  impact();
  if (notes_.problem.empty()) decide_modes();
  // what is closed only now and never slides may have to stop
  if (notes_.problem.empty() && impact() && notes_.problem.empty()) decide_modes();
  close_low_bounces();
  begin_sliding();
  return true;
}

void ContactEvents::decide_again() {
  if (!keeping_) parting_ = seen_parting;
  measure();
  touching_.clear();
  for (int k = 0; k < count_; ++k)
    if (mode(k) != contact_open) touching_.push_back(k);
  if (touching_.empty()) return;
  decide_modes();
  close_low_bounces();
  begin_sliding();
}

bool ContactEvents::is_settled() {
  const auto kind = [](int m) { return m <= contact_closed && m >= 0 ? m : 2; };
  const std::vector<int> before = state_.mode;
  keeping_ = true;
  decide_again();
  bool same = notes_.problem.empty();
  for (int k = 0; k < count_; ++k)
    same = same && kind(mode(k)) == kind(before[mechanism_.contact_mode0 + k]);
  return same;
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

}  // namespace cartan::mechanics
