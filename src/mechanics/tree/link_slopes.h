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
// Without constraints the inertias I are those of the accelerations just solved.
#pragma once

#include <algorithm>

#include "mechanics/tree/slope_plan.h"

namespace cartan::mechanics {

struct SpatialPair {
  Vec3<double> n, f;  // angular and linear, or moment and force
};

// One speed.
struct SlopeColumn {
  Vec3<double> phi, psi;
  Vec3<double> o;          // by q; by v it is phi
  Vec3<double> slide;      // change of the velocity of the origin by q; by v it is psi
  SpatialPair by_q, by_v;  // of (a, b)
};

// How a joint answers: one turning speed, all rotations at once (in world axes), anything else.
enum class JointAnswer { hinge, ball, general };

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
  Vec3<double> phi;
  double Di = 0;
  Vec3<double> Un, Uf, Vn, Vf, y;
};

// E = A^-1 B, G = A^-1 Cn, D - B^T E
struct SlopeBall {
  Mat3<double> R, E, G;
  Sym3<double> A_inverse, D_left;
};

// Rows l of the joint's speeds. T: S, without speeds that are held. Where all six are free, columns
// are unit twists instead (those of a joint crossed from its far side have arms as long as the
// way): x = back times what is answered, forces back^T d tau.
struct SlopeJoint {
  bool loose = false;
  double back[6][6];
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
  void fill_motion(const MotionWorkspace<double>& ws);

  // In depth-first order; columns by places.
  const SlopeBody& body(int d) const { return bodies_[d]; }
  const SlopeHinge& hinge(int d) const { return hinges_[d]; }
  const SlopeBall& ball(int d) const { return balls_[ball_[d]]; }
  const SlopeJoint& joint(int d) const { return joints_[joint_[d]]; }
  const SlopeColumn& column(int p) const { return columns_[p]; }
  bool is_held(int p) const { return held_[p] != 0; }
  // How much a joint gives way: the trace of the inverse of what it sees, or 1.
  double mobility(int d) const;
  // Of a ball: that times the moments that its own columns make of the articulated body; else 0.
  double rounded_size(int d) const;
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

  // d v' along displacements and speeds by places, where no law and no constraint is in the way;
  // and the transpose. O(n). Needs fill.
  void multiply(std::span<const double> dq, std::span<const double> dv, std::span<double> result);
  void multiply_transposed(std::span<const double> weights, std::span<double> by_q,
                           std::span<double> by_v);

 private:
  void move_link(const MotionWorkspace<double>& ws, int d);
  void set_hinge_column(const MotionWorkspace<double>& ws, int d);
  void set_columns(const MotionWorkspace<double>& ws, int d);
  void correct_columns(const MotionWorkspace<double>& ws, int d);
  void subtract_rows(const MotionWorkspace<double>& ws);
  void hold_speeds(const MotionWorkspace<double>& ws);
  template <bool solved>
  void fill_answers(const MotionWorkspace<double>& ws);
  template <bool solved>
  void answer_hinge(const LinkState<double>& x, int d);
  template <bool solved>
  void answer_ball(const LinkState<double>& x, int d);
  void answer_general(int d, bool solved);
  void answer_loose(int d);
  void pass_inertia(int d, bool solved, const Sym3<double>& A, const Mat3<double>& B,
                    const Sym3<double>& D);
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
  std::vector<SlopeJoint> joints_;
  std::vector<int> ball_, joint_;  // per link
  std::vector<SlopeColumn> columns_;
  std::vector<unsigned char> held_;
  std::vector<OwnForce> own_;
  struct Moving {  // of products
    SpatialPair z, p;
    Vec3<double> o, own_o;
    SpatialPair own_z;
  };
  std::vector<Moving> moving_;
  std::vector<double> answers_;
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

inline void multiply_back(const SlopeJoint& j, double* x) {
  double sum[6] = {};
  for (int l = 0; l < 6; ++l)
    for (int k = 0; k < 6; ++k) sum[l] += j.back[l][k] * x[k];
  std::copy_n(sum, 6, x);
}
inline void multiply_back_transposed(const SlopeJoint& j, double* x) {
  double sum[6] = {};
  for (int l = 0; l < 6; ++l)
    for (int k = 0; k < 6; ++k) sum[k] += j.back[l][k] * x[l];
  std::copy_n(sum, 6, x);
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
