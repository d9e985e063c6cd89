// Contacts as time stepping sees them: what is near at a state, how it moves with the speeds, and
// what an impulse there does to them. Nothing is located; a method decides over whole steps.
//
//   u_c = J_c v             normal speed (positive: parting) and two tangential ones of contact c
//   v+  = v + C y,   y = sum N_c^T P_c,   N_c = J_c C
//
// C C^T = K is the inverse mass matrix with all constraints kept. So one set of rows N tells both
// what impulses do and what the contacts see of it: u+ = u + N y.
// Speeds fall into parts that do not act on each other but through contacts (a tree each, with the
// loops that tie trees together); J_c and N_c have numbers for one or two parts only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/system.h"

namespace cartan::system {

// Four numbers that a processor takes at once; parts begin at multiples of it.
struct alignas(32) Lane {
  double at[4] = {};
};
inline constexpr int lane = 4;
inline int lanes_of(int size) {
  return (size + lane - 1) / lane;
}

struct SteppedContact {
  std::uint64_t key = 0;  // the same place of the same pair in the next step
  double gap = 0;         // at the start
  double before = 0;      // its rate there, as it is: J v0 is that of rows in the middle
  double restitution = 0, friction = 0;  // friction: infinite where nothing slips
  int rows = 1;                          // 3 with friction
  // places [first, first + lane * lanes) of ContactStepping::speed_order
  struct Part {
    int first = 0, lanes = 0;
  } part[2];
  // row after row, the lanes of both parts: J in ContactSet::speeds, N in ContactSet::answers
  std::size_t row0 = 0;
  int lanes() const { return part[0].lanes + part[1].lanes; }
};

struct ContactSet {
  std::vector<SteppedContact> contacts;
  std::vector<Lane> speeds, answers;
  void clear() {
    contacts.clear();
    speeds.clear();
    answers.clear();
  }
};

class ContactStepping {
 public:
  virtual ~ContactStepping() = default;
  // "" or why the contacts of this System cannot be stepped over, and what to do instead.
  virtual std::string refusal() const = 0;
  // Positions are the first numbers of x, on a space whose tangent numbers are the speeds.
  virtual const StateSpace& positions() const = 0;
  // Speeds follow the positions in x; entry i: which of them is the i-th when parts stand together,
  // each from a multiple of four places on; -1: none.
  virtual std::span<const int> speed_order() const = 0;
  // All places that may touch within a step of this length, from `start` to `middle` half way: rows
  // at the middle, gap and speeds at the start. "" or why the speeds have no answer there.
  virtual std::string find_contacts(StateView start, StateView middle, double length,
                                    ContactSet& set, Workspace& workspace) const = 0;
  // v += C y, both in this order, with the C of the last find_contacts.
  virtual void add_answer(std::span<const double> y, std::span<double> v,
                          Workspace& workspace) const = 0;
  // All places at a state that may touch within a time, and what is deepest there (0: no overlap);
  // it is not looked at again where the next step starts with it.
  virtual double deepest_overlap(StateView at, double horizon, Workspace& workspace) const = 0;
};

}  // namespace cartan::system
