// Products of the derivatives with vectors (link_slopes.h): one pass out, one back.
#include "mechanics/tree/link_slopes.h"

#include <algorithm>
#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/tree/articulated_body.h"

namespace cartan::mechanics {

// One column for all displacements and speeds at once: the changes of all joints add up.
void LinkSlopes::multiply(std::span<const double> dq, std::span<const double> dv,
                          std::span<double> result) {
  const int links = static_cast<int>(plan_.links.size());
  for (Moving& x : moving_) x.p = {};
  auto own = own_.rbegin();
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    Moving& x = moving_[d];
    Vec3<double> turn, shift;
    x.own_o = {};
    x.own_z = {};
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const SlopeColumn& c = columns_[p];
      turn += dq[p] * c.phi;
      shift += dq[p] * c.psi;
      x.own_o += dq[p] * c.o + dv[p] * c.phi;
      x.own_z.n += dq[p] * c.by_q.n + dv[p] * c.by_v.n;
      x.own_z.f += dq[p] * c.by_q.f + dv[p] * c.by_v.f;
    }
    SpatialPair P = x.p;
    P.n += b.Cn * x.own_o;
    P.f += b.Cf * x.own_o;
    switch (b.answer) {
      case JointAnswer::hinge: {
        const SlopeHinge& j = hinges_[d];
        const double sum = -(j.Di * dot(j.phi, P.n) + dot(j.Vn, x.own_z.n) + dot(j.Vf, x.own_z.f));
        answers_[at.p0] = sum;
        const SpatialPair I = inertia(d, x.own_z);
        P.n += I.n + sum * j.Un;
        P.f += I.f + sum * j.Uf;
        break;
      }
      case JointAnswer::ball: {
        const SlopeBall& j = balls_[ball_[d]];
        x.z.n = -(j.A_inverse * P.n) - j.E * x.own_z.f;
        P.f += j.D_left * x.own_z.f - transpose_times(j.E, P.n);
        P.n = {};
        break;
      }
      case JointAnswer::general: {
        const SlopeJoint& j = joints_[joint_[d]];
        double force[6] = {};
        for (; own != own_.rend() && own->link == d; ++own)
          force[own->i - at.p0] -= own->value * dq[own->k];
        if (j.loose) multiply_back_transposed(j, force);
        for (int l = 0; l < at.nv; ++l) {
          const SpatialPair S = from_six(j.S[l]);
          force[l] -= dot(S.n, P.n) + dot(S.f, P.f);
        }
        const SpatialPair I = inertia(d, x.own_z);
        P.n += I.n;
        P.f += I.f;
        for (int l = 0; l < at.nv; ++l) {
          const SpatialPair q = from_six(j.Q[l]), u = from_six(j.U[l]);
          double sum = dot(q.n, x.own_z.n) + dot(q.f, x.own_z.f);
          for (int k = 0; k < at.nv; ++k) sum += j.Di[l][k] * force[k];
          answers_[at.p0 + l] = sum;
          P.n += sum * u.n;
          P.f += sum * u.f;
        }
      }
    }
    if (at.parent < 0) continue;
    P.n += cross(turn, b.n) + cross(shift, b.f);
    P.f += cross(turn, b.f);
    Moving& to = moving_[at.parent];
    to.p.n += P.n + cross(b.r, P.f);
    to.p.f += P.f;
  }
  const Moving ground;
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    const Moving& p = at.parent < 0 ? ground : moving_[at.parent];
    Moving& x = moving_[d];
    const SpatialPair z{p.z.n, p.z.f + cross(p.z.n, b.r)};
    x.o = p.o + x.own_o;
    if (b.answer == JointAnswer::ball) {
      const SlopeBall& j = balls_[ball_[d]];
      x.z.n -= j.E * z.f + j.G * p.o;
      const Vec3<double> relative = transpose_times(j.R, x.z.n - z.n - x.own_z.n);
      for (int k = 0; k < 3; ++k) result[at.p0 + k] = relative[k];
      x.z.f = z.f + x.own_z.f;
      continue;
    }
    x.z = {z.n + x.own_z.n, z.f + x.own_z.f};
    if (b.answer == JointAnswer::hinge) {
      const SlopeHinge& j = hinges_[d];
      const double a = answers_[at.p0] - dot(j.Vn, z.n) - dot(j.Vf, z.f) - dot(j.y, p.o);
      result[at.p0] = a;
      x.z.n += a * j.phi;
      continue;
    }
    const SlopeJoint& j = joints_[joint_[d]];
    for (int l = 0; l < at.nv; ++l) {
      const SpatialPair q = from_six(j.Q[l]), t = from_six(j.T[l]);
      const double a = answers_[at.p0 + l] + dot(q.n, z.n) + dot(q.f, z.f) +
                       dot(Vec3<double>{j.Qw[l][0], j.Qw[l][1], j.Qw[l][2]}, p.o);
      result[at.p0 + l] = a;
      x.z.n += a * t.n;
      x.z.f += a * t.f;
    }
    if (j.loose) multiply_back(j, &result[at.p0]);
  }
}

// The same steps backwards: z, o, own_z, own_o, p and answers stand for what multiplies them.
void LinkSlopes::multiply_transposed(std::span<const double> weights, std::span<double> by_q,
                                     std::span<double> by_v) {
  const int links = static_cast<int>(plan_.links.size());
  for (Moving& x : moving_) {
    x.z = {};
    x.o = {};
  }
  Moving ground;
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    Moving& p = at.parent < 0 ? ground : moving_[at.parent];
    Moving& x = moving_[d];
    x.own_o = x.o;
    SpatialPair z = x.z;
    Vec3<double> o = x.o;
    switch (b.answer) {
      case JointAnswer::hinge: {
        const SlopeHinge& j = hinges_[d];
        const double a = weights[at.p0] + dot(j.phi, x.z.n);
        answers_[at.p0] = a;
        x.own_z = x.z;
        z.n -= a * j.Vn;
        z.f -= a * j.Vf;
        o -= a * j.y;
        break;
      }
      case JointAnswer::ball: {
        const SlopeBall& j = balls_[ball_[d]];
        const Vec3<double> relative =
            j.R * Vec3<double>{weights[at.p0], weights[at.p0 + 1], weights[at.p0 + 2]};
        x.p.n = x.z.n + relative;  // of the first guess of a
        const Vec3<double> back = transpose_times(j.E, x.p.n);
        x.own_z = z = {-relative, x.z.f - back};
        o -= transpose_times(j.G, x.p.n);
        break;
      }
      case JointAnswer::general: {
        const SlopeJoint& j = joints_[joint_[d]];
        x.own_z = x.z;
        double weight[6];
        std::copy_n(weights.data() + at.p0, at.nv, weight);
        if (j.loose) multiply_back_transposed(j, weight);
        for (int l = 0; l < at.nv; ++l) {
          const SpatialPair q = from_six(j.Q[l]), t = from_six(j.T[l]);
          const double a = weight[l] + dot(t.n, x.z.n) + dot(t.f, x.z.f);
          answers_[at.p0 + l] = a;
          z.n += a * q.n;
          z.f += a * q.f;
          o += a * Vec3<double>{j.Qw[l][0], j.Qw[l][1], j.Qw[l][2]};
        }
      }
    }
    // z = p.z, p.z x r
    p.o += o;
    p.z.n += z.n + cross(b.r, z.f);
    p.z.f += z.f;
  }
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    Moving& x = moving_[d];
    SpatialPair out;
    Vec3<double> turn, shift;
    if (at.parent >= 0) {
      const Moving& p = moving_[at.parent];
      out = {p.p.n, p.p.f + cross(p.p.n, b.r)};
      turn = cross(b.n, out.n) + cross(b.f, out.f);
      shift = cross(b.f, out.n);
    }
    double force[6] = {};
    if (b.answer == JointAnswer::ball) {
      const SlopeBall& j = balls_[ball_[d]];
      const Vec3<double> first = x.p.n;
      x.own_z.f += j.D_left * out.f;
      x.p = {-(j.E * out.f) - j.A_inverse * first, out.f};
    } else {
      const SpatialPair I = inertia(d, out);
      x.own_z.n += I.n;
      x.own_z.f += I.f;
      x.p = out;
      if (b.answer == JointAnswer::hinge) {
        const SlopeHinge& j = hinges_[d];
        const double a = answers_[at.p0] + dot(j.Un, out.n) + dot(j.Uf, out.f);
        x.own_z.n -= a * j.Vn;
        x.own_z.f -= a * j.Vf;
        force[0] = j.Di * a;
        x.p.n -= force[0] * j.phi;
      } else {
        const SlopeJoint& j = joints_[joint_[d]];
        double a[6];
        for (int l = 0; l < at.nv; ++l) {
          const SpatialPair q = from_six(j.Q[l]), u = from_six(j.U[l]);
          a[l] = answers_[at.p0 + l] + dot(u.n, out.n) + dot(u.f, out.f);
          x.own_z.n += a[l] * q.n;
          x.own_z.f += a[l] * q.f;
        }
        for (int k = 0; k < at.nv; ++k) {
          for (int l = 0; l < at.nv; ++l) force[k] += j.Di[l][k] * a[l];
          const SpatialPair S = from_six(j.S[k]);
          x.p.n -= force[k] * S.n;
          x.p.f -= force[k] * S.f;
        }
        if (j.loose) multiply_back(j, force);
      }
    }
    const Vec3<double> o = x.own_o + transpose_times(b.Cn, x.p.n) + transpose_times(b.Cf, x.p.f);
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const SlopeColumn& c = columns_[p];
      by_q[p] = dot(c.o, o) + dot(c.by_q.n, x.own_z.n) + dot(c.by_q.f, x.own_z.f) +
                dot(c.phi, turn) + dot(c.psi, shift);
      by_v[p] = dot(c.phi, o) + dot(c.by_v.n, x.own_z.n) + dot(c.by_v.f, x.own_z.f);
      answers_[p] = force[p - at.p0];
    }
  }
  for (const OwnForce& own : own_) by_q[own.k] -= own.value * answers_[own.i];
}

}  // namespace cartan::mechanics
