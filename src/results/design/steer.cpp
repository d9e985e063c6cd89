#include "results/design/steer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/design/sparse_program.h"
#include "results/design/steer_contacts.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

SteerTask chosen_task(const SteerArguments& o) {
  SteerTask task = read_steer_task(o.task);
  if (!o.how.method.empty()) task.method = o.how.method;
  if (task.method != "gauss" && task.method != "radau")
    refuse("steer", fmt::format("--method is '{}'; expected gauss or radau", task.method));
  const auto whole = [](const char* name, const std::optional<int>& asked, int most, int& target) {
    if (!asked) return;
    if (*asked < 1 || *asked > most)
      refuse("steer", fmt::format("{}: expected a number from 1 to {}", name, most));
    target = *asked;
  };
  whole("--points", o.how.points, 12, task.points);
  whole("--intervals", o.how.intervals, 2000, task.intervals);
  whole("--starts", o.how.starts, 1000, task.starts);
  if (o.how.tolerance) task.tolerance = *o.how.tolerance;
  if (!(task.tolerance >= 1e-13 && task.tolerance < 1))
    refuse("steer", "--tolerance: expected a number from 1e-13 to below 1");
  task.refine = task.refine && o.how.refine;
  return task;
}

SteeringOptions steering_options(const SteerTask& task, const api::Watch& watch) {
  SteeringOptions options;
  options.kind = task.method == "radau" ? CollocationKind::radau : CollocationKind::gauss;
  options.points = task.points;
  options.intervals = task.intervals;
  options.tolerance = task.tolerance;
  options.beyond = 10 * task.tolerance;
  options.refine = task.refine;
  options.program.tolerance = std::clamp(0.01 * task.tolerance, 1e-10, 1e-8);
  options.program.stop_requested = watch.stop;
  return options;
}

// The best of the first meshes that came to an end, then others that differ from those chosen.
std::vector<int> best_starts(const std::vector<SteeringResult>& results, std::size_t most) {
  std::vector<int> order, chosen;
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k].converged) order.push_back(static_cast<int>(k));
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return results[a].objective < results[b].objective; });
  for (const int k : order) {
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](int other) {
      return std::fabs(results[k].objective - results[other].objective) <
             1e-3 * (1e-6 + std::fabs(results[k].objective));
    });
    // on first meshes those that differ little may change places
    const SteeringResult& best = results[order.front()];
    const double margin = 1e-3 + 10 * std::max(best.errors.error, results[k].errors.error);
    const bool near = results[k].objective <= best.objective + margin * std::fabs(best.objective);
    if (!known && near && chosen.size() < most) chosen.push_back(k);
  }
  return chosen;
}

bool is_better_motion(const SteeringResult& a, const SteeringResult& b) {
  if (a.converged != b.converged) return a.converged;
  return a.objective < b.objective;
}

SteeringResult search(const SteerSetup& setup, const SteerArguments& o,
                      std::vector<SteerStart>& starts) {
  const SteeringOptions options = steering_options(setup.task, o.how.watch);
  Task task(o.how.watch, "steering");
  std::vector<SteeringResult> firsts;
  const int count = setup.task.starts;
  SteeringOptions aside = options;  // guesses that are bent aside get less patience
  aside.program.iterations = 150;
  for (int k = 0; k < count; ++k) {
    const SteeringMotion guess =
        first_motion(setup.problem, options, make_steering_guess(setup, k));
    firsts.push_back(solve_on_mesh(setup.problem, guess, k == 0 ? options : aside));
    starts.push_back({firsts.back().objective, firsts.back().converged, firsts.back().problem});
    task.show(0.5 * (k + 1) / count);
    if (stopped(o.how.watch)) break;
  }
  const std::vector<int> chosen = best_starts(firsts, count > 1 ? 3 : 1);
  if (chosen.empty()) return firsts.front();
  int iterations = 0;
  for (const SteeringResult& first : firsts) iterations += first.iterations;
  std::optional<SteeringResult> best;
  for (const int k : chosen) {
    const int before = firsts[k].iterations;
    SteeringResult refined = refine_steering(setup.problem, firsts[k], options);
    iterations += refined.iterations - before;
    if (!best || is_better_motion(refined, *best)) best = std::move(refined);
  }
  best->iterations = iterations;
  return *best;
}

// Conditions at ends that were left out because others imply them, and are not met.
std::string find_missed_end(const SteerSetup& setup, const SteeringResult& result) {
  for (std::size_t k = 0; k < setup.phases.size(); ++k) {
    const SteeringPhase& p = setup.problem.phases[k];
    const PhaseMotion& motion = result.motion.phases[k];
    std::vector<double> a = motion.base.back(), f(p.ends + 1);
    a.insert(a.end(), p.numbers.begin(), p.numbers.end());
    Eigen::VectorXd z(p.states + 1);
    z << motion.node.back(), motion.times.back();
    p.end->value(z.data(), a.data(), f.data());
    for (int r = 0; r < p.ends; ++r)
      if (!(std::fabs(f[r]) < 1e-6))
        return fmt::format(
            "'{}' at the end is missed by {:.2g}: it contradicts the other conditions or the "
            "constraints of the model",
            setup.phases[k].end_names[r], f[r]);
  }
  return "";
}

}  // namespace

SteerRecord steer_task(const SteerArguments& o) {
  if ((o.how.report || o.how.verify) && o.how.out.empty())
    refuse("steer", "--report and --verify need --out DIR");
  const SteerTask task = chosen_task(o);
  if (const std::string refusal = refuse_ipopt(); !refusal.empty()) refuse("steer", refusal);
  require_room(
      "steer", "run", o.how.out, o.how.force,
      {"trajectory.csv", "inputs.csv", "start.json", "model.json", "summary.json", "steer.json"});
  const auto begin = std::chrono::steady_clock::now();
  auto setup = std::make_shared<SteerSetup>();
  prepare_steering(task, o.model, o.how.watch, *setup);
  const double preparing = seconds_since(begin);
  for (const std::string& name : setup->left_out)
    tell(o.how.watch, fmt::format("{}: note: the input '{}' is not in [inputs] and keeps its value",
                                  task.file, name));
  if (!setup->without_curvature.empty())
    tell(o.how.watch,
         fmt::format("{}: note: no exact second derivatives ({}); curvature is collected from the "
                     "steps, which takes more of them",
                     task.file, setup->without_curvature));
  const auto solving = std::chrono::steady_clock::now();
  std::vector<SteerStart> starts;
  SteeringResult result = search(*setup, o, starts);
  SteerRecord record{setup, std::move(result), std::move(starts), {}, 0, 0, "", {}};
  record.wall_seconds = seconds_since(solving);
  record.compile_seconds = preparing;
  if (record.result.converged) {
    std::string missed = find_missed_end(*setup, record.result);
    if (missed.empty()) missed = find_unplanned_contact(*setup, record.result.motion);
    if (!missed.empty()) {
      record.result.converged = false;
      record.result.problem = missed;
    }
  }
  if (record.result.converged) write_steered_run(o, record);
  return record;
}

namespace {

Json phases_json(const SteerRecord& record) {
  const SteerSetup& setup = *record.setup;
  Json list = Json::array();
  for (std::size_t p = 0; p < setup.phases.size(); ++p) {
    const PhaseMotion& motion = record.result.motion.phases[p];
    Json closed = Json::array();
    for (const int k : setup.phases[p].closed) closed.push_back(setup.model->contacts[k].name);
    list.push_back({{"name", setup.phases[p].name},
                    {"begin", motion.times.front()},
                    {"duration", motion.duration()},
                    {"closed", std::move(closed)},
                    {"intervals", motion.intervals()}});
  }
  return list;
}

std::string phases_text(const SteerRecord& record) {
  const SteerSetup& setup = *record.setup;
  if (setup.task.phases.empty()) return "";
  std::string text = "phases:\n";
  for (std::size_t p = 0; p < setup.phases.size(); ++p) {
    const PhaseMotion& motion = record.result.motion.phases[p];
    std::vector<std::string> closed;
    for (const int k : setup.phases[p].closed) closed.push_back(setup.model->contacts[k].name);
    text += fmt::format("  {}: {:.12g} to {:.12g} s, {}\n", setup.phases[p].name,
                        motion.times.front(), motion.times.back(),
                        closed.empty() ? "no contact is closed"
                                       : fmt::format("closed: {}", fmt::join(closed, ", ")));
  }
  return text;
}

}  // namespace

Json steer_json(const SteerRecord& record) {
  const SteeringResult& r = record.result;
  const SteerTask& task = record.setup->task;
  Json json = {{"model", record.setup->model->name},
               {"converged", r.converged},
               {"objective", r.objective},
               {"duration", r.motion.duration()},
               {"mesh_error", r.errors.local.empty() ? Json(nullptr) : Json(r.errors.error)},
               {"intervals", r.motion.intervals()},
               {"iterations", r.iterations},
               {"wall_seconds", record.wall_seconds},
               {"prepare_seconds", record.compile_seconds},
               {"tolerance", task.tolerance},
               {"method", task.method},
               {"points", task.points},
               {"meshes", r.meshes},
               {"switches", r.switches},
               {"minimum", "local"},
               {"second_order", r.strict},
               {"hessian", r.exact_hessian ? "exact" : "collected"},
               {"inputs", record.setup->inputs}};
  if (!r.problem.empty()) json["problem"] = r.problem;
  if (!task.phases.empty()) json["phases"] = phases_json(record);
  if (record.starts.size() > 1) {
    json["starts"] = Json::array();
    for (const SteerStart& start : record.starts)
      json["starts"].push_back({{"objective", start.objective}, {"converged", start.converged}});
  }
  if (!record.replay.input_kind.empty()) {
    json["replay"] = {{"input_kind", record.replay.input_kind}};
    if (record.replay.difference) json["replay"]["difference"] = *record.replay.difference;
    if (!record.replay.problem.empty()) json["replay"]["problem"] = record.replay.problem;
  }
  return json;
}

std::string steer_text(const SteerRecord& record) {
  const SteeringResult& r = record.result;
  const SteerTask& task = record.setup->task;
  std::string text =
      fmt::format("{}: {} after {} iterations on {} meshes\n", record.setup->model->title(),
                  r.converged ? "a local minimum" : "no solution", r.iterations, r.meshes);
  if (r.errors.local.empty()) return text;
  text += fmt::format("objective {:.15g}\nduration {:.15g}\n", r.objective, r.motion.duration());
  text +=
      fmt::format("mesh error {:.2g}: {} intervals of {} {} points\n", r.errors.error,
                  r.motion.intervals(), task.points, task.method == "radau" ? "Radau" : "Gauss");
  text += phases_text(record);
  if (!r.switches.empty())
    text += fmt::format("switches of inputs at {:.12g}\n", fmt::join(r.switches, ", "));
  if (r.converged && !r.strict && r.exact_hessian && r.switches.empty())
    text +=
        "the conditions of second order are not met strictly: there may be a better motion "
        "beside this one\n";
  if (record.starts.size() > 1) {
    text += fmt::format("from {} starts, on their first mesh:\n", record.starts.size());
    for (const SteerStart& start : record.starts)
      text += fmt::format("  {:.9g}{}\n", start.objective,
                          start.converged ? "" : "  (" + start.problem + ")");
  }
  if (r.converged && record.starts.size() < 10)
    text += "other guesses may lead to a better one: try --starts 20\n";
  if (record.replay.difference)
    text += fmt::format("replay by dop853: largest difference {:.2g}\n", *record.replay.difference);
  if (!task.phases.empty() && record.replay.difference &&
      *record.replay.difference > 10 * r.errors.error + 1e-9)
    text +=
        "  more than ten times the mesh error: where surfaces graze, or a contact carries nothing "
        "for "
        "a while, the run\n  decides in its own way; ask for a clearance or for more force by a "
        "path\n";
  if (!record.replay.problem.empty())
    text += fmt::format("replay by dop853: {}\n", record.replay.problem);
  if (!record.folder.empty())
    text += fmt::format(
        "\nWritten to {}: {}\nReplay: cartan run {} --from {}/start.json --input-file "
        "{}/inputs.csv --input-kind {} --duration {} --integrator dop853\n",
        record.folder, fmt::join(record.files, ", "), record.setup->arguments.path, record.folder,
        record.folder, record.replay.input_kind, r.motion.duration());
  return text;
}

}  // namespace cartan::results
