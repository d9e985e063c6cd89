// An impact as a map of the speeds, over any scalar: v+ = v- + M^-1 J^T P(v-).
//
// P solves equations that are smooth as long as every contact keeps its state (open, sticking,
// slipping): F(P; A, b) = 0 with A = J M^-1 J^T and b = J v-. The states and P are found in plain
// numbers (ContactEvents); here dP = -F_P^-1 dF follows with dF from A and b over dual numbers, and
// is exact. Poisson's law has two such problems, one after the other.
#pragma once

#include <vector>

#include "mechanics/contacts/contact_problem.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

struct ImpactPhase {
  ContactProblem problem;
  ContactSolution solution;
};

struct ImpactRecord {
  std::vector<int> touching;        // contacts of the mechanism
  std::vector<ImpactPhase> phases;  // one, or with Poisson's law compression and expansion
};

// Speeds v at time t and positions q become those after the impact. ws.mode: rows of loops and
// constraints; contacts are set here.
void apply_impact(const Mechanism<Dual4>& mechanism, const Dual4& t, const Dual4* q, Dual4* v,
                  const ImpactRecord& impact, MotionWorkspace<Dual4>& ws);

}  // namespace cartan::mechanics
