// A model in which time stands still.
#pragma once

#include "model/model.h"

namespace cartan::model {

// The model with the number `t` in place of time in every expression: loads keep the values they
// have then, drives stand where they are then.
Model hold_time(const Model& model, double t);

}  // namespace cartan::model
