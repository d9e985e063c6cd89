// The functions of a steering problem as compiled code with exact first and second derivatives.
//
// The equations of the model are derived as expressions (codegen/derivation.h), of every phase with
// the contacts that are closed in it, written in local coordinates of the state
// (analysis/control/state_charts.h), differentiated twice, emitted as C and compiled; the
// compiler's result is kept, so that a second call is quick.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/control/steering_problem.h"
#include "model/model.h"
#include "system/system.h"

namespace cartan::results {

// Which outputs of the model are what.
struct SteerOutputs {
  int integral = -1, final = -1;
  std::vector<int> starts, spans;
  struct OfPhase {
    std::vector<int> paths, ends;
  };
  std::vector<OfPhase> phases;
};

// What all phases share.
struct SteerCode {
  const Model& model;  // has the outputs and no others
  const StateCharts& charts;
  const std::vector<std::string>& inputs;  // that are free
  const SteerOutputs& outputs;
  std::string without_curvature;  // why there are no second derivatives; "": there are
};

struct PhaseMaps {
  std::unique_ptr<SmoothMap> stage, end, start, closure, chart;  // see SteeringPhase
  std::vector<double> numbers;                                   // what follows the base in a
  // Paths of contacts, behind those of the task, each at least 0: gaps of what is open; normal
  // forces and cones of what is closed; and of what has just let go the second rate of the gap,
  // which is asked for at the start alone.
  struct ContactPath {
    enum class Kind { gap, force, parting } kind;
    int contact;
  };
  std::vector<ContactPath> contacts;
};

struct PhasePlan {
  int phase;
  const State& at;                       // a state in its mode
  const std::vector<int>& closure_rows;  // of System::constraint_values, independent ones
  std::vector<int> parting;              // contacts that let go at its start
};
// "" or why there is no such code.
std::string make_phase_maps(SteerCode& code, const PhasePlan& plan, PhaseMaps& maps);

// A junction, in the names of the phase before it.
struct JunctionPlan {
  std::vector<int> closing;  // contacts of the model that meet
  std::vector<int> leaving;  // that let go while others meet
  std::vector<int> swap;     // per embedded number the one whose name it gets; empty: none
};
struct JunctionMap {
  std::unique_ptr<SmoothMap> map;  // see SteeringJunction
  std::vector<double> numbers;
  struct ImpulseRow {
    int contact, row;  // 0 the normal, 1 and 2 tangents
  };
  std::vector<ImpulseRow> impulses;
  std::vector<ValueBounds> others;
};
// `at`: a state in the mode behind it.
std::string make_junction_map(SteerCode& code, const State& at, const JunctionPlan& plan,
                              JunctionMap& junction);

// Growth of outputs along the motion less what it shall be, amount + rate * time.
struct SpanPlan {
  std::vector<double> amounts, rates;  // beside SteerOutputs::spans
};
std::string make_span_map(SteerCode& code, const State& at, const SpanPlan& plan,
                          std::unique_ptr<SmoothMap>& map, std::vector<double>& numbers);

}  // namespace cartan::results
