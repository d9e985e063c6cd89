// A file that load_model has taken, once more with other sets of parameters: read once, checked for
// each. Only errors are told.
#pragma once

#include <optional>

#include "model/description.h"
#include "results/load/load.h"

namespace cartan {

std::optional<ModelDescription> read_description(const ModelArguments& arguments);
std::unique_ptr<const Model> make_model(const ModelDescription& description,
                                        const ModelArguments& arguments);

}  // namespace cartan
