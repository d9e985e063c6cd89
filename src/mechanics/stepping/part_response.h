// What impulses do to speeds, part by part: C with C C^T = K, K = M^-1 - M^-1 G^T (G M^-1 G^T)^-1
// G M^-1 the inverse mass matrix with the constraints G v = b kept. With M = L L^T and Z the
// directions that G L^-T does not see, orthonormal, C = L^-T Z. A part is what trees and
// constraints tie together; parts do not act on each other.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

struct SpeedParts {
  std::vector<int> of_link;      // part of every link
  std::vector<int> place;        // per speed: where it stands when parts stand together
  std::vector<int> order;        // the other way round; -1 behind a part, up to a multiple of four
  std::vector<int> first, size;  // per part: its first place, its speeds
  std::vector<std::vector<int>> links, rows;  // per part
  int count() const { return static_cast<int>(links.size()); }
};

SpeedParts find_speed_parts(const Mechanism<double>& mechanism);

class PartResponse {
 public:
  // C of all parts at the state in ws (fill_kinematics, fill_columns); only those of `wanted`.
  // "" or whose motion meets no inertia.
  std::string fill(const Mechanism<double>& mechanism, const SpeedParts& parts,
                   MotionWorkspace<double>& ws, const std::vector<char>& wanted);
  // C of a part; it has at most as many columns as rows.
  const Eigen::MatrixXd& operator[](int part) const { return C_[part]; }

 private:
  void fill_mass(const Mechanism<double>& mechanism, const SpeedParts& parts, int part,
                 const MotionWorkspace<double>& ws);
  void fill_rows(const Mechanism<double>& mechanism, const SpeedParts& parts, int part,
                 const MotionWorkspace<double>& ws, const std::vector<int>& rows);
  std::vector<Eigen::MatrixXd> C_;
  std::vector<char> constant_;  // C never changes
  Eigen::MatrixXd M_, G_;
};

// Adds to `row` (of the speeds of the link's part) the motion of a link's point as seen along a
// wrench (n, f) about the link's origin, world axes.
void add_to_row(const Mechanism<double>& mechanism, const SpeedParts& parts,
                const MotionWorkspace<double>& ws, int link, Vec3<double> n, const Vec3<double>& f,
                double* row);

}  // namespace cartan::mechanics
