// Newton's method back to the constraints, with written values held (assembly.h).
#pragma once

#include <optional>
#include <vector>

#include "mechanics/assembly/least_change.h"
#include "mechanics/assembly/written_values.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

class Assembler {
 public:
  // `written` must outlive the assembler.
  Assembler(const Mechanism<double>& mechanism, double t, const WrittenStart& written,
            MotionWorkspace<double>& ws);

  // Positions. True when all gaps are closed; ws is at q then, and otherwise at the best one found.
  bool close(std::vector<double>& q);
  // Speeds. True when they satisfy all rows.
  bool move(std::vector<double>& q, std::vector<double>& v);
  WrittenValues& values() { return values_; }

  // Newton alone, for positions close by: with the rows chosen, then with all.
  bool project(std::vector<double>& q);
  // d without what the chosen rows on positions forbid at q.
  Eigen::VectorXd calc_allowed(const std::vector<double>& q, const Eigen::VectorXd& d);
  // Independent rows on positions, for the closed recursion.
  void choose_rows(const std::vector<double>& q);
  void place(const std::vector<double>& q);

 private:
  bool find_closed(std::vector<double>& q);
  bool try_others(std::vector<double>& q);
  void hold(std::vector<double>& q);
  bool reach(std::vector<double>& q, const std::vector<double>& guessed);
  void hold_one_by_one(std::vector<double>& q);
  bool approach(std::vector<double>& q);
  bool newton(std::vector<double>& q);
  void refine(std::vector<double>& q);
  void follow_loop_values(std::vector<double>& q);

  bool dense() const { return all_rows_ || !held_.empty(); }
  ChangeEquations equations();
  Eigen::VectorXd calc_step();
  Eigen::VectorXd calc_shortest(const std::vector<double>& q, const Eigen::VectorXd& e);
  Eigen::VectorXd residual();
  Eigen::VectorXd change_from_start(const std::vector<double>& q) const;
  std::vector<int> free_positions(const std::vector<int>& candidates);
  bool loops_as_written();
  bool at_goal();
  double gap();
  double goal() const;
  void step(const Eigen::VectorXd& d, double factor, std::vector<double>& q) const;
  void place_driven(std::vector<double>& q, std::vector<double>& v);

  const Mechanism<double>& mechanism_;
  const double t_;
  MotionWorkspace<double>& ws_;
  WrittenValues values_;
  std::vector<double> still_, start_;
  std::vector<int> holonomic_;
  bool all_rows_ = false;   // in use: all rows, whatever their rank
  std::vector<int> held_;   // written positions that are held
  Eigen::VectorXd offset_;  // of the held values from what they are to become, while approaching
};

}  // namespace cartan::mechanics
