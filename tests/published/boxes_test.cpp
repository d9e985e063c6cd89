// Source 002: the spherical double pendulum (5.2, case S2.2), two floating bodies (5.3, case S2.3)
// and the closed 3-bar linkage (5.4).
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

using FormulationTest = testing::TestWithParam<std::string>;

std::string boxes_name(const testing::TestParamInfo<std::string>& info) {
  return info.param == "recursive" ? "recursive" : "moving_frame";
}

class Boxes : public FormulationTest {};
INSTANTIATE_TEST_SUITE_P(Source002, Boxes, testing::Values("recursive", "moving-frame"),
                         boxes_name);

// Of both boxes: position, quaternion, then the angular velocities (body axes).
struct BoxErrors {
  double place = 0, rate = 0;
};
BoxErrors compare_boxes(const Observation& now, const double (&reference)[20]) {
  BoxErrors worst;
  for (int k = 0; k < 2; ++k) {
    const BodyState& body = now.bodies[k];
    const double* r = reference + 7 * k;
    const double sign = body.orientation.w * r[3] + body.orientation.x * r[4] +
                                    body.orientation.y * r[5] + body.orientation.z * r[6] <
                                0
                            ? -1
                            : 1;
    std::vector<double> place, rate;
    append(place, body.position);
    append(place, body.orientation);
    for (int i = 3; i < 7; ++i) place[i] *= sign;
    append(rate, body.angular);
    worst.place = std::max(worst.place, largest_difference(place, std::span(r, 7)));
    worst.rate =
        std::max(worst.rate, largest_difference(rate, std::span(reference + 14 + 3 * k, 3)));
  }
  return worst;
}

// Long double extrapolation; from 0.1 to 1 s it agrees with maximal coordinates to 1e-12 (places)
// and 1e-11 (rates).
const double pendulum_times[] = {0.1, 0.25, 0.5, 0.75, 1};
const double pendulum_reference[][20] = {
    {-0.09837707508740508,  0.013541129336541405, -0.011772379264113153, 0.08725766746817933,
     -0.022376863743323348, 0.44624513643382147,  0.8903654607217114,    -0.21875163422433858,
     0.10635857633633601,   -0.08038995316458682, 0.5352362043527329,    -0.3217682167375102,
     0.06303651605236255,   0.778468893335901,    -19.99473065619171,    13.400103923141135,
     25.48652469569198,     -9.72887138866929,    -11.457142930063014,   27.525799913539437},
    {0.08647277838837523, 0.04318627882043146,  -0.025639889224388205, 0.43765075164633727,
     -0.8607123279733317, -0.13916050381793602, 0.21970539873945302,   0.2593426974160455,
     0.04097356105878135, -0.02949755636988771, 0.8468754300597113,    0.4634519491356725,
     -0.2118438191168263, -0.15210684766151183, -9.01689570747542,     -21.13145735576126,
     -2.030625715760559,  9.785704735659685,    44.50066747227799,     7.349416921796057},
    {0.08012792599696662, 0.047194060031500014, -0.03677276401316351, 0.7773917750140604,
     -0.5443359790839859, 0.01608534267040954,  0.31480411650158324,  0.2503188524993135,
     0.05863033850152033, -0.04884660096927916, 0.8358750917088726,   0.5016251923374516,
     -0.2029970160929154, -0.0920717596794542,  -32.2515759182359,    -19.728952104977576,
     24.32341275437467,   -27.614128565933846,  18.894063258616143,   4.9484617471768715},
    {0.08480381895008593,  0.04339279167937291, -0.0304200250123433, 0.9411214761289383,
     -0.1957280304895494,  0.10895745177261348, 0.2531979047164273,  0.2689842509072447,
     0.08739095133664557,  -0.071972090127642,  0.5535714359028282,  -0.8309282341982642,
     0.028385285485834348, 0.04807505104025672, -29.692986475957444, 1.7925443322275545,
     39.565342052307756,   -43.927363557795246, 13.542050396242631,  -0.666746902577722},
    {0.09299767101796348,  0.028686108914588556, -0.02299000523216555, 0.9291703169207907,
     -0.3187959805943842,  0.06329928315861003,  0.17608192883367882,  0.2394341625306148,
     0.12521382528211675,  -0.09639636458021072, 0.5076636318577066,   -0.7137728906049055,
     -0.14878210576616563, 0.458987780371489,    -31.139043617553448,  -6.924940064692286,
     37.131084847067115,   -45.189439221576656,  7.6001613316128696,   -0.39563916915891983}};

TEST_P(Boxes, DoublePendulumMeetsTheReference) {
  const Example example = load_example("spherical_double", GetParam());
  ASSERT_TRUE(example);
  const std::vector<State> states =
      states_at(*example.system, pendulum_times, {.integrator = "gl6", .step = 0.001});
  BoxErrors worst;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(example.mechanism(), states[i]);
    const BoxErrors error = compare_boxes(now, pendulum_reference[i]);
    worst.place = std::max(worst.place, error.place);
    worst.rate = std::max(worst.rate, error.rate);
    EXPECT_NEAR(now.kinetic + now.potential, 93.826594214075077, 1e-11);
    EXPECT_NEAR(now.angular_momentum.z, 5.7962384458731685, 1e-12);
  }
  RecordProperty("place", std::to_string(worst.place * 1e15) + "e-15");
  RecordProperty("rate", std::to_string(worst.rate * 1e15) + "e-15");
  EXPECT_LE(worst.place, 1e-11);
  EXPECT_LE(worst.rate, 1e-10);
}

// Long double extrapolation with two orders agrees to 1.6e-13.
const double pair_times[] = {0.1, 0.25, 0.5, 1, 2, 5};
const double pair_reference[][20] = {
    {-0.07378196730715697,   0.016580480281622834,  -0.014950106026439095, 0.9017394522388849,
     -0.0034247303077168975, -0.009152150773147025, -0.4321694917905021,   0.07378196730715697,
     -0.016580480281622834,  0.014950106026439095,  0.9457122683034692,    0.174075300229849,
     -0.10080368051216848,   0.2552738008989479,    -0.10042155993795245,  -0.4070776684097912,
     -7.893257502767327,     3.837653268361802,     -1.5510293720388668,   3.5692232295980686},
    {-0.007900377585086127, 0.023542969118308436,  -0.03563673171690667, 0.5150519365765056,
     -0.01712954279798957,  -0.020820823326045675, -0.8567348333693154,  0.007900377585086127,
     -0.023542969118308436, 0.03563673171690667,   0.7678348789106592,   0.4731399961654454,
     -0.19289828154075336,  0.3864691394347547,    -0.2942070945067302,  0.023073438777024453,
     -7.979262471896635,    4.268583804115104,     -3.6880139566353973,  2.0455314975082395},
    {0.06017349345500608,  -0.007876368518188182, -0.04875021569558468, 0.4075113532469628,
     0.1992154499764821,   -0.06023043593036377,  0.889168148357292,    -0.06017349345500608,
     0.007876368518188182, 0.04875021569558468,   0.07007046978061952,  -0.4331314998706044,
     0.5069989007712692,   -0.741915997739157,    -2.066646020688783,   -5.093617213618203,
     -5.634045410493828,   4.612201098356483,     6.404030333327027,    7.821465246224615},
    {-0.029054158800776206, -0.03199518969254779, -0.05058784099252335, 0.5723947723558092,
     -0.5047141563871116,   -0.502680457513386,   0.40612830799677174,  0.029054158800776206,
     0.03199518969254779,   0.05058784099252335,  0.4371815889445089,   0.7190561113139253,
     -0.429991549566197,    0.327013507934628,    -5.047519462760373,   8.012543228367997,
     1.838964274904998,     -7.984103178744058,   1.774631347284296,    9.260718296020249},
    {-0.07618527962082733,   0.0051799973840535975, 0.008435817712066989, 0.7339078608753651,
     -0.6064507716314196,    -0.11558569407434602,  -0.283260764417441,   0.07618527962082733,
     -0.0051799973840535975, -0.008435817712066989, 0.006767152080609259, -0.9248803788566349,
     -0.09027222734533091,   0.3693256224916412,    -8.362424309520192,   5.864784139379382,
     1.8743595220228408,     -3.020642761442441,    7.952869966963449,    -0.21798015917028019},
    {-0.017798060324312564, -0.08388515872011547,  0.014653568620147092, 0.20922171167001402,
     0.7379143673579208,    0.5191862172084837,    0.3770335975392301,   0.017798060324312564,
     0.08388515872011547,   -0.014653568620147092, 0.539067700255734,    -0.5468960409408252,
     -0.060513893339950615, 0.6376902097861362,    -10.580523696719377,  -1.631169118834409,
     -4.500390673498114,    -4.9194878569195515,   2.8033843544176604,   -7.902587139280196}};

// Rounding grows along this motion: the error of a single run is a draw (1.3e-12 in rates as a root
// of mean squares over steps, by every formulation), whatever the step. So the middle one of 25
// runs is judged.
TEST_P(Boxes, FloatingPairMeetsTheReference) {
  const Example example = load_example("floating_pair", GetParam());
  ASSERT_TRUE(example);
  std::vector<double> places, rates;
  for (int steps = 100; steps < 150; steps += 2) {
    const std::vector<State> states =
        states_at(*example.system, pair_times, {.integrator = "gl6", .step = 1.0 / steps});
    BoxErrors worst;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Observation now = observe(example.mechanism(), states[i]);
      const BoxErrors error = compare_boxes(now, pair_reference[i]);
      worst.place = std::max(worst.place, error.place);
      worst.rate = std::max(worst.rate, error.rate);
      EXPECT_NEAR(now.kinetic, 1.0055034083237727, 1e-13);
      EXPECT_NEAR(now.angular_momentum.x, 0.0088357293382212935, 1e-14);
      EXPECT_NEAR(now.angular_momentum.y, -0.11486448139687682, 1e-14);
      EXPECT_NEAR(now.angular_momentum.z, -0.14216816200038082, 1e-14);
      EXPECT_LE(norm(now.linear_momentum), 1e-14);
    }
    places.push_back(worst.place);
    rates.push_back(worst.rate);
  }
  const auto middle = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  };
  RecordProperty("place", std::to_string(middle(places) * 1e15) + "e-15");
  RecordProperty("rate", std::to_string(middle(rates) * 1e15) + "e-15");
  EXPECT_LE(middle(places), 1e-12);
  EXPECT_LE(middle(rates), 1.6e-12);  // ten times the case's agreement; rates reach 10 rad/s
}

// The triangle of the joint points is rigid: the middle joint stays at its distance from both fixed
// ones.
TEST_P(Boxes, ThreeBarLoopHolds) {
  const Example example = load_example("spherical_three_bar", GetParam());
  ASSERT_TRUE(example);
  const double times[] = {0, 0.5, 1, 2};
  const std::vector<State> states =
      states_at(*example.system, times, {.integrator = "gl6", .step = 0.001});
  const Observation start = observe(example.mechanism(), states[0]);
  const double energy = start.kinetic + start.potential;
  for (const State& state : states) {
    const Observation now = observe(example.mechanism(), state);
    const Vec3<double> middle = point_on(now.bodies[0], {0.1, 0, 0});
    EXPECT_LE(norm(middle - point_on(now.bodies[1], {-0.1, 0, 0})), 1e-14);
    EXPECT_LE(norm(point_on(now.bodies[1], {0.1, 0, 0}) - Vec3<double>{0.25, 0, 0}), 1e-14);
    EXPECT_LE(now.position_violation, 1e-14);
    EXPECT_NEAR(now.kinetic + now.potential, energy, 1e-11);
  }
}

}  // namespace
}  // namespace cartan::test
