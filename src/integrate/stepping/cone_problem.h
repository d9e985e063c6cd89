// One step's contacts together: impulses P in Coulomb's cones and speeds u = J v that belong to
// them.
//
//   v = v_free + C y,   y = sum N_c^T P_c,   w_c = J_c v + shift_c
//   0 <= P_n, 0 <= w_n, P_n w_n = 0;   |P_t| <= mu P_n, and P_t = -mu P_n w_t/|w_t| where w_t != 0
//
// In De Saxce's form: with s_c = mu |w_t| held, it is the least of P.A P/2 + P.(b + s) over the
// cones, a convex problem, and s follows from its solution.
//
// Block Gauss-Seidel: contact after contact gets the impulse that solves its own three equations
// exactly, on the true cone, with the speeds that all others leave (cone_block.h). A round is a
// sweep forth and one back; rounds are accelerated by Nesterov's extrapolation, which begins anew
// at the contacts where it leads the wrong way, and everywhere where it leads no nearer for as long
// as it has gone on. Most places settle early: rounds then visit the others alone. So the work
// grows with the number of contacts, not with the slowest of them. At first every block follows its
// s itself; where rounds do not come nearer so (a wedge may go round in a circle), s is held, the
// convex problem is solved, and s is taken anew. A sweep reads the numbers of N once. It begins
// with the impulses that are there (warm start).
#pragma once

#include <span>
#include <vector>

#include "system/cone_block.h"
#include "system/contact_stepping.h"

namespace cartan::integrate {

struct ConeReport {
  int sweeps = 0;
  bool settled = false;  // impulses change by less than the tolerance
  double residual = 0;   // largest violation of the laws, as a speed
  double largest = 0;    // of the speeds that impulses make, for comparison
};

// What a sweep may leave: as a part of the largest speed that an impulse makes, and as a speed.
struct ConeTolerance {
  double relative = 0, absolute = 0;
  int most_sweeps = 0;
};

class ConeProblem {
 public:
  enum class Laws { friction, smooth };  // smooth: as if there were no friction
  // Blocks A_c = N_c N_c^T for speeds of so many places; impulses, y and shifts are zero.
  void begin(const ContactSet& set, std::size_t places, Laws laws = Laws::friction);
  // J_c v
  Triple speed(int c, std::span<const double> v) const;
  // An impulse more: y += N_c^T change.
  void push(int c, const Triple& change);
  // With speeds v that have none of the impulses; improves impulses and y.
  ConeReport solve(std::span<const double> v, const ConeTolerance& tolerance);
  std::span<const double> answer() const;  // y

  std::vector<Triple> impulse, shift;

  // A way to go on: rounds, most of them without coming nearer, whether s is held.
  struct Turn {
    int rounds, run;
    bool holds;
  };

 private:
  enum class Bodies : char { any, one, two };  // free ones, with friction
  // Where the numbers of a contact are, and its law where that is simple.
  struct Seat {
    std::size_t row = 0;  // first lane of N
    int a = 0, b = 0;     // lanes of y
    int lanes_a = 0, lanes_b = 0;
    char rows = 1;  // that the laws look at
    Bodies bodies = Bodies::any;
    bool moves = false;  // an impulse changes its speeds
    bool plain = false;  // normal and tangents do not act on each other, tangents are alike
    double mu = 0, normal = 0, tangent = 0, by_normal = 0, by_tangent = 0;  // A, and 1 / A
    double held = 0;   // mu |w_t| where it is held
    double alpha = 0;  // of the block
  };
  int first_lane(const SteppedContact::Part& part) const;
  // Of rows of N that begin at `row`: times y, and their product with impulses added to y.
  double row_times(const Seat& seat, std::size_t row) const;
  Triple rows_times(const Seat& seat) const;
  void add_impulse(const Seat& seat, const Triple& change);
  template <bool two>
  void add_free(const Seat& seat, const Triple& change);
  Triple speeds_now(std::size_t c) const;
  // What the law of contact c sees: shift and all impulses but its own.
  Triple others(std::size_t c) const;
  Triple answer(std::size_t c, const Triple& b);
  Triple plain_answer(const Seat& seat, const Triple& b) const;
  double sweep(bool back, double& largest);
  double visit(std::size_t c, double& largest);
  double visit_smooth(std::size_t c, double& largest);
  template <bool two>
  double visit_free(std::size_t c, double& largest);
  double round(double& largest);
  void extrapolate();
  void begin_rounds();
  void begin_visits();
  template <class Act>
  void for_visited(Act&& act);
  void clear_bodies();
  void widen();
  void narrow(double small);
  double hold();
  bool take_turn(const Turn& turn, int rounds, const ConeTolerance& tolerance, ConeReport& report);
  void measure(ConeReport& report);

  const ContactSet* set_ = nullptr;
  Laws laws_ = Laws::friction;
  std::vector<Seat> seats_;
  std::vector<ConeBlock> blocks_;
  std::vector<Triple> weight_;  // diagonals of the blocks
  std::vector<Triple> free_;    // w without impulses
  std::vector<Lane> y_;
  bool held_ = false;
  // What rounds visit: all contacts, or those where impulses still change, and their neighbours.
  struct Run {
    std::size_t first = 0, end = 0;
  };
  std::vector<Run> visited_, next_;
  std::size_t visits_ = 0;  // contacts in a sweep
  double visits_left_ = 0;  // of this solution
  // of every contact: change in the last round, as a speed; impulses after the last round and
  // before this one; rounds since extrapolation began
  std::vector<double> change_;
  std::vector<Triple> last_, start_;
  std::vector<int> age_;
  std::vector<double> bodies_;  // what their contacts add up to; at first lanes, then the world
  double nearest_ = 0;          // least change since extrapolation began
  int waited_ = 0, run_ = 0;    // rounds since then; most of them
  int helped_ = 0;              // which of the ways did the last time
};

}  // namespace cartan::integrate
