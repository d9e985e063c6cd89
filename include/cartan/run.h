// A model simulated: `cartan run`.
//
//   const cartan::Run run = cartan::run(cartan::load("model.toml"), {.duration = 2, .step = 0.01});
//   std::printf("%zu samples, drift %g J\n", run.t().size(), run.energy.max_drift);
//   const std::span<const double> potential = run["potential"];
//   std::printf("V = %g J at the end\n", potential.back());
//   run.save("result", true);  // the folder that the command writes with --out
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <cartan/model.h>
#include <cartan/table.h>

namespace cartan::api {

// Energies of a mechanism over a run, in joules.
struct EnergyFigures {
  double initial = 0, final = 0;
  double max_drift = 0;  // largest |E - E0 - work|
  double work = 0;       // of forces that are not conservative, and of drives
};

// What a run has come to.
struct Run {
  std::string model, formulation, integrator;  // as they were used
  std::string status;                          // "completed" or "stopped by an event"
  double step = 0, t_initial = 0, t_final = 0;
  long steps = 0, evaluations = 0, events = 0;
  double wall_seconds = 0;              // of the integration alone
  std::optional<double> error;          // estimated, of the end: metres and radians, or variables
  EnergyFigures energy;                 // of mechanisms
  double max_violation = 0;             // of constraints on positions
  State final;                          // the last state
  std::vector<Table> tables;            // as --out writes them: trajectory.csv, bodies.csv, ..
  std::string summary;                  // as `cartan run` prints it
  std::string json;                     // as `cartan run --json` prints it
  std::string folder;                   // with `out`: where it was written
  std::vector<std::string> files = {};  // with `out`: what was written

  // Times of the samples.
  CARTAN_API std::span<const double> t() const;
  // A column of any table, trajectory.csv first; an Error that suggests the nearest name.
  CARTAN_API std::span<const double> operator[](std::string_view column) const;
  // A table by the name of its file; an Error where the run has none of it.
  CARTAN_API const Table& table(std::string_view name) const;
  // Writes the folder that the command writes with --out.
  CARTAN_API void save(const std::string& folder, bool force = false) const;

  // Of model.json and summary.json, for save().
  std::string model_json, summary_json;
};

// A controller of yours: the [inputs] of the model (Model::inputs) from a state.
using Controller = std::function<std::vector<double>(const State& now)>;

// Asks the controller at the start and after every `period`; its inputs hold until the next call.
// Gives them as a table of steps, as `input_file` of LoadOptions reads it with the kind "steps": a
// run of the model with it is the controlled motion. A new system is made for every change of the
// inputs: an interval costs what that and its steps do.
CARTAN_API Table find_inputs(const Model& model, const RunOptions& options, double period,
                             const Controller& controller);

// Simulates. An Error where the run does not come to its end.
CARTAN_API Run run(const Model& model, const RunOptions& options = {});

}  // namespace cartan::api
