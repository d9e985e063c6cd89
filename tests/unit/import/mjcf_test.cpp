// MJCF against closed forms and models written by hand.
#include <filesystem>
#include <fstream>

#include "unit/import/imports.h"

namespace cartan::test {
namespace {

const std::string inertial = "<inertial pos='0 0 -0.5' mass='2' diaginertia='0.2 0.3 0.4'/>";

// Three joints in one body, anchors of their own, against a chain written by hand.
TEST(Mjcf, SeveralJointsAreAChainInTheirOrder) {
  expect_same_motion(mujoco("<body name='b' pos='0 0 1' quat='0.8 0 0.6 0'>" + inertial +
                            "<joint name='x' type='slide' axis='1 0 0'/>"
                            "<joint name='y' type='hinge' axis='0 1 0' pos='0 0 0.2'/>"
                            "<joint name='z' axis='0 0 1' pos='0.1 0 0'/></body>"),
                     R"(
[[body]]
name = "b1"
mass = 0
[[body]]
name = "b2"
mass = 0
[[body]]
name = "b"
mass = 2
com = [0, 0, -0.5]
inertia = [0.2, 0.3, 0.4]
[[joint]]
name = "x"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world", at = [0, 0, 1], rotate = { quaternion = [0.8, 0, 0.6, 0] } }
child = { body = "b1" }
[[joint]]
name = "y"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "b1", at = [0, 0, 0.2] }
child = { body = "b2", at = [0, 0, 0.2] }
[[joint]]
name = "z"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "b2", at = [0.1, 0, 0] }
child = { body = "b", at = [0.1, 0, 0] }
)");
}

// qpos = ref in the drawn pose; a spring with springref s pulls our coordinate to s - ref.
TEST(Mjcf, RefAndDegrees) {
  const std::string joint = "<body name='b'>" + inertial +
                            "<joint name='j' axis='0 1 0' ref='-45' stiffness='10' springref='30' "
                            "damping='0.5'/></body>";
  const auto imported = expect_import(mujoco(joint));
  const auto rates = rates_of(imported.model->text);
  const double q = 0.3 * std::sin(0.4), v = 0.3 * std::sin(2.1), rest = 75 * M_PI / 180;
  EXPECT_NEAR(rates[1], (-2 * 9.81 * 0.5 * std::sin(q) - 10 * (q - rest) - 0.5 * v) / (0.3 + 0.5),
              1e-12);
  ASSERT_FALSE(imported.model->report.notes.empty());
  EXPECT_NE(imported.model->report.notes[0].text.find("minus its ref -0.785398"),
            std::string::npos);
  // In radians the same numbers mean something else.
  const auto radians = expect_import(mujoco(joint, "<compiler angle='radian'/>"));
  EXPECT_TRUE(radians.says("rest = 75"));
}

TEST(Mjcf, EulerSequences) {
  const auto pose = [](const std::string& sequence) {
    return expect_import(mujoco("<body name='b' euler='30 40 50'><inertial pos='0.5 0 0' mass='2' "
                                "diaginertia='0.2 0.3 0.4'/><joint/></body>",
                                "<compiler eulerseq='" + sequence + "'/>"))
        .model->text;
  };
  // Rotating x, y, z is fixed Z, Y, X; and R = Rz Ry Rx is rpy: fixed X, Y, Z.
  const double d = M_PI / 180;
  const auto by_hand = [&](const char* rotation) {
    return std::string(
               "[[body]]\nname = \"b\"\nmass = 2\ncom = [0.5, 0, 0]\n"
               "inertia = [0.2, 0.3, 0.4]\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\n"
               "axis = [0, 0, 1]\nchild = { body = \"b\" }\n"
               "parent = { body = \"world\", rotate = ") +
           rotation + " }\n";
  };
  const std::string rpy = fmt::format("{{ rpy = [{}, {}, {}] }}", 30 * d, 40 * d, 50 * d);
  EXPECT_LT(largest_difference(rates_of(pose("XYZ")), rates_of(by_hand(rpy.c_str()))), 1e-12);
  const std::string zyx = fmt::format("{{ rpy = [{}, {}, {}] }}", 50 * d, 40 * d, 30 * d);
  EXPECT_LT(largest_difference(rates_of(pose("zyx")), rates_of(by_hand(zyx.c_str()))), 1e-12);
  EXPECT_GT(largest_difference(rates_of(pose("xyz")), rates_of(pose("zyx"))), 1e-2);
}

TEST(Mjcf, DefaultClassesBecomeParameters) {
  const std::string defaults =
      "<default><joint damping='1'/><default class='a'><joint damping='2' axis='0 1 0'/>"
      "<default class='b'><joint stiffness='7'/></default></default></default>";
  const auto imported = expect_import(mujoco(
      "<body name='one' childclass='a'>" + inertial + "<joint name='j1'/><body name='two'>" +
          inertial + "<joint name='j2' class='b'/><body name='three' childclass='b'>" + inertial +
          "<joint name='j3' damping='9'/></body></body></body>"
          "<body name='four'>" +
          inertial + "<joint name='j4'/></body>",
      defaults));
  EXPECT_TRUE(imported.says("a_joint_damping = 2"));
  EXPECT_TRUE(imported.says("b_joint_stiffness = 7"));
  EXPECT_TRUE(imported.says("main_joint_damping = 1"));
  EXPECT_TRUE(imported.says("joint = \"j2\"\ndamping = \"a_joint_damping\""));
  EXPECT_TRUE(imported.says("joint = \"j3\"\ndamping = 9"));
  EXPECT_TRUE(imported.says("joint = \"j4\"\ndamping = \"main_joint_damping\""));
  EXPECT_EQ(imported.carried("joint springs"), 2);
}

// A ball of density 1000, a box of stated mass, a capsule between two points.
TEST(Mjcf, InertiaFromGeoms) {
  const auto imported = expect_import(mujoco(
      "<body name='ball'><joint/><geom size='0.1'/></body>"
      "<body name='box'><joint/><geom type='box' size='0.1 0.2 0.3' mass='6' pos='1 0 0'/></body>"
      "<body name='capsule'><joint/><geom type='capsule' size='0.1' fromto='0 0 0 0 0 1'/></body>"
      "<body name='two'><joint/><geom type='sphere' size='0.1' mass='1' pos='-1 0 0'/>"
      "<geom type='sphere' size='0.1' mass='3' pos='1 0 0'/></body>"));
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  const auto& bodies = example.model->bodies;
  const auto numbers = [&](const Formula& formula) {
    std::vector<double> x;
    for (const std::string& text : formula.texts) x.push_back(std::stod(text));
    return x;
  };
  const double m = 1000 * 4 * M_PI / 3 * 1e-3;
  EXPECT_NEAR(numbers(bodies[0].mass)[0], m, 1e-12);
  EXPECT_NEAR(numbers(bodies[0].inertia)[0], 0.4 * m * 0.01, 1e-14);
  EXPECT_NEAR(numbers(bodies[1].inertia)[0], 6.0 / 12 * (0.16 + 0.36), 1e-14);
  EXPECT_EQ(numbers(bodies[1].com)[0], 1);
  // Cylinder and ball apart, the ball cut in two halves whose centres lie 3 r / 8 outwards.
  const double tube = 1000 * M_PI * 0.01, ball = m, r = 0.1, l = 1;
  EXPECT_NEAR(numbers(bodies[2].mass)[0], tube + ball, 1e-11);
  const double half_about_centre = 83.0 / 320 * (ball / 2) * r * r;
  const double across = tube * (3 * r * r + l * l) / 12 +
                        2 * (half_about_centre + ball / 2 * std::pow(l / 2 + 3 * r / 8, 2));
  EXPECT_NEAR(numbers(bodies[2].inertia)[0], across, 1e-11);
  EXPECT_NEAR(numbers(bodies[2].inertia)[2], tube * r * r / 2 + 0.4 * ball * r * r, 1e-12);
  EXPECT_EQ(numbers(bodies[3].com)[0], 0.5);
  EXPECT_NEAR(numbers(bodies[3].inertia)[1], 4 * 0.004 + 1 * 2.25 + 3 * 0.25, 1e-12);
}

TEST(Mjcf, TotalMassAndBounds) {
  const auto imported =
      expect_import(mujoco("<body name='a'>" + inertial + "<joint/></body><body name='b'>" +
                               inertial + "<joint/></body>",
                           "<compiler settotalmass='8'/>"));
  EXPECT_TRUE(imported.says("mass = 4\n"));
  EXPECT_TRUE(imported.says("inertia = [0.4, 0.6, 0.8]"));
  const auto bound = expect_import(mujoco("<body name='a'>" + inertial + "<joint/></body>",
                                          "<compiler boundmass='3' boundinertia='0.25'/>"));
  EXPECT_TRUE(bound.says("mass = 3\n"));
  EXPECT_TRUE(bound.says("inertia = [0.25, 0.3, 0.4]"));
}

TEST(Mjcf, FrameAndReplicate) {
  const auto imported = expect_import(
      mujoco("<frame pos='0 0 1' euler='0 0 90'><body name='f' pos='1 0 0'>" + inertial +
             "<joint/></body></frame><replicate count='3' offset='0 2 0' sep='_'><body name='r'>" +
             inertial + "<joint name='h'/></body></replicate>"));
  EXPECT_TRUE(imported.says("name = \"r_0\""));
  EXPECT_TRUE(imported.says("name = \"h_2\""));
  EXPECT_TRUE(imported.says("parent = { body = \"world\", at = [0, 4, 0] }"));
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  const auto seen = observe(example.mechanism(), example.system->initial_state());
  EXPECT_NEAR(seen.bodies[0].position.y, 1, 1e-15);
  EXPECT_NEAR(seen.bodies[0].position.z, 1, 1e-15);
}

TEST(Mjcf, ConnectClosesTheLoopAsDrawn) {
  const std::string text =
      "<mujoco><worldbody>"
      "<body name='a'>" +
      inertial +
      "<joint name='ja' axis='0 1 0'/></body>"
      "<body name='b' pos='1 0 0' quat='0.8 0 0.6 0'>" +
      inertial +
      "<joint name='jb' axis='0 1 0'/></body></worldbody><equality>"
      "<connect name='c' body1='a' body2='b' anchor='0.5 0 0.2'/>"
      "</equality></mujoco>";
  const auto imported = expect_import(text);
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  ASSERT_EQ(example.model->loop_joints.size(), 1u);
  // The two anchors coincide as drawn: nothing has to move to close the loop.
  const State start = example.system->initial_state();
  EXPECT_NEAR(start.x[0], 0, 1e-12);
  EXPECT_NEAR(start.x[1], 0, 1e-12);
  const auto seen = observe(example.mechanism(), start);
  const Joint& loop = example.model->joints[example.model->loop_joints[0]];
  EXPECT_EQ(loop.name, "c");
  EXPECT_EQ(loop.type, JointType::spherical);
}

TEST(Mjcf, WeldAndJointEquality) {
  const auto imported = expect_import(
      "<mujoco><worldbody><body name='a'>" + inertial +
      "<joint name='ja' ref='10'/><body name='c' pos='0 0 1'>" + inertial +
      "<freejoint/></body></body>"
      "<body name='b' pos='1 0 0'>" +
      inertial +
      "<joint name='jb' ref='20'/></body></worldbody><equality>"
      "<weld body1='a' body2='b'/><joint joint1='ja' joint2='jb' polycoef='0.5 -2 0 0 0'/>"
      "<weld body1='a' body2='b' active='false'/></equality></mujoco>");
  EXPECT_TRUE(imported.says("terms = [[\"ja\", 1], [\"jb\", 2]]\noffset = 0.5"));
  EXPECT_TRUE(imported.says("loop = true"));
  EXPECT_EQ(imported.left("equalities that are switched off"), 1);
}

// y = 0.5 - 2 x + 0.25 x^2 - x^4, counted from the refs; tendons likewise, of their lengths. One
// joint alone is held at the constant, whatever else is written.
TEST(Mjcf, EqualitiesOfHigherDegree) {
  const auto model = [](const std::string& equality) {
    return "<mujoco><worldbody><body name='a'>" + inertial +
           "<joint name='ja' ref='10' axis='0 1 0'/></body><body name='b'>" + inertial +
           "<joint name='jb' ref='20' axis='0 1 0'/></body></worldbody><tendon>"
           "<fixed name='ta'><joint joint='ja' coef='3'/></fixed>"
           "<fixed name='tb'><joint joint='jb' coef='2'/></fixed></tendon><equality>" +
           equality + "</equality></mujoco>";
  };
  const auto joints =
      expect_import(model("<joint joint1='ja' joint2='jb' polycoef='0.5 -2 0.25 0 -1'/>"));
  EXPECT_TRUE(
      joints.says("terms = [[\"ja\", 1], [\"jb\", 2]]\n"
                  "offset = \"0.5 + 0.25*jb.q^2 - 1*jb.q^4\""))
      << joints.model->text;
  // the follower starts where the polynomial says
  const Example example = load_text(joints.model->text);
  ASSERT_TRUE(example);
  const State start = example.system->initial_state();
  const double x = start.x[1];
  EXPECT_NEAR(start.x[0], 0.5 - 2 * x + 0.25 * x * x - x * x * x * x, 1e-12);

  const auto tendons =
      expect_import(model("<tendon tendon1='ta' tendon2='tb' polycoef='0.5 0 0.25'/>"));
  EXPECT_TRUE(tendons.says("terms = [[\"ja\", 3]]\noffset = \"0.5 + 0.25*(2*jb.q)^2\""))
      << tendons.model->text;
  const auto held = expect_import(model("<joint joint1='ja' polycoef='0.5 1 0.5'/>"));
  EXPECT_TRUE(held.says("terms = [[\"ja\", 1]]\noffset = 0.5"));
}

// Length L = 2 q1 - q2 (+ refs); force -k (L - rest) - c L' on each, times its coefficient.
TEST(Mjcf, FixedTendons) {
  const auto imported = expect_import(
      "<mujoco><worldbody><body name='a'>" + inertial +
      "<joint name='j1' axis='0 1 0'/></body>"
      "<body name='b'>" +
      inertial +
      "<joint name='j2' axis='0 1 0'/></body></worldbody>"
      "<tendon><fixed name='t' stiffness='6' damping='0.5' springlength='0.1'>"
      "<joint joint='j1' coef='2'/><joint joint='j2' coef='-1'/></fixed></tendon></mujoco>");
  const auto rates = rates_of(imported.model->text);
  ASSERT_GE(rates.size(), 4u);
  double x[4];
  for (int i = 0; i < 4; ++i) x[i] = 0.3 * std::sin(1.7 * i + 0.4);
  const double pull = 6 * (2 * x[0] - x[1] - 0.1) + 0.5 * (2 * x[2] - x[3]);
  EXPECT_NEAR(rates[2], (-9.81 * std::sin(x[0]) - 2 * pull) / 0.8, 1e-12);
  EXPECT_NEAR(rates[3], (-9.81 * std::sin(x[1]) + pull) / 0.8, 1e-12);
}

// motor: gear u; position: gear (kp u - kp gear (q + ref) - kv gear v).
TEST(Mjcf, ActuatorsAreForcesOfInputs) {
  const std::string bodies =
      "<body name='a'>" + inertial + "<joint name='j' axis='0 1 0' ref='0.2'/></body>";
  const auto model = [&](const std::string& actuator) {
    return expect_import("<mujoco><compiler angle='radian'/><worldbody>" + bodies +
                         "</worldbody><actuator>" + actuator + "</actuator></mujoco>");
  };
  const auto motor = model("<motor name='m-1' joint='j' gear='30'/>");
  EXPECT_TRUE(motor.says("m_1 = 0"));
  EXPECT_TRUE(motor.says("value = \"30*m_1\""));
  const auto servo =
      model("<position name='s' joint='j' gear='2' kp='5' kv='0.3' ctrlrange='0.5 1'/>");
  EXPECT_TRUE(servo.says("s = 0.5"));  // zero is moved into the range
  const auto rates = rates_of(servo.model->text);
  const double q = 0.3 * std::sin(0.4), v = 0.3 * std::sin(2.1);
  const double force = 2 * (5 * 0.5 - 5 * 2 * (q + 0.2) - 0.3 * 2 * v);
  EXPECT_NEAR(rates[1], (-9.81 * std::sin(q) + force) / 0.8, 1e-12);
  EXPECT_EQ(servo.left("control ranges"), 1);
  const auto muscle = model("<muscle joint='j'/>");
  EXPECT_EQ(muscle.left("muscle actuators"), 1);
}

TEST(Mjcf, KeyFrameIsTheInitialState) {
  const auto imported = expect_import(
      "<mujoco><worldbody><body name='f' pos='0 0 2'>" + inertial +
      "<freejoint name='root'/><body name='a'>" + inertial +
      "<joint name='j' ref='90'/></body></body></worldbody><keyframe>"
      "<key name='home' qpos='1 2 3 0.6 0 0 0.8 2' qvel='1 0 0 4 5 6 7'/><key/></keyframe>"
      "</mujoco>");
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  const auto seen = observe(example.mechanism(), example.system->initial_state());
  EXPECT_NEAR(seen.bodies[0].position.z, 3, 1e-14);
  EXPECT_NEAR(seen.bodies[0].orientation.w, 0.6, 1e-14);
  EXPECT_NEAR(seen.bodies[0].linear.x, 1, 1e-14);  // world axes
  EXPECT_NEAR(seen.bodies[0].linear.y, 0, 1e-14);
  EXPECT_NEAR(seen.bodies[0].angular.z, 6, 1e-14);
  EXPECT_TRUE(imported.says("position = " + fmt::format("{}", 2 - 90 * M_PI / 180)));
}

TEST(Mjcf, GravityAndItsCompensation) {
  const auto imported = expect_import(
      mujoco("<body name='b' gravcomp='0.25'>" + inertial + "<joint axis='0 1 0'/></body>",
             "<option gravity='0 0 -5'/>"));
  const auto rates = rates_of(imported.model->text);
  EXPECT_NEAR(rates[1], -0.75 * 2 * 5 * 0.5 * std::sin(0.3 * std::sin(0.4)) / 0.8, 1e-12);
  const auto off = expect_import(mujoco("<body name='b'>" + inertial + "<joint/></body>",
                                        "<option><flag gravity='disable'/></option>"));
  EXPECT_TRUE(off.says("gravity = [0, 0, 0]"));
}

class MjcfFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder =
        std::filesystem::temp_directory_path() / ("cartan-import-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder / "inner");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream((folder / name).string()) << text;
    return (folder / name).string();
  }
  std::string findings(const std::string& path) const {
    Diagnostics problems(path);
    const auto imported = import_model_file(path, {}, problems);
    return imported ? "" : problems.text();
  }
  std::filesystem::path folder;
};

TEST_F(MjcfFolder, Includes) {
  write("leg.xml", "<mujocoinclude>\n<body name='leg'>" + inertial +
                       "<joint/></body>\n"
                       "</mujocoinclude>");
  const std::string main = write("main.xml", mujoco("<include file='leg.xml'/>"));
  EXPECT_EQ(findings(main), "");
  write("leg.xml",
        "<mujocoinclude>\n<body name='leg'>\n<joint axis='0 0 0'/></body>\n"
        "</mujocoinclude>");
  EXPECT_NE(findings(main).find("leg.xml:3:1: the axis"), std::string::npos) << findings(main);
  write("leg.xml", "<mujocoinclude><include file='main.xml'/></mujocoinclude>");
  EXPECT_NE(findings(main).find("includes itself"), std::string::npos);
  write("inner/other.xml", mujoco("<include file='../leg.xml'/>"));
  EXPECT_NE(findings((folder / "inner/other.xml").string()).find("lies outside the folder"),
            std::string::npos);
  write("gone.xml", mujoco("<include file='nothing.xml'/>"));
  EXPECT_NE(findings((folder / "gone.xml").string()).find("cannot be opened"), std::string::npos);
}

TEST(Mjcf, Refusals) {
  const auto told = [](const std::string& text, const char* what) {
    EXPECT_NE(refusal(text).find(what), std::string::npos) << refusal(text);
  };
  const std::string body = "<body name='b'>" + inertial + "<joint name='j'/></body>";
  told(mujoco("<body><composite type='grid'/></body>"), "<composite> makes bodies");
  told(mujoco("<body><flexcomp/></body>"), "<flexcomp> makes bodies");
  told(mujoco(body, "<deformable/>"), "describes bodies that deform");
  told(mujoco(body, "<option density='1.2'/>"), "surrounding fluid");
  told(mujoco(body, "<compiler coordinate='global'/>"), "global coordinates");
  told(mujoco(body, "<compiler eulerseq='xyw'/>"), "expected three of");
  told(mujoco("<body><joint/><geom type='mesh' mesh='m'/></body>"), "comes from the mesh");
  told(mujoco("<body childclass='nobody'>" + inertial + "</body>"), "unknown default class");
  told(mujoco("<body><joint type='screw'/></body>"), "unknown joint type 'screw'");
  told(mujoco(""), "there is no <body>");
  told(mujoco("<replicate count='1000000000'><body/></replicate>"), "count from 1 to");
  told(mujoco("<replicate count='1000'><replicate count='1000'><body/></replicate></replicate>"),
       "more than 200000 elements");
}

TEST(Mjcf, ArmatureOfABall) {
  const auto imported = expect_import(mujoco(
      "<body name='a'>" + inertial + "<joint name='j' type='ball' armature='0.25'/></body>"));
  EXPECT_TRUE(imported.says("inertia = 0.25")) << imported.model->text;
  const Example example = load_text(imported.model->text);
  ASSERT_TRUE(example);
  EXPECT_EQ(imported.left("armatures"), 0);
}

TEST(Mjcf, WrappingTendonsAreRefusedIfTheyAct) {
  const auto model = [](const std::string& attributes) {
    return "<mujoco><worldbody><site name='s'/><body name='b'>" + inertial +
           "<joint/><site name='e'/><geom name='g' size='0.1'/></body></worldbody><tendon>"
           "<spatial name='t' " +
           attributes +
           "><site site='s'/><geom geom='g'/><site site='e'/></spatial></tendon></mujoco>";
  };
  EXPECT_NE(refusal(model("stiffness='3'")).find("wraps"), std::string::npos);
  EXPECT_EQ(expect_import(model("")).left("spatial tendons without a law"), 1);
}

}  // namespace
}  // namespace cartan::test
