// What the columns of a run's tables are measured in.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cartan {

class ColumnUnits {
 public:
  ColumnUnits() = default;
  explicit ColumnUnits(const nlohmann::json& model);  // model.json of the run

  // "rad", "m/s", ..; "" where there is none or it is not known.
  std::string unit(const std::string& column) const;
  // "crank.q [rad]"
  std::string with_unit(const std::string& column) const;
  bool has_joint(const std::string& name) const { return joints_.count(name) > 0; }

 private:
  std::map<std::string, std::string> joints_;  // types
  bool mechanism_ = false;
};

std::string with_unit(const std::string& name, const std::string& unit);

}  // namespace cartan
