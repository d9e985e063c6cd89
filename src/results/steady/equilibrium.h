// A steady state of a model near its initial one: the work of `equilibrium`.
#pragma once

#include <memory>

#include <cartan/options.h>

#include "results/json_values.h"
#include "results/steady/steady.h"

namespace cartan::results {

struct ModelEquilibrium {
  std::unique_ptr<SteadyCase> steady;
  Equilibrium found;
  Linearisation linear;  // there, where it was found
};

// A search that ends elsewhere gives what it came to; see require_found.
ModelEquilibrium find_model_equilibrium(const ModelArguments& model,
                                        const api::EquilibriumOptions& options);
void require_found(const ModelEquilibrium& result, const ModelArguments& model);

Json equilibrium_json(const ModelEquilibrium& result);

}  // namespace cartan::results
