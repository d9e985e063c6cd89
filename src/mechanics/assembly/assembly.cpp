#include "mechanics/assembly/assembly.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "core/failure_note.h"
#include "mechanics/assembly/assembler.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/projection.h"
#include "mechanics/constraints/row_writer.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

int worst_row(const std::vector<double>& residual) {
  int worst = 0;
  for (std::size_t r = 1; r < residual.size(); ++r)
    if (!(std::fabs(residual[r]) <= std::fabs(residual[worst]))) worst = static_cast<int>(r);
  return worst;
}

void blame(const Mechanism<double>& mechanism, int row, AssemblyReport& report) {
  const ConstraintRow& r = mechanism.rows[row];
  if (r.loop >= 0)
    report.joint = mechanism.loops[r.loop].joint;
  else
    report.constraint = r.element;
}

// Length of the residual over all rows that belong to the same joint or constraint.
double owner_gap(const Mechanism<double>& mechanism, int row, const std::vector<double>& residual) {
  double sum = 0;
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mechanism.rows[r].loop == mechanism.rows[row].loop &&
        mechanism.rows[r].element == mechanism.rows[row].element)
      sum += residual[r] * residual[r];
  return std::sqrt(sum);
}

// Problems that no iteration can mend and that would only show as a division by zero.
std::string find_degenerate(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                            AssemblyReport& report) {
  for (std::size_t k = 0; k < mechanism.constraints.size(); ++k) {
    const ConstraintElement<double>& element = mechanism.constraints[k];
    report.constraint = static_cast<int>(k);
    const std::string problem =
        std::visit([&](const auto& e) { return e.find_degenerate(ws); }, element);
    if (!problem.empty())
      return fmt::format("constraint '{}': {}", mechanism.model->constraints[k].name, problem);
  }
  report.constraint = -1;
  return "";
}

// A drive whose position or rate has no value at the start: sqrt(t) has no rate at t = 0.
std::string find_undefined(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                           AssemblyReport& report) {
  clear_failure_note();
  fill_constraint_positions(mechanism, ws);
  for (int r = 0; r < mechanism.row_count(); ++r) {
    const bool position = std::isfinite(ws.row_position[r]);
    if (position && std::isfinite(ws.row_speed[r])) continue;
    blame(mechanism, r, report);
    const std::string note = take_failure_note();
    return fmt::format("{}: its {} is not a finite number at the start{}{}",
                       row_owner(*mechanism.model, mechanism.rows[r]),
                       position ? "rate" : "position", note.empty() ? "" : "; ", note);
  }
  return "";
}

}  // namespace

AssemblyReport assemble(const Mechanism<double>& mechanism, double t, std::span<double> q,
                        std::span<double> v, const WrittenStart& written,
                        MotionWorkspace<double>& ws) {
  AssemblyReport report;
  const bool chosen = std::any_of(written.chosen.begin(), written.chosen.end(),
                                  [](const auto& value) { return value.has_value(); });
  if (mechanism.rows.empty() && !chosen) return report;
  Assembler assembler(mechanism, t, written, ws);
  std::vector<double> position(q.begin(), q.end()), speed(v.begin(), v.end());
  assembler.place(position);
  report.problem = find_degenerate(mechanism, ws, report);
  if (report.problem.empty()) report.problem = find_undefined(mechanism, ws, report);
  if (!report.problem.empty()) return report;
  const bool closed = mechanism.rows.empty() || assembler.close(position);
  report.position_gap = calc_position_violation(mechanism, ws);
  if (!closed) {
    const int row = worst_row(ws.row_position);
    blame(mechanism, row, report);
    report.problem = fmt::format(
        "{} cannot be satisfied: a gap of {:.3g} remains; check lengths and placements, or start "
        "closer to an assembled position",
        row_owner(*mechanism.model, mechanism.rows[row]),
        owner_gap(mechanism, row, ws.row_position));
    return report;
  }
  const bool moving = assembler.move(position, speed);
  report.velocity_gap = calc_velocity_violation(mechanism, ws);
  if (!moving) {
    const int row = worst_row(ws.row_speed);
    blame(mechanism, row, report);
    report.problem = fmt::format(
        "{} contradicts other constraints or drives: no speeds satisfy all of them (a "
        "difference of {:.3g} remains); remove a drive, or start away from a singular position",
        row_owner(*mechanism.model, mechanism.rows[row]), report.velocity_gap);
    return report;
  }
  if (chosen) report.problem = assembler.values().chosen().find_missed(speed.data());
  if (!report.problem.empty()) return report;
  for (std::size_t i = 0; i < q.size(); ++i)
    report.position_change = std::max(report.position_change, std::fabs(position[i] - q[i]));
  for (std::size_t j = 0; j < v.size(); ++j)
    report.velocity_change = std::max(report.velocity_change, std::fabs(speed[j] - v[j]));
  report.changed = assembler.values().list_changes(ws);
  std::copy(position.begin(), position.end(), q.begin());
  std::copy(speed.begin(), speed.end(), v.begin());
  return report;
}

std::string find_singularity(const Mechanism<double>& mechanism, double t,
                             std::span<const double> q, const RankReport& rank,
                             MotionWorkspace<double>& ws, int& row) {
  row = -1;
  if (rank.redundant() == 0 || rank.rank >= mechanism.nv) return "";
  const WrittenStart nothing;
  Assembler assembler(mechanism, t, nothing, ws);
  std::vector<double> here(q.begin(), q.end());
  assembler.place(here);
  // small motions that the constraints allow to first order
  std::mt19937_64 random(7);
  for (int attempt = 0; attempt < 3; ++attempt) {
    Eigen::VectorXd d(mechanism.nv);
    for (const Link<double>& link : mechanism.links)
      for (int j = link.v0; j < link.v0 + link.nv; ++j)
        d[j] = link.driven ? 0 : 2 * (random() >> 11) * 0x1p-53 - 1;
    assembler.choose_rows(here);
    d = assembler.calc_allowed(here, d);
    if (!(d.norm() > 1e-6)) continue;
    d *= 0.01 / d.cwiseAbs().maxCoeff();
    std::vector<double> near = here;
    for (const Link<double>& link : mechanism.links)
      move_coordinates(link, d.data() + link.v0, near.data() + link.q0);
    if (!assembler.project(near)) continue;
    const RankReport there = calc_rank(mechanism, ws);
    assembler.place(here);
    if (there.holonomic_rank <= rank.holonomic_rank) continue;
    for (int r = 0; r < mechanism.row_count(); ++r)
      if (there.active[r] && !rank.active[r]) row = r;
    return fmt::format(
        "{}: the position is singular (the constraints have rank {} here and {} nearby), so the "
        "motion from it is not unique; start in another position",
        row_owner(*mechanism.model, mechanism.rows[row < 0 ? 0 : row]), rank.holonomic_rank,
        there.holonomic_rank);
  }
  return "";
}

}  // namespace cartan::mechanics
