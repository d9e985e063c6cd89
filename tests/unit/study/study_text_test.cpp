// Study files and words: every mistake with its place and a remedy.
#include "study/study_text.h"

#include <gtest/gtest.h>

#include "io/toml_reader.h"
#include "study/study.h"
#include "study/study_record.h"

namespace cartan::test {
namespace {

constexpr const char* pendulum = R"(
[parameters]
L = 1
m = 2
[[body]]
name = "rod"
mass = "m"
com = ["L/2", 0, 0]
inertia = [0, "m*L^2/12", "m*L^2/12"]
[[joint]]
name = "pivot"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "rod" }
[[joint]]
name = "ball"
type = "spherical"
parent = { body = "rod" }
child = { body = "tip" }
[[body]]
name = "tip"
mass = 1
inertia = [1, 1, 1]
[[event]]
name = "lowest"
when = "pivot.q"
[[output]]
name = "height"
value = "rod.z"
)";

struct Made {
  std::optional<Study> study;
  std::string told;
};

Made make(const std::string& text) {
  Diagnostics problems("s.toml"), model_problems("m.toml");
  const std::optional<ModelDescription> description = read_model_text(pendulum, "", model_problems);
  const std::optional<Model> plain = check_model(*description, model_problems);
  EXPECT_TRUE(plain) << model_problems.text();
  const std::optional<StudyText> study = read_study_text(text, problems);
  Made made;
  if (study && !problems.has_errors()) {
    StudyText named = *study;
    named.file = "s.toml";
    made.study = make_study(named, *description, *plain, {}, problems);
  }
  made.told = problems.text();
  return made;
}

// The head is four lines; `vary` and `keep` follow.
std::string study_of(const std::string& vary, const std::string& keep,
                     const std::string& head = "") {
  return "model = \"m.toml\"\nruns = 100\n" + head + "[vary]\n" + vary + "\n[keep]\n" + keep + "\n";
}
const char* const good_keep = "a = { final = \"pivot.q\" }";
const char* const good_vary = "L = { uniform = [0.9, 1.1] }";

void expect_complaint(const std::string& text, const std::string& complaint) {
  const Made made = make(text);
  EXPECT_FALSE(made.study);
  EXPECT_NE(made.told.find(complaint), std::string::npos) << made.told << "expected " << complaint;
}

TEST(StudyFile, AGoodOne) {
  const Made made = make(study_of(
      "L = { uniform = [\"0.9*L\", 1.1] }\nm = { normal = [2, 0.1] }\n"
      "\"pivot.q\" = { triangular = [0, 0.1, 0.5] }\n\"ball.v[1]\" = { lognormal = [0, 0.1] }",
      "angle = { final = \"pivot.q\" }\ntop = { max = \"height\" }\n"
      "when = { event = \"lowest\" }\nspeed = { event = \"lowest\", take = \"pivot.v\" }\n"
      "often = { count = \"lowest\" }\nlater = { at = [1.5, \"2*pivot.q\"] }\ntrajectories = 3",
      "format = 2\nseed = 7\n"));
  ASSERT_TRUE(made.study) << made.told;
  const Study& study = *made.study;
  EXPECT_EQ(study.inputs.size(), 4u);
  EXPECT_EQ(study.kept.size(), 6u);
  EXPECT_EQ(study.trajectories, 3u);
  EXPECT_TRUE(study.design.has_indices());
  EXPECT_EQ(study.design.base_points(), 16u);
  EXPECT_EQ(study.design.runs(), 96u);
  EXPECT_EQ(study.design.seed(), 7u);
  EXPECT_NEAR(study.design.inputs()[0].numbers[0], 0.9, 1e-15);
  EXPECT_EQ(study.model->parameters.size(), 4u);  // two initial values among them
  EXPECT_EQ(study.own_outputs, 1u);
  EXPECT_EQ(study.kept[4].text, "count(lowest)");
  EXPECT_EQ(study.kept[2].text, "event(lowest, t)");
}

TEST(StudyFile, MistakesHaveTheirPlace) {
  expect_complaint("run = 3\n" + study_of(good_vary, good_keep),
                   "s.toml:1:1: unknown key 'run'; "
                   "did you mean 'runs'?");
  expect_complaint("format = 3\n" + study_of(good_vary, good_keep), "newer than this program");
  expect_complaint("runs = 10\n[vary]\n" + std::string(good_vary), "missing key 'model'");
  expect_complaint(study_of("L = { unifrom = [0, 1] }", good_keep),
                   "s.toml:4:7: unknown distribution 'unifrom'; did you mean 'uniform'?");
  expect_complaint(study_of("L = { uniform = [2, 1] }", good_keep), "s.toml:4:5: 'L': uniform");
  expect_complaint(study_of("L = 3", good_keep), "s.toml:4:5: expected a distribution");
  expect_complaint(study_of("Lx = { uniform = [0, 1] }", good_keep),
                   "s.toml:4:1: 'Lx' is neither a parameter of the model nor an initial value");
  expect_complaint(study_of("\"pivt.q\" = { uniform = [0, 1] }", good_keep),
                   "did you mean 'pivot.q'?");
  expect_complaint(study_of("\"ball.v\" = { uniform = [0, 1] }", good_keep),
                   "has 3 numbers; expected one of them, ball.v[0] to ball.v[2]");
  expect_complaint(study_of("\"ball.q[1]\" = { uniform = [0, 1] }", good_keep),
                   "part of a rotation");
  expect_complaint(study_of("\"pivot.q[1]\" = { uniform = [0, 1] }", good_keep), "counted from 0");
  expect_complaint(
      study_of("\"pivot.q\" = { uniform = [0, 1] }\n\"pivot.q0\" = { uniform = [0, 1] }",
               good_keep),
      "varies twice");
  expect_complaint(study_of("L = { grid = \"lim(0, 1, 3)\" }", good_keep), "expected lin(A, B, N)");
  expect_complaint(study_of("L = { table = { file = \"no.csv\", column = \"c\" } }", good_keep),
                   "cannot be read");
  expect_complaint(study_of("L = { uniform = [\"2*pivot.q\", 1] }", good_keep),
                   "expression of the parameters");
  expect_complaint(study_of(good_vary, "a = { finl = \"pivot.q\" }"),
                   "s.toml:6:7: unknown key 'finl'; did you mean 'final'?");
  expect_complaint(study_of(good_vary, "a = { final = \"pivot.w\" }"), "s.toml:6:16: ");
  expect_complaint(study_of(good_vary, "a = { final = \"1\", max = \"2\" }"), "taken in two ways");
  expect_complaint(study_of(good_vary, "a = { event = \"lowset\" }"), "did you mean 'lowest'?");
  expect_complaint(study_of(good_vary, "a = { final = \"t\", take = \"t\" }"),
                   "'take' belongs to 'event'");
  expect_complaint(study_of(good_vary, "a = { at = \"t\" }"), "expected [TIME, \"EXPR\"]");
  expect_complaint(study_of(good_vary, "a = { at = [-1, \"t\"] }"), "not below 0");
  expect_complaint(study_of(good_vary, "a = { at = [11, \"t\"] }"), "s.toml:6:1: 'a' is taken at");
  expect_complaint(study_of(good_vary, "L = { final = \"t\" }"), "name of an input");
  expect_complaint(study_of(good_vary, "status = { final = \"t\" }"), "column of every study");
  expect_complaint(study_of(good_vary, ""), "nothing is kept");
  expect_complaint(study_of("", good_keep), "nothing varies");
  expect_complaint(
      "model = \"m.toml\"\nruns = 0\n[vary]\n" + std::string(good_vary) + "\n[keep]\n" + good_keep,
      "s.toml:2:8: runs is 0; expected a whole number of at least 1");
  expect_complaint(
      "model = \"m.toml\"\n[vary]\n" + std::string(good_vary) + "\n[keep]\n" + good_keep,
      "missing key 'runs'");
  expect_complaint(study_of(good_vary, good_keep, "sampling = \"sobel\"\n"),
                   "s.toml:3:12: sampling: there is no 'sobel'; did you mean 'sobol'?");
  expect_complaint(
      study_of(good_vary, good_keep, "indices = true\nsampling = \"latin-hypercube\"\n"),
      "s.toml:3:11: there are no Sobol indices with a latin hypercube");
  expect_complaint(study_of(good_vary, good_keep) + "[simulate]\nstpe = 1\n",
                   "did you mean 'step'?");
  expect_complaint(study_of(good_vary, good_keep) + "[simulate]\nintegrator = \"rk5\"\n",
                   "s.toml:8:14: unknown integrator 'rk5'");
}

TEST(StudyWords, VaryAndKeep) {
  StudyText study;
  Diagnostics problems("cartan study");
  read_vary_words("L=uniform(0.9, 1.1)", study, problems);
  read_vary_words("damping=log(0.01,1,20)", study, problems);
  read_vary_words("tilt.q[1]=values(1, 2, max(3,4))", study, problems);
  read_vary_words("c=table('my file.csv', c)", study, problems);
  read_keep_words("angle=final(max(a, b))", study, problems);
  read_keep_words("at(2, x)", study, problems);
  read_keep_words("hit=event(hit)", study, problems);
  EXPECT_EQ(problems.text(), "");
  ASSERT_EQ(study.inputs.size(), 4u);
  EXPECT_EQ(study.inputs[1].kind, Distribution::Kind::log);
  EXPECT_EQ(study.inputs[2].name, "tilt.q[1]");
  EXPECT_EQ(study.inputs[2].numbers[2].text, "max(3,4)");
  EXPECT_EQ(study.inputs[3].file, "my file.csv");
  ASSERT_EQ(study.keeps.size(), 3u);
  EXPECT_EQ(study.keeps[0].expression.text, "max(a, b)");
  EXPECT_EQ(study.keeps[1].name, "at(2, x)");
  EXPECT_EQ(study.keeps[2].expression.text, "t");
  for (const char* bad : {"L", "L=", "=uniform(0,1)", "L=uniform", "L=uniform(0,,1)",
                          "L=unform(0,1)", "L=lin(0,1)", "L=uniform(0,1", "L=table(a)"}) {
    Diagnostics complaint("cartan study");
    read_vary_words(bad, study, complaint);
    EXPECT_TRUE(complaint.has_errors()) << bad;
  }
  for (const char* bad : {"x", "x=fin(y)", "x=final()", "x=at(y)", "x=final(y", "x=count(a,b)"}) {
    Diagnostics complaint("cartan study");
    read_keep_words(bad, study, complaint);
    EXPECT_TRUE(complaint.has_errors()) << bad;
  }
}

TEST(StudyRecord, NamesWhatChanged) {
  EXPECT_EQ(compare_records(R"({"runs": 1})", R"({"runs": 1})"), "");
  EXPECT_EQ(
      compare_records(R"({"runs": 1, "vary": {"L": "a"}})", R"({"runs": 2, "vary": {"M": "b"}})"),
      "runs was 1, is 2; vary: L was a, is gone; vary: M is new: b");
  EXPECT_NE(compare_records("damaged", "{}"), "");
}

}  // namespace
}  // namespace cartan::test
