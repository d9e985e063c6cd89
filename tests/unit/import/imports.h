// Imported models in tests: their text, report and rates beside those of a model written by hand.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "import/import.h"
#include "support/example.h"

namespace cartan::test {

struct Imported {
  Diagnostics problems{"model"};
  std::optional<ImportedModel> model;

  int carried(const std::string& kind) const {
    for (const auto& [name, count] : model->report.carried)
      if (name == kind) return count;
    return 0;
  }
  int left(const std::string& kind) const {
    for (const ImportReport::Left& each : model->report.not_carried)
      if (each.kind == kind) return each.count;
    return 0;
  }
  bool says(const std::string& text) const { return model->text.find(text) != std::string::npos; }
};

inline Imported import_xml(const std::string& xml, const ImportOptions& options = {},
                           const std::string& path = "model.xml") {
  Imported result;
  result.model = import_model_text(xml, path, options, result.problems);
  return result;
}

// Imports, or fails with the findings.
inline Imported expect_import(const std::string& xml, const ImportOptions& options = {}) {
  Imported result = import_xml(xml, options);
  EXPECT_TRUE(result.model) << result.problems.text();
  if (!result.model) result.model.emplace();
  return result;
}

// The findings of a file that must be refused.
inline std::string refusal(const std::string& xml, const ImportOptions& options = {}) {
  Imported result = import_xml(xml, options);
  if (result.model)
    if (const auto description = describe_import(*result.model, "model.xml", result.problems))
      (void)check_model(*description, result.problems);
  EXPECT_TRUE(result.problems.has_errors()) << xml;
  return result.problems.text();
}

// Rates at the initial state moved off by a fixed amount in every entry: positions, then speeds.
inline std::vector<double> rates_of(const std::string& toml, double amplitude = 0.3) {
  const Example example = load_text(toml);
  if (!example) return {};
  State state = example.system->initial_state();
  for (std::size_t i = 0; i < state.x.size(); ++i)
    state.x[i] += amplitude * std::sin(1.7 * static_cast<double>(i) + 0.4);
  std::vector<double> rates(state.x.size());
  const auto workspace = example.system->make_workspace();
  example.system->derivative(state, rates, *workspace);
  return rates;
}

// The same motion: the rates of both agree, and something moves.
inline void expect_same_motion(const std::string& xml, const std::string& toml,
                               double amplitude = 0.3, const ImportOptions& options = {}) {
  const Imported imported = expect_import(xml, options);
  const std::vector<double> a = rates_of(imported.model->text, amplitude),
                            b = rates_of(toml, amplitude);
  double size = 0;
  for (double x : b) size = std::max(size, std::abs(x));
  EXPECT_GT(size, 1e-3);
  EXPECT_LT(largest_difference(a, b), 1e-12 * std::max(1.0, size)) << imported.model->text;
}

inline std::string robot(const std::string& content) {
  return "<robot name='r'>" + content + "</robot>";
}
inline std::string mujoco(const std::string& bodies, const std::string& more = "") {
  return "<mujoco>" + more + "<worldbody>" + bodies + "</worldbody></mujoco>";
}
inline std::string sdf(const std::string& content, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'><model name='m'>" + content + "</model></sdf>";
}

}  // namespace cartan::test
