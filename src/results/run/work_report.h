// The work of every force, of every drive and of gravity over a run.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::results {

// W = integral of the power of the force on the bodies: what its potential loses and what it does
// beside. All of them together are the change of the kinetic energy.
struct WorkReport {
  std::vector<double> forces;       // beside model.forces
  std::vector<double> constraints;  // beside model.constraints: only drives do any
  double gravity = 0;
  std::string untold;  // why the above is not known, "" when it is
};

// `untold`: what MechanicalSystem::split_work answered.
WorkReport calc_works(const MechanicalSystem& system, const State& start, const State& end,
                      const std::string& untold);

// { forces {name: J}, drives {name: J}, gravity }
nlohmann::ordered_json work_json(const Model& model, const WorkReport& work);
// "force 'spring': 1.2 J", the largest first, a few at most.
std::vector<std::string> work_lines(const Model& model, const WorkReport& work);

}  // namespace cartan::results
