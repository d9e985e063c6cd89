// Cartan for programs: everything a user includes. Numbers are double, nothing here is a template
// to be instantiated by the user.
//
//   #include <cartan.h>
//   using namespace cartan;
//
//   ModelDescription d;                                       // or read_model_file("model.toml",
//   problems) d.name = "pendulum"; d.bodies.push_back({.name = "bob", .mass = 1.0, .com = {0, 0,
//   -1}}); d.joints.push_back({.name = "hinge", .type = "revolute", .parent = {"world"}, .child =
//   {"bob"},
//                       .axis = {1, 0, 0}, .position = {.given = true, .coordinates = {0.5}}});
//   Diagnostics problems;
//   std::optional<Model> model = check_model(d, problems);    // problems.text() when there is none
//   std::string refusal;
//   auto system = make_system(*model, parameter_values(*model), "recursive", refusal);
//   Trajectory path;
//   SimulateReport report = simulate(*system, system->initial_state(), {.duration = 1}, path);
#pragma once

#include "core/diagnostics.h"
#include "formulations/formulations.h"
#include "integrate/simulate.h"
#include "io/toml_reader.h"
#include "mechanics/machine/mechanism_system.h"
#include "model/description.h"
#include "model/model.h"
#include "system/system.h"
