// Quantities with units in model files: "0.4 m", "30 deg", "3000 rpm", "7 N m/rad". They become
// numbers in SI units and radians before anything else is read.
#pragma once

#include <string>

#include "io/toml_tree.h"

namespace cartan::io {

// What is written beside a number: powers of metre, kilogram, second, radian.
struct Dimension {
  int m = 0, kg = 0, s = 0, rad = 0;
  bool operator==(const Dimension&) const = default;
};

struct QuantityText {
  bool given = false;  // the text is a number, a blank and letters, which no expression is
  double value = 0;    // in SI units
  Dimension dimension;
  std::string problem;  // an unknown unit
};
QuantityText read_quantity(const std::string& text);

// Replaces every quantity of a model file by its number. Complains where its dimension does not fit
// the key, and where no unit can stand.
void apply_units(TomlNode& root, Diagnostics& problems);

}  // namespace cartan::io
