#include "mechanics/contacts/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense.h"
#include "system/cone_block.h"

namespace cartan::mechanics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using Kind = ContactLaw::Kind;

constexpr int most_sweeps = 4000;
constexpr double settled = 1e-11;       // relative change of a sweep
constexpr double clear_sliding = 1e-9;  // of the largest of b
constexpr double exact = 1e-12;         // violation of a solution, relative
constexpr double dependent = 1e-12;     // of the largest diagonal

bool may_slip(const ContactLaw& law) {
  return law.kind == Kind::friction && law.mu > 0;
}

class ContactSolver {
 public:
  explicit ContactSolver(const ContactProblem& problem)
      : p_(problem), n_(static_cast<int>(problem.laws.size())) {
    largest_diagonal_ = n_ > 0 ? p_.A.diagonal().maxCoeff() : 0;
    scale_ = std::max(p_.b.size() > 0 ? p_.b.cwiseAbs().maxCoeff() : 0, 1e-300);
  }

  ContactSolution operator()() {
    ContactSolution expected;
    if (keeps_expected(expected)) return expected;
    VectorXd r = VectorXd::Zero(3 * n_);
    sweep(r);
    ContactSolution best = read_states(r, clear_sliding);
    refine(best);
    if (!accept(best)) {  // what is at its limit may just begin to slide
      ContactSolution slow = read_states(r, 0);
      refine(slow);
      if (accept(slow)) best = slow;
    }
    if (!best.found && n_ <= 6) best = try_all(best);
    if (best.found) take_least(best);
    return best;
  }

  void refine(ContactSolution& s) const;
  bool accept(ContactSolution& s) const;
  MatrixXd change(const ContactSolution& solution, const MatrixXd& dF) const;

 private:
  void fill_equations(ContactSolution& s, VectorXd& F, MatrixXd& D) const;
  void fill_smooth_equations(ContactSolution& s, const VectorXd& alpha, VectorXd& F,
                             MatrixXd& D) const;
  void slide(ContactSolution& s) const;
  // Of those that may.
  bool is_slipping(const ContactSolution& s, int i) const {
    return s.slips[i] && may_slip(p_.laws[i]) && (s.closed[i] || p_.laws[i].given > 0);
  }
  MatrixXd solve_equations(const MatrixXd& D, const MatrixXd& F) const;
  void take_least(ContactSolution& s) const;
  bool keeps_expected(ContactSolution& s) const;
  void sweep(VectorXd& r) const;
  struct Rubbing;
  Rubbing make_rubbing(int i) const;
  void rub(int i, Rubbing& own, VectorXd& r) const;
  void improve(int i, VectorXd& r) const;
  ContactSolution read_states(const VectorXd& r, double sliding) const;
  ContactSolution try_all(const ContactSolution& fallback) const;
  ContactSolution try_states(const ContactSolution& fallback, bool slipping) const;
  double limit(int i, const VectorXd& r) const {
    return p_.laws[i].mu * (std::max(r[3 * i], 0.0) + p_.laws[i].given);
  }

  const ContactProblem& p_;
  const int n_;
  double largest_diagonal_ = 0, scale_ = 1;
};

// Friction of one contact by itself, and the alpha of the last time.
struct ContactSolver::Rubbing {
  bool counts = false;
  ConeBlock block;
  double alpha = 0;
};

ContactSolver::Rubbing ContactSolver::make_rubbing(int i) const {
  Rubbing own;
  own.counts = p_.laws[i].kind == Kind::friction && p_.laws[i].mu > 0;
  if (!own.counts) return own;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) own.block.A[a][b] = p_.A(3 * i + a, 3 * i + b);
  if (!(own.block.A[0][0] > dependent * largest_diagonal_))  // it cannot part, nor press
    for (int a = 0; a < 3; ++a) own.block.A[0][a] = own.block.A[a][0] = 0;
  own.block.mu = p_.laws[i].mu;
  own.block.prepare();
  return own;
}

// What it answers to all others, exactly.
void ContactSolver::rub(int i, Rubbing& own, VectorXd& r) const {
  const int k = 3 * i;
  const Eigen::Vector3d b =
      p_.A.middleRows(k, 3) * r + p_.b.segment(k, 3) - p_.A.block(k, k, 3, 3) * r.segment(k, 3);
  const Triple P = own.block.answer({b[0], b[1], b[2]}, own.alpha, p_.laws[i].given);
  r.segment(k, 3) << P[0], P[1], P[2];
}

// One contact without friction or with none that yields, all others held.
void ContactSolver::improve(int i, VectorXd& r) const {
  const ContactLaw& law = p_.laws[i];
  const int k = 3 * i;
  double pivot = p_.A(k, k);
  if (law.kind == Kind::sliding)
    pivot -= law.mu * (p_.A(k, k + 1) * law.d1 + p_.A(k, k + 2) * law.d2);
  if (pivot > dependent * largest_diagonal_)
    r[k] = std::max(0.0, r[k] - (p_.A.row(k).dot(r) + p_.b[k]) / pivot);
  if (law.kind == Kind::sliding) {
    r[k + 1] = -law.mu * r[k] * law.d1;
    r[k + 2] = -law.mu * r[k] * law.d2;
    return;
  }
  if (law.kind == Kind::smooth) return;
  const Vector2d w = p_.A.middleRows(k + 1, 2) * r + p_.b.segment(k + 1, 2);
  const double steep = p_.A.block(k + 1, k + 1, 2, 2).norm();
  if (!(steep > dependent * largest_diagonal_)) return;
  Vector2d t = r.segment(k + 1, 2) - w / steep;
  if (law.kind == Kind::rough) {
    if (!(r[k] + law.given > 0)) t.setZero();
  } else if (law.mu == 0) {
    t.setZero();
  }
  r.segment(k + 1, 2) = t;
}

void ContactSolver::sweep(VectorXd& r) const {
  VectorXd before;
  std::vector<Rubbing> rubbing(n_);
  for (int i = 0; i < n_; ++i) rubbing[i] = make_rubbing(i);
  for (int round = 0; round < most_sweeps; ++round) {
    before = r;
    for (int i = 0; i < n_; ++i) rubbing[i].counts ? rub(i, rubbing[i], r) : improve(i, r);
    if (!r.allFinite()) {
      r.setZero();
      return;
    }
    if ((r - before).cwiseAbs().maxCoeff() <= settled * r.cwiseAbs().maxCoeff()) return;
  }
}

// `sliding`: what is slower, as a part of all that goes on, sticks.
ContactSolution ContactSolver::read_states(const VectorXd& r, double sliding) const {
  ContactSolution s;
  s.r = r;
  s.w = p_.A * r + p_.b;
  s.closed.assign(n_, 0);
  s.slips.assign(n_, 0);
  const double size = std::max(r.cwiseAbs().maxCoeff(), 1e-300);
  for (int i = 0; i < n_; ++i) {
    s.closed[i] = r[3 * i] > 1e-9 * size;
    const double most = limit(i, r);
    s.slips[i] = may_slip(p_.laws[i]) && most > 0 &&
                 r.segment(3 * i + 1, 2).norm() > (1 - 1e-6) * most &&
                 s.w.segment(3 * i + 1, 2).norm() > sliding * scale_;
  }
  return s;
}

// The equations of the states in s at s.r, and their derivative.
void ContactSolver::fill_equations(ContactSolution& s, VectorXd& F, MatrixXd& D) const {
  s.w = p_.A * s.r + p_.b;
  D.setZero();
  for (int i = 0; i < n_; ++i) {
    const ContactLaw& law = p_.laws[i];
    const int k = 3 * i;
    if (s.closed[i]) {
      F[k] = s.w[k];
      D.row(k) = p_.A.row(k);
    } else {
      F[k] = s.r[k];
      D(k, k) = 1;
    }
    const bool touches = s.closed[i] || law.given > 0;
    const Vector2d t = s.r.segment(k + 1, 2), w = s.w.segment(k + 1, 2);
    if (law.kind == Kind::sliding) {
      F.segment(k + 1, 2) = t + law.mu * s.r[k] * Vector2d(law.d1, law.d2);
      D(k + 1, k + 1) = D(k + 2, k + 2) = 1;
      D(k + 1, k) = law.mu * law.d1;
      D(k + 2, k) = law.mu * law.d2;
    } else if (law.kind == Kind::smooth || !touches ||
               (law.kind == Kind::friction && law.mu == 0)) {
      F.segment(k + 1, 2) = t;
      D(k + 1, k + 1) = D(k + 2, k + 2) = 1;
    } else if (!s.slips[i]) {
      F.segment(k + 1, 2) = w;
      D.middleRows(k + 1, 2) = p_.A.middleRows(k + 1, 2);
    } else {  // t |w| + mu (r_n + given) w = 0, divided by |w|
      const double length = std::max(w.norm(), 1e-300), load = s.r[k] + law.given;
      const Vector2d d = w / length;
      F.segment(k + 1, 2) = t + law.mu * load * d;
      const Eigen::Matrix2d turn =
          (Eigen::Matrix2d::Identity() - d * d.transpose()) * (law.mu * load / length);
      D.middleRows(k + 1, 2) = turn * p_.A.middleRows(k + 1, 2);
      D(k + 1, k + 1) += 1;
      D(k + 2, k + 2) += 1;
      D(k + 1, k) += law.mu * d[0];
      D(k + 2, k) += law.mu * d[1];
    }
  }
}

// D^-1 F, of least norm; rows of similar size: those of w in units of the largest diagonal.
MatrixXd ContactSolver::solve_equations(const MatrixXd& D, const MatrixXd& F) const {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(3e-13);
  const int n = static_cast<int>(D.rows());
  VectorXd rows(n);
  for (int k = 0; k < n; ++k) rows[k] = 1 / std::max(D.row(k).norm(), 1e-300);
  for (int k = 0; k < 3 * n_; ++k)
    if (D.row(k).norm() <= dependent * largest_diagonal_) rows[k] = 0;
  solver.compute(rows.asDiagonal() * D);
  return solver.solve(MatrixXd(rows.asDiagonal() * F));
}

// Forces of least norm that keep the states which are expected.
bool ContactSolver::keeps_expected(ContactSolution& s) const {
  if (p_.expected_closed.empty()) return false;
  s.r = VectorXd::Zero(3 * n_);
  s.closed = p_.expected_closed;
  s.slips = p_.expected_slips;
  refine(s);
  return accept(s);
}

// The same with a number alpha more for each that slips: w_t + alpha t = 0, |t|^2 = mu^2 load^2.
// These are smooth where sliding goes to zero, and Newton's method comes from sticking to slipping.
void ContactSolver::fill_smooth_equations(ContactSolution& s, const VectorXd& alpha, VectorXd& F,
                                          MatrixXd& D) const {
  const auto n = 3 * n_;
  VectorXd F0(n);
  MatrixXd D0(n, n);
  fill_equations(s, F0, D0);
  F.setZero();
  D.setZero();
  F.head(n) = F0;
  D.topLeftCorner(n, n) = D0;
  for (int i = 0, more = n; i < n_; ++i) {
    if (!is_slipping(s, i)) continue;
    const int k = 3 * i;
    const Vector2d t = s.r.segment(k + 1, 2);
    const double load = s.r[k] + p_.laws[i].given, mu = p_.laws[i].mu;
    F.segment(k + 1, 2) = s.w.segment(k + 1, 2) + alpha[more - n] * t;
    D.block(k + 1, 0, 2, n) = p_.A.middleRows(k + 1, 2);
    D(k + 1, k + 1) += alpha[more - n];
    D(k + 2, k + 2) += alpha[more - n];
    D.block(k + 1, more, 2, 1) = t;
    F[more] = 0.5 * (t.squaredNorm() - mu * mu * load * load);
    D.block(more, k + 1, 1, 2) = t.transpose();
    D(more, k) = -mu * mu * load;
    ++more;
  }
}

// Newton's method for these, from s.r.
void ContactSolver::slide(ContactSolution& s) const {
  const int n = 3 * n_;
  std::vector<double> start;
  s.w = p_.A * s.r + p_.b;
  for (int i = 0; i < n_; ++i) {
    if (!is_slipping(s, i)) continue;
    const Vector2d t = s.r.segment(3 * i + 1, 2), w = s.w.segment(3 * i + 1, 2);
    start.push_back(std::max(-t.dot(w) / std::max(t.squaredNorm(), 1e-300), 0.0));
  }
  const int more = static_cast<int>(start.size());
  if (more == 0) return;
  VectorXd alpha = Eigen::Map<VectorXd>(start.data(), more), F(n + more);
  MatrixXd D(n + more, n + more);
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 40; ++round) {
    fill_smooth_equations(s, alpha, F, D);
    const VectorXd step = solve_equations(D, F);
    if (!step.allFinite()) return;
    s.r -= step.head(n);
    alpha -= step.tail(more);
    const double moved = step.head(n).cwiseAbs().maxCoeff(), size = s.r.cwiseAbs().maxCoeff();
    if (moved <= 4e-16 * size || (moved <= 1e-13 * size && moved > 0.25 * before)) break;
    before = moved;
  }
}

// Newton's method for the equations of the states in s, from s.r, with least steps where forces are
// not unique. It ends where steps are rounding and no longer shrink.
void ContactSolver::refine(ContactSolution& s) const {
  slide(s);
  VectorXd F(3 * n_);
  MatrixXd D(3 * n_, 3 * n_);
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 40; ++round) {
    fill_equations(s, F, D);
    const VectorXd step = solve_equations(D, F);
    if (!step.allFinite()) return;
    s.r -= step;
    const double moved = step.cwiseAbs().maxCoeff(), size = s.r.cwiseAbs().maxCoeff();
    if (moved <= 4e-16 * size || (moved <= 1e-13 * size && moved > 0.25 * before)) break;
    before = moved;
  }
  for (int i = 0; i < n_; ++i) {
    const ContactLaw& law = p_.laws[i];
    if (!s.closed[i]) s.r[3 * i] = 0;
    const bool touches = s.closed[i] || law.given > 0;
    const bool rubs = law.kind != Kind::smooth && (law.kind == Kind::rough || law.mu > 0);
    if (!touches || !rubs) s.r[3 * i + 1] = s.r[3 * i + 2] = 0;
  }
  s.w = p_.A * s.r + p_.b;
}

MatrixXd ContactSolver::change(const ContactSolution& solution, const MatrixXd& dF) const {
  ContactSolution s = solution;
  VectorXd F(3 * n_);
  MatrixXd D(3 * n_, 3 * n_);
  fill_equations(s, F, D);
  return -solve_equations(D, dF);
}

// Whether s is a solution, to rounding.
bool ContactSolver::accept(ContactSolution& s) const {
  s.found = false;
  s.residual = 0;
  if (!s.r.allFinite()) return false;
  const double r_size =
      std::max(s.r.cwiseAbs().maxCoeff(), scale_ / std::max(largest_diagonal_, 1e-300));
  // what the forces do one by one, which may cancel
  const double w_size = std::max(scale_, (p_.A.cwiseAbs() * s.r.cwiseAbs()).maxCoeff());
  const auto violate = [&](double amount) { s.residual = std::max(s.residual, amount); };
  for (int i = 0; i < n_; ++i) {
    const ContactLaw& law = p_.laws[i];
    const int k = 3 * i;
    violate(-s.r[k] / r_size);
    violate((s.closed[i] ? std::fabs(s.w[k]) : -s.w[k]) / w_size);
    const Vector2d t = s.r.segment(k + 1, 2), w = s.w.segment(k + 1, 2);
    const double load = s.r[k] + law.given;
    if (law.kind == Kind::friction && law.mu > 0 && (s.closed[i] || law.given > 0)) {
      violate((t.norm() - law.mu * load * (1 + 1e-11)) / r_size);
      if (s.slips[i]) {
        violate(t.dot(w) > 0 ? w.norm() / w_size : 0);
        violate((t * w.norm() + law.mu * load * w).norm() / (r_size * w_size));
      } else {
        violate(w.norm() / w_size);
      }
    }
    if (law.kind == Kind::rough && (s.closed[i] || law.given > 0)) violate(w.norm() / w_size);
  }
  s.found = s.residual <= exact;
  return s.found;
}

// Where forces are not unique, those of least norm, if they obey the laws: Newton's method from
// zero finds them in one step while all equations are linear.
void ContactSolver::take_least(ContactSolution& s) const {
  if (std::find(s.slips.begin(), s.slips.end(), 1) != s.slips.end()) return;
  ContactSolution least = s;
  least.r.setZero();
  refine(least);
  if (accept(least)) s = least;
}

// All states, first those in which nothing slips: they are few, and their equations are linear.
ContactSolution ContactSolver::try_all(const ContactSolution& fallback) const {
  ContactSolution s = try_states(fallback, false);
  return s.found ? s : try_states(fallback, true);
}

// States without a contact that slips, or with one at least.
ContactSolution ContactSolver::try_states(const ContactSolution& fallback, bool slipping) const {
  // per contact: open, sticking, slipping; with a given load also open but sticking or slipping
  std::vector<int> choices(n_), state(n_, 0);
  for (int i = 0; i < n_; ++i) {
    const bool slips = may_slip(p_.laws[i]);
    choices[i] = p_.laws[i].given > 0 && slips ? 4 : slips ? 3 : 2;
  }
  for (;;) {
    ContactSolution s = fallback;
    for (int i = 0; i < n_; ++i) {
      s.closed[i] = state[i] == 1 || state[i] == 2;
      s.slips[i] = state[i] >= 2;
    }
    const bool any_slip = std::find(s.slips.begin(), s.slips.end(), 1) != s.slips.end();
    const int starts = any_slip != slipping ? 0 : any_slip ? 9 : 1;
    for (int start = 0; start < starts; ++start) {
      s.r.setZero();
      if (start > 0)  // a guess of the direction of sliding
        for (int i = 0; i < n_; ++i) {
          const double angle = (start - 1) * std::acos(-1.0) / 4;
          const double size = scale_ / std::max(largest_diagonal_, 1e-300);
          s.r[3 * i] = size;
          s.r[3 * i + 1] = p_.laws[i].mu * size * std::cos(angle);
          s.r[3 * i + 2] = p_.laws[i].mu * size * std::sin(angle);
        }
      refine(s);
      if (accept(s)) return s;
    }
    int i = 0;
    while (i < n_ && ++state[i] == choices[i]) state[i++] = 0;
    if (i == n_) return fallback;
  }
}

}  // namespace

ContactSolution solve_contacts(const ContactProblem& problem) {
  if (problem.laws.empty()) {
    ContactSolution none;
    none.found = true;
    none.r = none.w = VectorXd();
    return none;
  }
  return ContactSolver(problem)();
}

MatrixXd change_solution(const ContactProblem& problem, const ContactSolution& solution,
                         const MatrixXd& dF) {
  return ContactSolver(problem).change(solution, dF);
}

std::vector<ContactSolution> find_all_solutions(const ContactProblem& problem) {
  const int n = static_cast<int>(problem.laws.size());
  std::vector<ContactSolution> all;
  const ContactSolver solver(problem);
  for (int set = 0; set < (1 << n); ++set) {
    ContactSolution s;
    s.r = VectorXd::Zero(3 * n);
    s.closed.assign(n, 0);
    s.slips.assign(n, 0);
    for (int i = 0; i < n; ++i) s.closed[i] = (set >> i) & 1;
    solver.refine(s);
    if (!solver.accept(s)) continue;
    const double size = std::max(s.r.cwiseAbs().maxCoeff(), 1e-300);
    const bool known = std::any_of(all.begin(), all.end(), [&](const ContactSolution& other) {
      return (other.w - s.w).cwiseAbs().maxCoeff() <=
                 1e-9 * std::max(problem.b.cwiseAbs().maxCoeff(), 1e-300) ||
             (other.r - s.r).cwiseAbs().maxCoeff() <= 1e-9 * size;
    });
    if (!known) all.push_back(std::move(s));
  }
  return all;
}

}  // namespace cartan::mechanics
