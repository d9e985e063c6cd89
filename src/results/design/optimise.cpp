#include "results/design/optimise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "core/forked_work.h"
#include "io/output_files.h"
#include "results/design/optimise_starts.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

// Starts spread over the bounds: multiples of a generalised golden ratio.
VectorXd spread_point(const DesignProblem& problem, int index) {
  const int n = static_cast<int>(problem.start.size());
  double g = 2;
  for (int k = 0; k < 60; ++k) g = std::pow(1 + g, 1.0 / (n + 1));
  VectorXd theta = problem.start;
  double step = 1;
  for (int j = 0; j < n; ++j) {
    step /= g;
    const double s = std::fmod(0.5 + step * index, 1.0);
    theta(j) = problem.lower(j) + s * (problem.upper(j) - problem.lower(j));
  }
  return theta;
}

bool is_better(const DesignResult& a, const DesignResult& b) {
  if (a.converged != b.converged) return a.converged;
  if (a.point.gradient.size() == 0 || b.point.gradient.size() == 0)
    return a.point.gradient.size() > 0;
  return a.point.objective < b.point.objective;
}

// From every start, several at a time: in processes, because Ipopt's linear solver is one at a time
// in each.
void minimise_all(const api::OptimiseOptions& o, OptimiseResult& all) {
  OptimiseCase& c = *all.setup;
  DesignOptions options;
  options.iterations = o.iterations.value_or(200);
  if (o.solver == "ipopt") options.solver = DesignSolver::ipopt;
  options.stop_requested = o.watch.stop;
  Task task(o.watch, "optimising");
  if (all.starts.size() == 1)
    options.on_iteration = [&](int k, double) {
      task.show(std::min(0.99, 1.0 * k / options.iterations));
    };
  const auto minimise_from = [&](int k) {
    DesignProblem problem = c.problem;
    problem.start = all.starts[k].start;
    return minimise(problem, options);
  };
  const int count = static_cast<int>(all.starts.size());
  const int jobs =
      o.jobs.value_or(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  if (count == 1 || jobs == 1) {
    for (int k = 0; k < count; ++k) {
      all.starts[k].result = minimise_from(k);
      if (count > 1) task.show(static_cast<double>(k + 1) / count);
    }
    return;
  }
  const std::vector<ForkedPiece> pieces = work_in_processes(
      count, jobs, [&](int k) { return write_design_result(minimise_from(k)); },
      [&](int done) { task.show(static_cast<double>(done) / count); });
  for (int k = 0; k < count; ++k) {
    DesignResult& result = all.starts[k].result;
    if (pieces[k].done) {
      result = read_design_result(pieces[k].bytes);
      continue;
    }
    result.theta = all.starts[k].start;
    result.point.objective = std::numeric_limits<double>::quiet_NaN();
    result.problem = "this start was lost: " + pieces[k].problem;
  }
}

Json named_values(const OptimiseCase& c, const VectorXd& theta) {
  Json json = Json::object();
  for (std::size_t k = 0; k < c.free.free.size(); ++k)
    json[c.free.free[k].name] = theta(static_cast<int>(k));
  return json;
}

Json constraints_json(const OptimiseResult& all) {
  const OptimiseCase& c = *all.setup;
  Json constraints = Json::array();
  for (std::size_t i = 0; i < c.subjects.size(); ++i) {
    const DesignCondition at = all.condition(i);
    constraints.push_back({{"text", c.subjects[i]},
                           {"value", at.value},
                           {"violation", at.violation},
                           {"active", at.active},
                           {"multiplier", at.multiplier}});
  }
  return constraints;
}

// parameters.toml: what was found, ready for a model file.
std::string parameters_text(const OptimiseCase& c, const VectorXd& theta) {
  std::string table = "[parameters]\n";
  for (std::size_t k = 0; k < c.free.free.size(); ++k) {
    const FreeEntry& entry = c.free.free[k];
    const char* mark = entry.added                     ? "# of the expressions: "
                       : entry.name == entry.parameter ? ""
                                                       : "# initial value ";
    table += fmt::format("{}{} = {:.17g}\n", mark, entry.name, theta(static_cast<int>(k)));
  }
  return table;
}

void write_optimum(const api::OptimiseOptions& o, const OptimiseResult& result) {
  std::string problem;
  const auto output = OutputFolder::open(o.out, "optimise", replace_if(o.force), problem);
  if (!output) refuse("optimise", problem);
  const std::string table = parameters_text(*result.setup, result.found().theta);
  if (!output->write("optimise.json", optimise_json(result).dump(2) + "\n", problem) ||
      !output->write("parameters.toml", table, problem) || !output->commit(problem))
    fail("optimise", problem);
}

}  // namespace

DesignCondition OptimiseResult::condition(std::size_t constraint) const {
  const auto i = static_cast<Eigen::Index>(constraint);
  const DesignResult& r = found();
  const double value = r.point.constraints.size() > 0 ? r.point.constraints(i) : 0;
  const bool equality = i < setup->problem.equalities;
  return {setup->sides[constraint] * value, equality ? std::fabs(value) : std::max(0.0, value),
          equality || value > -1e-7, i < r.multipliers.size() ? r.multipliers(i) : 0};
}

OptimiseResult optimise_model(const ModelArguments& source, const api::OptimiseOptions& o) {
  OptimiseResult all;
  all.setup = make_optimise_case(source, o);
  require_room("optimise", "optimise", o.out, o.force, {"optimise.json", "parameters.toml"});
  OptimiseCase& c = *all.setup;
  all.starts.resize(o.starts.value_or(1));
  all.starts[0].start = c.problem.start;
  for (std::size_t k = 1; k < all.starts.size(); ++k)
    all.starts[k].start = spread_point(c.problem, static_cast<int>(k));
  c.functionals->set_scales(c.problem.start, c.problem.size, c.simulate);
  minimise_all(o, all);
  for (std::size_t k = 1; k < all.starts.size(); ++k)
    if (is_better(all.starts[k].result, all.found())) all.best = static_cast<int>(k);
  if (all.found().point.gradient.size() == 0)
    fail("optimise", "no value at the start: " + all.found().problem);
  all.kink = c.functionals->find_kink(all.found().theta);
  if (all.found().converged && !o.out.empty()) write_optimum(o, all);
  return all;
}

Json optimise_json(const OptimiseResult& all) {
  const OptimiseCase& c = *all.setup;
  const DesignResult& r = all.found();
  std::vector<std::string> at_bound;
  for (const int j : r.at_bound) at_bound.push_back(c.free.free[j].name);
  Json json = {{"model", c.model().name},
               {"parameters", named_values(c, r.theta)},
               {"objective", all.objective(r)},
               {"converged", r.converged},
               {"iterations", r.iterations},
               {"evaluations", r.evaluations},
               {"constraints", constraints_json(all)},
               {"stationarity", r.stationarity},
               {"violation", r.violation},
               {"at_bound", at_bound},
               {"solver", c.solver},
               {"second_order", r.second_order},
               {"saddles", r.saddles}};
  if (!all.kink.empty()) json["kink"] = all.kink;
  if (!r.problem.empty()) json["problem"] = r.problem;
  if (all.starts.size() > 1) {
    Json starts = Json::array();
    for (const OptimiseStart& one : all.starts)
      starts.push_back({{"start", named_values(c, one.start)},
                        {"parameters", named_values(c, one.result.theta)},
                        {"objective", all.objective(one.result)},
                        {"converged", one.result.converged}});
    json["starts"] = std::move(starts);
  }
  return json;
}

}  // namespace cartan::results
