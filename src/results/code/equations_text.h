// The symbolic equations of motion, to be read: the work of `equations`.
#pragma once

#include <memory>
#include <string>

#include <cartan/options.h>

#include "results/load/load.h"

namespace cartan::results {

struct DerivedEquations {
  std::unique_ptr<const Model> model;
  std::string text;
};

DerivedEquations derive_equations(const ModelArguments& model,
                                  const api::EquationsOptions& options);

}  // namespace cartan::results
