// Inverse kinematics: `cartan ik`.
//
//   const cartan::Model model = cartan::load("model.toml");
//   const std::string joint = model.joints()[0];
//   const cartan::Ik posed = cartan::ik(model, {.target = {joint + ".q = 0.5"}});
//   std::printf("%s, residual %g\n", posed.found ? "found" : posed.problem.c_str(),
//               posed.residual);
#pragma once

#include <cartan/model.h>
#include <cartan/table.h>

namespace cartan::api {

// One configuration.
struct IkSolution {
  State state;
  double residual = 0;                // largest miss of a target or constraint
  double change = 0;                  // distance from the start
  bool singular = false;              // targets and constraints lose rank here
  std::vector<std::string> at_limit;  // ranges whose end is reached
  int hits = 0;                       // with `all`: how many starts came here
};

// What was found.
struct Ik {
  bool found = false;         // with `all`: and the list is whole
  std::string problem;        // why not; "" where found
  State state;                // of the nearest solution; with `path` the last one
  double residual = 0;        // of it; with `path` the largest
  int iterations = 0;         // of the solution
  int rank = 0, freedom = 0;  // of the equations there; what they leave free
  bool singular = false;
  std::vector<std::string> missed;     // targets that are not met, with what is missing
  std::vector<IkSolution> solutions;   // with `all`: nearest first
  int starts = 0, failures = 0;        // of that search
  bool complete = false;               // whether the list is whole
  int continuum = 0;                   // unknowns that solutions leave free
  Table path;                          // with `path`: t, JOINT.q0, JOINT.v0, JOINT.a0, .., residual
  std::vector<double> singular_times;  // along it
  std::string csv;                     // solutions.csv or path.csv
  std::string json;                    // as `cartan ik --json` prints it
};

// Finds a configuration that meets the targets with the least change; or all of them; or those
// along a path. Where there is none, `found` is false and the nearest one is given.
CARTAN_API Ik ik(const Model& model, const IkOptions& options);

}  // namespace cartan::api
