// What the derivatives of accelerations (motion_slopes.h) need to know of a mechanism once: its
// speeds in depth-first order, which of them carry a link, what every force and constraint reads.
#pragma once

#include <vector>

#include "mechanics/machine/law_reach.h"
#include "mechanics/tree/tree_report.h"

namespace cartan::mechanics {

// A link in depth-first order. Its speeds have the places p0 ... p0 + nv - 1.
struct SlopeLink {
  int link = 0;     // in the mechanism
  int parent = -1;  // in depth-first order
  int p0 = 0, nv = 0;
  bool varying = false;  // its columns, in its own axes, depend on its coordinates
};

// A force, a constraint or the rate of a variable, as a function of what it reads.
struct LocalLaw : LawReach {
  enum class Kind { force, variable, loop, constraint };
  Kind kind = Kind::force;
  int index = 0;
  std::vector<int> scalars;       // rows of rates beside the speeds: of variables, of powers
  bool has_joint_slopes = false;  // a force within one joint (forces/joint_slopes.h)
  // loops and constraints
  int row0 = 0, rows = 0;
  std::size_t source0 = 0;  // two per row
  bool a_first = true;      // a is the first side of a row
};

// A drive of a tree joint: its multiplier is what the joint transmits, and does work.
struct DrivenSpeed {
  int place = 0;
  int row = 0;               // of the mechanism
  std::vector<int> scalars;  // rows of powers
};

struct SlopePlan {
  std::vector<SlopeLink> links;
  std::vector<int> position;            // link of the mechanism -> here
  std::vector<int> speed, place;        // place -> speed, and back
  std::vector<int> link_of_place;       // of the mechanism
  std::vector<std::vector<int>> paths;  // per link of the mechanism: places on its path, own last
  std::vector<LocalLaw> laws;
  std::vector<DrivenSpeed> drives;
  std::vector<int> read_links;  // links of the mechanism that laws read; all but loop joints
  std::vector<int> radial;      // links whose quaternion is read as four numbers
  int nv = 0, nz = 0, quadratures = 0;

  // Columns: by displacement and by speed of each place side by side, then the others.
  static int by_q(int place) { return 2 * place; }
  static int by_v(int place) { return 2 * place + 1; }
  int by_z() const { return 2 * nv; }
  int by_radius() const { return 2 * nv + nz; }
  int columns() const { return by_radius() + static_cast<int>(radial.size()); }
  int scalars() const { return nz + quadratures; }
};

// False: something of this mechanism is left to dual numbers (friction with bearings, forces in
// loop joints and drives of them, expressions over energies, gravity that varies).
bool make_slope_plan(const Mechanism<double>& mechanism, const WorkSplit& work, SlopePlan& plan);

}  // namespace cartan::mechanics
