#include "results/code/generate.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "io/output_files.h"
#include "results/code/fmu.h"
#include "results/load/sample_state.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "symbolic/count.h"

namespace cartan {
namespace {

// Letters, digits and underscores, beginning with a letter.
std::string identifier_from(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "model_" + name;
  return name;
}

// FNV-1a of the file and what was set on the command line.
std::string hash_of(const ModelArguments& model) {
  std::string text;
  if (model.text) {
    text = *model.text;
  } else {
    std::ifstream file(model.path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (const std::string& set : model.sets) text += '\n' + set;
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

// What a reader of the code must know beside the equations.
std::vector<std::string> remarks_about(const Model& model, const api::GenerateOptions& o) {
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
  for (const Output& output : model.outputs)
    if (output.value.program.depends_on(Quantity::reaction) ||
        output.value.program.depends_on(Quantity::multiplier)) {
      remarks.push_back(fmt::format(
          "There is no function for outputs: '{}' asks for reactions or multipliers, which the "
          "code does not compute.",
          output.name));
      break;
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

std::string writer_of(const api::GenerateOptions& o, const std::string& name) {
  return "generate " + o.language + " " + name;
}

void write_generated(const std::vector<GeneratedFile>& files, const api::GenerateOptions& o,
                     const std::string& name) {
  std::string problem;
  const auto out = OutputFolder::open(o.out, writer_of(o, name), replace_if(o.force), problem);
  if (!out) fail("generate", problem);
  for (const GeneratedFile& file : files)
    if (!out->write(file.name, file.text, problem)) fail("generate", problem);
  if (!out->commit(problem)) fail("generate", problem);
}

// Fills the unit and the files of a result that has its model and derivation.
void generate_unit(const ModelArguments& source, const api::GenerateOptions& o,
                   const std::string& name, GeneratedModel& result) {
  const Model& model = *result.model;
  UnitOptions options;
  options.form = o.form == "recursive" ? EquationForm::recursive : EquationForm::mass_matrix;
  options.jacobian = o.jacobian || o.variational;
  options.variational = o.variational;
  options.inputs_apart = true;
  result.unit = std::make_unique<CodeUnit>(make_unit(*result.derivation, options, name));
  CodeUnit& unit = *result.unit;
  unit.model_hash = hash_of(source);
  unit.remarks = remarks_about(model, o);
  for (const std::string& problem :
       {missing_derivative(model, result.derivation->graph()), problem_of(unit)})
    if (!problem.empty()) refuse("generate", problem);
  result.files = emit(unit, *language_named(o.language));
}

}  // namespace

bool is_fmu(const api::GenerateOptions& o) {
  return o.language == "fmi3";
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

void check_generate(const api::GenerateOptions& o) {
  if (o.language == "fmi2" || o.language == "fmi")
    refuse("generate",
           fmt::format("--language {}: FMUs are written for FMI 3.0; use fmi3", o.language));
  if (!language_named(o.language) && !is_fmu(o))
    refuse("generate",
           fmt::format("--language {}: expected c, c++, python, octave, cuda, latex or fmi3",
                       o.language));
  if (!is_fmu(o) && !(o.inputs.empty() && o.outputs.empty()))
    refuse("generate", "--inputs and --outputs belong to --language fmi3");
  if (o.form != "recursive" && o.form != "mass-matrix")
    refuse("generate", fmt::format("--form {}: expected recursive or mass-matrix", o.form));
}

GeneratedModel generate_model(const ModelArguments& source, const api::GenerateOptions& o) {
  check_generate(o);
  GeneratedModel result;
  // the start of an FMU is numbers
  result.model = load_model(source, o.watch, false, is_fmu(o) ? CodeUse::run : CodeUse::names);
  const Model& model = *result.model;
  if (!model.contacts.empty())
    refuse("generate",
           fmt::format("{}: contact '{}': equations of motion with impacts and one-sided forces "
                       "are not written out; remove the contacts and stops",
                       source.path, model.contacts[0].name));
  if (o.form == "mass-matrix") {
    if (!model.is_mechanism())
      refuse("generate", "a [variables] file has no mass matrix; leave --form out");
    const std::string refusal = Derivation::refuse_mass_matrix(model);
    if (!refusal.empty()) refuse("generate", fmt::format("{}: {}", source.path, refusal));
  }
  if (is_fmu(o)) check_fmu(source, model, o);
  const auto system =
      load_system(model, "recursive", is_fmu(o) ? SystemUse::numbers : SystemUse::derivation);
  const std::string stem = std::filesystem::path(source.path).stem().string();
  const std::string name = identifier_from(o.name.empty() ? stem : o.name);
  require_room("generate", writer_of(o, name), o.out, o.force,
               is_fmu(o) ? std::vector<std::string>{name + ".fmu"}
                         : first_files(name, *language_named(o.language)));

  const auto begin = std::chrono::steady_clock::now();
  result.derivation = std::make_unique<Derivation>(
      model, parameter_values(model), make_sample_state(*system), DeriveOptions{o.fold, true});
  if (is_fmu(o))
    generate_fmu(source, o, *system, name, hash_of(source), remarks_about(model, o), result);
  else
    generate_unit(source, o, name, result);
  if (!o.out.empty()) write_generated(result.files, o, name);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Json generated_json(const GeneratedModel& r, const api::GenerateOptions& o) {
  const CodeUnit& unit = *r.unit;
  Json functions = Json::object(), files = Json::array();
  for (const CodeFunction& function : unit.functions) {
    const std::vector<Expression> results = results_of(function);
    functions[function.name] = count_json(count_shared(*unit.graph, results));
    functions[function.name]["written_out"] =
        static_cast<double>(count_unshared(*unit.graph, results).total());
  }
  for (const GeneratedFile& file : r.files)
    files.push_back({{"name", file.name}, {"bytes", file.text.size()}});
  return {{"model", unit.title},
          {"language", o.language},
          {"form", o.form},
          {"hash", unit.model_hash},
          {"states", unit.arguments[1].labels},
          {"parameters", unit.arguments[2].labels},
          {"operations", std::move(functions)},
          {"files", std::move(files)},
          {"seconds", r.seconds}};
}

}  // namespace cartan
