// How fast neighbouring motions of a model part, and sections of its motion: the work of
// `lyapunov`.
#pragma once

#include <optional>

#include <cartan/options.h>

#include "analysis/lyapunov.h"
#include "results/load/analysis_state.h"

namespace cartan::results {

struct MotionExponents {
  Analysis analysis;
  LyapunovResult result;
  std::optional<long> crossings;  // of the section, where there is one
  double seconds = 0;
};

MotionExponents calc_model_exponents(const ModelArguments& model,
                                     const api::LyapunovOptions& options);

Json exponents_json(const MotionExponents& found);

}  // namespace cartan::results
