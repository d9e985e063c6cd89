#include "integrate/stepping/cone_problem.h"

#include <algorithm>
#include <cmath>

namespace cartan::integrate {
namespace {

constexpr int patience = 30;      // rounds that may pass without coming nearer
constexpr double nearer = 0.5;    // of what was left
constexpr int rounds_held = 200;  // for a convex problem within the whole
constexpr int rounds_in_vain = 400;

// u = J v and v += W P of one part; sizes known to the compiler for free bodies.
template <int rows, int size>
void add_speed(const double* J, const double* v, double* u) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = 0; k < size; ++k) sum += J[i * size + k] * v[k];
    u[i] += sum;
  }
}
template <int rows, int size>
void add_push(const double* W, const double* P, double* v) {
  for (int k = 0; k < size; ++k) {
    double sum = 0;
    for (int i = 0; i < rows; ++i) sum += W[i * size + k] * P[i];
    v[k] += sum;
  }
}

}  // namespace

void ConeProblem::begin(const ContactSet& set, Laws laws) {
  set_ = &set;
  laws_ = laws;
  held_ = false;
  const std::size_t n = set.contacts.size();
  impulse.assign(n, {});
  shift.assign(n, {});
  blocks_.assign(n, {});
  for (std::size_t c = 0; c < n; ++c) {
    const SteppedContact& contact = set.contacts[c];
    Block& block = blocks_[c];
    const int rows = laws == Laws::smooth ? 1 : contact.rows;
    for (const SteppedContact::Part& part : contact.part) {
      const double* J = set.entries.data() + part.entry;
      const double* W = J + static_cast<std::ptrdiff_t>(contact.rows) * part.size;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j <= i; ++j)
          for (int k = 0; k < part.size; ++k)
            block.A[i][j] += J[i * part.size + k] * W[j * part.size + k];
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) block.A[j][i] = block.A[i][j];
    const double size = 1e-12 * block.A[0][0];
    block.moves = block.A[0][0] > 0;
    block.plain = std::fabs(block.A[1][0]) <= size && std::fabs(block.A[2][0]) <= size &&
                  std::fabs(block.A[2][1]) <= size &&
                  std::fabs(block.A[1][1] - block.A[2][2]) <= size && block.A[1][1] > size;
  }
}

inline Triple ConeProblem::row_speeds(const SteppedContact& contact, const double* v) const {
  const int rows = laws_ == Laws::smooth ? 1 : contact.rows;
  Triple u{};
  for (const SteppedContact::Part& part : contact.part) {
    const double *J = set_->entries.data() + part.entry, *at = v + part.first;
    if (part.size == 6 && rows == 3)
      add_speed<3, 6>(J, at, u.data());
    else
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < part.size; ++k) u[i] += J[i * part.size + k] * at[k];
  }
  return u;
}

Triple ConeProblem::speed(int c, std::span<const double> v) const {
  return row_speeds(set_->contacts[static_cast<std::size_t>(c)], v.data());
}

inline void ConeProblem::add_impulse(const SteppedContact& contact, const Triple& change,
                                     double* v) const {
  const int rows = laws_ == Laws::smooth ? 1 : contact.rows;
  for (const SteppedContact::Part& part : contact.part) {
    const double* W =
        set_->entries.data() + part.entry + static_cast<std::ptrdiff_t>(contact.rows) * part.size;
    double* at = v + part.first;
    if (part.size == 6 && rows == 3)
      add_push<3, 6>(W, change.data(), at);
    else
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < part.size; ++k) at[k] += W[i * part.size + k] * change[i];
  }
}

void ConeProblem::push(int c, const Triple& change, std::span<double> v) const {
  add_impulse(set_->contacts[static_cast<std::size_t>(c)], change, v.data());
}

double ConeProblem::normal_speed(std::size_t c, std::span<const double> v) const {
  double u = 0;
  for (const SteppedContact::Part& part : set_->contacts[c].part) {
    const double *J = set_->entries.data() + part.entry, *at = v.data() + part.first;
    for (int k = 0; k < part.size; ++k) u += J[k] * at[k];
  }
  return u;
}

Triple ConeProblem::others(std::size_t c, std::span<const double> v) const {
  const Block& block = blocks_[c];
  const Triple& P = impulse[c];
  Triple b = row_speeds(set_->contacts[c], v.data());
  for (int k = 0; k < 3; ++k)
    b[k] += shift[c][k] - block.A[k][0] * P[0] - block.A[k][1] * P[1] - block.A[k][2] * P[2];
  return b;
}

// Where normal and tangents do not act on each other, in closed form.
Triple ConeProblem::answer(std::size_t c, const Triple& b) const {
  const Block& block = blocks_[c];
  const double mu = coefficient(c), n = b[0] + (held_ && mu > 0 ? block.held : 0);
  if (!block.plain)
    return held_ && mu > 0 ? solve_convex_block(block.A, {n, b[1], b[2]}, mu, impulse[c])
                           : solve_cone_block(block.A, b, mu);
  const double a = block.A[0][0], t = block.A[1][1];
  const double size = std::sqrt(b[1] * b[1] + b[2] * b[2]);
  Triple P{std::max(-n / a, 0.0), 0, 0};
  if (n < 0 && (std::isinf(mu) || size * a <= -mu * n * t)) return {P[0], -b[1] / t, -b[2] / t};
  // on the cone: with s held its normal speed follows, else it is zero
  if (held_ && mu > 0) P[0] = std::max(mu * size - n, 0.0) / (a + mu * mu * t);
  if (P[0] == 0) return P;
  const double scale = size > 0 ? -mu * P[0] / size : 0;
  return {P[0], scale * b[1], scale * b[2]};
}

// Every contact once; the largest change, as a speed.
double ConeProblem::sweep(std::span<double> v, bool back, double& largest) {
  const std::size_t n = blocks_.size();
  double change = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = back ? n - 1 - i : i;
    const Block& block = blocks_[c];
    if (!block.moves) continue;
    Triple& P = impulse[c];
    if (P[0] == 0 && !held_ && normal_speed(c, v) + shift[c][0] >= 0) continue;  // stays open
    const Triple next = answer(c, others(c, v));
    const Triple step{next[0] - P[0], next[1] - P[1], next[2] - P[2]};
    largest = std::max(largest, block.A[0][0] * next[0]);
    if (step[0] == 0 && step[1] == 0 && step[2] == 0) continue;
    change = std::max({change, block.A[0][0] * std::fabs(step[0]),
                       block.A[1][1] * std::fabs(step[1]), block.A[2][2] * std::fabs(step[2])});
    P = next;
    add_impulse(set_->contacts[c], step, v.data());
  }
  return change;
}

void ConeProblem::begin_rounds(std::span<const double> v) {
  last_ = impulse;
  last_v_.assign(v.begin(), v.end());
  momentum_ = 1;
}

// Goes on from the end of the last round and this one; not where this round turned back against
// the way between them.
void ConeProblem::extrapolate(std::span<double> v) {
  double turned = 0;
  for (std::size_t c = 0; c < impulse.size(); ++c)
    for (std::size_t k = 0; k < 3; ++k)
      turned += blocks_[c].A[k][k] * (start_[c][k] - impulse[c][k]) * (impulse[c][k] - last_[c][k]);
  if (turned > 0) return begin_rounds(v);
  const double grown = 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
  const double ahead = (momentum_ - 1) / grown;
  momentum_ = grown;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double now = v[i];
    v[i] += ahead * (now - last_v_[i]);
    last_v_[i] = now;
  }
  for (std::size_t c = 0; c < impulse.size(); ++c) {
    const Triple now = impulse[c];
    Triple next{}, inside{};
    for (std::size_t k = 0; k < 3; ++k) next[k] = now[k] + ahead * (now[k] - last_[c][k]);
    last_[c] = now;
    inside = next;
    const double mu = coefficient(c), size = std::sqrt(next[1] * next[1] + next[2] * next[2]);
    inside[0] = std::max(next[0], 0.0);
    if (const double limit = mu > 0 && inside[0] > 0 ? mu * inside[0] : 0; size > limit)
      inside[1] *= limit / size, inside[2] *= limit / size;
    impulse[c] = inside;
    if (inside != next)
      push(static_cast<int>(c), {inside[0] - next[0], inside[1] - next[1], inside[2] - next[2]}, v);
  }
}

// A sweep forth and one back, from where the rounds before lead.
double ConeProblem::round(std::span<double> v, double& largest) {
  largest = 0;
  extrapolate(v);
  start_ = impulse;
  const double forth = sweep(v, false, largest);
  return std::max(forth, sweep(v, true, largest));
}

// s = mu |w_t| of all contacts; the largest change.
double ConeProblem::hold(std::span<const double> v) {
  double change = 0;
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    const double mu = coefficient(c);
    if (!(mu > 0) || std::isinf(mu)) continue;
    const Triple u = speed(static_cast<int>(c), v);
    const double now = mu * std::hypot(u[1] + shift[c][1], u[2] + shift[c][2]);
    change = std::max(change, std::fabs(now - blocks_[c].held));
    blocks_[c].held = now;
  }
  return change;
}

ConeReport ConeProblem::solve(std::span<double> v, const ConeTolerance& tolerance) {
  ConeReport report;
  report.settled = blocks_.empty();
  if (report.settled) return report;
  held_ = false;
  start_ = impulse;
  begin_rounds(v);
  double best = 1e300;
  int waited = 0, in_hold = 0;
  while (report.sweeps < tolerance.most_sweeps) {
    const double change = round(v, report.largest);
    report.sweeps += 2;
    const double small = std::max(tolerance.relative * report.largest, tolerance.absolute);
    if (change <= small) {
      if (!held_ || hold(v) <= small) {
        report.settled = true;
        break;
      }
      begin_rounds(v);
      in_hold = 0;
    } else if (held_ && ++in_hold == rounds_held) {
      hold(v);
      begin_rounds(v);
      in_hold = 0;
    }
    if (change < nearer * best) {
      best = change;
      waited = 0;
    } else if (++waited == rounds_in_vain) {
      break;
    } else if (!held_ && laws_ == Laws::friction && waited == patience) {
      held_ = true;
      hold(v);
      begin_rounds(v);
    }
  }
  held_ = false;
  measure(v, report);
  return report;
}

// The step that every contact would still make by itself, as a speed.
void ConeProblem::measure(std::span<const double> v, ConeReport& report) {
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    const Block& block = blocks_[c];
    if (!block.moves) continue;
    const Triple next = answer(c, others(c, v));
    report.largest = std::max(report.largest, block.A[0][0] * impulse[c][0]);
    for (int k = 0; k < 3; ++k)
      report.residual =
          std::max(report.residual, block.A[k][k] * std::fabs(next[k] - impulse[c][k]));
  }
}

}  // namespace cartan::integrate
