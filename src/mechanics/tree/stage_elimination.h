// (M + v_scale dID/dv + q_scale dID/dq T) x = b along a tree, O(n): the matrix of a stage of an
// implicit method, eliminated link by link like an articulated body.
//
// x are changes of v', which change speeds by v_scale x and displace joints by q_scale T x. In the
// quantities of link_slopes.h every joint adds to what passes from link to link
//   o_i = o_p + To x,     z_i = X z_p + Tz x,     F'_p takes X^T (F'_i + jump x)
//   Tz = S + q_scale zeta_q T + v_scale zeta_v,   To = q_scale o_q T + v_scale phi,
//   jump = q_scale (phi x F) T
// and the subtree answers with F'_i = Gz z_i + Go o_i + P, nine columns instead of the six of an
// articulated inertia:
//   N x = b - S.(Gz X z_p + Go o_p + P),   N = S.(Gz Tz + Go To) + rotor - d tau
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

// The factors of one matrix: per link as many numbers as its joint has speeds, so that long chains
// stay in cache.
template <class C>
struct StageFactors {
  // Rows by speeds; N: its inverse.
  struct Joint {
    C (*H)[6], (*Tz)[6], (*Q)[6];
    C (*To)[3], (*Qo)[3];
    C* N;  // nv x nv
  };
  static std::size_t numbers_of(int nv) { return 24 * static_cast<std::size_t>(nv) + nv * nv; }
  static Joint view(C* at, int nv) {
    Joint joint;
    joint.H = reinterpret_cast<C(*)[6]>(at);
    joint.Tz = joint.H + nv;
    joint.Q = joint.Tz + nv;
    joint.To = reinterpret_cast<C(*)[3]>(at + 18 * nv);
    joint.Qo = joint.To + nv;
    joint.N = at + 24 * nv;
    return joint;
  }
  std::vector<C> numbers;
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
  void solve(StageFactors<C>& factors, std::span<C> x);
  // forces <- M x, by places; x itself for speeds that are held.
  template <class C>
  void multiply_mass(std::span<const C> x, std::span<C> forces);

 private:
  void add_wrench(int link, int column, const Vec3<double>& n, const Vec3<double>& f) override;
  void add_force(int place, int column, double force) override;
  void add_scalar(int, int, double) override {}
  void add_row(int, int, double) override {}

  // What forces do along the columns of one joint, by q and by v: forces on its speeds [of][by];
  // where any force is a wrench, also those [by][six] on the link and on the parent, about the
  // origin of the link.
  struct JointLaws {
    double* force[2];
    double (*own[2])[6];
    double (*on_parent[2])[6];
  };
  JointLaws laws_of(int d);
  template <class C>
  struct Step;
  template <class C>
  void make_step(int d, const C& v_scale, const C& q_scale, const TurnBlocks* turns, Step<C>& step);
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
  std::vector<std::size_t> factors_at_,
      laws_at_;  // per link in depth-first order; and the end
  std::vector<double> joint_laws_;
  bool any_wrench_ = false;
  std::vector<int> no_rows_;
  std::vector<Passing<double>> real_;
  std::vector<Passing<Complex>> complex_;
  std::vector<Answer<double>> real_answers_;
  std::vector<Answer<Complex>> complex_answers_;
};

}  // namespace cartan::mechanics
