// Balls above each other and linkages with stops against the reference cases C11 and C14.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "published/contacts/contact_run.h"

namespace cartan::test {
namespace {

struct BallStack {
  double mass[5], z[5], e_balls, e_floor, duration;
  std::vector<double> t;
  std::vector<const char*> pair;
  std::size_t impacts;
  double z_end[5], v_end[5];
};

std::string stack_text(const BallStack& c) {
  std::string text = "name = \"stack\"\n";
  for (int i = 0; i < 5; ++i)
    text += fmt::format(
        "[[body]]\nname = \"b{0}\"\nmass = {1}\n[[joint]]\nname = \"j{0}\"\ntype = \"prismatic\"\n"
        "axis = [0, 0, 1]\nparent = {{ body = \"world\" }}\nchild = {{ body = \"b{0}\" }}\n"
        "position = {2}\n",
        i + 1, c.mass[i], c.z[i]);
  text += fmt::format(
      "[[contact]]\nname = \"floor-1\"\na = {{ body = \"b1\", sphere = 0.02 }}\n"
      "b = {{ body = \"world\", plane = [0, 0, 1] }}\nrestitution = {}\n",
      c.e_floor);
  for (int i = 1; i < 5; ++i)
    text += fmt::format(
        "[[contact]]\nname = \"{0}-{1}\"\na = {{ body = \"b{1}\", sphere = 0.02 }}\n"
        "b = {{ body = \"b{0}\", sphere = 0.02 }}\nrestitution = {2}\n",
        i, i + 1, c.e_balls);
  return text;
}

void expect_stack(const BallStack& c) {
  for (const char* formulation : {"recursive", "absolute-se3"}) {
    const Example stack = load_text(stack_text(c), formulation);
    ASSERT_TRUE(stack) << stack.problem;
    const ContactRun run =
        run_contacts(stack, {.integrator = "gl3", .duration = c.duration, .step = 0.01});
    ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
    ASSERT_EQ(run.impacts.size(), c.impacts) << formulation;
    for (std::size_t k = 0; k < c.t.size(); ++k) {
      EXPECT_NEAR(run.impacts[k].t, c.t[k], 1e-11) << formulation << k;
      EXPECT_EQ(stack.system->contact_name(run.impacts[k].contact), c.pair[k]) << k;
    }
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(run.end.q[i][0], c.z_end[i], 1e-11) << formulation << i;
      EXPECT_NEAR(run.end.v[i][0], c.v_end[i], 1e-11 * (1 + std::fabs(c.v_end[i])))
          << formulation << i;
    }
    EXPECT_LT(run.drift, 1e-11);
  }
}

const char *const b01 = "floor-1", *const b12 = "1-2", *const b23 = "2-3", *const b34 = "3-4",
                  *const b45 = "4-5";

TEST(Contacts, FiveEqualBalls) {  // C11.c
  expect_stack({{1, 1, 1, 1, 1},
                {0.52, 0.58, 0.66, 0.76, 0.88},
                1,
                1,
                1.2,
                {0.3192754284070505, 0.322468182691121,  0.3255983279316493, 0.328853691259262,
                 0.3318598342380272, 0.337889353319465,  0.3384319541114735, 0.341252093697594,
                 0.346939960997665,  0.3512029712477555, 0.3537751063103497, 0.3555300704424127,
                 0.3590074379019316, 0.366998782392168,  0.377771781447884,  0.4836553172540248,
                 0.4928735862948866, 0.4976157609383357, 0.5061041241370974, 0.5108462987805465},
                {b01, b12, b01, b23, b12, b01, b34, b23, b12, b45,
                 b34, b01, b23, b12, b01, b45, b34, b45, b23, b34},
                40,
                {0.2453176448179627, 0.4379999569923302, 0.5473338691069697, 0.6085740656455018,
                 0.6508413728311923},
                {3.051764704014969, 2.178999964160275, 1.486778224255808, 1.004478388037918,
                 0.7563678106926602}});
}

TEST(Contacts, FiveLighterAndLighterBalls) {  // C11.d
  expect_stack({{1, 0.6, 0.3, 0.15, 0.06},
                {0.52, 0.58, 0.66, 0.76, 0.88},
                0.9,
                0.85,
                0.75,
                {0.3192754284070505, 0.3227270546600997, 0.328540319928393, 0.3286973818021543,
                 0.335424449851372, 0.3426709024018763, 0.343724230359672, 0.3715372960461674,
                 0.3841742748914098, 0.4991009190280779, 0.5005973655496145, 0.5016988738665877,
                 0.6137130643147945, 0.641950503445333, 0.6609131151190759, 0.6913671910897827,
                 0.7026228633003179, 0.7390182977105186, 0.7478119276008635},
                {b01, b12, b23, b01, b34, b45, b12, b23, b01, b01, b12, b01, b01, b12, b01, b34,
                 b12, b01, b23},
                19,
                {0.02418014071958054, 0.06555932362459161, 0.1092385357570531, 0.1622549633759338,
                 4.223827392222091},
                {0.3267807202108753, -1.499221737286807, 0.1822638177219859, -1.873957466458778,
                 7.625200544126809}});
}

TEST(Contacts, FiveEqualBallsFromHigher) {  // C11.e
  expect_stack({{1, 1, 1, 1, 1},
                {0.82, 0.89, 1.0, 1.09, 1.23},
                1,
                1,
                1.7,
                {0.4038550218769218, 0.4076411627070179, 0.4113576140613898, 0.4164754913105756,
                 0.4200308167675034, 0.4227857260274025, 0.4262259615575846, 0.4283529368781193,
                 0.4343022832236488, 0.4354061954610563, 0.4386162511377469, 0.4400908070507275,
                 0.4462009759147076, 0.4516721440783782, 0.4626740518847602, 0.6114094769537337,
                 0.6241559690662808, 0.6297829132046318, 0.632959371695737,  0.638586315834088},
                {b01, b12, b01, b23, b12, b34, b23, b01, b12, b45,
                 b34, b01, b23, b12, b01, b45, b34, b45, b23, b34},
                50,
                {0.7849107993656982, 0.8753937188071898, 0.9991177132655849, 1.072127556739929,
                 1.118610653128583},
                {-0.8297289415495893, -0.5353272242310648, 0.1315692430974029, 0.5921632686705467,
                 1.47832979595799}});
}

// Crank, rod and slider in the x-z plane; the hinge between rod and slider closes the loop.
constexpr const char* crank_text = R"toml(
name = "slider-crank"
[parameters]
r = R
l = L
th = TH
w = RATE
rod = "-asin(r*sin(th)/l)"
rod_w = "-r*cos(th)*w/(l*cos(rod))"
[[body]]
name = "crank"
mass = M1
com = ["r/2", 0, 0]
inertia = [0, "M1*r^2/12", "M1*r^2/12"]
[[body]]
name = "rod"
mass = M2
com = ["l/2", 0, 0]
inertia = [0, "M2*l^2/12", "M2*l^2/12"]
[[body]]
name = "slider"
mass = M3
inertia = [0.001, 0.001, 0.001]
[[joint]]
name = "crank"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "world" }
child = { body = "crank" }
position = "th"
velocity = "w"
[[joint]]
name = "pin"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "crank", at = ["r", 0, 0] }
child = { body = "rod" }
position = "rod - th"
velocity = "rod_w - w"
[[joint]]
name = "slide"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "slider" }
position = "r*cos(th) + l*cos(rod)"
velocity = "-r*sin(th)*w - l*sin(rod)*rod_w"
STOP
[[joint]]
name = "wrist"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "rod", at = ["l", 0, 0] }
child = { body = "slider" }
)toml";

std::string fill_in(std::string text,
                    const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, value] : words)
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + value.size()))
      text.replace(at, word.size(), value);
  return text;
}

TEST(Contacts, SliderCrankOnAStop) {  // C14.a
  const std::string text =
      fill_in(crank_text, {{"RATE", "0"},
                           {"TH", "1.8"},
                           {"R\n", "0.2\n"},
                           {"L\n", "0.5\n"},
                           {"M1", "1"},
                           {"M2", "1.5"},
                           {"M3", "2"},
                           {"STOP", "stop = { upper = 0.62, restitution = 0.8 }"}}) +
      "[[force]]\ntype = \"spring\"\nfrom = { body = \"world\", at = [1, 0, 0] }\n"
      "to = { body = \"slider\", at = [0, 0, 0] }\nstiffness = 40\nlength = 0\n";
  const double t[] = {0.2732782927383758, 0.6832083230504055, 1.00539410594274,
                      1.260526827065116,  1.46309440688678,   1.62423138859507,
                      1.752615040285887,  1.855031183411319,  1.936807532454656};
  const double speed[] = {1.541376460788739,  1.233101168630992,  0.9864809349047933,
                          0.7891847479238346, 0.6313477983390677, 0.5050782386712542,
                          0.4040625909370033, 0.3232500727496027, 0.2586000581996821};
  for (const char* formulation : {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3"}) {
    const Example crank = load_text(text, formulation);
    ASSERT_TRUE(crank) << crank.problem;
    const ContactRun run = run_contacts(crank, {.integrator = "gl4", .duration = 2, .step = 0.005});
    ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
    ASSERT_EQ(run.impacts.size(), 9u) << formulation;
    for (int k = 0; k < 9; ++k) {
      EXPECT_NEAR(run.impacts[k].t, t[k], 1e-10) << formulation << k;
      EXPECT_NEAR(run.impacts[k].speed_before, -speed[k], 1e-10) << formulation << k;
    }
    EXPECT_NEAR(run.end.q[0][0], 0.7932044422812189, 1e-10) << formulation;
    EXPECT_NEAR(run.end.v[0][0], -1.04939076475315, 1e-9) << formulation;
    EXPECT_NEAR(run.end.kinetic + run.end.potential, 4.714506439405691, 1e-10) << formulation;
    EXPECT_LT(run.drift, 1e-10) << formulation;
  }
}

TEST(Contacts, SliderCrankWithClearance) {  // C14.b
  const std::string text = fill_in(crank_text, {{"RATE", "5"},
                                                {"TH", "0.5"},
                                                {"R\n", "0.1\n"},
                                                {"L\n", "0.3\n"},
                                                {"M1", "0.5"},
                                                {"M2", "0.4"},
                                                {"M3", "0.6"},
                                                {"STOP", ""}}) +
                           R"toml(
[[body]]
name = "load"
mass = 0.8
inertia = [0.001, 0.001, 0.001]
[[joint]]
name = "play"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "slider" }
child = { body = "load" }
velocity = "r*sin(th)*w + l*sin(rod)*rod_w"
stop = { lower = -0.01, upper = 0.01, restitution = 0.3 }
[[force]]
type = "joint"
joint = "crank"
value = "1.2 - 0.06*v"
[[force]]
type = "spring"
from = { body = "world", at = [-1, 0, 0] }
to = { body = "load", at = [0, 0, 0] }
damping = 1.5
)toml";
  const Example crank = load_text(text);
  ASSERT_TRUE(crank) << crank.problem;
  const ContactRun run = run_contacts(crank, {.integrator = "gl4", .duration = 2, .step = 0.002});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  const double hard[][2] = {
      {0.025594573446604, 0.4685973424088},  {0.065346335608892, 0.1345238319802},
      {0.077078779877816, 0.03989073461171}, {0.3055229680337, 1.20597269704},
      {0.33537205439763, 0.3100673168952},   {0.34750113564195, 0.08798247320367},
      {0.35143359965932, 0.02594552474689},  {0.51093303745755, 1.362947726288},
      {0.57120177829564, 0.2514452593032},   {0.59435016637716, 0.07343186914763},
      {0.60124834451099, 0.0218930093612},   {0.77980714541334, 1.232850096139},
      {0.80766187533199, 0.3135330483023},   {0.81925816816464, 0.08876633787943},
      {0.8230398060876, 0.02616449819328},   {0.98346534991588, 1.372630560649},
      {1.0430052319407, 0.2507203275945},    {1.0660838527965, 0.07319198714105},
      {1.072965219776, 0.0218206703533},     {1.2514603021615, 1.233315882514},
      {1.2792787849966, 0.3135951342201},    {1.2908649813589, 0.08878004143871},
      {1.294643745544, 0.02616829588501},    {1.4550858126189, 1.372806739304},
      {1.5146123116257, 0.2507072121723},    {1.5376896530307, 0.07318762435089},
      {1.5445707132721, 0.02181935395805},   {1.7230647322157, 1.233324434422},
      {1.7508825490571, 0.3135962751288},    {1.7624685597724, 0.08878029316244},
      {1.7662472711125, 0.02616836563593},   {1.9266896416497, 1.372809976795},
      {1.986215894688, 0.2507069711899}};
  std::vector<Impact> seen;
  for (const Impact& i : run.impacts)
    if (i.speed_before < -0.02) seen.push_back(i);
  ASSERT_EQ(seen.size(), std::size(hard));
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_NEAR(seen[k].t, hard[k][0], 1e-9) << k;
    EXPECT_NEAR(seen[k].speed_before, -hard[k][1], 1e-8) << k;
  }
  const double rests[] = {0.082073084642202, 0.35316068831671, 0.60419197304104, 0.82470337288496,
                          1.0759020091266,   1.2963061005119,  1.5475073779906,  1.7679096037958};
  ASSERT_EQ(run.events.size(), std::size(rests));
  for (std::size_t k = 0; k < std::size(rests); ++k)
    EXPECT_NEAR(run.events[k].state.t, rests[k], 1e-9) << k;
  // it leaves the stops where the force vanishes: closed just before, open just after
  const double releases[] = {0.2529700159149, 0.45739027318035, 0.72698425308818, 0.93006520491845,
                             1.1986321690974, 1.4016882580872,  1.6702365027556,  1.8732921347194};
  const MechanicalSystem& system = crank.mechanism();
  const auto workspace = system.make_workspace();
  State state = system.initial_state();
  for (std::size_t k = 0; k < std::size(releases); ++k)
    for (const double d : {-1e-8, 1e-8}) {
      const double length = releases[k] + d - state.t;
      const SimulateReport to = simulate(
          system, state, {.integrator = "gl4", .duration = length, .step = std::min(0.002, length)},
          Observer{});
      ASSERT_EQ(to.status, RunStatus::completed) << to.message;
      state = to.final_state;
      const int upper = k % 2 == 0 ? 1 : 0;
      EXPECT_EQ(system.report_contacts(state, *workspace)[upper].mode != 0, d < 0) << k;
      EXPECT_EQ(system.report_contacts(state, *workspace)[1 - upper].mode, 0) << k;
    }
  EXPECT_NEAR(run.end.q[0][0], 25.991857645531, 1e-8);
  EXPECT_NEAR(run.end.v[0][0], 7.92425762177, 1e-8);
  EXPECT_NEAR(run.end.q[2][0] + run.end.q[4][0], 0.36518535828355, 1e-9);
  EXPECT_NEAR(run.end.v[2][0] + run.end.v[4][0], -0.72021988369722, 1e-8);
  EXPECT_NEAR(run.end.q[4][0], 0.00958949595458, 1e-9);
}

}  // namespace
}  // namespace cartan::test
