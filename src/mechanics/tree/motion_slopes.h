// Derivatives of the accelerations of a mechanism by its positions, speeds and [variables], without
// dual numbers for what costs most: O(n) for what links and joints do (link_slopes.h), then for all
// columns at once inward and outward through the tree, O(n) a column. The recursion is that of the
// accelerations themselves, so that it loses no more digits; joint space, where mass matrices of
// long chains are all but singular, is never entered.
//
// Forces and constraints are differentiated by dual numbers over what they read (local_slopes.h):
// wrenches on links, which join the recursion there, and changes of y' of rows, which travel with
// the columns through the fronts of closed_recursion.h and are solved where those are.
// Coordinates stand for displacements: dq = N(q) d with d like speeds; `write` goes over to
// embedded numbers. Quaternions read as four numbers have a column for their length.
#pragma once

#include <array>
#include <span>

#include <Eigen/Core>

#include "mechanics/tree/lanes_of_numbers.h"
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

  // All rows of J (embedded numbers) below positions: v', z', powers. Those of positions become
  // zero; columns of powers are left alone.
  void write(const MotionWorkspace<double>& ws, Eigen::Ref<Eigen::MatrixXd> J) const;

  // Of a closed mechanism: how many times as large joints answered before multipliers took back
  // what an inertia next to nothing had made (wheels without mass). So many digits are lost.
  double lost_factor() const;

  // d v' or d force at a place by a column: columns as in SlopePlan, places in depth-first order.
  double value(int place, int column) const { return row(place)[column]; }

 private:
  double* row(int place) { return W_.data() + static_cast<std::size_t>(place) * ld_; }
  const double* row(int place) const { return W_.data() + static_cast<std::size_t>(place) * ld_; }
  // Six and nine rows of columns, those of a group (lanes_of_numbers.h) one behind the other.
  double* inward(int d) {
    return inward_.data() + 6 * static_cast<std::size_t>(flow_.up_slot[d]) * ld_;
  }
  double* outward(int d) {
    return outward_.data() + 9 * static_cast<std::size_t>(flow_.down_slot[d]) * ld_;
  }
  double* staged(int link) {
    return staged_.data() + 6 * static_cast<std::size_t>(flow_.staged[plan_.position[link]]) * ld_;
  }

  void begin(const MotionWorkspace<double>& ws, bool with_rows);
  void set_columns_of_J();
  void write_rows(int first, const lanes::Lanes& values, double* to) const;
  void write_turns(const MotionWorkspace<double>& ws, Eigen::Ref<Eigen::MatrixXd> J) const;
  // motion_solution.cpp
  void solve_columns();  // of the state in ws_
  void go_inward();
  template <JointAnswer answer>
  void add_own_columns(int d);
  void go_outward();
  void move_own_columns(int d, double* W, double* to);
  // slopes/hinge_chains.cpp: rows of hinges one after the other, all of them for a group of columns
  struct OwnHinge {
    lanes::Two x;                       // answered by the joint
    lanes::VectorsOf<lanes::Two> n, f;  // felt by the parent, about its origin
  };
  OwnHinge calc_own_hinge(int d) const;
  bool is_chain(int d) const;
  template <bool laws>
  void chain_inward(int first, int last);
  template <bool laws, int G>
  void inward_through(int first, int last, int c);
  void chain_outward(int first, int last);
  template <bool turned, int G>
  void outward_through(int first, int last, int c);
  // slopes/front_columns.cpp: rows along the way; d < 0: at the world
  double* front_row(const Front& front, int r) {
    return front_rows_.data() + (front.g0 + r) * static_cast<std::size_t>(ld_);
  }
  double* row_slope(int r) { return row_slopes_.data() + static_cast<std::size_t>(r) * ld_; }
  void begin_front(const Front& front, std::span<const ColumnRun> runs, double* P);
  void pass_rows(int d);
  void add_own_rows(int d);
  void push_rows(int d);
  double largest_answer(int d) const;
  void end_front(const Front& front, std::span<const ColumnRun> runs, const double* z);
  void take_held_rows(const MotionWorkspace<double>& ws);

  void add_wrench(int link, int column, const Vec3<double>& n, const Vec3<double>& f) override;
  void add_force(int place, int column, double force) override { row(place)[column] += force; }
  void add_scalar(int scalar, int column, double rate) override {
    row(nv_ + scalar)[column] += rate;
  }
  void add_row(int r, int column, double rate) override { row_slope(r)[column] += rate; }

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  const SlopeFlow flow_;
  const int nv_, ld_;
  LinkSlopes links_;
  LocalSlopes laws_;
  const MotionWorkspace<double>* ws_ = nullptr;
  std::vector<double> W_;                           // per place, then per scalar row
  std::vector<double> inward_, outward_, nothing_;  // rows of columns
  std::vector<double> staged_;                      // wrenches of laws on links, per column
  std::vector<double> row_slopes_;                  // per row: of y'; then d lambda
  std::vector<double> front_rows_;                  // per row of a front: of g (constraint_plan.h)
  std::vector<lanes::ScaledRow> scaled_;            // of a sum at hand
  std::vector<std::array<double, 6>> pushes_;       // per row that passes the joint at hand
  std::vector<double> answered_;                    // per link: largest answer without multipliers
  std::vector<int> counts_;                         // per row: -1 where it is not active
  bool any_law_ = false, closed_ = false;
  std::vector<OwnHinge> own_hinges_;  // of the chain at hand
  bool simple_ = true;                // every joint answers without numbers of before in W
  std::vector<int> column_of_J_;      // per column; negative: a place aside
  mutable std::vector<double> aside_;
  bool in_order_ = true;  // places are speeds
};

}  // namespace cartan::mechanics
