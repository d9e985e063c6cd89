// Branches as JSON, tables and a picture.
#pragma once

#include "results/json_values.h"
#include "results/orbits/branch_search.h"

namespace cartan::results {

// What is shown over the parameter: what was asked for, or the number of the state that changes
// most.
struct ShownQuantity {
  std::string label;                        // with its unit where that is known
  std::vector<std::vector<double>> values;  // per branch and sample
  std::vector<double> at_bifurcations;
};
ShownQuantity choose_shown(const BranchDiagram& diagram);

Json branches_json(const BranchDiagram& diagram);
Json bifurcations_json(const BranchDiagram& diagram);
std::string branch_table(const BranchDiagram& diagram);  // branch.csv
std::string branch_picture(const BranchDiagram& diagram, const ShownQuantity& shown);
// "Hopf (supercritical)"
std::string describe(const FoundBifurcation& found);
// "first Lyapunov coefficient -0.012, ..", "" where there is none; and as JSON.
std::string describe_form(const NormalForm& form);
Json normal_form_json(const NormalForm& form);
// The real part, or the logarithm of the multiplier, that is largest.
double growth_of(const Spectrum& spectrum);

// branch.csv, units.json, bifurcations.json and branch.svg, in a folder.
void write_branches(const BranchDiagram& diagram, const ShownQuantity& shown,
                    const std::string& folder, bool force);

}  // namespace cartan::results
