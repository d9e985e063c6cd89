#include "results/code/equations_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/element_sheet.h"
#include "codegen/equations.h"
#include "io/output_files.h"
#include "results/load/sample_state.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

std::optional<EquationsForm> form_named(const std::string& name) {
  if (name == "kane") return EquationsForm::kane;
  if (name == "lagrange") return EquationsForm::lagrange;
  if (name == "canonical") return EquationsForm::canonical;
  if (name == "moving-frame") return EquationsForm::moving_frame;
  if (name == "diagonal") return EquationsForm::diagonal;
  if (name == "rotation-elements") return EquationsForm::rotation_elements;
  return std::nullopt;
}

std::string check_show(const std::vector<std::string>& show) {
  static const std::vector<std::string> known = {"T", "V", "L", "p", "B", "Bdot", "power", "all"};
  for (const std::string& name : show)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fmt::format("--show {}: expected T, V, L, p, B, Bdot, power or all", name);
  return "";
}

// The equations in the elements of R and T*, at the start of the formulation of that name.
EquationSheet derive_elements(const Model& model, const api::EquationsOptions& o,
                              ExpressionGraph& graph) {
  if (!o.show.empty() || o.solved || o.linearize)
    refuse("equations",
           "--show, --solved and --linearize belong to other forms than rotation-elements; leave "
           "them out");
  const auto system = load_system(model, "rotation-elements", SystemUse::derivation);
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*system);
  Observation now;
  mechanism.observe(mechanism.initial_state(), now, *mechanism.make_workspace());
  return make_element_sheet(graph, model, parameter_values(model), mechanism.initial_state(),
                            now.bodies);
}

void finish(ExpressionGraph& graph, const EquationSheet& sheet, const api::EquationsOptions& o,
            Replace replace, DerivedEquations& result) {
  result.text = o.format == "text" ? sheet_as_text(graph, sheet) : sheet_as_latex(graph, sheet);
  std::string problem;
  if (!o.out.empty() && !write_whole_file(o.out, result.text, replace, problem))
    fail("equations", problem);
}

}  // namespace

DerivedEquations derive_equations(const ModelArguments& source, const api::EquationsOptions& o) {
  const auto form = form_named(o.form);
  if (!form)
    refuse("equations",
           fmt::format("--form {}: expected kane, lagrange, canonical, moving-frame, diagonal or "
                       "rotation-elements",
                       o.form));
  if (o.format != "text" && o.format != "latex")
    refuse("equations", fmt::format("--format {}: expected text or latex", o.format));
  if (const std::string unknown = check_show(o.show); !unknown.empty())
    refuse("equations", unknown);
  const Replace replace = o.force ? Replace::yes : Replace::no;
  if (const std::string taken = refuse_existing(o.out, replace); !taken.empty())
    refuse("equations", taken);
  DerivedEquations result;
  result.model = load_model(source, o.watch, false, CodeUse::names);
  const Model& model = *result.model;
  if (!model.a_contact().empty())
    refuse("equations",
           fmt::format(
               "{}: contact '{}': equations of motion with impacts and one-sided forces "
               "are not written out; remove the contacts and stops (of imported joints: --limits "
               "none)",
               source.path, model.a_contact()));
  if (const std::string refusal = refuse_form(model, *form); !refusal.empty())
    refuse("equations", fmt::format("{}: {}", source.path, refusal));
  if (o.linearize)
    if (const std::string refusal = refuse_linearize(model); !refusal.empty())
      refuse("equations", fmt::format("{}: --linearize: {}", source.path, refusal));
  if (o.solved && !model.is_mechanism())
    refuse("equations", "--solved: a [variables] file has its rates solved already; leave it out");
  ExpressionGraph element_graph;
  if (*form == EquationsForm::rotation_elements) {
    const EquationSheet sheet = derive_elements(model, o, element_graph);
    finish(element_graph, sheet, o, replace, result);
    return result;
  }
  const auto system = load_system(model, "recursive", SystemUse::derivation);

  DeriveOptions options;
  options.fold = o.fold;
  options.dots = true;
  options.speeds = speeds_of_form(*form);
  if (o.linearize &&
      (*form == EquationsForm::diagonal || (*form == EquationsForm::kane && !model.speeds.empty())))
    refuse("equations",
           "--linearize: M, C, K and A are about the rates of coordinates; use it with the form "
           "kane and without [speeds]");
  Derivation derivation(model, parameter_values(model), make_sample_state(*system), options);
  if (!derivation.speed_problem().empty())
    refuse("equations", fmt::format("{}: {}", source.path, derivation.speed_problem()));
  const EquationSheet sheet = make_sheet(derivation, {*form, o.show, o.solved, o.linearize});
  finish(derivation.graph(), sheet, o, replace, result);
  return result;
}

}  // namespace cartan::results
