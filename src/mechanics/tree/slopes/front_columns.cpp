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
  for (int r = 0; r < front.solved; ++r) {
    const double* const factors = ws.fronts.G.data() + front.G0 + r * front.width();
    const double inverse = factors[r];
    const double* const g = front_row(front, r);
    for (int c = r + 1; c < front.size(); ++c)
      add_scaled_row(runs, -(inverse * factors[c]), g, front_row(front, c));
    if (P)
      add_to_wrench(runs, inverse * ws.fronts.Kn[front.g0 + r],
                    inverse * ws.fronts.Kf[front.g0 + r], g, P);
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
    for (int l = 0; l < at.nv; ++l)
      if (share[l] != 0) add_scaled_row(flow_.up[d], share[l], row(at.p0 + l), front_row(front, r));
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
    double push[6] = {};
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
    for (int l = 0; l < at.nv; ++l)
      if (push[l] != 0)
        add_scaled_row(flow_.down[d], push[l], row_slope(front.rows[r]), row(at.p0 + l));
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
    double* const g = front_row(front, r);
    double* const lambda = row_slope(front.rows[r]);
    if (z) {
      const Vec3<double>&n = ws.fronts.Kn[front.g0 + r], &f = ws.fronts.Kf[front.g0 + r];
      const Vec3<double>& t = links_.row_turn(front.g0 + r);
      for (const ColumnRun& run : runs)
        for (int c = run.first; c < run.last; c += width) {
          const MovingGroup x = load_moving(z, c);
          put(g + c, load(g + c) + dot(n, x.a) + dot(f, x.b) + dot(t, x.o));
        }
    }
    for (int c = r + 1; c < front.size(); ++c)
      add_scaled_row(runs, factors[c], row_slope(front.rows[c]), g);
    for (const ColumnRun& run : runs)
      for (int c = run.first; c < run.last; c += width) put(lambda + c, -factors[r] * load(g + c));
  }
}

}  // namespace cartan::mechanics
