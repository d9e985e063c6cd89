// A mechanism's equations of motion not solved for the accelerations (system/second_order.h), O(n).
//
//   inverse dynamics with everything that acts:
//     S^T (inertial - applied - sum_r lambda_r wrench_r) - tau - friction(F) - couplers - drives =
//     0
//   active rows:  g of holonomic ones, y - b of the others
//   loads F of bearings with friction:  F_k - sum_b c_b |l_b(q, v, a, lambda, F)| = 0
// Unknowns beside the accelerations: the multipliers of the active rows, then the loads. A drive of
// a tree joint is a row like any other here. A speed that friction holds has a = 0 as its equation.
#pragma once

#include <functional>

#include "mechanics/forces/dry_friction.h"
#include "system/second_order.h"

namespace cartan::mechanics {

struct WorkSplit;

template <class S>
struct MotionUnknowns {
  S t{};
  const S *q, *v, *a, *lambda;
};

// nv equations of motion, then those of the multipliers.
template <class S>
void calc_motion_residual(const Mechanism<S>& mechanism, const MotionUnknowns<S>& at,
                          std::span<const int> mode, S* result, MotionWorkspace<S>& ws);

class SecondOrderMotion final : public SecondOrderForm {
 public:
  struct Scratch {
    MotionWorkspace<double>& numbers;
    MotionWorkspace<Dual4>& duals;
    std::vector<Dual4>&point, &value;  // unknowns and equations of a column
    std::vector<double>& direction;
  };
  using FindScratch = std::function<Scratch(Workspace&)>;

  // The mechanisms and the list of works must outlive it.
  SecondOrderMotion(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                    AccelerationSolver<double> solve, AccelerationSolver<Dual4> solve_dual,
                    const WorkSplit& work, FindScratch find_scratch);

  // Another way to the matrix below; false: not for this mechanism.
  using Matrix = std::function<bool(const MotionPoint&, const MotionDirections&,
                                    Eigen::Ref<Eigen::MatrixXd>, Workspace&)>;
  void use_formulas(Matrix formulas) { formulas_ = std::move(formulas); }
  // And to its solution.
  using Factorise = std::function<bool(const MotionPoint&, const MotionDirections&,
                                       std::span<double>, Workspace&)>;
  using Solve = std::function<void(std::span<double>, Workspace&)>;
  void use_elimination(Factorise factorise, Solve solve) {
    factorise_ = std::move(factorise);
    solve_factors_ = std::move(solve);
  }

  const StateSpace& positions() const override { return positions_; }
  void fill_levels(std::span<const int> mode, std::vector<EquationLevel>& levels) const override;
  void residual(const MotionPoint& at, std::span<double> result,
                Workspace& workspace) const override;
  void residual_matrix(const MotionPoint& at, const MotionDirections& directions,
                       Eigen::Ref<Eigen::MatrixXd> result, Workspace& workspace) const override;
  bool factorise_residual(const MotionPoint& at, const MotionDirections& directions,
                          std::span<double> residual, Workspace& workspace) const override {
    return factorise_ && factorise_(at, directions, residual, workspace);
  }
  void solve_residual(std::span<double> residual, Workspace& workspace) const override {
    solve_factors_(residual, workspace);
  }
  void settle(const MotionPoint& place, std::span<double> v, std::span<double> a,
              std::span<double> lambda, Workspace& workspace) const override;
  void forbidden_part(const MotionPoint& place, std::span<const double> direction,
                      std::span<double> result, Workspace& workspace) const override;
  void quadrature_rates(const MotionPoint& at, std::span<double> result,
                        Workspace& workspace) const override;
  void start(StateView at, MotionStart& result, Workspace& workspace) const override;

 private:
  void make_positions();
  void fill_place(const MotionPoint& place, const double* v, MotionWorkspace<double>& ws) const;
  void fill_rate_of_rows(std::span<const double> a, MotionWorkspace<double>& ws) const;
  void settle_speeds(const MotionPoint& place, std::span<double> v, std::span<double> a,
                     MotionWorkspace<double>& ws) const;
  void write_multipliers(std::span<const int> mode, const MotionWorkspace<double>& ws,
                         std::span<double> lambda) const;
  bool is_active(std::span<const int> mode, int row) const {
    return mode[mechanism_.mode_count + row] != 0;
  }
  // Adds a little inertia to the matrix where a body has none in some direction.
  void add_thin_inertia(const MotionWorkspace<Dual4>& ws, Eigen::Ref<Eigen::MatrixXd> result) const;

  const Mechanism<double>& mechanism_;
  const Mechanism<Dual4>& dual_mechanism_;
  AccelerationSolver<double> solve_;
  AccelerationSolver<Dual4> solve_dual_;
  const WorkSplit& work_;
  FindScratch find_scratch_;
  StateSpace positions_;
  Matrix formulas_;
  Factorise factorise_;
  Solve solve_factors_;
};

}  // namespace cartan::mechanics
