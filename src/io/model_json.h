// The model as run, for a viewer: parameter values, mass properties, shapes, joint frames,
// elements. Numbers wherever the parameters decide them; expressions of the state stay texts.
#pragma once

#include <span>
#include <string>

#include "model/model.h"

namespace cartan::io {

// The content of model.json. `parameters`: their values in file order.
std::string model_json(const Model& model, std::span<const double> parameters);

}  // namespace cartan::io
