// A steered motion as a run: samples of the collocation polynomials with the inputs as columns.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/csv.h"
#include "io/output_files.h"
#include "report/run_report.h"
#include "results/design/steer.h"
#include "results/design/steer_contacts.h"
#include "results/load/analysis_state.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/run/recorder.h"
#include "results/run/run.h"
#include "system/contact_holding.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

constexpr int most_rows = 20000;

struct SampleTimes {
  std::vector<double> t;
  bool jumps = false;  // of an input
};

// How far the inputs bend over an eighth of an interval.
double bend_of_inputs(const PhaseMotion& motion, int k, int parts) {
  double bend = 0;
  for (int i = 1; i < parts; ++i)
    bend = std::max(
        bend, (motion.inputs_in(k, (i + 1.0) / parts) - 2 * motion.inputs_in(k, 1.0 * i / parts) +
               motion.inputs_in(k, (i - 1.0) / parts))
                  .cwiseAbs()
                  .maxCoeff());
  return bend;
}

// So many rows that straight lines between them meet the inputs to the tolerance; two rows where an
// input jumps.
SampleTimes choose_times(const SteeringMotion& motion, double tolerance) {
  struct Piece {
    const PhaseMotion* phase;
    int k;
    double wanted;
  };
  const double T = motion.duration();
  double size = 1, sum = 0;
  for (const PhaseMotion& phase : motion.phases)
    for (const Eigen::MatrixXd& u : phase.input)
      if (u.size() > 0) size = std::max(size, u.cwiseAbs().maxCoeff());
  std::vector<Piece> pieces;
  constexpr int parts = 8;
  const double fine = tolerance / 30;  // errors of inputs grow along the motion
  for (const PhaseMotion& phase : motion.phases)
    for (int k = 0; k < phase.intervals(); ++k) {
      const double length = phase.interval_end(k) - phase.interval_begin(k);
      const double bend = bend_of_inputs(phase, k, parts);
      pieces.push_back(
          {&phase, k,
           std::max({4.0, 400 * length / T, parts * std::sqrt(bend / (8 * fine * size))})});
      sum += pieces.back().wanted;
    }
  const double factor = std::min(1.0, most_rows / sum), beside = 1e-10 * T;
  SampleTimes times;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const auto [phase, k, wanted] = pieces[p];
    const int rows = std::max(4, static_cast<int>(std::ceil(factor * wanted)));
    const double begin = phase->interval_begin(k), end = phase->interval_end(k);
    const bool first = p == 0, last = p + 1 == pieces.size();
    bool jump = false;
    if (!first)
      jump = (pieces[p - 1].phase->inputs_in(pieces[p - 1].k, 1) - phase->inputs_in(k, 0))
                 .cwiseAbs()
                 .maxCoeff() > 1e-3 * size;
    // a spline would not follow inputs that are smooth in each phase alone
    times.jumps |= jump || (!first && k == 0);
    jump |= !first && k == 0;
    if (jump) times.t.push_back(begin - beside);
    times.t.push_back(jump ? begin + beside : begin);
    // closer and closer to where intervals meet: there the inputs of the two differ a little, and
    // that reaches no further than the rows are apart
    constexpr int closer = 6;
    const double row = (end - begin) / rows;
    for (int i = closer; i > 0 && !first; --i) times.t.push_back(begin + std::ldexp(row, -i));
    for (int i = 1; i < rows; ++i) times.t.push_back(begin + (end - begin) * i / rows);
    for (int i = 1; i <= closer && !last; ++i) times.t.push_back(end - std::ldexp(row, -i));
  }
  times.t.push_back(motion.end());
  return times;
}

// Where two intervals meet, their polynomials differ by the error of the input: the mean keeps its
// integral. Between points a polynomial may leave the bounds by its error.
VectorXd inputs_of_row(const SteerRecord& record, double t) {
  const int p = record.result.motion.phase_at(t);
  const PhaseMotion& motion = record.result.motion.phases[p];
  const int k = motion.interval_at(t);
  VectorXd u = motion.inputs_in(k, motion.part_at(k, t));
  if (k > 0 && t == motion.interval_begin(k)) u = 0.5 * (motion.inputs_in(k - 1, 1) + u);
  for (int j = 0; j < u.size(); ++j) {
    const ValueBounds& bounds = record.setup->problem.phases[p].input_bounds[j];
    u(j) = std::clamp(u(j), bounds.low, bounds.high);
  }
  return u;
}

// Of the phases but for the end, where a motion that repeats begins again.
std::vector<Impact> planned_impacts(const SteerSetup& setup, const SteeringMotion& motion) {
  std::vector<Impact> list;
  for (std::size_t k = 0; k < setup.problem.junctions.size(); ++k) {
    if (setup.problem.junctions[k].repeats) continue;
    const RepeatedImpact repeated = repeat_impact(setup, motion, k);
    list.insert(list.end(), repeated.impacts.begin(), repeated.impacts.end());
  }
  return list;
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
// counted, integrals (work) are carried along, also through impacts.
class MotionWalk {
 public:
  MotionWalk(const SteerRecord& record, const System& system)
      : record_(record),
        motion_(record.result.motion),
        charts_(*record.setup->charts),
        system_(system),
        workspace_(system.make_workspace()),
        state_(system.initial_state()),
        rate_(state_.x.size()) {
    enter(0);
    place(motion_.begin());
    // gaps and speeds of what is closed to rounding
    if (!record.setup->task.phases.empty() && system.constrained())
      system.project(state_, *workspace_);
  }

  const State& at(double t) {
    while (phase_ < motion_.phase_at(t)) {
      const double end = motion_.phases[phase_].times.back();
      advance(end);
      const double before = energy();
      enter(phase_ + 1);
      place(end);
      if (system_.quadratures() > 0)
        state_.x[state_.x.size() - system_.quadratures()] += energy() - before;
    }
    advance(t);
    return state_;
  }

 private:
  void enter(int phase) {
    phase_ = phase;
    const auto* holder = dynamic_cast<const ContactHolding*>(&system_);
    const std::vector<int>& closed = record_.setup->phases[phase].closed;
    if (holder && !record_.setup->task.phases.empty())
      holder->hold_contacts(closed, state_, *workspace_);
  }
  double energy() {
    const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system_);
    if (!mechanism) return 0;
    Observation now;
    mechanism->observe(state_, now, *workspace_);
    return now.kinetic + now.potential;
  }
  void advance(double t) {
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
    if (length > 0) place(t);
    const int turns = system_.turn_entries();
    if (length > 0 && turns > 0) {
      std::vector<int> counted(state_.mode.end() - turns, state_.mode.end());
      if (system_.count_turns(state_, length, counted, *workspace_).empty())
        std::copy(counted.begin(), counted.end(), state_.mode.end() - turns);
    }
  }
  void place(double t) {
    motion_.phases[phase_].state_at(charts_, t, x_);
    std::copy(x_.begin(), x_.end(), state_.x.begin());
    state_.t = t;
  }

  const SteerRecord& record_;
  const SteeringMotion& motion_;
  const StateCharts& charts_;
  const System& system_;
  std::unique_ptr<Workspace> workspace_;
  State state_;
  int phase_ = 0;
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
  result.report.steps = static_cast<long>(record.result.motion.intervals());
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
  // straight lines are no better than the rows are dense, and shall be no worse than the mesh
  const double wanted = record.setup->task.tolerance;
  const double reached = std::max(record.result.errors.error, 1e-3 * wanted);
  const SampleTimes times =
      choose_times(record.result.motion,
                   record.result.motion.phases.size() > 1 ? std::min(wanted, reached) : wanted);
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
  if (o.how.verify) replay_motion(*system, begin, record);
  for (const double t : times.t) recorder->sample(walk.at(t));
  const State end = walk.at(times.t.back());
  const std::vector<Impact> impacts = planned_impacts(*record.setup, record.result.motion);
  for (const Impact& impact : impacts) recorder->impact(impact);
  RunResult result = describe_run(record, *model, *system, *recorder, begin, end,
                                  static_cast<long>(times.t.size()));
  result.report.impacts = static_cast<long>(impacts.size());
  for (const Impact& impact : impacts) result.report.energy_lost += impact.energy_lost;
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
