#include "motion.h"

namespace cartan::test::exact {

void run_everywhere(const ModelDescription& description, const RunOptions& options,
                    const std::function<void(const Sample&)>& look) {
  Diagnostics problems;
  const std::optional<Model> model = check_model(description, problems);
  ASSERT_TRUE(model) << problems.text();
  for (const FormulationInfo& row : formulation_table()) {
    if (!row.refusal(*model).empty()) continue;
    SCOPED_TRACE(std::string(row.name) + ", " + options.integrator);
    std::string problem;
    const std::unique_ptr<System> system =
        make_system(*model, parameter_values(*model), row.name, problem);
    ASSERT_TRUE(system) << problem;
    const auto& mechanics = dynamic_cast<const MechanicalSystem&>(*system);
    SimulateOptions simulate_options;
    simulate_options.integrator = options.integrator;
    simulate_options.duration = options.duration;
    simulate_options.step = options.step;
    simulate_options.tolerance = options.tolerance;
    Trajectory path;
    const SimulateReport report =
        simulate(*system, system->initial_state(), simulate_options, path);
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_EQ(path.t.back(), options.duration);
    const std::unique_ptr<Workspace> workspace = system->make_workspace();
    Observation seen;
    for (std::size_t i = 0; i < path.count(); ++i) {
      mechanics.observe(path.view(i), seen, *workspace);
      look({path.t[i], seen, path.view(i).mode});
      if (::testing::Test::HasFailure()) break;  // one sample is enough
    }
  }
}

ModelDescription one_body(BodyText body, JointText joint) {
  ModelDescription d;
  d.name = "one body";
  body.name = "body";
  joint.name = "joint";
  d.bodies.push_back(std::move(body));
  d.joints.push_back(std::move(joint));
  return d;
}

JointText joint_to_world(const std::string& type, Values axis, PlacementText child) {
  JointText joint;
  joint.type = type;
  joint.axis = std::move(axis);
  joint.parent.body = "world";
  joint.child = std::move(child);
  return joint;
}

}  // namespace cartan::test::exact
