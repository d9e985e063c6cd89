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
#pragma once

#include <span>
#include <vector>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

struct SpatialPair {
  Vec3<double> n, f;  // angular and linear, or moment and force
};

class MotionResponse {
 public:
  explicit MotionResponse(const Mechanism<double>& mechanism);

  struct Change {
    SpatialPair P, c;  // given; P is changed on the way
    SpatialPair z;     // found
    SpatialPair own;   // of balls and free joints: what P and tau alone make of z
  };

  void clear();
  void clear_forces();  // without P and c
  Change& link(int i) { return links_[i]; }
  const Change& link(int i) const { return links_[i]; }
  double& tau(int speed) { return tau_[speed]; }
  double& rest(int row) { return rest_[row]; }
  std::span<const double> x() const { return x_; }
  double& x(int speed) { return x_[speed]; }
  double lambda(int row) const { return lambda_[row]; }

  // As that of motion_slopes.h, in the last solution.
  double lost_factor(const MotionWorkspace<double>& ws) const;

  // ws: solved for its accelerations. Without c where all of them are zero.
  void solve(const MotionWorkspace<double>& ws, bool with_c);

 private:
  // Eliminates the joint of link i; returns what the parent feels. `left`: what rows that pass see.
  template <bool with_c>
  SpatialPair eliminate(const MotionWorkspace<double>& ws, int i, SpatialPair& left);
  SpatialPair eliminate_free(const MotionWorkspace<double>& ws, int i, SpatialPair& left);
  template <bool with_c>
  void go_inward(const MotionWorkspace<double>& ws);
  void go_outward(const MotionWorkspace<double>& ws);
  void accelerate(const MotionWorkspace<double>& ws, int i, const SpatialPair& push);
  // How much the joint of link i answers; of balls and free joints: the link itself, in z.
  double answer_size(const MotionWorkspace<double>& ws, int i, const SpatialPair& z) const;
  void begin_front(const MotionWorkspace<double>& ws, const Front& front, SpatialPair* P);
  void pass_rows(const MotionWorkspace<double>& ws, int i, const SpatialPair& left);
  void solve_back(const MotionWorkspace<double>& ws, const Front& front);
  // What the multipliers of rows that pass a joint do to it.
  SpatialPair calc_push(const MotionWorkspace<double>& ws, int i) const;

  const Mechanism<double>& mechanism_;
  std::vector<Change> links_;
  std::vector<double> tau_, x_;
  std::vector<double> rest_, lambda_;
  std::vector<double> answered_;  // per link: size of the answer without multipliers
  std::vector<double> g_;         // as in ConstraintFronts
};

}  // namespace cartan::mechanics
