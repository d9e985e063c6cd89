#include "results/run/work_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "results/json_values.h"

namespace cartan::results {
namespace {

constexpr std::size_t most_works = 8;

}  // namespace

WorkReport calc_works(const MechanicalSystem& system, const State& start, const State& end,
                      const std::string& untold) {
  WorkReport work;
  work.untold = untold;
  if (!untold.empty()) return work;
  const auto workspace = system.make_workspace();
  Observation first, last;
  system.observe(start, first, *workspace);
  system.observe(end, last, *workspace);
  const std::vector<ForceReport> before = system.report_dynamics(start, *workspace).forces,
                                 after = system.report_dynamics(end, *workspace).forces;
  work.gravity = first.potential - last.potential + last.work - first.work;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const double lost = before[k].potential - after[k].potential;
    const double done = last.force_work[k] - first.force_work[k];
    work.forces.push_back(lost + done);
    work.gravity -= lost + done;
  }
  for (std::size_t k = 0; k < last.constraint_work.size(); ++k) {
    work.constraints.push_back(last.constraint_work[k] - first.constraint_work[k]);
    work.gravity -= work.constraints.back();
  }
  // what is left over is a difference of the others: below their rounding it is none
  double size = std::fabs(first.potential) + std::fabs(last.potential);
  for (double w : work.forces) size += std::fabs(w);
  for (double w : work.constraints) size += std::fabs(w);
  if (std::fabs(work.gravity) < 1e-14 * size) work.gravity = 0;
  return work;
}

Json work_json(const Model& model, const WorkReport& work) {
  if (!work.untold.empty()) return {{"untold", work.untold}};
  Json forces = Json::object(), drives = Json::object();
  for (std::size_t k = 0; k < work.forces.size(); ++k)
    forces[model.forces[k].name] = work.forces[k];
  for (std::size_t k = 0; k < work.constraints.size(); ++k)
    if (model.constraints[k].is_drive()) drives[model.constraints[k].name] = work.constraints[k];
  return {{"forces", std::move(forces)}, {"drives", std::move(drives)}, {"gravity", work.gravity}};
}

std::vector<std::string> work_lines(const Model& model, const WorkReport& work) {
  std::vector<std::pair<double, std::string>> all;
  for (std::size_t k = 0; k < work.forces.size(); ++k)
    all.emplace_back(work.forces[k], fmt::format("force '{}'", model.forces[k].name));
  for (std::size_t k = 0; k < work.constraints.size(); ++k)
    if (model.constraints[k].is_drive())
      all.emplace_back(work.constraints[k], fmt::format("drive '{}'", model.constraints[k].name));
  if (all.empty() && work.untold.empty()) return {};
  if (work.gravity != 0) all.emplace_back(work.gravity, "gravity");
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.first) > std::fabs(b.first);
  });
  std::vector<std::string> lines;
  if (!work.untold.empty()) lines.push_back("of each force: not told; " + work.untold);
  for (std::size_t k = 0; k < std::min(all.size(), most_works); ++k)
    lines.push_back(fmt::format("{:.6g} J by {}", all[k].first, all[k].second));
  if (all.size() > most_works)
    lines.push_back(fmt::format("and {} more (all of them: --json)", all.size() - most_works));
  return lines;
}

}  // namespace cartan::results
