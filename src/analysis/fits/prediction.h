// What a System says about measurements: quantities at given times or at the k-th crossing of an
// event, with their exact derivatives by parameters.
//
// At a time:   dy/dp = y_x S + y_p
// At an event: dy/dp = y_x (S + f t_p) + y_t t_p + y_p,   t_p = dt_e/dp (sensitivity.h)
#pragma once

#include <string>
#include <vector>

#include "analysis/sensitivity.h"
#include "integrate/simulate.h"
#include "system/state_function.h"

namespace cartan::analysis {

struct Protocol {
  std::vector<double> times;  // increasing; empty: at events
  int event = -1;             // in System::events()
  int event_count = 0;        // crossings that are needed
  double duration = 0;        // longest run
  std::vector<const StateFunction*> quantities;
};

struct Prediction {
  std::string problem;                         // why there is none: a sentence
  std::vector<double> t;                       // of the rows
  Eigen::MatrixXd values;                      // rows x quantities
  std::vector<Eigen::MatrixXd> by_parameters;  // per row: quantities x parameters
  Eigen::MatrixXd time_by_parameters;          // rows x parameters: of events, zero at given times
};

// From `start`, whose derivatives by the parameters are `start_by_parameters` (embedded numbers
// without quadratures x parameters). Without parameters: values only. `units`, sensible changes of
// the parameters, are those in which the tolerance of the simulation holds for derivatives (empty:
// 1).
Prediction predict(const System& system, const State& start,
                   const Eigen::MatrixXd& start_by_parameters, const std::vector<int>& parameters,
                   const Protocol& protocol, const SimulateOptions& options,
                   const std::vector<double>& units = {});

}  // namespace cartan::analysis
