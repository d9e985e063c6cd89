// The mass matrix as a metric on changes of coordinates and speeds, without its n^2 entries: its
// diagonal, products with vectors in O(n), and the entries between a few speeds.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "mechanics/constraints/row_blocks.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

class Metric {
 public:
  virtual ~Metric() = default;
  virtual int size() const = 0;
  // M_ij for i, j in `speeds`, which ascend.
  virtual Eigen::MatrixXd part(const std::vector<int>& speeds) const = 0;
  virtual Eigen::VectorXd times(const Eigen::VectorXd& x) const = 0;
};

// M with rotors, made positive definite where no inertia is seen (driven bodies without mass), at
// the position in the workspace it is made with.
class MassMetric final : public Metric {
 public:
  MassMetric(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);
  // The same of a mechanism that is cut between links of different groups: each group moves its own
  // bodies alone, as if nothing stood on them. For `part` within a group.
  MassMetric(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
             const std::vector<int>& group);

  int size() const override { return static_cast<int>(phi_.size()); }
  Eigen::MatrixXd part(const std::vector<int>& speeds) const override;
  Eigen::VectorXd times(const Eigen::VectorXd& x) const override;
  const Eigen::VectorXd& diagonal() const { return diagonal_; }

 private:
  struct Body {  // about the origin of its link
    Sym3<double> J;
    Vec3<double> mc;
    double mass = 0;
  };
  struct Place {
    int parent, v0, nv;
    int inward;      // the parent, or world where it is of another group
    Vec3<double> r;  // from the parent's origin
  };
  struct Wrench {
    Vec3<double> n, f;
  };
  static Wrench calc_wrench(const Body& body, const Vec3<double>& turn, const Vec3<double>& slide);
  double along(int speed, const Wrench& w) const;
  void add_rotors(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

  std::vector<Place> links_;
  std::vector<Body> own_, composite_;  // per link; with all that it carries
  std::vector<int> link_of_;           // per speed
  std::vector<Vec3<double>> phi_, psi_;
  Eigen::VectorXd added_;  // rotors of tree joints and what makes M definite, on the diagonal
  SparseMatrix rotors_;    // of loop joints: M += rotors^T rotors
  Eigen::VectorXd diagonal_;
};

}  // namespace cartan::mechanics
