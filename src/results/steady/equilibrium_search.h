// Every steady state reached from a box of initial values: the work of `equilibrium --search`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "analysis/equilibrium_search.h"
#include "results/json_values.h"
#include "results/steady/steady.h"

namespace cartan::results {

struct BoxSearch {
  std::unique_ptr<SteadyCase> steady;
  SearchResult result;
  std::string table;  // search.csv: where every start went
};

// Where options.out names a folder: search.csv, search.svg (the residual map), equilibria.json.
BoxSearch search_box(const ModelArguments& model, const api::EquilibriumOptions& options);
// A failure where there is no steady state.
void require_found(const BoxSearch& search, const ModelArguments& model);

Json search_json(const BoxSearch& search);

}  // namespace cartan::results
