#include "mechanics/variables/singular_rates.h"

#include <fmt/format.h>

#include "core/dense.h"
#include "mechanics/variables/variable_rates.h"

namespace cartan::mechanics {
namespace {

// Smallest over largest pivot of a rank-revealing factorisation, rows brought to one size: about
// the smallest over the largest singular value.
double reciprocal_condition(Eigen::MatrixXd matrix) {
  if (!matrix.allFinite()) return 0;
  for (int i = 0; i < matrix.rows(); ++i) {
    const double size = matrix.row(i).cwiseAbs().maxCoeff();
    if (size == 0) return 0;
    if (matrix.rows() > 1) matrix.row(i) /= size;
  }
  if (matrix.rows() == 1) return std::fabs(matrix(0, 0));
  const Eigen::MatrixXd factors = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(matrix).matrixQR();
  const Eigen::VectorXd pivots = factors.diagonal().cwiseAbs();
  return pivots(pivots.size() - 1) / pivots(0);
}

}  // namespace

std::string explain_singular_rates(const Model& model, double t, std::span<const double> form) {
  constexpr double nearly = 1e-6;
  const ImplicitRates& implicit = *model.implicit;
  const std::vector<double> unused(model.variables.size(), 0.0);
  const std::vector<std::vector<BlockEntry>> plan = plan_blocks(implicit);
  for (std::size_t b = 0; b < implicit.blocks.size(); ++b) {
    const EquationBlock& block = implicit.blocks[b];
    const int n = static_cast<int>(block.rows.size());
    std::vector<double> entries(n * n), right(n);
    fill_block<double>(implicit, block, plan[b], form.data(), unused.data(), entries.data(),
                       right.data());
    const double condition = reciprocal_condition(
        Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(entries.data(), n, n));
    if (condition > nearly) continue;
    std::string rates;
    for (const int column : block.columns)
      rates += (rates.empty() ? "" : ", ") + model.variables[implicit.unknowns[column]].name + "'";
    return fmt::format(
        "the equations do not determine {} at t = {:.10g}: their matrix is {}singular there "
        "(condition {:.1g}; first equation '{}'). Start elsewhere, end the run before with an "
        "[[event]], or write equations that hold there",
        rates, t, condition < 1e-14 ? "" : "nearly ", condition > 0 ? 1 / condition : INFINITY,
        implicit.form.texts[block.rows[0]]);
  }
  return "";
}

}  // namespace cartan::mechanics
