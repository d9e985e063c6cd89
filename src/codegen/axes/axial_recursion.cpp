#include "codegen/axes/axial_recursion.h"

#include "codegen/axes/link_motion.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/articulated_body.h"
#include "symbolic/expression.h"

namespace cartan::codegen {
namespace {

// [n; f] = [A B; B^T D] [dw; a] + [n0; f0]
template <class S>
struct Articulated {
  Sym3<S> A, D;
  Mat3<S> B;
  Vec3<S> n, f;
};

// One speed after its elimination: v' = share - W.m, W = U/d.
template <class S>
struct Eliminated {
  Vec3<S> Wn, Wf;
  S share{};
  int place = -1;  // the column is this unit vector of (dw, a) or its opposite, without a rotor:
  S sign{};        // then W is 1 there
};

bool is_value(double x, double value) {
  return x == value;
}
bool is_value(const Expression& x, double value) {
  return x.is_number() && x.number() == value;
}

template <class S>
S& component(Vec3<S>& n, Vec3<S>& f, int k) {
  return k < 3 ? n[k] : f[k - 3];
}

template <class S>
void find_place(const Vec3<S>& phi, const Vec3<S>& psi, Eliminated<S>& e) {
  int zeros = 0;
  for (int k = 0; k < 6; ++k) {
    const S& x = k < 3 ? phi[k] : psi[k - 3];
    if (is_value(x, 0))
      ++zeros;
    else if (is_value(x, 1) || is_value(x, -1))
      e.place = k, e.sign = x;
  }
  if (zeros != 5) e.place = -1;
}

template <class S>
void clear_row(Articulated<S>& x, int k) {
  using articulated::entry;
  const S zero(0);
  for (int j = 0; j < 3; ++j) {
    if (k < 3)
      entry(x.A, k, j) = zero, x.B(k, j) = zero;
    else
      entry(x.D, k - 3, j) = zero, x.B(j, k - 3) = zero;
  }
}

// Before its speeds are eliminated or after: when what a link passes on is turned by its joint.
enum class Turned : unsigned char { first, last };

template <class S>
class AxialRecursion {
 public:
  AxialRecursion(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, Turned when)
      : mechanism_(mechanism),
        ws_(ws),
        when_(when),
        frames_(calc_link_motions(mechanism, ws)),
        bodies_(frames_.size()),
        speeds_(mechanism.nv) {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const LinkMotion<S>& x = frames_[i];
      bodies_[i] = {x.J, Sym3<S>::diagonal(x.mass, x.mass, x.mass), hat(x.mc), x.n, x.f};
    }
  }

  void solve() {
    const int n = static_cast<int>(frames_.size());
    for (int i = n - 1; i >= 0; --i) {
      const Link<S>& link = mechanism_.links[i];
      if (when_ == Turned::first) turn(i);
      for (int k = 0; k < link.nv; ++k)
        if (!is_known(link, ws_, link.v0 + k)) eliminate(i, k);
      if (when_ == Turned::last) turn(i);
      if (link.parent != world) pass_to_parent(i);
    }
    std::vector<Vec3<S>> dw(n), a(n);
    for (int i = 0; i < n; ++i) {
      const Link<S>& link = mechanism_.links[i];
      if (link.parent != world) {
        const Vec3<S>& turn = dw[link.parent];
        dw[i] = frames_[i].to_joint(turn);
        a[i] = frames_[i].to_joint(a[link.parent] + cross(turn, frames_[i].r));
      }
      if (when_ == Turned::last) dw[i] = frames_[i].to_link(dw[i]), a[i] = frames_[i].to_link(a[i]);
      for (int k = link.nv - 1; k >= 0; --k) accelerate(i, k, dw[i], a[i]);
      if (when_ == Turned::first)
        dw[i] = frames_[i].to_link(dw[i]), a[i] = frames_[i].to_link(a[i]);
    }
    fill_accelerations(mechanism_, ws_);
  }

 private:
  // From the link's axes to those of the joint.
  void turn(int i) {
    const LinkMotion<S>& at = frames_[i];
    Articulated<S>& x = bodies_[i];
    x.A = at.from_link(x.A), x.B = at.from_link(x.B), x.D = at.from_link(x.D);
    x.n = at.from_link(x.n), x.f = at.from_link(x.f);
  }

  void eliminate(int i, int k) {
    const Link<S>& link = mechanism_.links[i];
    Articulated<S>& x = bodies_[i];
    const Vec3<S>&phi = frames_[i].joint.phi[k], &psi = frames_[i].joint.psi[k];
    const S& tau = ws_.tau[link.v0 + k];
    Eliminated<S>& e = speeds_[link.v0 + k];
    const Vec3<S> Un = x.A * phi + x.B * psi, Uf = transpose_times(x.B, phi) + x.D * psi;
    S d = dot(phi, Un) + dot(psi, Uf);
    if (link.geared)
      d += mechanism_.rotor[link.v0 + k];
    else
      find_place(phi, psi, e);
    const S inverse = S(1) / d, u = tau - dot(phi, x.n) - dot(psi, x.f);
    e.Wn = inverse * Un;
    e.Wf = inverse * Uf;
    e.share = inverse * u;
    x.A -= symmetric(outer(e.Wn, Un));
    x.B -= outer(e.Wn, Uf);
    x.D -= symmetric(outer(e.Wf, Uf));
    x.n += u * e.Wn;
    x.f += u * e.Wf;
    if (e.place < 0) return;
    component(e.Wn, e.Wf, e.place) = S(0);
    component(x.n, x.f, e.place) = e.sign * tau;
    clear_row(x, e.place);
  }

  // A'_ij = A_ij + (r x row_j(B'))_i + (r x row_i(B))_j,  B' = B + r^ D
  void pass_to_parent(int i) {
    using articulated::row;
    const LinkMotion<S>& at = frames_[i];
    const Articulated<S>& x = bodies_[i];
    Articulated<S>& p = bodies_[mechanism_.links[i].parent];
    const Vec3<S>& r = at.r;
    const Sym3<S> A = at.from_joint(x.A), D = at.from_joint(x.D);
    const Mat3<S> B = at.from_joint(x.B), shifted = B + cross(r, full(D));
    Vec3<S> before[3], after[3];
    for (int j = 0; j < 3; ++j)
      before[j] = cross(r, row(B, j)), after[j] = cross(r, row(shifted, j));
    auto shift = [&](int j, int k) { return after[k][j] + before[j][k]; };
    p.A +=
        A + Sym3<S>{shift(0, 0), shift(1, 1), shift(2, 2), shift(0, 1), shift(0, 2), shift(1, 2)};
    p.B += shifted;
    p.D += D;
    const Vec3<S> f = at.from_joint(x.f);
    p.n += at.from_joint(x.n) + cross(r, f);
    p.f += f;
  }

  void accelerate(int i, int k, Vec3<S>& dw, Vec3<S>& a) {
    const Link<S>& link = mechanism_.links[i];
    const int j = link.v0 + k;
    if (is_known(link, ws_, j)) {
      ws_.vdot[j] = link.driven ? ws_.prescribed[j] : S(0);
      return;
    }
    const Eliminated<S>& e = speeds_[j];
    const S rest = e.share - (dot(e.Wn, dw) + dot(e.Wf, a));
    if (e.place < 0) {
      ws_.vdot[j] = rest;
      dw += rest * frames_[i].joint.phi[k];
      a += rest * frames_[i].joint.psi[k];
      return;
    }
    // W is sign at its place: v' = rest - sign m,  m + sign v' = sign rest
    S& m = component(dw, a, e.place);
    ws_.vdot[j] = rest - e.sign * m;
    m = e.sign * rest;
  }

  const Mechanism<S>& mechanism_;
  MotionWorkspace<S>& ws_;
  Turned when_;
  std::vector<LinkMotion<S>> frames_;
  std::vector<Articulated<S>> bodies_;
  std::vector<Eliminated<S>> speeds_;
};

}  // namespace

template <class S>
void solve_in_link_axes(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  AxialRecursion<S>(mechanism, ws, Turned::last).solve();
}

template <class S>
void solve_in_joint_axes(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  AxialRecursion<S>(mechanism, ws, Turned::first).solve();
}

#define CARTAN_INSTANTIATE(S)                                                    \
  template void solve_in_link_axes<S>(const Mechanism<S>&, MotionWorkspace<S>&); \
  template void solve_in_joint_axes<S>(const Mechanism<S>&, MotionWorkspace<S>&);
CARTAN_INSTANTIATE(double)
CARTAN_INSTANTIATE(Expression)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::codegen
