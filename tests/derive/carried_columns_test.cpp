// Sensitivities carried along with the motion in one pass against the two Jacobians.
#include <gtest/gtest.h>

#include "analysis/variational.h"
#include "derive/parametrised.h"
#include "formulations/formulations.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Sum {
  double largest = 0;  // rate of a column
  int carriers = 0, with_quadratures = 0;
};

void check_columns(const MechanicalSystem& system, const Model& model, Random& random, Sum& sum) {
  const int n = system.space().size(), m = n - system.quadratures();
  const int k = static_cast<int>(model.parameters.size());
  std::vector<int> which;
  std::vector<double> units;
  for (int j = 0; j < k; ++j) which.push_back(j), units.push_back(random.uniform(0.1, 3));
  const State start = system.initial_state();
  const VariationalSystem variational(system, k, which, units);
  State state = start;
  state.x.resize(m);
  for (int i = 0; i < m * k; ++i) state.x.push_back(random.uniform(-1, 1));
  const auto workspace = variational.make_workspace(), own = system.make_workspace();
  VectorXd rate(m + m * k);
  variational.derivative(state, {rate.data(), static_cast<std::size_t>(rate.size())}, *workspace);

  VectorXd f(n);
  MatrixXd J(n, n), P(n, k);
  system.derivative(start, {f.data(), static_cast<std::size_t>(n)}, *own);
  system.jacobian(start, J, *own);
  system.parameter_jacobian(start, which, P, *own);
  const Eigen::Map<const MatrixXd> S(state.x.data() + m, m, k);
  const MatrixXd expected = J.topLeftCorner(m, m) * S +
                            P.topRows(m) * Eigen::Map<const VectorXd>(units.data(), k).asDiagonal();
  const Eigen::Map<const MatrixXd> S_rate(rate.data() + m, m, k);
  const double size = expected.norm() + J.topLeftCorner(m, m).norm();
  EXPECT_LE((S_rate - expected).norm(), 1e-11 * (1 + size));
  EXPECT_LE((rate.head(m) - f.head(m)).norm(), 1e-11 * (1 + f.norm()));
  sum.largest = std::max(sum.largest, expected.lpNorm<Eigen::Infinity>());
  sum.carriers += dynamic_cast<const ColumnCarrier*>(&system) != nullptr;
  sum.with_quadratures += system.quadratures() > 0;
}

TEST(CarriedColumns, AreTheJacobiansTimesColumns) {
  Sum sum;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomClosedOptions closed;
    closed.tree.max_bodies = 4;
    closed.tree.thin_bodies = false;
    closed.largest_kappa = 1e3;
    RandomMechanismOptions tree;
    tree.max_bodies = 5;
    tree.thin_bodies = false;
    ModelDescription description =
        seed % 2 ? make_random_mechanism(seed, tree) : make_random_closed_mechanism(seed, closed);
    Random random(seed);
    parametrise(description, random);
    Diagnostics problems("random");
    const std::optional<Model> model = check_model(description, problems);
    ASSERT_TRUE(model) << problems.text();
    for (const FormulationInfo& row : formulation_table()) {
      if (std::string(row.name) == "generated" || !row.refusal(*model).empty()) continue;
      SCOPED_TRACE(row.name);
      const auto system = row.make(*model, parameter_values(*model));
      if (!system->assembly().problem.empty() || system->parameter_count() == 0) continue;
      if (system->space().size() == system->quadratures()) continue;
      check_columns(*system, *model, random, sum);
    }
  }
  EXPECT_GT(sum.carriers, 30);
  EXPECT_GT(sum.with_quadratures, 5);
  EXPECT_GT(sum.largest, 1);
}

}  // namespace
}  // namespace cartan::test
