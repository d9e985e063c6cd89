#include "study/study.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/parse.h"
#include "integrate/simulate.h"
#include "io/csv.h"

namespace cartan::study {
namespace {

constexpr double most_trajectories = 1e6;

std::string kept_output_name(int k) {
  return fmt::format("study quantity {}", k);
}

class StudyMaker {
 public:
  StudyMaker(const StudyText& text, const Model& plain, ModelDescription description,
             Diagnostics& problems)
      : text_(text), plain_(plain), description_(std::move(description)), problems_(problems) {}

  void read() {
    read_inputs();
    read_counts();
    read_kept();
    override_settings();
  }

  // After read() without complaints.
  std::optional<Study> finish(const Overrides& overrides, const Consent& consent) {
    const std::size_t before = problems_.findings().size();
    Diagnostics checked(problems_.file());
    std::optional<Model> model = check_model(description_, checked, overrides, consent);
    for (const Finding& finding : checked.findings())
      if (finding.severity == Severity::error) problems_.error(finding.where, finding.message);
    if (!model || problems_.findings().size() > before) return std::nullopt;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      study_.inputs[k].parameter = model->find_parameter(parameters_[k]);
    place_outputs(*model);
    study_.formulation =
        model->simulate.formulation.empty() ? "recursive" : model->simulate.formulation;
    study_.integrator = model->simulate.integrator.empty() ? SimulateOptions().integrator
                                                           : model->simulate.integrator;
    check_times(*model);
    study_.model = std::make_shared<const Model>(std::move(*model));
    return problems_.has_errors() ? std::nullopt : std::optional(std::move(study_));
  }

 private:
  // A number, or an expression over the parameters as the file (and --set) gives them.
  std::optional<double> number(const Value& value, const std::string& what) {
    if (value.reported) return std::nullopt;
    if (!value.is_expression()) return value.number;
    Diagnostics inside;
    const std::optional<Formula> formula = compile_expression(plain_, value.text, inside);
    if (!formula) {
      const std::string why = inside.findings().empty() ? "" : inside.findings()[0].message;
      problems_.error(value.where, fmt::format("{}: {}", what, why));
      return std::nullopt;
    }
    for (const Symbol& symbol : formula->program.inputs)
      if (symbol.quantity != Quantity::parameter) {
        problems_.error(
            value.where,
            fmt::format("{}: '{}': expected a number or an expression of the parameters", what,
                        value.text));
        return std::nullopt;
      }
    const std::vector<double> parameters = parameter_values(plain_);
    const double result = evaluate<double>(*formula, parameters)[0];
    if (std::isfinite(result)) return result;
    problems_.error(value.where, fmt::format("{}: '{}' is not a finite number", what, value.text));
    return std::nullopt;
  }

  // ---- what varies

  void read_inputs() {
    if (text_.inputs.empty() && !problems_.has_errors())
      problems_.error(text_.vary_where,
                      text_.file.empty()
                          ? "nothing varies; expected inputs such as L=uniform(0.9,1.1)"
                          : "nothing varies; expected inputs in [vary], such as "
                            "L = { uniform = [0.9, 1.1] }");
    for (const InputText& input : text_.inputs) read_input(input);
  }

  void read_input(const InputText& input) {
    for (const StudyInput& other : study_.inputs)
      if (other.name == input.name)
        return problems_.error(input.name_where, fmt::format("'{}' varies twice", input.name));
    std::string problem;
    const std::optional<VaryTarget> target = find_vary_target(input.name, description_, problem);
    if (!target) return problems_.error(input.name_where, problem);
    for (const VaryTarget& other : targets_)
      if (other == *target)
        return problems_.error(input.name_where,
                               fmt::format("'{}' varies twice, under another name", input.name));
    Distribution distribution;
    distribution.kind = input.kind;
    if (input.kind == Distribution::Kind::table) {
      if (!read_column(input, distribution)) return;
    } else {
      bool whole = true;
      for (const Value& value : input.numbers) {
        const std::optional<double> x = number(value, fmt::format("'{}'", input.name));
        whole &= x.has_value();
        distribution.numbers.push_back(x.value_or(0));
      }
      if (!whole) return;
    }
    if (problem = check_distribution(distribution); !problem.empty())
      return problems_.error(input.where, fmt::format("'{}': {}", input.name, problem));
    targets_.push_back(*target);
    study_.inputs.push_back({input.name, *target, 0});
    parameters_.push_back(make_parameter(*target, description_));
    choice_.inputs.push_back(std::move(distribution));
  }

  bool read_column(const InputText& input, Distribution& distribution) {
    const std::string path = (std::filesystem::path(text_.folder) / input.file).string();
    Diagnostics inside(path);
    const std::optional<CsvTable> table = read_csv(path, CsvRows::all, inside);
    if (!table) {
      const std::string why =
          inside.findings().empty() ? "there is no such file" : inside.findings()[0].message;
      problems_.error(input.where, fmt::format("the table '{}' of '{}' cannot be read: {}",
                                               input.file, input.name, why));
      return false;
    }
    const std::vector<double>* column = table->find(input.column);
    if (!column) {
      const std::string near = nearest_name(input.column, table->names);
      problems_.error(input.where,
                      fmt::format("'{}' has no column '{}'; {}", input.file, input.column,
                                  near.empty() ? fmt::format("expected one of: {}",
                                                             fmt::join(table->names, ", "))
                                               : "did you mean '" + near + "'?"));
      return false;
    }
    distribution.numbers = *column;
    return true;
  }

  // ---- how many

  std::optional<std::uint64_t> find_samples() {
    bool sampled = false;
    std::optional<std::uint64_t> rows;
    for (const Distribution& d : choice_.inputs) {
      sampled |= d.is_sampled();
      if (d.is_table()) rows = std::min(rows.value_or(d.count()), d.count());
    }
    if (text_.runs && !(*text_.runs >= 1)) {
      problems_.error(
          text_.runs_where,
          fmt::format("runs is {:g}; expected a whole number of at least 1", *text_.runs));
      return std::nullopt;
    }
    if (!sampled && !rows) return 1;
    if (text_.runs) return static_cast<std::uint64_t>(*text_.runs);
    if (rows) return *rows;
    problems_.error(text_.vary_where, text_.file.empty()
                                          ? "how many runs? expected a number of samples"
                                          : "missing key 'runs': how many samples are taken");
    return std::nullopt;
  }

  void read_counts() {
    if (!text_.sampling.empty()) {
      const std::optional<Sampling> sampling = sampling_from_name(text_.sampling);
      if (sampling)
        choice_.sampling = *sampling;
      else
        refuse_word(text_.sampling_where, "sampling", text_.sampling,
                    {"sobol", "latin-hypercube", "random"});
    }
    if (text_.seed && (*text_.seed < 0 || *text_.seed > 0x1p53))
      problems_.error(text_.seed_where, "expected a seed from 0 to 2^53");
    choice_.seed = static_cast<std::uint64_t>(std::max(0.0, text_.seed.value_or(1)));
    study_.asked_runs = text_.runs;
    const std::optional<std::uint64_t> samples = find_samples();
    if (!samples || problems_.has_errors()) return;
    choice_.samples = *samples;
    choose_indices();
    if (const std::string why = Design::refusal(choice_); !why.empty())
      return problems_.error(
          choice_.indices && text_.indices ? text_.indices_where : text_.runs_where, why);
    study_.design = Design(choice_);
    const double count = text_.trajectories.value_or(0);
    if (!(count >= 0 && count <= most_trajectories))
      problems_.error(
          text_.trajectories_where,
          fmt::format("trajectories is {:g}; expected 0 to {:g}", count, most_trajectories));
    else
      study_.trajectories = std::min(static_cast<std::uint64_t>(count), study_.design.runs());
  }

  // The default: wherever there are enough runs for them.
  void choose_indices() {
    if (text_.indices) {
      choice_.indices = *text_.indices;
    } else {
      DesignChoice with = choice_;
      with.indices = true;
      const auto sampled = std::count_if(choice_.inputs.begin(), choice_.inputs.end(),
                                         [](const Distribution& d) { return d.is_sampled(); });
      choice_.indices = sampled >= 2 && Design::refusal(with).empty();
    }
  }

  // ---- what is kept

  void read_kept() {
    if (text_.keeps.empty() && !problems_.has_errors())
      problems_.error(text_.keep_where,
                      text_.file.empty()
                          ? "nothing is kept; expected quantities such as angle=final(shoulder.q)"
                          : "nothing is kept; expected quantities in [keep], such as "
                            "angle = { final = \"shoulder.q\" }");
    study_.own_outputs = 0;  // counted after the check
    for (const KeepText& keep : text_.keeps) read_keep(keep);
  }

  void read_keep(const KeepText& keep) {
    for (const KeptQuantity& other : study_.kept)
      if (other.name == keep.name)
        return problems_.error(keep.where, fmt::format("'{}' is kept twice", keep.name));
    for (const StudyInput& input : study_.inputs)
      if (input.name == keep.name)
        return problems_.error(
            keep.where,
            fmt::format("'{}' is the name of an input; expected another name", keep.name));
    for (const char* taken : {"run", "status", "message"})
      if (keep.name == taken)
        return problems_.error(
            keep.where,
            fmt::format("'{}' is a column of every study; expected another name", taken));
    KeptQuantity kept;
    kept.name = keep.name;
    kept.kind = keep.kind;
    if (keep.kind == KeepKind::at) {
      const std::optional<double> time = number(keep.time, fmt::format("'{}'", keep.name));
      if (!time) return;
      if (*time < 0)
        return problems_.error(
            keep.time.where, fmt::format("'{}': the time is {:g}; expected one from the start on, "
                                         "not below 0",
                                         keep.name, *time));
      kept.time = *time;
    }
    if (keep.kind == KeepKind::event || keep.kind == KeepKind::count) {
      std::vector<std::string> names;
      for (const EventText& event : description_.events) names.push_back(event.name);
      const auto found = std::find(names.begin(), names.end(), keep.event.name);
      if (found == names.end()) return refuse_event(keep, names);
      kept.event = static_cast<int>(found - names.begin());
    }
    kept.text = describe_keep(keep);
    if (keep.kind != KeepKind::count) {
      define_outputs_in(keep.expression);
      Value value = keep.expression;
      if (value.where.line == 0) value.where = keep.where;
      kept.output = static_cast<int>(added_++);  // counted from those of the file
      OutputText output(kept_output_name(kept.output), value);
      output.where = output.name_where = output.value_where = value.where;
      outputs_.push_back(std::move(output));
    }
    study_.kept.push_back(std::move(kept));
  }

  void refuse_event(const KeepText& keep, const std::vector<std::string>& names) {
    if (names.empty())
      return problems_.error(keep.event.where,
                             fmt::format("'{}': the model has no events; expected an [[event]] in "
                                         "its file",
                                         keep.name));
    refuse_word(keep.event.where, fmt::format("'{}': event", keep.name), keep.event.name, names);
  }

  static std::string describe_keep(const KeepText& keep) {
    const auto text = [](const Value& v) {
      return v.is_expression() ? v.text : fmt::format("{}", v.number);
    };
    switch (keep.kind) {
      case KeepKind::at:
        return fmt::format("at({}, {})", text(keep.time), text(keep.expression));
      case KeepKind::event:
        return fmt::format("event({}, {})", keep.event.name, text(keep.expression));
      case KeepKind::count:
        return fmt::format("count({})", keep.event.name);
      default:
        return fmt::format("{}({})", to_string(keep.kind), text(keep.expression));
    }
  }

  // Outputs of the model may be named in what is kept: they become definitions.
  void define_outputs_in(const Value& expression) {
    if (!expression.is_expression()) return;
    ExpressionError ignored;
    const Syntax tree = parse_expression(expression.text, ignored);
    if (!tree) return;
    for (const std::string& name : names_in(tree)) {
      const auto is_known = [&](const NamedValue& v) { return v.name == name; };
      const auto output =
          std::find_if(description_.outputs.begin(), description_.outputs.end(),
                       [&](const OutputText& o) { return o.name == name && o.dimensions == 0; });
      if (output == description_.outputs.end() || output->rows.empty() ||
          std::any_of(description_.parameters.begin(), description_.parameters.end(), is_known) ||
          std::any_of(description_.definitions.begin(), description_.definitions.end(), is_known))
        continue;
      description_.definitions.emplace_back(name, output->rows[0][0]);
    }
  }

  // What is kept stands behind the outputs of the file; the model's inputs come after it.
  void place_outputs(const Model& model) {
    const auto first =
        std::find_if(model.outputs.begin(), model.outputs.end(),
                     [](const Output& output) { return output.name == kept_output_name(0); });
    study_.own_outputs = static_cast<std::size_t>(first - model.outputs.begin());
    study_.kept_outputs = added_;
    for (KeptQuantity& kept : study_.kept)
      if (kept.output >= 0) kept.output += static_cast<int>(study_.own_outputs);
  }

  // A time after the end of the run is a mistake.
  void check_times(const Model& model) {
    const Formula& formula = model.simulate.duration;
    const double duration = study_.instant ? 0
                            : formula.given()
                                ? evaluate<double>(formula, parameter_values(model))[0]
                                : SimulateOptions().duration;
    for (std::size_t k = 0; k < study_.kept.size(); ++k)
      if (study_.kept[k].kind == KeepKind::at && study_.kept[k].time > duration)
        problems_.error(text_.keeps[k].where,
                        fmt::format("'{}' is taken at t = {:g}, but the runs end at {:g}; expected "
                                    "a time up to there",
                                    study_.kept[k].name, study_.kept[k].time, duration));
  }

  // ---- how it is simulated

  void override_settings() {
    SimulateText& own = description_.simulate;
    const SimulateText& more = text_.simulate;
    study_.instant = more.duration && !more.duration->is_expression() && more.duration->number == 0;
    if (more.duration && !study_.instant) own.duration = more.duration;
    if (more.step) own.step = more.step;
    if (more.tolerance) own.tolerance = more.tolerance;
    if (more.every) own.every = more.every, own.every_where = more.every_where;
    if (!more.formulation.empty())
      own.formulation = more.formulation, own.formulation_where = more.formulation_where;
    if (!more.integrator.empty())
      own.integrator = more.integrator, own.integrator_where = more.integrator_where;
    for (OutputText& output : outputs_) description_.outputs.push_back(std::move(output));
  }

  void refuse_word(Location where, const std::string& what, const std::string& word,
                   const std::vector<std::string>& known) {
    const std::string near = nearest_name(word, known);
    problems_.error(
        where, fmt::format("{}: there is no '{}'; {}", what, word,
                           near.empty() ? fmt::format("expected one of: {}", fmt::join(known, ", "))
                                        : "did you mean '" + near + "'?"));
  }

  const StudyText& text_;
  const Model& plain_;
  ModelDescription description_;
  Diagnostics& problems_;
  Study study_;
  DesignChoice choice_;
  std::vector<VaryTarget> targets_;
  std::vector<std::string> parameters_;  // names, per input
  std::vector<OutputText> outputs_;
  std::size_t added_ = 0;
};

}  // namespace

bool Study::keeps_trajectory(std::uint64_t run) const {
  // k runs / trajectories, rounded up, for k = 0, 1, ..
  const std::uint64_t all = design.runs();
  if (trajectories == 0) return false;
  const auto before = [&](std::uint64_t r) {  // how many of the chosen lie below r
    return (static_cast<unsigned __int128>(r) * trajectories + all - 1) / all;
  };
  return before(run + 1) > before(run);
}

std::optional<Study> make_study(const StudyText& text, const ModelDescription& description,
                                const Model& plain, const Overrides& overrides,
                                Diagnostics& problems) {
  StudyMaker maker(text, plain, description, problems);
  maker.read();
  if (problems.has_errors()) return std::nullopt;
  return maker.finish(overrides, plain.consent);
}

}  // namespace cartan::study
