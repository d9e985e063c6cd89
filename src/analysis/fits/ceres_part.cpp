// Calls what analysis/fits/ceres/minimiser.cpp does, in the shared library of its own.
#include <cassert>

#include "analysis/fits/ceres/minimiser.h"
#include "core/part_library.h"

namespace cartan::analysis {
namespace {

using Minimise = decltype(&cartan_minimise_with_ceres);

Minimise find_minimiser() {
  static const Minimise found = [] {
    Minimise function = nullptr;
    load_part("ceres").find("cartan_minimise_with_ceres", function);
    return function;
  }();
  return found;
}

}  // namespace

std::string find_missing_minimiser() {
  return find_minimiser() ? "" : explain_missing_part("ceres");
}

PlainSummary minimise_with_ceres(const PlainSquares& problem, double* u) {
  assert(find_minimiser());
  PlainSummary summary;
  find_minimiser()(&problem, u, &summary);
  return summary;
}

}  // namespace cartan::analysis
