// Forces, constraints and rates of variables in the derivatives of accelerations: each by dual
// numbers over the few links, joints and variables it reads. What comes of it goes to a sink,
// number by number: columns as in SlopePlan, places in depth-first order.
//
// A link is displaced by a turn and a shift of its origin, its velocities by a spin and a slide. A
// column of the mechanism moves it by such a twist, whatever lies between (link_slopes.h): with d
// and v from the origin and the velocity of the column's link to those of the link itself
//   turn phi, shift psi + phi x d, by q also spin phi x w + o, slide_j + phi x v + o x d,
//   by v: spin phi, slide psi + phi x d
// A wrench on a link is turned with it already (phi x F): what a law adds is the difference.
#pragma once

#include "mechanics/tree/link_slopes.h"
#include "mechanics/tree/slopes/law_duals.h"

namespace cartan::mechanics {

class SlopeSink {
 public:
  virtual ~SlopeSink() = default;
  // Changes along a column: of what acts on a link about its origin, on a speed; of a scalar row
  // (SlopePlan); of y' of a row of the mechanism beside what accelerations do to it.
  virtual void add_wrench(int link, int column, const Vec3<double>& n, const Vec3<double>& f) = 0;
  virtual void add_force(int place, int column, double force) = 0;
  virtual void add_scalar(int scalar, int column, double rate) = 0;
  virtual void add_row(int row, int column, double rate) = 0;
};

class LocalSlopes {
 public:
  LocalSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
              const SlopePlan& plan);

  // All laws at the state of ws; rows that are not counted (place_of_row < 0) are left out. `dual`
  // is scratch.
  void fill(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& dual,
            const LinkSlopes& links, std::span<const int> place_of_row, SlopeSink& sink);

 private:
  using LinkTwist = seeds::LinkTwist;  // along a speed: spin is the turn, slide the shift
  LinkTwist calc_twist(int link, int place) const;
  void add_pair(const LocalLaw& law);
  void add_general(const LocalLaw& law);
  void add_in_joint(const LocalLaw& law);
  void add_rows(const LocalLaw& law);
  void read_outputs(const LocalLaw& law, int direction);
  void apply_outputs(const LocalLaw& law, int column, const double* by);
  int output_stride(const LocalLaw& law) const;
  struct Combined {
    const double *by_q, *by_v;
  };
  Combined combine_outputs(const LinkTwist& twist, int count);
  void write_moved_rows(const LocalLaw& law, int count);
  void turn_rows(const LocalLaw& law, const Vec3<double>& u);
  void add_pair_wrench(const LocalLaw& law, int column, double side, const LinkTwist& twist,
                       const double* by, const Vec3<double>& n, const Vec3<double>& f);
  void add_link_slot(const LocalLaw& law, int link);
  void add_joint_slot(const LocalLaw& law, int link);
  void add_variable_slots(const LocalLaw& law);

  const Mechanism<double>& mechanism_;
  const SlopePlan& plan_;
  LawDuals duals_;
  std::vector<double> outputs_;
  std::vector<Vec3<double>> turned_;  // per row of the law at hand
  // of the state at hand
  const MotionWorkspace<double>* ws_ = nullptr;
  const LinkSlopes* links_ = nullptr;
  std::span<const int> place_of_row_;
  SlopeSink* sink_ = nullptr;
};

}  // namespace cartan::mechanics
