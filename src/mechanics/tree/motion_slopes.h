// Derivatives of the accelerations of a mechanism by its positions, speeds and [variables], without
// dual numbers for what costs most: O(n) for what links and joints do (link_slopes.h), then for all
// columns at once inward and outward through the tree, O(n) a column. The recursion is that of the
// accelerations themselves, so that it loses no more digits; joint space, where mass matrices of
// long chains are all but singular, is never entered.
//
// Forces and constraints are differentiated by dual numbers over what they read (local_slopes.h):
// wrenches on links, which join the recursion there. With W = d v' at fixed multipliers, M^-1 J^T
// (a column per row) and R the change of y' in both,
//   d lambda = -(J M^-1 J^T)^-1 R,      d v' = W + M^-1 J^T d lambda.
// Coordinates stand for displacements: dq = N(q) d with d like speeds; `write` goes over to
// embedded numbers. Quaternions read as four numbers have a column for their length.
#pragma once

#include <span>

#include <Eigen/Core>

#include "mechanics/tree/local_slopes.h"
#include "mechanics/tree/slope_flow.h"

namespace cartan::mechanics {

class MotionSlopes final : private SlopeSink {
 public:
  MotionSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
               const SlopePlan& plan);

  // At the state ws is solved for; `dual` is scratch. Allocates nothing.
  void fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual);
  // Forces of inverse dynamics instead of accelerations, at positions, speeds and accelerations in
  // ws (forces and link accelerations filled), without those of multipliers.
  void fill_forces(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual);

  // All rows of J (embedded numbers) below positions: v', z', powers. Other entries are left alone.
  void write(const MotionWorkspace<double>& ws, Eigen::Ref<Eigen::MatrixXd> J) const;

  // What digits depend on, all positive: how much each joint gives way, the largest velocities and
  // accelerations, what multipliers take back of W.
  std::span<const double> conditions();
  // The size of what a derivative of v' of a ball is the sum of; zero for other speeds.
  double rounded_size(int speed) const {
    const int place = plan_.place[speed];
    return links_.rounded_size(plan_.position[plan_.link_of_place[place]]);
  }

  // d v' or d force at a place by a column: columns as in SlopePlan, places in depth-first order.
  double value(int place, int column) const { return row(place)[column]; }

 private:
  double* row(int place) { return W_.data() + static_cast<std::size_t>(place) * ld_; }
  const double* row(int place) const { return W_.data() + static_cast<std::size_t>(place) * ld_; }
  // Six rows of columns, those of a group (lanes_of_numbers.h) one behind the other.
  double* inward(int d) {
    return inward_.data() + 6 * static_cast<std::size_t>(flow_.up_slot[d]) * ld_;
  }
  double* outward(int d) {
    return outward_.data() + 6 * static_cast<std::size_t>(flow_.down_slot[d]) * ld_;
  }
  double* staged(int link) {
    return staged_.data() + 6 * static_cast<std::size_t>(flow_.staged[plan_.position[link]]) * ld_;
  }

  void begin(const MotionWorkspace<double>& ws, bool with_rows);
  // motion_solution.cpp
  void solve_columns();  // of the state in ws_
  void go_inward();
  template <JointAnswer answer>
  void add_own_columns(int d);
  void go_outward();
  void note_rows(int d, const double* z);
  void solve_multipliers(int rows);
  void take_held_rows(const MotionWorkspace<double>& ws);

  void stage_rows(const MotionWorkspace<double>& ws);
  void add_laws(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual);
  void add_wrench(int link, int column, const Vec3<double>& n, const Vec3<double>& f) override;
  void add_force(int place, int column, double force) override { row(place)[column] += force; }
  void add_scalar(int scalar, int column, double rate) override {
    scalars_[static_cast<std::size_t>(scalar) * ld_ + column] += rate;
  }
  void add_row(int r, int column, double rate) override {
    row_slopes_[static_cast<std::size_t>(place_of_row_[r]) * ld_ + column] += rate;
  }

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  const SlopeFlow flow_;
  const int nv_, ld_;
  LinkSlopes links_;
  LocalSlopes laws_;
  const MotionWorkspace<double>* ws_ = nullptr;
  std::vector<double> W_;                           // per place
  std::vector<double> inward_, outward_, nothing_;  // six rows of columns each
  std::vector<double> o_;                           // three rows: of columns that turn this link
  std::vector<double> staged_;                      // wrenches of laws on links, per column
  std::vector<double> scalars_;                     // per scalar row
  std::vector<double> row_slopes_;                  // per active row: of y'; then d lambda
  std::vector<double> G_;
  std::vector<double> conditions_;
  double taken_back_ = 1;                  // the largest ratio of W to what multipliers leave
  std::vector<int> active_;                // rows of the mechanism
  std::vector<int> place_of_row_;          // among the active ones, or -1
  std::vector<std::vector<int>> sources_;  // per link: of rows
  bool any_law_ = false;
};

}  // namespace cartan::mechanics
