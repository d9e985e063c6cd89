// Branches as text, JSON, tables and a picture.
#pragma once

#include "results/json_values.h"
#include "results/steady/branch_search.h"

namespace cartan {

// What is shown over the parameter: what was asked for, or the number of the state that changes
// most.
struct ShownQuantity {
  std::string label;                        // with its unit where that is known
  std::vector<std::vector<double>> values;  // per branch and sample
  std::vector<double> at_bifurcations;
};
ShownQuantity choose_shown(const BranchDiagram& diagram);

void print_branches(const BranchDiagram& diagram, const ShownQuantity& shown);
Json branches_json(const BranchDiagram& diagram);
Json bifurcations_json(const BranchDiagram& diagram);
std::string branch_table(const BranchDiagram& diagram);  // branch.csv
std::string branch_picture(const BranchDiagram& diagram, const ShownQuantity& shown);

}  // namespace cartan
