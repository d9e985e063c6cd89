// Forward dynamics as generated code against the formulation `recursive`, in one process and in
// turn: the code is derived, emitted as C, compiled and loaded by the same classes as for the
// formulation `generated`.
//
//   bench_generated [WORK ...]    rev6 rev7 arm7 rev30 hum32 unless told; one JSON object per line
#include <cmath>

#include <limits>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "codegen/rate_compiler.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"
#include "model_from_work.h"
#include "symbolic/count.h"
#include "timing.h"

namespace cartan::bench {
namespace {

class Pair {
 public:
  explicit Pair(const Work& work) : name_(work.name), model_(make_model(describe(work))) {
    const std::vector<double> parameters = parameter_values(*model_);
    mechanism_ = make_mechanism<double>(*model_, parameters);
    ws_ = make_motion_workspace(mechanism_);
    std::vector<double> vdot;
    calc_standard_state(work, state_.x, v_, vdot);
    state_.x.insert(state_.x.end(), v_.begin(), v_.end());
    state_.mode.assign(ws_.mode.begin(), ws_.mode.end());
    rates_.resize(state_.x.size() + 1);

    const double start = calc_cpu_seconds();
    Derivation derivation(*model_, parameters, state_);
    operations_ = count_shared(derivation.graph(), derivation.rates()).total();
    derivation_seconds_ = calc_cpu_seconds() - start;

    compiler_ = make_rate_compiler(*model_, parameters);
    std::string problem;
    const RateCode* const code = compiler_->find_derivative(state_, problem);
    if (!code) {
      fmt::print(stderr, "bench_generated: {}\n", problem);
      std::exit(1);
    }
    code_ = code->derivative;
  }

  void measure() {
    recursive_ = std::min(recursive_, calc_min_seconds([&] { evaluate_recursive(); }));
    generated_ = std::min(generated_, calc_min_seconds([&] { evaluate_generated(); }));
  }

  void print() const {
    double difference = 0, norm = 0;
    const double* const generated = rates_.data() + state_.x.size() - v_.size();
    for (std::size_t i = 0; i < v_.size(); ++i) {
      difference += std::pow(generated[i] - ws_.vdot[i], 2);
      norm += std::pow(ws_.vdot[i], 2);
    }
    fmt::print(R"({{"table": "generated", "work": "{}", "generated_us": {:.4g}, )", name_,
               1e6 * generated_);
    fmt::print(R"("recursive_us": {:.4g}, "operations": {}, "derivation_ms": {:.3g}, )",
               1e6 * recursive_, operations_, 1e3 * derivation_seconds_);
    fmt::print("\"norm\": {:.12g}, \"difference\": {:.2g}}}\n", std::sqrt(norm),
               std::sqrt(difference / norm));
  }

 private:
  void evaluate_recursive() {
    const double* const q = state_.x.data();
    fill_kinematics<double>(mechanism_, 0.0, q, v_.data(), ws_);
    solve_accelerations(mechanism_, ws_);
  }
  void evaluate_generated() { code_(0.0, state_.x.data(), nullptr, rates_.data()); }

  std::string name_;
  std::unique_ptr<Model> model_;
  Mechanism<double> mechanism_;
  MotionWorkspace<double> ws_;
  State state_;
  std::vector<double> v_, rates_;
  std::shared_ptr<RateCompiler> compiler_;
  RateCode::Function code_ = nullptr;
  long operations_ = 0;
  double derivation_seconds_ = 0;
  double recursive_ = std::numeric_limits<double>::infinity();
  double generated_ = std::numeric_limits<double>::infinity();
};

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  using namespace cartan::bench;
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) wanted = {"rev6", "rev7", "arm7", "rev30", "hum32"};
  std::vector<std::unique_ptr<Pair>> pairs;
  for (const Work& work : make_standard_work())
    if (std::find(wanted.begin(), wanted.end(), work.name) != wanted.end())
      pairs.push_back(std::make_unique<Pair>(work));
  for (int pass = 0; pass < 4; ++pass)
    for (const auto& pair : pairs) pair->measure();
  for (const auto& pair : pairs) pair->print();
}
