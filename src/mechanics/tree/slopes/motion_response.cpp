#include "mechanics/tree/slopes/motion_response.h"

#include <algorithm>
#include <cmath>

#include "mechanics/tree/articulated_body.h"

namespace cartan::mechanics {

namespace {

// I z of the articulated body.
SpatialPair inertia_times(const LinkState<double>& x, const SpatialPair& z) {
  return {x.A * z.n + x.B * z.f, transpose_times(x.B, z.n) + x.D * z.f};
}

double along(const Vec3<double>& n, const Vec3<double>& f, const SpatialPair& z) {
  return dot(n, z.n) + dot(f, z.f);
}

}  // namespace

MotionResponse::MotionResponse(const Mechanism<double>& mechanism)
    : mechanism_(mechanism),
      links_(mechanism.links.size()),
      tau_(mechanism.nv),
      x_(mechanism.nv),
      rest_(mechanism.row_count()),
      lambda_(mechanism.row_count()) {}

void MotionResponse::clear() {
  for (Change& link : links_) link.P = link.c = {};
  clear_forces();
}

void MotionResponse::clear_forces() {
  std::fill(tau_.begin(), tau_.end(), 0.0);
  std::fill(rest_.begin(), rest_.end(), 0.0);
}

void MotionResponse::solve(const MotionWorkspace<double>& ws, bool with_c) {
  if (!mechanism_.rows.empty()) {
    g_.resize(ws.fronts.g.size());
    answered_.resize(links_.size());
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
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

template <bool with_c>
void MotionResponse::go_inward(const MotionWorkspace<double>& ws) {
  const bool closed = !mechanism_.rows.empty();
  for (int i = static_cast<int>(links_.size()) - 1; i >= 0; --i) {
    if (closed && ws.plan.front_at[i] >= 0)
      begin_front(ws, ws.plan.fronts[ws.plan.front_at[i]], &links_[i].P);
    SpatialPair left;
    const SpatialPair passed = eliminate<with_c>(ws, i, left);
    if (closed && ws.plan.front_through[i] >= 0) pass_rows(ws, i, left);
    const int parent = mechanism_.links[i].parent;
    if (parent == world) continue;
    SpatialPair& P = links_[parent].P;
    P.n += passed.n + cross(ws.links[i].r, passed.f);
    P.f += passed.f;
  }
}

template <bool with_c>
SpatialPair MotionResponse::eliminate(const MotionWorkspace<double>& ws, int i, SpatialPair& left) {
  const Link<double>& link = mechanism_.links[i];
  const LinkState<double>& x = ws.links[i];
  Change& change = links_[i];
  const SpatialPair &P = change.P, &c = change.c;
  if (!articulated::is_held(link, ws) && link.motion == Motion::rotation3) {
    // the whole moment is taken by the joint
    const double* tau = tau_.data() + link.v0;
    const Vec3<double> moment = x.R * Vec3<double>{tau[0], tau[1], tau[2]};
    left.n = moment - P.n;
    change.own.n = inverse(x.A) * left.n;
    SpatialPair passed{moment, P.f + transpose_times(x.B, left.n)};  // B is A^-1 B
    if constexpr (with_c) passed.f += x.D * c.f - transpose_times(x.B, x.A * (x.B * c.f));
    return passed;
  }
  if (!articulated::is_held(link, ws) && link.motion == Motion::free6)
    return eliminate_free(ws, i, left);
  SpatialPair passed = P;
  if constexpr (with_c) {
    const SpatialPair I = inertia_times(x, c);
    passed.n += I.n;
    passed.f += I.f;
  }
  if (articulated::is_held(link, ws)) return passed;
  if (link.motion == Motion::rotation1) {
    left.n.x = x.inverse_d * (tau_[link.v0] - dot(x.s, P.n));
    double answer = left.n.x;
    if constexpr (with_c) answer -= x.inverse_d * along(x.Un, x.Uf, c);
    x_[link.v0] = answer;
    passed.n += answer * x.Un;
    passed.f += answer * x.Uf;
    return passed;
  }
  const GeneralFactor<double>& factor = ws.factors[i];
  Vec3<double> u, by_c;
  for (int k = 0; k < link.nv; ++k) {
    const int j = link.v0 + k;
    if (ws.any_locked && ws.locked[j]) continue;
    u[k] = tau_[j] - along(ws.phi[j], ws.psi[j], P);
    if constexpr (with_c) by_c[k] = along(factor.Un[k], factor.Uf[k], c);
  }
  left.n = factor.D_inverse * u;
  const Vec3<double> answer = left.n - factor.D_inverse * by_c;
  for (int k = 0; k < link.nv; ++k) {
    x_[link.v0 + k] = answer[k];
    passed.n += answer[k] * factor.Un[k];
    passed.f += answer[k] * factor.Uf[k];
  }
  return passed;
}

// As articulated::eliminate_free: the parent feels the force of the joint alone.
SpatialPair MotionResponse::eliminate_free(const MotionWorkspace<double>& ws, int i,
                                           SpatialPair& left) {
  const Link<double>& link = mechanism_.links[i];
  const LinkState<double>& x = ws.links[i];
  Change& change = links_[i];
  const double* tau = tau_.data() + link.v0;
  const Vec3<double>*phi = &ws.phi[link.v0], *psi = &ws.psi[link.v0];
  SpatialPair passed;
  for (int k = 3; k < 6; ++k) passed.f += tau[k] * psi[k];
  for (int k = 0; k < 3; ++k) passed.n += (tau[k] - dot(psi[k], passed.f)) * phi[k];
  left = {passed.n - change.P.n, passed.f - change.P.f};
  const Sym3<double> A_inverse = inverse(x.A);
  const Mat3<double> E = A_inverse * x.B;
  const auto product = [&](int k, int l) { return dot(x.B.c[k], E.c[l]); };
  const Sym3<double> schur = x.D - Sym3<double>{product(0, 0), product(1, 1), product(2, 2),
                                                product(0, 1), product(0, 2), product(1, 2)};
  const Vec3<double> a = A_inverse * left.n;
  change.own.f = inverse(schur) * (left.f - transpose_times(x.B, a));
  change.own.n = a - E * change.own.f;
  return passed;
}

// ------------------------------------------------------------------------------------------- rows

// P: of the link where the front begins; none at the world, which does not move.
void MotionResponse::begin_front(const MotionWorkspace<double>& ws, const Front& front,
                                 SpatialPair* P) {
  double* const g = g_.data() + front.g0;
  std::fill_n(g, front.size(), 0.0);
  for (const ChildFront& child : front.children) {
    const Front& from = ws.plan.fronts[child.front];
    for (int r = from.solved; r < from.size(); ++r) g[child.to[r - from.solved]] += g_[from.g0 + r];
  }
  for (int r = 0; r < front.solved; ++r) g[r] += rest_[front.rows[r]];
  for (int r = 0; r < front.solved; ++r) {
    const double* const row = ws.fronts.G.data() + front.G0 + r * front.width();
    g[r] *= row[r];
    for (int c = r + 1; c < front.size(); ++c) g[c] -= row[c] * g[r];
    if (!P) continue;
    P->n += g[r] * ws.fronts.Kn[front.g0 + r];
    P->f += g[r] * ws.fronts.Kf[front.g0 + r];
  }
}

void MotionResponse::pass_rows(const MotionWorkspace<double>& ws, int i, const SpatialPair& left) {
  const Front& front = ws.plan.fronts[ws.plan.front_through[i]];
  const bool free = mechanism_.links[i].motion == Motion::free6;
  const SpatialPair& c = links_[i].c;
  for (int r = front.solved; r < front.size(); ++r) {
    const std::size_t at = ws.plan.Q0[i] + r;
    double& g = g_[front.g0 + r];
    g += dot(ws.fronts.Qn[at], left.n);
    if (free) g += dot(ws.fronts.Qf[at], left.f);
    if (!free) g += along(ws.fronts.Ln[at], ws.fronts.Lf[at], c);
  }
}

void MotionResponse::solve_back(const MotionWorkspace<double>& ws, const Front& front) {
  for (int r = front.solved - 1; r >= 0; --r) {
    const double* const row = ws.fronts.G.data() + front.G0 + r * front.width();
    double sum = g_[front.g0 + r];
    for (int c = r + 1; c < front.size(); ++c) sum += row[c] * lambda_[front.rows[c]];
    lambda_[front.rows[r]] = -(row[r] * sum);
  }
}

SpatialPair MotionResponse::calc_push(const MotionWorkspace<double>& ws, int i) const {
  SpatialPair push;
  const Front& front = ws.plan.fronts[ws.plan.front_through[i]];
  const bool free = mechanism_.links[i].motion == Motion::free6;
  for (int r = front.solved; r < front.size(); ++r) {
    const double lambda = lambda_[front.rows[r]];
    push.n += lambda * ws.fronts.Qn[ws.plan.Q0[i] + r];
    if (free) push.f += lambda * ws.fronts.Qf[ws.plan.Q0[i] + r];
  }
  return push;
}

// ----------------------------------------------------------------------------------------- outward

void MotionResponse::go_outward(const MotionWorkspace<double>& ws) {
  const bool closed = !mechanism_.rows.empty();
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    const bool passed = closed && ws.plan.front_through[i] >= 0;
    if (passed) answered_[i] = answer_size(ws, i, links_[i].own);
    accelerate(ws, i, passed ? calc_push(ws, i) : SpatialPair{});
    if (!closed || ws.plan.front_at[i] < 0) continue;
    const Front& front = ws.plan.fronts[ws.plan.front_at[i]];
    const SpatialPair& z = links_[i].z;
    for (int r = 0; r < front.solved; ++r)
      g_[front.g0 + r] += along(ws.fronts.Kn[front.g0 + r], ws.fronts.Kf[front.g0 + r], z);
    solve_back(ws, front);
  }
}

void MotionResponse::accelerate(const MotionWorkspace<double>& ws, int i, const SpatialPair& push) {
  const Link<double>& link = mechanism_.links[i];
  const LinkState<double>& x = ws.links[i];
  Change& change = links_[i];
  const SpatialPair& c = change.c;
  SpatialPair z;  // of the parent, at the origin of the link
  if (link.parent != world) {
    z = links_[link.parent].z;
    z.f += cross(z.n, x.r);
  }
  double* const a = x_.data() + link.v0;
  if (articulated::is_held(link, ws)) {
    std::fill_n(a, link.nv, 0.0);
    change.z = {z.n + c.n, z.f + c.f};
    return;
  }
  switch (link.motion) {
    case Motion::rotation1:
      a[0] += x.inverse_d * (push.n.x - along(x.Un, x.Uf, z));
      change.z = {z.n + c.n + a[0] * x.s, z.f + c.f};
      break;
    case Motion::rotation3: {
      change.z.f = z.f + c.f;
      change.z.n = change.own.n + push.n - x.B * change.z.f;
      const Vec3<double> relative = transpose_times(x.R, change.z.n - z.n - c.n);
      a[0] = relative.x, a[1] = relative.y, a[2] = relative.z;
      break;
    }
    case Motion::free6: {
      change.z = {change.own.n + push.n, change.own.f + push.f};
      const Vec3<double> turn = change.z.n - z.n - c.n;
      Vec3<double> slide = change.z.f - z.f - c.f;
      for (int k = 0; k < 3; ++k) {
        a[k] = dot(ws.phi[link.v0 + k], turn);
        slide -= a[k] * ws.psi[link.v0 + k];
      }
      for (int k = 3; k < 6; ++k) a[k] = dot(ws.psi[link.v0 + k], slide);
      break;
    }
    default: {
      const GeneralFactor<double>& factor = ws.factors[i];
      Vec3<double> rest = push.n;
      for (int k = 0; k < link.nv; ++k) rest[k] -= along(factor.Un[k], factor.Uf[k], z);
      const Vec3<double> answer = factor.D_inverse * rest;
      change.z = {z.n + c.n, z.f + c.f};
      for (int k = 0; k < link.nv; ++k) {
        a[k] += answer[k];
        change.z.n += a[k] * ws.phi[link.v0 + k];
        change.z.f += a[k] * ws.psi[link.v0 + k];
      }
    }
  }
}

// ------------------------------------------------------------------------------------ digits lost

double MotionResponse::answer_size(const MotionWorkspace<double>& ws, int i,
                                   const SpatialPair& z) const {
  const Link<double>& link = mechanism_.links[i];
  if (articulated::is_held(link, ws)) return 0;
  if (link.motion == Motion::rotation3) return norm(z.n);
  if (link.motion == Motion::free6) return std::max(norm(z.n), norm(z.f));
  double largest = 0;
  for (int k = 0; k < link.nv; ++k) largest = std::max(largest, std::fabs(x_[link.v0 + k]));
  return largest;
}

double MotionResponse::lost_factor(const MotionWorkspace<double>& ws) const {
  if (mechanism_.rows.empty()) return 1;
  constexpr double least = 1e-6;
  const int count = static_cast<int>(links_.size());
  double largest = 0, lost = 1;
  for (int i = 0; i < count; ++i) largest = std::max(largest, answer_size(ws, i, links_[i].z));
  for (int i = 0; i < count; ++i) {
    if (ws.plan.front_through[i] < 0) continue;
    const double after = std::max(answer_size(ws, i, links_[i].z), least * largest);
    if (answered_[i] > lost * after) lost = answered_[i] / after;
  }
  return lost;
}

}  // namespace cartan::mechanics
