// Inputs, outputs and frequencies as commands name them (`linearize`, `orbit`), and frequency
// responses as JSON, tables and charts.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "results/json_values.h"
#include "results/steady/control_charts.h"
#include "system/state_function.h"

namespace cartan::results {

struct ControlChannels {
  std::vector<int> inputs;  // parameters of the model
  std::vector<std::string> input_names;
  std::vector<std::shared_ptr<const StateFunction>> outputs;
  std::vector<std::string> output_names;  // as written
  std::vector<double> frequencies;        // rad/s
};

// "P1,P2", "EXPR,EXPR", "log(A,B,N)"; each may be empty. Refused where a name is unknown, or where
// frequencies have no input or output.
ControlChannels read_channels(const char* command, const Model& model, const System& system,
                              const std::string& inputs, const std::string& outputs,
                              const std::string& frequency);

struct ResponseReport {
  Json responses;                                          // one entry per channel
  std::vector<std::pair<std::string, std::string>> files;  // frequency.csv and the charts
};
ResponseReport report_response(const std::vector<double>& frequencies,
                               const std::vector<ResponseChannel>& channels);

// A name as a cell of a table.
std::string quoted_cell(const std::string& name);

}  // namespace cartan::results
