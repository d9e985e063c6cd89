// SDF against closed forms and models written by hand.
#include "unit/import/imports.h"

namespace cartan::test {
namespace {

std::string link(const std::string& name, const std::string& more = "") {
  return "<link name='" + name + "'>" + more +
         "<inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass><inertia><ixx>0.2</ixx><iyy>0.3</iyy>"
         "<izz>0.4</izz></inertia></inertial></link>";
}

std::string joint(const std::string& type, const std::string& content,
                  const std::string& parent = "world", const std::string& child = "b") {
  return "<joint name='j' type='" + type + "'><parent>" + parent + "</parent><child>" + child +
         "</child>" + content + "</joint>";
}

const char* const by_hand = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "b"
mass = 2
com = [0, 0, -0.5]
inertia = [0.2, 0.3, 0.4]
[[joint]]
name = "j"
)";

TEST(Sdf, PendulumIsTheClosedForm) {
  const auto imported =
      expect_import(sdf(link("b") + joint("revolute",
                                          "<axis><xyz>0 1 0</xyz><dynamics><damping>0.7</damping>"
                                          "<spring_stiffness>3</spring_stiffness>"
                                          "<spring_reference>0.4</spring_reference></dynamics>"
                                          "<limit><lower>-1</lower></limit></axis>")));
  const auto rates = rates_of(imported.model->text);
  const double q = 0.3 * std::sin(0.4), v = 0.3 * std::sin(2.1);
  EXPECT_NEAR(rates[1], (-9.81 * std::sin(q) - 0.7 * v - 3 * (q - 0.4)) / 0.8, 1e-13);
  EXPECT_EQ(imported.carried("joint limits"), 1);
}

// Poses relative to other frames, an axis in another frame, a joint pose in the child.
TEST(Sdf, FramesAndAxes) {
  expect_same_motion(
      sdf("<frame name='f'><pose>1 2 3 0.1 0.2 0.3</pose></frame>" +
          link("b", "<pose relative_to='f'>0 0 1 0 0 0.5</pose>") +
          joint("revolute",
                "<pose>0.1 0.2 0.3 0.4 0 0</pose><axis><xyz expressed_in='f'>1 1 0"
                "</xyz></axis>")),
      [] {
        // R_fb = Rz(0.5), R_bj = Rx(0.4): the axis in the joint's frame is Rx(-0.4) Rz(-0.5)
        // (1,1,0)
        const double c = std::cos(0.5), s = std::sin(0.5);
        const double x = c + s, y = c - s;
        return std::string(by_hand) +
               fmt::format("type = \"revolute\"\naxis = [{}, {}, {}]\n", x, y * std::cos(0.4),
                           -y * std::sin(0.4)) +
               "child = { body = \"b\", at = [0.1, 0.2, 0.3], rotate = { rpy = [0.4, 0, 0] } }\n"
               "parent = { body = \"frame\", at = [0.1, 0.2, 0.3], rotate = { rpy = [0.4, 0, 0] } "
               "}\n" +
               "[[body]]\nname = \"frame0\"\nmass = 0\n[[body]]\nname = \"frame\"\nmass = 0\n"
               "[[joint]]\nname = \"f0\"\ntype = \"fixed\"\nparent = { body = \"world\", at = [1, "
               "2, 3], rotate = { rpy = [0.1, 0.2, 0.3] } }\nchild = { body = \"frame0\" }\n"
               "[[joint]]\nname = \"f1\"\ntype = \"fixed\"\nparent = { body = \"frame0\", at = [0, "
               "0, 1], rotate = { rpy = [0, 0, 0.5] } }\nchild = { body = \"frame\" }\n";
      }());
}

TEST(Sdf, OldVersionsHaveAxesOfTheModel) {
  const std::string text = link("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>") +
                           joint("revolute", "<axis><xyz>1 0 0</xyz></axis>");
  EXPECT_TRUE(expect_import(sdf(text, "1.6")).says("axis = [1, 0, 0]"));
  const auto old = expect_import(sdf(text, "1.4")).model->text;
  EXPECT_NE(old.find(", -1, 0]"), std::string::npos) << old;  // x of the model in a turned link
  const std::string asked = link("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>") +
                            joint("revolute",
                                  "<axis><xyz>1 0 0</xyz><use_parent_model_frame>true"
                                  "</use_parent_model_frame></axis>");
  EXPECT_NE(expect_import(sdf(asked, "1.6")).model->text.find(", -1, 0]"), std::string::npos);
}

TEST(Sdf, UniversalAndRevolute2) {
  const std::string axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>";
  const std::string placed = "parent = { body = \"world\" }\nchild = { body = \"b\" }\n";
  const std::string universal =
      std::string(by_hand) + "type = \"universal\"\naxes = [[1, 0, 0], [0, 1, 0]]\n" + placed;
  expect_same_motion(sdf(link("b") + joint("universal", axes)), universal);
  // Two revolutes with nothing between them are the same machine.
  expect_same_motion(sdf(link("b") + joint("revolute2", axes)), universal);
}

// A nut of pitch p metres per radian: one coordinate, inertia I + m p^2, weight m g p.
TEST(Sdf, ScrewInItsTwoConventions) {
  const auto model = [](const std::string& pitch) {
    return sdf(
        "<link name='b'><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>0.4"
        "</izz></inertia></inertial></link>" +
        joint("screw", "<axis><xyz>0 0 1</xyz></axis>" + pitch));
  };
  const auto acceleration = [&](const std::string& pitch) {
    return rates_of(expect_import(model(pitch)).model->text)[1];
  };
  // metres per turn, right-handed
  const double p = 0.3 / (2 * M_PI);
  EXPECT_NEAR(acceleration("<screw_thread_pitch>0.3</screw_thread_pitch>"),
              -2 * 9.81 * p / (0.4 + 2 * p * p), 1e-12);
  // radians per metre, left-handed: the weight turns it the other way
  EXPECT_NEAR(acceleration("<thread_pitch>5</thread_pitch>"), 2 * 9.81 * 0.2 / (0.4 + 2 * 0.04),
              1e-12);
}

TEST(Sdf, GearboxAndMimic) {
  const std::string machine =
      link("base") + link("a", "<pose>0 1 0 0 0 0</pose>") + link("b", "<pose>0 2 0 0 0 0</pose>") +
      "<joint name='jw' type='fixed'><parent>world</parent><child>base</child></joint>"
      "<joint name='ja' type='revolute'><parent>base</parent><child>a</child><axis><xyz>0 0 1"
      "</xyz></axis></joint>"
      "<joint name='jb' type='revolute'><parent>base</parent><child>b</child><axis><xyz>0 0 -1"
      "</xyz>";
  const auto gears = expect_import(
      sdf(machine + "</axis></joint><joint name='g' type='gearbox'><parent>a</parent><child>b"
                    "</child><gearbox_reference_body>base</gearbox_reference_body><gearbox_ratio>3"
                    "</gearbox_ratio><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
                    "</joint>"));
  // theta_b = -3 theta_a about z; jb turns about -z: 3 ja - jb = 0
  EXPECT_TRUE(gears.says("terms = [[\"ja\", 3], [\"jb\", -1]]")) << gears.model->text;
  const auto mimic = expect_import(
      sdf(machine + "<mimic joint='ja' axis='axis'><multiplier>2</multiplier><offset>0.5</offset>"
                    "<reference>0.1</reference></mimic></axis></joint>"));
  EXPECT_TRUE(mimic.says("terms = [[\"jb\", 1], [\"ja\", -2]]\noffset = 0.3"));
}

TEST(Sdf, LinkWithTwoParentsClosesALoop) {
  const auto imported = expect_import(
      sdf(link("a") + link("b") +
          "<joint name='j1' type='revolute'><parent>world</parent><child>a</child></joint>"
          "<joint name='j2' type='revolute'><parent>a</parent><child>b</child></joint>"
          "<joint name='j3' type='ball'><parent>world</parent><child>b</child></joint>"));
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  EXPECT_EQ(example.model->loop_joints.size(), 1u);
}

TEST(Sdf, DefaultsAreTold) {
  const auto imported = expect_import(sdf("<link name='b'/>" + joint("revolute", "")));
  EXPECT_TRUE(imported.says("mass = 1\ninertia = [1, 1, 1]"));
  ASSERT_FALSE(imported.model->report.notes.empty());
  EXPECT_NE(imported.model->report.notes[0].text.find("states no inertia"), std::string::npos);
}

TEST(Sdf, WorldsAndTheirGravity) {
  const auto imported = expect_import(
      "<sdf version='1.9'><world name='w'><gravity>0 0 -3</gravity><model name='one'>" + link("b") +
      joint("revolute", "<axis><xyz>0 1 0</xyz></axis>") +
      "</model><model name='two'><static>true</static>" + link("b") +
      "</model><model name='three'><pose>5 0 0 0 0 0</pose>" +
      link("b", "<gravity>false</gravity>") + "</model></world></sdf>");
  EXPECT_TRUE(imported.says("gravity = [0, 0, -3]"));
  EXPECT_TRUE(imported.says("name = \"one::j\""));
  EXPECT_EQ(imported.carried("static links"), 1);
  EXPECT_TRUE(imported.says("force = [0, 0, 6]"));
  EXPECT_TRUE(imported.says("parent = { body = \"world\", at = [5, 0, 0] }"));
  ImportOptions options;
  options.free_base = true;
  EXPECT_TRUE(expect_import(sdf(link("b")), options).says("type = \"free\""));
}

TEST(Sdf, NestedModelsAndPlacement) {
  const auto imported = expect_import(
      sdf("<model name='arm' placement_frame='tip'><pose>0 0 1 0 0 0</pose>" + link("b") +
          "<frame name='tip'><pose>0 0 0.25 0 0 0</pose></frame></model>" +
          joint("revolute", "<axis><xyz>0 1 0</xyz></axis>", "world", "arm::b")));
  EXPECT_TRUE(imported.says("name = \"arm::b\""));
  EXPECT_TRUE(imported.says("parent = { body = \"world\", at = [0, 0, 0.75] }"))
      << imported.model->text;
}

TEST(Sdf, InertiaFromShapes) {
  const auto imported = expect_import(
      sdf("<link name='b'><inertial auto='true'><density>500</density></inertial>"
          "<collision name='c'><geometry><box><size>1 2 3</size></box></geometry></collision>"
          "</link>" +
          joint("revolute", "")));
  EXPECT_TRUE(imported.says("mass = 3000\ninertia = [3250, 2500, 1250]")) << imported.model->text;
}

TEST(Sdf, Refusals) {
  const auto told = [](const std::string& text, const char* what) {
    EXPECT_NE(refusal(text).find(what), std::string::npos) << refusal(text);
  };
  told("<sdf version='2.0'/>", "version '2.0'");
  told(sdf(""), "there is no <link>");
  told(sdf(link("b") + joint("spring", "")), "unknown joint type 'spring'");
  told(sdf(link("b") + joint("revolute", "", "nobody")), "unknown parent 'nobody'");
  told(sdf(link("b") + link("b")), "stands twice in this model; the first is in line 1");
  told(sdf(link("b", "<pose relative_to='c'/>") + link("c", "<pose relative_to='b'/>")),
       "not there, or to itself");
  told(sdf("<include><uri>model://arm</uri></include>"), "--package arm=DIR");
  told(sdf("<include><uri>https://x.y/z</uri></include>"), "lies on the network");
  told(sdf("<include><uri>../other</uri></include>"), "lies outside the folder");
  told(sdf(link("b") + "<drake:linear_bushing_rpy/>"), "is not understood");
  told(sdf(link("b", "<kinematic>true</kinematic>")), "is kinematic");
}

}  // namespace
}  // namespace cartan::test
