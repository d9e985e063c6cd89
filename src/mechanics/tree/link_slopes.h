// What the derivatives of the accelerations of a mechanism need of each link, O(n): how a change of
// a joint's position or speed moves what it carries, and what articulated bodies answer.
//
// World axes, every quantity about the origin of its own link, velocities relative to the origin of
// the first link: neither distance from the world's origin nor speed through the world costs
// digits. Prime: what a change is beside the turning of a whole subtree. A displacement of the
// joint of link j along its column (phi, psi) turns its subtree by phi and shifts its origin by
// psi. Angular velocities in it change by phi x w + o, angular accelerations by phi x alpha + a',
// accelerations of origins by phi x A + b', wrenches by phi x F + F'. With u the velocity of an
// origin, what o itself makes of accelerations is told apart,
//   a' = a + o x w,   b' = b + 2 o x u
// and of parent p and link i of the subtree, with r from origin to origin, x = d v',
//   a_i = a_p + sum phi x                                                      o constant
//   b_i = b_p + a_p x r + sum psi x
//   f'_i = m b + a x h + 2 o x (m u + w x h) + sum over children
//   n'_i = J a + h x b + 2 w x J o - tr(J) w x o + 2 h x (o x u) + sum over children (n' + r x f')
//   phi . n'_i + psi . f'_i = d tau
// At joint j itself, where o of the parent is zero, a' and b' are, beside a_p + sum phi x and
// b_p + a_p x r + sum psi x (s the joint's turning and l its sliding velocity):
//   by q:  o = w_p x phi + D v,    D = d(columns)/dq in the axes of the link
//          a' = alpha_p x phi + (w_p x phi) x s + w_p x Dv + D v' + d(S' v)
//          b' = alpha_p x psi + w_p x (w_p x psi) - phi x A_t + (w_p x phi) x l + o x l
//               + (w_p + w_j) x Dv + D v' + d(S' v)
//          (A_t: the acceleration of the parent's point at the origin of j)
//          the parent feels F' + (phi x n + psi x f, phi x f);  the joint has  + D . F
//   by v:  o = phi,  a' = w_p x phi + d(S' v),  b' = (w_p + w_j) x psi + phi x l + d(S' v)
// Elimination from the tips (articulated bodies): F' = I (a, b) + C o + P. The answer of the joint
// is x = Di (dtau - S.P) + Q z + Qw o for the motion z = (a, b) without x, and F' of the parent
// takes P + U x + I z. Speeds that are held have x = 0; their Di, Q, Qw give the force instead.
// The inertias I are those of the accelerations just solved, stiffened by constraints
// (closed_recursion.h). Rows that pass a link see o too: y' = K^T z + G lambda + g + t . o.
#pragma once

#include <algorithm>

#include "mechanics/tree/slope_plan.h"
#include "mechanics/tree/slopes/motion_response.h"

namespace cartan::mechanics {

// One speed.
struct SlopeColumn {
  Vec3<double> phi, psi;
  Vec3<double> o;          // by q; by v it is phi
  Vec3<double> slide;      // change of the velocity of the origin by q; by v it is psi
  SpatialPair by_q, by_v;  // of (a, b)
};

// How a joint answers: one turning speed, all rotations at once (in world axes), all motions (a
// free body), anything else.
enum class JointAnswer { hinge, ball, loose, general };

struct SlopeBody {
  JointAnswer answer = JointAnswer::general;
  double m = 0;
  Vec3<double> r, w, u;
  Vec3<double> h;
  Sym3<double> J;
  Sym3<double> A, D;  // articulated inertia [A B; B^T D]
  Mat3<double> B;
  Mat3<double> Cn, Cf;
  Vec3<double> n, f;  // wrench through the joint
};

// U = I S, V = Di U, y = Di S.C
struct SlopeHinge {
  Vec3<double> phi, r;
  double Di = 0;
  Vec3<double> Un, Uf, Vn, Vf, y;
};

// E = A^-1 B, G = A^-1 Cn, D - B^T E
struct SlopeBall {
  Mat3<double> R, E, G;
  Sym3<double> A_inverse, D_left;
};

// The body moves as its own balance wants, whatever its parent does: (a, b) = I^-1 (dtau - P) - G
// o. S = D - B^T A^-1 B. The speeds follow: turning by phi . a, then sliding by psi . what is left
// of b (turning columns move the origin too where the joint is crossed from its far side).
struct SlopeLoose {
  Sym3<double> A_inverse, S_inverse;
  Mat3<double> E, Gn, Gf;
  Vec3<double> phi[3], arm[3], psi[3];  // arm: psi of the turning columns
};

// Rows l of the joint's speeds. T: S, without speeds that are held.
struct SlopeJoint {
  double S[6][6], T[6][6], U[6][6], Q[6][6], Qw[6][3], Di[6][6];
};

class LinkSlopes {
 public:
  enum class Held { as_it_is, all };

  LinkSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
             const SlopePlan& plan);

  // At the positions, speeds and accelerations ws is solved for. `all`: inverse dynamics, no joint
  // gives way.
  void fill(const MotionWorkspace<double>& ws, Held held);
  // Without the answers of the joints: inertias and C are those of single bodies.
  void fill_motion(const MotionWorkspace<double>& ws) { fill_bodies<true>(ws); }
  // Without C and the columns of balls as well: what products with one vector need.
  void fill_for_products(const MotionWorkspace<double>& ws) { fill_bodies<false>(ws); }

  // In depth-first order; columns by places.
  const SlopeBody& body(int d) const { return bodies_[d]; }
  const SlopeHinge& hinge(int d) const { return hinges_[d]; }
  const SlopeBall& ball(int d) const { return balls_[ball_[d]]; }
  const SlopeLoose& loose(int d) const { return loose_[loose_at_[d]]; }
  const SlopeJoint& joint(int d) const { return joints_[d]; }
  const SlopeColumn& column(int p) const { return columns_[p]; }
  bool is_held(int p) const { return held_[p] != 0; }
  bool is_any_held(const SlopeLink& at) const {
    return std::any_of(held_.begin() + at.p0, held_.begin() + at.p0 + at.nv,
                       [](unsigned char held) { return held != 0; });
  }
  // t of a row of a front where it is solved (scaled like its K), and where it has passed a joint:
  // places as in ConstraintFronts.
  const Vec3<double>& row_turn(std::size_t g) const { return row_turns_[g]; }
  const Vec3<double>& passed_turn(std::size_t Q) const { return passed_turns_[Q]; }
  // Of a link of the mechanism, relative to the first link of the tree of place p.
  Vec3<double> velocity(int link, int p) const;
  // I z of the articulated body.
  SpatialPair inertia(int d, const SpatialPair& z) const {
    const SlopeBody& b = bodies_[d];
    return {b.A * z.n + b.B * z.f, transpose_times(b.B, z.n) + b.D * z.f};
  }

  // D_k,i . F at places i, k of one joint.
  struct OwnForce {
    int i, k;
    SpatialPair D;
    int link;
    double value;
  };
  const std::vector<OwnForce>& own_forces() const { return own_; }

 private:
  template <bool with_columns>
  void fill_bodies(const MotionWorkspace<double>& ws);
  template <bool with_turning>
  void move_link(const MotionWorkspace<double>& ws, int d);
  void set_hinge_column(const MotionWorkspace<double>& ws, int d);
  void set_columns(const MotionWorkspace<double>& ws, int d);
  void correct_columns(const MotionWorkspace<double>& ws, int d);
  void subtract_rows(const MotionWorkspace<double>& ws);
  void hold_speeds(const MotionWorkspace<double>& ws);
  template <bool solved>
  void fill_answers(const MotionWorkspace<double>& ws);
  void answer_hinge(const LinkState<double>& x, int d);
  void answer_ball(const LinkState<double>& x, int d);
  SpatialPair answer_of(const SlopeLoose& j, const SpatialPair& force) const {
    const Vec3<double> b = j.S_inverse * (force.f - transpose_times(j.E, force.n));
    return {j.A_inverse * force.n - j.E * b, b};
  }
  void answer_general(int d, bool solved);
  void begin_front(const MotionWorkspace<double>& ws, const Front& front, SlopeBody& b);
  void pass_rows(const MotionWorkspace<double>& ws, int d);
  void answer_loose(int d);
  // C of the parent takes what its child's joint does not answer.
  void pass_turning(int d, const Mat3<double>& Cn, const Mat3<double>& Cf) {
    SlopeBody& p = bodies_[plan_.links[d].parent];
    p.Cf += Cf;
    p.Cn += Cn + cross(bodies_[d].r, Cf);
  }

  const Mechanism<double>& mechanism_;
  const Mechanism<Dual4>& dual_mechanism_;
  const SlopePlan& plan_;
  const MotionWorkspace<double>* ws_ = nullptr;
  std::vector<int> root_;  // per link
  std::vector<SlopeBody> bodies_;
  std::vector<SlopeHinge> hinges_;  // per link
  std::vector<SlopeBall> balls_;
  std::vector<SlopeLoose> loose_;
  std::vector<SlopeJoint> joints_;    // per link
  std::vector<int> ball_, loose_at_;  // per link
  std::vector<SlopeColumn> columns_;
  std::vector<unsigned char> held_;
  std::vector<Vec3<double>> row_turns_, passed_turns_;
  std::vector<OwnForce> own_;
};

// -- small products that its files share

inline Mat3<double> times(const Sym3<double>& a, const Mat3<double>& b) {
  return Mat3<double>::columns(a * b.c[0], a * b.c[1], a * b.c[2]);
}
inline Mat3<double> transposed_product(const Mat3<double>& a, const Mat3<double>& b) {
  return Mat3<double>::columns(transpose_times(a, b.c[0]), transpose_times(a, b.c[1]),
                               transpose_times(a, b.c[2]));
}
inline Mat3<double> negative(const Mat3<double>& a) {
  return Mat3<double>::columns(-a.c[0], -a.c[1], -a.c[2]);
}

inline void to_six(const Vec3<double>& n, const Vec3<double>& f, double* six) {
  for (int k = 0; k < 3; ++k) six[k] = n[k], six[3 + k] = f[k];
}
inline SpatialPair from_six(const double* six) {
  return {{six[0], six[1], six[2]}, {six[3], six[4], six[5]}};
}

// The inverse of a symmetric positive definite matrix, in place: Gauss-Jordan without pivoting.
inline void invert_small(double (&M)[6][6], int size) {
  for (int k = 0; k < size; ++k) {
    const double inverse = 1 / M[k][k];
    M[k][k] = 1;
    for (int j = 0; j < size; ++j) M[k][j] *= inverse;
    for (int i = 0; i < size; ++i) {
      if (i == k) continue;
      const double share = M[i][k];
      M[i][k] = 0;
      for (int j = 0; j < size; ++j) M[i][j] -= share * M[k][j];
    }
  }
}

}  // namespace cartan::mechanics
