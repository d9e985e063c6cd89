#include <cartan/ik.h>
#include <cartan/optimise.h>
#include <cartan/steer.h>
#include <cartan/study.h>

#include "api/inside.h"
#include "results/design/ik.h"
#include "results/design/optimise.h"
#include "results/design/steer.h"
#include "results/load/state_file.h"
#include "results/study/run_study.h"

namespace cartan::api {
namespace {

// Above it a study is read from its files.
constexpr double most_study_numbers = 1e8;

Column number_column(const std::string& name, ColumnKind kind) {
  Column column;
  column.name = name;
  column.kind = kind;
  return column;
}

// ------------------------------------------------------------------------------------------- ik

Table path_table(const IkResult& found) {
  Table table;
  table.name = "path.csv";
  const model::Model& model = *found.analysis.model;
  const auto add = [&](const std::vector<std::string>& names, ColumnKind kind,
                       const std::vector<std::vector<double>>& rows) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      Column column = number_column(names[k], kind);
      for (const std::vector<double>& row : rows) column.values.push_back(row[k]);
      table.columns.push_back(std::move(column));
    }
  };
  table.columns.push_back(number_column("t", ColumnKind::time));
  table.columns.back().values = found.motion.t;
  table.columns.back().unit = "s";
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const PrescribedJoint& joint = found.motion.joints[j];
    add(coordinate_columns(model.joints[j]), ColumnKind::coordinate, joint.q);
    add(speed_columns(model.joints[j]), ColumnKind::speed, joint.v);
    if (!joint.a.empty()) add(speed_columns(model.joints[j], 'a'), ColumnKind::output, joint.a);
  }
  Column residual = number_column("residual", ColumnKind::violation);
  for (const PathPoint& point : found.path->points) residual.values.push_back(point.residual);
  table.columns.push_back(std::move(residual));
  return table;
}

void add_path(const IkResult& found, Ik& result) {
  const PathResult& path = *found.path;
  result.residual = found.path_residual();
  result.freedom = path.freedom;
  result.singular_times = path.singular_times;
  if (!path.points.empty())
    result.state =
        public_state(*found.analysis.model, *found.analysis.system, path.points.back().state);
  result.path = path_table(found);
  result.csv = ik_path_csv(found);
}

void add_solutions(const IkResult& found, Ik& result) {
  const Analysis& analysis = found.analysis;
  if (!found.solutions.empty()) {
    const KinematicSolution& best = found.solutions.front();
    result.state = public_state(*analysis.model, *analysis.system, best.state);
    result.residual = best.residual;
    result.iterations = best.iterations;
    result.rank = best.rank;
    result.freedom = best.freedom;
    result.singular = best.singular();
    result.missed = best.missed;
  }
  result.csv = ik_solutions_csv(found);
  if (!found.search) return;
  for (std::size_t k = 0; k < found.solutions.size(); ++k) {
    const KinematicSolution& s = found.solutions[k];
    result.solutions.push_back({public_state(*analysis.model, *analysis.system, s.state),
                                s.residual, s.change, s.singular(), s.at_limit,
                                found.search->hits[k]});
  }
  result.starts = found.search->starts;
  result.failures = found.search->failures;
  result.complete = found.search->complete;
  result.continuum = found.search->continuum;
}

// ------------------------------------------------------------------------------------- optimise

std::vector<NamedNumber> named_numbers(const OptimiseCase& c, const Eigen::VectorXd& theta) {
  std::vector<NamedNumber> list;
  for (std::size_t k = 0; k < c.free.free.size(); ++k)
    list.emplace_back(c.free.free[k].name, theta(static_cast<int>(k)));
  return list;
}

// ---------------------------------------------------------------------------------------- study

Table runs_table(const StudyResult& result) {
  const Study& study = *result.study;
  Table table;
  table.name = "runs.csv";
  const std::size_t inputs = study.inputs.size(), kept = study.kept.size();
  const std::uint64_t runs = study.design.runs();
  if (static_cast<double>(runs) * static_cast<double>(inputs + kept + 1) > most_study_numbers)
    return table;
  table.columns.push_back(number_column("run", ColumnKind::output));
  for (const StudyInput& input : study.inputs)
    table.columns.push_back(number_column(input.name, ColumnKind::variable));
  for (const KeptQuantity& quantity : study.kept)
    table.columns.push_back(number_column(quantity.name, ColumnKind::output));
  table.columns.push_back(number_column("status", ColumnKind::event));
  for (Column& column : table.columns) column.values.reserve(runs);
  std::vector<double> numbers(inputs);
  std::string problem;
  for_each_block(
      *result.store,
      [&](const Block& block) {
        for (std::uint32_t place = 0; place < block.count; ++place) {
          const std::uint64_t run = block.first + place;
          table.columns[0].values.push_back(static_cast<double>(run));
          study.design.fill(run, numbers);
          for (std::size_t k = 0; k < inputs; ++k)
            table.columns[1 + k].values.push_back(numbers[k]);
          for (std::size_t k = 0; k < kept; ++k)
            table.columns[1 + inputs + k].values.push_back(block.value(place, k));
          table.columns.back().words.emplace_back(to_string(block.outcomes[place]));
        }
      },
      problem);
  return table;
}

void add_statistics(const StudyResult& found, StudyRuns& result) {
  const Study& study = *found.study;
  const StudyStatistics& s = *found.statistics;
  result.runs = static_cast<long>(s.runs);
  result.failed = static_cast<long>(s.failed);
  for (std::size_t k = 0; k < study.kept.size(); ++k) {
    const QuantityStatistics& q = s.quantities[k];
    StudyQuantity one;
    one.name = study.kept[k].name;
    one.text = study.kept[k].text;
    one.count = static_cast<long>(q.count);
    one.mean = q.mean;
    one.deviation = q.deviation;
    one.minimum = q.minimum;
    one.maximum = q.maximum;
    one.probabilities.assign(told_quantiles.begin(), told_quantiles.end());
    for (const Quantile& quantile : q.quantiles) one.quantiles.push_back(quantile.value);
    result.quantities.push_back(std::move(one));
    if (k >= s.indices.size()) continue;
    for (std::size_t i = 0; i < s.indices[k].size(); ++i) {
      const SobolIndex& index = s.indices[k][i];
      const int input = study.design.sampled()[i];
      result.indices.push_back({study.kept[k].name, study.inputs[input].name, index.first,
                                index.first_low, index.first_high, index.total, index.total_low,
                                index.total_high});
    }
  }
}

StudyRuns public_study(const StudyResult& found) {
  if (found.helped) return {};  // the first process under mpirun has the runs
  StudyRuns result;
  const StudyProvenance& p = found.provenance;
  result.backend = p.backend;
  result.threads = p.threads;
  result.ranks = p.ranks;
  result.lanes = p.lanes;
  result.wall_seconds = p.wall_seconds;
  result.notes = p.notes;
  result.missing_blocks = static_cast<long>(found.missing);
  result.problem = found.problem;
  result.json = study_result_json(found);
  if (!found.statistics) return result;
  add_statistics(found, result);
  result.table = runs_table(found);
  result.text = study_summary(*found.study, *found.statistics, p);
  return result;
}

}  // namespace

Ik ik(const Model& model, const IkOptions& options) {
  const IkResult found = solve_ik(source_of(model), options);
  Ik result;
  result.found = found.found;
  result.problem = found.problem;
  if (found.path)
    add_path(found, result);
  else
    add_solutions(found, result);
  result.json = ik_json(found).dump(2) + "\n";
  return result;
}

Optimum optimise(const Model& model, const OptimiseOptions& options) {
  const OptimiseResult all = optimise_model(source_of(model), options);
  const OptimiseCase& c = *all.setup;
  const DesignResult& r = all.found();
  Optimum best;
  best.parameters = named_numbers(c, r.theta);
  best.objective = all.objective(r);
  best.converged = r.converged;
  best.problem = r.problem;
  best.iterations = r.iterations;
  best.evaluations = r.evaluations;
  best.stationarity = r.stationarity;
  best.violation = r.violation;
  for (std::size_t i = 0; i < c.subjects.size(); ++i) {
    const DesignCondition at = all.condition(i);
    best.constraints.push_back({c.subjects[i], at.value, at.violation, at.active, at.multiplier});
  }
  for (const int j : r.at_bound) best.at_bound.push_back(c.free.free[j].name);
  if (all.starts.size() > 1)
    for (const results::OptimiseStart& one : all.starts)
      best.starts.push_back({named_numbers(c, one.start), named_numbers(c, one.result.theta),
                             all.objective(one.result), one.result.converged});
  best.json = optimise_json(all).dump(2) + "\n";
  return best;
}

StudyRuns study(const Model& model, const StudyOptions& options) {
  return public_study(run_study(source_of(model), options));
}

StudyRuns study_file(const std::string& path, const StudyOptions& options,
                     const LoadOptions& load) {
  return public_study(run_study(make_source(path, load), options));
}

Steered steer(const std::string& task, const SteerOptions& options, const LoadOptions& load) {
  SteerArguments arguments;
  arguments.task = task;
  arguments.model = make_source("", load);
  arguments.how = options;
  arguments.command = "cartan::steer";
  const SteerRecord record = steer_task(arguments);
  const SteeringResult& r = record.result;
  Steered found;
  found.converged = r.converged;
  found.problem = r.problem;
  found.objective = r.objective;
  found.duration = r.motion.duration();
  found.mesh_error = r.errors.error;
  found.intervals = r.motion.intervals();
  found.iterations = r.iterations;
  found.switches = r.switches;
  for (const SteerStart& start : record.starts)
    found.starts.push_back({start.objective, start.converged, start.problem});
  found.files = record.files;
  found.text = steer_text(record);
  found.json = steer_json(record).dump(2) + "\n";
  return found;
}

}  // namespace cartan::api
