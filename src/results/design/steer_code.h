// The functions of a steering problem as compiled code with exact first and second derivatives.
//
// The equations of the model are derived as expressions (codegen/derivation.h), written in local
// coordinates of the state (analysis/control/state_charts.h), differentiated twice, emitted as C
// and compiled; the compiler's result is kept, so that a second call is quick.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/control/smooth_map.h"
#include "analysis/control/state_charts.h"
#include "model/model.h"
#include "system/system.h"

namespace cartan::results {

struct SteerMaps {
  std::unique_ptr<SmoothMap> stage, end, start, closure, chart;  // see SteeringProblem
  std::vector<double> numbers;                                   // what follows the base in a
  std::string without_curvature;  // why there are no second derivatives; "": there are
  std::string slow;               // the compiler had to run
};

// What the outputs of the model are, in this order.
struct SteerOutputs {
  bool integral = false;
  int paths = 0, ends = 0;
  bool final = false;
  int starts = 0;
  int count() const { return integral + paths + ends + final + starts; }
};

// `model` has the outputs and no others. `inputs`: names of those that are free. `closure_rows`: of
// System::constraint_values, independent ones. "" or why there is no such code.
std::string make_steer_maps(const Model& model, const System& system, const State& at,
                            const StateCharts& charts, const std::vector<std::string>& inputs,
                            const SteerOutputs& outputs, const std::vector<int>& closure_rows,
                            SteerMaps& maps);

}  // namespace cartan::results
