// Newton's method back to the constraints, with written values held (assembly.h).
//
// Rows in blocks that share no coordinate are equations of their own: each block has its own
// residual, its own share of a step, and is closed or not by itself (assembler_newton.cpp). Within
// a block a step is the shortest that its own bodies allow; the change of the whole is made the
// least one afterwards (refine). With the least change of the whole in every step, a ladder of
// loops would turn each by many times what closes it, so that little is moved that much stands on.
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
  void refine(std::vector<double>& q);
  void follow_loop_values(std::vector<double>& q);

  static constexpr double largest_turn = 0.4;  // of a coordinate in one step

  // A block of rows on positions and held values.
  struct Cell {
    RowBlock at;
    double size = 0, violation = 0;  // of its rows: length, largest of those on positions
    double factor = 0;               // of the step
    bool tried = false;              // the factor is still looked for
    bool done = false;               // nothing gets better any more
  };
  bool newton(std::vector<double>& q);
  std::vector<Cell> find_cells();
  void measure(const Eigen::VectorXd& residual, Cell& cell) const;
  bool improve(const Eigen::VectorXd& d, std::vector<Cell>& cells, std::vector<double>& q);
  void judge(const Eigen::VectorXd& residual, double goal, Cell& cell) const;
  void note_open(const std::vector<Cell>& cells);
  bool is_open(const Link<double>& link) const;

  bool every_row() const { return all_rows_ || !held_.empty(); }
  ChangeEquations equations();
  Eigen::VectorXd calc_step(const std::vector<Cell>& cells);
  std::vector<int> group_links(const std::vector<Cell>& cells) const;
  Eigen::VectorXd calc_shortest(const std::vector<double>& q, const Eigen::VectorXd& e);
  Eigen::VectorXd residual();
  Eigen::VectorXd change_from_start(const std::vector<double>& q) const;
  std::vector<int> free_positions(const std::vector<int>& candidates);
  bool loops_as_written();
  bool at_goal();
  double gap();
  double goal() const;
  void step(const Eigen::VectorXd& d, std::vector<double>& q) const;
  bool is_reached(int held, double off) const;
  void place_driven(std::vector<double>& q, std::vector<double>& v);

  const Mechanism<double>& mechanism_;
  const double t_;
  MotionWorkspace<double>& ws_;
  WrittenValues values_;
  std::vector<double> still_, start_;
  std::vector<int> holonomic_;
  bool all_rows_ = false;   // in use: all rows, whatever their rank
  std::vector<char> open_;  // per speed: its block was not closed by Newton's method
  std::vector<int> held_;   // written positions that are held
  Eigen::VectorXd offset_;  // of the held values from what they are to become, while approaching
};

}  // namespace cartan::mechanics
