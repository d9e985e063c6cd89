// Studies on one core: runs side by side in SIMD lanes (backend cpu) against run by run
// (reference), in one process and in turn. RK4, the end kept alone. One JSON object per line.
//
// To be called in the root of the tree, whose examples it reads.
//   bench_lanes [CASE ...]    rev7 sph4 four_bar bicycle hum32 stewart unless told
#include <atomic>
#include <cmath>

#include <limits>

#include <fmt/format.h>

#include "io/toml_reader.h"
#include "model_from_work.h"
#include "study/backend.h"
#include "timing.h"

namespace cartan::bench {
namespace {

struct Case {
  std::string name, vary, keep;
  ModelDescription description;
  double step = 0.001, duration = 0.1;
};

ModelDescription read_example(const std::string& name) {
  Diagnostics problems;
  std::optional<ModelDescription> d = read_model_file("examples/" + name + ".toml", problems);
  if (!d) std::exit(1);
  return *d;
}

std::vector<Case> make_cases(const std::vector<std::string>& wanted) {
  std::vector<Case> cases;
  const auto is_wanted = [&](const std::string& name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  for (const Work& work : make_standard_work())
    if (is_wanted(work.name)) {
      const bool revolute = work.links.back().joint == JointKind::revolute;
      const int last = static_cast<int>(work.links.size()) - 1;
      const std::string joint = fmt::format("j{}.v{}", last, revolute ? "" : "[0]");
      ModelDescription description = describe(work);
      description.gravity = {3.0, 4.0, -5.0};  // nothing hangs at rest
      cases.push_back(
          {work.name, joint + "=uniform(0.5,1.5)", "a=final(" + joint + ")", description});
    }
  if (is_wanted("four_bar"))
    cases.push_back(
        {"four_bar", "w=uniform(0.015,0.025)", "a=final(motor.q)", read_example("four_bar")});
  if (is_wanted("bicycle"))
    cases.push_back({"bicycle", "mf=uniform(7,9)", "a=final(steering.q)", read_example("bicycle")});
  if (is_wanted("stewart"))
    cases.push_back(
        {"stewart", "zp=uniform(-0.021,-0.019)", "a=final(platform.z)", read_example("stewart")});
  return cases;
}

Study study_of(const Case& c) {
  StudyText text;
  Diagnostics problems;
  read_vary_words(c.vary, text, problems);
  read_keep_words(c.keep, text, problems);
  text.runs = 64;
  text.indices = false;
  text.simulate.integrator = "rk4";
  text.simulate.step = Value(c.step);
  text.simulate.duration = Value(c.duration);
  const std::optional<Model> plain = check_model(c.description, problems);
  std::optional<Study> study;
  if (plain) study = make_study(text, c.description, *plain, {}, problems);
  if (!study) {
    fmt::print(stderr, "bench_lanes: {}\n", problems.text());
    std::exit(1);
  }
  return std::move(*study);
}

void measure(const Case& c) {
  const Study study = study_of(c);
  std::string problem;
  const auto reference = make_reference_backend(study, problem);
  const auto lanes = make_lanes_backend(study, problem);
  if (!reference || !lanes) {
    fmt::print(stderr, "bench_lanes: {}: {}\n", c.name, problem);
    return;
  }
  const auto slow = reference->make_worker(), fast = lanes->make_worker();
  const std::atomic<bool> stop = false;
  Block one, side;
  one.count = 16;
  side.count = 64;
  double slow_seconds = std::numeric_limits<double>::infinity(), fast_seconds = slow_seconds;
  for (int pass = 0; pass < 4; ++pass) {
    slow_seconds =
        std::min(slow_seconds, calc_min_seconds([&] { slow->compute(one, stop); }) / one.count);
    fast_seconds =
        std::min(fast_seconds, calc_min_seconds([&] { fast->compute(side, stop); }) / side.count);
  }
  double difference = 0;
  for (std::uint32_t i = 0; i < one.count; ++i) {
    const double d = std::fabs(one.value(i, 0) - side.value(i, 0));
    if (!(d <= difference)) difference = d;  // keeps what is not a number
  }
  const double steps = std::round(c.duration / c.step);
  fmt::print(R"({{"table": "lanes", "work": "{}", "lanes": {}, "reference_steps": {:.4g}, )"
             R"("cpu_steps": {:.4g}, "ratio": {:.3g}, "value": {:.6g}, "difference": {:.2g}}})"
             "\n",
             c.name, lanes->lanes(), steps / slow_seconds, steps / fast_seconds,
             slow_seconds / fast_seconds, one.value(0, 0), difference);
}

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  using namespace cartan::bench;
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) wanted = {"rev7", "sph4", "four_bar", "bicycle", "hum32", "stewart"};
  for (const Case& c : make_cases(wanted)) measure(c);
}
