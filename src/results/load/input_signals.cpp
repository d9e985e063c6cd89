#include "results/load/input_signals.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "io/csv.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

// The word of a table for what happens between two rows; "" for an unknown kind.
std::string interpolation_of(const std::string& kind) {
  if (kind.empty() || kind == "linear") return "linear";
  if (kind == "steps") return "steps";
  return kind == "smooth" ? "spline" : "";
}

bool is_input(const ModelDescription& description, const std::string& name) {
  return std::any_of(description.inputs.begin(), description.inputs.end(),
                     [&](const NamedValue& input) { return input.name == name; });
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void add_file(const InputArguments& arguments, const api::Watch& watch,
              ModelDescription& description) {
  const std::string& file = arguments.file;
  const std::string between = interpolation_of(arguments.kind);
  if (between.empty())
    refuse_at("cartan",
              fmt::format("--input-kind {}: expected steps, linear or smooth", arguments.kind));
  if (file.find('"') != std::string::npos)
    refuse_at(file, "the name of an input file must not contain quotes");
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    refuse_at(file, "there is no such file; expected a table with the columns t and inputs");
  Diagnostics problems(file);
  const std::optional<CsvTable> table = read_csv(file, CsvRows::all, problems);
  if (!table) refuse(problems);
  const std::vector<double>* time = table->find("t");
  if (!time) refuse_at(file, "there is no column 't'; expected t and names of inputs");
  if (time->size() < 2) refuse_at(file, "expected at least two rows of numbers");
  std::vector<std::string> taken, others;
  const std::string path = std::filesystem::absolute(file, error).string();
  for (const std::string& name : table->names) {
    if (name == "t") continue;
    if (!is_input(description, name)) {
      others.push_back(name);
      continue;
    }
    taken.push_back(name);
    description.signals.push_back(
        {name,
         Value(fmt::format("table(\"{}\", \"{}\", t, \"{}\", \"hold\")", path, name, between))});
  }
  if (taken.empty())
    refuse_at(file, fmt::format("no column is an input of the model '{}'; {}", description.name,
                                description.inputs.empty()
                                    ? "it has none"
                                    : "its first is '" + description.inputs[0].name + "'"));
  tell(watch, fmt::format("{}: gives {} from t = {:g} to {:g}; before and after, the first and "
                          "last values hold",
                          file, joined(taken), time->front(), time->back()));
  if (!others.empty())
    tell(watch, fmt::format("{}: not inputs of the model and left out: {}", file, joined(others)));
}

}  // namespace

void add_signals(const InputArguments& arguments, const api::Watch& watch,
                 ModelDescription& description) {
  if (arguments.file.empty() && !arguments.kind.empty())
    refuse_at("cartan", "--input-kind says how --input-file is read, and there is none");
  if (!arguments.file.empty()) add_file(arguments, watch, description);
  for (const std::string& text : arguments.values) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      refuse_at("cartan", fmt::format("--input {}: expected NAME=EXPR", text));
    const std::string name = text.substr(0, equals);
    const bool twice = std::any_of(description.signals.begin(), description.signals.end(),
                                   [&](const NamedValue& signal) { return signal.name == name; });
    if (twice)
      refuse_at("cartan", fmt::format("the input '{}' is given twice; give it once", name));
    description.signals.push_back({name, Value(text.substr(equals + 1))});
  }
}

}  // namespace cartan::results
