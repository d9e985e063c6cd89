// Units of the columns of a run's tables.
#include "report/column_units.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/model.h"

namespace cartan::test {
namespace {

using nlohmann::json;

json closed_by(const std::string& type) {
  return {{"bodies", json::array()},
          {"joints", {{{"name", "pin"}, {"type", type}}}},
          {"loops", {"pin"}},
          {"constraints", json::array()}};
}

// 6 less the joint's own motions; the multiplier times the speed of its row is a power.
TEST(ColumnUnits, EveryEquationOfALoopJointIsMeasured) {
  for (const JointTypeInfo& row : all_joint_types()) {
    const char* type = row.name;
    const ColumnUnits units(closed_by(type));
    const auto known = joint_type_from_name(type);
    ASSERT_TRUE(known) << type;
    const int rows = 6 - info(*known).nv;
    for (int k = 0; k < 8; ++k) {
      const std::string row = "pin." + std::to_string(k);
      const std::string force = units.unit(row), speed = units.unit(row + ".velocity");
      EXPECT_EQ(!force.empty(), k < rows) << type << " " << k;
      EXPECT_EQ(force == "N", speed == "m/s") << type << " " << k;
      EXPECT_EQ(force == "N m", speed == "rad/s") << type << " " << k;
      EXPECT_EQ(units.unit(row + ".position"), speed.substr(0, speed.find('/')));
    }
  }
}

TEST(ColumnUnits, ConstraintsAreMeasuredByWhatTheyHold) {
  json model = closed_by("revolute");
  model["joints"].push_back({{"name", "slide"}, {"type", "prismatic"}});
  model["constraints"] = {
      {{"name", "motor"}, {"type", "drive"}, {"joint", "pin"}, {"position", {"t"}}},
      {{"name", "push"}, {"type", "drive"}, {"joint", "slide"}, {"position", {"t"}}},
      {{"name", "rope"}, {"type", "distance"}},
      {{"name", "wheel"}, {"type", "rolling-disc"}},
      {{"name", "rack"},
       {"type", "coupler"},
       {"terms", {{{"joint", "pin"}, {"component", 0}}, {{"joint", "slide"}, {"component", 0}}}}},
      {{"name", "gear"},
       {"type", "coupler"},
       {"terms", {{{"joint", "pin"}, {"component", 0}}, {{"joint", "pin"}, {"component", 0}}}}},
      {{"name", "pin"}, {"type", "knife-edge"}}};
  const ColumnUnits units(model);
  EXPECT_EQ(units.unit("motor.0"), "N m");
  EXPECT_EQ(units.unit("push.0"), "N");
  EXPECT_EQ(units.unit("rope.0"), "N");
  EXPECT_EQ(units.unit("wheel.2"), "N");
  EXPECT_EQ(units.unit("wheel.3"), "");
  EXPECT_EQ(units.unit("rack.0"), "");  // depends on the unit of its factor
  EXPECT_EQ(units.unit("gear.0.velocity"), "rad/s");
  EXPECT_EQ(units.unit("constraint pin.0"), "N");
  EXPECT_EQ(units.with_unit("motor.0"), "motor.0 [N m]");
}

TEST(ColumnUnits, AForeignTableTellsThemItself) {
  const ColumnUnits units;
  EXPECT_EQ(units.unit("force [N]"), "N");
  EXPECT_EQ(units.unit("speed (m/s)"), "m/s");
  EXPECT_EQ(units.with_unit("force [N]"), "force [N]");
  EXPECT_EQ(units.unit("tilt.q[1]"), "");
}

TEST(ColumnUnits, OneNameForOneThing) {
  EXPECT_EQ(picture_name("trajectory.csv", "constraint"), "constraint");
  EXPECT_EQ(picture_name("power.csv", "constraint"), "constraint_power");
  EXPECT_EQ(picture_name("power.csv", "spring.power"), "spring.power");
}

}  // namespace
}  // namespace cartan::test
