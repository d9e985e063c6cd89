// What the columns of a run's tables are measured in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/folders.h"

namespace cartan::model {
struct Model;
}  // namespace cartan::model

namespace cartan::report {

class ColumnUnits {
 public:
  ColumnUnits() = default;
  explicit ColumnUnits(const nlohmann::json& model);  // model.json of the run
  static ColumnUnits of(const Model& model);
  // Of a folder: its model.json, or the units.json of an analysis.
  static ColumnUnits of_folder(const std::string& folder);

  // "rad", "m/s", ..; "" where there is none or it is not known. A column of a foreign table may
  // tell it itself: `force [N]`, `force (N)`.
  std::string unit(const std::string& column) const;
  // "crank.q [rad]"
  std::string with_unit(const std::string& column) const;
  // units.json: what is known of the columns of a table (its text), and of the time.
  std::string json_for(const std::string& table) const;
  bool known() const { return known_; }  // whether anything was there to take units from
  bool has_joint(const std::string& name) const { return joints_.count(name) > 0; }

 private:
  void read_rows(const nlohmann::json& model);
  std::string row_unit(const std::string& column) const;

  std::map<std::string, std::string> joints_;  // types
  // what the equations of loop joints and constraints are measured in: `m`, `rad` or "" each
  std::map<std::string, std::vector<std::string>> rows_;
  std::map<std::string, std::string> named_;  // columns of units.json
  bool mechanism_ = false, known_ = false;
};

std::string with_unit(const std::string& name, const std::string& unit);
// The unit that a name tells itself: `force [N]`, `force (N)`; "" where it does not.
std::string unit_in_name(const std::string& column);

// What pictures call a column of a table of `run`: `constraint` is the largest violation in
// trajectory.csv and the power of the drives in power.csv, whose columns therefore get the names
// that `run --power` uses (`constraint_power`, ..).
std::string picture_name(const std::string& table, const std::string& column);

}  // namespace cartan::report
