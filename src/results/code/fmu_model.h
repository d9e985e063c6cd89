// What an FMU says about itself: names, units, start values, and how its variables are counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/fmi/fmu_unit.h"

namespace cartan::results {

struct FmuVariable {
  std::string name, unit, description;
  double start = 0;
};

struct FmuModel {
  int version = 3;  // of FMI: 2 or 3
  FmuUnit code;
  std::string identifier, title, token, hash;
  std::vector<FmuVariable> states, outputs, inputs, parameters;
  std::vector<int> state_outputs;  // states that are outputs themselves
  std::vector<FmuVariable> indicators;
  const std::vector<Event>* events = nullptr;
  std::vector<int> quaternions;  // first of the four numbers, in x
  int nq = 0, nv = 0;
  double start_time = 0;
  std::optional<double> stop_time, step;
  double tolerance = 1e-10;
  std::vector<std::string> remarks;
  std::vector<std::string> user_sources;  // names among the sources

  int nx() const { return static_cast<int>(states.size()); }
  // Value references: time is 0.
  int state_at() const { return 1; }
  int derivative_at() const { return state_at() + nx(); }
  int output_at() const { return derivative_at() + nx(); }
  int input_at() const { return output_at() + static_cast<int>(outputs.size()); }
  int parameter_at() const { return input_at() + static_cast<int>(inputs.size()); }
  int indicator_at() const { return parameter_at() + static_cast<int>(parameters.size()); }
  int end() const { return indicator_at() + static_cast<int>(indicators.size()); }
};

inline constexpr const char* fmu_unit_name = "equations";  // prefix and file of the generated code
inline constexpr const char* fmu_solver =
    "dop853: Dormand and Prince 8(5,3), error control, events located on real steps";

// modelDescription.xml, sources/buildDescription.xml (of FMI 3.0), documentation/index.html.
// FMI 2.0 names the sources in the former.
std::string fmu_description(const FmuModel& fmu, const std::vector<std::string>& sources);
std::string fmu_build_description(const FmuModel& fmu, const std::vector<std::string>& sources);
std::string fmu_page(const FmuModel& fmu);

// fmu_model.h, fmu_model.c, fmu_method.h: facts that the C files of every FMU ask for.
std::string fmu_model_header(const FmuModel& fmu);
std::string fmu_model_code(const FmuModel& fmu);
std::string fmu_method_header();

}  // namespace cartan::results
