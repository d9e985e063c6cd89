#include "analysis/control/steering.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/control/steering_program.h"
#include "analysis/control/switches.h"

namespace cartan::analysis {
namespace {

using Eigen::VectorXd;

constexpr int most_arcs = 24;

// State and inputs at a time of a phase.
using MotionSampler = std::function<void(double t, std::vector<double>& x, Eigen::VectorXd& u)>;

PhaseMotion filled_motion(const SteeringPhase& problem, SteeringMesh mesh,
                          std::vector<double> times, const MotionSampler& sample) {
  PhaseMotion motion(std::move(mesh));
  motion.times = std::move(times);
  const StateCharts& charts = *problem.charts;
  const int N = static_cast<int>(motion.mesh.intervals.size()), s = motion.mesh.rule.points();
  std::vector<double> x;
  VectorXd u(problem.inputs), y(problem.states);
  for (int k = 0; k <= N; ++k) {
    const double t = k < N ? motion.interval_begin(k) : motion.times.back();
    sample(t, x, u);
    motion.base.emplace_back(charts.base_size());
    charts.take_base(x, motion.base.back().data());
    charts.to_coordinates(motion.base.back().data(), x, y.data());
    motion.node.push_back(y);
    if (k == N) break;
    motion.stage.emplace_back(problem.states, s);
    motion.input.emplace_back(problem.inputs, s);
    const double length = motion.interval_end(k) - t;
    for (int i = 0; i < s; ++i) {
      sample(t + motion.mesh.rule.c[i] * length, x, u);
      charts.to_coordinates(motion.base[k].data(), x, y.data());
      motion.stage[k].col(i) = y;
      motion.input[k].col(i) = u;
      for (int j = 0; j < problem.inputs; ++j)
        motion.input[k](j, i) = std::clamp(motion.input[k](j, i), problem.input_bounds[j].low,
                                           problem.input_bounds[j].high);
    }
  }
  return motion;
}

// A phase on another mesh; `times` are the ends of the new arcs.
PhaseMotion resampled(const SteeringPhase& problem, const PhaseMotion& motion, SteeringMesh mesh,
                      std::vector<double> times) {
  return filled_motion(problem, std::move(mesh), std::move(times),
                       [&](double t, std::vector<double>& x, VectorXd& u) {
                         motion.state_at(*problem.charts, t, x);
                         u = motion.inputs_at(t);
                       });
}

// Into how many pieces an interval is cut: its error falls with the power points + 1 of its length.
int pieces_for(double error, double wanted, int points) {
  if (!(error > wanted)) return 1;
  const double pieces = std::ceil(std::pow(error / wanted, 1.0 / (points + 1)) * 1.05);
  return static_cast<int>(std::clamp(pieces, 2.0, 4.0));
}

SteeringMesh refined_mesh(const SteeringMesh& mesh, const std::vector<int>& pieces) {
  SteeringMesh result(mesh.rule);
  result.arcs = mesh.arcs;
  for (std::size_t k = 0; k < mesh.intervals.size(); ++k) {
    const SteeringMesh::Interval& old = mesh.intervals[k];
    for (int p = 0; p < pieces[k]; ++p)
      result.intervals.push_back({old.arc, old.begin + (old.end - old.begin) * p / pieces[k],
                                  old.begin + (old.end - old.begin) * (p + 1) / pieces[k],
                                  old.held});
  }
  return result;
}

SteeringMesh mesh_of_arcs(const InputArcs& arcs, const CollocationRule& rule, int intervals,
                          bool hold) {
  SteeringMesh mesh(rule);
  mesh.arcs = arcs.count();
  const double whole = arcs.times.back() - arcs.times.front();
  for (int a = 0; a < arcs.count(); ++a) {
    const double part = (arcs.times[a + 1] - arcs.times[a]) / whole;
    const int count = std::max(1, static_cast<int>(std::ceil(part * intervals / 2)));
    for (int k = 0; k < count; ++k)
      mesh.intervals.push_back(
          {a, 1.0 * k / count, 1.0 * (k + 1) / count, hold ? arcs.held[a] : std::vector<double>()});
  }
  return mesh;
}

// Points at which a held input would better leave its bound.
int count_wrong_signs(SteeringProgram& program, const SteeringProblem& problem,
                      const SteeringMotion& motion, const ProgramResult& solved) {
  std::vector<std::pair<double, double>> gains;  // gain, direction in which it may move
  double largest = 0;
  for (std::size_t p = 0; p < motion.phases.size(); ++p) {
    const SteeringMesh& mesh = motion.phases[p].mesh;
    const std::vector<ValueBounds>& bounds = problem.phases[p].input_bounds;
    for (std::size_t k = 0; k < mesh.intervals.size(); ++k) {
      const std::vector<double>& held = mesh.intervals[k].held;
      if (held.empty()) continue;
      for (int i = 0; i < mesh.rule.points(); ++i) {
        const VectorXd gain = program.input_gain(static_cast<int>(p), solved.x, solved.multipliers,
                                                 static_cast<int>(k), i) /
                              mesh.rule.b[i];
        for (std::size_t j = 0; j < bounds.size(); ++j) {
          if (std::isnan(held[j])) continue;
          gains.emplace_back(gain(static_cast<int>(j)), held[j] == bounds[j].low ? 1.0 : -1.0);
          largest = std::max(largest, std::fabs(gains.back().first));
        }
      }
    }
  }
  return static_cast<int>(std::count_if(gains.begin(), gains.end(), [&](const auto& entry) {
    return entry.first * entry.second < -1e-3 * largest;
  }));
}

void add_counts(const SteeringResult& before, SteeringResult& after) {
  after.iterations += before.iterations;
  after.meshes += before.meshes;
}

bool any_held(const InputArcs& arcs) {
  return std::any_of(arcs.held.begin(), arcs.held.end(), [](const auto& held) {
    return std::any_of(held.begin(), held.end(), [](double v) { return !std::isnan(v); });
  });
}

// The same motion with its switches as unknowns; nothing where that does not help.
bool solve_with_switches(const SteeringProblem& problem, SteeringResult& result,
                         const SteeringOptions& options) {
  std::vector<InputArcs> arcs;
  int count = 0;
  bool held = false;
  for (std::size_t p = 0; p < problem.phases.size(); ++p) {
    arcs.push_back(find_input_arcs(problem.phases[p], result.motion.phases[p]));
    count += arcs.back().count();
    held |= any_held(arcs.back());
  }
  if (count > most_arcs || !held) return false;
  for (const bool hold : {true, false}) {
    SteeringMotion guess;
    guess.impulses = result.motion.impulses;
    for (std::size_t p = 0; p < problem.phases.size(); ++p) {
      const PhaseMotion& phase = result.motion.phases[p];
      guess.phases.push_back(resampled(
          problem.phases[p], phase, mesh_of_arcs(arcs[p], phase.mesh.rule, phase.intervals(), hold),
          arcs[p].times));
    }
    SteeringOptions near = options;
    near.program.near_solution = true;
    SteeringResult solved = solve_on_mesh(problem, guess, near);
    add_counts(result, solved);
    result.iterations = solved.iterations;
    result.meshes = solved.meshes;
    const double worse = 1e-3 * (1 + std::fabs(result.objective));
    if (!solved.converged || solved.switching_wrong > 0 ||
        solved.objective > result.objective + worse)
      continue;
    result = std::move(solved);
    return true;
  }
  return false;
}

bool is_fine_enough(const SteeringResult& result, const SteeringOptions& options) {
  return result.errors.error <= options.tolerance && result.errors.largest_beyond <= options.beyond;
}

// The next meshes, without the motion. What a path goes beyond its bounds between two points falls
// with the square of their distance.
std::vector<SteeringMesh> refined_meshes(const SteeringResult& result,
                                         const SteeringOptions& options) {
  // errors grow on their way to the end: so much smaller must each of them be
  const MeshErrors& errors = result.errors;
  const double growth = std::max(1.0, errors.error / errors.largest);
  const double wanted = 0.5 * options.tolerance / growth;
  std::vector<SteeringMesh> meshes;
  for (std::size_t p = 0; p < result.motion.phases.size(); ++p) {
    const SteeringMesh& mesh = result.motion.phases[p].mesh;
    std::vector<int> pieces;
    for (std::size_t k = 0; k < mesh.intervals.size(); ++k)
      pieces.push_back(std::max(pieces_for(errors.local[p][k], wanted, mesh.rule.points()),
                                pieces_for(errors.beyond[p][k], 0.5 * options.beyond, 1)));
    meshes.push_back(refined_mesh(mesh, pieces));
  }
  return meshes;
}

}  // namespace

SteeringMotion first_motion(const SteeringProblem& problem, const SteeringOptions& options,
                            const SteeringGuess& guess) {
  SteeringMotion motion;
  double begin = problem.phases.front().begin;
  for (std::size_t p = 0; p < problem.phases.size(); ++p) {
    const SteeringPhase& phase = problem.phases[p];
    const bool bounded = std::any_of(phase.input_bounds.begin(), phase.input_bounds.end(),
                                     [](const ValueBounds& b) { return b.any(); });
    const int intervals = options.intervals > 0 ? options.intervals : bounded ? 16 : 10;
    const double T = phase.duration_guess;
    motion.phases.push_back(filled_motion(
        phase, SteeringMesh::uniform(CollocationRule(options.kind, options.points), intervals),
        {begin, begin + T}, [&](double t, std::vector<double>& x, VectorXd& u) {
          guess(static_cast<int>(p), std::clamp((t - begin) / T, 0.0, 1.0), x, u);
        }));
    begin += T;
  }
  return motion;
}

SteeringResult solve_on_mesh(const SteeringProblem& problem, const SteeringMotion& guess,
                             const SteeringOptions& options) {
  SteeringProgram program(problem, guess);
  ProgramResult solved = solve_program(program, program.first_point(), options.program);
  SteeringResult result(program.motion_of(solved.x));
  result.converged = solved.converged;
  result.problem = solved.problem;
  result.objective = solved.objective;
  result.iterations = solved.iterations;
  result.meshes = 1;
  result.strict = solved.strict;
  result.exact_hessian = program.has_hessian();
  for (const PhaseMotion& phase : result.motion.phases)
    for (int a = 1; a < phase.mesh.arcs; ++a) result.switches.push_back(phase.times[a]);
  if (!solved.converged) return result;
  result.errors = estimate_mesh_errors(problem, result.motion);
  result.switching_wrong = count_wrong_signs(program, problem, guess, solved);
  return result;
}

SteeringResult refine_steering(const SteeringProblem& problem, SteeringResult result,
                               const SteeringOptions& options) {
  if (!result.converged || !options.refine) return result;
  const bool arcs = solve_with_switches(problem, result, options);
  SteeringOptions near = options;
  near.program.near_solution = true;
  for (int pass = 0; pass < options.refinements; ++pass) {
    if (is_fine_enough(result, options)) return result;
    std::vector<SteeringMesh> meshes = refined_meshes(result, options);
    SteeringMotion guess;
    guess.impulses = result.motion.impulses;
    for (std::size_t p = 0; p < meshes.size(); ++p)
      guess.phases.push_back(resampled(problem.phases[p], result.motion.phases[p],
                                       std::move(meshes[p]), result.motion.phases[p].times));
    if (guess.intervals() > options.most_intervals) break;
    if (options.note)
      options.note(fmt::format("mesh of {} intervals: error {:.2g}; next {} intervals",
                               result.motion.intervals(), result.errors.error, guess.intervals()));
    SteeringResult next = solve_on_mesh(problem, guess, near);
    if (!next.converged && next.problem != "it was interrupted") {
      const int spent = next.iterations;
      next = solve_on_mesh(problem, guess, options);
      next.iterations += spent;
    }
    add_counts(result, next);
    result = std::move(next);
    if (!result.converged) return result;
    // a kink seen only now: once more with its place as an unknown
    if (pass == 2 && !arcs && result.errors.error > options.tolerance)
      solve_with_switches(problem, result, options);
  }
  result.converged = is_fine_enough(result, options);
  if (result.errors.error <= options.tolerance && !result.converged)
    result.problem = fmt::format(
        "between the points of a mesh of {} intervals a contact still overlaps, pulls or slides by "
        "{:.2g}; ask for a larger tolerance",
        result.motion.intervals(), result.errors.largest_beyond);
  else if (!result.converged)
    result.problem = fmt::format(
        "the mesh error stays at {:.2g} with {} intervals; ask for a larger tolerance, or look for "
        "what is not smooth",
        result.errors.error, result.motion.intervals());
  return result;
}

}  // namespace cartan::analysis
