// Derivatives of the accelerations of a mechanism by its positions, speeds and [variables], without
// dual numbers for what costs most: O(n depth) for the derivatives of inverse dynamics, one
// factorisation of M in the pattern of the tree for the rest.
//
// World axes, every spatial quantity about one common point c; angular part first. A displacement
// of speed k of joint j moves its whole subtree as one body by the twist eta, and changes
// velocities and accelerations (dV/dt at the fixed point c) of all bodies i of the subtree by
//   dV_i = eta x V_i + xi           dA_i = eta x A_i + zeta + xi x V_i
// With S_k the column, p the parent, v and v' the joint's own:
//   by q_k:  eta = S_k,  xi = V_p x S_k + D_k v,
//            zeta = A_p x S_k + V_p x xi + V_j x D_k v + D_k v' + d(S' v)/dq_k
//   by v_k:  eta = 0,    xi = S_k,  zeta = V_p x S_k + V_j x S_k + d(S' v)/dv_k
// where D_k = dS/dq_k and S' are in the axes of the link: zero for most joints, for the others by
// dual numbers over that joint alone. The wrench of a body changes by
//   eta x* f + I zeta + 2 B xi,     2 B (a, b) = (2 (tr E 1 - E) a, 2 a x p),
//   E = integral of velocity place^T dm, p the momentum,
// so that with composite quantities of subtrees (f, I, B) generalised forces change by
//   outboard of j and at j:  S_i . (I_i zeta + 2 B_i xi) (+ D_k,i . f_j),
//   inboard of j:            S_i . (eta x* f_j + I_j zeta + 2 B_j xi),
// (Singh, Russell, Wensing 2022, with joints of several and of varying columns.) Forces and
// constraints are differentiated by dual numbers over what they read (local_slopes.cpp). Then
//   M da = -dID + J^T dlambda,      J da = -d(y' - J v').
// Coordinates stand for displacements: dq = N(q) d with d like speeds; `write` goes over to
// embedded numbers. Quaternions read as four numbers have a column for their length.
#pragma once

#include <span>

#include <Eigen/Core>

#include "mechanics/tree/slope_plan.h"

namespace cartan {

class MotionSlopes {
 public:
  MotionSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
               const SlopePlan& plan);

  // At the state ws is solved for; `dual` is scratch. Allocates nothing.
  void fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual);
  // The derivatives of inverse dynamics alone, at positions, speeds and accelerations in ws (forces
  // and link accelerations filled): result = M + v_scale dID/dv + q_scale dID/dq T, speeds in file
  // order, T block-diagonal by joints; null: identity.
  void fill_matrix(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual, double v_scale,
                   double q_scale, const Eigen::MatrixXd* T, Eigen::Ref<Eigen::MatrixXd> result);

  // Products in O(n), for trees on which nothing acts but gravity. Displacements and speeds by
  // places: forces = dID/dq dq + dID/dv dv; by_q, by_v = forces^T of these.
  void fill_products(const MotionWorkspace<double>& ws);
  void multiply(std::span<const double> dq, std::span<const double> dv, std::span<double> forces);
  void multiply_transposed(std::span<const double> forces, std::span<double> by_q,
                           std::span<double> by_v);

  // All rows of J (embedded numbers) below positions: v', z', powers. Other entries are left alone.
  void write(const MotionWorkspace<double>& ws, Eigen::Ref<Eigen::MatrixXd> J) const;

  // d v'[speed] / d (column): columns as in SlopePlan, places in depth-first order.
  double value(int place, int column) const { return -W_[place * ld_ + column]; }

 private:
  struct Composite {
    double m = 0;
    Vec3<double> h, p;    // first moment, momentum
    Sym3<double> J;       // inertia
    Mat3<double> E;       // see above
    Vec3<double> n, f;    // wrench
    Vec3<double> w, u;    // velocity
    Vec3<double> dw, du;  // acceleration
    Vec3<double> arm;     // from c to the link's origin
  };
  struct Spatial {
    Vec3<double> n, f;
  };

  void move_links(const MotionWorkspace<double>& ws);
  void set_columns(const MotionWorkspace<double>& ws, const SlopeLink& at, const Composite& parent,
                   const Composite& own);
  void correct_columns(const MotionWorkspace<double>& ws, const SlopeLink& at,
                       const Composite& parent, const Composite& own);
  void differentiate_inverse_dynamics();
  // Of one speed: I S, the angular part of 2 B^T S, and the change of the subtree's wrench by q, v.
  struct Terms {
    Spatial r;
    Vec3<double> r2;
    Spatial by_q, by_v;
  };
  Terms calc_terms(const Composite& b, int p) const;
  void pass_to_parent(int d);
  void fill_speed(int d, int p);
  void hold_speeds(const MotionWorkspace<double>& ws);
  void factorise();
  void solve(int columns);
  template <int count>
  void subtract_rows(const double* shares, double* const* rows, double* to, int first_run, int run,
                     int i) const;
  // The run that ends its path, and its first place.
  int run_of(int place) const {
    int run = plan_.run0[link_of_place_[place] + 1] - 1;
    while (plan_.runs[run].first > place) --run;
    return run;
  }
  int own_run_first(int place) const { return plan_.runs[run_of(place)].first; }
  template <int groups>
  void solve_columns(int first);
  void solve_multipliers(int rows);
  void keep_driven_rows();
  void add_drive_powers(const MotionWorkspace<double>& ws);

  // local_slopes.cpp
  void add_laws(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual);
  void add_pair(const LocalLaw& law, const MotionWorkspace<double>& ws,
                MotionWorkspace<Dual4>& dual);
  void add_general(const LocalLaw& law, const MotionWorkspace<double>& ws,
                   MotionWorkspace<Dual4>& dual);
  void add_rows(const LocalLaw& law, const MotionWorkspace<double>& ws,
                MotionWorkspace<Dual4>& dual);
  void evaluate_law(const LocalLaw& law, MotionWorkspace<Dual4>& dual);
  void read_outputs(const LocalLaw& law, const MotionWorkspace<Dual4>& dual, int direction);
  void apply_outputs(const LocalLaw& law, int column, const double* by);
  int output_count(const LocalLaw& law) const;
  void add_link_slot(const LocalLaw& law, int link, const MotionWorkspace<double>& ws,
                     MotionWorkspace<Dual4>& dual);
  void add_joint_slot(const LocalLaw& law, int link, const MotionWorkspace<double>& ws,
                      MotionWorkspace<Dual4>& dual);
  void add_variable_slots(const LocalLaw& law, MotionWorkspace<Dual4>& dual);
  Spatial column(const std::vector<double>& columns, int place) const {
    const double* c = columns.data() + place;
    return {{c[0], c[N_], c[2 * N_]}, {c[3 * N_], c[4 * N_], c[5 * N_]}};
  }
  void set_column(std::vector<double>& columns, int place, const Spatial& value) {
    for (int k = 0; k < 3; ++k) {
      columns[k * N_ + place] = value.n[k];
      columns[(k + 3) * N_ + place] = value.f[k];
    }
  }

  const Mechanism<double>& mechanism_;
  const Mechanism<Dual4>& dual_mechanism_;
  const SlopePlan& plan_;
  const int nv_, N_;  // N_: nv and room for whole groups of four
  int ld_ = 0;
  Vec3<double> c_;
  std::vector<Composite> bodies_;               // in depth-first order
  std::vector<double> S_, xi_, zeta_, zeta_v_;  // six rows of N_ numbers
  std::vector<double> M_, inverse_;             // rows of N_: then L with M = L^T D L, and D^-1
  std::vector<double> W_;                       // per place: dID by all columns, then J^T; solved
  std::vector<double> scalars_;                 // per scalar row
  std::vector<double> row_slopes_, rows_;       // per active row: of y' - J v' by columns; J
  std::vector<double> G_;
  std::vector<double> driven_, driven_mass_, driven_rows_;  // per drive: dID, M and J there
  std::vector<int> active_;                                 // rows of the mechanism
  std::vector<int> place_of_row_;                           // among the active ones, or -1
  std::vector<double> buffers_, outputs_;
  std::vector<Dual4> dual_q_, dual_v_;
  Dual4 rate_;                       // of a variable
  std::vector<int> link_of_place_;   // in depth-first order
  std::vector<unsigned char> held_;  // per place
  std::vector<Terms> terms_;         // of products
  std::vector<Spatial> sums_;        // two per link
  struct OwnForce {                  // places i, k of one joint: D_k,i
    int i, k;
    Spatial D;
    int link;
  };
  std::vector<OwnForce> own_;
};

}  // namespace cartan
