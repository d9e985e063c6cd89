// URDF against closed forms and models written by hand.
#include "unit/import/imports.h"

namespace cartan::test {
namespace {

const char* const bob =
    "<link name='bob'><inertial><origin xyz='0 0 -0.5' rpy='0 0 1.5707963267948966'/>"
    "<mass value='2'/><inertia ixx='0.3' iyy='0.2' izz='0.4' ixy='0' ixz='0' iyz='0'/>"
    "</inertial></link>";

std::string pendulum(const std::string& joint, const std::string& more = "") {
  return robot("<link name='world'/>" + std::string(bob) + "<joint name='pivot' " + joint +
               "<parent link='world'/><child link='bob'/>" + more + "</joint>");
}

TEST(Urdf, PendulumIsTheClosedForm) {
  // The inertia is turned by a quarter about z: about y it is the stated ixx.
  const auto text = pendulum("type='continuous'><axis xyz='0 1 0'/>", "<dynamics damping='0.7'/>");
  const auto rates = rates_of(expect_import(text).model->text);
  ASSERT_GE(rates.size(), 2u);
  const double q = 0.3 * std::sin(0.4), v = 0.3 * std::sin(2.1);
  EXPECT_DOUBLE_EQ(rates[0], v);
  EXPECT_NEAR(rates[1], (-2 * 9.81 * 0.5 * std::sin(q) - 0.7 * v) / (0.3 + 2 * 0.25), 1e-13);
}

TEST(Urdf, DefaultAxisIsX) {
  const auto imported = expect_import(pendulum("type='prismatic'>"));
  EXPECT_TRUE(imported.says("axis = [1, 0, 0]"));
  EXPECT_TRUE(imported.says("type = \"prismatic\""));
}

const char* const hand_bob = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "bob"
mass = 2
com = [0, 0, -0.5]
inertia = [0.2, 0.3, 0.4]
[[joint]]
name = "pivot"
parent = { body = "world", at = [1, 2, 3], rotate = { rpy = [0.1, 0.2, 0.3] } }
child = { body = "bob" }
)";

TEST(Urdf, FloatingAndPlanar) {
  const std::string origin = "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>";
  expect_same_motion(pendulum("type='floating'>" + origin),
                     std::string(hand_bob) + "type = \"free\"\n");
  expect_same_motion(pendulum("type='planar'>" + origin + "<axis xyz='0 1 1'/>"),
                     std::string(hand_bob) + "type = \"planar\"\nnormal = [0, 1, 1]\n");
}

TEST(Urdf, FrictionIsDry) {
  const auto imported =
      expect_import(pendulum("type='continuous'>", "<dynamics friction='0.25'/>"));
  EXPECT_TRUE(imported.says("type = \"friction\""));
  EXPECT_TRUE(imported.says("coulomb = 0.25"));
  EXPECT_EQ(imported.carried("dry friction"), 1);
}

// q2 = 3 q1 + 0.1, a slide that follows a hinge.
TEST(Urdf, MimicAcrossTypes) {
  const std::string second =
      "<link name='cart'><inertial><mass value='1.5'/><inertia ixx='1' iyy='1' izz='1'/>"
      "</inertial></link><joint name='slide' type='prismatic'><parent link='bob'/>"
      "<child link='cart'/><mimic joint='pivot' multiplier='3' offset='0.1'/></joint>";
  std::string text = pendulum("type='revolute'><axis xyz='0 1 0'/>");
  text.insert(text.find("</robot>"), second);
  const auto imported = expect_import(text);
  EXPECT_TRUE(imported.says("terms = [[\"slide\", 1], [\"pivot\", -3]]"));
  EXPECT_TRUE(imported.says("offset = 0.1"));
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  const State start = example.system->initial_state();
  EXPECT_NEAR(start.x[1], 3 * start.x[0] + 0.1, 1e-12);
}

TEST(Urdf, RootIsFixedOrFree) {
  const std::string text = robot(bob);
  const auto fixed = expect_import(text);
  EXPECT_TRUE(fixed.says("type = \"fixed\""));
  ASSERT_EQ(fixed.model->report.notes.size(), 1u);
  EXPECT_NE(fixed.model->report.notes[0].text.find("--base free"), std::string::npos);
  ImportOptions options;
  options.free_base = true;
  const auto free = expect_import(text, options);
  EXPECT_TRUE(free.says("name = \"base\"\ntype = \"free\""));
}

TEST(Urdf, LinkWithTwoParentsClosesALoop) {
  const auto imported = expect_import(robot(
      "<link name='world'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1'/></inertial></link>"
      "<joint name='one' type='revolute'><parent link='world'/><child link='a'/></joint>"
      "<joint name='two' type='continuous'><parent link='world'/><child link='a'/></joint>"));
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  EXPECT_EQ(example.model->loop_joints.size(), 1u);
}

TEST(Urdf, CountsWhatIsLeft) {
  const auto imported = expect_import(robot(
      "<material name='x'/><link name='a'><visual><geometry><box size='1 2 3'/></geometry>"
      "</visual><collision><geometry><sphere radius='1'/></geometry></collision>"
      "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
      "<link name='b'/><joint name='j' type='revolute'><limit lower='-1' upper='1' effort='3'/>"
      "<parent link='a'/><child link='b'/></joint><gazebo/>"
      "<transmission name='t'><joint name='j'/><actuator name='m'><motorInertia>0.5"
      "</motorInertia><mechanicalReduction>10</mechanicalReduction></actuator></transmission>"));
  EXPECT_EQ(imported.left("collision shapes"), 2);
  EXPECT_EQ(imported.carried("joint limits"), 1);
  EXPECT_EQ(imported.left("<material>"), 1);
  EXPECT_EQ(imported.left("<gazebo>"), 1);
  EXPECT_EQ(imported.carried("shapes"), 1);
  if (imported.left("rotor inertias") == 0) {  // once the model file has them: 0.5 10^2
    EXPECT_TRUE(imported.says("inertia = 50"));
  }
}

TEST(Urdf, PlacesAreThoseOfTheSource) {
  const std::string text =
      "<?xml version='1.0'?>\n<robot name='r'>\n  <link name='a'/>\n"
      "  <joint name='j' type='revolute'>\n    <parent link='aa'/>\n    <child link='a'/>\n"
      "  </joint>\n</robot>\n";
  EXPECT_NE(refusal(text).find("model:5:13: unknown link 'aa'; did you mean 'a'?"),
            std::string::npos);
  // Found by the check of the model, told at the source.
  const std::string flat =
      "<robot name='r'>\n<link name='a'>\n <inertial><mass value='1'/>\n"
      "<inertia ixx='1' iyy='1' izz='9'/></inertial></link>\n</robot>";
  EXPECT_NE(refusal(flat).find("model:2:1: inertia of body 'a' violates"), std::string::npos)
      << refusal(flat);
}

TEST(Urdf, Refusals) {
  const auto told = [](const std::string& text, const char* what) {
    EXPECT_NE(refusal(text).find(what), std::string::npos) << refusal(text);
  };
  told(robot("<link name='a'/><link name='b'/>"), "two root links, 'a' and 'b'");
  told(robot(""), "there is no <link>");
  told(robot("<link name='a'/><joint name='j' type='ball'><parent link='a'/><child link='a'/>"
             "</joint>"),
       "unknown joint type 'ball'");
  told(pendulum("type='revolute'><axis xyz='0 0 0'/>"), "is zero");
  told(pendulum("type='revolute'><axis xyz='0 0'/>"), "expected 3 numbers, got 2");
  told(pendulum("type='revolute'><axis xyz='0 x 0'/>"), "expected numbers, got 'x'");
  told(pendulum("type='revolute'>", "<mimic joint='nobody'/>"), "which is not there");
  told("<robot xmlns:xacro='x'><xacro:include filename='a'/></robot>", "xacro model.xml >");
  told("<robot name='${x}'/>", "this is xacro");
  told("<house/>", "expected <robot> (URDF), <mujoco> (MJCF) or <sdf>");
  told("<robot", "not valid XML");
  told(robot("<link name='a'/><drake:linear_bushing_rpy/>"), "would change the motion");
}

TEST(Xml, BombsAndDepthAreRefused) {
  std::string bomb = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>";
  for (char c = 'b'; c < 'k'; ++c) {
    std::string line = std::string("<!ENTITY ") + c + " '";
    for (int k = 0; k < 10; ++k) line += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += line + "'>";
  }
  EXPECT_NE(refusal(bomb + "]><robot>&j;</robot>").find("declares the entity 'a'"),
            std::string::npos);
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  EXPECT_NE(refusal(deep).find("nested more than"), std::string::npos);
  EXPECT_NE(refusal("<robot name='r'><!-- \n -->\n<link/></robot>").find("model:3:1:"),
            std::string::npos);
}

TEST(Xml, DeclarationBehindBlanksIsTaken) {
  expect_import("\n <!-- x -->\n<?xml version='1.0'?>" + robot("<link name='a'/>"));
}

}  // namespace
}  // namespace cartan::test
