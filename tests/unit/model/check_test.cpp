#include <gtest/gtest.h>

#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

// The program at the head of model/description.h, as it stands there.
TEST(Description, BuildsAModelInAFewLines) {
  ModelDescription d;
  d.name = "heavy top";
  d.parameters = {{"spin", "20*pi"}};
  d.bodies.push_back({.name = "top", .mass = 21.6, .inertia = {0.36, 0.306, 0.09}});
  d.joints.push_back({.name = "pivot",
                      .type = "spherical",
                      .parent = {"world"},
                      .child = {"top", {-0.5, 0, 0}},
                      .velocity = {0, "spin", "10*pi"}});
  Diagnostics problems;
  std::optional<Model> model = check_model(d, problems);
  ASSERT_TRUE(model) << problems.text();
  EXPECT_EQ(problems.text(), "");
  const std::vector<double> parameters = parameter_values(*model);
  EXPECT_DOUBLE_EQ(evaluate<double>(model->joints[0].velocity, parameters)[1], 20 * pi);
  EXPECT_TRUE(model->joints[0].velocity_given);
  EXPECT_EQ(evaluate<double>(model->joints[0].child.at, parameters)[0], -0.5);
  EXPECT_EQ(evaluate<double>(model->gravity, parameters)[2], -9.81);
}
TEST(Description, ProblemsOfProgramsNameTheElement) {
  ModelDescription d;
  d.bodies.push_back({.name = "top", .mass = -1});
  Diagnostics problems;
  EXPECT_FALSE(check_model(d, problems));
  EXPECT_NE(problems.text().find("mass of body 'top' must be at least 0, got -1"),
            std::string::npos);
  EXPECT_NE(problems.text().find("body 'top' is not connected to the world"), std::string::npos);
}

const std::string top = R"([[body]]
name = "a"
mass = "m"
[[joint]]
name = "j"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "a" }
velocity = "v"
[parameters]
m = 2
v = "3*m"
)";

TEST(Overrides, ReplaceAValueAndWhatFollowsFromIt) {
  const Loaded loaded = load_model_text(top, {{"m", Value(5)}});
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_EQ(parameter_values(*loaded.model), (std::vector<double>{5, 15}));
}
TEST(Overrides, MayBeExpressions) {
  const Loaded loaded = load_model_text(top, {{"v", Value("m/4")}});
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_EQ(parameter_values(*loaded.model), (std::vector<double>{2, 0.5}));
}
TEST(Overrides, MustNameAParameter) {
  const Loaded loaded = load_model_text(top, {{"mm", Value(5)}});
  EXPECT_FALSE(loaded.model);
  EXPECT_NE(loaded.problems.text().find(
                "cannot set 'mm', which is not in [parameters]; did you mean 'm'?"),
            std::string::npos);
}
TEST(Overrides, AreCheckedLikeTheFile) {
  EXPECT_FALSE(load_model_text(top, {{"m", Value(-1)}}).model);
  EXPECT_FALSE(load_model_text(top, {{"m", Value("v")}}).model);
}

TEST(Warnings, JointForceHidesParameters) {
  const Loaded loaded =
      load_model_text(top + "[[force]]\ntype = \"joint\"\njoint = \"j\"\nvalue = \"-m*v\"\n");
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_NE(loaded.problems.text().find("hides the parameter 'v'"), std::string::npos);
  const auto& force = std::get<JointForce>(loaded.model->forces[0].law);
  EXPECT_TRUE(force.value.program.depends_on(Quantity::joint_v));
}
TEST(Warnings, NegativeStiffness) {
  const Loaded loaded =
      load_model_text(top + "[[force]]\ntype = \"torsion\"\njoint = \"j\"\nstiffness = -1\n");
  EXPECT_TRUE(loaded.model);
  EXPECT_NE(loaded.problems.text().find("warning: stiffness of force 'torsion1' is negative"),
            std::string::npos);
}
TEST(Warnings, AnEventThatNeverHappens) {
  const Loaded loaded = load_model_text(top + "[[event]]\nname = \"e\"\nwhen = \"1\"\n");
  EXPECT_TRUE(loaded.model);
  EXPECT_NE(loaded.problems.text().find("never happens"), std::string::npos);
}

TEST(Definitions, MayUseLaterOnes) {
  const Loaded loaded = load_model_text(top +
                                        "[definitions]\na1 = \"2*a2\"\na2 = \"j.q + m\"\n"
                                        "[[output]]\nname = \"o\"\nvalue = \"a1\"\n");
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_TRUE(loaded.model->outputs[0].value.program.depends_on(Quantity::joint_q));
}
TEST(Definitions, ManyThatUseEachOtherTakeNoLongerThanTheirText) {
  std::string text = top + "[definitions]\nd0 = \"t\"\n";
  for (int i = 1; i < 400; ++i) {
    const std::string last = "d" + std::to_string(i - 1);
    text += "d" + std::to_string(i) + " = \"" + last + " + sin(" + last + ")\"\n";
  }
  const Loaded loaded = load_model_text(text + "[[output]]\nname = \"o\"\nvalue = \"d399\"\n");
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_LT(loaded.model->outputs[0].value.program.code.size(), 1000u);
}
TEST(Definitions, WithAParameterThatTheJointForceHidesAreRefused) {
  const Loaded loaded =
      load_model_text(top +
                      "[definitions]\nd = \"2*v\"\n"
                      "[[force]]\ntype = \"joint\"\njoint = \"j\"\nvalue = \"d\"\n");
  EXPECT_NE(loaded.problems.text().find("uses the parameter q or v"), std::string::npos);
}

TEST(CompileExpression, KnowsTheModelsNames) {
  const Loaded loaded = load_model_text(top + "[definitions]\nd = \"m*j.q\"\n");
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  Diagnostics problems;
  const std::optional<Formula> formula =
      compile_expression(*loaded.model, "d + a.vx + kinetic", problems);
  ASSERT_TRUE(formula) << problems.text();
  EXPECT_EQ(formula->program.inputs.size(), 4u);
  EXPECT_FALSE(compile_expression(*loaded.model, "d + b.vx", problems));
  EXPECT_FALSE(compile_expression(*loaded.model, "", problems));
}

TEST(Inertia, TriangleEqualityIsLegalUpToRounding) {
  const auto with = [](const std::string& inertia) {
    return load_model_text(
               "[[body]]\nname = \"a\"\nmass = 1\ninertia = " + inertia +
               "\n[[joint]]\nname = \"j\"\ntype = \"free\"\nparent = { body = \"world\" }\n"
               "child = { body = \"a\" }\n")
        .model.has_value();
  };
  EXPECT_TRUE(with("[1, 2, 3]"));
  EXPECT_TRUE(with("[1, 2, 3.000000001]"));
  EXPECT_FALSE(with("[1, 2, 3.00000001]"));
  EXPECT_TRUE(with("[0, 1, 1]"));
  EXPECT_TRUE(
      with("[1, 1, 1, -0.5, -0.5, -0.5]"));  // moments 0, 1.5, 1.5: a thin rod along (1, 1, 1)
  EXPECT_FALSE(with("[1, 1, 1, 0.6, 0.6, 0.6]"));  // moments 0.4, 0.4, 2.2
}

}  // namespace
}  // namespace cartan::test
