// What a model is: `cartan check`.
//
//   const cartan::Check check = cartan::check(cartan::load("model.toml"));
//   std::printf("%d degrees of freedom, %g kg\n", check.dof, check.mass);
#pragma once

#include <array>

#include <cartan/model.h>

namespace cartan::api {

// Counts and figures of a model; those of bodies are zero for a [variables] file.
struct Check {
  std::string model;
  int bodies = 0, joints = 0, loops = 0, forces = 0, constraints = 0;
  int speeds = 0;                             // of the tree
  int dof = 0;                                // speeds minus the rank of all constraints
  int dof_position = 0;                       // the same, of constraints on positions alone
  int equations = 0, rank = 0;                // of constraints
  int redundant = 0;                          // equations minus rank
  double mass = 0;                            // kg, of all bodies
  std::array<double, 3> center_of_mass{};     // at the start
  std::array<double, 3> principal_moments{};  // about it, ascending
  std::vector<std::string> variables;
  std::string text;  // as `cartan check` prints it: the tree first
  std::string json;  // as `cartan check --json` prints it
};

// Finds out what a model is. The model's own code is not run.
CARTAN_API Check check(const Model& model, const CheckOptions& options = {});

}  // namespace cartan::api
