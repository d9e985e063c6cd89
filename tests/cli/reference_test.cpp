// compare: what it says of its reference is true, judged in quadruple precision.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/quad_motion.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Angle between two rotations.
double angle_between(const json& u, const std::vector<double>& r) {
  const double q[4] = {u[0], u[1], u[2], u[3]};
  const double w = q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3];
  const double x = q[0] * r[1] - q[1] * r[0] - q[2] * r[3] + q[3] * r[2];
  const double y = q[0] * r[2] + q[1] * r[3] - q[2] * r[0] - q[3] * r[1];
  const double z = q[0] * r[3] - q[1] * r[2] + q[2] * r[1] - q[3] * r[0];
  return 2 * std::atan2(std::sqrt(x * x + y * y + z * z), std::fabs(w));
}

void expect_honest(double claimed, double truth) {
  EXPECT_LE(truth, 10 * claimed);
  EXPECT_GE(truth, claimed / 10);
}

json compare(const std::string& model, const std::string& duration) {
  return expect_json(
      run_cartan({"compare", model, "--duration", duration, "--formulations", "recursive",
                  "--integrators", "gl3", "--steps", "0.01", "--json"}));
}

// A racket that turns over again and again: w' = J^-1 (J w x w), u' = u w / 2.
TEST(Reference, Racket) {
  const Scratch scratch;
  const std::string model = scratch.write("racket.toml", R"(
gravity = [0, 0, 0]
[[body]]
name = "racket"
mass = 1
inertia = [0.010, 0.014, 0.004]
[[joint]]
name = "free"
type = "free"
parent = { body = "world" }
child = { body = "racket" }
velocity = [10, 0.001, 0.001, 0, 0, 0]
)");
  const json result = compare(model, "20");
  // the numbers the program has, not the decimal fractions
  const Quad A = 0.010, B = 0.014, C = 0.004;
  const auto rate = [&](const QuadState& x) {
    const Quad *u = &x[0], *w = &x[4];
    return QuadState{(-u[1] * w[0] - u[2] * w[1] - u[3] * w[2]) / 2,
                     (u[0] * w[0] + u[2] * w[2] - u[3] * w[1]) / 2,
                     (u[0] * w[1] + u[3] * w[0] - u[1] * w[2]) / 2,
                     (u[0] * w[2] + u[1] * w[1] - u[2] * w[0]) / 2,
                     (B - C) / A * w[1] * w[2],
                     (C - A) / B * w[2] * w[0],
                     (A - B) / C * w[0] * w[1]};
  };
  const QuadState end = advance(rate, {1, 0, 0, 0, 10, Quad(0.001), Quad(0.001)}, 20, 400);
  EXPECT_NEAR(static_cast<double>(end[5]), 0.04213699881, 1e-10);  // as others have it
  std::vector<double> u;
  for (int k = 0; k < 4; ++k) u.push_back(static_cast<double>(end[k]));
  const double truth = angle_between(result["reference_end"]["bodies"]["racket"]["quaternion"], u);
  EXPECT_GT(truth, 1e-11);  // rounding has grown
  EXPECT_LT(truth, 1e-7);   // which dop853 alone does not reach
  expect_honest(result["reference_error"], truth);
  EXPECT_TRUE(result["chaotic_from"].is_null());
  EXPECT_GT(result["growth"], 10.0);
}

// Two rods of length and mass one; angles from the vertical, both absolute.
QuadState double_pendulum_end(double duration) {
  const auto rate = [](const QuadState& x) {
    const Quad w1 = x[2], w2 = x[3], s1 = x[4], c1 = x[5], s2 = x[6], c2 = x[7];
    const Quad c = c1 * c2 + s1 * s2, s = s1 * c2 - c1 * s2, g = Quad(9.81);
    const Quad a = Quad(4) / 3, b = c / 2, d = Quad(1) / 3;
    const Quad f1 = -s * w2 * w2 / 2 - 3 * g * s1 / 2, f2 = s * w1 * w1 / 2 - g * s2 / 2;
    const Quad det = a * d - b * b;
    return QuadState{
        w1,      w2,      (d * f1 - b * f2) / det, (a * f2 - b * f1) / det, c1 * w1, -s1 * w1,
        c2 * w2, -s2 * w2};
  };
  const Quad t1 = 2, t2 = Quad(2) + Quad(0.5);
  return advance(rate, {t1, t2, 0, 0, sine(t1), cosine(t1), sine(t2), cosine(t2)}, duration,
                 static_cast<int>(duration * 60));
}

TEST(Reference, DoublePendulumWhileItCanBeComputed) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"double-pendulum"});
  for (const char* duration : {"6", "12", "16"}) {
    const json result = compare(model, duration);
    ASSERT_TRUE(result["chaotic_from"].is_null()) << duration;
    const QuadState end = double_pendulum_end(std::stod(duration));
    double truth = 0;
    for (int k = 0; k < 2; ++k) {
      const double half = static_cast<double>(end[k] / 2);
      truth = std::max(
          truth,
          angle_between(result["reference_end"]["bodies"][k == 0 ? "upper" : "lower"]["quaternion"],
                        {std::cos(half), 0, std::sin(half), 0}));
    }
    SCOPED_TRACE(duration);
    if (truth > 1e-14) expect_honest(result["reference_error"], truth);
  }
}

TEST(Reference, DoublePendulumIsChaotic) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"double-pendulum"});
  const json result = compare(model, "30");
  ASSERT_TRUE(result["chaotic_from"].is_number()) << result;
  EXPECT_GT(result["chaotic_from"], 14.0);
  EXPECT_LT(result["chaotic_from"], 25.0);
  EXPECT_TRUE(result["rows"][0]["difference"].is_null());
  EXPECT_TRUE(result["rows"][0]["order"].is_null());
  EXPECT_GT(result["growth"], 1e12);
  const CommandResult text = run_cartan({"compare", model, "--duration", "30", "--formulations",
                                         "recursive", "--integrators", "gl3", "--steps", "0.01"});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("chaotic: no reference beyond t = "), std::string::npos) << text.out;
}

}  // namespace
}  // namespace cartan::test
