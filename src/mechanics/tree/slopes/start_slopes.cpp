// How the start of a file depends on parameters: the rule of the assembly (assembly.h), linearised.
#include <algorithm>

#include <fmt/format.h>

#include "core/dense.h"
#include "mechanics/assembly/written_values.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {
namespace {

// d += least change in the norm of M so that C d + rest = 0 and H d stays; rows may depend on
// others.
void correct_least(const Eigen::MatrixXd& M, const Eigen::MatrixXd& C,
                   const Eigen::MatrixXd& C_rest, const Eigen::MatrixXd& H, Eigen::MatrixXd& d) {
  Eigen::MatrixXd A(C.rows() + H.rows(), C.cols()), rest(A.rows(), d.cols());
  A << C, H;
  rest << C_rest, -H * d;
  const Eigen::MatrixXd X = Eigen::LDLT<Eigen::MatrixXd>(M).solve(Eigen::MatrixXd(A.transpose()));
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> rows(A * X);
  d -= X * rows.solve(Eigen::MatrixXd(A * d + rest));
}

bool any_given(const std::vector<bool>& given) {
  return std::find(given.begin(), given.end(), true) != given.end();
}

constexpr double consistent = 1e-9;  // a start that assembly has not changed

std::string refuse_changed_start(double change) {
  return fmt::format(
      "the start of the file does not fulfil the constraints (assembly changes it by {:.2g}), "
      "and how that change depends on parameters is not known; write the assembled values into "
      "the file",
      change);
}

}  // namespace

std::string TreeSystem::fill_start_slopes(const State& start, std::span<const int> which,
                                          const std::vector<bool>& q_given,
                                          const std::vector<bool>& v_given,
                                          Eigen::Ref<Eigen::MatrixXd> J) const {
  if (mechanism_.absolute)
    return MechanicalSystem::fill_start_slopes(start, which, q_given, v_given, J);
  if (which.empty()) return "";
  fill_file_slopes(which, q_given, v_given, J);
  const bool chosen = starts_with_chosen() && !any_given(v_given);
  const double change =
      std::max(assembly_.position_change, starts_with_chosen() ? 0 : assembly_.velocity_change);
  if (change > consistent) return refuse_changed_start(change);
  if (mechanism_.rows.empty() && !chosen) return "";
  return keep_constraints(start, which, q_given, v_given, J);
}

// d start / d p of the values in the file.
void TreeSystem::fill_file_slopes(std::span<const int> which, const std::vector<bool>& q_given,
                                  const std::vector<bool>& v_given,
                                  Eigen::Ref<Eigen::MatrixXd> J) const {
  J.setZero();
  for (std::size_t first = 0; first < which.size(); first += 4) {
    const std::vector<Dual4> p = seed_parameters(model_, parameters_, which, first);
    const auto put = [&](int row, const std::vector<Dual4>& values) {
      for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t k = first; k < std::min(first + 4, which.size()); ++k)
          J(row + static_cast<int>(i), static_cast<int>(k)) = values[i].d[k - first];
    };
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (mechanism_.link_of_joint[j] < 0) continue;
      const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
      if (!(j < q_given.size() && q_given[j]))
        put(link.q0, initial_position<Dual4>(model_.joints[j], p));
      if (!(j < v_given.size() && v_given[j]))
        put(mechanism_.nq + link.v0, initial_velocity<Dual4>(model_.joints[j], p));
    }
    for (int k = 0; k < mechanism_.nz; ++k)
      put(mechanism_.nq + mechanism_.nv + k,
          model::evaluate<Dual4>(model_.variables[k].initial, p));
  }
}

// The rule of the assembly (assembly.h), linearised: written values that are held keep their
// slopes, and the columns of J change least, measured with the mass matrix, so that they keep the
// constraints: positions first (dq = N(q) d with d like speeds), then speeds.
std::string TreeSystem::keep_constraints(const State& start, std::span<const int> which,
                                         const std::vector<bool>& q_given,
                                         const std::vector<bool>& v_given,
                                         Eigen::Ref<Eigen::MatrixXd> J) const {
  using Eigen::MatrixXd;
  const auto workspace = make_workspace();
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(*workspace).motion;
  Observation now;
  observe(start, now, *workspace);
  WrittenStart written = list_written();
  if (any_given(v_given)) written.chosen.clear();
  for (std::size_t j = 0; j < written.size(); ++j) {
    if (j < q_given.size() && q_given[j])
      written[j] = {now.q[j], written[j].v};
    else if (!written[j].q.empty())
      written[j].q = now.q[j];
    if (!written[j].v.empty() || (j < v_given.size() && v_given[j])) written[j].v = now.v[j];
  }
  WrittenValues values(mechanism_, written);
  const int chosen = values.chosen_count();
  if (chosen > 0) values.chosen().place(start.t, start.x.data(), ws);
  kinematics_at(start, ws);
  const SparseMatrix q_rows = values.at_positions(ws).rows, v_rows = values.at_speeds(ws).rows;
  const std::vector<int> q_held = choose_free_rows(mechanism_, ws, q_rows, RowKind::positions);
  std::vector<int> v_held = choose_free_rows(mechanism_, ws, v_rows, RowKind::positions_and_speeds);
  // speeds that the rule of least change has set depend on the masses
  const int decided = static_cast<int>(v_held.size()) + calc_rank(mechanism_, ws).rank;
  if (chosen > 0 && decided < mechanism_.nv && assembly_.velocity_change > consistent)
    return refuse_changed_start(assembly_.velocity_change);
  std::erase_if(v_held, [&](int i) { return i < chosen; });  // follow as equations
  const auto of_loop = [&](int i) { return values.of_loop(i); };
  const auto speed_of_loop = [&](int i) { return values.speed_of_loop(i); };
  if (std::any_of(q_held.begin(), q_held.end(), of_loop) ||
      std::any_of(v_held.begin(), v_held.end(), speed_of_loop))
    return "the start is held by what is written for a joint that closes a loop, and how it "
           "depends on parameters is not known; write values for the joints of the tree instead";
  const int nq = mechanism_.nq, nv = mechanism_.nv, rows = mechanism_.row_count();
  const MatrixXd M = report_mass_matrix(start, *workspace).mass_matrix;
  MatrixXd C(2 * rows, static_cast<int>(start.x.size()));
  MatrixXd by_p(2 * rows, static_cast<int>(which.size()));
  constraint_jacobian(start, C, *workspace);
  constraint_parameter_jacobian(start, which, by_p, *workspace);
  MatrixXd N = MatrixXd::Zero(nq, nv);
  for (const Link<double>& link : mechanism_.links)
    for (int c = 0; c < link.nv; ++c) {
      std::vector<double> unit(link.nv, 0.0);
      unit[c] = 1;
      calc_coordinate_rates(link, start.x.data() + link.q0, unit.data(),
                            N.col(link.v0 + c).data() + link.q0);
    }
  MatrixXd d = Eigen::CompleteOrthogonalDecomposition<MatrixXd>(N).solve(MatrixXd(J.topRows(nq)));
  correct_least(M, C.topRows(rows).leftCols(nq) * N, by_p.topRows(rows),
                MatrixXd(select_rows(q_rows, q_held)), d);
  J.topRows(nq) = N * d;
  MatrixXd speeds = J.middleRows(nq, nv), on_speeds(rows + chosen, nv),
           rest(rows + chosen, J.cols());
  on_speeds.topRows(rows) = C.bottomRows(rows).middleCols(nq, nv);
  rest.topRows(rows) = by_p.bottomRows(rows) + C.bottomRows(rows).leftCols(nq) * J.topRows(nq);
  for (int k = 0; k < chosen; ++k) {
    on_speeds.row(rows + k) = Eigen::RowVectorXd(v_rows.row(k));
    rest.row(rows + k) =
        chosen_rest(values.chosen().entry(k), start, which, J.topRows(nq), *workspace);
  }
  correct_least(M, on_speeds, rest, MatrixXd(select_rows(v_rows, v_held)), speeds);
  J.middleRows(nq, nv) = speeds;
  return "";
}

// What must be -W dv for u = W(q, p) v + w(q, p) to stay its `initial`.
Eigen::RowVectorXd TreeSystem::chosen_rest(int entry, const State& start,
                                           std::span<const int> which, const Eigen::MatrixXd& by_q,
                                           Workspace& workspace) const {
  FunctionSlope slope;
  const ChosenSpeed& speed = model_.speeds[entry];
  make_mechanism_function(mechanism_, dual_mechanism_, scratch(), speed.value)
      ->slope(start, which, slope, workspace);
  Eigen::RowVectorXd rest =
      Eigen::Map<const Eigen::RowVectorXd>(slope.by_x.data(), mechanism_.nq) * by_q;
  for (std::size_t first = 0; first < which.size(); first += 4) {
    const std::vector<Dual4> p = seed_parameters(model_, parameters_, which, first);
    const Dual4 initial = model::evaluate<Dual4>(speed.initial, p)[0];
    for (std::size_t k = first; k < std::min(first + 4, which.size()); ++k)
      rest[static_cast<Eigen::Index>(k)] += slope.by_parameters[k] - initial.d[k - first];
  }
  return rest;
}

}  // namespace cartan::mechanics
