#include "report/column_units.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/model.h"

namespace cartan {
namespace {

// Number `k` of a joint's coordinates or speeds: is it an angle? -1: neither angle nor length.
int is_angle(const std::string& type, bool speed, int k) {
  if (type == "prismatic" || type == "translation") return 0;
  if (type == "cylindrical") return k == 0;
  if (type == "planar") return k == 2;
  if (type == "spherical") return speed ? 1 : -1;
  if (type == "free") return speed ? k < 3 : k < 4 ? -1 : 0;
  return 1;
}

std::string joint_unit(const std::string& type, const std::string& number) {
  if (number.empty() || number.find_first_not_of("0123456789", 1) != std::string::npos) return "";
  const int k = number.size() > 1 ? number[1] - '0' : 0;
  if (number[0] == 'q' || number[0] == 'v') {
    const int angle = is_angle(type, number[0] == 'v', k);
    if (angle < 0) return "";
    return std::string(angle ? "rad" : "m") + (number[0] == 'v' ? "/s" : "");
  }
  if (number[0] == 'f') return is_angle(type, true, k) == 1 ? "N m" : "N";  // of `inverse`
  return "";
}

std::string body_unit(const std::string& number) {
  if (number == "x" || number == "y" || number == "z") return "m";
  if (number == "vx" || number == "vy" || number == "vz") return "m/s";
  if (number == "wx" || number == "wy" || number == "wz") return "rad/s";
  if (number == "fx" || number == "fy" || number == "fz") return "N";
  if (number == "tx" || number == "ty" || number == "tz") return "N m";
  if (number == "potential") return "J";
  if (number == "power" || number == "potential_rate") return "W";
  return "";
}

}  // namespace

ColumnUnits::ColumnUnits(const nlohmann::json& model) {
  known_ = model.is_object();
  mechanism_ = model.is_object() && model.contains("bodies");
  if (!mechanism_ || !model.contains("joints")) return;
  for (const auto& joint : model["joints"])
    if (joint.is_object()) joints_[joint.value("name", "")] = joint.value("type", "");
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
  if (!mechanism_) return "";
  if (column == "kinetic" || column == "potential" || column == "energy") return "J";
  if (column == "kinetic_rate" || column == "potential_rate" || column == "nonconservative" ||
      column == "residual" || column.ends_with("_power") || column == "power_residual")
    return "W";
  if (column == "constraint") return "m or rad";
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos) return "";
  const auto joint = joints_.find(column.substr(0, dot));
  std::string number = column.substr(dot + 1);  // q1, or q[1] as expressions have it
  std::erase_if(number, [](char c) { return c == '[' || c == ']'; });
  const std::string unit = joint != joints_.end() ? joint_unit(joint->second, number) : "";
  return unit.empty() ? body_unit(number) : unit;
}

std::string ColumnUnits::with_unit(const std::string& column) const {
  return cartan::with_unit(column, unit(column));
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

}  // namespace cartan
