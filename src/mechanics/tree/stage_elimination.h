// (M + v_scale dID/dv + q_scale dID/dq T) x = b along a tree, O(n): the matrix of a stage of an
// implicit method, eliminated link by link like an articulated body.
//
// x are changes of v', which change speeds by v_scale x and displace joints by q_scale T x. In the
// quantities of link_slopes.h every joint adds to what passes from link to link
//   o_i = o_p + To x,     z_i = X z_p + k o_p + Tz x,     F'_p takes X^T (F'_i + jump x)
//   Tz = S + q_scale zeta_q T + v_scale zeta_v,   To = q_scale o_q T + v_scale phi,
//   jump = q_scale (phi x F) T
// and the subtree answers with F'_i = Gz z_i + Go o_i + P, nine columns instead of the six of an
// articulated inertia:
//   N x = b - S.(Gz (X z_p + k o_p) + Go o_p + P),   N = S.(Gz Tz + Go To) + rotor - d tau
// Forces in a joint are in N; those between a link and its parent in Gz Tz + Go To and in jump.
// Others pass through more than one joint: such mechanisms are left to the matrix of all speeds.
#pragma once

#include "mechanics/tree/local_slopes.h"
#include "system/second_order.h"

namespace cartan::mechanics {

// Whether every force of the mechanism acts within a joint or between neighbours.
bool acts_along_tree(const Mechanism<double>& mechanism, const SlopePlan& plan);

// std::complex would look for infinities in every product.
struct Complex {
  double re = 0, im = 0;
  Complex() = default;
  Complex(double real, double imaginary = 0) : re(real), im(imaginary) {}
  Complex& operator+=(const Complex& o) {
    re += o.re, im += o.im;
    return *this;
  }
  Complex& operator-=(const Complex& o) {
    re -= o.re, im -= o.im;
    return *this;
  }
};
inline Complex operator+(Complex a, const Complex& b) {
  return a += b;
}
inline Complex operator-(Complex a, const Complex& b) {
  return a -= b;
}
inline Complex operator-(const Complex& a) {
  return {-a.re, -a.im};
}
inline Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex operator*(double a, const Complex& b) {
  return {a * b.re, a * b.im};
}

// The factors of one matrix.
template <class C>
struct StageFactors {
  struct Joint {
    C H[6][6], Tz[6][6], To[6][3], Q[6][6], Qo[6][3], N[6][6];  // rows: speeds; N: its inverse
  };
  std::vector<Joint> joints;
};

class StageElimination final : private SlopeSink {
 public:
  StageElimination(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                   const SlopePlan& plan);

  // At positions, speeds and accelerations of ws (forces and link accelerations filled).
  void linearise(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual);
  // T by speeds, blocks of joints; null: identity.
  template <class C>
  void factorise(const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                 StageFactors<C>& factors);
  // x <- solution for the forces x, by places. A speed that is held takes its number as it is.
  template <class C>
  void solve(const StageFactors<C>& factors, std::span<C> x);
  // forces <- (v_scale dID/dv + q_scale dID/dq) x, by places; zero for speeds that are held.
  template <class C>
  void multiply(const C& v_scale, const C& q_scale, std::span<const C> x, std::span<C> forces);

 private:
  void add_wrench(int link, int column, const Vec3<double>& n, const Vec3<double>& f) override;
  void add_force(int place, int column, double force) override;
  void add_scalar(int, int, double) override {}
  void add_row(int, int, double) override {}

  // What forces do along the columns of one joint, by q and by v: forces on its speeds [of][by],
  // wrenches [by][six] on the link and on the parent, about the origin of the link.
  struct JointLaws {
    double force[2][6][6] = {}, own[2][6][6] = {}, on_parent[2][6][6] = {};
  };
  template <class C>
  struct Step;
  template <class C>
  void make_step(int d, const C& v_scale, const C& q_scale, const TurnBlocks* turns,
                 Step<C>& step) const;
  template <class C>
  struct Passing {
    C z[6], o[3], p[6];
  };
  template <class C>
  struct Answer {
    C G[6][9];
  };
  template <class C>
  std::vector<Passing<C>>& passing();
  template <class C>
  std::vector<Answer<C>>& answers();

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  LinkSlopes links_;
  LocalSlopes laws_;
  std::vector<JointLaws> joint_laws_;  // per link in depth-first order
  std::vector<int> no_rows_;
  std::vector<Passing<double>> real_;
  std::vector<Passing<Complex>> complex_;
  std::vector<Answer<double>> real_answers_;
  std::vector<Answer<Complex>> complex_answers_;
};

}  // namespace cartan::mechanics
