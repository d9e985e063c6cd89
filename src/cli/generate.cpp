// cartan generate: the equations of a model as code.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "cli/out_option.h"
#include "cli/sample_state.h"
#include "codegen/emit.h"
#include "codegen/model_unit.h"
#include "io/output_files.h"
#include "symbolic/count.h"

namespace cartan {
namespace {

struct GenerateArguments {
  ModelArguments model;
  std::string language = "c", form = "recursive", name, out;
  bool jacobian = false, variational = false, fold = false, json = false, force = false;
};

std::optional<int> read_generate_arguments(const Words& words, GenerateArguments& o) {
  Arguments arguments(
      "generate",
      "Write the equations of a model as code: the derivative x' = f(t, x, p), mass matrix, "
      "energies, events and outputs; with --jacobian and --variational their derivatives too.",
      "  cartan generate examples/double_pendulum.toml --language c --jacobian --out code\n"
      "  cartan generate examples/roessler.toml --language python --out code");
  declare_model(arguments, o.model);
  arguments.option("--language", "NAME", "c (default), c++, python, octave, cuda or latex",
                   o.language);
  arguments.option("--out", "DIR", "folder to write the files to", o.out);
  declare_force(arguments, o.force);
  arguments.option("--form", "NAME",
                   "recursive (default): accelerations in O(n) operations; mass-matrix: M v' = f, "
                   "solved by the code",
                   o.form);
  arguments.flag("--jacobian", "also d x' / d x, sparse", o.jacobian);
  arguments.flag("--variational", "also the variational system and its Jacobian", o.variational);
  arguments.flag("--fold", "parameters as numbers instead of arguments", o.fold);
  arguments.option("--name", "NAME", "prefix of functions and files; default: the model file's",
                   o.name);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

// Letters, digits and underscores, beginning with a letter.
std::string identifier_from(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "model_" + name;
  return name;
}

// FNV-1a of the file and what was set on the command line.
std::string hash_of(const ModelArguments& model) {
  std::ifstream file(model.path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const std::string& set : model.sets) text += '\n' + set;
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

// What a reader of the code must know beside the equations.
std::vector<std::string> remarks_about(const Model& model, const GenerateArguments& o) {
  std::vector<std::string> remarks;
  if (o.fold) remarks.push_back("Parameters are folded in as numbers: p is not used.");
  for (const std::string& file : model.function_files)
    remarks.push_back("Functions of the model are in " + file + ".");
  if (!model.is_mechanism()) return remarks;
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (!friction) continue;
    if (!friction->smoothing.given())
      remarks.push_back(fmt::format(
          "Friction '{}' is exact: the code holds for the direction of slip (or the sticking) of "
          "the model's initial state; reversals are for the caller to handle.",
          force.name));
    if (!friction->bearings.empty())
      remarks.push_back(fmt::format(
          "Friction '{}': loads of bearings by a fixed number of Newton steps.", force.name));
  }
  if (!model.loop_joints.empty() || !model.constraints.empty())
    remarks.push_back(
        "Constraints hold for states that satisfy them; project now and then in long runs. Rows "
        "found redundant at the initial state are left out.");
  return remarks;
}

// A derivative that the code calls and the user's code lacks.
std::string missing_derivative(const Model& model, const ExpressionGraph& graph) {
  for (int k = 0; k < graph.function_count(); ++k) {
    const ExpressionGraph::Function& called = graph.function(k);
    const UserFunction* function = model.functions.find(graph.function_name(called.base));
    if (!function || !function->code || function->code->is_name_only()) continue;
    const FunctionCode& code = *function->code;
    const int order = code.find(called.by);
    if (code.has(order)) continue;
    return fmt::format(
        "{}: the code needs '{}', a derivative of the function '{}', which its code lacks; add it, "
        "or leave --jacobian and --variational out",
        model.file, derivative_name(code.declaration(), called.by), function->name);
  }
  return "";
}

Json count_json(const OperationCount& count) {
  return {{"additions", count.additions},
          {"multiplications", count.multiplications},
          {"divisions", count.divisions},
          {"functions", count.functions},
          {"total", count.total()}};
}

std::vector<Expression> results_of(const CodeFunction& function) {
  std::vector<Expression> all;
  for (const CodeMatrix& matrix : function.outputs)
    all.insert(all.end(), matrix.entries.begin(), matrix.entries.end());
  std::vector<LinearSolve> systems = function.inner;
  if (function.solve) systems.push_back(*function.solve);
  for (const LinearSolve& solve : systems) {
    all.insert(all.end(), solve.matrix.begin(), solve.matrix.end());
    all.insert(all.end(), solve.rhs.begin(), solve.rhs.end());
  }
  return all;
}

struct Generated {
  const CodeUnit& unit;
  const std::vector<GeneratedFile>& files;
  double seconds = 0;
};

void print_result(const Generated& r, const GenerateArguments& o) {
  fmt::print("{}: {} states, {} parameters, derived and written in {:.2f} s\n\n", r.unit.title,
             r.unit.arguments[1].symbols.size(), r.unit.arguments[2].symbols.size(), r.seconds);
  fmt::print("  {:<22}{:>12}{:>12}\n", "function", "operations", "unshared");
  for (const CodeFunction& function : r.unit.functions) {
    const std::vector<Expression> results = results_of(function);
    fmt::print("  {:<22}{:>12}{:>12.6g}\n", function.name,
               count_shared(*r.unit.graph, results).total(),
               static_cast<double>(count_unshared(*r.unit.graph, results).total()));
  }
  fmt::print("\n");
  for (const GeneratedFile& file : r.files)
    fmt::print("  {} ({} bytes)\n", (std::filesystem::path(o.out) / file.name).string(),
               file.text.size());
}

void print_result_json(const Generated& r, const GenerateArguments& o) {
  Json functions = Json::object(), files = Json::array();
  for (const CodeFunction& function : r.unit.functions) {
    const std::vector<Expression> results = results_of(function);
    functions[function.name] = count_json(count_shared(*r.unit.graph, results));
    functions[function.name]["written_out"] =
        static_cast<double>(count_unshared(*r.unit.graph, results).total());
  }
  for (const GeneratedFile& file : r.files)
    files.push_back({{"name", file.name}, {"bytes", file.text.size()}});
  print_json({{"model", r.unit.title},
              {"language", o.language},
              {"form", o.form},
              {"hash", r.unit.model_hash},
              {"states", r.unit.arguments[1].labels},
              {"parameters", r.unit.arguments[2].labels},
              {"operations", std::move(functions)},
              {"files", std::move(files)},
              {"seconds", r.seconds}});
}

bool write_generated(const std::vector<GeneratedFile>& files, const GenerateArguments& o,
                     const std::string& name, std::string& problem) {
  const auto out = OutputFolder::open(o.out, "generate " + o.language + " " + name,
                                      replace_if(o.force), problem);
  if (!out) return false;
  for (const GeneratedFile& file : files)
    if (!out->write(file.name, file.text, problem)) return false;
  return out->commit(problem);
}

}  // namespace

int generate_command(const Words& words) {
  GenerateArguments o;
  if (const auto status = read_generate_arguments(words, o)) return *status;
  const auto language = language_named(o.language);
  if (!language)
    return complain(
        "generate",
        fmt::format("--language {}: expected c, c++, python, octave, cuda or latex", o.language));
  if (o.form != "recursive" && o.form != "mass-matrix")
    return complain("generate",
                    fmt::format("--form {}: expected recursive or mass-matrix", o.form));
  if (o.out.empty()) return complain("generate", "--out DIR says where the files go");
  const auto model = load_model(o.model, o.json, nullptr, CodeUse::names);
  if (!model) return exit_bad_input;
  if (!model->contacts.empty())
    return complain("generate",
                    fmt::format("{}: contact '{}': equations of motion with impacts and one-sided "
                                "forces are not written out; remove the contacts and stops",
                                o.model.path, model->contacts[0].name));
  if (o.form == "mass-matrix") {
    if (!model->is_mechanism())
      return complain("generate", "a [variables] file has no mass matrix; leave --form out");
    const std::string refusal = Derivation::refuse_mass_matrix(*model);
    if (!refusal.empty()) return complain("generate", fmt::format("{}: {}", o.model.path, refusal));
  }
  const auto system = load_system(*model, "recursive", SystemUse::derivation);
  if (!system) return exit_bad_input;

  const auto begin = std::chrono::steady_clock::now();
  Derivation derivation(*model, parameter_values(*model), make_sample_state(*system),
                        {o.fold, true});
  UnitOptions options;
  options.form = o.form == "recursive" ? EquationForm::recursive : EquationForm::mass_matrix;
  options.jacobian = o.jacobian || o.variational;
  options.variational = o.variational;
  const std::string stem = std::filesystem::path(o.model.path).stem().string();
  CodeUnit unit = make_unit(derivation, options, identifier_from(o.name.empty() ? stem : o.name));
  unit.model_hash = hash_of(o.model);
  unit.remarks = remarks_about(*model, o);
  std::string problem = missing_derivative(*model, derivation.graph());
  if (!problem.empty()) return complain("generate", problem);
  problem = problem_of(unit);
  if (!problem.empty()) return complain("generate", problem);
  const std::vector<GeneratedFile> files = emit(unit, *language);
  if (!write_generated(files, o, unit.name, problem)) {
    complain("generate", problem);
    return exit_failed;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const Generated result{unit, files, elapsed.count()};
  if (o.json)
    print_result_json(result, o);
  else
    print_result(result, o);
  return exit_done;
}

}  // namespace cartan
