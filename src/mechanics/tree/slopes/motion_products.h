// The Jacobian of a mechanism's accelerations times a vector, and its transpose, in O(n): one
// change of the whole motion (link_slopes.h), answered with the factors that the accelerations have
// left (motion_response.h). Nothing of the Jacobian is formed.
//
// With turn phi = sum dq phi, sigma = sum dv phi of a joint and o summed along the path,
//   own o = w_p x phi + sigma,     c = sum dq by_q + dv by_v
//   P_i = C_i o_i + X^T (phi x n + psi x f, phi x f) over children, with the wrench (n, f) of each
// and what laws add (law_products.h). The transpose takes the same steps backwards.
#pragma once

#include "mechanics/tree/slopes/law_products.h"

namespace cartan::mechanics {

class MotionProducts {
 public:
  MotionProducts(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                 const SlopePlan& plan);

  // ws: solved for its accelerations; `scratch` is overwritten. Both stay for what follows.
  void begin(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& scratch);
  // Of the last product: see motion_slopes.h.
  double lost_factor() const { return response_.lost_factor(*ws_); }
  // d (v', z', powers) along displacements dq (by speeds) and u, the same direction and all others
  // in embedded numbers.
  void multiply(std::span<const double> dq, std::span<const double> u, std::span<double> result);
  // weights: of (v', z', powers). Adds to by_q (displacements, by speeds) and to the weights of the
  // state, where speeds, variables and numbers of joints that laws read are concerned.
  void multiply_transposed(std::span<const double> weights, std::span<double> by_q,
                           std::span<double> state);

 private:
  void move_links(std::span<const double> dq, std::span<const double> dv);
  void follow_link(int d, const LinkChange& own);
  void add_drive_powers(std::span<const double> u);
  void subtract_rows();
  void pass_wrench(int d);
  void weigh_links(std::span<double> by_q, std::span<double> by_v);

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  const bool any_law_;
  LinkSlopes links_;
  MotionResponse response_;
  LawProducts laws_;
  std::vector<double> scalars_, drive_weights_;
  std::vector<Vec3<double>> o_;      // per link in depth-first order: along the path, or its weight
  std::vector<SpatialPair> wrench_;  // F of the response, per link in depth-first order
  const MotionWorkspace<double>* ws_ = nullptr;
};

}  // namespace cartan::mechanics
