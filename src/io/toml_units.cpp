#include "io/toml_units.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace cartan::io {
namespace {

struct Unit {
  double factor;
  Dimension dimension;
};

const std::map<std::string, Unit>& unit_table() {
  constexpr Dimension length{1, 0, 0, 0}, mass{0, 1, 0, 0}, time{0, 0, 1, 0}, angle{0, 0, 0, 1},
      force{1, 1, -2, 0}, energy{2, 1, -2, 0}, power{2, 1, -3, 0}, pressure{-1, 1, -2, 0},
      turning{0, 0, -1, 1}, rate{0, 0, -1, 0};
  static const std::map<std::string, Unit> table = {{"m", {1, length}},
                                                    {"km", {1e3, length}},
                                                    {"cm", {1e-2, length}},
                                                    {"mm", {1e-3, length}},
                                                    {"um", {1e-6, length}},
                                                    {"kg", {1, mass}},
                                                    {"g", {1e-3, mass}},
                                                    {"t", {1e3, mass}},
                                                    {"s", {1, time}},
                                                    {"ms", {1e-3, time}},
                                                    {"min", {60, time}},
                                                    {"h", {3600, time}},
                                                    {"rad", {1, angle}},
                                                    {"deg", {M_PI / 180, angle}},
                                                    {"turn", {2 * M_PI, angle}},
                                                    {"N", {1, force}},
                                                    {"kN", {1e3, force}},
                                                    {"Nm", {1, energy}},
                                                    {"J", {1, energy}},
                                                    {"W", {1, power}},
                                                    {"kW", {1e3, power}},
                                                    {"Pa", {1, pressure}},
                                                    {"kPa", {1e3, pressure}},
                                                    {"MPa", {1e6, pressure}},
                                                    {"bar", {1e5, pressure}},
                                                    {"rpm", {M_PI / 30, turning}},
                                                    {"Hz", {1, rate}}};
  return table;
}

void multiply(QuantityText& quantity, const Unit& unit, int power) {
  quantity.value *= std::pow(unit.factor, power);
  quantity.dimension.m += power * unit.dimension.m;
  quantity.dimension.kg += power * unit.dimension.kg;
  quantity.dimension.s += power * unit.dimension.s;
  quantity.dimension.rad += power * unit.dimension.rad;
}

// "kg m^2", "N m/rad", "m/s^2": what stands behind a slash divides, up to the next blank or star.
void read_unit(const std::string& text, QuantityText& quantity) {
  std::size_t i = 0;
  bool divides = false;
  while (i < text.size()) {
    const char c = text[i];
    if (c == ' ' || c == '*' || c == '/') {
      divides = c == '/' || (c == ' ' && divides && text[i - 1] == '/');
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
    const std::string name = text.substr(i, end - i);
    const auto known = unit_table().find(name);
    if (known == unit_table().end()) {
      quantity.problem = fmt::format(
          "unknown unit '{}'; known are m, mm, kg, g, s, min, rad, deg, N, Nm, J, W, Pa, bar, rpm, "
          "Hz and products of them (kg m^2, N m/rad, m/s^2)",
          name.empty() ? text.substr(i, 1) : name);
      return;
    }
    int power = 1;
    if (end < text.size() && text[end] == '^') {
      const auto [stop, error] =
          std::from_chars(text.data() + end + 1, text.data() + text.size(), power);
      if (error != std::errc() || std::abs(power) > 9) {
        quantity.problem = "the power of unit '" + name + "' is no small whole number";
        return;
      }
      end = static_cast<std::size_t>(stop - text.data());
    }
    multiply(quantity, known->second, divides ? -power : power);
    divides = false;
    i = end;
  }
}

std::string dimension_text(const Dimension& d) {
  std::string above, below;
  const auto add = [&](const char* name, int power) {
    if (power == 0) return;
    std::string& side = power > 0 ? above : below;
    side += (side.empty() ? "" : " ") + std::string(name) +
            (std::abs(power) > 1 ? fmt::format("^{}", std::abs(power)) : "");
  };
  add("kg", d.kg), add("m", d.m), add("rad", d.rad), add("s", d.s);
  if (above.empty() && below.empty()) return "1";
  return (above.empty() ? "1" : above) + (below.empty() ? ""
                                          : below.find(' ') == std::string::npos
                                              ? "/" + below
                                              : "/(" + below + ")");
}

// Moments are per radian or not, as people write them.
bool fits_dimension(const Dimension& a, const Dimension& b) {
  const bool same = a.m == b.m && a.kg == b.kg && a.s == b.s;
  return same && (a.rad == b.rad || a.m != 0 || a.kg != 0);
}

// ---------------------------------------------------------------------- which key has which

using Dimensions = std::vector<Dimension>;

constexpr Dimension metre{1, 0, 0, 0}, kilogram{0, 1, 0, 0}, one_second{0, 0, 1, 0},
    radian{0, 0, 0, 1}, moment_of_inertia{2, 1, 0, 0}, newton{1, 1, -2, 0},
    newton_metre{2, 1, -2, 0};

// Where a quantity stands: [[section]] of a type, key, place in a list.
struct UnitPlace {
  std::string section, type, key;
  std::size_t index = 0;
  bool any = false;  // values of parameters
};

// Of the coordinates of a joint.
std::optional<Dimension> coordinate_dimension(const UnitPlace& at) {
  const std::string& type = at.type;
  if (type == "revolute" || type == "screw" || type == "universal") return radian;
  if (type == "prismatic" || type == "translation") return metre;
  if (type == "cylindrical") return at.index == 0 ? radian : metre;
  if (type == "planar") return at.index == 2 ? radian : metre;
  if (type == "spherical" || type == "ellipsoidal") return radian;
  if (type == "free") return at.index < 3 ? radian : metre;
  return std::nullopt;
}

Dimension per_second(Dimension d, int times = 1) {
  d.s -= times;
  return d;
}

Dimensions joint_dimensions(const UnitPlace& at) {
  const std::optional<Dimension> q = coordinate_dimension(at);
  if (at.key == "velocity" && q) return {per_second(*q)};
  if ((at.key == "position" || at.key == "lower" || at.key == "upper") && q) return {*q};
  if (at.key == "pitch" || at.key == "radii") return {metre};
  if (at.key == "inertia" && q) return {*q == metre ? kilogram : moment_of_inertia};
  return {};
}

Dimensions force_dimensions(const UnitPlace& at) {
  if (at.key == "stiffness") return {{0, 1, -2, 0}, newton_metre};
  if (at.key == "damping" || at.key == "viscous") return {{0, 1, -1, 0}, {2, 1, -1, 0}};
  if (at.key == "force") return {newton};
  if (at.key == "torque") return {newton_metre};
  if (at.key == "coulomb") return {newton, newton_metre};
  if (at.key == "rest") return {radian, metre};
  if (at.key == "medium") return {{1, 0, -1, 0}};
  if (at.key == "coefficient") return {{-1, 1, 0, 0}};
  return {};
}

// Nothing: no unit can stand there.
std::optional<Dimensions> dimensions_of(const UnitPlace& at) {
  if (at.any || at.section == "parameters" || at.section == "inputs" ||
      (at.section == "variables" && at.key == "initial"))
    return Dimensions{};  // any
  Dimensions own;
  if (at.section == "joint") own = joint_dimensions(at);
  if (at.section == "force") own = force_dimensions(at);
  if (at.section == "constraint" && at.key == "offset") own = {radian, metre};
  if (!own.empty()) return own;
  static const std::map<std::string, Dimension> common = {{"at", metre},
                                                          {"com", metre},
                                                          {"length", metre},
                                                          {"radius", metre},
                                                          {"center", metre},
                                                          {"point", metre},
                                                          {"box", metre},
                                                          {"cylinder", metre},
                                                          {"tube", metre},
                                                          {"sphere", metre},
                                                          {"capsule", metre},
                                                          {"ellipsoid", metre},
                                                          {"mass", kilogram},
                                                          {"inertia", moment_of_inertia},
                                                          {"density", {-3, 1, 0, 0}},
                                                          {"angle", radian},
                                                          {"rpy", radian},
                                                          {"gravity", {1, 0, -2, 0}},
                                                          {"duration", one_second},
                                                          {"step", one_second}};
  const auto known = common.find(at.key);
  if (known == common.end()) return std::nullopt;
  return Dimensions{known->second};
}

class UnitReader {
 public:
  explicit UnitReader(Diagnostics& problems) : problems_(problems) {}

  void walk(TomlNode& node, UnitPlace at) {
    switch (node.kind) {
      case TomlNode::Kind::text:
        return convert(node, at);
      case TomlNode::Kind::array:
        for (std::size_t k = 0; k < node.items.size(); ++k) {
          at.index = k;
          walk(node.items[k], at);
        }
        return;
      case TomlNode::Kind::table:
        for (const TomlEntry& entry : node.entries)
          if (entry.key == "type" && entry.value.is(TomlNode::Kind::text))
            at.type = entry.value.text;
        for (TomlEntry& entry : node.entries) {
          UnitPlace inner = at;
          inner.key = entry.key;
          if (at.section.empty()) inner.section = entry.key;
          inner.any = at.any || (at.section == "part" && entry.key == "set");
          walk(entry.value, inner);
        }
        return;
      default:
        return;
    }
  }

 private:
  void convert(TomlNode& node, const UnitPlace& at) {
    const QuantityText quantity = read_quantity(node.text);
    if (!quantity.given) return;
    const std::optional<Dimensions> allowed = dimensions_of(at);
    if (!allowed && is_word(at)) return;
    if (!quantity.problem.empty()) {
      problems_.error(node.where, "'" + node.text + "': " + quantity.problem);
    } else if (!allowed) {
      problems_.error(node.where, "'" + node.text + "': no unit can stand at '" + at.key +
                                      "'; expected a number or an expression");
    } else if (!allowed->empty() &&
               std::none_of(allowed->begin(), allowed->end(),
                            [&](const auto& d) { return fits_dimension(quantity.dimension, d); })) {
      std::string expected;
      for (const Dimension& d : *allowed)
        expected += (expected.empty() ? "" : " or ") + dimension_text(d);
      problems_.error(node.where,
                      fmt::format("'{}' is in {}, but '{}' is in {}", node.text,
                                  dimension_text(quantity.dimension), at.key, expected));
    }
    node.kind = TomlNode::Kind::number;
    node.number = quantity.value;
    node.whole = false;
    node.text.clear();
  }
  // Names and other words may look like a quantity: "2 legs".
  static bool is_word(const UnitPlace& at) {
    for (const char* key :
         {"name", "body", "joint", "on", "color", "file", "mesh", "frame", "group", "type",
          "measure", "law", "action", "source", "library", "gravity_frame", "bodies", "terms"})
      if (at.key == key) return true;
    return at.section == "name" || at.section == "functions" || at.section == "equations";
  }

  Diagnostics& problems_;
};

}  // namespace

QuantityText read_quantity(const std::string& text) {
  QuantityText quantity;
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return quantity;
  const char* first = text.data() + begin + (text[begin] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), quantity.value);
  const std::size_t blank = static_cast<std::size_t>(end - text.data());
  const std::size_t unit = std::min(text.find_first_not_of(' ', blank), text.size());
  if (error != std::errc() || unit == blank || unit == text.size() ||
      !std::isalpha(static_cast<unsigned char>(text[unit])) || !std::isfinite(quantity.value))
    return quantity;
  quantity.given = true;
  std::size_t last = text.find_last_not_of(' ');
  read_unit(text.substr(unit, last + 1 - unit), quantity);
  return quantity;
}

void apply_units(TomlNode& root, Diagnostics& problems) {
  UnitReader(problems).walk(root, {});
}

}  // namespace cartan::io
