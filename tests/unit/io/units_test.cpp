// Quantities with units in model files.
#include "io/toml_units.h"

#include <cmath>

#include <gtest/gtest.h>

#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

TEST(Units, AreNumbersInSi) {
  const auto value = [](const std::string& text) {
    const QuantityText quantity = read_quantity(text);
    EXPECT_TRUE(quantity.given && quantity.problem.empty()) << text << quantity.problem;
    return quantity.value;
  };
  EXPECT_DOUBLE_EQ(value("0.4 m"), 0.4);
  EXPECT_DOUBLE_EQ(value("-25 mm"), -0.025);
  EXPECT_DOUBLE_EQ(value("30 deg"), M_PI / 6);
  EXPECT_DOUBLE_EQ(value("3000 rpm"), 100 * M_PI);
  EXPECT_DOUBLE_EQ(value("1.5e3 g"), 1.5);
  EXPECT_DOUBLE_EQ(value("7.8 g/cm^3"), 7800);
  EXPECT_DOUBLE_EQ(value("36 km/h"), 10);
  EXPECT_DOUBLE_EQ(value("2 kg mm^2"), 2e-6);
  EXPECT_DOUBLE_EQ(value("5 N m/deg"), 5 * 180 / M_PI);
  EXPECT_DOUBLE_EQ(value(" 2 bar "), 2e5);
}

TEST(Units, DimensionsAreSums) {
  EXPECT_EQ(read_quantity("1 N").dimension, (Dimension{1, 1, -2, 0}));
  EXPECT_EQ(read_quantity("1 N m").dimension, read_quantity("1 Nm").dimension);
  EXPECT_EQ(read_quantity("1 J/s").dimension, read_quantity("1 W").dimension);
  EXPECT_EQ(read_quantity("1 rpm").dimension, read_quantity("1 rad/s").dimension);
  EXPECT_EQ(read_quantity("1 m/s/s").dimension, read_quantity("1 m/s^2").dimension);
}

TEST(Units, ExpressionsAreNoQuantities) {
  for (const char* text : {"2*m", "2", "m", "2 * m", "2 + 3", "", " ", "2m", "1e5", "sin(2 * t)"})
    EXPECT_FALSE(read_quantity(text).given) << text;
  EXPECT_NE(read_quantity("2 furlong").problem.find("unknown unit 'furlong'"), std::string::npos);
  EXPECT_NE(read_quantity("2 m^x").problem.find("power"), std::string::npos);
  EXPECT_NE(read_quantity("2 m%").problem.find("unknown unit '%'"), std::string::npos);
}

std::string pendulum(const std::string& body, const std::string& joint,
                     const std::string& more = "") {
  return "[parameters]\nl = \"400 mm\"\n[[body]]\nname = \"2 m\"\n" + body +
         "\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\naxis = [0, 1, 0]\nparent = { body = "
         "\"world\" }\nchild = { body = \"2 m\" }\n" +
         joint + more;
}

TEST(Units, InAModelFile) {
  const Loaded loaded = load_model_text(pendulum(
      "mass = \"250 g\"\ncom = [0, 0, \"-20 cm\"]\ninertia = [\"1 kg m^2\", 1, 1]",
      "position = \"90 deg\"\nvelocity = \"60 rpm\"\nstop = { upper = \"180 deg\" }\n"
      "inertia = \"3 kg m^2\"\n",
      "[[force]]\ntype = \"torsion\"\njoint = \"j\"\nstiffness = \"2 N m/rad\"\ndamping = \"1 N m "
      "s\"\n[simulate]\nduration = \"2 min\"\n"));
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  const Model& model = *loaded.model;
  const std::vector<double> p = parameter_values(model);
  EXPECT_DOUBLE_EQ(p[0], 0.4);
  EXPECT_DOUBLE_EQ(evaluate<double>(model.bodies[0].mass, p)[0], 0.25);
  EXPECT_DOUBLE_EQ(evaluate<double>(model.bodies[0].com, p)[2], -0.2);
  EXPECT_DOUBLE_EQ(evaluate<double>(model.joints[0].coordinates, p)[0], M_PI / 2);
  EXPECT_DOUBLE_EQ(evaluate<double>(model.joints[0].velocity, p)[0], 2 * M_PI);
  EXPECT_DOUBLE_EQ(evaluate<double>(model.contacts[0].bound, p)[0], M_PI);
}

TEST(Units, ThatDoNotFitAreTold) {
  const auto told = [](const std::string& body, const std::string& joint) {
    const Loaded loaded = load_model_text(pendulum(body, joint));
    EXPECT_FALSE(loaded.model) << body << joint;
    return loaded.problems.text();
  };
  EXPECT_NE(told("mass = \"2 m\"", "").find("'2 m' is in m, but 'mass' is in kg"),
            std::string::npos);
  EXPECT_NE(told("mass = 1", "position = \"0.4 m\"\n").find("'position' is in rad"),
            std::string::npos);
  EXPECT_NE(told("mass = 1", "velocity = \"3 deg\"\n").find("'velocity' is in rad/s"),
            std::string::npos);
  EXPECT_NE(told("mass = \"2 stone\"", "").find("unknown unit 'stone'"), std::string::npos);
  EXPECT_NE(told("mass = 1\nshape = { mesh = \"a.stl\", scale = \"2 m\" }", "")
                .find("no unit can stand at 'scale'"),
            std::string::npos);
}

}  // namespace
}  // namespace cartan::test
