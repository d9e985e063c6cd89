// Branches as text, JSON, tables and a picture.
#pragma once

#include "cli/branch_search.h"
#include "cli/json_values.h"

namespace cartan {

// What is shown over the parameter: an expression, or ("") the number of the state that changes
// most. Nothing after a complaint.
struct ShownQuantity {
  std::string label;                        // with its unit where that is known
  std::vector<std::vector<double>> values;  // per branch and sample
  std::vector<double> at_bifurcations;
};
std::optional<ShownQuantity> choose_shown(const BranchDiagram& diagram, const std::string& text);

void print_branches(const BranchDiagram& diagram, const ShownQuantity& shown);
Json branches_json(const BranchDiagram& diagram);
Json bifurcations_json(const BranchDiagram& diagram);
std::string branch_table(const BranchDiagram& diagram);  // branch.csv
std::string branch_picture(const BranchDiagram& diagram, const ShownQuantity& shown);

}  // namespace cartan
