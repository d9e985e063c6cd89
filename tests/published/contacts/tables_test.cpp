// The tables of the reference cases, line by line: what reference_test.cpp and cases_test.cpp leave
// out (speeds and energies at every impact, states where modes change).
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "published/contacts/contact_run.h"

namespace cartan::test {
namespace {

struct Hit {
  double t, before;  // rate of the gap, or what it is made of
};

// The first impacts; `scale` times the number of the table is the rate of the gap.
void expect_hits(const ContactRun& run, const std::vector<Hit>& table, double scale,
                 double tolerance, const char* name) {
  ASSERT_EQ(run.report.status, RunStatus::completed) << name << run.report.message;
  ASSERT_GE(run.impacts.size(), table.size()) << name;
  for (std::size_t k = 0; k < table.size(); ++k) {
    EXPECT_NEAR(run.impacts[k].t, table[k].t, tolerance * (1 + table[k].t)) << name << k;
    EXPECT_NEAR(run.impacts[k].speed_before, scale * table[k].before,
                tolerance * (1 + std::fabs(table[k].before)))
        << name << k;
  }
}

TEST(ContactTables, BouncingBalls) {  // C1.a, C1.b
  const std::vector<Hit> a = {
      {0.4515236409857309, 4.4294469180700202},  {1.1739614665629004, 3.5435575344560161},
      {1.7519117270246359, 2.8348460275648129},  {2.2142719353940244, 2.2678768220518503},
      {2.5841601020895351, 1.8143014576414803},  {2.8800706354459437, 1.4514411661131842},
      {3.1167990621310706, 1.1611529328905474},  {3.3061818034791721, 0.92892234631243789},
      {3.4576879965576533, 0.74313787704995032}, {3.5788929510204383, 0.59451030163996025}};
  const std::vector<Hit> b = {
      {0.87964911667735757, 6.9293578346048777}, {1.797912642160165, 4.5040825924931705},
      {2.3947839337239899, 2.9276536851205608},  {2.782750273240476, 1.9029748953283645},
      {3.034928393926192, 1.236933681963437},    {3.1988441723719074, 0.80400689327623402},
      {3.3053894283616224, 0.52260448062955211}, {3.3746438447549372, 0.33969291240920887},
      {3.4196592154105917, 0.22080039306598577}, {3.4489192063367672, 0.14352025549289075}};
  const SimulateOptions options{.integrator = "gl3", .duration = 3.6, .step = 0.01};
  expect_hits(run_contacts(load_example("bouncing_ball"), options), a, -1, 1e-14, "a");
  const Example other =
      load_example("bouncing_ball", "recursive", {{"h", 2.3}, {"v0", 1.7}, {"e", 0.65}});
  expect_hits(run_contacts(other, options), b, -1, 1e-14, "b");
}

TEST(ContactTables, ShakenBall) {  // C1.c: speeds before and after, those of the ball
  const double table[][3] = {{0.14163812728647651, -1.389470028680335, 0.9818369791843709},
                             {0.34140371525590973, -0.977863438795769, 0.7685040651337632},
                             {0.50298388288310137, -0.8165973792889868, 0.7240681733431392},
                             {0.64544785776497038, -0.6735034202479958, 0.6504181926779671},
                             {0.77962018646205152, -0.6658123518403988, 0.3295004937545452},
                             {0.84597593203086095, -0.3214493702754752, 0.4474300604127923},
                             {0.93991457567878985, -0.4741080337733903, 0.5927370035390599},
                             {1.058126439284982, -0.5669213784376849, 0.6247389246701685},
                             {1.1844675986904252, -0.6146678490972296, 0.4111700987797402},
                             {1.2694174352536628, -0.4221877979056208, 0.4932959554219225},
                             {1.3706507159900319, -0.4998025286018578, 0.5831200841466615},
                             {1.488009882990001, -0.5681733441230356, 0.5089813877709574},
                             {1.5918362429054403, -0.5095552029995022, 0.4732078971213373},
                             {1.6892306881875662, -0.4822316110963179, 0.5326902017557821},
                             {1.7973679023498941, -0.528135869176654, 0.5340937675284455},
                             {1.9058992743722232, -0.5305989920106028, 0.4912301775997561},
                             {2.0064750202866633, -0.4954178898209021, 0.5115854131472108},
                             {2.1108213237670328, -0.5120518239952134, 0.528956689045293},
                             {2.2183546473566982, -0.5259452153693243, 0.5081236082697255},
                             {2.3220519128524178, -0.5091465662432839, 0.5066318179337683}};
  constexpr double a = 0.002, w = 60;
  const Example ball = load_example("shaken_ball", "recursive",
                                    {{"a", a}, {"w", w}, {"e", 0.8}, {"z0", 0.1}, {"v0", 0}});
  const ContactRun run = run_contacts(ball, {.integrator = "gl4", .duration = 2.4, .step = 0.001});
  ASSERT_EQ(run.impacts.size(), std::size(table));
  for (std::size_t k = 0; k < std::size(table); ++k) {
    const Impact& impact = run.impacts[k];
    const double plane = a * w * std::cos(w * table[k][0]);
    EXPECT_NEAR(impact.t, table[k][0], 1e-13) << k;
    EXPECT_NEAR(impact.speed_before + plane, table[k][1], 60e-13) << k;
    EXPECT_NEAR(impact.speed_after + plane, table[k][2], 60e-13) << k;
  }
}

TEST(ContactTables, Chatter) {  // C1.e
  const std::vector<Hit> table = {
      {0.11779031060352533, 0.3071288142476844},   {0.13401572846900106, 0.1648376098489218},
      {0.14156215594693777, 0.08357767140779744},  {0.14528087616092797, 0.04190452725109805},
      {0.14713533993858278, 0.02096018015838545},  {0.14806239309750573, 0.01047945794811124},
      {0.14852600493819257, 0.005239244484600518}, {0.14875784843466173, 0.002619460280040881},
      {0.1488737816126165, 0.001309684541485144},  {0.14893175131373974, 0.0006548302323967442}};
  const Example ball = load_example("shaken_ball");
  expect_hits(run_contacts(ball, {.integrator = "gl4", .duration = 0.2, .step = 0.001}), table, -1,
              1e-12, "e");
  // it lifts off where the table falls faster than it could
  const auto workspace = ball.system->make_workspace();
  for (const double d : {-1e-9, 1e-9}) {
    const ContactRun to = run_contacts(
        ball, {.integrator = "gl4", .duration = 0.027288365203985228 + d, .step = 0.001});
    EXPECT_EQ(ball.mechanism().report_contacts(to.report.final_state, *workspace)[0].mode,
              d < 0 ? 2 : 0);
  }
}

// Rate before and energy after: the energy at the start less what the impacts lost.
void expect_stops(const Example& rod, double duration, const double (&table)[8][3],
                  double restitution) {
  const Observation start = observe(rod.mechanism(), rod.system->initial_state());
  const ContactRun run =
      run_contacts(rod, {.integrator = "gl4", .duration = duration, .step = 0.005});
  ASSERT_GE(run.impacts.size(), 8u);
  double energy = start.kinetic + start.potential;
  for (int k = 0; k < 8; ++k) {
    const Impact& impact = run.impacts[k];
    energy -= impact.energy_lost;
    EXPECT_NEAR(impact.t, table[k][0], 1e-12 * (1 + table[k][0])) << k;
    EXPECT_NEAR(impact.speed_before, table[k][1], 4e-12) << k;
    EXPECT_NEAR(impact.speed_after, -restitution * table[k][1], 4e-12) << k;
    EXPECT_NEAR(energy, table[k][2], 2e-11) << k;
  }
}

TEST(ContactTables, RodsOnStops) {  // C2.a, C2.c, C2.d
  const double a[8][3] = {{0.4914259426463717, -3.597535618193153, -3.750275124837538},
                          {1.490437694075741, -2.518274932735207, -4.289320358969152},
                          {2.536803847926875, -1.762792452914645, -4.553452523693642},
                          {3.653396998389026, -1.233954717040251, -4.682877284408643},
                          {4.855967098783286, -0.863768301928176, -4.746295417158993},
                          {6.149725750644378, -0.6046378113497232, -4.777370302206665},
                          {7.528243404996264, -0.4232464679448062, -4.792596995880024},
                          {8.977415661593876, -0.2962725275613644, -4.80005807577997}};
  const double c[8][3] = {{0.3796118969079718, -4.177482993468445, -3.638843629518013},
                          {1.002589061578256, -2.506489796081067, -4.308976013289587},
                          {1.493490070277819, -1.50389387764864, -4.550223671447354},
                          {1.846704026366035, -0.9023363265891842, -4.63707282838415},
                          {2.079727705163364, -0.5414017959535105, -4.668338524881396},
                          {2.225401607340618, -0.3248410775721063, -4.679594175620405},
                          {2.314212840258801, -0.1949046465432638, -4.683646209886448},
                          {2.367816072215446, -0.1169427879259583, -4.685104942222224}};
  const double d[8][3] = {{0.4567901040737089, -2.778174048010166, -13.42915590849055},
                          {1.31248455186979, -2.083630536007625, -14.98034347123025},
                          {2.111392066147678, -1.562722902005718, -15.85288647527133},
                          {2.84724016038645, -1.172042176504289, -16.34369191504444},
                          {3.510367785834745, -0.8790316323782166, -16.61976997491681},
                          {4.091113318049719, -0.6592737242836625, -16.77506388359502},
                          {4.583338833005555, -0.4944552932127468, -16.86241670722651},
                          {4.987090138536084, -0.3708414699095601, -16.91155267051923}};
  expect_stops(
      load_example("pendulum_stop", "recursive", {{"stop", -0.2}, {"e", 0.7}, {"start", 1}}), 9, a,
      0.7);
  expect_stops(load_example("pendulum_stop"), 2.4, c, 0.6);
  expect_stops(load_example("pendulum_stop", "recursive",
                            {{"L", 1.4}, {"m", 2.5}, {"start", 0.9}, {"stop", 0.15}, {"e", 0.75}}),
               5, d, 0.75);
}

TEST(ContactTables, RimlessWheel) {  // C4.a: the foot ahead comes down with 2 l sin(alpha) w
  const double table[][3] = {{0.5772274128874336, 1.802784613001256, 1.362765122893505},
                             {1.231291170327453, 1.690313917900766, 1.277746014384822},
                             {1.947129672844613, 1.622549610381879, 1.226521461990828},
                             {2.708015385286192, 1.582525594610781, 1.196266415227261},
                             {3.499212517862483, 1.559193925422611, 1.178629485779769},
                             {4.309627539149271, 1.545703666820899, 1.168431898231791}};
  const ContactRun run = run_contacts(load_example("rimless_wheel"),
                                      {.integrator = "gl4", .duration = 4.5, .step = 0.005});
  ASSERT_EQ(run.impacts.size(), std::size(table));
  for (std::size_t k = 0; k < std::size(table); ++k) {
    const auto [t, before, after] = table[k];
    EXPECT_NEAR(run.impacts[k].t, t, 1e-12 * (1 + t)) << k;
    EXPECT_NEAR(run.impacts[k].speed_before, -2 * std::sin(M_PI / 8) * before, 1e-11) << k;
    EXPECT_NEAR(run.impacts[k].energy_lost, 0.5 * 1.2 * (before * before - after * after), 1e-11);
  }
}

TEST(ContactTables, BallsAtTheEndOfSliding) {  // C7
  struct Case {
    Settings settings;
    double R, end, x, y, vx, vy, wx, wy, wz;
  };
  const Case cases[] = {{{{"mu", 0.2}, {"vx", 5}, {"vy", 0}, {"wx", 0}, {"wy", 0}, {"wz", 0}},
                         0.0285,
                         0.72811999417504,
                         3.120514260750172,
                         0,
                         3.571428571428571,
                         0,
                         0,
                         125.3132832080201,
                         0},
                        {{{"mu", 0.2}, {"vx", 2}, {"vy", 0}, {"wx", 0}, {"wy", -250}, {"wz", 0}},
                         0.0285,
                         1.328818989369448,
                         0.9254275104537228,
                         0,
                         -0.6071428571428571,
                         0,
                         0,
                         -21.30325814536341,
                         0},
                        {{},
                         0.0285,
                         0.7142134924128706,
                         0.8754216807003471,
                         -0.07805333167083514,
                         0.4514285714285714,
                         -0.5185714285714286,
                         18.19548872180451,
                         15.83959899749373,
                         60},
                        {{{"m", 0.21},
                          {"R", 0.035},
                          {"mu", 0.15},
                          {"vx", 1.2},
                          {"vy", -0.7},
                          {"wx", -140},
                          {"wy", 60},
                          {"wz", -35}},
                         0.035,
                         1.101278649579126,
                         1.463127348726553,
                         0.1101278649579126,
                         1.457142857142857,
                         0.9,
                         -25.71428571428571,
                         41.63265306122449,
                         -35}};
  for (const Case& c : cases) {
    const Example ball = load_example("billiard_ball", "recursive", c.settings);
    ASSERT_TRUE(ball) << ball.problem;
    const auto workspace = ball.system->make_workspace();
    // speeds have a corner there: an instant aside they differ by 1e-9 times 7/2 mu g / R
    for (const double d : {-1e-9, 1e-9}) {
      const ContactRun to =
          run_contacts(ball, {.integrator = "gl6", .duration = c.end + d, .step = 0.001});
      ASSERT_EQ(to.report.status, RunStatus::completed) << to.report.message;
      const int mode = ball.mechanism().report_contacts(to.report.final_state, *workspace)[0].mode;
      EXPECT_EQ(mode, d < 0 ? 2 : 1) << c.end;
      const Vec3<double> p = to.end.bodies[0].position, v = to.end.bodies[0].linear,
                         w = world_rate(to.end.bodies[0]);
      EXPECT_NEAR(p.x - d * v.x, c.x, 1e-11);
      EXPECT_NEAR(p.y - d * v.y, c.y, 1e-11);
      EXPECT_NEAR(v.x, c.vx, 1e-8);
      EXPECT_NEAR(v.y, c.vy, 1e-8);
      EXPECT_NEAR(w.x, c.wx, 1e-6);
      EXPECT_NEAR(w.y, c.wy, 1e-6);
      EXPECT_NEAR(w.z, c.wz, 1e-10);
    }
  }
}

TEST(ContactTables, Ladders) {  // C8.a, C8.b: leaving the wall, coming down, at rest
  struct Case {
    Settings settings;
    double leaves, angle, rate, down, fastest, x, rest;
  };
  const Case cases[] = {{{},
                         0.6505624420988226,
                         0.8803374880586081,
                         2.164699858909105,
                         0.8945467579666077,
                         3.554182324130599,
                         1.10732963602308,
                         0},
                        {{{"mu", 0.2}, {"start", 0.6}},
                         0.5920602612149639,
                         1.06681991620699,
                         1.984560333249901,
                         0.7877120963545591,
                         3.204516250111589,
                         1.054203921488374,
                         0.9033768048655855}};
  for (const Case& c : cases) {
    const Example ladder = load_example("falling_ladder", "recursive", c.settings);
    ASSERT_TRUE(ladder) << ladder.problem;
    const auto workspace = ladder.system->make_workspace();
    const auto run_to = [&](double t) {
      return run_contacts(ladder, {.integrator = "gl4", .duration = t, .step = 0.002});
    };
    const auto mode = [&](const ContactRun& run, int contact) {
      return ladder.mechanism().report_contacts(run.report.final_state, *workspace)[contact].mode;
    };
    for (const double d : {-1e-9, 1e-9}) {
      const ContactRun to = run_to(c.leaves + d);
      EXPECT_EQ(mode(to, 1), d < 0 ? 2 : 0);
      EXPECT_NEAR(to.end.q[0][2] - d * c.rate, c.angle, 1e-11);
      EXPECT_NEAR(to.end.v[0][2], c.rate, 1e-8);
    }
    const ContactRun down = run_to(c.down - 1e-9);
    EXPECT_NEAR(down.end.q[0][0], c.x, 1e-8);
    EXPECT_NEAR(down.end.v[0][2], c.fastest, 1e-7);
    if (c.rest == 0) continue;
    EXPECT_EQ(mode(run_to(c.rest - 1e-8), 0), 2);
    EXPECT_EQ(mode(run_to(c.rest + 1e-8), 0), 1);
    const ContactRun after = run_to(c.down + 1e-9);
    EXPECT_NEAR(after.end.v[0][0], 0.2269341580986337, 1e-8);
  }
}

TEST(ContactTables, RockingBlock) {  // C12.a
  const double table[][3] = {{0.8912496270417899, 0.6417142436034004, 0.5850923985795709},
                             {1.981919434005096, 0.5850923985795709, 0.5334665987049029},
                             {2.844730960846595, 0.5334665987049029, 0.486396016466235},
                             {3.567924931199785, 0.486396016466235, 0.4434787208956849},
                             {4.190761185974994, 0.4434787208956849, 0.4043482455225362},
                             {4.735700161651649, 0.4043482455225362, 0.3686704591529006}};
  const ContactRun run = run_contacts(load_example("rocking_block"),
                                      {.integrator = "gl4", .duration = 4.8, .step = 0.01});
  ASSERT_EQ(run.impacts.size(), std::size(table));
  // about a corner: I = 4/3 m (b^2 + h^2); the corner that comes down is 2 b away from it
  const double I = 4.0 / 3 * 100 * (0.25 * 0.25 + 1);
  for (std::size_t k = 0; k < std::size(table); ++k) {
    const auto [t, before, after] = table[k];
    EXPECT_NEAR(run.impacts[k].t, t, 1e-11) << k;
    EXPECT_NEAR(run.impacts[k].speed_before, -2 * 0.25 * before, 1e-11) << k;
    EXPECT_NEAR(run.impacts[k].energy_lost, 0.5 * I * (before * before - after * after), 1e-9) << k;
  }
  // from rest to the first impact it takes a quarter of the period without loss
  const double period[][2] = {
      {0.02449786631268642, 0.7023576637972486}, {0.07349359893805925, 1.344677166421262},
      {0.1224893315634321, 1.975212860315328},   {0.1714850641888049, 2.808201794013743},
      {0.2204807968141777, 4.483457514785511},   {0.2425288764955955, 7.934429970013486}};
  for (const auto& [tilt, whole] : period) {
    const Example block = load_example("rocking_block", "recursive", {{"tilt", tilt}});
    const ContactRun quarter =
        run_contacts(block, {.integrator = "gl4", .duration = whole / 4 + 0.001, .step = 0.005});
    ASSERT_GE(quarter.impacts.size(), 1u);
    // next to the highest point the time grows with the error of the tilt
    EXPECT_NEAR(quarter.impacts[0].t, whole / 4, 1e-11) << tilt;
  }
}

// C15: the first two impacts of eight spheres in a corner, located. Sphere 1 meets x = 0 and slips.
TEST(ContactTables, FirstImpactInTheCorner) {
  const double mass = 1000 * 4.0 / 3 * M_PI * std::pow(0.05, 3);
  const Example ball = load_text(R"toml(
gravity = ["-9.81/sqrt(3)", "-9.81/sqrt(3)", "-9.81/sqrt(3)"]
[[body]]
repeat = 2
name = "ball{i}"
density = 1000
shape = { sphere = "0.055 - 0.005*i" }
[[joint]]
name = "fly1"
type = "free"
parent = { body = "world" }
child = { body = "ball1" }
position = { at = [0.06, 0.07, 0.08] }
[[joint]]
name = "fly2"
type = "free"
parent = { body = "world" }
child = { body = "ball2" }
position = { at = [0.18, 0.06, 0.07] }
[[contacts]]
bodies = ["ball*"]
friction = 0.4
against = [{ plane = [1, 0, 0] }, { plane = [0, 1, 0] }, { plane = [0, 0, 1] }]
)toml");
  ASSERT_TRUE(ball) << ball.problem;
  const ContactRun run = run_contacts(ball, {.integrator = "gl4", .duration = 0.08, .step = 0.001});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  ASSERT_EQ(run.impacts.size(), 2u);
  const Impact& first = run.impacts[0];
  EXPECT_EQ(ball.system->contact_name(first.contact), "ball1_surface1");
  EXPECT_NEAR(first.t, 0.0594238530135011, 1e-14);
  EXPECT_NEAR(first.speed_before, -0.336565183604907, 1e-13);
  EXPECT_NEAR(first.normal, 0.17622511804455, 1e-13);
  EXPECT_NEAR(first.normal, mass * 0.336565183604907, 1e-13);
  EXPECT_NEAR(first.tangential, 0.070490047217818, 1e-13);
  EXPECT_EQ(ball.system->contact_name(run.impacts[1].contact), "ball2_surface2");
  EXPECT_NEAR(run.impacts[1].t, 0.0727790592166131, 1e-13);
}

}  // namespace
}  // namespace cartan::test
