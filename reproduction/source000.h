// Source 000: what its items share, and those of 3.2.3 to 3.3.
#pragma once

#include <string>
#include <vector>

#include "reproduction/workshop.h"

namespace cartan::reproduction {

inline const std::vector<std::string> four_joints = {"joint1", "joint2", "joint3", "joint4"};

// Figures of unit length and energy for one run.
void conservation_figures(Record& record, const Workshop::Run& run,
                          const std::vector<std::string>& joints, const std::string& what,
                          const std::string& method, bool energy = true);
// Largest deviation of a quaternion's length from one.
double worst_length(const Workshop::Run& run, const std::vector<std::string>& joints);

void four_link_gl3(Workshop& shop, Record& record);
void four_link_gl2(Workshop& shop, Record& record);
void four_link_rk45(Workshop& shop, Record& record);
void table_32(Workshop& shop, Record& record);
void step_length(Workshop& shop, Record& record);
void table_33(Workshop& shop, Record& record);

void heavy_top(Workshop& shop, Record& record);
void torsion(Workshop& shop, Record& record);
void sixteen_links(Workshop& shop, Record& record);
void spring_damper(Workshop& shop, Record& record);
void coiled(Workshop& shop, Record& record);

// Appendix A.2.1.
void symbolic_B(Workshop& shop, Record& record);

}  // namespace cartan::reproduction
