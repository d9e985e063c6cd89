// The other uses of motion_slopes.h: the matrix of implicit methods, products with vectors.
#include <algorithm>

#include "mechanics/tree/motion_slopes.h"

namespace cartan {

void MotionSlopes::fill_matrix(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual,
                               double v_scale, double q_scale, const Eigen::MatrixXd* T,
                               Eigen::Ref<Eigen::MatrixXd> result) {
  active_.clear();
  std::fill(place_of_row_.begin(), place_of_row_.end(), -1);
  std::fill(scalars_.begin(), scalars_.end(), 0.0);
  move_links(ws);
  differentiate_inverse_dynamics();
  if (!plan_.laws.empty()) add_laws(ws, dual);
  for (int i = 0; i < nv_; ++i) {
    const double* row = W_.data() + static_cast<std::size_t>(i) * ld_;
    const int to = plan_.speed[i];
    for (const SlopeLink& at : plan_.links)
      for (int k = at.p0; k < at.p0 + at.nv; ++k) {
        const int column = plan_.speed[k];
        double by_q = row[k];
        if (T) {
          by_q = 0;
          for (int l = at.p0; l < at.p0 + at.nv; ++l) by_q += row[l] * (*T)(plan_.speed[l], column);
        }
        result(to, column) = v_scale * row[nv_ + k] + q_scale * by_q;
      }
  }
  for (const SlopeLink& at : plan_.links)
    for (int i = at.p0; i < at.p0 + at.nv; ++i)
      for (const int k : plan_.paths[at.link]) {
        if (k > i) continue;
        result(plan_.speed[i], plan_.speed[k]) += M_[i * N_ + k];
        if (k < i) result(plan_.speed[k], plan_.speed[i]) += M_[i * N_ + k];
      }
}

void MotionSlopes::fill_products(const MotionWorkspace<double>& ws) {
  active_.clear();
  terms_.resize(nv_);
  sums_.resize(2 * plan_.links.size());
  move_links(ws);
  for (int d = static_cast<int>(plan_.links.size()) - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    for (int p = at.p0; p < at.p0 + at.nv; ++p) terms_[p] = calc_terms(bodies_[d], p);
    pass_to_parent(d);
  }
}

// Along the paths zeta and xi are summed, along the subtrees the wrenches.
void MotionSlopes::multiply(std::span<const double> dq, std::span<const double> dv,
                            std::span<double> forces) {
  const int links = static_cast<int>(plan_.links.size());
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    Spatial& sum = sums_[2 * d];  // zeta
    Spatial& spin = sums_[2 * d + 1];
    sum = spin = {};
    if (at.parent >= 0) {
      sum = sums_[2 * at.parent];
      spin = sums_[2 * at.parent + 1];
    }
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const Spatial zeta = column(zeta_, p), zeta_v = column(zeta_v_, p);
      sum.n += dq[p] * zeta.n + dv[p] * zeta_v.n;
      sum.f += dq[p] * zeta.f + dv[p] * zeta_v.f;
      spin.n += dq[p] * column(xi_, p).n + dv[p] * column(S_, p).n;
    }
    for (int p = at.p0; p < at.p0 + at.nv; ++p)
      forces[p] = dot(terms_[p].r.n, sum.n) + dot(terms_[p].r.f, sum.f) + dot(terms_[p].r2, spin.n);
  }
  for (int d = 0; d < links; ++d) sums_[2 * d] = {};
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    Spatial total = sums_[2 * d];  // of what is strictly outboard
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const Spatial S = column(S_, p);
      forces[p] += dot(S.n, sums_[2 * d].n) + dot(S.f, sums_[2 * d].f);
      total.n += dq[p] * terms_[p].by_q.n + dv[p] * terms_[p].by_v.n;
      total.f += dq[p] * terms_[p].by_q.f + dv[p] * terms_[p].by_v.f;
    }
    if (at.parent < 0) continue;
    sums_[2 * at.parent].n += total.n;
    sums_[2 * at.parent].f += total.f;
  }
  for (const OwnForce& own : own_) {
    const Composite& b = bodies_[own.link];
    forces[own.i] += (dot(own.D.n, b.n) + dot(own.D.f, b.f)) * dq[own.k];
  }
}

void MotionSlopes::multiply_transposed(std::span<const double> forces, std::span<double> by_q,
                                       std::span<double> by_v) {
  const int links = static_cast<int>(plan_.links.size());
  // inboard: sum of S forces on the path of the parent
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    Spatial push = at.parent >= 0 ? sums_[2 * at.parent] : Spatial{};
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const Terms& t = terms_[p];
      by_q[p] = dot(push.n, t.by_q.n) + dot(push.f, t.by_q.f);
      by_v[p] = dot(push.n, t.by_v.n) + dot(push.f, t.by_v.f);
    }
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const Spatial S = column(S_, p);
      push.n += forces[p] * S.n;
      push.f += forces[p] * S.f;
    }
    sums_[2 * d] = push;
  }
  // outboard and at the joint: sum of I S and 2 B^T S over the subtree
  for (Spatial& sum : sums_) sum = {};
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    Spatial& sum = sums_[2 * d];
    Vec3<double>& spin = sums_[2 * d + 1].n;
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      sum.n += forces[p] * terms_[p].r.n;
      sum.f += forces[p] * terms_[p].r.f;
      spin += forces[p] * terms_[p].r2;
    }
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const Spatial zeta = column(zeta_, p), zeta_v = column(zeta_v_, p);
      by_q[p] += dot(sum.n, zeta.n) + dot(sum.f, zeta.f) + dot(spin, column(xi_, p).n);
      by_v[p] += dot(sum.n, zeta_v.n) + dot(sum.f, zeta_v.f) + dot(spin, column(S_, p).n);
    }
    if (at.parent < 0) continue;
    sums_[2 * at.parent].n += sum.n;
    sums_[2 * at.parent].f += sum.f;
    sums_[2 * at.parent + 1].n += spin;
  }
  for (const OwnForce& own : own_) {
    const Composite& b = bodies_[own.link];
    by_q[own.k] += (dot(own.D.n, b.n) + dot(own.D.f, b.f)) * forces[own.i];
  }
}

}  // namespace cartan
