// What a finished run has to tell, and the two ways of telling it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "integrate/simulate.h"
#include "io/csv.h"
#include "results/run/error_estimate.h"
#include "results/run/motion_statistics.h"
#include "results/run/run_settings.h"
#include "results/run/work_report.h"

namespace cartan::results {

struct RunResult {
  const Model* model = nullptr;
  RunSettings settings;
  SimulateReport report;
  double start_time = 0;
  double wall_seconds = 0;  // of the integration alone
  long events = 0;
  std::optional<ErrorEstimate> error;  // of the end; nothing where it was not asked for
  int dof = 0;
  // mechanisms
  std::optional<MotionStatistics> statistics;
  std::optional<Observation> final;
  AssemblyReport assembly;
  WorkReport work;
  bool constrained = false;
  bool balance = false;  // the power balance was asked for
  // [variables]
  std::vector<double> variables, outputs;
  std::vector<UndefinedColumn> undefined;  // numbers of the tables that are not defined
  std::string partial;                     // why the run did not come to its end; "": it did

  bool steps_contacts() const {
    return find_integrator(settings.simulate.integrator)->steps_contacts;
  }
};

// The content of summary.json; with `final` also the last state.
std::string summary_json(const RunResult& result, bool with_final);

// The readable summary.
std::string summary_text(const RunResult& result);

}  // namespace cartan::results
