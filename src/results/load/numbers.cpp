#include "results/load/numbers.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cartan::results {
namespace {

// "in '2*W': unknown name ..." without the file, which a command line has not.
std::string first_line(const Diagnostics& problems) {
  return problems.findings().empty() ? "" : problems.findings()[0].message;
}

}  // namespace

std::optional<double> read_number(const std::string& text, const Model* model,
                                  std::string& problem) {
  static const Model nothing;
  const Model& known = model ? *model : nothing;
  Diagnostics problems;
  const std::optional<Formula> formula = compile_expression(known, text, problems);
  if (!formula) {
    problem = first_line(problems);
    return std::nullopt;
  }
  for (const Symbol& symbol : formula->program.inputs)
    if (symbol.quantity != Quantity::parameter) {
      problem = fmt::format("'{}': expected a number or an expression of the parameters", text);
      return std::nullopt;
    }
  const std::vector<double> parameters = parameter_values(known);
  const double value = evaluate<double>(*formula, parameters)[0];
  if (std::isfinite(value)) return value;
  problem = fmt::format("'{}' is not a finite number", text);
  return std::nullopt;
}

std::unique_ptr<const Model> read_run_parameters(const std::string& folder) {
  auto model = std::make_unique<Model>();
  std::ifstream stream(std::filesystem::path(folder) / "model.json");
  const auto json = nlohmann::ordered_json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("parameters") || !json["parameters"].is_object())
    return model;
  for (const auto& [name, value] : json["parameters"].items()) {
    if (!value.is_number()) continue;
    Parameter parameter;
    parameter.name = name;
    const double number = value.get<double>();
    parameter.value.program = constant_program({&number, 1});
    model->parameter_order.push_back(static_cast<int>(model->parameters.size()));
    model->parameters.push_back(std::move(parameter));
  }
  return model;
}

}  // namespace cartan::results
