// The multipliers of rotation-elements: Lambda of every body and those of the joints; all of them
// found in one linear system, for comparison; motion under multipliers that are given.
#pragma once

#include "mechanics/elements/rotation_elements.h"

namespace cartan::mechanics {

// Lambda of a link in link axes, from the accelerations and ws.motion.lambda: S K - R^T Z.
Sym3<double> calc_body_multiplier(const ElementMechanism<double>& elements,
                                  const ElementWorkspace<double>& ws, std::size_t link);

// After calc_element_rates. Lambda in the axes of the start, as in source 001.
ElementMultipliers report_multipliers(const ElementMechanism<double>& elements,
                                      const ElementWorkspace<double>& ws);

// Rows that stand in world axes here are put back as constraints.h has them, multipliers too.
void restore_rows(const ElementMechanism<double>& elements, ElementWorkspace<double>& ws);

// Is K regular and is there mass? Both methods below need K^-1.
bool has_full_inertia(const ElementMechanism<double>& elements, std::size_t link);

// The same rates and multipliers as calc_element_rates by the method that source 001 improves on:
// (12) inserted into all constraints at once, six equations R^T R = 1 per body and all active rows,
// a dense symmetric system (Cholesky). Without friction.
class OneStepElimination {
 public:
  explicit OneStepElimination(const ElementMechanism<double>& elements);
  // ws.motion.lambda, the links' accelerations and Lambda.
  void operator()(double t, const double* x, double* rates, ElementWorkspace<double>& ws);
  const std::vector<Sym3<double>>& Lambda() const { return Lambda_; }  // link axes

 private:
  void assemble(const ElementWorkspace<double>& ws);
  void add_link(const ElementWorkspace<double>& ws, std::size_t i);
  void finish(ElementWorkspace<double>& ws);

  const ElementMechanism<double>& elements_;
  std::vector<Sym3<double>> inverse_K_, Lambda_;
  std::vector<Mat3<double>> applied_;            // per link: R^T Z of the applied forces
  std::vector<std::vector<int>> sources_;        // per link
  std::vector<Mat3<double>> matrix_, response_;  // per source: R^T Z, and that times K^-1
  std::vector<int> place_;                       // per row: its unknown, or -1
  Eigen::MatrixXd G_;
  Eigen::VectorXd right_;
};

// R'' = (Z + R Lambda) K^-1 and m G'' = X with given multipliers: of the rows, then six per link
// (xx, yy, zz, xy, xz, yz in link axes).
void calc_held_rates(const ElementMechanism<double>& elements, double t, const double* x,
                     std::span<const double> multipliers, double* rates,
                     ElementWorkspace<double>& ws);

}  // namespace cartan::mechanics
