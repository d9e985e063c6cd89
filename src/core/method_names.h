// The names of formulations and integrators, which model files use before there is any of them. The
// tables of formulations and of integrators, far above, are compared with these lists when they are
// compiled: a name that stands in one place only is an error there.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/folders.h"

namespace cartan::core {

inline constexpr std::array<std::string_view, 7> formulation_names = {
    "recursive",         "moving-frame", "absolute-se3", "absolute-so3r3",
    "rotation-elements", "canonical",    "generated"};

inline constexpr std::array<std::string_view, 19> known_integrators = {
    "gl1",         "gl2",
    "gl3",         "gl4",
    "gl5",         "gl6",
    "gl7",         "gl8",
    "rk4",         "rk45",
    "dop853",      "rkmk4",
    "rkmk45",      "generalized-alpha",
    "variational", "cvode",
    "ida",         "held-multipliers",
    "moreau"};

// Do the rows of a table have these names, each once, in any order?
template <class Names, class Table>
constexpr bool has_names(const Names& names, const Table& table) {
  std::size_t rows = 0;
  for (const auto& row : table) {
    ++rows;
    std::size_t found = 0;
    for (const std::string_view name : names) found += name == row.name;
    if (found != 1) return false;
  }
  return rows == names.size();
}

// As a list, for messages and suggestions.
template <class Names>
std::vector<std::string> list_of_names(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace cartan::core
