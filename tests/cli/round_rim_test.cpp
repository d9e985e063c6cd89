// A wheel with a round rim (`rolling-disc` with `rim`) that falls over sideways, in closed form.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Still at lean f0 and let go: w = f' about the line of travel, contact at rest. With the circle
// R - r of the tube, the centre is at height z = (R - r) cos f + r and |centre - contact|^2 =
// (R - r)^2 + r^2 + 2 r (R - r) cos f, so (I + m |..|^2) f'^2 = 2 m g (z0 - z).
TEST(RoundRim, FallsOverInClosedForm) {
  const Scratch scratch;
  const double R = 0.5, mass = 2, across = 0.12, lean = 0.3;
  for (const double r : {0.0, 0.1, 0.4}) {
    const std::string model = scratch.write("wheel.toml", R"toml(
name = "wheel"
[[body]]
name = "wheel"
mass = 2
inertia = [0.12, 0.2, 0.12]
[[joint]]
name = "floating"
type = "free"
parent = { body = "world" }
child = { body = "wheel" }
position = { at = [0, 0, 0.4], axis = [1, 0, 0], angle = 0.3 }
[[constraint]]
name = "ground"
type = "rolling-disc"
body = "wheel"
axis = [0, 1, 0]
radius = 0.5
rim = )toml" + std::to_string(r) + R"toml(
plane = { normal = [0, 0, 1] }
[[output]]
name = "height"
value = "wheel.z"
[[output]]
name = "fall"
value = "wheel.wx"
)toml");
    const json summary = expect_json(
        run_cartan({"run", model, "--duration", "0.3", "--integrator", "dop853", "--tolerance",
                    "1e-12", "--out", scratch.path("out"), "--force", "--json"}));
    const std::string text = read_file(scratch.path("out/trajectory.csv"));
    const auto value_of = [&](const std::string& name, const std::string& row) {
      std::size_t column = 0;
      const std::string head = text.substr(0, text.find('\n'));
      const std::size_t at = ("," + head + ",").find("," + name + ",");
      EXPECT_NE(at, std::string::npos) << name << ": " << head;
      for (std::size_t k = 0; k < at && k < head.size(); ++k) column += head[k] == ',';
      std::size_t begin = 0;
      for (std::size_t k = 0; k < column; ++k) begin = row.find(',', begin) + 1;
      return std::stod(row.substr(begin));
    };
    const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
    const double z0 = (R - r) * std::cos(lean) + r, z = value_of("height", last);
    EXPECT_LT(z, z0 - 0.01 * (R - r));
    const double cosine = (z - r) / (R - r);
    const double arm = (R - r) * (R - r) + r * r + 2 * r * (R - r) * cosine;
    const double expected = 2 * mass * 9.81 * (z0 - z) / (across + mass * arm);
    EXPECT_NEAR(std::pow(value_of("fall", last), 2), expected, 1e-8 * expected) << r;
  }
}

// Upright and rolling: x^2 = (m g (R - r) - C (C + m R^2) w^2 / A) / (A + m R^2), see the example.
TEST(RoundRim, UprightRollingInClosedForm) {
  const double m = 4, R = 0.3, g = 9.81;
  for (const double r : {0.0, 0.1}) {
    for (const double spin : {2.5, 4.0}) {
      const double C = m * (0.04 + 0.0075), A = m * (0.02 + 0.00625);
      const double square =
          (m * g * (R - r) - C * (C + m * R * R) * spin * spin / A) / (A + m * R * R);
      const json linear = expect_json(run_cartan(
          {"linearize", example("rolling_tube"), "--set", "push=0", "--set",
           "rim=" + std::to_string(r), "--set", "spin=" + std::to_string(spin), "--json"}));
      int found = 0;
      for (const json& value : linear["eigenvalues"]) {
        const double re = value[0], im = value[1];
        if (re * re + im * im < 1e-3) continue;
        ++found;
        EXPECT_NEAR(re * re - im * im, square, 1e-6) << r << " " << spin;
        EXPECT_NEAR(re * im, 0, 1e-6);
      }
      EXPECT_EQ(found, 2) << r << " " << spin << " " << linear["eigenvalues"].dump();
    }
  }
}

TEST(RoundRim, ThickerThanTheWheelIsRefused) {
  const Scratch scratch;
  std::string text = read_file(example("rolling_coin"));
  const std::size_t at = text.find("type = \"rolling-disc\"");
  ASSERT_NE(at, std::string::npos);
  text.insert(at, "rim = 100\n");
  const CommandResult result = run_cartan({"check", scratch.write("coin.toml", text)});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("from zero to less than the radius"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cartan::test
