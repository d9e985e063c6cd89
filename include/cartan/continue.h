// Branches of steady motions or orbits along a parameter: `cartan continue`.
//
//   const cartan::Model model = cartan::load_text(
//       "name = 'pitchfork'\n[parameters]\np = -1\n"
//       "[variables]\nx = { initial = 0, rate = 'p*x - x^3' }\n");
//   const cartan::Branches branches =
//       cartan::follow(model, {.parameter = "p", .from = -1, .to = 1, .switch_branches = true});
//   for (const cartan::BifurcationPoint& point : branches.bifurcations)
//     std::printf("%s at %g\n", point.kind.c_str(), point.parameter);
#pragma once

#include <complex>

#include <cartan/model.h>

namespace cartan::api {

// One steady motion or orbit of a branch.
struct BranchPoint {
  int branch = 1;  // from 1
  double parameter = 0;
  State state;
  std::vector<std::complex<double>> eigenvalues;  // of orbits: multipliers
  bool stable = false;
  int unstable = 0;   // how many directions
  double period = 0;  // of orbits
  double shown = 0;   // the quantity `show`, or the number of the state that changes most
};

// Where stability changes or branches meet.
struct BifurcationPoint {
  std::string kind;  // "fold", "branch point", "Hopf", ..
  int branch = 1;
  double parameter = 0;
  State state;
  std::string criticality;  // of Hopf points, pitchforks and period doublings
};

// How a branch came about and ended.
struct BranchEnd {
  bool orbits = false;
  std::string origin;  // "" for the first
  bool reached = false;
  std::string end;
};

// All branches of a continuation.
struct Branches {
  std::vector<BranchPoint> points;  // branch by branch
  std::vector<BifurcationPoint> bifurcations;
  std::vector<BranchEnd> branches;
  std::vector<std::string> held, not_held, notes;
  std::string shown;    // what BranchPoint::shown is
  std::string csv;      // branch.csv
  std::string picture;  // branch.svg
  std::string json;     // as `cartan continue --json` prints it
};

// Follows a branch (`continue` is a word of C++).
CARTAN_API Branches follow(const Model& model, const ContinueOptions& options);

}  // namespace cartan::api
