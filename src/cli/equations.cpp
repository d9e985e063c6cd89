// cartan equations: the symbolic equations of motion, to be read.
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "cli/option_names.h"
#include "cli/out_option.h"
#include "cli/sample_state.h"
#include "codegen/equations.h"
#include "io/output_files.h"

namespace cartan {
namespace {

struct EquationsArguments {
  ModelArguments model;
  std::string format = "text", form = "kane", out;
  std::vector<std::string> show;
  bool fold = false, json = false, force = false;
};

std::optional<int> read_equations_arguments(const Words& words, EquationsArguments& o) {
  Arguments arguments(
      "equations",
      "Print the symbolic equations of motion of a model, its parameters by their names.\n"
      "Forms: kane (M v' = f), lagrange (T, V and their equations), canonical (H and the "
      "equations of momenta), moving-frame (M*, N*, F*).",
      "  cartan equations examples/double_pendulum.toml\n"
      "  cartan equations examples/double_pendulum.toml --form lagrange --format latex --out "
      "equations.tex");
  declare_model(arguments, o.model);
  arguments.option("--format", "NAME", "text (default) or latex", o.format);
  arguments.option("--form", "NAME", "kane (default), lagrange, canonical or moving-frame", o.form);
  arguments.list("--show", "NAMES", "also T, V, L, p, B, Bdot, as far as the form has them; or all",
                 o.show);
  arguments.flag("--fold", "parameters as numbers", o.fold);
  arguments.option("--out", "FILE", "write to this file instead of the terminal", o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object with the text in it", o.json);
  return arguments.parse(words);
}

std::optional<EquationsForm> form_named(const std::string& name) {
  if (name == "kane") return EquationsForm::kane;
  if (name == "lagrange") return EquationsForm::lagrange;
  if (name == "canonical") return EquationsForm::canonical;
  if (name == "moving-frame") return EquationsForm::moving_frame;
  return std::nullopt;
}

std::string check_show(const std::vector<std::string>& show) {
  static const std::vector<std::string> known = {"T", "V", "L", "p", "B", "Bdot", "all"};
  for (const std::string& name : show)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fmt::format("--show {}: expected T, V, L, p, B, Bdot or all", name);
  return "";
}

}  // namespace

int equations_command(const Words& words) {
  EquationsArguments o;
  if (const auto status = read_equations_arguments(words, o)) return *status;
  const auto form = form_named(o.form);
  if (!form)
    return complain(
        "equations",
        fmt::format("--form {}: expected kane, lagrange, canonical or moving-frame", o.form));
  if (o.format != "text" && o.format != "latex")
    return complain("equations", fmt::format("--format {}: expected text or latex", o.format));
  const std::string unknown = check_show(o.show);
  if (!unknown.empty()) return complain("equations", unknown);
  if (const std::string taken = refuse_existing(o.out, replace_if(o.force)); !taken.empty())
    return complain("equations", taken);
  const auto model = load_model(o.model, o.json, nullptr, CodeUse::names);
  if (!model) return exit_bad_input;
  if (!model->contacts.empty())
    return complain("equations",
                    fmt::format("{}: contact '{}': equations of motion with impacts and one-sided "
                                "forces are not written out; remove the contacts and stops",
                                o.model.path, model->contacts[0].name));
  const std::string refusal = refuse_form(*model, *form);
  if (!refusal.empty()) return complain("equations", fmt::format("{}: {}", o.model.path, refusal));
  const auto system = load_system(*model, "recursive", SystemUse::derivation);
  if (!system) return exit_bad_input;

  DeriveOptions options;
  options.fold = o.fold;
  options.dots = true;
  Derivation derivation(*model, parameter_values(*model), make_sample_state(*system), options);
  const EquationSheet sheet = make_sheet(derivation, {*form, o.show});
  const std::string text = o.format == "text" ? sheet_as_text(derivation.graph(), sheet)
                                              : sheet_as_latex(derivation.graph(), sheet);
  if (!o.out.empty()) {
    std::string problem;
    if (!write_whole_file(o.out, text, replace_if(o.force), problem)) {
      complain("equations", problem);
      return exit_failed;
    }
  }
  if (o.json)
    print_json({{"model", model->name}, {"form", o.form}, {"format", o.format}, {"text", text}});
  else if (o.out.empty())
    fmt::print("{}", text);
  return exit_done;
}

}  // namespace cartan
