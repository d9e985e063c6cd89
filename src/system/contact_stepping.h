// Contacts as time stepping sees them: what is near at a state, how it moves with the speeds, and
// what an impulse there does to them. Nothing is located; a method decides over whole steps.
//
//   u_c = J_c v             normal speed (positive: parting) and two tangential ones of contact c
//   v+  = v + sum W_c P_c   W_c = K J_c^T, K the inverse mass matrix with all constraints kept
//
// Speeds fall into parts that do not act on each other but through contacts (a tree each, with the
// loops that tie trees together); J_c and W_c have numbers for one or two parts only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/system.h"

namespace cartan::system {

struct SteppedContact {
  std::uint64_t key = 0;  // the same place of the same pair in the next step
  double gap = 0;         // at the start
  double before = 0;      // its rate there, as it is: J v0 is that of rows in the middle
  double restitution = 0, friction = 0;  // friction: infinite where nothing slips
  int rows = 1;                          // 3 with friction
  // speeds [first, first + size) in the order of ContactStepping::speed_order; in `entries` from
  // `entry` on rows x size numbers of J, and behind them as many of W
  struct Part {
    int first = 0, size = 0;
    std::size_t entry = 0;
  } part[2];
};

struct ContactSet {
  std::vector<SteppedContact> contacts;
  std::vector<double> entries;
  void clear() {
    contacts.clear();
    entries.clear();
  }
};

class ContactStepping {
 public:
  virtual ~ContactStepping() = default;
  // "" or why the contacts of this System cannot be stepped over, and what to do instead.
  virtual std::string refusal() const = 0;
  // Positions are the first numbers of x, on a space whose tangent numbers are the speeds.
  virtual const StateSpace& positions() const = 0;
  // Speeds follow the positions in x; entry i: which of them is the i-th when parts stand together.
  virtual std::span<const int> speed_order() const = 0;
  // All places that may touch within a step of this length, from `start` to `middle` half way: rows
  // at the middle, gap and speeds at the start. "" or why the speeds have no answer there.
  virtual std::string find_contacts(StateView start, StateView middle, double length,
                                    ContactSet& set, Workspace& workspace) const = 0;
  // All places at a state that may touch within a time, and what is deepest there (0: no overlap);
  // it is not looked at again where the next step starts with it.
  virtual double deepest_overlap(StateView at, double horizon, Workspace& workspace) const = 0;
};

}  // namespace cartan::system
