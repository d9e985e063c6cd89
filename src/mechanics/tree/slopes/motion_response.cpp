#include "mechanics/tree/slopes/motion_response.h"

#include <algorithm>
#include <cmath>

#include "mechanics/tree/articulated_body.h"

namespace cartan::mechanics {

namespace {

using lanes::Four;
using lanes::operator*;

// I z of the articulated body.
template <class Vector>
PairOf<Vector> inertia_times(const LinkState<double>& x, const PairOf<Vector>& z) {
  return {x.A * z.n + x.B * z.f, transpose_times(x.B, z.n) + x.D * z.f};
}

template <class Vector>
auto along(const Vec3<double>& n, const Vec3<double>& f, const PairOf<Vector>& z) {
  return dot(n, z.n) + dot(f, z.f);
}

// Sizes: of each number side by side its own.
double larger(double a, double b) {
  return std::max(a, b);
}
Four larger(const Four& a, const Four& b) {
  return a > b ? a : b;
}
double size_of_number(double a) {
  return std::fabs(a);
}
Four size_of_number(const Four& a) {
  return larger(a, -a);
}
double length_of(const Vec3<double>& a) {
  return norm(a);
}
Four length_of(const lanes::VectorsOf<Four>& a) {
  Four square = a.x * a.x + a.y * a.y + a.z * a.z;
  for (int k = 0; k < 4; ++k) square[k] = std::sqrt(square[k]);
  return square;
}
// The largest `before / after`, at least `most`.
double largest_ratio(double before, double after, double most) {
  return before > most * after ? before / after : most;
}
double largest_ratio(const Four& before, const Four& after, double most) {
  for (int k = 0; k < 4; ++k) most = largest_ratio(before[k], after[k], most);
  return most;
}

}  // namespace

template <class L>
ResponseOf<L>::ResponseOf(const Mechanism<double>& mechanism)
    : mechanism_(mechanism),
      links_(mechanism.links.size()),
      tau_(mechanism.nv),
      x_(mechanism.nv),
      rest_(mechanism.row_count()),
      lambda_(mechanism.row_count()) {}

template <class L>
void ResponseOf<L>::clear() {
  for (Change& link : links_) link.P = link.c = {};
  clear_forces();
}

template <class L>
void ResponseOf<L>::clear_forces() {
  std::fill(tau_.begin(), tau_.end(), L{});
  std::fill(rest_.begin(), rest_.end(), L{});
}

template <class L>
void ResponseOf<L>::solve(const MotionWorkspace<double>& ws, bool with_c) {
  if (!mechanism_.rows.empty()) {
    g_.resize(ws.fronts.g.size());
    answered_.resize(links_.size());
    std::fill(lambda_.begin(), lambda_.end(), L{});
  }
  with_c ? go_inward<true>(ws) : go_inward<false>(ws);
  if (ws.plan.world_front >= 0) {
    const Front& front = ws.plan.fronts[ws.plan.world_front];
    begin_front(ws, front, nullptr);
    solve_back(ws, front);
  }
  go_outward(ws);
}

// ------------------------------------------------------------------------------------------ inward

template <class L>
template <bool with_c>
void ResponseOf<L>::go_inward(const MotionWorkspace<double>& ws) {
  const bool closed = !mechanism_.rows.empty();
  for (int i = static_cast<int>(links_.size()) - 1; i >= 0; --i) {
    if (closed && ws.plan.front_at[i] >= 0)
      begin_front(ws, ws.plan.fronts[ws.plan.front_at[i]], &links_[i].P);
    Pair left;
    const Pair passed = eliminate<with_c>(ws, i, left);
    if (closed && ws.plan.front_through[i] >= 0) pass_rows(ws, i, left);
    const int parent = mechanism_.links[i].parent;
    if (parent == world) continue;
    Pair& P = links_[parent].P;
    P.n += passed.n + cross(ws.links[i].r, passed.f);
    P.f += passed.f;
  }
}

template <class L>
template <bool with_c>
typename ResponseOf<L>::Pair ResponseOf<L>::eliminate(const MotionWorkspace<double>& ws, int i,
                                                      Pair& left) {
  const Link<double>& link = mechanism_.links[i];
  const LinkState<double>& x = ws.links[i];
  Change& change = links_[i];
  const Pair &P = change.P, &c = change.c;
  if (!articulated::is_held(link, ws) && link.motion == Motion::rotation3) {
    // the whole moment is taken by the joint
    const L* tau = tau_.data() + link.v0;
    const Vector moment = x.R * Vector{tau[0], tau[1], tau[2]};
    left.n = moment - P.n;
    change.own.n = inverse(x.A) * left.n;
    // B is A^-1 B, D is what the joint leaves of it
    Pair passed{moment, P.f + transpose_times(x.B, left.n)};
    if constexpr (with_c) passed.f += x.D * c.f;
    return passed;
  }
  if (!articulated::is_held(link, ws) && link.motion == Motion::free6)
    return eliminate_free(ws, i, left);
  Pair passed = P;
  if constexpr (with_c) {
    const Pair I = inertia_times(x, c);
    passed.n += I.n;
    passed.f += I.f;
  }
  if (articulated::is_held(link, ws)) return passed;
  if (link.motion == Motion::rotation1) {
    left.n.x = x.inverse_d * (tau_[link.v0] - dot(x.s, P.n));
    L answer = left.n.x;
    if constexpr (with_c) answer -= x.inverse_d * along(x.Un, x.Uf, c);
    x_[link.v0] = answer;
    passed.n += x.Un * answer;
    passed.f += x.Uf * answer;
    return passed;
  }
  const GeneralFactor<double>& factor = ws.factors[i];
  Vector u{}, by_c{};
  for (int k = 0; k < link.nv; ++k) {
    const int j = link.v0 + k;
    if (ws.any_locked && ws.locked[j]) continue;
    u[k] = tau_[j] - along(ws.phi[j], ws.psi[j], P);
    if constexpr (with_c) by_c[k] = along(factor.Un[k], factor.Uf[k], c);
  }
  left.n = factor.D_inverse * u;
  const Vector answer = left.n - factor.D_inverse * by_c;
  for (int k = 0; k < link.nv; ++k) {
    x_[link.v0 + k] = answer[k];
    passed.n += factor.Un[k] * answer[k];
    passed.f += factor.Uf[k] * answer[k];
  }
  return passed;
}

// As articulated::eliminate_free: the parent feels the force of the joint alone.
template <class L>
typename ResponseOf<L>::Pair ResponseOf<L>::eliminate_free(const MotionWorkspace<double>& ws, int i,
                                                           Pair& left) {
  const Link<double>& link = mechanism_.links[i];
  const LinkState<double>& x = ws.links[i];
  Change& change = links_[i];
  const L* tau = tau_.data() + link.v0;
  const Vec3<double>*phi = ws.phi.data() + link.v0, *psi = ws.psi.data() + link.v0;
  Pair passed;
  for (int k = 3; k < 6; ++k) passed.f += psi[k] * tau[k];
  for (int k = 0; k < 3; ++k) passed.n += phi[k] * (tau[k] - dot(psi[k], passed.f));
  left = {passed.n - change.P.n, passed.f - change.P.f};
  const Sym3<double> A_inverse = inverse(x.A);
  const Mat3<double> E = A_inverse * x.B;
  const Sym3<double> schur = x.D - symmetric_transpose_times(x.B, E);
  const Vector a = A_inverse * left.n;
  change.own.f = inverse(schur) * (left.f - transpose_times(x.B, a));
  change.own.n = a - E * change.own.f;
  return passed;
}

// ------------------------------------------------------------------------------------------- rows

// P: of the link where the front begins; none at the world, which does not move.
template <class L>
void ResponseOf<L>::begin_front(const MotionWorkspace<double>& ws, const Front& front, Pair* P) {
  L* const g = g_.data() + front.g0;
  std::fill_n(g, front.size(), L{});
  for (const ChildFront& child : front.children) {
    const Front& from = ws.plan.fronts[child.front];
    for (int r = from.solved; r < from.size(); ++r) g[child.to[r - from.solved]] += g_[from.g0 + r];
  }
  for (int r = 0; r < front.solved; ++r) g[r] += rest_[front.rows[r]];
  for (int r = 0; r < front.solved; ++r) {
    const double* const row = ws.fronts.G.data() + front.G0 + r * front.width();
    const L y = row[r] * g[r];
    for (int c = r + 1; c < front.size(); ++c) g[c] -= row[c] * y;
    if (!P) continue;
    P->n += ws.fronts.Kn[front.g0 + r] * y;
    P->f += ws.fronts.Kf[front.g0 + r] * y;
  }
}

template <class L>
void ResponseOf<L>::pass_rows(const MotionWorkspace<double>& ws, int i, const Pair& left) {
  const Front& front = ws.plan.fronts[ws.plan.front_through[i]];
  const bool free = mechanism_.links[i].motion == Motion::free6;
  const Pair& c = links_[i].c;
  for (int r = front.solved; r < front.size(); ++r) {
    const std::size_t at = ws.plan.Q0[i] + r;
    L& g = g_[front.g0 + r];
    g += dot(ws.fronts.Qn[at], left.n);
    if (free) g += dot(ws.fronts.Qf[at], left.f);
    if (!free) g += along(ws.fronts.Ln[at], ws.fronts.Lf[at], c);
  }
}

template <class L>
void ResponseOf<L>::solve_back(const MotionWorkspace<double>& ws, const Front& front) {
  for (int r = front.solved - 1; r >= 0; --r) {
    const double* const row = ws.fronts.G.data() + front.G0 + r * front.width();
    L sum = g_[front.g0 + r];
    for (int c = r + 1; c < front.size(); ++c) sum += row[c] * lambda_[front.rows[c]];
    lambda_[front.rows[r]] = -(row[r] * sum);
  }
}

template <class L>
typename ResponseOf<L>::Pair ResponseOf<L>::calc_push(const MotionWorkspace<double>& ws,
                                                      int i) const {
  Pair push;
  const Front& front = ws.plan.fronts[ws.plan.front_through[i]];
  const bool free = mechanism_.links[i].motion == Motion::free6;
  for (int r = front.solved; r < front.size(); ++r) {
    const L& lambda = lambda_[front.rows[r]];
    push.n += ws.fronts.Qn[ws.plan.Q0[i] + r] * lambda;
    if (free) push.f += ws.fronts.Qf[ws.plan.Q0[i] + r] * lambda;
  }
  return push;
}

// ----------------------------------------------------------------------------------------- outward

template <class L>
void ResponseOf<L>::go_outward(const MotionWorkspace<double>& ws) {
  const bool closed = !mechanism_.rows.empty();
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    const bool passed = closed && ws.plan.front_through[i] >= 0;
    if (passed) answered_[i] = answer_size(ws, i, links_[i].own);
    accelerate(ws, i, passed ? calc_push(ws, i) : Pair{});
    if (!closed || ws.plan.front_at[i] < 0) continue;
    const Front& front = ws.plan.fronts[ws.plan.front_at[i]];
    const Pair& z = links_[i].z;
    for (int r = 0; r < front.solved; ++r)
      g_[front.g0 + r] += along(ws.fronts.Kn[front.g0 + r], ws.fronts.Kf[front.g0 + r], z);
    solve_back(ws, front);
  }
}

template <class L>
void ResponseOf<L>::accelerate(const MotionWorkspace<double>& ws, int i, const Pair& push) {
  const Link<double>& link = mechanism_.links[i];
  const LinkState<double>& x = ws.links[i];
  Change& change = links_[i];
  const Pair& c = change.c;
  Pair z;  // of the parent, at the origin of the link
  if (link.parent != world) {
    z = links_[link.parent].z;
    z.f += cross(z.n, x.r);
  }
  L* const a = x_.data() + link.v0;
  if (articulated::is_held(link, ws)) {
    std::fill_n(a, link.nv, L{});
    change.z = {z.n + c.n, z.f + c.f};
    return;
  }
  switch (link.motion) {
    case Motion::rotation1:
      a[0] += x.inverse_d * (push.n.x - along(x.Un, x.Uf, z));
      change.z = {z.n + c.n + x.s * a[0], z.f + c.f};
      break;
    case Motion::rotation3: {
      change.z.f = z.f + c.f;
      change.z.n = change.own.n + push.n - x.B * change.z.f;
      const Vector relative = transpose_times(x.R, change.z.n - z.n - c.n);
      a[0] = relative.x, a[1] = relative.y, a[2] = relative.z;
      break;
    }
    case Motion::free6: {
      change.z = {change.own.n + push.n, change.own.f + push.f};
      const Vector turn = change.z.n - z.n - c.n;
      Vector slide = change.z.f - z.f - c.f;
      for (int k = 0; k < 3; ++k) {
        a[k] = dot(ws.phi[link.v0 + k], turn);
        slide -= ws.psi[link.v0 + k] * a[k];
      }
      for (int k = 3; k < 6; ++k) a[k] = dot(ws.psi[link.v0 + k], slide);
      break;
    }
    default: {
      const GeneralFactor<double>& factor = ws.factors[i];
      Vector rest = push.n;
      for (int k = 0; k < link.nv; ++k) rest[k] -= along(factor.Un[k], factor.Uf[k], z);
      const Vector answer = factor.D_inverse * rest;
      change.z = {z.n + c.n, z.f + c.f};
      for (int k = 0; k < link.nv; ++k) {
        a[k] += answer[k];
        change.z.n += ws.phi[link.v0 + k] * a[k];
        change.z.f += ws.psi[link.v0 + k] * a[k];
      }
    }
  }
}

// ------------------------------------------------------------------------------------ digits lost

template <class L>
L ResponseOf<L>::answer_size(const MotionWorkspace<double>& ws, int i, const Pair& z) const {
  const Link<double>& link = mechanism_.links[i];
  if (articulated::is_held(link, ws)) return L{};
  if (link.motion == Motion::rotation3) return length_of(z.n);
  if (link.motion == Motion::free6) return larger(length_of(z.n), length_of(z.f));
  L largest{};
  for (int k = 0; k < link.nv; ++k) largest = larger(largest, size_of_number(x_[link.v0 + k]));
  return largest;
}

template <class L>
double ResponseOf<L>::lost_factor(const MotionWorkspace<double>& ws) const {
  if (mechanism_.rows.empty()) return 1;
  constexpr double least = 1e-6;
  const int count = static_cast<int>(links_.size());
  L largest{};
  for (int i = 0; i < count; ++i) largest = larger(largest, answer_size(ws, i, links_[i].z));
  double lost = 1;
  for (int i = 0; i < count; ++i) {
    if (ws.plan.front_through[i] < 0) continue;
    const L after = larger(answer_size(ws, i, links_[i].z), least * largest);
    lost = largest_ratio(answered_[i], after, lost);
  }
  return lost;
}

template class ResponseOf<double>;
template class ResponseOf<Four>;

}  // namespace cartan::mechanics
