// Every function of the public headers gives what its command prints, bit for bit.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cartan/cartan.h>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string example_folder = CARTAN_ROOT "/examples/";

std::string output_of(const std::string& words) {
  const std::string line = std::string(CARTAN_COMMAND) + " " + words + " 2>/dev/null";
  std::string text;
  std::FILE* pipe = popen(line.c_str(), "r");
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, n);
  EXPECT_EQ(pclose(pipe), 0) << line;
  return text;
}

// Without what no two runs share.
json timeless(const std::string& text) {
  json value = json::parse(text);
  const std::function<void(json&)> strip = [&](json& one) {
    if (one.is_object()) {
      one.erase("wall_seconds");
      one.erase("seconds");
    }
    if (one.is_structured())
      for (json& part : one) strip(part);
  };
  strip(value);
  return value;
}

struct Case {
  const char* name;
  std::string words;
  std::function<std::string()> call;  // the JSON
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

cartan::Model example(const std::string& name) {
  return cartan::load(example_folder + name + ".toml");
}

std::vector<Case> all_commands() {
  const std::string top = example_folder + "heavy_top.toml",
                    four = example_folder + "four_bar.toml",
                    pendulum = example_folder + "pendulum.toml",
                    waves = example_folder + "roessler.toml";
  return {
      {"run", "run " + top + " --duration 0.1 --step 0.001 --integrator rk4",
       [] {
         return cartan::run(example("heavy_top"),
                            {.duration = 0.1, .step = 0.001, .integrator = "rk4"})
             .json;
       }},
      {"run_variables", "run " + waves + " --duration 2",
       [] { return cartan::run(example("roessler"), {.duration = 2}).json; }},
      {"check", "check " + four, [] { return cartan::check(example("four_bar")).json; }},
      {"check_variables", "check " + waves, [] { return cartan::check(example("roessler")).json; }},
      {"eval", "eval " + four + " --formulation moving-frame",
       [] { return cartan::eval(example("four_bar"), {.formulation = "moving-frame"}).json; }},
      {"eval_variables", "eval " + waves, [] { return cartan::eval(example("roessler")).json; }},
      {"compare", "compare " + pendulum + " --integrators gl2,rk4 --steps 0.02,0.01 --duration 0.2",
       [] {
         return cartan::compare(
                    example("pendulum"),
                    {.integrators = {"gl2", "rk4"}, .steps = {"0.02", "0.01"}, .duration = 0.2})
             .json;
       }},
      {"linearize", "linearize " + pendulum + " --at equilibrium",
       [] { return cartan::linearize(example("pendulum"), {.at = "equilibrium"}).json; }},
      {"linearize_sweep",
       "linearize " + example_folder + "benchmark_bicycle.toml --set push=0 --sweep 'v=lin(4,6,3)'",
       [] {
         return cartan::linearize_sweep(
                    cartan::load(example_folder + "benchmark_bicycle.toml", {.set = {"push=0"}}),
                    {.sweep = "v=lin(4,6,3)"})
             .json;
       }},
      {"equilibrium", "equilibrium " + pendulum,
       [] { return cartan::equilibrium(example("pendulum")).json; }},
      {"equilibrium_search", "equilibrium " + waves + " --search 'x=lin(-5,5,5)'",
       [] {
         return cartan::equilibrium_search(example("roessler"), {.search = "x=lin(-5,5,5)"}).json;
       }},
      {"orbit", "orbit " + waves + " --section y --period 6",
       [] { return cartan::orbit(example("roessler"), {.period = "6", .section = "y"}).json; }},
      {"continue", "continue " + waves + " --parameter a --from 0.1 --to 0.3 --points 20",
       [] {
         return cartan::follow(example("roessler"),
                               {.parameter = "a", .from = 0.1, .to = 0.3, .points = 20})
             .json;
       }},
      {"lyapunov", "lyapunov " + waves + " --duration 50",
       [] { return cartan::lyapunov(example("roessler"), {.duration = 50}).json; }},
      {"generate", "generate " + pendulum + " --language python --out @/command",
       [] { return cartan::generate(example("pendulum"), {.language = "python"}).json; }},
      {"ik", "ik " + four + " --target 'motor.q = pi/3' --all",
       [] {
         const cartan::Ik found =
             cartan::ik(example("four_bar"), {.target = {"motor.q = pi/3"}, .all = true});
         EXPECT_EQ(found.solutions.size(), 2u);
         return found.json;
       }},
      {"optimise",
       "optimise " + pendulum + " --free L=0.5 --minimise '(period - 1)^2' --at equilibrium",
       [] {
         return cartan::optimise(
                    example("pendulum"),
                    {.free = "L=0.5", .minimise = "(period - 1)^2", .at = "equilibrium"})
             .json;
       }},
      {"study",
       "study " + waves +
           " --vary 'a=uniform(0.1,0.2)' --vary 'b=uniform(0.1,0.3)' --runs 16 "
           "--keep 'end=final(x)' --duration 1",
       [] {
         const cartan::StudyRuns study = cartan::study(
             example("roessler"), {.vary = {"a=uniform(0.1,0.2)", "b=uniform(0.1,0.3)"},
                                   .keep = {"end=final(x)"},
                                   .runs = 16,
                                   .duration = 1});
         EXPECT_EQ(study.table["end"].size(), static_cast<std::size_t>(study.runs));
         EXPECT_EQ(study.indices.size(), 2u);
         return study.json;
       }},
      {"study_file", "study " + example_folder + "studies/pendulum_period.toml --runs 8",
       [] {
         return cartan::study_file(example_folder + "studies/pendulum_period.toml", {.runs = 8})
             .json;
       }},
  };
}

class SameAsCommand : public testing::TestWithParam<Case> {};

TEST_P(SameAsCommand, Json) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("cartan_same_as_command_" + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::string words = GetParam().words;
  if (const std::size_t at = words.find('@'); at != std::string::npos)
    words.replace(at, 1, folder.string());
  const json told = timeless(output_of(words + " --json")), given = timeless(GetParam().call());
  EXPECT_EQ(told, given);
  EXPECT_FALSE(given.empty());
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Api, SameAsCommand, testing::ValuesIn(all_commands()),
                         [](const auto& info) { return std::string(info.param.name); });

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(SavedRun, IsTheFolderOfTheCommand) {
  const fs::path folder = fs::path(testing::TempDir()) / "cartan_saved_run";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string model = example_folder + "slider_crank.toml";
  output_of("run " + model + " --duration 0.1 --power --record " +
            "reactions,multipliers,constraints,power,forces --quiet --out " +
            (folder / "command").string());
  const cartan::Run run =
      cartan::run(cartan::load(model),
                  {.duration = 0.1,
                   .record = {"reactions", "multipliers", "constraints", "power", "forces"},
                   .power = true});
  run.save((folder / "saved").string());
  int tables = 0;
  for (const auto& entry : fs::directory_iterator(folder / "command")) {
    const std::string name = entry.path().filename().string();
    const std::string saved = content_of(folder / "saved" / name);
    if (name.ends_with(".csv") || name == "model.json") {
      EXPECT_EQ(content_of(entry.path()), saved) << name;
      tables += name.ends_with(".csv");
    } else if (name == "summary.json") {
      EXPECT_EQ(timeless(content_of(entry.path())), timeless(saved));
    }
  }
  EXPECT_EQ(tables, 8);
  EXPECT_EQ(run.tables.size(), 8u);
  fs::remove_all(folder);
}

TEST(SameEquations, AsTheCommand) {
  EXPECT_EQ(
      cartan::equations(example("planar_double_pendulum"), {.form = "lagrange"}),
      output_of("equations " + example_folder + "planar_double_pendulum.toml --form lagrange"));
}

TEST(SameForces, AsTheCommand) {
  const fs::path folder = fs::path(testing::TempDir()) / "cartan_same_forces";
  fs::remove_all(folder);
  const std::string model = example_folder + "double_pendulum.toml";
  cartan::run(cartan::load(model), {.duration = 0.2, .out = folder.string()});
  const std::string motion = (folder / "trajectory.csv").string();
  const cartan::InverseForces forces = cartan::inverse(cartan::load(model), {.motion = motion});
  EXPECT_EQ(forces.csv, output_of("inverse " + model + " --motion " + motion));
  EXPECT_EQ(forces.table.size(), 21u);
  fs::remove_all(folder);
}

TEST(SameFit, AsTheCommand) {
  const fs::path folder = fs::path(testing::TempDir()) / "cartan_same_fit";
  fs::create_directories(folder);
  const std::string model = (folder / "decay.toml").string(), data = (folder / "data.csv").string();
  std::ofstream(model) << "name = 'decay'\n[parameters]\nk = 1\n[variables]\n"
                          "x = { initial = 1, rate = '-k*x' }\n";
  std::ofstream(data) << "t,x\n0,1\n1,0.51\n2,0.24\n3,0.13\n";
  const std::string words = "fit " + model + " --free k --data " + data + " --json";
  const cartan::Fit fit = cartan::fit(cartan::load(model), {.free = "k", .data = data});
  EXPECT_EQ(timeless(output_of(words)), timeless(fit.json));
  ASSERT_EQ(fit.parameters.size(), 1u);
  EXPECT_NEAR(fit.parameters[0].value, std::log(2), 0.02);
  EXPECT_TRUE(fit.converged);
  fs::remove_all(folder);
}

}  // namespace
