// Pieces of the descriptions of FMUs that FMI 2.0 and 3.0 share.
#pragma once

#include <map>
#include <string>

#include "results/code/fmu_model.h"

namespace cartan::results {

// Text in an attribute or between tags; what XML does not know becomes a space.
std::string xml_text(const std::string& text);
std::string attribute(const char* name, const std::string& value);  // none where it is empty
std::string number_attribute(const char* name, double value);

std::string unit_of_rate(const std::string& unit);
std::string unit_definitions(const FmuModel& fmu);
std::string log_categories();
std::string default_experiment(const FmuModel& fmu);

// What row `row` of two sparse matrices depends on, by (x, u, t) and by p (null: not looked at):
// value references, and whether the derivative is a number.
std::map<int, bool> dependencies_of(const FmuModel& fmu, const char* jacobian, const char* slopes,
                                    int row);
// dependencies=".." dependenciesKind="..", of value references plus `shift`.
std::string dependency_attributes(const std::map<int, bool>& found, int shift);

std::string fmu2_description(const FmuModel& fmu, const std::vector<std::string>& sources);

}  // namespace cartan::results
