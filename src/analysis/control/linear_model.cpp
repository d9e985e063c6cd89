#include "analysis/control/linear_model.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/null_space.h"
#include "core/dense.h"
#include "system/second_order.h"
#include "system/state_equations.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double constraint_share = 1e-9;
constexpr double good_share = 0.05;  // of a row of T that is not in the span of those chosen

// Rows of T that are independent: in the order of the numbers as far as they are clearly so, then
// the best of the others.
std::vector<int> choose_numbers(const MatrixXd& T, int first_speed) {
  const int n = static_cast<int>(T.cols());
  MatrixXd basis(n, 0);
  std::vector<int> chosen;
  const auto rest = [&](int i) {
    const VectorXd row = T.row(i).transpose();
    return VectorXd(row - basis * (basis.transpose() * row));
  };
  const auto take = [&](int i, const VectorXd& part) {
    basis.conservativeResize(n, basis.cols() + 1);
    basis.col(basis.cols() - 1) = part.normalized();
    chosen.push_back(i);
  };
  const auto try_number = [&](int i) {
    if (basis.cols() == n || std::find(chosen.begin(), chosen.end(), i) != chosen.end()) return;
    const VectorXd part = rest(i);
    if (part.norm() > good_share * std::max(1e-3, T.row(i).norm())) take(i, part);
  };
  for (int i = 0; i < first_speed; ++i) try_number(i);
  const std::vector<int> positions = chosen;  // their speeds first
  for (const int i : positions) try_number(first_speed + i);
  for (int i = first_speed; i < T.rows(); ++i) try_number(i);
  while (basis.cols() < n) {
    int best = 0;
    for (int i = 1; i < T.rows(); ++i)
      if (rest(i).norm() > rest(best).norm()) best = i;
    take(best, rest(best));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

MatrixXd input_matrix(const SteadyProblem& problem, const State& state,
                      const std::vector<int>& inputs) {
  MatrixXd J(problem.system().space().size(), inputs.size());
  problem.system().parameter_jacobian(state, inputs, J, problem.workspace());
  return problem.to_tangent(state, J.topRows(problem.size()));
}

// The mass matrix of a System with a second-order form: derivatives of M a - f - J^T lambda by a.
MatrixXd mass_matrix(const System& system, const State& state, Workspace& workspace) {
  const SecondOrderForm* form = system.second_order();
  if (!form || system.kinematic_size() == 0) return {};
  std::vector<EquationLevel> levels;
  form->fill_levels(state.mode, levels);
  const int nq = system.kinematic_size(), nv = form->positions().tangent_size();
  const int n = nv + static_cast<int>(levels.size());
  const std::vector<double> a(nv, 0.0), lambda(levels.size(), 0.0);
  const std::span<const double> x(state.x);
  MatrixXd all(n, n);
  form->residual_matrix({state.t, x.first(nq), x.subspan(nq, nv), a, lambda, state.mode},
                        {0, 0, nullptr}, all, workspace);
  return all.topLeftCorner(nv, nv);
}

void add_second_order(const SteadyProblem& problem, const State& state, LinearModel& model) {
  const System& system = problem.system();
  const int first_speed = tangent_place(system.space(), system.kinematic_size());
  const int n = static_cast<int>(model.numbers.size()), half = n / 2;
  if (system.kinematic_size() == 0 || n != 2 * half || half == 0) return;
  for (int i = 0; i < half; ++i)
    if (model.numbers[i] >= first_speed || model.numbers[half + i] < first_speed) return;
  // p' must be the speeds, by a map that does not depend on p
  const MatrixXd N = model.A.topRightCorner(half, half);
  const double size = std::max(1.0, model.A.cwiseAbs().maxCoeff());
  if (model.A.topLeftCorner(half, half).cwiseAbs().maxCoeff() > 1e-10 * size) return;
  if (model.B.size() > 0 && model.B.topRows(half).cwiseAbs().maxCoeff() > 0) return;
  const MatrixXd M = mass_matrix(system, state, problem.workspace());
  if (M.size() == 0 || !M.allFinite()) return;
  const Eigen::FullPivLU<MatrixXd> lu(N);
  if (!lu.isInvertible()) return;
  // in p, p', p'': s = N^-1 p'
  const MatrixXd S = model.P.block(first_speed, half, M.rows(), half) * lu.inverse();
  model.M = S.transpose() * M * S;
  model.Cd = -model.M * N * model.A.bottomRightCorner(half, half) * lu.inverse();
  model.K = -model.M * N * model.A.bottomLeftCorner(half, half);
  model.F = model.M * N * model.B.bottomRows(half);
}

}  // namespace

std::string tangent_name(const System& system, int number) {
  for (const StateBlock& block : system.space().blocks()) {
    const bool rotation = block.kind != StateBlock::Kind::vector;
    const int count = rotation ? 3 + (block.size - 4) : block.size;
    const int k = number - block.tangent;
    if (k < 0 || k >= count) continue;
    if (!rotation) return system.component_name(block.x + k);
    if (k >= 3) return system.component_name(block.x + 1 + k);
    const std::string name = system.component_name(block.x);  // pivot.q0
    return fmt::format("{}.r{}", name.substr(0, name.rfind('.')), k);
  }
  return "";
}

LinearModel make_linear_model(const SteadyProblem& problem, const Linearisation& linear,
                              const std::vector<int>& inputs,
                              const std::vector<std::shared_ptr<const StateFunction>>& outputs) {
  LinearModel model;
  const System& system = problem.system();
  const State& state = linear.state;
  const MatrixXd T = null_space(problem.constraint_matrix(state), constraint_share);
  model.numbers = choose_numbers(T, tangent_place(system.space(), system.kinematic_size()));
  const int n = static_cast<int>(model.numbers.size());
  for (const int number : model.numbers) model.states.push_back(tangent_name(system, number));
  const MatrixXd inverse =
      Eigen::PartialPivLU<MatrixXd>(MatrixXd(T(model.numbers, Eigen::all))).inverse();
  model.P = T.rows() == T.cols() ? MatrixXd::Identity(n, n) : MatrixXd(T * inverse);
  const MatrixXd rates =
      problem.to_tangent(state, problem.residual_matrix(state, linear.c)) * model.P;
  model.A = rates(model.numbers, Eigen::all);
  const MatrixXd forced = input_matrix(problem, state, inputs);
  model.B = forced(model.numbers, Eigen::all);
  // an input that moves constraints leaves the directions that are allowed
  const double off = forced.size() > 0 ? (forced - model.P * model.B).cwiseAbs().maxCoeff() : 0;
  if (off > 1e-8 * std::max(1.0, forced.size() > 0 ? forced.cwiseAbs().maxCoeff() : 0.0)) {
    model.problem =
        "an input moves the constraints themselves (a length, a prescribed motion): it has no "
        "linear model of this form; let it act through a force";
    return model;
  }
  const MatrixXd E = problem.embedding(state) * model.P;
  model.C.resize(outputs.size(), n);
  model.D.resize(outputs.size(), inputs.size());
  FunctionSlope slope;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int row = static_cast<int>(i);
    outputs[i]->slope(state, inputs, slope, problem.workspace());
    model.C.row(row) = Eigen::Map<const Eigen::RowVectorXd>(slope.by_x.data(), problem.size()) * E;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      model.D(row, static_cast<int>(k)) = slope.by_parameters[k];
  }
  if (!model.A.allFinite() || !model.B.allFinite() || !model.C.allFinite() || !model.D.allFinite())
    model.problem = "the derivatives at this state are not finite";
  else
    add_second_order(problem, state, model);
  return model;
}

Eigen::MatrixXcd frequency_response(const LinearModel& model, double w) {
  Eigen::MatrixXcd pencil = -model.A.cast<std::complex<double>>();
  pencil.diagonal().array() += std::complex<double>(0, w);
  Eigen::MatrixXcd G = model.D.cast<std::complex<double>>();
  if (pencil.rows() > 0)
    G += model.C.cast<std::complex<double>>() *
         Eigen::PartialPivLU<Eigen::MatrixXcd>(pencil).solve(model.B.cast<std::complex<double>>());
  return G;
}

}  // namespace cartan::analysis
