// Handles, records and errors of the public headers.
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <cartan/cartan.h>

namespace {

// A mass m on a spring k: x'' = -k/m x.
const char* const oscillator = R"(
name = "oscillator"
[parameters]
m = 2
k = "4*m"
[variables]
x = { initial = 1, rate = "v" }
v = { initial = 0, rate = "-k/m*x" }
[[output]]
name = "energy of the spring"
value = "k/2*x^2"
)";

const std::string examples = CARTAN_ROOT "/examples/";

TEST(PublicModel, ParametersByNameAndOthersThatFollow) {
  const cartan::Model model = cartan::load_text(oscillator);
  EXPECT_EQ(model.name(), "oscillator");
  EXPECT_FALSE(model.is_mechanism());
  EXPECT_EQ(model.variables(), (std::vector<std::string>{"x", "v"}));
  EXPECT_EQ(model.parameter("k"), 8);
  const cartan::Model heavier = model.with("m", 3.5);
  EXPECT_EQ(heavier.parameter("k"), 14);
  EXPECT_EQ(model.parameter("m"), 2);
  EXPECT_EQ(model.with("k", "m/2").parameter("k"), 1);
}

TEST(PublicModel, RunMeetsTheClosedForm) {
  const cartan::Model model = cartan::load_text(oscillator);
  const cartan::Run run = cartan::run(model, {.duration = 3, .step = 0.01});
  const std::span<const double> t = run.t(), x = run["x"];
  ASSERT_EQ(t.size(), 301u);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(x[i], std::cos(2 * t[i]), 1e-9);
  EXPECT_EQ(run.final.variables[0].second, x.back());
  EXPECT_EQ(run.t_final, 3);
}

TEST(PublicModel, ErrorsCarryFileLineAndColumn) {
  try {
    cartan::load_text("name = 'bad'\n[variables]\nx = { initial = 1, rate = '-q*x' }\n", {},
                      "bad.toml");
    FAIL();
  } catch (const cartan::Error& error) {
    EXPECT_EQ(error.kind(), cartan::Error::Kind::bad_input);
    ASSERT_EQ(error.problems().size(), 1u);
    const cartan::Problem& problem = error.problems()[0];
    EXPECT_EQ(problem.file, "bad.toml");
    EXPECT_EQ(problem.line, 3);
    EXPECT_GT(problem.column, 1);
    EXPECT_NE(problem.message.find("'q'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("bad.toml:3:"), std::string::npos);
  }
}

template <class Call>
std::string text_of_error(Call&& call) {
  try {
    call();
  } catch (const cartan::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PublicModel, WrongNamesSuggestTheNearest) {
  const cartan::Model model = cartan::load(examples + "heavy_top.toml");
  const cartan::Run run = cartan::run(model, {.duration = 0.02});
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(text_of_error([&] { run["pivto.q0"]; }), "did you mean 'pivot.q0'?");
  has(text_of_error([&] { run.table("trajectry.csv"); }), "did you mean 'trajectory.csv'?");
  has(text_of_error([&] { cartan::load_text(oscillator).parameter("M"); }), "did you mean 'm'?");
  has(text_of_error([&] { cartan::run(model, {.integrator = "gl33"}); }), "did you mean");
  has(text_of_error([&] { model.with("m", std::numeric_limits<double>::quiet_NaN()); }), "m");
  has(text_of_error([&] { cartan::load(examples + "heavy_topp.toml"); }), "heavy_top.toml");
  has(text_of_error([&] { cartan::run(model, {.record = {"reactons"}}); }), "reactions");
  has(text_of_error([&] { cartan::run(model, {.from = "{ \"q\": 3 }"}); }), "q");
}

TEST(PublicModel, AFailureIsNoBadInput) {
  const cartan::Model model =
      cartan::load_text("name = 'blows up'\n[variables]\nx = { initial = 1, rate = 'x^2' }\n");
  try {
    cartan::run(model, {.duration = 2, .integrator = "dop853"});
    FAIL();
  } catch (const cartan::Error& error) {
    EXPECT_EQ(error.kind(), cartan::Error::Kind::failed) << error.what();
  }
}

TEST(PublicModel, StatesGoInAndOut) {
  const cartan::Model model = cartan::load(examples + "double_pendulum.toml");
  const cartan::Run first = cartan::run(model, {.duration = 0.5});
  const cartan::Run second = cartan::run(model, {.duration = 0.5, .from = first.final.json()});
  const cartan::Run whole = cartan::run(model, {.duration = 1});
  ASSERT_EQ(second.final.joints.size(), whole.final.joints.size());
  for (std::size_t j = 0; j < whole.final.joints.size(); ++j)
    for (std::size_t k = 0; k < whole.final.joints[j].q.size(); ++k)
      EXPECT_NEAR(second.final.joints[j].q[k], whole.final.joints[j].q[k], 1e-10);
  EXPECT_EQ(second.t_initial, 0.5);
}

TEST(PublicModel, ColumnsTellUnitAndKind) {
  const cartan::Run run = cartan::run(
      cartan::load(examples + "slider_crank.toml"),
      {.duration = 0.05, .record = {"reactions", "multipliers", "constraints", "power"}});
  std::set<std::string> without_unit;
  for (const cartan::Table& table : run.tables)
    for (const cartan::Column& column : table.columns)
      if (column.unit.empty() && column.kind != cartan::ColumnKind::rotation &&
          column.kind != cartan::ColumnKind::event && column.kind != cartan::ColumnKind::output)
        without_unit.insert(table.name + ": " + column.name);
  EXPECT_EQ(without_unit, std::set<std::string>());
  EXPECT_EQ(run.table("power.csv").find("constraint")->unit, "W");
  EXPECT_EQ(run.table("trajectory.csv").find("energy")->unit, "J");
  EXPECT_EQ(run.table("trajectory.csv").find("t")->kind, cartan::ColumnKind::time);
}

// A stop of an angle has an angle for its gap and gives a moment; a contact has a length and a
// force.
TEST(PublicModel, ColumnsOfContactsTellWhatTheyAre) {
  const auto unit = [](const std::string& example, const std::string& end) {
    const cartan::Run run =
        cartan::run(cartan::load(examples + example), {.duration = 0.05, .record = {"contacts"}});
    for (const cartan::Column& column : run.table("contacts.csv").columns)
      if (column.name.ends_with(end)) return column.unit;
    return std::string("no such column");
  };
  EXPECT_EQ(unit("pendulum_stop.toml", ".gap"), "rad");
  EXPECT_EQ(unit("pendulum_stop.toml", ".normal"), "N m");
  EXPECT_EQ(unit("bouncing_ball.toml", ".gap"), "m");
  EXPECT_EQ(unit("bouncing_ball.toml", ".normal"), "N");
}

TEST(PublicModel, WatchIsToldAndEndsTheWork) {
  const cartan::Model model = cartan::load(examples + "double_pendulum.toml");
  std::atomic<bool> stop = false;
  double largest = 0;
  std::set<std::string> tasks;
  cartan::Watch watch;
  watch.progress = [&](const std::string& task, double part) {
    tasks.insert(task);
    largest = std::max(largest, part);
    if (part < 1) stop = true;
  };
  watch.stop = &stop;
  try {
    cartan::run(model, {.duration = 1000, .watch = watch});
    FAIL();
  } catch (const cartan::Error& error) {
    EXPECT_EQ(error.kind(), cartan::Error::Kind::failed);
  }
  EXPECT_TRUE(tasks.count("simulating"));
  EXPECT_EQ(largest, 1);
}

TEST(PublicModel, ThreadsShareAModelAndResultsOutliveIt) {
  std::vector<cartan::Run> runs(4);
  {
    const cartan::Model model = cartan::load(examples + "heavy_top.toml");
    std::vector<std::jthread> threads;
    for (cartan::Run& run : runs)
      threads.emplace_back([&] { run = cartan::run(model, {.duration = 0.1}); });
  }
  for (const cartan::Run& run : runs) {
    const auto a = run["energy"], b = runs[0]["energy"];
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    EXPECT_EQ(a.size(), 11u);
  }
}

TEST(PublicModel, EvaluationOfThePendulum) {
  const cartan::Evaluation now = cartan::eval(cartan::load(examples + "double_pendulum.toml"));
  const std::size_t n = now.mass_matrix.size();
  ASSERT_EQ(n, 6u);
  // M v' + bias = 0 without constraints
  std::vector<double> vdot;
  for (const cartan::JointNumbers& joint : now.acceleration)
    vdot.insert(vdot.end(), joint.values.begin(), joint.values.end());
  for (std::size_t i = 0; i < n; ++i) {
    double sum = now.bias[i];
    for (std::size_t j = 0; j < n; ++j) sum += now.mass_matrix[i][j] * vdot[j];
    EXPECT_NEAR(sum, 0, 1e-10);
  }
  EXPECT_NE(vdot[0], 0);
}

TEST(PublicModel, EveryListedMethodRuns) {
  const cartan::Model model = cartan::load_text(oscillator);
  int count = 0;
  for (const auto& [name, meaning] : cartan::integrators()) {
    EXPECT_FALSE(meaning.empty());
    if (name == "variational" || name == "generalized-alpha" || name == "held-multipliers" ||
        name == "moreau")
      continue;  // mechanisms only
    try {
      const cartan::Run run =
          cartan::run(model, {.duration = 0.1, .step = 0.01, .integrator = name});
      EXPECT_NEAR(run["x"].back(), std::cos(0.2), 1e-3) << name;
      ++count;
    } catch (const cartan::Error& error) {
      EXPECT_TRUE(name == "cvode" || name == "ida" || name.starts_with("rkmk")) << error.what();
    }
  }
  EXPECT_GE(count, 8);
  EXPECT_GE(cartan::formulations().size(), 7u);
}

}  // namespace
