#include <gtest/gtest.h>

#include "model/mass_properties.h"
#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

class GoodFile : public testing::TestWithParam<std::string> {};

TEST_P(GoodFile, IsReadWithoutFindings) {
  const Loaded loaded = load_file(GetParam());
  EXPECT_TRUE(loaded.model.has_value());
  EXPECT_EQ(loaded.problems.text(), "");
}
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}
INSTANTIATE_TEST_SUITE_P(Good, GoodFile, testing::ValuesIn(model_files("tests/good")), test_name);

Model everything() {
  Loaded loaded = load_file(test_folder("tests/good/everything.toml"));
  if (!loaded.model) throw std::runtime_error(loaded.problems.text());
  return *loaded.model;
}

TEST(Everything, ParametersUseEachOtherInAnyOrder) {
  const Model model = everything();
  const std::vector<double> values = parameter_values(model);
  EXPECT_DOUBLE_EQ(values[model.find_parameter("half")], 0.25);
  EXPECT_DOUBLE_EQ(values[model.find_parameter("twice")], 1.5);
}

TEST(Everything, TheTreeFollowsTheFile) {
  const Model model = everything();
  std::vector<std::string> joints;
  for (const TreeJoint& link : model.tree) joints.push_back(model.joints[link.joint].name);
  const std::vector<std::string> expected = {
      "rail",       "arm_joint", "plate_joint",  "bead_joint",  "wheel_joint",
      "ball_joint", "nut_joint", "sleeve_joint", "cross_joint", "clamp"};
  EXPECT_EQ(joints, expected);
  EXPECT_TRUE(model.tree[5].reversed);
  EXPECT_EQ(model.bodies[model.tree[5].inboard].name, "arm");
  EXPECT_EQ(model.bodies[model.tree[5].outboard].name, "ball");
  ASSERT_EQ(model.loop_joints.size(), 2u);
  EXPECT_EQ(model.joints[model.loop_joints[0]].name, "closing");
  EXPECT_EQ(model.joints[model.loop_joints[1]].name, "closing_too");
}

TEST(Everything, ElementsWithoutNameGetOne) {
  const Model model = everything();
  EXPECT_EQ(model.forces[0].name, "spring1");
  EXPECT_EQ(model.forces[1].name, "twist");
  EXPECT_EQ(model.forces[2].name, "torsion2");
  EXPECT_EQ(model.constraints[1].name, "motor");
  EXPECT_EQ(model.constraints[2].name, "drive2");
}

TEST(Everything, OneNumberIsSpreadOverAllSpeeds) {
  const Model model = everything();
  const auto& torsion = std::get<TorsionForce>(model.forces[1].law);
  EXPECT_EQ(torsion.stiffness.size(), 3);
  EXPECT_EQ(torsion.damping.size(), 3);
  const auto& friction = std::get<FrictionForce>(model.forces[9].law);
  EXPECT_EQ(friction.coulomb.size(), 2);
  EXPECT_EQ(friction.viscous.size(), 2);
  EXPECT_FALSE(friction.smoothing.given());
}

TEST(Everything, InitialStatesHaveTheirSizes) {
  const Model model = everything();
  for (const Joint& joint : model.joints) {
    EXPECT_EQ(joint.velocity.size(), joint.nv()) << joint.name;
    const int expected = joint.type == JointType::spherical ? 0
                         : joint.type == JointType::free    ? 3
                                                            : joint.nv();
    EXPECT_EQ(joint.coordinates.size(), expected) << joint.name;
  }
  const Joint& free = model.joints[model.find_joint("wheel_joint")];
  EXPECT_DOUBLE_EQ(evaluate<double>(free.coordinates, parameter_values(model))[2], 0.3);
  EXPECT_TRUE(free.position_given);
  EXPECT_FALSE(model.joints[model.find_joint("closing")].position_given);
}

TEST(Everything, PlainNamesInAJointForceAreItsCoordinates) {
  const Model model = everything();
  const auto& force = std::get<JointForce>(model.forces[5].law);
  const int joint = model.find_joint("ball_joint");
  const auto& inputs = force.value.program.inputs;
  EXPECT_NE(std::find(inputs.begin(), inputs.end(), Symbol{Quantity::joint_v, joint, 1}),
            inputs.end());
  EXPECT_NE(std::find(inputs.begin(), inputs.end(), Symbol{Quantity::joint_q, joint, 0}),
            inputs.end());
}

TEST(Variables, KeepTheOrderOfTheFile) {
  const Loaded loaded = load_file(test_folder("tests/good/variables.toml"));
  ASSERT_TRUE(loaded.model);
  EXPECT_FALSE(loaded.model->is_mechanism());
  ASSERT_EQ(loaded.model->variables.size(), 3u);
  EXPECT_EQ(loaded.model->variables[0].name, "x");
  EXPECT_EQ(loaded.model->variables[2].name, "z");
  EXPECT_EQ(loaded.model->parameters[0].name, "c");
}

}  // namespace
}  // namespace cartan::test
