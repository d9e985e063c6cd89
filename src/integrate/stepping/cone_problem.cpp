#include "integrate/stepping/cone_problem.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace cartan::integrate {
namespace {

// Three ways take turns, with ever more rounds, first the one that helped the last time.
// Extrapolation that begins anew after a few rounds without coming nearer is the quickest as a
// rule. A pile that leans needs long runs of it, and where friction drives impulses round in a
// circle s has to be held.
constexpr ConeProblem::Turn turns[] = {{100, 8, false}, {300, 1 << 20, false}, {300, 8, true}};
constexpr int turn_growth = 3;
constexpr int rounds_held = 50;       // for a convex problem within the whole
constexpr int rounds_between = 10;    // looks at what has settled
constexpr double settled_part = 0.3;  // of what may change: such places wait for the others

typedef double Four __attribute__((vector_size(32), may_alias));
typedef double LooseFour __attribute__((vector_size(32), aligned(8), may_alias));

inline const Four& four(const Lane& x) {
  return *reinterpret_cast<const Four*>(x.at);
}
inline Four& four(Lane& x) {
  return *reinterpret_cast<Four*>(x.at);
}
inline double sum_of(const Four& x) {
  return (x[0] + x[2]) + (x[1] + x[3]);
}

// Without an impulse now, after the last round, and before this one.
inline bool is_open(const Triple& now, const Triple& last, const Triple& start) {
  return now[0] == 0 && last[0] == 0 && start[0] == 0;
}

}  // namespace

// The first lane of a part; for the world the one behind all.
inline int ConeProblem::first_lane(const SteppedContact::Part& part) const {
  return part.lanes > 0 ? part.first / lane : static_cast<int>(y_.size());
}

void ConeProblem::begin(const ContactSet& set, std::size_t places, Laws laws) {
  set_ = &set;
  laws_ = laws;
  held_ = false;
  const std::size_t n = set.contacts.size();
  impulse.assign(n, {});
  shift.assign(n, {});
  free_.assign(n, {});
  weight_.assign(n, {});
  seats_.assign(n, {});
  blocks_.assign(laws == Laws::smooth ? 0 : n, {});
  y_.assign(places / lane, {});
  for (std::size_t c = 0; c < n; ++c) {
    const SteppedContact& contact = set.contacts[c];
    Seat& seat = seats_[c];
    seat.row = contact.row0;
    seat.a = first_lane(contact.part[0]);
    seat.b = first_lane(contact.part[1]);
    seat.lanes_a = contact.part[0].lanes;
    seat.lanes_b = contact.part[1].lanes;
    seat.rows = laws == Laws::smooth ? 1 : static_cast<char>(contact.rows);
    seat.mu = seat.rows == 1 ? 0 : contact.friction;
    double A[3][3] = {};
    const int lanes = contact.lanes();
    for (int i = 0; i < seat.rows; ++i)
      for (int j = 0; j <= i; ++j) {
        Four sum{};
        for (int k = 0; k < lanes; ++k)
          sum += four(set.answers[seat.row + i * lanes + k]) *
                 four(set.answers[seat.row + j * lanes + k]);
        A[i][j] = A[j][i] = sum_of(sum);
      }
    const double size = 1e-12 * A[0][0];
    seat.moves = A[0][0] > 0;
    seat.plain = seat.rows == 1 || (std::fabs(A[1][0]) <= size && std::fabs(A[2][0]) <= size &&
                                    std::fabs(A[2][1]) <= size &&
                                    std::fabs(A[1][1] - A[2][2]) <= size && A[1][1] > size);
    seat.normal = A[0][0];
    seat.tangent = A[1][1];
    seat.by_normal = seat.moves ? 1 / A[0][0] : 0;
    seat.by_tangent = A[1][1] > 0 ? 1 / A[1][1] : 0;
    weight_[c] = {A[0][0], A[1][1], A[2][2]};
    if (seat.plain && seat.moves && seat.rows == 3 && seat.lanes_a == 2 && !std::isinf(seat.mu))
      seat.bodies = seat.lanes_b == 2 ? Bodies::two : seat.lanes_b == 0 ? Bodies::one : Bodies::any;
    if (seat.plain) continue;
    ConeBlock& block = blocks_[c];
    std::copy(&A[0][0], &A[0][0] + 9, &block.A[0][0]);
    block.mu = seat.mu;
    block.prepare();
  }
}

std::span<const double> ConeProblem::answer() const {
  return {y_.data()->at, lane * y_.size()};
}

Triple ConeProblem::speed(int c, std::span<const double> v) const {
  const SteppedContact& contact = set_->contacts[static_cast<std::size_t>(c)];
  const Lane* row = set_->speeds.data() + contact.row0;
  Triple u{};
  for (int i = 0; i < (laws_ == Laws::smooth ? 1 : contact.rows); ++i) {
    Four sum{};
    for (const SteppedContact::Part& part : contact.part)
      for (int k = 0; k < part.lanes; ++k, ++row)
        sum += four(*row) * *reinterpret_cast<const LooseFour*>(v.data() + part.first + lane * k);
    u[i] = sum_of(sum);
  }
  return u;
}

// ---------------------------------------------------------------------- rows, and what they see

inline double ConeProblem::row_times(const Seat& seat, std::size_t row) const {
  const Lane* N = set_->answers.data() + row;
  Four sum{};
  for (int k = 0; k < seat.lanes_a; ++k) sum += four(N[k]) * four(y_[seat.a + k]);
  N += seat.lanes_a;
  for (int k = 0; k < seat.lanes_b; ++k) sum += four(N[k]) * four(y_[seat.b + k]);
  return sum_of(sum);
}

inline Triple ConeProblem::rows_times(const Seat& seat) const {
  Triple u{};
  const auto lanes =
      static_cast<std::size_t>(seat.lanes_a) + static_cast<std::size_t>(seat.lanes_b);
  for (int i = 0; i < seat.rows; ++i) u[i] = row_times(seat, seat.row + i * lanes);
  return u;
}

inline void ConeProblem::add_impulse(const Seat& seat, const Triple& change) {
  const Lane* N = set_->answers.data() + seat.row;
  for (int i = 0; i < seat.rows; ++i) {
    for (int k = 0; k < seat.lanes_a; ++k) four(y_[seat.a + k]) += change[i] * four(*N++);
    for (int k = 0; k < seat.lanes_b; ++k) four(y_[seat.b + k]) += change[i] * four(*N++);
  }
}

// The same for a free body with friction and another one, or none.
template <bool two>
inline void ConeProblem::add_free(const Seat& seat, const Triple& change) {
  constexpr int lanes = two ? 4 : 2;
  const Lane* N = set_->answers.data() + seat.row;
  const auto add = [&](Lane& to, int k) {
    four(to) += change[0] * four(N[k]) + change[1] * four(N[lanes + k]) +
                change[2] * four(N[2 * lanes + k]);
  };
  add(y_[seat.a], 0), add(y_[seat.a + 1], 1);
  if constexpr (two) add(y_[seat.b], 2), add(y_[seat.b + 1], 3);
}

void ConeProblem::push(int c, const Triple& change) {
  const auto at = static_cast<std::size_t>(c);
  for (int i = 0; i < 3; ++i) impulse[at][i] += change[i];
  add_impulse(seats_[at], change);
}

inline Triple ConeProblem::speeds_now(std::size_t c) const {
  Triple w = rows_times(seats_[c]);
  for (int k = 0; k < 3; ++k) w[k] += free_[c][k];
  return w;
}

inline Triple ConeProblem::others(std::size_t c) const {
  const Seat& seat = seats_[c];
  const Triple& P = impulse[c];
  Triple b = speeds_now(c);
  if (seat.plain) {
    b[0] -= seat.normal * P[0];
    b[1] -= seat.tangent * P[1];
    b[2] -= seat.tangent * P[2];
    return b;
  }
  const auto& A = blocks_[c].A;
  for (int k = 0; k < 3; ++k) b[k] -= A[k][0] * P[0] + A[k][1] * P[1] + A[k][2] * P[2];
  return b;
}

// Where normal and tangents do not act on each other, in closed form.
inline Triple ConeProblem::plain_answer(const Seat& seat, const Triple& b) const {
  const double mu = seat.mu, held = held_ && mu > 0 ? seat.held : 0;
  const double n = -(b[0] + held) * seat.by_normal;
  if (seat.rows == 1) return {std::max(n, 0.0), 0, 0};
  const double s = -b[1] * seat.by_tangent, t = -b[2] * seat.by_tangent, size2 = s * s + t * t;
  if (n > 0 && (std::isinf(mu) || size2 <= mu * mu * n * n)) return {n, s, t};
  double normal = std::max(n, 0.0);
  // on the cone: with s held its normal speed follows, else it is zero
  if (held_ && mu > 0)
    normal = std::max(mu * std::sqrt(b[1] * b[1] + b[2] * b[2]) - b[0] - held, 0.0) /
             (seat.normal + mu * mu * seat.tangent);
  if (normal == 0) return {0, 0, 0};
  const double scale = mu * normal / std::sqrt(size2);
  return {normal, scale * s, scale * t};
}

Triple ConeProblem::answer(std::size_t c, const Triple& b) {
  Seat& seat = seats_[c];
  if (seat.plain) return plain_answer(seat, b);
  if (!held_) return blocks_[c].answer(b, seat.alpha);
  return blocks_[c].least({b[0] + seat.held, b[1], b[2]}, impulse[c]);
}

// --------------------------------------------------------------------------------------- rounds

// The same as visit() for a free body with friction and another one, or none: what sweeps of many
// contacts spend their time with. Sums stay in registers.
template <bool two>
inline double ConeProblem::visit_free(std::size_t c, double& largest) {
  const Seat& seat = seats_[c];
  Triple& P = impulse[c];
  const Triple& free = free_[c];
  constexpr int lanes = two ? 4 : 2;
  const Lane* N = set_->answers.data() + seat.row;
  Lane* const a = y_.data() + seat.a;
  Lane* const b = y_.data() + seat.b;
  Four a0 = four(a[0]), a1 = four(a[1]), b0{}, b1{};
  if constexpr (two) b0 = four(b[0]), b1 = four(b[1]);
  const auto times = [&](const Lane* row) {
    Four sum = four(row[0]) * a0 + four(row[1]) * a1;
    if constexpr (two) sum += four(row[2]) * b0 + four(row[3]) * b1;
    return sum_of(sum);
  };
  const double w = times(N) + free[0];
  if (P[0] == 0 && w >= 0 && P[1] == 0 && P[2] == 0) return 0;  // stays open
  const double n = std::max(P[0] - w * seat.by_normal, 0.0);
  double s = P[1] - (times(N + lanes) + free[1]) * seat.by_tangent;
  double t = P[2] - (times(N + 2 * lanes) + free[2]) * seat.by_tangent;
  const double size2 = s * s + t * t, limit = seat.mu * n;
  if (size2 > limit * limit) {
    const double scale = limit / std::sqrt(size2);
    s *= scale, t *= scale;
  }
  const double dn = n - P[0], ds = s - P[1], dt = t - P[2];
  const auto add = [&](Lane& to, const Four& before, int k) {
    four(to) = before + (dn * four(N[k]) + ds * four(N[lanes + k]) + dt * four(N[2 * lanes + k]));
  };
  add(a[0], a0, 0), add(a[1], a1, 1);
  if constexpr (two) add(b[0], b0, 2), add(b[1], b1, 3);
  P = {n, s, t};
  largest = std::max(largest, seat.normal * n);
  return std::max(seat.normal * std::fabs(dn),
                  seat.tangent * std::max(std::fabs(ds), std::fabs(dt)));
}

// One without friction.
inline double ConeProblem::visit_smooth(std::size_t c, double& largest) {
  const Seat& seat = seats_[c];
  double& P = impulse[c][0];
  const double w = row_times(seat, seat.row) + free_[c][0];
  if ((P == 0 && w >= 0) || !seat.moves) return 0;
  const double n = std::max(P - w * seat.by_normal, 0.0), step = n - P;
  P = n;
  const Lane* N = set_->answers.data() + seat.row;
  for (int k = 0; k < seat.lanes_a; ++k) four(y_[seat.a + k]) += step * four(*N++);
  for (int k = 0; k < seat.lanes_b; ++k) four(y_[seat.b + k]) += step * four(*N++);
  largest = std::max(largest, seat.normal * n);
  return seat.normal * std::fabs(step);
}

// One contact gets what its law says; the change, as a speed.
inline double ConeProblem::visit(std::size_t c, double& largest) {
  const Seat& seat = seats_[c];
  Triple& P = impulse[c];
  if (!seat.moves) return 0;
  if (P[0] == 0 && !held_ && P[1] == 0 && P[2] == 0 && row_times(seat, seat.row) + free_[c][0] >= 0)
    return 0;  // stays open
  const Triple next = answer(c, others(c));
  const Triple step{next[0] - P[0], next[1] - P[1], next[2] - P[2]}, &weight = weight_[c];
  largest = std::max(largest, seat.normal * next[0]);
  P = next;
  add_impulse(seat, step);
  return std::max({weight[0] * std::fabs(step[0]), weight[1] * std::fabs(step[1]),
                   weight[2] * std::fabs(step[2])});
}

template <class Act>
inline void ConeProblem::for_visited(Act&& act) {
  for (const Run& run : visited_)
    for (std::size_t c = run.first; c < run.end; ++c) act(c);
}

// Every contact that is visited once; the largest change.
double ConeProblem::sweep(bool back, double& largest) {
  double change = 0;
  const auto one = [&](std::size_t c) {
    const Seat& seat = seats_[c];
    const Bodies bodies = held_ ? Bodies::any : seat.bodies;
    const double step = bodies == Bodies::two   ? visit_free<true>(c, largest)
                        : bodies == Bodies::one ? visit_free<false>(c, largest)
                        : seat.rows == 1        ? visit_smooth(c, largest)
                                                : visit(c, largest);
    change_[c] = back ? std::max(change_[c], step) : step;
    change = std::max(change, step);
  };
  if (!back)
    for_visited(one);
  else
    for (auto run = visited_.rbegin(); run != visited_.rend(); ++run)
      for (std::size_t c = run->end; c-- > run->first;) one(c);
  return change;
}

void ConeProblem::begin_visits() {
  last_.resize(seats_.size());
  start_.resize(seats_.size());
  age_.resize(seats_.size());
  change_.assign(seats_.size(), 0);
  bodies_.assign(y_.size() + 1, 0);
}

inline void ConeProblem::clear_bodies() {
  for_visited([&](std::size_t c) { bodies_[seats_[c].a] = bodies_[seats_[c].b] = 0; });
}

void ConeProblem::begin_rounds() {
  for_visited([&](std::size_t c) {
    last_[c] = start_[c] = impulse[c];
    age_[c] = 0;
  });
  nearest_ = INFINITY;
  waited_ = 0;
}

// Rounds of all contacts.
void ConeProblem::widen() {
  visited_.assign(1, {0, seats_.size()});
  visits_ = seats_.size();
  begin_rounds();
}

// Rounds of those contacts alone that change by more than `small` in a round, and of their
// neighbours, where these are less than half of those visited now. The others wait.
void ConeProblem::narrow(double small) {
  clear_bodies();
  for_visited([&](std::size_t c) {
    if (const Seat& seat = seats_[c]; change_[c] > small) bodies_[seat.a] = bodies_[seat.b] = 1;
  });
  bodies_.back() = 0;  // the world
  next_.clear();
  std::size_t count = 0;
  for_visited([&](std::size_t c) {
    if (bodies_[seats_[c].a] + bodies_[seats_[c].b] == 0) return;
    ++count;
    if (!next_.empty() && next_.back().end == c)
      ++next_.back().end;
    else
      next_.push_back({c, c + 1});
  });
  if (count == 0 || 2 * count > visits_) return;
  visited_.swap(next_);
  visits_ = count;
  begin_rounds();
}

// Goes on from the end of the last round and this one. Every contact does for itself: not where
// the impulses at its two bodies turned back in this round against the way between the rounds. So
// a place that turns back often does not slow down the others, however many there are. What lies
// outside of the cones then comes back in the next round.
void ConeProblem::extrapolate() {
  if (waited_ > run_) return begin_rounds();
  clear_bodies();
  for_visited([&](std::size_t c) {
    const Triple &P = impulse[c], &start = start_[c], &weight = weight_[c];
    Triple& last = last_[c];
    if (is_open(P, last, start)) return;
    double turned = 0;
    for (int k = 0; k < 3; ++k) {
      last[k] = P[k] - last[k];
      turned += weight[k] * (start[k] - P[k]) * last[k];
    }
    bodies_[seats_[c].a] += turned;
    bodies_[seats_[c].b] += turned;
  });
  bodies_.back() = 0;  // the world
  for_visited([&](std::size_t c) {
    Triple &P = impulse[c], &last = last_[c], &start = start_[c];
    if (is_open(P, last, start)) return;
    const Seat& seat = seats_[c];
    const bool turned = bodies_[seat.a] + bodies_[seat.b] > 0;
    const int age = age_[c] = turned ? 0 : age_[c] + 1;
    const double ahead = age > 1 ? (age - 1.0) / (age + 2.0) : 0;
    const Triple step{ahead * last[0], ahead * last[1], ahead * last[2]};
    last = P;
    if (step[0] != 0 || step[1] != 0 || step[2] != 0) {
      for (int k = 0; k < 3; ++k) P[k] += step[k];
      seat.bodies == Bodies::two   ? add_free<true>(seat, step)
      : seat.bodies == Bodies::one ? add_free<false>(seat, step)
                                   : add_impulse(seat, step);
    }
    start = P;
  });
}

// A sweep forth and one back, from where the rounds before lead.
double ConeProblem::round(double& largest) {
  largest = 0;
  extrapolate();
  const double forth = sweep(false, largest), change = std::max(forth, sweep(true, largest));
  if (change < nearest_)
    nearest_ = change, waited_ = 0;
  else
    ++waited_;
  return change;
}

// s = mu |w_t| of all contacts; the largest change.
double ConeProblem::hold() {
  double change = 0;
  for (std::size_t c = 0; c < seats_.size(); ++c) {
    Seat& seat = seats_[c];
    if (!(seat.mu > 0) || std::isinf(seat.mu)) continue;
    const Triple w = speeds_now(c);
    const double now = seat.mu * std::sqrt(w[1] * w[1] + w[2] * w[2]);
    change = std::max(change, std::fabs(now - seat.held));
    seat.held = now;
  }
  return change;
}

// Rounds in one way; true where they have settled. Impulses settle in most places long before they
// do in the last ones. Rounds of these alone then, until they settle, and all contacts again: so a
// place that is slow costs what it needs itself.
bool ConeProblem::take_turn(const Turn& turn, int rounds, const ConeTolerance& tolerance,
                            ConeReport& report) {
  run_ = turn.run;
  held_ = turn.holds;
  if (held_) hold();
  widen();
  double small = 0;
  int since_look = 0, since_hold = 0;
  for (; rounds > 0 && visits_left_ > 0; --rounds) {
    double largest = 0;
    const double change = round(largest);
    visits_left_ -= 2.0 * static_cast<double>(visits_);
    if (visits_ == seats_.size()) {
      report.largest = largest;
      small = std::max(tolerance.relative * largest, tolerance.absolute);
      if (change <= small && (!held_ || hold() <= small)) return true;
    } else if (change <= settled_part * small) {
      widen();
      since_look = rounds_between - 1;  // look at once
      continue;
    }
    if (held_ && (change <= small || ++since_hold == rounds_held)) {
      since_hold = 0;
      hold();
      begin_rounds();
    }
    if (++since_look < rounds_between) continue;
    since_look = 0;
    narrow(settled_part * small);
  }
  widen();
  return false;
}

ConeReport ConeProblem::solve(std::span<const double> v, const ConeTolerance& tolerance) {
  ConeReport report;
  report.settled = seats_.empty();
  if (report.settled) return report;
  for (std::size_t c = 0; c < seats_.size(); ++c) {
    free_[c] = speed(static_cast<int>(c), v);
    for (int k = 0; k < 3; ++k) free_[c][k] += shift[c][k];
  }
  begin_visits();
  const double n = static_cast<double>(seats_.size()), most = tolerance.most_sweeps * n;
  visits_left_ = most;
  constexpr int ways = static_cast<int>(std::size(turns));
  int way = helped_, times = 1;
  for (int k = 1; !report.settled && visits_left_ > 0; ++k) {
    const Turn& turn = turns[way];
    if (laws_ == Laws::friction || !turn.holds)
      report.settled = take_turn(turn, times * turn.rounds, tolerance, report);
    if (report.settled) break;
    way = (way + 1) % ways;
    if (k % ways == 0) times *= turn_growth;
  }
  report.sweeps = static_cast<int>(std::ceil((most - visits_left_) / n));
  helped_ = report.settled && report.sweeps > 2 * turns[0].rounds ? way : 0;
  held_ = false;
  // without the rounding of all that was added to it
  std::fill(y_.begin(), y_.end(), Lane{});
  for (std::size_t c = 0; c < seats_.size(); ++c) add_impulse(seats_[c], impulse[c]);
  measure(report);
  return report;
}

// The step that every contact would still make by itself, as a speed.
void ConeProblem::measure(ConeReport& report) {
  for (std::size_t c = 0; c < seats_.size(); ++c) {
    const Seat& seat = seats_[c];
    if (!seat.moves) continue;
    const Triple next = answer(c, others(c));
    report.largest = std::max(report.largest, seat.normal * impulse[c][0]);
    for (int k = 0; k < 3; ++k)
      report.residual =
          std::max(report.residual, weight_[c][k] * std::fabs(next[k] - impulse[c][k]));
  }
}

}  // namespace cartan::integrate
