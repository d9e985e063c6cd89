// import, and the other commands on files of other tools.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

const char* const urdf_arm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><inertial><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.01 0.02 -0.3" rpy="0.3 0.2 0.1"/><mass value="2.3"/>
    <inertia ixx="0.11" iyy="0.12" izz="0.05" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.25"/><mass value="1.1"/>
    <inertia ixx="0.03" iyy="0.03" izz="0.01"/></inertial></link>
  <joint name="shoulder" type="continuous"><axis xyz="0 1 0.1"/><parent link="base"/>
    <child link="upper"/><dynamics damping="0.13"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0 0.1 -0.6" rpy="0 0 0.7"/><axis xyz="1 0 0"/>
    <parent link="upper"/><child link="lower"/><limit lower="-1" upper="1" effort="5"/></joint>
</robot>
)";

TEST(ImportCommand, RoundTripIsTheSameBitForBit) {
  const Scratch scratch;
  const std::string source = scratch.write("arm.urdf", urdf_arm), model = scratch.path("arm.toml");
  const auto json = expect_json(run_cartan({"import", source, "--out", model, "--json"}));
  EXPECT_EQ(json["model"], model);
  EXPECT_EQ(json["carried"]["bodies"], 3);
  EXPECT_EQ(json["carried"]["joint limits"], 1);
  ASSERT_EQ(json["not_carried"].size(), 1u);
  EXPECT_EQ(json["not_carried"][0]["kind"], "effort and velocity limits");
  EXPECT_EQ(json["not_carried"][0]["count"], 1);
  EXPECT_EQ(json["not_carried"][0]["where"], source + ":11:48");
  for (const auto& [file, out] : {std::pair(source, "a"), std::pair(model, "b")})
    EXPECT_EQ(run_cartan({"run", file, "--duration", "0.5", "--out", scratch.path(out)}).status, 0);
  for (const char* table : {"/trajectory.csv", "/bodies.csv"})
    EXPECT_EQ(read_file(scratch.path("a") + table), read_file(scratch.path("b") + table));
  EXPECT_GT(read_file(scratch.path("a") + "/trajectory.csv").size(), 1000u);
  // Nothing is replaced unasked.
  expect_refusal(run_cartan({"import", source, "--out", model}), "exists already");
  EXPECT_EQ(run_cartan({"import", source, "--out", model, "--force"}).status, 0);
}

TEST(ImportCommand, EveryCommandTakesTheFile) {
  const Scratch scratch;
  const std::string source = scratch.write("arm.urdf", urdf_arm);
  EXPECT_EQ(expect_json(run_cartan({"check", source, "--json"}))["dof"], 2);
  EXPECT_EQ(expect_json(run_cartan({"check", source, "--base", "free", "--json"}))["dof"], 8);
  EXPECT_EQ(run_cartan({"eval", source}).status, 0);
  EXPECT_EQ(run_cartan({"equations", source, "--limits", "none"}).status, 0);
  // equations of a motion that a stop may end are not written
  expect_refusal(run_cartan({"equations", source}), "--limits none");
  const auto told = run_cartan({"check", source}).err;
  EXPECT_NE(told.find(source + ":3:3: warning: root 'base' is taken as fixed"), std::string::npos)
      << told;
}

TEST(ImportCommand, LimitsAreTheRangesOfInverseKinematics) {
  const Scratch scratch;
  const std::string source = scratch.write("arm.urdf", urdf_arm);
  EXPECT_EQ(run_cartan({"ik", source, "--target", "elbow.q = 0.9"}).status, 0);
  EXPECT_EQ(run_cartan({"ik", source, "--target", "elbow.q = 1.1"}).status, 1);
  EXPECT_EQ(run_cartan({"ik", source, "--target", "elbow.q = 1.1", "--limits", "none"}).status, 0);
}

TEST(ImportCommand, Refusals) {
  const Scratch scratch;
  const std::string source = scratch.write("arm.urdf", urdf_arm);
  expect_refusal(run_cartan({"import", scratch.path("none.urdf")}), "there is no such file");
  expect_refusal(run_cartan({"import", source, "--base", "swing"}), "expected fixed or free");
  expect_refusal(run_cartan({"import", source, "--package", "x"}), "expected NAME=DIR");
  expect_refusal(run_cartan({"import", scratch.write("m.toml", "")}), "is a model file already");
  expect_refusal(run_cartan({"run", scratch.write("x.xml", "<robot")}), "not valid XML");
  expect_refusal(
      run_cartan({"run", scratch.write("y.urdf", "<robot xmlns:xacro='x'><xacro:a/></robot>")}),
      "this is xacro");
}

}  // namespace
}  // namespace cartan::test
