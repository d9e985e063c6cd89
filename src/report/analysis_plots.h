// Charts of tables that analyses write.
#pragma once

#include <string>
#include <vector>

#include "report/column_units.h"
#include "report/plots.h"
#include "report/result_table.h"

namespace cartan::report {

enum class TableKind { plain, sweep, eigenvalues, branch, comparison, search, section, residuals };

// By the names of its columns.
TableKind kind_of_table(const ResultTable& table);

// Eigenvalues over a parameter (`linearize --sweep`), or in the plane of complex numbers.
std::vector<NamedChart> draw_sweep(const ResultTable& table, const ColumnUnits& units);
std::vector<NamedChart> draw_eigenvalues(const ResultTable& table, const ColumnUnits& units);
// A bifurcation diagram for every quantity, stable branches solid; `folder` may hold
// bifurcations.json. And the growth along it.
std::vector<NamedChart> draw_branches(const ResultTable& table, const std::string& folder,
                                      const ColumnUnits& units,
                                      const std::vector<std::string>& quantities);
// Work-precision diagrams of `compare --csv`.
std::vector<NamedChart> draw_comparison(const ResultTable& table);
// The residual of `equilibrium --search` over two initial values.
std::vector<NamedChart> draw_search(const ResultTable& table, const ColumnUnits& units);
// Crossings of a section, of `lyapunov --section`.
std::vector<NamedChart> draw_section(const ResultTable& table, const ColumnUnits& units,
                                     const std::vector<std::string>& quantities);
// Measured, before and after of `fit`.
std::vector<NamedChart> draw_residuals(const ResultTable& table);

}  // namespace cartan::report
