// From a description to the motion, in every formulation.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "formulations/formulations.h"
#include "integrate/simulate.h"
#include "model/model.h"

namespace cartan::test::exact {

struct Sample {
  double t = 0;
  const Observation& seen;
  std::span<const int> mode;
};

struct RunOptions {
  double duration = 10, step = 0.01;
  std::string integrator = "gl3";
  double tolerance = 0;
};

// Runs the model in every formulation and shows each recorded sample.
void run_everywhere(const ModelDescription& description, const RunOptions& options,
                    const std::function<void(const Sample&)>& look);

// A body on a joint to the world.
ModelDescription one_body(BodyText body, JointText joint);

JointText joint_to_world(const std::string& type, Values axis = {}, PlacementText child = {"body"});

}  // namespace cartan::test::exact
