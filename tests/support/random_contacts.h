// Seeded random mechanisms whose surfaces meet: trees that fall on a floor, hit their stops and
// each other, closed and rolling ones with stops. Apart at the start, by construction.
#pragma once

#include <optional>

#include "support/random_closed.h"

namespace cartan::test {

struct RandomContactOptions {
  int max_bodies = 4;
  double friction = 0.3;     // likelihood of a contact with friction
  double rough = 0;          // of one that never slides, besides
  double restitution = 0.6;  // of one that bounces
  double poisson = 0.3;
  double highest = 0.5;  // m, over the floor at the start
  bool closed = true;    // loops, constraints, rolling too
};

// Nothing where no place for contacts was found.
std::optional<ModelDescription> make_random_contacts(std::uint64_t seed,
                                                     const RandomContactOptions& options = {});

}  // namespace cartan::test
