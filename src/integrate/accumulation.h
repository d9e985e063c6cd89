// Impacts that follow each other faster and faster, without end in a finite time.
//
// The times of such a sequence approach their limit t* like a power series in r^k, where r < 1 is
// the ratio of successive speeds: t* - t_k = c1 r^k + c2 r^2k + ... So t* follows by Richardson's
// extrapolation,
//   E_k^0 = t_k,   E_k^m = (E_{k+1}^(m-1) - r^m E_k^(m-1)) / (1 - r^m)
// long before the impacts themselves get there. For a ball under gravity column 1 is exact.
#pragma once

#include <span>
#include <vector>

#include "system/system.h"

namespace cartan::integrate {

class AccumulationWatch {
 public:
  // `near`: the limit is found when this part of the whole sequence is left.
  explicit AccumulationWatch(int contacts, double near = 1e-5) : near_(near), chains_(contacts) {}

  // Impacts of one instant.
  void add(double t, std::span<const Impact> impacts);
  // Contacts whose impacts have come next to their limit, with that time; empty: none.
  std::span<const int> find_limit(double t, double& limit);
  void forget(std::span<const int> contacts);

 private:
  struct Chain {
    std::vector<double> times, speeds;
    double ratio = 0;  // of the last impact: speed after by speed before
    double limit = 0, error = 0;
    bool known = false;
  };
  void extrapolate(Chain& chain) const;
  bool is_near(const Chain& chain, double t) const;

  double near_;
  std::vector<Chain> chains_;
  std::vector<int> found_;
};

}  // namespace cartan::integrate
