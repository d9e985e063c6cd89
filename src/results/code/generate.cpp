#include "results/code/generate.h"

#include <algorithm>
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

namespace cartan::results {
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

// Where a run begins and what its events do, so that a program needs nothing but the code.
void add_tables(const Model& model, const State& start, Derivation& derivation, CodeUnit& unit) {
  const std::vector<double> values = parameter_values(model);
  const auto values_of = [&](const std::vector<DerivedSymbol>& symbols) {
    std::vector<double> list;
    for (const DerivedSymbol& s : symbols) list.push_back(values[model.find_parameter(s.name)]);
    return list;
  };
  unit.tables = {{"x0", "x at the start of the model", derivation.in_own_speeds(start)},
                 {"p0", "values of the parameters p", values_of(derivation.plain_parameters())}};
  if (!model.inputs.empty())
    unit.tables.push_back({"u0", "defaults of the inputs u", values_of(derivation.inputs())});
  if (model.events.empty()) return;
  CodeTable direction{"event_direction", "of events: -1 falling, 1 rising, 0 both", {}, true};
  CodeTable stop{"event_stop", "of events: 1 where the model ends the run", {}, true};
  CodeTable names{"event_names", "names of events", {}, false};
  for (const Event& event : model.events) {
    direction.numbers.push_back(event.direction);
    stop.numbers.push_back(event.stop ? 1 : 0);
    names.words.push_back(event.name);
  }
  unit.tables.insert(unit.tables.end(), {direction, stop, names});
}

// Without sharing, expressions can grow beyond all bounds.
constexpr double most_plain_operations = 100000;
constexpr int deepest_in_python = 180;  // parentheses its parser takes

void check_plain(const CodeUnit& unit) {
  for (const CodeFunction& function : unit.functions) {
    const double size = total_unshared(*unit.graph, results_of(function));
    if (size <= most_plain_operations) continue;
    refuse("generate",
           fmt::format("--plain: the function {} would have {} operations, at most "
                       "{:.0f} are written; leave --plain out{}",
                       function.name, operations_text(size), most_plain_operations,
                       function.name == "derivative" ? ", or try the other --form"
                                                     : ", --jacobian or --variational too"));
  }
}

void check_depth(const std::vector<GeneratedFile>& files) {
  int depth = 0, deepest = 0;
  for (const GeneratedFile& file : files)
    for (const char c : file.text) {
      if (c == '\n') depth = 0;
      if (c == '(') deepest = std::max(deepest, ++depth);
      if (c == ')') --depth;
    }
  if (deepest > deepest_in_python)
    refuse("generate", fmt::format("--plain: {} parentheses in each other are more than Python "
                                   "reads; leave --plain out, or use another language",
                                   deepest));
}

// An FMU's states are those of the joints.
SpeedChoice speeds_of(const api::GenerateOptions& o) {
  if (is_fmu(o)) return SpeedChoice::joints;
  return o.form == "diagonal" ? SpeedChoice::diagonal : SpeedChoice::chosen;
}

// Fills the unit and the files of a result that has its model and derivation.
void generate_unit(const ModelArguments& source, const api::GenerateOptions& o, const State& start,
                   const std::string& name, GeneratedModel& result) {
  const Model& model = *result.model;
  UnitOptions options;
  options.form = o.form == "mass-matrix" ? EquationForm::mass_matrix : EquationForm::recursive;
  options.jacobian = o.jacobian || o.variational || o.variational_matrix;
  options.variational = o.variational;
  options.inputs_apart = true;
  options.places = o.places;
  options.variational_matrix = o.variational_matrix;
  if (o.variational_matrix && model.implicit && !model.is_mechanism())
    refuse("generate",
           "--variational-matrix: rates that follow from `equations` are solved for by the code; "
           "use --variational, one column at a time");
  result.unit = std::make_unique<CodeUnit>(make_unit(*result.derivation, options, name));
  CodeUnit& unit = *result.unit;
  unit.model_hash = hash_of(source);
  unit.remarks = remarks_about(model, o);
  for (const std::string& problem :
       {missing_derivative(model, result.derivation->graph()), problem_of(unit)})
    if (!problem.empty()) refuse("generate", problem);
  unit.shared = !o.plain;
  if (o.plain) check_plain(unit);
  add_tables(model, start, *result.derivation, unit);
  result.files = emit(unit, *language_named(o.language));
  if (o.plain && *language_named(o.language) == Language::python) check_depth(result.files);
}

}  // namespace

bool is_fmu(const api::GenerateOptions& o) {
  return o.language == "fmi3" || o.language == "fmi2";
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
  if (o.language == "fmi")
    refuse("generate", "--language fmi: FMUs are written for FMI 3.0 or 2.0; say fmi3 or fmi2");
  if (!language_named(o.language) && !is_fmu(o))
    refuse("generate",
           fmt::format("--language {}: expected c, c++, python, octave, cuda, latex, fmi3 or fmi2",
                       o.language));
  if (!is_fmu(o) && !(o.inputs.empty() && o.outputs.empty()))
    refuse("generate", "--inputs and --outputs belong to --language fmi3 and fmi2");
  if (o.form != "recursive" && o.form != "mass-matrix" && o.form != "diagonal")
    refuse("generate",
           fmt::format("--form {}: expected recursive, mass-matrix or diagonal", o.form));
  if (o.form == "diagonal" && is_fmu(o))
    refuse("generate",
           "--form diagonal: the states of an FMU are coordinates and speeds of joints; leave it "
           "out, or choose another language");
}

GeneratedModel generate_model(const ModelArguments& source, const api::GenerateOptions& o) {
  check_generate(o);
  GeneratedModel result;
  // the start of an FMU is numbers
  result.model = load_model(source, o.watch, false, is_fmu(o) ? CodeUse::run : CodeUse::names);
  const Model& model = *result.model;
  if (!model.a_contact().empty())
    refuse("generate",
           fmt::format(
               "{}: contact '{}': equations of motion with impacts and one-sided forces "
               "are not written out; remove the contacts and stops (of imported joints: --limits "
               "none)",
               source.path, model.a_contact()));
  if (o.form == "mass-matrix") {
    if (!model.is_mechanism())
      refuse("generate", "a [variables] file has no mass matrix; leave --form out");
    const std::string refusal = Derivation::refuse_mass_matrix(model);
    if (!refusal.empty()) refuse("generate", fmt::format("{}: {}", source.path, refusal));
  }
  DeriveOptions derive{o.fold, true};
  derive.speeds = speeds_of(o);
  if (o.form == "diagonal" && !model.is_mechanism())
    refuse("generate", "a [variables] file has no mass matrix; leave --form out");
  if (const std::string refusal = Derivation::refuse_speeds(model, derive.speeds); !refusal.empty())
    refuse("generate", fmt::format("{}: {}", source.path, refusal));
  if (is_fmu(o)) check_fmu(source, model, o);
  if (o.places && !model.is_mechanism())
    refuse("generate", "--places: a [variables] file has neither bodies nor joints; leave it out");
  const auto system =
      load_system(model, "recursive", is_fmu(o) ? SystemUse::numbers : SystemUse::derivation);
  const std::string stem = std::filesystem::path(source.path).stem().string();
  const std::string name = identifier_from(o.name.empty() ? stem : o.name);
  require_room("generate", writer_of(o, name), o.out, o.force,
               is_fmu(o) ? std::vector<std::string>{name + ".fmu"}
                         : first_files(name, *language_named(o.language)));

  const auto begin = std::chrono::steady_clock::now();
  result.derivation = std::make_unique<Derivation>(model, parameter_values(model),
                                                   make_sample_state(*system), derive);
  if (const std::string& problem = result.derivation->speed_problem(); !problem.empty())
    refuse("generate", fmt::format("{}: {}", source.path, problem));
  if (is_fmu(o))
    generate_fmu(source, o, *system, name, hash_of(source), remarks_about(model, o), result);
  else
    generate_unit(source, o, system->initial_state(), name, result);
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
    functions[function.name]["written_out"] = total_unshared(*unit.graph, results);
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

}  // namespace cartan::results
