// What the charts of analyses share.
#pragma once

#include "report/column_units.h"
#include "report/plots.h"
#include "report/result_table.h"

namespace cartan::report {

// Largest less smallest finite value.
double range_of(const std::vector<double>& values);

// Eigenvalues come sorted, so that a column jumps from one to the other where curves cross: dots.
ChartLine dots(const ResultTable& table, int x, int y, int colour, const std::string& name);

// A chart over the first column with a dashed line at zero.
Chart zero_line_chart(const ResultTable& table, const std::string& title, const std::string& y);

// "real part [1/s]"; without unit where the time of the model has none ([variables]).
std::string rate_label(const std::string& name, const char* amount, const ColumnUnits& units);

}  // namespace cartan::report
