// Runs side by side: the same bits whatever the number of lanes and the neighbours, and the motion
// that `reference` computes.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "core/compiled_library.h"
#include "core/cuda_driver.h"
#include "io/toml_reader.h"
#include "study/backend.h"
#include "study/lanes/lane_kernel.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

constexpr const char* spinning_rods = R"(
[parameters]
L = 1
d = 0.05
tilt = 0.4
[[body]]
name = "upper"
mass = 1
com = [0, 0, "-L/2"]
inertia = ["L^2/12", "L^2/12", 0.01]
[[joint]]
name = "ball"
type = "spherical"
parent = { body = "world" }
child = { body = "upper" }
position = { axis = [1, 0, 0], angle = "tilt" }
velocity = [0, 0.5, 2]
[[body]]
name = "lower"
mass = 0.7
com = [0, 0, "-L/3"]
inertia = ["L^2/20", "L^2/20", 0.01]
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "upper", at = [0, 0, "-L"] }
child = { body = "lower" }
velocity = 1
[[force]]
name = "oil"
type = "joint"
joint = "hinge"
value = "-d*hinge.v"
[[event]]
name = "straight"
when = "hinge.q"
[simulate]
duration = 1.505
step = 0.01
)";

constexpr const char* equations = R"toml(
[parameters]
w = 2
[variables]
x = { initial = 0.3, rate = "v" }
v = { initial = 0, rate = "-w^2*sin(x) + 0.1*exp(-t)*log(2 + x^2) - 0.1*tanh(v)" }
[[event]]
name = "low"
when = "x + 0.2"
direction = -1
action = "stop"
[simulate]
duration = 3
step = 0.02
)toml";

std::string example(const std::string& name) {
  return std::string(CARTAN_ROOT) + "/examples/" + name + ".toml";
}

struct StudyWords {
  std::vector<std::string> vary, keep;
  std::string integrator;
  double runs = 21, duration = 0, step = 0;
};

std::optional<Study> make(const std::optional<ModelDescription>& description,
                          const StudyWords& words) {
  Diagnostics problems;
  StudyText text;
  for (const std::string& w : words.vary) read_vary_words(w, text, problems);
  for (const std::string& w : words.keep) read_keep_words(w, text, problems);
  text.runs = words.runs;
  text.indices = false;
  text.simulate.integrator = words.integrator;
  if (words.duration > 0) text.simulate.duration = Value(words.duration);
  if (words.step > 0) text.simulate.step = Value(words.step);
  const std::optional<Model> plain = check_model(*description, problems);
  std::optional<Study> study;
  if (plain) study = make_study(text, *description, *plain, {}, problems);
  EXPECT_TRUE(study) << problems.text();
  return study;
}

std::optional<ModelDescription> read(const char* text) {
  Diagnostics problems;
  return read_model_text(text, "", problems);
}
std::optional<ModelDescription> read_file(const std::string& path) {
  Diagnostics problems;
  return read_model_file(path, problems);
}

Block compute(const Backend& backend, std::uint64_t first, std::uint32_t count) {
  Block block;
  block.first = first;
  block.count = count;
  const std::atomic<bool> stop = false;
  EXPECT_TRUE(backend.make_worker()->compute(block, stop));
  return block;
}

Block by_lanes(const Study& study, int lanes, std::uint64_t first = 0, std::uint32_t count = 21) {
  std::string problem;
  const std::unique_ptr<Backend> backend = make_lanes_backend(study, problem, lanes);
  EXPECT_TRUE(backend) << problem;
  return backend ? compute(*backend, first, count) : Block();
}

// Bits, since what is not a number equals nothing.
std::vector<std::uint64_t> bits_of(const Block& block, std::uint32_t from, std::uint32_t count) {
  std::vector<std::uint64_t> bits;
  for (std::size_t k = from * block.columns; k < std::size_t{from + count} * block.columns; ++k)
    bits.push_back(std::bit_cast<std::uint64_t>(block.values[k]));
  return bits;
}

double largest_difference(const Block& a, const Block& b) {
  EXPECT_EQ(a.outcomes, b.outcomes);
  double largest = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    EXPECT_EQ(std::isnan(a.values[k]), std::isnan(b.values[k])) << k;
    if (std::isnan(a.values[k])) continue;
    largest = std::max(
        largest, std::fabs(a.values[k] - b.values[k]) / std::max(1.0, std::fabs(a.values[k])));
  }
  return largest;
}

Block by_reference(const Study& study) {
  std::string problem;
  const std::unique_ptr<Backend> backend = make_reference_backend(study, problem);
  EXPECT_TRUE(backend) << problem;
  return compute(*backend, 0, static_cast<std::uint32_t>(study.design.runs()));
}

const StudyWords rods_words = {
    {"tilt=uniform(0.1,1.2)", "d=uniform(0,0.1)", "hinge.v=normal(1,0.5)"},
    {"a=final(hinge.q)", "top=max(hinge.v)", "low=min(upper.z)", "i=integral(hinge.q)",
     "m=mean(hinge.v)", "r=rms(hinge.q)", "h=at(0.777,hinge.q)", "e=event(straight,t)",
     "n=count(straight)"},
    "dop853"};

TEST(Lanes, SameBitsWhateverTheirNumberAndTheNeighbours) {
  const std::optional<Study> study = make(read(spinning_rods), rods_words);
  ASSERT_TRUE(study);
  const Block one = by_lanes(*study, 1), four = by_lanes(*study, 4), eight = by_lanes(*study, 8);
  EXPECT_LT(largest_difference(by_reference(*study), eight), 2e-12);
  EXPECT_EQ(bits_of(one, 0, 21), bits_of(four, 0, 21));
  EXPECT_EQ(bits_of(one, 0, 21), bits_of(eight, 0, 21));
  const Block part = by_lanes(*study, 8, 7, 9);
  EXPECT_EQ(bits_of(one, 7, 9), bits_of(part, 0, 9));
}

TEST(Lanes, EveryMethodFollowsReference) {
  StudyWords words = rods_words;
  words.keep = {"a=final(hinge.q)", "top=max(hinge.v)", "e=event(straight,t)"};
  for (const char* integrator : {"rk4", "rk45", "gl2", "gl3"}) {
    words.integrator = integrator;
    const std::optional<Study> study = make(read(spinning_rods), words);
    ASSERT_TRUE(study);
    const Block truth = by_reference(*study);
    EXPECT_GT(std::fabs(truth.values[0]), 0.01);
    EXPECT_LT(largest_difference(truth, by_lanes(*study, 0)), 2e-12) << integrator;
  }
}

TEST(Lanes, EventsThatStopAndFunctions) {
  const std::optional<Study> study =
      make(read(equations), {{"w=uniform(1.5,3)", "x=uniform(-0.1,1)"},
                             {"t=final(t)", "v=final(v)", "top=max(x)", "i=integral(x^2)"},
                             "rk4"});
  ASSERT_TRUE(study);
  const Block truth = by_reference(*study), lanes = by_lanes(*study, 0);
  EXPECT_GT(std::count(truth.outcomes.begin(), truth.outcomes.end(), RunOutcome::stopped_by_event),
            3);
  EXPECT_LT(largest_difference(truth, lanes), 2e-13);
}

// Rows of a redundant loop, projection after every step.
TEST(Lanes, ClosedMechanismsAreProjected) {
  for (const char* integrator : {"rk4", "gl3"}) {
    const std::optional<Study> study =
        make(read_file(example("four_bar")),
             {{"speed=uniform(5,15)", "c=uniform(0.38,0.42)"},
              {"a=final(motor.q)", "k=max(knee.q)", "y=final(coupler.z)"},
              integrator,
              21,
              0.4,
              0.005});
    ASSERT_TRUE(study);
    const Block truth = by_reference(*study);
    EXPECT_LT(largest_difference(truth, by_lanes(*study, 0)), 1e-12) << integrator;
  }
}

// The number of steps and the length of runs may depend on what varies.
TEST(Lanes, EachRunHasItsOwnLength) {
  std::string text = spinning_rods;
  const std::size_t at = text.find("duration = 1.505");
  text.replace(at, 16, "duration = \"1 + d*10\"");
  const std::optional<Study> study =
      make(read(text.c_str()), {{"d=uniform(0,0.1)"}, {"t=final(t)", "a=final(hinge.q)"}, "rk4"});
  ASSERT_TRUE(study);
  const Block truth = by_reference(*study), lanes = by_lanes(*study, 0);
  EXPECT_NE(truth.value(0, 0), truth.value(1, 0));
  EXPECT_LT(largest_difference(truth, lanes), 1e-12);
}

TEST(Lanes, BadNumbersAreThoseOfReference) {
  const std::optional<Study> study =
      make(read(spinning_rods), {{"L=uniform(-1,1)"}, {"a=final(hinge.q)"}, "rk4"});
  ASSERT_TRUE(study);
  const Block truth = by_reference(*study), lanes = by_lanes(*study, 0);
  EXPECT_EQ(truth.outcomes, lanes.outcomes);
  EXPECT_EQ(truth.messages, lanes.messages);
}

TEST(Lanes, WhatTheyCannotDoIsSaid) {
  const std::optional<Study> study =
      make(read_file(example("stick_slip")), {{"table.v=uniform(0.1,0.2)"}, {"t=final(t)"}, "rk4"});
  if (!study) return;
  std::string problem;
  EXPECT_FALSE(make_lanes_backend(*study, problem));
  EXPECT_NE(problem, "");
  std::vector<std::string> notes;
  problem.clear();
  const std::unique_ptr<Backend> backend = make_backend("cpu", *study, notes, problem);
  ASSERT_TRUE(backend);
  EXPECT_EQ(backend->name(), "reference");
  ASSERT_EQ(notes.size(), 1u);
}

// sin, cos, exp and log within a unit of the last place of the library's long double.
TEST(Lanes, FunctionsToTheLastPlace) {
  std::string problem;
  CompileOptions options;
  options.cpp = true;
  options.flags = {"-O2", "-march=native",   "-ffp-contract=off", "-fno-math-errno",
                   "-w",  "-DCARTAN_LANES=4"};
  const std::string text = lane_kernel_head() + R"(
extern "C" void apply(int which, const double* x, double* y) {
  V in, out;
  for (int l = 0; l < 4; ++l) in[l] = x[l];
  out = which == 0 ? lane_sin(in) : which == 1 ? lane_cos(in) : which == 2 ? lane_exp(in) : lane_log(in);
  for (int l = 0; l < 4; ++l) y[l] = out[l];
}
)";
  const auto library = CompiledLibrary::compile(text, options, problem);
  ASSERT_TRUE(library) << problem;
  auto* const apply = library->function<void(int, const double*, double*)>("apply");
  ASSERT_TRUE(apply);
  const auto truth = [](int which, double x) -> long double {
    const long double y = x;
    return which == 0 ? sinl(y) : which == 1 ? cosl(y) : which == 2 ? expl(y) : logl(y);
  };
  for (int which = 0; which < 4; ++which) {
    double worst = 0;
    for (int k = 0; k < 40000; ++k) {
      double x[4], y[4];
      for (int l = 0; l < 4; ++l) {
        const double u = (4 * k + l + 0.5) / 160000.0, spread = std::pow(10.0, 12 * u - 6);
        x[l] = which < 2    ? (l % 2 ? -spread : spread) + 1e-3 * l
               : which == 2 ? 1400 * u - 700
                            : std::pow(10.0, 600 * u - 300);
      }
      apply(which, x, y);
      for (int l = 0; l < 4; ++l) {
        const long double exact = truth(which, x[l]);
        const double size = std::fabs(static_cast<double>(exact));
        const double place = std::nextafter(size, INFINITY) - size;
        worst = std::max(worst, static_cast<double>(std::fabs(y[l] - exact) / place));
      }
    }
    EXPECT_LT(worst, 1.5) << which;
  }
  const double special[] = {INFINITY, NAN, 0.0, -1.0};
  double y[4];
  apply(3, special, y);
  EXPECT_EQ(y[0], INFINITY);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], -INFINITY);
  EXPECT_TRUE(std::isnan(y[3]));
  const double ends[] = {1000, -1000, NAN, 0};
  apply(2, ends, y);
  EXPECT_EQ(y[0], INFINITY);
  EXPECT_EQ(y[1], 0);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 1);
}

// ---- teams: the kernel for larger models on GPUs, its roles taken in turn

// Of four copies' rows (1024 bytes) so many are near.
constexpr long near_row = 1024, much_memory = 1 << 20;

Block by_team(const Study& study, long near_bytes, bool backwards, long far_bytes = much_memory) {
  std::string problem;
  const LaneKernel kernel = make_lane_kernel(study, problem, {near_bytes, far_bytes, 0});
  EXPECT_GT(kernel.team.roles, 1) << kernel.problem << problem;
  EXPECT_LE(kernel.near_bytes(), static_cast<std::size_t>(near_bytes));
  const std::unique_ptr<Backend> backend =
      make_team_backend(study, problem, near_bytes, far_bytes, backwards);
  EXPECT_TRUE(backend) << problem;
  return backend ? compute(*backend, 0, static_cast<std::uint32_t>(study.design.runs())) : Block();
}

TEST(Teams, TheBitsOfLanesInAnyOrderOfTheRoles) {
  const std::optional<Study> study = make(read(spinning_rods), rods_words);
  ASSERT_TRUE(study);
  const Block lanes = by_lanes(*study, 0);
  // all numbers near, then most of them far
  EXPECT_EQ(bits_of(lanes, 0, 21), bits_of(by_team(*study, much_memory, false), 0, 21));
  EXPECT_EQ(bits_of(lanes, 0, 21), bits_of(by_team(*study, 16 * near_row, true), 0, 21));
}

// The team takes the sums between the stages too.
TEST(Teams, ClosedMechanismByRk4) {
  const std::optional<Study> study =
      make(read_file(example("four_bar")), {{"speed=uniform(5,15)", "c=uniform(0.38,0.42)"},
                                            {"a=final(motor.q)", "y=final(coupler.z)"},
                                            "rk4",
                                            21,
                                            0.2,
                                            0.005});
  ASSERT_TRUE(study);
  const Block lanes = by_lanes(*study, 0);
  EXPECT_LT(largest_difference(by_reference(*study), lanes), 1e-12);
  for (const bool backwards : {false, true})
    EXPECT_EQ(bits_of(lanes, 0, 21), bits_of(by_team(*study, 20 * near_row, backwards), 0, 21));
}

TEST(Teams, TooLittleMemoryMeansAThreadPerRun) {
  const std::optional<Study> study = make(read(spinning_rods), rods_words);
  ASSERT_TRUE(study);
  std::string problem;
  EXPECT_EQ(make_lane_kernel(*study, problem, {1024, 0, 0}).team.roles, 0);
  EXPECT_EQ(make_lane_kernel(*study, problem, {much_memory, 0, 100000}).team.roles, 0);
}

// Both forms for code that is fetched anew, two copies of six roles and one of eight.
TEST(LongTeams, LargeModels) {
  const StudyWords words[] = {
      {{"tilt=uniform(0.05,0.5)"}, {"a=final(link16.z)"}, "rk4", 9, 0.01, 0.001},
      {{"stiffness=uniform(4500,5500)"}, {"a=final(platform.z)"}, "rk4", 9, 0.01, 0.001}};
  for (int k = 0; k < 2; ++k) {
    const std::optional<Study> study =
        make(read_file(example(k == 0 ? "sixteen_link" : "stewart")), words[k]);
    ASSERT_TRUE(study);
    const Block lanes = by_lanes(*study, 0, 0, 9);
    EXPECT_EQ(bits_of(lanes, 0, 9), bits_of(by_team(*study, 220000, false), 0, 9));
    EXPECT_EQ(bits_of(lanes, 0, 9), bits_of(by_team(*study, 100000, true, 0), 0, 9));
  }
}

// The same text is a kernel of CUDA, where there is a compiler for it.
TEST(Lanes, KernelsCompileForGpus) {
  const std::optional<Study> study =
      make(read(spinning_rods), {{"d=uniform(0,0.1)"}, {"a=final(hinge.q)"}, "rk4"});
  ASSERT_TRUE(study);
  std::string problem;
  const LaneKernel kernel = make_lane_kernel(*study, problem);
  ASSERT_EQ(kernel.problem + problem, "");
  const std::string code = compile_cuda(kernel.text, "sm_90", {"-DLANE_THREADS=128"}, problem);
  if (problem.starts_with("there is no compiler")) GTEST_SKIP() << problem;
  EXPECT_FALSE(code.empty()) << problem;
  const LaneKernel team = make_lane_kernel(*study, problem, {much_memory, much_memory, 0});
  ASSERT_GT(team.team.roles, 1);
  EXPECT_FALSE(compile_cuda(team.text, "sm_90", {}, problem).empty()) << problem;
}

TEST(Lanes, WithoutAGpuThereIsASentence) {
  std::string problem;
  if (CudaDevice::find(problem)) GTEST_SKIP() << "there is a GPU";
  const std::optional<Study> study = make(read(spinning_rods), rods_words);
  ASSERT_TRUE(study);
  std::vector<std::string> notes;
  EXPECT_FALSE(make_backend("gpu", *study, notes, problem));
  EXPECT_NE(problem.find("there is no GPU here"), std::string::npos) << problem;
}

// Random trees with all joints and forces, an initial speed varied: what has a kernel follows
// `reference`.
TEST(LongLanes, RandomMechanisms) {
  RandomMechanismOptions options;
  options.max_bodies = 6;
  options.exact_friction = false;
  options.bearings = false;
  int with_kernel = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const ModelDescription description = make_random_mechanism(seed, options);
    const auto moving =
        std::find_if(description.joints.begin(), description.joints.end(),
                     [](const JointText& joint) { return joint.type == "revolute"; });
    if (moving == description.joints.end()) continue;
    const std::string integrator = seed % 3 == 0 ? "gl2" : seed % 3 == 1 ? "rk4" : "dop853";
    const std::optional<Study> study = make(
        description,
        {{"'" + moving->name + "'.v=uniform(-0.5,0.5)"},
         {"a=final('" + moving->name + "'.q)", "b=max(kinetic)", "e=final(kinetic + potential)"},
         integrator,
         9,
         0.05,
         0.005});
    if (!study) continue;
    std::string problem;
    const std::unique_ptr<Backend> backend = make_lanes_backend(*study, problem);
    if (!backend) continue;
    ++with_kernel;
    EXPECT_LT(largest_difference(by_reference(*study), compute(*backend, 0, 9)), 1e-9)
        << "seed " << seed << " " << integrator;
  }
  EXPECT_GT(with_kernel, 10);
}

// Loops, constraints and drives; gravity varied, which changes neither start nor constraints.
TEST(LongLanes, RandomClosedMechanisms) {
  RandomClosedOptions options;
  options.tree.max_bodies = 5;
  options.tree.exact_friction = false;
  options.tree.bearings = false;
  options.max_loops = 2;
  int with_kernel = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ModelDescription description = make_random_closed_mechanism(seed, options);
    description.parameters.emplace_back("pull", Value(3.0));
    description.gravity = {Value(1.0), Value(0.5), Value("-pull")};
    description.gravity_frame = {};
    const std::optional<Study> study =
        make(description, {{"pull=uniform(2,4)"},
                           {"b=max(kinetic)", "e=final(kinetic + potential)"},
                           seed % 2 == 0 ? "rk4" : "gl2",
                           5,
                           0.01,
                           0.001});
    if (!study) continue;
    std::string problem;
    const std::unique_ptr<Backend> backend = make_lanes_backend(*study, problem);
    if (!backend) continue;
    ++with_kernel;
    const Block truth = by_reference(*study), lanes = compute(*backend, 0, 5);
    EXPECT_LT(largest_difference(truth, lanes), 1e-8) << "seed " << seed;
  }
  EXPECT_GT(with_kernel, 5);
}

}  // namespace
}  // namespace cartan::test
