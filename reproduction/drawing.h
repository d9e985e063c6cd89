// Pieces of figures that several items share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/result_table.h"

namespace cartan::reproduction {

Chart figure_chart(const std::string& title, const std::string& x, const std::string& y);

ChartLine& add_line(Chart& chart, const std::string& name, const std::vector<double>& x,
                    const std::vector<double>& y);
ChartLine& add_points(Chart& chart, const std::string& name, const std::vector<double>& x,
                      const std::vector<double>& y);

std::vector<double> map_values(const std::vector<double>& values,
                               const std::function<double(double)>& f);
std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b);
double largest(const std::vector<double>& values);  // of the absolute values

// |u| - 1 of the quaternion of a spherical joint in trajectory.csv.
std::vector<double> unit_length_error(const ResultTable& table, const std::string& joint);
// (E - E0)/|E0| of trajectory.csv.
std::vector<double> relative_energy_error(const ResultTable& table);
std::vector<double> energy_change(const ResultTable& table);

// A value of a table at the row whose first column is nearest to t.
double value_near(const ResultTable& table, const std::string& name, double t);

}  // namespace cartan::reproduction
