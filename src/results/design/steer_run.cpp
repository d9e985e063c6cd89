// A steered motion as a run: samples of the collocation polynomials with the inputs as columns.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "integrate/simulate.h"
#include "io/csv.h"
#include "io/output_files.h"
#include "mechanics/machine/mechanism_system.h"
#include "report/run_report.h"
#include "results/design/steer.h"
#include "results/load/analysis_state.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/run/recorder.h"
#include "results/run/run.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

constexpr int most_rows = 20000;

struct SampleTimes {
  std::vector<double> t;
  bool jumps = false;  // of an input
};

// So many rows that straight lines between them meet the inputs to the tolerance; two rows where an
// input jumps.
SampleTimes choose_times(const SteeringMotion& motion, double tolerance) {
  const int N = static_cast<int>(motion.mesh.intervals.size());
  const double T = motion.duration();
  double size = 1;
  for (const Eigen::MatrixXd& u : motion.input)
    if (u.size() > 0) size = std::max(size, u.cwiseAbs().maxCoeff());
  std::vector<double> wanted(N);
  double sum = 0;
  constexpr int parts = 8;
  const double fine = tolerance / 30;  // errors of inputs grow along the motion
  for (int k = 0; k < N; ++k) {
    double bend = 0;  // of the inputs over a part
    for (int i = 1; i < parts; ++i)
      bend = std::max(
          bend, (motion.inputs_in(k, (i + 1.0) / parts) - 2 * motion.inputs_in(k, 1.0 * i / parts) +
                 motion.inputs_in(k, (i - 1.0) / parts))
                    .cwiseAbs()
                    .maxCoeff());
    const double length = motion.interval_end(k) - motion.interval_begin(k);
    wanted[k] = std::max({4.0, 400 * length / T, parts * std::sqrt(bend / (8 * fine * size))});
    sum += wanted[k];
  }
  const double factor = std::min(1.0, most_rows / sum);
  SampleTimes times;
  const double beside = 1e-10 * T;
  for (int k = 0; k < N; ++k) {
    const int rows = std::max(4, static_cast<int>(std::ceil(factor * wanted[k])));
    const double begin = motion.interval_begin(k), end = motion.interval_end(k);
    bool jump = false;
    if (k > 0)
      jump =
          (motion.inputs_in(k - 1, 1) - motion.inputs_in(k, 0)).cwiseAbs().maxCoeff() > 1e-3 * size;
    times.jumps |= jump;
    if (jump) times.t.push_back(begin - beside);
    times.t.push_back(jump ? begin + beside : begin);
    // closer and closer to where intervals meet: there the inputs of the two differ a little, and
    // that reaches no further than the rows are apart
    constexpr int closer = 6;
    const double row = (end - begin) / rows;
    for (int i = closer; i > 0 && k > 0; --i) times.t.push_back(begin + std::ldexp(row, -i));
    for (int i = 1; i < rows; ++i) times.t.push_back(begin + (end - begin) * i / rows);
    for (int i = 1; i <= closer && k + 1 < N; ++i) times.t.push_back(end - std::ldexp(row, -i));
  }
  times.t.push_back(motion.times.back());
  return times;
}

// Where two intervals meet, their polynomials differ by the error of the input: the mean keeps its
// integral. Between points a polynomial may leave the bounds by its error.
VectorXd inputs_of_row(const SteerRecord& record, double t) {
  const SteeringMotion& motion = record.result.motion;
  const int k = motion.interval_at(t);
  VectorXd u = motion.inputs_in(k, motion.part_at(k, t));
  if (k > 0 && t == motion.interval_begin(k)) u = 0.5 * (motion.inputs_in(k - 1, 1) + u);
  for (int j = 0; j < u.size(); ++j) {
    const ValueBounds& bounds = record.setup->problem.input_bounds[j];
    u(j) = std::clamp(u(j), bounds.low, bounds.high);
  }
  return u;
}

bool write_inputs(const SteerRecord& record, const SampleTimes& times, const std::string& path,
                  std::string& problem) {
  CsvWriter writer(path);
  std::vector<std::string> names = {"t"};
  names.insert(names.end(), record.setup->inputs.begin(), record.setup->inputs.end());
  writer.header(names);
  for (const double t : times.t) {
    writer.number(t);
    for (const double u : inputs_of_row(record, t)) writer.number(u);
    writer.end_row();
  }
  return writer.close(problem);
}

// States of the motion in the system of the run, one after the other: whole turns of angles are
// counted, integrals (work) are carried along.
class MotionWalk {
 public:
  MotionWalk(const SteerRecord& record, const System& system)
      : motion_(record.result.motion),
        charts_(*record.setup->charts),
        system_(system),
        workspace_(system.make_workspace()),
        state_(system.initial_state()),
        rate_(state_.x.size()) {
    place(motion_.times.front());
  }

  const State& at(double t) {
    const double from = state_.t, length = t - from;
    if (length > 0 && system_.quadratures() > 0) {
      const std::size_t first = state_.x.size() - system_.quadratures();
      std::vector<double> sums(state_.x.begin() + first, state_.x.end());
      for (const double c : {0.5 - std::sqrt(3.0) / 6, 0.5 + std::sqrt(3.0) / 6}) {
        place(from + c * length);
        system_.derivative(state_, rate_, *workspace_);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += 0.5 * length * rate_[first + k];
      }
      std::copy(sums.begin(), sums.end(), state_.x.begin() + first);
    }
    place(t);
    const int turns = system_.turn_entries();
    if (length > 0 && turns > 0) {
      std::vector<int> counted(state_.mode.end() - turns, state_.mode.end());
      if (system_.count_turns(state_, length, counted, *workspace_).empty())
        std::copy(counted.begin(), counted.end(), state_.mode.end() - turns);
    }
    return state_;
  }

 private:
  void place(double t) {
    motion_.state_at(charts_, t, x_);
    std::copy(x_.begin(), x_.end(), state_.x.begin());
    state_.t = t;
  }

  const SteeringMotion& motion_;
  const StateCharts& charts_;
  const System& system_;
  std::unique_ptr<Workspace> workspace_;
  State state_;
  std::vector<double> x_, rate_;
};

RunResult describe_run(const SteerRecord& record, const Model& model, const System& system,
                       Recorder& recorder, const State& begin, const State& end, long rows) {
  RunResult result;
  result.model = &model;
  result.settings.formulation = "recursive";
  result.settings.simulate.integrator = "dop853";  // replaced in the summary
  result.settings.simulate.duration = record.result.motion.duration();
  result.settings.simulate.step = record.result.motion.duration() / std::max(1L, rows - 1);
  result.start_time = begin.t;
  result.report.steps = static_cast<long>(record.result.motion.mesh.intervals.size());
  result.report.tolerance = record.setup->task.tolerance;
  result.report.final_state = end;
  result.wall_seconds = record.wall_seconds;
  recorder.describe(end, result);
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system))
    result.work =
        calc_works(*mechanism, begin, end, "the motion was not integrated force by force");
  result.undefined = recorder.undefined();
  return result;
}

std::string steered_summary(const SteerRecord& record, const RunResult& result) {
  Json json = Json::parse(summary_json(result, false));
  json["integrator"] = fmt::format("collocation ({}, {} points)", record.setup->task.method,
                                   record.setup->task.points);
  json["error"] = {{"estimate", record.result.errors.error}, {"how", "mesh error of steer"}};
  json["steer"] = steer_json(record);
  return json.dump(2) + "\n";
}

std::string replaced_text(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Largest difference between the run loop's motion and the collocated one.
double replay_difference(const SteerRecord& record, const System& system, const State& begin) {
  const SteeringMotion& motion = record.result.motion;
  const int size = record.setup->charts->size();
  VectorXd scale = VectorXd::Ones(size);
  double difference = 0;
  std::vector<double> x;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    motion.state_at(*record.setup->charts, std::min(state.t, motion.times.back()), x);
    const auto now = Eigen::Map<const VectorXd>(state.x.data(), size);
    const auto then = Eigen::Map<const VectorXd>(x.data(), size);
    scale = scale.cwiseMax(then.cwiseAbs() + VectorXd::Ones(size));
    VectorXd off = (now - then).cwiseAbs();
    for (const int first : record.setup->charts->quaternions())  // u and -u are one rotation
      off.segment(first, 4) =
          off.segment(first, 4).cwiseMin((now + then).segment(first, 4).cwiseAbs());
    difference = std::max(difference, off.cwiseQuotient(scale).maxCoeff());
  };
  SimulateOptions options;
  options.integrator = "dop853";
  options.tolerance = 1e-12;
  options.duration = motion.duration();
  options.step = motion.duration() / 200;
  options.max_step = motion.duration() / 1000;  // its dense output is coarser than its steps
  const SimulateReport report = simulate(system, begin, options, observer);
  return report.ok() ? difference : std::numeric_limits<double>::quiet_NaN();
}

std::string report_of(const SteerArguments& o, const SteerRecord& record, const RunResult& result,
                      const OutputFolder& output, std::string& problem) {
  RunReportFacts facts;
  facts.summary = steer_text(record) + "\n" + summary_text(result);
  facts.model_file = record.setup->arguments.path;
  std::ifstream stream(facts.model_file);
  facts.model_text.assign(std::istreambuf_iterator<char>(stream), {});
  const std::time_t now = std::time(nullptr);
  char date[64];
  std::tm parts = {};
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &parts));
  facts.provenance = {{"command", o.command},
                      {"program", fmt::format("cartan {}", CARTAN_VERSION)},
                      {"date", date},
                      {"files", fmt::format("{}", fmt::join(output.names(), ", "))}};
  return run_report_page(output.path(), facts, problem);
}

}  // namespace

void write_steered_run(const SteerArguments& o, SteerRecord& record) {
  const SampleTimes times = choose_times(record.result.motion, record.setup->task.tolerance);
  record.replay.input_kind = times.jumps ? "linear" : "smooth";
  if (o.how.out.empty()) return;
  std::string problem;
  const auto output = OutputFolder::open(o.how.out, "run", replace_if(o.how.force), problem);
  if (!output) refuse("steer", problem);
  const std::string aside = output->add("inputs.csv");
  if (!write_inputs(record, times, aside, problem)) fail("steer", problem);
  ModelArguments arguments = record.setup->arguments;
  arguments.inputs.file = aside;
  arguments.inputs.kind = record.replay.input_kind;
  arguments.quiet = true;
  const std::unique_ptr<const Model> model = load_model(arguments, {}, true);
  const std::unique_ptr<System> system = load_system(*model, "recursive");
  const auto recorder = make_recorder(*system, ExtraTables{}, output.get());
  MotionWalk walk(record, *system);
  const State begin = walk.at(times.t.front());
  if (o.how.verify) record.replay.difference = replay_difference(record, *system, begin);
  for (const double t : times.t) recorder->sample(walk.at(t));
  const State end = walk.at(times.t.back());
  const RunResult result = describe_run(record, *model, *system, *recorder, begin, end,
                                        static_cast<long>(times.t.size()));
  const std::string inputs_file = o.how.out + "/inputs.csv";
  if (!recorder->close(problem) ||
      !output->write("start.json", model_state_json(*model, *system, begin).dump(2) + "\n",
                     problem) ||
      !output->write("model.json", replaced_text(run_model_json(*model, ""), aside, inputs_file),
                     problem) ||
      !output->write("summary.json", steered_summary(record, result), problem) ||
      !output->write("steer.json", steer_json(record).dump(2) + "\n", problem) ||
      !output->commit(problem))
    fail("steer", problem);
  record.folder = output->path();
  if (o.how.report) {
    const std::string page = report_of(o, record, result, *output, problem);
    if (page.empty() || !output->append("report.html", page, problem))
      fail("steer", "the motion is written, but no report: " + problem);
  }
  record.files = output->names();
}

}  // namespace cartan::results
