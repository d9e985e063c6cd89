#include "results/fit/experiments.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "io/csv.h"
#include "io/toml_reader.h"
#include "io/toml_section.h"
#include "io/toml_tree.h"
#include "results/load/load.h"

namespace cartan::results {
namespace {

using NodeKind = TomlNode::Kind;
namespace fs = std::filesystem;

class Reader {
 public:
  Reader(std::string path, const Consent& consent, Diagnostics& problems)
      : folder_(fs::path(path).parent_path()), consent_(consent), problems_(problems) {}

  ExperimentsText read(const TomlNode& root) {
    ExperimentsText result;
    for (const TomlEntry& entry : root.entries) {
      if (entry.key == "bounds")
        read_bounds(entry.value, result);
      else if (entry.key == "experiment")
        read_list(entry.value, result);
      else if (entry.key != "format")
        problems_.error(entry.where,
                        fmt::format("unknown key '{}'{}", entry.key,
                                    expected(entry.key, {"bounds", "experiment", "format"})));
    }
    if (result.experiments.empty())
      problems_.error(root.where, "no [[experiment]] in this file; expected at least one");
    return result;
  }

 private:
  static std::string expected(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = suggestion(word, known);
    return near.empty() ? fmt::format("; expected {}", fmt::join(known, ", ")) : near;
  }

  bool expect_kind(const TomlNode& node, NodeKind kind, const char* what) {
    if (node.is(kind)) return true;
    problems_.error(node.where, fmt::format("expected {}, got {}", what, describe(node)));
    return false;
  }

  void read_bounds(const TomlNode& table, ExperimentsText& result) {
    if (!expect_kind(table, NodeKind::table, "a table of NAME = [low, high]")) return;
    for (const TomlEntry& entry : table.entries) {
      const std::optional<std::vector<double>> pair = numbers(entry.value);
      if (!pair) continue;
      if (pair->size() != 2 || !((*pair)[0] < (*pair)[1]))
        problems_.error(entry.value.where,
                        fmt::format("bounds of '{}': expected [low, high]", entry.key));
      else
        result.bounds.push_back({entry.key, (*pair)[0], (*pair)[1], entry.where});
    }
  }

  void read_list(const TomlNode& list, ExperimentsText& result) {
    if (!expect_kind(list, NodeKind::array, "[[experiment]] tables")) return;
    for (const TomlNode& table : list.items)
      if (expect_kind(table, NodeKind::table, "a table"))
        result.experiments.push_back(read_experiment(table, result.experiments.size() + 1));
  }

  ExperimentText read_experiment(const TomlNode& table, std::size_t number) {
    static const std::vector<std::string> known = {"name",  "data", "event", "duration", "set",
                                                   "state", "q",    "v",     "columns"};
    ExperimentText e;
    e.name = fmt::format("experiment {}", number);
    e.where = table.where;
    std::string data;
    Location data_where = table.where;
    for (const TomlEntry& entry : table.entries) {
      const TomlNode& node = entry.value;
      if (entry.key == "name") {
        if (expect_kind(node, NodeKind::text, "a text")) e.name = node.text;
      } else if (entry.key == "data") {
        if (expect_kind(node, NodeKind::text, "the name of a file")) data = node.text;
        data_where = node.where;
      } else if (entry.key == "event") {
        if (expect_kind(node, NodeKind::text, "the name of an event")) e.event = node.text;
        e.event_where = node.where;
      } else if (entry.key == "duration") {
        e.duration = number_above_zero(node, "duration");
      } else if (entry.key == "set") {
        read_sets(node, e);
      } else if (entry.key == "state") {
        if (expect_kind(node, NodeKind::text, "the name of a file") &&
            may_read(node.text, node.where))
          e.state = (folder_ / node.text).string();
      } else if (entry.key == "q" || entry.key == "v") {
        read_joints(node, entry.key == "q" ? e.q : e.v);
      } else if (entry.key == "columns") {
        read_columns(node, e);
      } else {
        problems_.error(entry.where,
                        fmt::format("unknown key '{}'{}", entry.key, expected(entry.key, known)));
      }
    }
    if (data.empty())
      problems_.error(table.where, fmt::format("'{}': missing key 'data'", e.name));
    else if (may_read(data, data_where))
      read_measurements(data, data_where, e);
    return e;
  }

  bool may_read(const std::string& file, Location where) {
    const std::string refusal = refuse_path(consent_, folder_.string(), file);
    if (!refusal.empty()) problems_.error(where, refusal);
    return refusal.empty();
  }

  std::optional<double> number_above_zero(const TomlNode& node, const char* what) {
    if (!expect_kind(node, NodeKind::number, "a number")) return std::nullopt;
    if (node.number > 0 && std::isfinite(node.number)) return node.number;
    problems_.error(node.where,
                    fmt::format("{} is {:g}; expected a positive number", what, node.number));
    return std::nullopt;
  }

  std::optional<std::vector<double>> numbers(const TomlNode& node) {
    std::vector<double> values;
    if (node.is(NodeKind::number)) {
      values.push_back(node.number);
    } else if (node.is(NodeKind::array)) {
      for (const TomlNode& item : node.items) {
        if (!expect_kind(item, NodeKind::number, "a number")) return std::nullopt;
        values.push_back(item.number);
      }
    } else {
      problems_.error(node.where, "expected a list of numbers, got " + describe(node));
      return std::nullopt;
    }
    return values;
  }

  void read_sets(const TomlNode& node, ExperimentText& e) {
    if (!expect_kind(node, NodeKind::table, "a table of NAME = VALUE")) return;
    for (const TomlEntry& entry : node.entries) {
      if (entry.value.is(NodeKind::number))
        e.sets.push_back(fmt::format("{}={:.17g}", entry.key, entry.value.number));
      else if (expect_kind(entry.value, NodeKind::text, "a number or an expression"))
        e.sets.push_back(entry.key + "=" + entry.value.text);
    }
  }

  void read_joints(const TomlNode& node, std::map<std::string, std::vector<double>>& joints) {
    if (!expect_kind(node, NodeKind::table, "a table of JOINT = [..]")) return;
    for (const TomlEntry& entry : node.entries)
      if (const auto values = numbers(entry.value)) joints[entry.key] = *values;
  }

  void read_columns(const TomlNode& node, ExperimentText& e) {
    static const std::vector<std::string> known = {"quantity", "scale", "offset", "sigma",
                                                   "losses"};
    if (!expect_kind(node, NodeKind::table, "a table of COLUMN = { quantity = .. }")) return;
    for (const TomlEntry& entry : node.entries) {
      if (!expect_kind(entry.value, NodeKind::table, "{ quantity = .. }")) continue;
      ColumnText column;
      column.column = entry.key;
      column.where = entry.where;
      if (entry.key != "t") column.quantity = quantity_of_column(entry.key);
      for (const TomlEntry& field : entry.value.entries) {
        const TomlNode& value = field.value;
        if (field.key == "quantity") {
          if (expect_kind(value, NodeKind::text, "an expression")) column.quantity = value.text;
        } else if (field.key == "scale" || field.key == "offset") {
          if (expect_kind(value, NodeKind::number, "a number"))
            (field.key == "scale" ? column.scale : column.offset) = value.number;
        } else if (field.key == "losses") {
          if (expect_kind(value, NodeKind::boolean, "true or false")) column.losses = value.flag;
        } else if (field.key == "sigma") {
          column.sigma = number_above_zero(value, "sigma").value_or(0);
        } else {
          problems_.error(field.where,
                          fmt::format("unknown key '{}'{}", field.key, expected(field.key, known)));
        }
      }
      if (column.losses && column.quantity.empty())
        problems_.error(entry.where, "losses are of a quantity, not of the time of an event");
      if (column.losses && column.offset != 0)
        problems_.error(entry.where, "an offset drops out of losses; leave it out");
      e.columns.push_back(std::move(column));
    }
  }

  void read_measurements(const std::string& name, Location where, ExperimentText& e) {
    const std::string path = (folder_ / name).string();
    Diagnostics inside(path);
    const std::optional<CsvTable> table = read_csv(path, CsvRows::with_gaps, inside);
    if (!table) {
      problems_.error(where,
                      fmt::format("'{}' cannot be read: {}", name,
                                  inside.findings().empty() ? std::string("there is no such file")
                                                            : inside.findings().front().message));
      return;
    }
    if (const std::vector<double>* t = table->find("t")) e.times = *t;
    for (ColumnText& column : e.columns) {
      const std::vector<double>* found = table->find(column.column);
      if (found)
        column.measured = *found;
      else
        problems_.error(column.where, fmt::format("'{}' has no column '{}'{}", name, column.column,
                                                  expected(column.column, table->names)));
    }
    check(e);
  }

  void check(const ExperimentText& e) {
    if (e.columns.empty())
      problems_.error(e.where, fmt::format("'{}' compares nothing; expected 'columns'", e.name));
    if (!e.event.empty()) return;
    if (e.times.empty())
      problems_.error(e.where, fmt::format("the data of '{}' have no column 't'; without 'event' "
                                           "rows belong to times",
                                           e.name));
    for (std::size_t k = 1; k < e.times.size(); ++k)
      if (!(e.times[k] > e.times[k - 1])) {
        problems_.error(e.where,
                        fmt::format("times of '{}' must increase; row {} does not", e.name, k + 1));
        return;
      }
    for (const ColumnText& column : e.columns)
      if (column.quantity.empty())
        problems_.error(column.where, "the time is a measurement only with 'event'");
  }

  fs::path folder_;
  const Consent& consent_;
  Diagnostics& problems_;
};

}  // namespace

std::string quantity_of_column(const std::string& column) {
  if (column == "energy") return "kinetic + potential";
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos || dot + 2 >= column.size()) return column;
  const char kind = column[dot + 1];
  const std::string digits = column.substr(dot + 2);
  const bool index = std::all_of(digits.begin(), digits.end(),
                                 [](unsigned char c) { return std::isdigit(c) != 0; });
  if ((kind != 'q' && kind != 'v') || !index) return column;
  return fmt::format("{}[{}]", column.substr(0, dot + 2), digits);
}

std::optional<ExperimentsText> read_experiments(const std::string& path, const Consent& consent,
                                                Diagnostics& problems) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    problems.error({}, "there is no such file" + suggest_file(path));
    return std::nullopt;
  }
  std::string text(max_model_file_size + 1, '\0');  // a device may never end
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > max_model_file_size) {
    problems.error({1, 1}, "the file is larger than 16 MB; data belong into files of their own");
    return std::nullopt;
  }
  const std::optional<TomlNode> root = parse_toml(text, problems);
  if (!root || !check_format(*root, problems)) return std::nullopt;
  ExperimentsText result = Reader(path, consent, problems).read(*root);
  if (problems.has_errors()) return std::nullopt;
  return result;
}

// The column of trajectory.csv that tells how good a run is, not what moves.
static bool is_measured(const std::string& column) {
  return column != "constraint";
}

std::optional<ExperimentText> read_data(const std::string& path, Diagnostics& problems) {
  const std::optional<CsvTable> table = read_csv(path, CsvRows::with_gaps, problems);
  if (!table) return std::nullopt;
  ExperimentText e;
  e.name = path;
  for (std::size_t c = 0; c < table->names.size(); ++c) {
    if (table->names[c] == "t") {
      e.times = table->columns[c];
      continue;
    }
    if (!is_measured(table->names[c])) continue;
    ColumnText column;
    column.column = table->names[c];
    column.quantity = quantity_of_column(table->names[c]);
    column.measured = table->columns[c];
    e.columns.push_back(std::move(column));
  }
  if (e.times.empty()) problems.error({1, 1}, "there is no column 't' with the times of the rows");
  for (std::size_t k = 1; k < e.times.size(); ++k)
    if (!(e.times[k] > e.times[k - 1])) {
      problems.error({static_cast<int>(k) + 2, 1}, "times must increase");
      break;
    }
  if (e.columns.empty()) problems.error({1, 1}, "there is no column besides 't' to compare");
  if (problems.has_errors()) return std::nullopt;
  return e;
}

}  // namespace cartan::results
