// The words of model files, from their tables in the code.
#pragma once

#include <set>
#include <string>

namespace cartan::test {

std::set<std::string> model_file_formulations();
std::set<std::string> model_file_integrators();
std::set<std::string> model_file_forces();
std::set<std::string> model_file_constraints();
std::set<std::string> model_file_measures();

}  // namespace cartan::test
