// Rows of constraints in all columns of motion_slopes.h: they travel with the fronts of the
// accelerations (closed_recursion.h), whose factors are in the workspace.
#include <algorithm>

#include "mechanics/tree/motion_slopes.h"
#include "mechanics/tree/slopes/slope_columns.h"

namespace cartan::mechanics {

using namespace lanes;

namespace {

// to += factor * from
void add_scaled_row(std::span<const ColumnRun> runs, double factor, const double* from,
                    double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width)
      put(to + c, load(to + c) + factor * load(from + c));
}

// Two groups of columns at a time, so that sums do not wait for themselves: act(c, sum of
// columns c and on).
template <class Act>
void sum_rows(std::span<const ColumnRun> runs, std::span<const ScaledRow> rows, Act&& act) {
  for (const ColumnRun& run : runs) {
    int c = run.first;
    for (; c + width < run.last; c += 2 * width) {
      Lanes a{}, b{};
      for (const ScaledRow& x : rows) {
        a += x.factor * load(x.row + c);
        b += x.factor * load(x.row + c + width);
      }
      act(c, a);
      act(c + width, b);
    }
    for (; c < run.last; c += width) {
      Lanes a{};
      for (const ScaledRow& x : rows) a += x.factor * load(x.row + c);
      act(c, a);
    }
  }
}
void add_scaled_rows(std::span<const ColumnRun> runs, std::span<const ScaledRow> rows, double* to) {
  if (!rows.empty())
    sum_rows(runs, rows, [&](int c, const Lanes& sum) { put(to + c, load(to + c) + sum); });
}

// P: groups of six rows.
void add_to_wrench(std::span<const ColumnRun> runs, const Vec3<double>& n, const Vec3<double>& f,
                   const double* row, double* P) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      const Lanes x = load(row + c);
      double* const at = P + 6 * c;
      put_vector(at, load_vector(at) + n * x);
      put_vector(at + 3 * width, load_vector(at + 3 * width) + f * x);
    }
}

}  // namespace

// g of rows that begin, merge or are solved here; those solved act on the link. Inward.
void MotionSlopes::begin_front(const Front& front, std::span<const ColumnRun> runs, double* P) {
  const MotionWorkspace<double>& ws = *ws_;
  for (const ChildFront& child : front.children) {
    const Front& from = ws.plan.fronts[child.front];
    for (int r = from.solved; r < from.size(); ++r)
      add_scaled_row(runs, 1, front_row(from, r), front_row(front, child.to[r - from.solved]));
  }
  for (int r = 0; r < front.solved; ++r)
    add_scaled_row(runs, 1, row_slope(front.rows[r]), front_row(front, r));
  for (int r = 0; r < front.size(); ++r) {
    scaled_.clear();
    for (int c = 0; c < std::min(r, front.solved); ++c) {
      const double* const factors = ws.fronts.G.data() + front.G0 + c * front.width();
      scaled_.push_back({-(factors[c] * factors[r]), front_row(front, c)});
    }
    double* const g = front_row(front, r);
    add_scaled_rows(runs, scaled_, g);
    if (!P || r >= front.solved) continue;
    const double inverse = ws.fronts.G[front.G0 + r * front.width() + r];
    add_to_wrench(runs, inverse * ws.fronts.Kn[front.g0 + r], inverse * ws.fronts.Kf[front.g0 + r],
                  g, P);
  }
}

// g of rows that pass a joint, with its answers to the columns: g' = g + (C + S^T K) . x
void MotionSlopes::pass_rows(int d) {
  const MotionWorkspace<double>& ws = *ws_;
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = links_.body(d);
  const Front& front = ws.plan.fronts[ws.plan.front_through[at.link]];
  for (int r = front.solved; r < front.size(); ++r) {
    const std::size_t passed = ws.plan.Q0[at.link] + r;
    double share[6] = {};
    Vec3<double> n = ws.fronts.Qn[passed], f;
    if (b.answer == JointAnswer::ball) n = b.A * n;  // Q is A^-1 K
    if (b.answer == JointAnswer::loose) {
      const SpatialPair K = links_.inertia(d, {n, ws.fronts.Qf[passed]});
      n = K.n, f = K.f;
    }
    to_six(n, f, share);
    scaled_.clear();
    for (int l = 0; l < at.nv; ++l)
      if (share[l] != 0) scaled_.push_back({share[l], row(at.p0 + l)});
    add_scaled_rows(flow_.up[d], scaled_, front_row(front, r));
  }
}

// The columns of the joint's own speeds: their acceleration and their o.
void MotionSlopes::add_own_rows(int d) {
  const MotionWorkspace<double>& ws = *ws_;
  const SlopeLink& at = plan_.links[d];
  const Front& front = ws.plan.fronts[ws.plan.front_through[at.link]];
  const bool loose = links_.body(d).answer == JointAnswer::loose;
  for (int r = front.solved; r < front.size(); ++r) {
    const std::size_t passed = ws.plan.Q0[at.link] + r;
    const Vec3<double>& t = links_.passed_turn(passed);
    const Vec3<double> n = loose ? Vec3<double>{} : ws.fronts.Ln[passed];
    const Vec3<double> f = loose ? Vec3<double>{} : ws.fronts.Lf[passed];
    double* const g = front_row(front, r);
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const SlopeColumn& c = links_.column(p);
      const VectorsOf<Two> n_z = both(c.by_q.n, c.by_v.n), f_z = both(c.by_q.f, c.by_v.f);
      add_to_row(g, SlopePlan::by_q(p), dot(n, n_z) + dot(f, f_z) + dot(t, both(c.o, c.phi)));
    }
  }
}

// What the multipliers of rows that pass a joint do to its answers. Outward.
void MotionSlopes::push_rows(int d) {
  const MotionWorkspace<double>& ws = *ws_;
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = links_.body(d);
  const Front& front = ws.plan.fronts[ws.plan.front_through[at.link]];
  for (int r = front.solved; r < front.size(); ++r) {
    const std::size_t passed = ws.plan.Q0[at.link] + r;
    const Vec3<double>& Q = ws.fronts.Qn[passed];
    pushes_[r - front.solved] = {};
    double* const push = pushes_[r - front.solved].data();
    if (b.answer == JointAnswer::hinge) {
      push[0] = links_.hinge(d).Di * Q.x;
    } else if (b.answer == JointAnswer::ball) {
      to_six(Q, {}, push);
    } else if (b.answer == JointAnswer::loose) {
      to_six(Q, ws.fronts.Qf[passed], push);
    } else {
      const SlopeJoint& j = links_.joint(d);
      for (int l = 0; l < at.nv; ++l) {
        const SpatialPair S = from_six(j.S[l]);
        if (links_.is_held(at.p0 + l))
          push[l] = -(mechanics::dot(S.n, ws.fronts.Ln[passed]) +
                      mechanics::dot(S.f, ws.fronts.Lf[passed]));
        for (int k = 0; k < 3 && k < at.nv; ++k)
          if (!links_.is_held(at.p0 + l) && !links_.is_held(at.p0 + k))
            push[l] += j.Di[l][k] * Q[k];
      }
    }
  }
  for (int l = 0; l < at.nv; ++l) {
    scaled_.clear();
    for (int r = front.solved; r < front.size(); ++r)
      if (const double push = pushes_[r - front.solved][l]; push != 0)
        scaled_.push_back({push, row_slope(front.rows[r])});
    add_scaled_rows(flow_.down[d], scaled_, row(at.p0 + l));
  }
  for (const FrontTerm& t : ws.plan.terms[at.link]) {
    const RowTerm<double>& term = mechanism_.terms[t.term];
    const int p = at.p0 + term.component;
    if (links_.is_held(p)) add_scaled_row(flow_.down[d], -term.factor, row_slope(term.row), row(p));
  }
}

double MotionSlopes::largest_answer(int d) const {
  const SlopeLink& at = plan_.links[d];
  Lanes largest{};
  for (int p = at.p0; p < at.p0 + at.nv; ++p)
    for (int c = 0; c < ld_; c += width) {
      const Lanes x = load(row(p) + c), size = x < 0 ? -x : x;
      largest = size > largest ? size : largest;
    }
  double result = 0;
  for (int k = 0; k < width; ++k) result = std::max(result, largest[k]);
  return result;
}

// A joint that hardly answers in the end may have answered by rounding only.
double MotionSlopes::lost_factor() const {
  if (!closed_) return 1;
  constexpr double least = 1e-6;
  double largest = 0, lost = 1;
  for (std::size_t d = 0; d < answered_.size(); ++d)
    largest = std::max(largest, largest_answer(static_cast<int>(d)));
  for (std::size_t d = 0; d < answered_.size(); ++d) {
    if (ws_->plan.front_through[plan_.links[d].link] < 0) continue;
    const double after = std::max(largest_answer(static_cast<int>(d)), least * largest);
    if (answered_[d] > lost * after) lost = answered_[d] / after;
  }
  return lost;
}

// Multipliers of the rows solved, now that the motion z of the link is known; none of the world.
void MotionSlopes::end_front(const Front& front, std::span<const ColumnRun> runs, const double* z) {
  const MotionWorkspace<double>& ws = *ws_;
  for (int r = front.solved - 1; r >= 0; --r) {
    const double* const factors = ws.fronts.G.data() + front.G0 + r * front.width();
    const double* const g = front_row(front, r);
    double* const lambda = row_slope(front.rows[r]);
    scaled_.clear();
    for (int c = r + 1; c < front.size(); ++c)
      scaled_.push_back({factors[c], row_slope(front.rows[c])});
    if (!z) {
      sum_rows(runs, scaled_, [&](int c, const Lanes& sum) {
        put(lambda + c, -factors[r] * (load(g + c) + sum));
      });
      continue;
    }
    const Vec3<double>&n = ws.fronts.Kn[front.g0 + r], &f = ws.fronts.Kf[front.g0 + r];
    const Vec3<double>& t = links_.row_turn(front.g0 + r);
    sum_rows(runs, scaled_, [&](int c, const Lanes& sum) {
      const MovingGroup x = load_moving(z, c);
      put(lambda + c, -factors[r] * (load(g + c) + sum + dot(n, x.a) + dot(f, x.b) + dot(t, x.o)));
    });
  }
}

}  // namespace cartan::mechanics
