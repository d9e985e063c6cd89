// What `linearize` says about inputs and outputs: state-space matrices, controllability and
// observability, zeros, frequency response, the linear-quadratic regulator.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/json_values.h"
#include "cli/steady.h"

namespace cartan {

struct ControlArguments {
  std::string inputs, outputs, frequency, lqr_q, lqr_r;
  bool wanted() const {
    return !(inputs.empty() && outputs.empty() && frequency.empty() && lqr_q.empty() &&
             lqr_r.empty());
  }
};

void declare_control(Arguments& arguments, ControlArguments& target);

struct ControlReport {
  Json json;         // members to be added
  std::string text;  // for the terminal
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> notes;  // for stderr
};

// Nothing, with the exit status, after a complaint.
std::optional<ControlReport> report_control(const SteadyCase& steady, const Linearisation& linear,
                                            const ControlArguments& options, int& status);

}  // namespace cartan
