// A comparison as text, JSON and CSV.
#pragma once

#include <string>

#include "results/compare/comparison.h"

namespace cartan::results {

std::string comparison_text(const Comparison& comparison, bool mechanism);
std::string comparison_json(const Model& model, const ComparisonPlan& plan,
                            const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);

}  // namespace cartan::results
