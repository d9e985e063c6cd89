#include "results/run/run_settings.h"

#include <fmt/core.h>

#include "results/load/load.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

// Chooses one number; `first` whatever the user asked for, `second` what the file says.
class Chooser {
 public:
  explicit Chooser(std::set<std::string>& defaulted) : defaulted_(defaulted) {}

  template <class T>
  T choose(const char* name, const std::optional<T>& first, const std::optional<T>& second,
           T fallback) {
    if (first) return *first;
    if (second) return *second;
    defaulted_.insert(name);
    return fallback;
  }

 private:
  std::set<std::string>& defaulted_;
};

std::optional<double> number(const Formula& formula, const std::vector<double>& parameters) {
  if (!formula.given()) return std::nullopt;
  return evaluate<double>(formula, parameters)[0];
}

std::optional<std::string> word(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// A sentence, or "".
std::string find_problem(const SimulateOptions& o) {
  if (!(o.duration >= 0))
    return fmt::format("duration is {}; expected a number not below zero", o.duration);
  if (!(o.step > 0)) return fmt::format("step is {}; expected a positive number", o.step);
  if (o.every < 1)
    return fmt::format("every is {}; expected a whole number of at least 1", o.every);
  if (!(o.tolerance >= 0 && o.tolerance < 1))
    return fmt::format("tolerance is {}; expected a positive number below 1", o.tolerance);
  if (!(o.spectral_radius >= 0 && o.spectral_radius <= 1))
    return fmt::format("spectral-radius is {}; expected a number from 0 to 1", o.spectral_radius);
  return "";
}

// --norm and --iteration, each for some methods only.
void choose_variants(const RunArguments& asked, SimulateOptions& o) {
  const IntegratorInfo& method = *find_integrator(o.integrator);
  if (!asked.norm.empty() && asked.norm != "max" && asked.norm != "rms")
    refuse_at("cartan", fmt::format("--norm: unknown '{}'; expected max or rms", asked.norm));
  if (!asked.iteration.empty() && asked.iteration != "newton" && asked.iteration != "functional")
    refuse_at("cartan", fmt::format("--iteration: unknown '{}'; expected newton or functional",
                                    asked.iteration));
  const bool explicit_control =
      method.adaptive && !method.implicit && method.order > 0 && !o.integrator.starts_with("rkmk");
  if (!asked.norm.empty() && !explicit_control)
    refuse_at("cartan", fmt::format("--norm: {} does not choose its steps by an error norm that "
                                    "can be exchanged; use rk45 or dop853, or leave it out",
                                    o.integrator));
  if (!asked.iteration.empty() && !o.integrator.starts_with("gl"))
    refuse_at("cartan", fmt::format("--iteration: {} has no stages to iterate; it is for gl1, gl2, "
                                    "gl3, ..",
                                    o.integrator));
  o.rms_norm = asked.norm == "rms";
  o.functional_iteration = asked.iteration == "functional";
}

}  // namespace

void check_integrator(const std::string& name) {
  if (find_integrator(name)) return;
  std::vector<std::string> known;
  for (const IntegratorInfo& row : integrator_table()) known.push_back(row.name);
  const std::string near = suggestion(name, known);
  refuse_at("cartan", fmt::format("there is no integrator '{}' in this version{}", name,
                                  near.empty() ? "; use one of: " + integrator_names() : near));
}

RunSettings choose_settings(const RunArguments& asked, const Model& model) {
  const std::vector<double> parameters = parameter_values(model);
  const SimulateDefaults& file = model.simulate;
  const SimulateOptions fallback;
  RunSettings settings;
  Chooser chooser(settings.defaulted);
  SimulateOptions& o = settings.simulate;
  settings.formulation = chooser.choose("formulation", word(asked.formulation),
                                        word(file.formulation), choose_formulation(model, ""));
  o.integrator = chooser.choose("integrator", word(asked.integrator), word(file.integrator),
                                fallback.integrator);
  o.step = chooser.choose("step", asked.step, number(file.step, parameters), fallback.step);
  o.duration = chooser.choose("duration", asked.duration, number(file.duration, parameters),
                              fallback.duration);
  o.tolerance =
      chooser.choose("tolerance", asked.tolerance, number(file.tolerance, parameters), 0.0);
  o.spectral_radius = chooser.choose("spectral_radius", asked.spectral_radius,
                                     std::optional<double>(), fallback.spectral_radius);
  o.every = chooser.choose("every", asked.every, file.every, fallback.every);
  check_integrator(o.integrator);
  if (!find_integrator(o.integrator)->spectral_radius) {
    settings.defaulted.erase("spectral_radius");
    if (asked.spectral_radius)
      refuse_at("cartan",
                fmt::format("{} has no spectral radius to choose; --spectral-radius belongs to "
                            "generalized-alpha",
                            o.integrator));
  }
  choose_variants(asked, o);
  if (asked.tolerance && *asked.tolerance == 0)
    refuse_at("cartan", "tolerance is 0; expected a positive number below 1");
  if (const std::string problem = find_problem(o); !problem.empty()) refuse_at("cartan", problem);
  return settings;
}

}  // namespace cartan::results
