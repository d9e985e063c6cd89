#include "report/column_units.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/model.h"

namespace cartan::report {
namespace {

// Number `k` of a joint's coordinates or speeds: is it an angle? -1: neither angle nor length.
int measures_angle(const std::string& type, bool speed, int k) {
  const std::optional<JointType> known = joint_type_from_name(type);
  if (!known || k >= (speed ? info(*known).nv : info(*known).nq)) return 1;
  if (speed) return speed_turns(*known, k);
  const std::string_view unit = coordinate_unit(*known, k);
  return unit == "1" ? -1 : unit == "rad";
}

std::string joint_unit(const std::string& type, const std::string& number) {
  if (number.empty() || number.find_first_not_of("0123456789", 1) != std::string::npos) return "";
  const int k = number.size() > 1 ? number[1] - '0' : 0;
  if (number[0] == 'q' || number[0] == 'v') {
    const int angle = measures_angle(type, number[0] == 'v', k);
    if (angle < 0) return "";
    return std::string(angle ? "rad" : "m") + (number[0] == 'v' ? "/s" : "");
  }
  if (number[0] == 'f') return measures_angle(type, true, k) == 1 ? "N m" : "N";  // of `inverse`
  return "";
}

std::string body_unit(const std::string& number) {
  if (number == "x" || number == "y" || number == "z") return "m";
  if (number == "vx" || number == "vy" || number == "vz") return "m/s";
  if (number == "wx" || number == "wy" || number == "wz") return "rad/s";
  if (number == "fx" || number == "fy" || number == "fz") return "N";
  if (number == "tx" || number == "ty" || number == "tz") return "N m";
  if (number == "axial" || number == "shear") return "N";  // of cuts
  if (number == "torsion" || number == "bending") return "N m";
  if (number == "potential") return "J";
  if (number == "power" || number == "potential_rate") return "W";
  return "";
}

// Equations of a loop joint, translations first (docs/formulations.md, "Constraints").
std::vector<std::string> loop_rows(const std::string& type) {
  std::vector<std::string> rows;
  if (const std::optional<JointType> known = joint_type_from_name(type))
    for (const char unit : info(*known).rows) rows.push_back(unit == 'm' ? "m" : "rad");
  return rows;
}

}  // namespace

std::string unit_in_name(const std::string& column) {
  for (const auto& [open, close] : {std::pair{" [", ']'}, std::pair{" (", ')'}}) {
    const std::size_t at = column.rfind(open);
    if (at != std::string::npos && column.back() == close)
      return column.substr(at + 2, column.size() - at - 3);
  }
  return "";
}

ColumnUnits::ColumnUnits(const nlohmann::json& model) {
  known_ = model.is_object();
  mechanism_ = model.is_object() && model.contains("bodies");
  if (!mechanism_ || !model.contains("joints")) return;
  for (const auto& joint : model["joints"])
    if (joint.is_object()) joints_[joint.value("name", "")] = joint.value("type", "");
  read_rows(model);
}

// The columns of multipliers.csv and constraints.csv, named as the recorder of `run` names them.
void ColumnUnits::read_rows(const nlohmann::json& model) {
  if (model.contains("loops") && model["loops"].is_array())
    for (const auto& loop : model["loops"])
      if (loop.is_string()) rows_[loop] = loop_rows(joints_[loop]);
  if (!model.contains("constraints") || !model["constraints"].is_array()) return;
  for (const auto& constraint : model["constraints"]) {
    if (!constraint.is_object()) continue;
    const std::string type = constraint.value("type", "");
    const auto speed_unit = [&](const std::string& joint, int k) {
      const int angle = measures_angle(joints_[joint], true, k);
      return std::string(angle < 0 ? "" : angle ? "rad" : "m");
    };
    std::vector<std::string> rows(type == "rolling-disc" ? 3 : 1, "m");
    if (type == "drive" && constraint.contains("position")) {
      rows.clear();
      for (std::size_t k = 0; k < constraint["position"].size(); ++k)
        rows.push_back(speed_unit(constraint.value("joint", ""), static_cast<int>(k)));
    }
    if (type == "coupler" && constraint.contains("terms")) {
      rows[0] = "";  // factors may have units of their own: told where all terms have one
      for (const auto& term : constraint["terms"]) {
        const std::string one = speed_unit(term.value("joint", ""), term.value("component", 0));
        if (&term == &constraint["terms"][0]) rows[0] = one;
        if (rows[0] != one) rows[0] = "";
      }
    }
    const std::string name = constraint.value("name", "");
    rows_[rows_.count(name) ? "constraint " + name : name] = std::move(rows);
  }
}

// NAME.0: a multiplier; NAME.0.position, NAME.0.velocity: what is missing to zero.
std::string ColumnUnits::row_unit(const std::string& column) const {
  const bool position = column.ends_with(".position"), velocity = column.ends_with(".velocity");
  const std::string row = position || velocity ? column.substr(0, column.size() - 9) : column;
  const std::size_t dot = row.rfind('.');
  if (dot == std::string::npos || dot + 1 == row.size() || row.size() - dot > 4 ||
      row.find_first_not_of("0123456789", dot + 1) != std::string::npos)
    return "";
  const auto rows = rows_.find(row.substr(0, dot));
  const std::size_t k = std::stoul(row.substr(dot + 1));
  if (rows == rows_.end() || k >= rows->second.size() || rows->second[k].empty()) return "";
  const std::string& unit = rows->second[k];
  if (position) return unit;
  if (velocity) return unit + "/s";
  return unit == "m" ? "N" : "N m";
}

ColumnUnits ColumnUnits::of(const Model& model) {
  ColumnUnits units;
  units.known_ = true;
  units.mechanism_ = model.is_mechanism();
  for (const Joint& joint : model.joints) units.joints_[joint.name] = info(joint.type).name;
  return units;
}

ColumnUnits ColumnUnits::of_folder(const std::string& folder) {
  const auto read = [&](const char* name) {
    std::ifstream stream(std::filesystem::path(folder) / name);
    return nlohmann::json::parse(stream, nullptr, false);
  };
  ColumnUnits units(read("model.json"));
  const nlohmann::json named = read("units.json");
  if (!named.is_object()) return units;
  units.known_ = true;
  for (const auto& [column, unit] : named.items())
    if (unit.is_string()) units.named_[column] = unit;
  return units;
}

std::string ColumnUnits::json_for(const std::string& table) const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (mechanism_) json["t"] = "s";
  std::istringstream header(table.substr(0, table.find('\n')));
  for (std::string column; std::getline(header, column, ',');)
    if (const std::string known = unit(column); !known.empty()) json[column] = known;
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string ColumnUnits::unit(const std::string& column) const {
  if (const auto named = named_.find(column); named != named_.end()) return named->second;
  if (column == "t") return mechanism_ ? "s" : "";
  if (const std::string told = unit_in_name(column); !told.empty()) return told;
  if (!mechanism_) return "";
  if (column == "kinetic" || column == "potential" || column == "energy") return "J";
  if (column == "kinetic_rate" || column == "potential_rate" || column == "nonconservative" ||
      column == "residual" || column.ends_with("_power") || column == "power_residual")
    return "W";
  if (column == "constraint") return "m or rad";
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos) return "";
  if (const std::string of_row = row_unit(column); !of_row.empty()) return of_row;
  const auto joint = joints_.find(column.substr(0, dot));
  std::string number = column.substr(dot + 1);  // q1, or q[1] as expressions have it
  std::erase_if(number, [](char c) { return c == '[' || c == ']'; });
  const std::string unit = joint != joints_.end() ? joint_unit(joint->second, number) : "";
  return unit.empty() ? body_unit(number) : unit;
}

std::string ColumnUnits::with_unit(const std::string& column) const {
  return unit_in_name(column).empty() ? report::with_unit(column, unit(column)) : column;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

std::string picture_name(const std::string& table, const std::string& column) {
  if (table != "power.csv") return column;
  if (column == "constraint") return "constraint_power";
  if (column == "nonconservative") return "nonconservative_power";
  return column == "residual" ? "power_residual" : column;
}

}  // namespace cartan::report
