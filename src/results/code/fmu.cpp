#include "results/code/fmu.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "codegen/fmi/runtime_files.h"
#include "codegen/fmi/zip_file.h"
#include "core/checksum.h"
#include "core/child_process.h"
#include "core/compiled_library.h"
#include "core/private_folder.h"
#include "report/column_units.h"
#include "results/code/fmu_model.h"
#include "results/design/ik_targets.h"
#include "results/load/state_file.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

namespace fs = std::filesystem;

// Characters of equations: optimised less, as `generated` does; not at all, where even that would
// take minutes.
constexpr std::size_t long_equations = 600000, huge_equations = 4000000;

class FmuMaker {
 public:
  FmuMaker(const ModelArguments& source, const api::GenerateOptions& options, const System& system,
           GeneratedModel& result)
      : source_(source),
        options_(options),
        system_(system),
        model_(*result.model),
        result_(result) {}

  std::string make(const std::string& name, const std::string& hash,
                   const std::vector<std::string>& remarks) {
    fmu_.version = options_.language == "fmi2" ? 2 : 3;
    fmu_.identifier = name;
    fmu_.title = model_.name.empty() ? name : model_.name;
    fmu_.remarks = remarks;
    fmu_.hash = hash;
    read_inputs();
    read_outputs();
    fmu_.code = make_fmu_unit(*result_.derivation, request_, fmu_unit_name);
    describe();
    return pack();
  }

  // What was written, for counts: p without the branches behind it.
  CodeUnit unit() && {
    fmu_.code.unit.arguments[2].symbols.resize(fmu_.parameters.size());
    return std::move(fmu_.code.unit);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    results::refuse("generate", message);
  }

  // ---------------------------------------------------------------------------------- what is
  // asked

  void read_inputs() {
    if (options_.inputs.empty()) {
      for (const Input& input : model_.inputs)
        if (input.parameter >= 0) request_.inputs.push_back(input.parameter);
      return;
    }
    const auto names = split_list("[" + options_.inputs + "]");
    if (!names) refuse(fmt::format("--inputs {}: expected names with commas", options_.inputs));
    for (const std::string& name : *names) {
      const int index = model_.find_parameter(name);
      std::vector<std::string> known;
      for (const Parameter& p : model_.parameters) known.push_back(p.name);
      if (index < 0)
        refuse(fmt::format("--inputs: the model has no parameter or input '{}'{}", name,
                           suggestion(name, known)));
      if (!model_.is_input(index) && !model_.parameters[index].value.program.is_constant())
        refuse(fmt::format(
            "--inputs: the parameter '{}' follows from others; name one of those instead", name));
      if (std::count(request_.inputs.begin(), request_.inputs.end(), index))
        refuse(fmt::format("--inputs: '{}' stands there twice", name));
      request_.inputs.push_back(index);
    }
  }

  void require_computable(const std::string& name, const Formula& formula) const {
    for (const Quantity quantity : {Quantity::reaction, Quantity::multiplier})
      if (formula.program.depends_on(quantity))
        refuse(fmt::format(
            "{}: the output '{}' asks for reactions or multipliers, which generated code does not "
            "compute; leave it out with --outputs",
            source_.path, name));
  }

  void add_output(const std::string& name, const Formula& formula) {
    if (formula.size() != 1)
      refuse(fmt::format("--outputs: '{}' is not one number; name its entries", name));
    request_.outputs.push_back({name, &formula});
  }

  int state_named(const std::string& name) const {
    for (std::size_t k = 0; k < state_names_.size(); ++k)
      if (state_names_[k] == name || alias_[k] == name) return static_cast<int>(k);
    return -1;
  }

  void name_states() {
    for (const bool positions : {true, false})
      for (std::size_t j = 0; j < model_.joints.size() && model_.is_mechanism(); ++j) {
        const Joint& joint = model_.joints[j];
        if (std::count(model_.loop_joints.begin(), model_.loop_joints.end(), static_cast<int>(j)))
          continue;
        const auto columns = positions ? coordinate_columns(joint) : speed_columns(joint);
        for (const std::string& column : columns) {
          state_names_.push_back(column);
          // a single coordinate has two names: hinge.q and hinge.q0
          const std::string stem = joint.name + (positions ? ".q" : ".v");
          alias_.push_back(columns.size() == 1 ? (column == stem ? stem + "0" : stem) : "");
        }
      }
    for (const Variable& variable : model_.variables) {
      state_names_.push_back(variable.name);
      alias_.emplace_back();
    }
  }

  void read_outputs() {
    name_states();
    if (options_.outputs.empty()) {
      for (const Output& output : model_.outputs)
        if (!output.is_input) {
          const int state = state_named(output.name);
          require_computable(output.name, output.value);
          if (state >= 0 && output.value.texts.size() == 1 && output.value.texts[0] == output.name)
            fmu_.state_outputs.push_back(state);
          else
            add_output(output.name, output.value);
        }
      if (request_.outputs.empty() && fmu_.state_outputs.empty())
        for (std::size_t k = 0; k < state_names_.size(); ++k)
          fmu_.state_outputs.push_back(static_cast<int>(k));
      return;
    }
    const auto texts = split_list("[" + options_.outputs + "]");
    if (!texts)
      refuse(fmt::format("--outputs {}: expected expressions with commas", options_.outputs));
    std::set<std::string> seen;
    for (const std::string& text : *texts) {
      if (!seen.insert(text).second)
        refuse(fmt::format("--outputs: '{}' stands there twice", text));
      const auto known = std::find_if(model_.outputs.begin(), model_.outputs.end(),
                                      [&](const Output& output) { return output.name == text; });
      if (known != model_.outputs.end()) {
        require_computable(text, known->value);
        add_output(text, known->value);
      } else if (const int state = state_named(text); state >= 0) {
        fmu_.state_outputs.push_back(state);
      } else {
        Diagnostics problems;
        auto formula = compile_expression(model_, text, problems);
        if (!formula)
          refuse(fmt::format("--outputs {}: {}", text,
                             problems.findings().empty() ? "no expression of the model"
                                                         : problems.findings()[0].message));
        require_computable(text, *formula);
        expressions_.push_back(std::make_unique<Formula>(std::move(*formula)));
        add_output(text, *expressions_.back());
      }
    }
  }

  // ---------------------------------------------------------------------------------- description

  static double value_of_formula(const Formula& formula, const std::vector<double>& parameters) {
    return evaluate<double>(formula, std::span<const double>(parameters))[0];
  }

  void describe() {
    const State start = system_.initial_state();
    const auto& state = result_.derivation->state();
    fmu_.nq = result_.derivation->nq();
    fmu_.nv = result_.derivation->nv();
    fmu_.events = &model_.events;
    for (std::size_t k = 0; k < state.size(); ++k)
      fmu_.states.push_back({state_names_[k], state[k].unit, state[k].meaning, start.x[k]});
    int place = 0;
    for (std::size_t j = 0; j < model_.joints.size() && model_.is_mechanism(); ++j) {
      if (std::count(model_.loop_joints.begin(), model_.loop_joints.end(), static_cast<int>(j)))
        continue;
      if (has_quaternion(model_.joints[j].type)) fmu_.quaternions.push_back(place);
      place += model_.joints[j].nq();
    }
    const ColumnUnits units = ColumnUnits::of(model_);
    for (const FmuRequest::Output& output : request_.outputs) {
      const std::string text = output.value->texts.empty() ? "" : output.value->texts[0];
      const std::string unit = units.unit(output.name);
      fmu_.outputs.push_back({output.name, unit.empty() ? units.unit(text) : unit,
                              text == output.name ? "" : text, 0});
    }
    const std::vector<double> parameters = parameter_values(model_);
    const auto add_numbers = [&](const std::vector<DerivedSymbol>& list, const char* meaning,
                                 std::vector<FmuVariable>& to) {
      for (const DerivedSymbol& s : list)
        to.push_back({s.name, "", meaning, parameters[model_.find_parameter(s.name)]});
    };
    add_numbers(fmu_.code.inputs, "input", fmu_.inputs);
    add_numbers(fmu_.code.parameters, "parameter", fmu_.parameters);
    for (int k = 0; k < fmu_.code.indicators; ++k) {
      const bool event = k < fmu_.code.events;
      const std::string name = event ? "event." + model_.events[k].name
                                     : fmt::format("switch.{}", k - fmu_.code.events + 1);
      fmu_.indicators.push_back({name, "", event ? "event of the model" : "change of formula", 0});
    }
    make_names_unique();
    fmu_.start_time = start.t;
    const SimulateDefaults& simulate = model_.simulate;
    if (simulate.duration.given())
      fmu_.stop_time = start.t + value_of_formula(simulate.duration, parameters);
    if (simulate.step.given()) fmu_.step = value_of_formula(simulate.step, parameters);
    if (simulate.tolerance.given())
      fmu_.tolerance = std::clamp(value_of_formula(simulate.tolerance, parameters), 1e-14, 1e-3);
    if (fmu_.code.constraints > 0)
      fmu_.remarks.push_back(
          "Loops and constraints: co-simulation brings the state back to them after every step; in "
          "model exchange the importer's integrator drifts from them as far as its tolerance lets "
          "it. Start values that are changed are brought back when initialization ends.");
    if (fmu_.code.initial)
      fmu_.remarks.push_back(
          "Start values of states that the importer does not set follow the parameters, as in the "
          "model's file.");
    fmu_.token = "{" +
                 checksum_of(fmu_.hash + CARTAN_VERSION + options_.inputs + "|" + options_.outputs +
                             "|" + fmu_.identifier + (fmu_.version == 2 ? "|2" : "")) +
                 "}";
  }

  // A name that something else has gets a prefix.
  void make_names_unique() {
    std::set<std::string> taken = {"time"};
    const std::pair<std::vector<FmuVariable>*, const char*> lists[] = {
        {&fmu_.states, "state."},
        {&fmu_.inputs, "input."},
        {&fmu_.parameters, "parameter."},
        {&fmu_.outputs, "output."},
        {&fmu_.indicators, "indicator."}};
    for (const auto& [list, prefix] : lists)
      for (FmuVariable& variable : *list)
        while (!taken.insert(variable.name).second) variable.name = prefix + variable.name;
  }

  // -------------------------------------------------------------------------------------- archive

  std::string pack() {
    for (const std::string& problem : {problem_of(fmu_.code.unit)})
      if (!problem.empty()) refuse(problem);
    std::vector<ZipEntry> sources;
    for (const auto& [name, text] : fmu_runtime_files())
      if (!belongs_to_other(name)) sources.push_back({name, text});
    sources.push_back({"fmu_model.h", fmu_model_header(fmu_)});
    sources.push_back({"fmu_model.c", fmu_model_code(fmu_)});
    sources.push_back({"fmu_method.h", fmu_method_header()});
    for (GeneratedFile& file : emit(fmu_.code.unit, Language::c))
      if (file.name.ends_with(".c")) sources.push_back({file.name, std::move(file.text)});
    for (std::size_t k = 0; k < model_.function_files.size(); ++k) {
      std::ifstream file(model_.function_files[k], std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      if (!file) refuse(fmt::format("the C file '{}' cannot be read", model_.function_files[k]));
      sources.push_back({fmt::format("user_{}.c", k + 1), text});
    }
    std::vector<std::string> names;
    for (const ZipEntry& entry : sources) names.push_back(entry.name);

    std::vector<ZipEntry> entries = {{"modelDescription.xml", fmu_description(fmu_, names)}};
    const std::string platform = platform_name();
    entries.push_back({"binaries/" + platform + "/" + fmu_.identifier + ".so", compile(sources)});
    for (ZipEntry& entry : sources) entry.name = "sources/" + entry.name;
    entries.insert(entries.end(), sources.begin(), sources.end());
    if (fmu_.version == 3)
      entries.push_back({"sources/buildDescription.xml", fmu_build_description(fmu_, names)});
    entries.push_back({"documentation/index.html", fmu_page(fmu_)});
    entries.push_back({"documentation/licenses/license.txt", license_notice()});
    entries.push_back({"documentation/licenses/Apache-2.0.txt", license_text()});
    return make_zip(entries);
  }

  // The functions of 2.0 are one file upon those of 3.0, without what 3.0 has for nothing.
  bool belongs_to_other(const std::string& file) const {
    return fmu_.version == 2 ? file == "fmu_absent.c" : file.starts_with("fmu_fmi2.");
  }

  std::string platform_name() const {
    if (fmu_.version == 2) return sizeof(void*) == 8 ? "linux64" : "linux32";
#if defined(__x86_64__)
    return "x86_64-linux";
#elif defined(__aarch64__)
    return "aarch64-linux";
#else
    return "unknown-linux";
#endif
  }

  std::string license_notice() const {
    return fmt::format(
        "{}\n\nThe equations of this FMU (sources/equations.c, fmu_model.c, fmu_model.h and "
        "modelDescription.xml)\nwere generated by Cartan " CARTAN_VERSION
        " from a model; they belong to whoever the model belongs to.\n{}"
        "The other files of sources/ are part of Cartan and are under the Apache License 2.0 "
        "(Apache-2.0.txt).\nThe library in binaries/ is made of both; it uses the C library and "
        "its mathematical functions only.\n",
        fmu_.title,
        model_.function_files.empty()
            ? ""
            : "Files user_*.c are functions of the model, under the terms of their author.\n");
  }

  // The library, for any processor of the kind at hand.
  std::string compile(const std::vector<ZipEntry>& sources) const {
    std::string problem;
    std::vector<std::string> words = find_c_compiler(problem);
    if (words.empty()) fail("generate", problem);
    const TemporaryFolder folder("cartan-fmu");
    if (folder.path().empty()) fail("generate", folder.problem());
    std::size_t size = 0;
    for (const ZipEntry& source : sources) {
      std::ofstream file(folder.path() / source.name, std::ios::binary);
      file << source.content;
      if (!file.flush())
        fail("generate", fmt::format("the code to be compiled cannot be written to '{}'",
                                     folder.path().string()));
      if (source.name == std::string(fmu_unit_name) + ".c") size = source.content.size();
    }
    const std::string library = (folder.path() / "fmu.so").string();
    words.insert(words.end(), {"-std=c99",
                               size > huge_equations   ? "-O0"
                               : size > long_equations ? "-O1"
                                                       : "-O2",
                               "-fPIC", "-shared", "-fvisibility=hidden", "-fno-math-errno", "-w",
                               "-s", "-Wl,--no-undefined", "-o", library});
    for (const ZipEntry& source : sources)
      if (source.name.ends_with(".c")) words.push_back((folder.path() / source.name).string());
    words.push_back("-lm");
    const ChildResult made = run_child(words);
    if (!made.started || made.status != 0)
      fail("generate", fmt::format("the C compiler '{}' failed on the code of the FMU:\n{}",
                                   words[0], made.output().substr(0, 2000)));
    std::ifstream file(library, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const ModelArguments& source_;
  const api::GenerateOptions& options_;
  const System& system_;
  const Model& model_;
  GeneratedModel& result_;
  FmuRequest request_;
  FmuModel fmu_;
  std::vector<std::string> state_names_, alias_;
  std::vector<std::unique_ptr<Formula>> expressions_;
};

}  // namespace

void check_fmu(const ModelArguments& source, const Model& model, const api::GenerateOptions& o) {
  const auto refuse = [](const std::string& message) { results::refuse("generate", message); };
  if (const std::string refusal = refuse_fmu(model); !refusal.empty())
    refuse(source.path + ": " + refusal);
  if (o.form != "recursive")
    refuse("--form mass-matrix: an FMU has the recursive equations; leave --form out");
  if (o.fold) refuse("--fold: the parameters of an FMU are variables of it; leave --fold out");
  if (o.variational)
    refuse("--variational: an FMU has directional derivatives in any case; leave it out");
  for (const std::string& file : model.function_files)
    if (fs::path(file).extension() != ".c")
      refuse(fmt::format(
          "{}: functions of the model are in the library '{}', which an FMU cannot take along; "
          "give their C file",
          source.path, file));
}

void generate_fmu(const ModelArguments& source, const api::GenerateOptions& options,
                  const System& system, const std::string& name, const std::string& hash,
                  const std::vector<std::string>& remarks, GeneratedModel& result) {
  FmuMaker maker(source, options, system, result);
  result.files = {{name + ".fmu", maker.make(name, hash, remarks)}};
  result.unit = std::make_unique<CodeUnit>(std::move(maker).unit());
  result.unit->model_hash = hash;
}

}  // namespace cartan::results
