// Rows of the table in docs/import.md against models written by hand, and one arm that all three
// formats and a model file describe: its accelerations agree.
#include <fmt/format.h>

#include "unit/import/imports.h"

namespace cartan::test {
namespace {

// A body with full inertia on one joint, in the notation of each format.
const char* const mjcf_body =
    "<inertial pos='0.1 0.2 -0.3' mass='2' fullinertia='0.3 0.2 0.4 0.01 0.02 0.03'/>";

std::string hand_body(const std::string& joint, const std::string& more = "") {
  return "[[body]]\nname = \"b\"\nmass = 2\ncom = [0.1, 0.2, -0.3]\n"
         "inertia = [0.3, 0.2, 0.4, 0.01, 0.02, 0.03]\n[[joint]]\nname = \"j\"\n"
         "parent = { body = \"world\" }\nchild = { body = \"b\" }\n" +
         joint + more;
}
std::string mjcf_joint(const std::string& joint, const std::string& more = "") {
  return "<mujoco><compiler angle='radian'/><worldbody><site name='w' pos='1 2 3'/>"
         "<body name='b'>" +
         std::string(mjcf_body) + "<joint name='j' " + joint +
         "/><site name='s' pos='0.5 0 -0.4' euler='0.1 0.2 0.3'/></body></worldbody>" + more +
         "</mujoco>";
}

TEST(MjcfRow, SlideWithSpringAndDamper) {
  expect_same_motion(
      mjcf_joint("type='slide' axis='0 1 1' stiffness='3' springref='0.7' damping='0.4' ref='0.2'"),
      hand_body("type = \"prismatic\"\naxis = [0, 1, 1]\n",
                "[[force]]\ntype = \"torsion\"\njoint = \"j\"\nstiffness = 3\nrest = 0.5\n"
                "damping = 0.4\n"));
}

// Moments that no body has are refused in all formats, with the body and the numbers.
TEST(EveryFormat, RefusesImpossibleInertia) {
  for (const std::string& text :
       {std::string("<mujoco><worldbody><body name='b'><inertial pos='0 0 0' mass='1' "
                    "diaginertia='1 1 3'/><joint/></body></worldbody></mujoco>"),
        std::string("<robot name='r'><link name='world'/><link name='b'><inertial><mass value='1'/>"
                    "<inertia ixx='1' iyy='1' izz='3' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                    "<joint name='j' type='continuous'><parent link='world'/><child link='b'/>"
                    "</joint></robot>"),
        std::string("<sdf version='1.9'><model name='m'><link name='b'><inertial><mass>1</mass>"
                    "<inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial></link>"
                    "</model></sdf>")}) {
    const std::string told = refusal(text);
    EXPECT_NE(told.find("'b' violates the triangle inequality"), std::string::npos) << told;
  }
}

// An ellipsoid of half lengths 0.1, 0.2, 0.3 and density 500, turned by 90 degrees about z.
TEST(MjcfRow, EllipsoidGivesMass) {
  const double m = 500 * 4 * M_PI / 3 * 0.006;
  expect_same_motion(
      "<mujoco><worldbody><body name='b'><joint name='j' axis='0 1 0'/><geom type='ellipsoid' "
      "size='0.1 0.2 0.3' density='500' pos='0 0 -0.5' euler='0 0 90'/></body></worldbody>"
      "</mujoco>",
      fmt::format("[[body]]\nname = \"b\"\nmass = {:.17g}\ncom = [0, 0, -0.5]\n"
                  "inertia = [{:.17g}, {:.17g}, {:.17g}]\n[[joint]]\nname = \"j\"\n"
                  "type = \"revolute\"\naxis = [0, 1, 0]\nparent = {{ body = \"world\" }}\n"
                  "child = {{ body = \"b\" }}\n",
                  m, m / 5 * (0.01 + 0.09), m / 5 * (0.04 + 0.09), m / 5 * (0.01 + 0.04)));
}

// What cannot change the motion is counted, one line per kind.
TEST(MjcfRow, WhatHasNoEffectIsCounted) {
  const auto imported = expect_import(
      "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody>"
      "<geom type='hfield' hfield='h'/><light pos='0 0 1'/><camera name='c'/><body name='b'>" +
      std::string(mjcf_body) +
      "<joint name='j'/></body></worldbody><sensor><jointpos joint='j'/><jointvel joint='j'/>"
      "</sensor></mujoco>");
  EXPECT_GT(imported.model->report.not_carried.size(), 2u);
  for (const auto& left : imported.model->report.not_carried) EXPECT_GE(left.count, 1) << left.kind;
}

TEST(MjcfRow, BallWithDamper) {
  expect_same_motion(mjcf_joint("type='ball' damping='0.4' pos='0.1 0 0'"),
                     "[[body]]\nname = \"b\"\nmass = 2\ncom = [0.1, 0.2, -0.3]\n"
                     "inertia = [0.3, 0.2, 0.4, 0.01, 0.02, 0.03]\n[[joint]]\nname = \"j\"\n"
                     "type = \"spherical\"\nparent = { body = \"world\", at = [0.1, 0, 0] }\n"
                     "child = { body = \"b\", at = [0.1, 0, 0] }\n[[force]]\ntype = \"torsion\"\n"
                     "joint = \"j\"\ndamping = 0.4\n",
                     0.05);
}

TEST(MjcfRow, ArmatureAddsToTheMassMatrix) {
  expect_same_motion(mjcf_joint("axis='1 2 0' armature='0.8'"),
                     hand_body("type = \"revolute\"\naxis = [1, 2, 0]\ninertia = 0.8\n"));
}

TEST(MjcfRow, DryFriction) {
  const auto imported = expect_import(mjcf_joint("frictionloss='0.25'"));
  EXPECT_TRUE(imported.says("type = \"friction\""));
  EXPECT_TRUE(imported.says("coulomb = 0.25"));
}

TEST(MjcfRow, DiagonalInertiaInItsOwnFrame) {
  const std::string joint = "<joint name='j' axis='1 2 3'/></body>";
  const std::string turned =
      "<body name='b'><inertial pos='0.1 0 0' mass='2' diaginertia='0.2 0.3 0.4' ";
  const std::string hand =
      "[[body]]\nname = \"b\"\nmass = 2\ncom = [0.1, 0, 0]\ninertia = [0.3, 0.2, 0.4]\n"
      "[[joint]]\nname = \"j\"\ntype = \"revolute\"\naxis = [1, 2, 3]\n"
      "parent = { body = \"world\" }\nchild = { body = \"b\" }\n";
  // a quarter turn about z, in every notation
  for (const char* rotation :
       {"quat='1 0 0 1'", "axisangle='0 0 2 90'", "euler='0 0 90'", "xyaxes='0 1 0 -1 0 0'"})
    expect_same_motion(mujoco(turned + rotation + "/>" + joint), hand);
  // z to y, x stays
  expect_same_motion(mujoco(turned + "zaxis='0 1 0'/>" + joint),
                     hand.substr(0, hand.find("inertia = [")) + "inertia = [0.2, 0.4, 0.3]\n" +
                         hand.substr(hand.find("[[joint]]")));
}

TEST(MjcfRow, SpringBetweenTwoSites) {
  expect_same_motion(
      mjcf_joint("axis='0 1 0'",
                 "<tendon><spatial stiffness='7' damping='0.3' springlength='0.6'>"
                 "<site site='w'/><site site='s'/></spatial></tendon>"),
      hand_body("type = \"revolute\"\naxis = [0, 1, 0]\n",
                "[[force]]\ntype = \"spring\"\nfrom = { body = \"world\", at = [1, 2, 3] }\n"
                "to = { body = \"b\", at = [0.5, 0, -0.4] }\nstiffness = 7\ndamping = 0.3\n"
                "length = 0.6\n"));
}

// The control is zero, so that only the parts of coordinate and speed act.
TEST(MjcfRow, ActuatorsWithFeedback) {
  const auto with = [](const std::string& actuator) {
    return mjcf_joint("axis='0 1 0' ref='0.2'", "<actuator>" + actuator + "</actuator>");
  };
  const auto hand = [](const std::string& force) {
    return hand_body("type = \"revolute\"\naxis = [0, 1, 0]\n",
                     "[[force]]\ntype = \"joint\"\njoint = \"j\"\nvalue = \"" + force + "\"\n");
  };
  expect_same_motion(with("<velocity name='u' joint='j' kv='3' gear='2'/>"), hand("-12*v"));
  expect_same_motion(with("<position name='u' joint='j' kp='3' gear='2'/>"), hand("-12*(q + 0.2)"));
  expect_same_motion(with("<general name='u' joint='j' gainprm='4' biastype='affine' "
                          "biasprm='1 -2 -3' gear='0.5'/>"),
                     hand("0.5*(1 - 2*0.5*(q + 0.2) - 3*0.5*v)"));
  EXPECT_TRUE(expect_import(with("<motor name='u' joint='j' gear='5'/>")).says("[inputs]\nu = 0"));
}

TEST(MjcfRow, GroupsThatCount) {
  const std::string geoms =
      "<body name='b'><joint name='j' axis='0 1 0'/>"
      "<geom type='box' size='0.1 0.2 0.3' pos='0 0 -1' group='1'/>"
      "<geom type='sphere' size='0.5' group='3'/></body>";
  expect_same_motion(mujoco(geoms, "<compiler inertiagrouprange='0 2'/>"),
                     "[[body]]\nname = \"b\"\ndensity = 1000\n"
                     "shape = { box = [0.2, 0.4, 0.6], at = [0, 0, -1] }\n[[joint]]\nname = \"j\"\n"
                     "type = \"revolute\"\naxis = [0, 1, 0]\nparent = { body = \"world\" }\n"
                     "child = { body = \"b\" }\n");
}

TEST(UrdfRow, RotorOfATransmission) {
  const std::string link =
      "<link name='world'/><link name='b'><inertial><origin xyz='0.1 0.2 -0.3'/><mass value='2'/>"
      "<inertia ixx='0.3' iyy='0.2' izz='0.4' ixy='0.01' ixz='0.02' iyz='0.03'/></inertial></link>"
      "<joint name='j' type='prismatic'><axis xyz='0 1 1'/><parent link='world'/>"
      "<child link='b'/></joint>";
  const std::string hand = hand_body("type = \"prismatic\"\naxis = [0, 1, 1]\ninertia = 50\n");
  expect_same_motion(robot(link + "<transmission name='t'><joint name='j'/><actuator name='m'>"
                                  "<motorInertia>0.5</motorInertia><mechanicalReduction>10"
                                  "</mechanicalReduction></actuator></transmission>"),
                     hand);
  expect_same_motion(robot(link + "<transmission name='t'><joint name='j'/><actuator name='m'>"
                                  "<drake:rotor_inertia value='0.5'/><drake:gear_ratio value='10'/>"
                                  "</actuator></transmission>"),
                     hand);
}

const char* const sdf_body =
    "<link name='b'><inertial><pose>0.1 0.2 -0.3 0 0 0</pose><mass>2</mass><inertia><ixx>0.3</ixx>"
    "<iyy>0.2</iyy><izz>0.4</izz><ixy>0.01</ixy><ixz>0.02</ixz><iyz>0.03</iyz></inertia></"
    "inertial>";
std::string sdf_joint(const std::string& type, const std::string& content,
                      const std::string& in_link = "") {
  return sdf(std::string(sdf_body) + in_link + "</link><joint name='j' type='" + type +
             "'><parent>world</parent><child>b</child>" + content + "</joint>");
}

TEST(SdfRow, PrismaticBallAndRotor) {
  expect_same_motion(sdf_joint("prismatic", "<axis><xyz>0 1 1</xyz></axis>"),
                     hand_body("type = \"prismatic\"\naxis = [0, 1, 1]\n"));
  expect_same_motion(sdf_joint("ball", ""), hand_body("type = \"spherical\"\n"), 0.05);
  expect_same_motion(
      sdf_joint("revolute",
                "<axis><xyz>1 2 0</xyz></axis><drake:rotor_inertia>0.2</drake:rotor_inertia>"
                "<drake:gear_ratio>2</drake:gear_ratio>"),
      hand_body("type = \"revolute\"\naxis = [1, 2, 0]\ninertia = 0.8\n"));
}

// The work of what lifts it is counted; the motion is that without gravity.
TEST(SdfRow, ALinkWithoutGravity) {
  const auto imported = expect_import(sdf_joint(
      "revolute", "<axis><xyz>1 2 0</xyz><dynamics><damping>0.5</damping></dynamics></axis>",
      "<gravity>false</gravity>"));
  const auto a = rates_of(imported.model->text),
             b = rates_of("gravity = [0, 0, 0]\n" +
                          hand_body("type = \"revolute\"\naxis = [1, 2, 0]\n",
                                    "[[force]]\ntype = \"torsion\"\njoint = \"j\"\n"
                                    "damping = 0.5\n"));
  ASSERT_GE(a.size(), 2u);
  ASSERT_GE(b.size(), 2u);
  EXPECT_NEAR(a[1], b[1], 1e-13);
  EXPECT_GT(std::abs(b[1]), 1e-3);
}

// -------------------------------------------------------------- one arm, four times written

struct Piece {
  const char *name, *axis, *at;
  double turn, mass, com, inertia[3];
};
constexpr Piece pieces[] = {{"base", "0 0 1", "0 0 0.3", 0.3, 4, 0.1, {0.04, 0.05, 0.02}},
                            {"upper", "0 1 0", "0.1 0 0.2", -0.4, 2, 0.25, {0.03, 0.02, 0.01}},
                            {"fore", "1 1 0", "0 0 0.5", 0.7, 1.5, 0.2, {0.01, 0.012, 0.004}},
                            {"hand", "0 0 1", "0 0.05 0.4", 0.2, 0.5, 0.05, {0.002, 0.001, 0.001}}};

std::string commas(std::string text) {
  for (char& c : text)
    if (c == ' ') c = ',';
  return "[" + text + "]";
}

std::string arm_toml() {
  std::string text, before = "world";
  for (const Piece& p : pieces) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nmass = {}\ncom = [{}, 0, {}]\ninertia = [{}, {}, {}]\n"
        "[[joint]]\nname = \"j_{}\"\ntype = \"revolute\"\naxis = {}\nparent = {{ body = \"{}\", at "
        "= {}, rotate = {{ rpy = [{}, 0, 0] }} }}\nchild = {{ body = \"{}\" }}\n[[force]]\ntype = "
        "\"torsion\"\njoint = \"j_{}\"\ndamping = 0.1\n",
        p.name, p.mass, p.com, p.com, p.inertia[0], p.inertia[1], p.inertia[2], p.name,
        commas(p.axis), before, commas(p.at), p.turn, p.name, p.name);
    before = p.name;
  }
  return text;
}
std::string arm_urdf() {
  std::string text = "<link name='world'/>", before = "world";
  for (const Piece& p : pieces) {
    text += fmt::format(
        "<link name='{}'><inertial><origin xyz='{} 0 {}'/><mass value='{}'/><inertia ixx='{}' "
        "iyy='{}' izz='{}'/></inertial></link><joint name='j_{}' type='continuous'><origin "
        "xyz='{}' "
        "rpy='{} 0 0'/><axis xyz='{}'/><parent link='{}'/><child link='{}'/><dynamics "
        "damping='0.1'/></joint>",
        p.name, p.com, p.com, p.mass, p.inertia[0], p.inertia[1], p.inertia[2], p.name, p.at,
        p.turn, p.axis, before, p.name);
    before = p.name;
  }
  return robot(text);
}
std::string arm_mjcf() {
  std::string text, ends;
  for (const Piece& p : pieces) {
    text += fmt::format(
        "<body name='{}' pos='{}' euler='{} 0 0'><inertial pos='{} 0 {}' mass='{}' diaginertia='{} "
        "{} {}'/><joint name='j_{}' axis='{}'/>",
        p.name, p.at, p.turn, p.com, p.com, p.mass, p.inertia[0], p.inertia[1], p.inertia[2],
        p.name, p.axis);
    ends += "</body>";
  }
  return mujoco(text + ends, "<compiler angle='radian'/><default><joint damping='0.1'/></default>");
}
std::string arm_sdf() {
  std::string text, before = "world";
  for (const Piece& p : pieces) {
    text += fmt::format(
        "<link name='{}'><pose{}>{} {} 0 0</pose><inertial><pose>{} 0 {} 0 0 0</pose><mass>{}"
        "</mass><inertia><ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz></inertia></inertial></link>"
        "<joint name='j_{}' type='revolute'><parent>{}</parent><child>{}</child><axis><xyz>{}</xyz>"
        "<dynamics><damping>0.1</damping></dynamics></axis></joint>",
        p.name, before == "world" ? std::string() : " relative_to='" + before + "'", p.at, p.turn,
        p.com, p.com, p.mass, p.inertia[0], p.inertia[1], p.inertia[2], p.name, before, p.name,
        p.axis);
    before = p.name;
  }
  return sdf(text);
}

TEST(ImportedArm, HasTheSameAccelerationsInEveryFormat) {
  for (const std::string& source : {arm_urdf(), arm_mjcf(), arm_sdf()})
    for (const double amplitude : {0.3, 1.1}) expect_same_motion(source, arm_toml(), amplitude);
}

}  // namespace
}  // namespace cartan::test
