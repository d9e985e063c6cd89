// How accelerations and multipliers answer to a small change, with the factors that solving for the
// accelerations has left in the workspace (recursive.h, closed_recursion.h): O(n), and no more
// digits lost than there.
//
//   z_i = X z_p + c_i + S x_i               X: (a, b) -> (a, b + a x r)
//   F_i = I_i z_i + P_i - sum_r lambda_r source_r + sum over children X^T F
//   S . F_i = tau_i                         x_i = 0 where the joint is held
//   sum over sources of source . z + factors . x + rest_r = 0
// The map is symmetric: of the answer (y, Y, mu, Phi) to tau = w and c = -S g of held joints alone,
//   w . x + g . (force of held joints) = y . tau - sum Y . P - sum Phi . c + mu . rest
// Numbers are doubles, or four changes side by side (lanes::Four).
#pragma once

#include <span>
#include <vector>

#include "mechanics/machine/motion_workspace.h"
#include "mechanics/tree/lanes_of_numbers.h"

namespace cartan::mechanics {

// Angular and linear, or moment and force.
template <class Vector>
struct PairOf {
  Vector n{}, f{};
};
using SpatialPair = PairOf<Vec3<double>>;

template <class L>
class ResponseOf {
 public:
  using Vector = typename lanes::VectorType<L>::type;
  using Pair = PairOf<Vector>;

  explicit ResponseOf(const Mechanism<double>& mechanism);

  struct Change {
    Pair P, c;  // given; P is changed on the way
    Pair z;     // found
    Pair own;   // of balls and free joints: what P and tau alone make of z
  };

  void clear();
  void clear_forces();  // without P and c
  Change& link(int i) { return links_[i]; }
  const Change& link(int i) const { return links_[i]; }
  L& tau(int speed) { return tau_[speed]; }
  L& rest(int row) { return rest_[row]; }
  std::span<const L> x() const { return x_; }
  L& x(int speed) { return x_[speed]; }
  const L& lambda(int row) const { return lambda_[row]; }

  // As that of motion_slopes.h, in the last solution.
  double lost_factor(const MotionWorkspace<double>& ws) const;

  // ws: solved for its accelerations. Without c where all of them are zero.
  void solve(const MotionWorkspace<double>& ws, bool with_c);

 private:
  // Eliminates the joint of link i; returns what the parent feels. `left`: what rows that pass see.
  template <bool with_c>
  Pair eliminate(const MotionWorkspace<double>& ws, int i, Pair& left);
  Pair eliminate_free(const MotionWorkspace<double>& ws, int i, Pair& left);
  template <bool with_c>
  void go_inward(const MotionWorkspace<double>& ws);
  void go_outward(const MotionWorkspace<double>& ws);
  void accelerate(const MotionWorkspace<double>& ws, int i, const Pair& push);
  // How much the joint of link i answers; of balls and free joints: the link itself, in z.
  L answer_size(const MotionWorkspace<double>& ws, int i, const Pair& z) const;
  void begin_front(const MotionWorkspace<double>& ws, const Front& front, Pair* P);
  void pass_rows(const MotionWorkspace<double>& ws, int i, const Pair& left);
  void solve_back(const MotionWorkspace<double>& ws, const Front& front);
  // What the multipliers of rows that pass a joint do to it.
  Pair calc_push(const MotionWorkspace<double>& ws, int i) const;

  const Mechanism<double>& mechanism_;
  std::vector<Change> links_;
  std::vector<L> tau_, x_;
  std::vector<L> rest_, lambda_;
  std::vector<L> answered_;  // per link: size of the answer without multipliers
  std::vector<L> g_;         // as in ConstraintFronts
};

using MotionResponse = ResponseOf<double>;

}  // namespace cartan::mechanics
