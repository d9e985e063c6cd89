#include "codegen/axes/link_frames.h"

#include "codegen/axes/link_motion.h"
#include "mechanics/machine/kinematics.h"
#include "symbolic/expression.h"

namespace cartan::codegen {
namespace {

bool is_zero(double x) {
  return x == 0;
}
bool is_zero(const Expression& x) {
  return x.is_number() && x.number() == 0;
}

// Composite bodies about the origins of the frames, which begin as the links' own.
template <class S>
struct Composite {
  S mass{};
  Vec3<S> mc;
  Sym3<S> J;
  Vec3<S> n, f;
};

template <class S>
class LinkFrameSolver {
 public:
  LinkFrameSolver(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, TurnForm form)
      : mechanism_(mechanism),
        ws_(ws),
        n_(mechanism.nv),
        frames_(calc_link_motions(mechanism, ws, form)),
        M_(static_cast<std::size_t>(n_) * n_, S(0)),
        rhs_(n_, S(0)) {
    for (const Link<S>& link : mechanism.links)
      for (int k = 0; k < link.nv; ++k) speeds_.push_back(link.v0 + k);
    place_.resize(n_);
    for (int i = 0; i < n_; ++i) place_[speeds_[i]] = i;
    for (const LinkMotion<S>& x : frames_) bodies_.push_back({x.mass, x.mc, x.J, x.n, x.f});
  }

  void form() {
    for (int i = static_cast<int>(frames_.size()) - 1; i >= 0; --i) {
      fill_columns_of(i);
      pass_to_parent(i);
    }
    hold_known();
  }

  void store(MovingFrame<S>& to) {
    for (int i = 0; i < n_; ++i) {
      to.rhs[speeds_[i]] = rhs_[i];
      for (int j = 0; j < n_; ++j)
        to.M_star[static_cast<std::size_t>(speeds_[i]) * n_ + speeds_[j]] = M(i, j);
    }
  }

  void solve() {
    factorise();
    substitute();
    for (int i = 0; i < n_; ++i) ws_.vdot[speeds_[i]] = rhs_[i];
    fill_accelerations(mechanism_, ws_);
  }

 private:
  // M by places in the order of the tree; only row >= column is used.
  S& M(int i, int j) { return M_[static_cast<std::size_t>(std::max(i, j)) * n_ + std::min(i, j)]; }

  void fill_columns_of(int i) {
    const Link<S>& link = mechanism_.links[i];
    const LinkMotion<S>& at = frames_[i];
    const Composite<S>& x = bodies_[i];
    for (int k = 0; k < link.nv; ++k) {
      const int column = place_[link.v0 + k];
      const Vec3<S>&phi = at.joint.phi[k], &psi = at.joint.psi[k];
      rhs_[column] = ws_.tau[link.v0 + k] - dot(phi, x.n) - dot(psi, x.f);
      Vec3<S> n = x.J * phi + cross(x.mc, psi);
      Vec3<S> f = x.mass * psi + cross(phi, x.mc);
      for (int j = i; j != world; j = mechanism_.links[j].parent) {
        const Link<S>& ancestor = mechanism_.links[j];
        const LinkMotion<S>& y = frames_[j];
        for (int l = 0; l < ancestor.nv; ++l)
          M(column, place_[ancestor.v0 + l]) = dot(y.joint.phi[l], n) + dot(y.joint.psi[l], f);
        f = y.inward(f);
        n = y.inward(n) + cross(y.r, f);
      }
      if (link.geared) M(column, column) += mechanism_.rotor[link.v0 + k];
    }
  }

  // J' = J + (r.c + c.r) 1 - r c^T - c r^T + m (r.r 1 - r r^T), c the first moment about o
  void pass_to_parent(int i) {
    const Link<S>& link = mechanism_.links[i];
    if (link.parent == world) return;
    const LinkMotion<S>& at = frames_[i];
    const Composite<S>& x = bodies_[i];
    Composite<S>& p = bodies_[link.parent];
    const Vec3<S> f = at.inward(x.f), c = at.inward(x.mc), &r = at.r;
    p.f += f;
    p.n += at.inward(x.n) + cross(r, f);
    const S two(2), rc = two * dot(r, c);
    p.J += at.inward(x.J) + x.mass * minus_hat_squared(r) +
           Sym3<S>{rc - two * r.x * c.x,     rc - two * r.y * c.y,     rc - two * r.z * c.z,
                   -(r.x * c.y + r.y * c.x), -(r.x * c.z + r.z * c.x), -(r.y * c.z + r.z * c.y)};
    p.mc += c + x.mass * r;
    p.mass += x.mass;
  }

  // Speeds whose v' is known (stuck or driven) leave the equations: what they do is in the
  // wrenches.
  void hold_known() {
    for (const Link<S>& link : mechanism_.links)
      for (int k = 0; k < link.nv; ++k) {
        const int j = link.v0 + k, at = place_[j];
        if (!is_known(link, ws_, j)) continue;
        for (int i = 0; i < n_; ++i) M(i, at) = S(0);
        M(at, at) = S(1);
        rhs_[at] = link.driven ? ws_.prescribed[j] : S(0);
      }
  }

  void factorise() {
    for (int k = n_ - 1; k >= 0; --k) {
      const S inverse = S(1) / M(k, k);
      for (int i = k - 1; i >= 0; --i) {
        if (is_zero(M(k, i))) continue;
        const S share = M(k, i) * inverse;
        for (int j = i; j >= 0; --j)
          if (!is_zero(M(k, j))) M(i, j) -= share * M(k, j);
        M(k, i) = share;
      }
      M(k, k) = inverse;
    }
  }

  void substitute() {
    for (int i = n_ - 1; i >= 0; --i)
      for (int j = 0; j < i; ++j)
        if (!is_zero(M(i, j))) rhs_[j] -= M(i, j) * rhs_[i];
    for (int i = 0; i < n_; ++i) {
      rhs_[i] *= M(i, i);
      for (int j = 0; j < i; ++j)
        if (!is_zero(M(i, j))) rhs_[i] -= M(i, j) * rhs_[j];
    }
  }

  const Mechanism<S>& mechanism_;
  MotionWorkspace<S>& ws_;
  int n_;
  std::vector<LinkMotion<S>> frames_;
  std::vector<Composite<S>> bodies_;
  std::vector<S> M_, rhs_;
  std::vector<int> speeds_, place_;  // place in the order of the tree -> speed, and back
};

}  // namespace

template <class S>
void solve_in_link_frames(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  LinkFrameSolver<S> solver(mechanism, ws, TurnForm::short_one);
  solver.form();
  solver.solve();
}

template <class S>
void form_in_link_frames(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  LinkFrameSolver<S> solver(mechanism, ws, TurnForm::plain);
  solver.form();
  ws.moving_frame.emplace();
  ws.moving_frame->nv = mechanism.nv;
  ws.moving_frame->rhs.resize(mechanism.nv);
  ws.moving_frame->M_star.resize(static_cast<std::size_t>(mechanism.nv) * mechanism.nv);
  solver.store(*ws.moving_frame);
}

template void solve_in_link_frames<double>(const Mechanism<double>&, MotionWorkspace<double>&);
template void form_in_link_frames<Expression>(const Mechanism<Expression>&,
                                              MotionWorkspace<Expression>&);
template void solve_in_link_frames<Expression>(const Mechanism<Expression>&,
                                               MotionWorkspace<Expression>&);

}  // namespace cartan::codegen
