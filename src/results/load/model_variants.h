// A file that load_model has taken, once more with other sets of parameters: read once, checked for
// each. Errors are refusals, warnings
// are not told again.
#pragma once

#include "model/description.h"
#include "results/load/load.h"

namespace cartan::results {

ModelDescription read_description(const ModelArguments& arguments);
std::unique_ptr<const Model> make_model(const ModelDescription& description,
                                        const ModelArguments& arguments);

}  // namespace cartan::results
