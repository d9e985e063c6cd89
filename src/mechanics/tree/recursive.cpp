#include "mechanics/tree/recursive.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/mixed.h"
#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/constraints/loop_rotors.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/articulated_body.h"
#include "mechanics/tree/composite_body.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {

using namespace articulated;

template <class S>
void solve_accelerations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.rows.empty()) return solve_closed(mechanism, ws);
  const int n = static_cast<int>(mechanism.links.size());
  for (int i = n - 1; i >= 0; --i) eliminate_from_tip(mechanism, ws, i);
  Outward<S> accelerate(mechanism, ws);
  for (int i = 0; i < n; ++i) accelerate(i);
}

namespace {

// Wrenches of columns number by number (all nx, all ny, ...), nv of each, from the first in
// question. row[c] = phi . n_c + psi . f_c
template <class S>
void fill_mass_row(const S* __restrict__ wrenches, int nv, int count, const Vec3<S>& phi,
                   const Vec3<S>& psi, bool slides, S* __restrict__ row) {
  const S *nx = wrenches, *ny = nx + nv, *nz = ny + nv, *fx = nz + nv, *fy = fx + nv, *fz = fy + nv;
  for (int c = 0; c < count; ++c) row[c] = phi.x * nx[c] + phi.y * ny[c] + phi.z * nz[c];
  if (!slides) return;
  for (int c = 0; c < count; ++c) row[c] += psi.x * fx[c] + psi.y * fy[c] + psi.z * fz[c];
}

// n_c += r x f_c
template <class S>
void shift_wrenches(const Vec3<S>& r, int count, S* __restrict__ nx, S* __restrict__ ny,
                    S* __restrict__ nz, const S* __restrict__ fx, const S* __restrict__ fy,
                    const S* __restrict__ fz) {
  for (int c = 0; c < count; ++c) {
    nx[c] += r.y * fz[c] - r.z * fy[c];
    ny[c] += r.z * fx[c] - r.x * fz[c];
    nz[c] += r.x * fy[c] - r.y * fx[c];
  }
}

// The lower half from the upper one, in squares that stay in cache.
template <class S>
void mirror_upper(S* M, int n) {
  constexpr int side = 8;
  const auto at = [&](int i, int j) { return M + static_cast<std::size_t>(i) * n + j; };
  for (int i0 = 0; i0 < n; i0 += side)
    for (int j0 = i0; j0 < n; j0 += side) {
      if (j0 > i0 && j0 + side <= n) {
        const S* __restrict__ from = at(i0, j0);
        S* __restrict__ to = at(j0, i0);
        for (int j = 0; j < side; ++j)
          for (int i = 0; i < side; ++i) to[j * n + i] = from[i * n + j];
        continue;
      }
      for (int i = i0; i < std::min(i0 + side, n); ++i)
        for (int j = std::max(j0, i + 1); j < std::min(j0 + side, n); ++j) *at(j, i) = *at(i, j);
    }
}

// From the order of subtrees to that of the file.
template <class S>
void reorder_upper(const std::vector<int>& speed, const std::vector<S>& upper, std::span<S> M) {
  const int n = static_cast<int>(speed.size());
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      const S& value = upper[static_cast<std::size_t>(i) * n + j];
      M[static_cast<std::size_t>(speed[i]) * n + speed[j]] = value;
      M[static_cast<std::size_t>(speed[j]) * n + speed[i]] = value;
    }
}

}  // namespace

// Composite bodies: A = inertia about o, f = mass times centre of mass, D.xx = mass. From the tips
// inward a link adds the wrenches of its own columns, takes its rows of M from those of its whole
// subtree, and shifts them to its parent's origin.
template <class S>
void calc_mass_matrix(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::span<S> M) {
  fill_columns(mechanism, ws);
  const int n = static_cast<int>(mechanism.links.size()), nv = mechanism.nv;
  const Subtrees& subtrees = mechanism.subtrees;
  ws.column_wrenches.resize(6 * static_cast<std::size_t>(nv));
  if (!subtrees.in_file_order) ws.mass_rows.resize(M.size());
  S* const upper = subtrees.in_file_order ? M.data() : ws.mass_rows.data();
  S* const all = ws.column_wrenches.data();
  for (int i = 0; i < n; ++i) start_composite(mechanism.links[i], ws.links[i]);
  for (int i = n - 1; i >= 0; --i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& x = ws.links[i];
    const int begin = subtrees.begin[i], end = subtrees.end[i];
    const bool slides = link.motion != Motion::rotation1 && link.motion != Motion::rotation3;
    for (int k = 0; k < link.nv; ++k) {
      const Vec3<S>&phi = ws.phi[link.v0 + k], &psi = ws.psi[link.v0 + k];
      const Vec3<S> n_at = x.A * phi + cross(x.f, psi), f = x.D.xx * psi + cross(phi, x.f);
      const S values[6] = {n_at.x, n_at.y, n_at.z, f.x, f.y, f.z};
      for (int r = 0; r < 6; ++r) all[r * nv + begin + k] = values[r];
    }
    for (int k = 0; k < link.nv; ++k) {
      S* const row = upper + static_cast<std::size_t>(begin + k) * nv;
      fill_mass_row(all + begin, nv, end - begin, ws.phi[link.v0 + k], ws.psi[link.v0 + k], slides,
                    row + begin);
      std::fill(row + end, row + nv, S(0));
    }
    if (link.parent == world) continue;
    S* const own = all + begin;
    shift_wrenches(x.r, end - begin, own, own + nv, own + 2 * nv, own + 3 * nv, own + 4 * nv,
                   own + 5 * nv);
    add_composite(x, ws.links[link.parent]);
  }
  if (subtrees.in_file_order)
    mirror_upper(M.data(), nv);
  else
    reorder_upper(subtrees.speed, ws.mass_rows, M);
  for (int j = 0; j < nv; ++j) M[static_cast<std::size_t>(j) * nv + j] += mechanism.rotor[j];
  add_loop_rotors<S>(mechanism, ws, M.data(), nullptr);
}

// M = S^T I S with the inertia I of x. Scaled by the sizes of the columns and of I its diagonal is
// at most one, and the pivots of its Cholesky factorisation are well above rounding unless some
// motion meets no inertia.
static bool sees_inertia(const Link<double>& link, const double* rotor,
                         const MotionWorkspace<double>& ws, const LinkState<double>& x) {
  const double turn = x.A.xx + x.A.yy + x.A.zz, slide = x.D.xx + x.D.yy + x.D.zz;
  std::array<std::array<double, 6>, 6> M{};
  std::array<double, 6> scale{};
  for (int k = 0; k < link.nv; ++k) {
    const Vec3<double>&phi = ws.phi[link.v0 + k], &psi = ws.psi[link.v0 + k];
    const double size = norm2(phi) * turn + norm2(psi) * slide + rotor[k];
    if (!(size > 0)) return false;
    scale[k] = 1 / std::sqrt(size);
  }
  for (int k = 0; k < link.nv; ++k) {
    const Vec3<double>&phi = ws.phi[link.v0 + k], &psi = ws.psi[link.v0 + k];
    const Vec3<double> n = x.A * phi + x.B * psi, f = transposed(x.B, phi) + x.D * psi;
    for (int l = k; l < link.nv; ++l)
      M[l][k] = scale[k] * scale[l] * (dot(ws.phi[link.v0 + l], n) + dot(ws.psi[link.v0 + l], f));
    M[k][k] += scale[k] * scale[k] * rotor[k];
  }
  for (int k = 0; k < link.nv; ++k) {
    for (int j = 0; j < k; ++j)
      for (int l = k; l < link.nv; ++l) M[l][k] -= M[l][j] * M[k][j];
    if (!(M[k][k] > 1e-12)) return false;
    const double pivot = std::sqrt(M[k][k]);
    for (int l = k; l < link.nv; ++l) M[l][k] /= pivot;
  }
  return true;
}

// The joint sees the articulated body outside it, which is the link's own body and more that is not
// negative. The own body is looked at first: across a long chain the whole is so much larger that
// what a hinge sees of it would pass for rounding.
static bool sees_inertia(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                         int i) {
  const Link<double>& link = mechanism.links[i];
  LinkState<double> own = ws.links[i];
  own.A = rotate(own.R, link.J);
  own.B = hat(own.R * link.mc);
  own.D = Sym3<double>::diagonal(link.mass, link.mass, link.mass);
  const double* rotor = mechanism.rotor.data() + link.v0;
  return sees_inertia(link, rotor, ws, own) || sees_inertia(link, rotor, ws, ws.links[i]);
}

int find_joint_without_inertia(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  fill_columns(mechanism, ws);
  const int n = static_cast<int>(mechanism.links.size());
  ws.any_locked = false;
  for (int i = n - 1; i >= 0; --i) {
    if (mechanism.links[i].leaf) start_link(mechanism, ws, i);
    if (!mechanism.links[i].driven && !sees_inertia(mechanism, ws, i))
      return mechanism.bodies[i].joint;
    if (mechanism.links[i].last_child) start_link(mechanism, ws, mechanism.links[i].parent);
    eliminate(mechanism, ws, i);
  }
  return -1;
}

#define CARTAN_INSTANTIATE(S)                                                     \
  template void solve_accelerations<S>(const Mechanism<S>&, MotionWorkspace<S>&); \
  template void calc_mass_matrix<S>(const Mechanism<S>&, MotionWorkspace<S>&, std::span<S>);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
