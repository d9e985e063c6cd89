// The frame of reports: one HTML file with its style inside, nothing from outside.
#pragma once

#include <string>

#include "report/chart.h"

namespace cartan::report {

std::string html_page(const std::string& title, const std::string& body);

// A chart with its caption.
std::string html_figure(const Chart& chart, const std::string& caption);

}  // namespace cartan::report
