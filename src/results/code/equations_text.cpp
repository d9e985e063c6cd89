#include "results/code/equations_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/equations.h"
#include "io/output_files.h"
#include "results/load/sample_state.h"
#include "results/refusal.h"

namespace cartan {
namespace {

std::optional<EquationsForm> form_named(const std::string& name) {
  if (name == "kane") return EquationsForm::kane;
  if (name == "lagrange") return EquationsForm::lagrange;
  if (name == "canonical") return EquationsForm::canonical;
  if (name == "moving-frame") return EquationsForm::moving_frame;
  if (name == "diagonal") return EquationsForm::diagonal;
  return std::nullopt;
}

std::string check_show(const std::vector<std::string>& show) {
  static const std::vector<std::string> known = {"T", "V", "L", "p", "B", "Bdot", "power", "all"};
  for (const std::string& name : show)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fmt::format("--show {}: expected T, V, L, p, B, Bdot, power or all", name);
  return "";
}

}  // namespace

DerivedEquations derive_equations(const ModelArguments& source, const api::EquationsOptions& o) {
  const auto form = form_named(o.form);
  if (!form)
    refuse("equations",
           fmt::format("--form {}: expected kane, lagrange, canonical, moving-frame or diagonal",
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
  if (!model.contacts.empty())
    refuse("equations",
           fmt::format(
               "{}: contact '{}': equations of motion with impacts and one-sided forces "
               "are not written out; remove the contacts and stops (of imported joints: --limits "
               "none)",
               source.path, model.contacts[0].name));
  if (const std::string refusal = refuse_form(model, *form); !refusal.empty())
    refuse("equations", fmt::format("{}: {}", source.path, refusal));
  if (o.linearize)
    if (const std::string refusal = refuse_linearize(model); !refusal.empty())
      refuse("equations", fmt::format("{}: --linearize: {}", source.path, refusal));
  if (o.solved && !model.is_mechanism())
    refuse("equations", "--solved: a [variables] file has its rates solved already; leave it out");
  const auto system = load_system(model, "recursive", SystemUse::derivation);

  DeriveOptions options;
  options.fold = o.fold;
  options.dots = true;
  Derivation derivation(model, parameter_values(model), make_sample_state(*system), options);
  const EquationSheet sheet = make_sheet(derivation, {*form, o.show, o.solved, o.linearize});
  result.text = o.format == "text" ? sheet_as_text(derivation.graph(), sheet)
                                   : sheet_as_latex(derivation.graph(), sheet);
  std::string problem;
  if (!o.out.empty() && !write_whole_file(o.out, result.text, replace, problem))
    fail("equations", problem);
  return result;
}

}  // namespace cartan
