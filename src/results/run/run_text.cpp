#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/run/assembly_report.h"
#include "results/run/run_result.h"

namespace cartan::results {
namespace {

constexpr std::size_t most_lines = 12;  // of the table of final values

std::string count(long n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string mark(const RunResult& run, const char* setting) {
  return run.settings.defaulted.contains(setting) ? " (default)" : "";
}

std::string text_of(const Vec3<double>& a) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", a.x, a.y, a.z);
}

void add_line(std::string& text, const char* label, const std::string& content) {
  text += fmt::format("  {:<12} {}\n", label, content);
}

std::string title(const RunResult& run) {
  const Model& model = *run.model;
  const std::string name = model.title();
  if (!model.is_mechanism())
    return fmt::format("{}: {}\n", name, count(run.model->variables.size(), "variable"));
  return fmt::format(
      "{}: {}, {}\n", name, count(model.bodies.size(), model.bodies.size() == 1 ? "body" : "bodie"),
      run.dof == 1 ? "1 degree of freedom" : fmt::format("{} degrees of freedom", run.dof));
}

std::string method(const RunResult& run) {
  const SimulateOptions& o = run.settings.simulate;
  const IntegratorInfo& info = *find_integrator(o.integrator);
  std::string text;
  if (run.model->is_mechanism()) text += run.settings.formulation + mark(run, "formulation") + ", ";
  text += fmt::format("{}{}, {} {:g} s{}", o.integrator, mark(run, "integrator"),
                      info.adaptive ? "recorded every" : "step", o.step, mark(run, "step"));
  if (info.spectral_radius)
    text +=
        fmt::format(", spectral radius {:g}{}", o.spectral_radius, mark(run, "spectral_radius"));
  if (o.every > 1) text += fmt::format(", one in {} kept", o.every);
  if (run.report.tolerance > 0)
    text += fmt::format(", tolerance {:g}{}", run.report.tolerance, mark(run, "tolerance"));
  return text;
}

std::string cost(const RunResult& run) {
  const IntegratorCounts& c = run.report.counts;
  std::string text =
      fmt::format("{}, {}", count(run.report.steps, "step"), count(c.evaluations, "evaluation"));
  if (c.jacobians > 0) text += ", " + count(c.jacobians, "Jacobian");
  if (c.rejected > 0) text += ", " + count(c.rejected, "rejected step");
  if (c.stagnations > 0)
    text += fmt::format(", {} ended at rounding level", count(c.stagnations, "step"));
  return text + fmt::format(", {:.3g} s", run.wall_seconds);
}

bool has_quaternions(const Model& model) {
  for (const Joint& joint : model.joints)
    if (has_quaternion(joint.type)) return true;
  return false;
}

std::string relative(double drift, double energy) {
  return energy == 0
             ? ""
             : fmt::format(" ({:.2g} of the energy at the start)", std::fabs(drift / energy));
}

// The first thing to look at: what is printed below is right to about this.
std::string error(const RunResult& run) {
  const ErrorEstimate& e = *run.error;
  if (!e.estimate) return fmt::format("of the end: {}", e.how);
  return fmt::format("about {:.1g} at the end ({}; {})", *e.estimate,
                     run.model->is_mechanism() ? "m, rad" : "of a variable", e.how);
}

void add_constraints(const RunResult& run, std::string& text) {
  const MotionStatistics& s = *run.statistics;
  const SimulateReport& r = run.report;
  add_line(text, "assembly", assembly_line(run.assembly));
  for (const std::string& line : changed_lines(*run.model, run.assembly)) add_line(text, "", line);
  add_line(
      text, "constraints",
      fmt::format("kept to {:.2g} in positions, {:.2g} in speeds ({})", s.max_position_violation,
                  s.max_velocity_violation, run.settings.stabilisation));
  if (r.projections > 0)
    add_line(text, "",
             fmt::format("projection moved {} by up to {:.2g} and {:.2g}; energy {:+.2g} J",
                         count(r.projections, "step"), r.projected_position, r.projected_velocity,
                         r.projected_energy));
}

void add_energy(const MotionStatistics& s, std::string& text) {
  if (!std::isfinite(s.initial_energy) || !std::isfinite(s.final_energy))
    return add_line(text, "energy", "not defined: beyond the range of numbers");
  add_line(text, "energy",
           fmt::format("{:.10g} J at the start, {:.10g} J at the end", s.initial_energy,
                       s.final_energy));
  if (s.work != 0)
    add_line(text, "",
             fmt::format("{:.10g} J done by drives and forces that are not conservative", s.work));
  add_line(text, "",
           fmt::format("{:.2g} J largest drift{}{}", s.max_drift,
                       relative(s.max_drift, s.initial_energy),
                       s.work != 0 ? ", that work taken into account" : ""));
}

void add_motion(const RunResult& run, std::string& text) {
  add_energy(*run.statistics, text);
  const MotionStatistics& s = *run.statistics;
  if (const SteppedContactCounts& c = run.report.counts.contacts; run.steps_contacts())
    add_line(text, "contacts",
             fmt::format(
                 "up to {} near each other; {} sweeps; laws kept to {:.2g}; deepest overlap "
                 "{:.2g} m{}",
                 c.most, run.report.counts.iterations, c.residual, c.overlap,
                 c.unsettled > 0
                     ? fmt::format("; {} of {} steps did not settle", c.unsettled, run.report.steps)
                     : ""));
  if (run.report.impacts > 0)
    add_line(text, "impacts",
             fmt::format("{}, {:.10g} J lost in them", run.report.impacts, run.report.energy_lost));
  const std::vector<std::string> works = work_lines(*run.model, run.work);
  for (std::size_t k = 0; k < works.size(); ++k) add_line(text, k == 0 ? "work" : "", works[k]);
  if (run.balance)
    add_line(text, "power",
             fmt::format("{:.2g} W largest residual of T' + V' = P, whose terms reach {:.4g} W",
                         s.max_power_residual, s.max_power));
  add_line(text, "momentum",
           fmt::format("{} -> {} kg m/s", text_of(s.initial_linear), text_of(s.final_linear)));
  add_line(text, "",
           fmt::format("{} -> {} kg m^2/s about the origin", text_of(s.initial_angular),
                       text_of(s.final_angular)));
  if (run.constrained) add_constraints(run, text);
  if (has_quaternions(*run.model))
    add_line(text, "unit length",
             fmt::format("of quaternions kept to {:.2g}",
                         std::max(s.unit_norm_error, run.report.unit_norm_error)));
}

std::string numbers(std::vector<double> values) {
  for (double& value : values) value += 0.0;  // no -0
  return fmt::format("{:.8g}", fmt::join(values, "  "));
}

// Joints with their coordinates and speeds, in columns.
void add_final_joints(const RunResult& run, std::string& text) {
  std::size_t name_width = 5, q_width = 0;
  const std::size_t shown = std::min(run.model->joints.size(), most_lines);
  for (std::size_t j = 0; j < shown; ++j) {
    name_width = std::max(name_width, run.model->joints[j].name.size());
    q_width = std::max(q_width, numbers(run.final->q[j]).size());
  }
  for (std::size_t j = 0; j < shown; ++j) {
    if (run.model->joints[j].nv() == 0) continue;
    text += fmt::format("  {:<{}}  q  {:<{}}  v  {}\n", run.model->joints[j].name, name_width,
                        numbers(run.final->q[j]), q_width, numbers(run.final->v[j]));
  }
  if (shown < run.model->joints.size())
    text += fmt::format("  and {} more\n", count(run.model->joints.size() - shown, "joint"));
}

// At least as wide as the longest name.
template <class T>
std::size_t name_width(const std::vector<T>& items, std::size_t least) {
  for (const T& item : items) least = std::max(least, item.name.size());
  return least;
}

template <class T>
void add_named(const std::vector<T>& items, const std::vector<double>& values, std::size_t width,
               std::string& text) {
  for (std::size_t i = 0; i < items.size() && i < most_lines; ++i)
    text += fmt::format(
        "  {:<{}}  {}\n", items[i].name, width,
        std::isfinite(values[i]) ? fmt::format("{:.10g}", values[i] + 0.0) : "not defined");
  if (items.size() > most_lines) text += fmt::format("  and {} more\n", items.size() - most_lines);
}

}  // namespace

std::string summary_text(const RunResult& run) {
  std::string text = title(run);
  const double t_end = run.report.final_state.t;
  add_line(text, "time",
           fmt::format("{:g} to {:g} s{}", run.start_time, t_end, mark(run, "duration")));
  add_line(text, "method", method(run));
  add_line(text, "cost", cost(run));
  if (run.error) add_line(text, "error", error(run));
  if (run.statistics) add_motion(run, text);
  if (run.events > 0) add_line(text, "events", std::to_string(run.events));
  if (run.report.status == RunStatus::stopped_by_event) add_line(text, "end", run.report.message);
  text += fmt::format("\nAt t = {:g} s:\n", t_end);
  const std::size_t width = name_width(run.model->outputs, name_width(run.model->variables, 5));
  if (run.final) add_final_joints(run, text);
  add_named(run.model->variables, run.variables, width, text);
  add_named(run.model->outputs, run.outputs, width, text);
  return text;
}

}  // namespace cartan::results
