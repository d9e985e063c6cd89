#include "study/lanes/lane_kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/lane_code.h"
#include "formulations/formulations.h"
#include "integrate/simulate.h"
#include "kernel_texts.h"
#include "study/lanes/lane_method.h"
#include "system/switches.h"

namespace cartan::study {
namespace {

constexpr std::size_t lanes_of_warp = 32;

class KernelMaker {
 public:
  KernelMaker(const Study& study, const System& system, const std::vector<double>& parameters,
              const TeamRequest& team)
      : study_(study),
        model_(*study.model),
        system_(system),
        parameters_(parameters),
        team_(team) {}

  LaneKernel make() {
    LaneKernel kernel;
    kernel.problem = refusal();
    if (!kernel.problem.empty()) return kernel;
    events_ = std::any_of(study_.kept.begin(), study_.kept.end(),
                          [](const KeptQuantity& k) { return k.event >= 0; }) ||
              std::any_of(model_.events.begin(), model_.events.end(),
                          [](const Event& e) { return e.stop; });
    const bool dense =
        events_ || std::any_of(study_.kept.begin(), study_.kept.end(),
                               [](const KeptQuantity& k) { return k.kind != KeepKind::final; });
    const LaneMethod method = make_lane_method(study_.integrator, dense);
    LaneCodeRequest request;
    request.model = &model_;
    request.parameters = parameters_;
    request.at = system_.initial_state();
    for (const StudyInput& input : study_.inputs) request.inputs.push_back(input.parameter);
    for (const KeptQuantity& kept : study_.kept) request.kept.push_back(kept.output);
    request.events = events_;
    request.team = team_;
    const LaneCode code = make_lane_code(request);
    kernel.problem = code.problem;
    if (!kernel.problem.empty()) return kernel;
    kernel.states = code.states;
    kernel.positions = code.positions;
    kernel.operations = code.operations;
    kernel.team = code.team;
    kernel.inputs = study_.inputs.size();
    kernel.constants = static_cast<std::size_t>(code.constants);
    kernel.starts = system_.constrained() && !code.start_is_fixed;
    kernel.mode.assign(request.at.mode.begin(), request.at.mode.end() - system_.turn_entries());
    const bool small = code.operations <= most_thread_operations && !dense;
    // on a GPU: all of a small model in registers, the rates in every stage of the method
    if (small)
      kernel.text +=
          "#if defined(__CUDACC__)\n#define LANE_RATES static __device__ __forceinline__\n"
          "#define LANE_FUNCTION LANE_RATES\n#define LANE_MEMBER_APART __device__ "
          "__forceinline__\n#endif\n";
    if (code.team.roles > 0)
      kernel.text += "#if defined(__CUDACC__)\n#define LANE_CHUNK 16\n#endif\n";
    kernel.text += lane_kernel_head();
    kernel.text += std::string("#if defined(__CUDACC__)\n") + kernel_sampling + "#endif\n";
    kernel.text += sizes(code) + team_text(code.team) + kernel_team;
    std::string functions = code.text;
    const std::string head = "LANE_FUNCTION void lane_rates(";
    if (const std::size_t at = functions.find(head); at != std::string::npos)
      functions.replace(at, head.size(), "LANE_RATES void lane_rates(");
    kernel.text += functions + normalise_text(code) + method.text +
                   (method.gauss ? kernel_gauss_steps : kernel_explicit_steps) + kept_text() +
                   events_text() + kernel_kept + kernel_run_state + kernel_run_rows +
                   kernel_run_events + kernel_run + kernel_run_entry;
    return kernel;
  }

 private:
  std::string refusal() const {
    if (study_.formulation != "recursive" && study_.formulation != "generated")
      return fmt::format("lanes know the equations of recursive, not of {}", study_.formulation);
    if (const LaneMethod method = make_lane_method(study_.integrator, false);
        !method.problem.empty())
      return method.problem;
    if (system_.contact_count() > 0) return "the model has contacts or stops";
    if (const auto* switched = dynamic_cast<const Switched*>(&system_);
        switched && !switched->switches().empty())
      return fmt::format("'{}' switches between formulas", switched->switches()[0].text);
    for (const EventInfo& event : system_.events())
      if (event.internal) return "the model has dry friction or angles followed beyond a turn";
    for (const Event& event : model_.events)
      if (!event.jumps.empty()) return fmt::format("the event '{}' changes the state", event.name);
    return "";
  }

  std::string sizes(const LaneCode& code) const {
    const auto has = [&](const Formula& formula) {
      return formula.given() && !formula.program.is_constant();
    };
    const auto value = [&](const Formula& formula, double otherwise) {
      return formula.given() ? evaluate<double>(formula, parameters_)[0] : otherwise;
    };
    const SimulateOptions usual;
    const auto& simulate = model_.simulate;
    const double duration = study_.instant ? 0 : value(simulate.duration, usual.duration);
    const double least = find_integrator(study_.integrator)->default_tolerance;
    const bool varies = has(simulate.tolerance);
    const double tolerance = varies ? 0 : value(simulate.tolerance, 0);
    return fmt::format(
        "#define LANE_STATES {}\n#define LANE_RATE_SIZE {}\n#define LANE_POSITIONS {}\n"
        "#define LANE_SPEEDS {}\n#define LANE_CONSTANTS {}\n#define LANE_INPUTS {}\n"
        "#define LANE_KEPT {}\n#define LANE_EVENTS {}\n#define LANE_ROWS {}\n"
        "#define LANE_MOVED (2 * LANE_ROWS + 2)\n"
        "#define LANE_CHANGED (LANE_MOVED + LANE_POSITIONS)\n"
        "#define LANE_PROJECTED (LANE_CHANGED + LANE_SPEEDS)\n#define LANE_DRIVEN {:d}\n"
        "#define LANE_HAS_DURATION {:d}\n#define LANE_DURATION {:a}\n"
        "#define LANE_HAS_STEP {:d}\n#define LANE_STEP {:a}\n"
        "#define LANE_HAS_TOLERANCE {:d}\n#define LANE_TOLERANCE {:a}\n",
        code.states, code.states + (code.rows > 0), code.positions, code.speeds, code.constants,
        study_.inputs.size(), study_.kept.size(), code.events, code.rows, code.is_driven,
        has(simulate.duration) && !study_.instant, duration, has(simulate.step),
        value(simulate.step, usual.step), varies, tolerance > 0 ? tolerance : least);
  }

  static std::string team_text(const LaneTeam& team) {
    if (team.roles == 0) return "#define LANE_TEAM 0\n";
    return fmt::format(
        "#define LANE_TEAM 1\n#define TEAM_ROLES {}\n#define TEAM_COPIES {}\n"
        "#define TEAM_NEAR_SLOTS {}\n#define TEAM_FAR_SLOTS {}\n#define TEAM_OUTPUTS {}\n",
        team.roles, team.copies, team.near, team.far, team.outputs);
  }

  std::string normalise_text(const LaneCode& code) const {
    std::string calls, quaternions, plain;
    int count = 0, plain_count = 0;
    for (const StateBlock& block : system_.space().blocks()) {
      if (block.kind != StateBlock::Kind::vector) {
        calls += fmt::format("  lane_normalise_one(x + {});\n", block.x);
        quaternions += fmt::format("{}, ", block.x);
        ++count;
        continue;
      }
      for (int i = block.x; i < std::min(block.x + block.size, code.states); ++i, ++plain_count)
        plain += fmt::format("{}, ", i);
    }
    std::string text =
        "LANE_INLINE void lane_normalise_one(V* u)\n{\n"
        "  const V a = u[0], b = u[1], c = u[2], d = u[3];\n"
        "  V n = a * a;\n  n = lane_fma(b, b, n);\n  n = lane_fma(c, c, n);\n"
        "  n = lane_fma(d, d, n);\n  n = lane_number(1.0) / lane_sqrt(n);\n"
        "  u[0] = n * a, u[1] = n * b, u[2] = n * c, u[3] = n * d;\n}\n"
        "LANE_INLINE void lane_normalise(V* x)\n{\n  (void)x;\n" +
        calls + "}\n";
    if (code.team.roles > 0)
      text += fmt::format(
          "#define TEAM_QUATERNIONS {}\n#define TEAM_PLAIN {}\n"
          "LANE_LIST int lane_quaternion_states[] = {{{}0}};\n"
          "LANE_LIST int lane_plain_states[] = {{{}0}};\n",
          count, plain_count, quaternions, plain);
    return text;
  }

  std::string kept_text() const {
    std::string text = "template <int K>\nstruct Kept;\n";
    for (std::size_t k = 0; k < study_.kept.size(); ++k) {
      const KeptQuantity& kept = study_.kept[k];
      text += fmt::format(
          "template <>\nstruct Kept<{}> {{\n  enum {{ kind = {}, event = {} }};\n"
          "  static LANE_MEMBER double time() {{ return {:a}; }}\n"
          "  static LANE_MEMBER V value(V t, const V* x, const V* p, const V* c) {{\n",
          k, static_cast<int>(kept.kind), kept.event, kept.time);
      text += kept.output >= 0
                  ? fmt::format(
                        "    V out[1];\n    lane_kept_{}(t, x, p, c, out);\n"
                        "    return out[0];\n",
                        k)
                  : "    (void)t, (void)x, (void)p, (void)c;\n    return lane_number(0.0);\n";
      text += "  }\n};\n";
    }
    return text;
  }

  std::string events_text() const {
    if (!events_) return "";
    std::string directions, stops;
    for (const Event& event : model_.events) {
      directions += fmt::format("{}, ", event.direction);
      stops += fmt::format("{:d}, ", event.stop);
    }
    return fmt::format(
        "LANE_INLINE int lane_event_direction(int e)\n{{\n  const int list[] = {{{}}};\n"
        "  return list[e];\n}}\n"
        "LANE_INLINE bool lane_event_stops(int e)\n{{\n  const int list[] = {{{}}};\n"
        "  return list[e] != 0;\n}}\n",
        directions, stops);
  }

  const Study& study_;
  const Model& model_;
  const System& system_;
  const std::vector<double>& parameters_;
  const TeamRequest& team_;
  bool events_ = false;
};

}  // namespace

std::string lane_kernel_head() {
  return std::string(kernel_lanes) + kernel_functions;
}

// As in kernel/team.h: rows of a number for every run.
std::size_t LaneKernel::team_lanes() const {
  return lanes_of_warp * static_cast<std::size_t>(team.copies);
}
std::size_t LaneKernel::near_bytes() const {
  return static_cast<std::size_t>(states + 3 + team.near) * team_lanes() * sizeof(double);
}
std::size_t LaneKernel::far_bytes() const {
  return (inputs + constants +
          static_cast<std::size_t>(team.outputs + team.far + team.roles + 2 * states)) *
         team_lanes() * sizeof(double);
}

LaneKernel make_lane_kernel(const Study& study, std::string& problem, const TeamRequest& team) {
  const Model& model = *study.model;
  std::vector<double> parameters = parameter_values(model);
  std::unique_ptr<System> system = make_system(model, parameters, "recursive", problem);
  if (!system) {  // the file's numbers may be bad where those of the runs are good
    std::vector<double> values(study.inputs.size());
    std::vector<int> which;
    for (const StudyInput& input : study.inputs) which.push_back(input.parameter);
    study.design.fill(0, values);
    parameters = parameter_values(model, which, values);
    problem.clear();
    system = make_system(model, parameters, "recursive", problem);
    if (!system) return {};
  }
  return KernelMaker(study, *system, parameters, team).make();
}

}  // namespace cartan::study
