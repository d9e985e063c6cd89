// States, linearisations and modes as JSON.
#pragma once

#include "results/json_values.h"
#include "results/steady/steady.h"

namespace cartan::results {

// STATE.json of a mechanism (with its bodies) or of a [variables] file.
Json state_json_of(const SteadyCase& steady, const State& state);

// eigenvalues, neutral, frequencies_hz, damping, stable, ...
Json spectrum_json(const Linearisation& result);

// Mode k as a motion Re(exp(lambda t) z): for each joint `q` (the change of its coordinates,
// measured like its speeds: rotation vectors for rotations) and `v`, for each body `angular` (body
// axes) and `linear` (of its origin, world axes), each number as [re, im]; for a [variables] file
// the variables.
Json mode_json(const SteadyCase& steady, const Linearisation& result, int k);

// Symmetries and the speeds along them.
Json motion_json(const SteadyCase& steady, const Eigen::VectorXd& c);

}  // namespace cartan::results
