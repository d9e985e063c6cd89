#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <cartan/table.h>

#include "api/inside.h"
#include "core/column_name.h"
#include "formulations/formulations.h"
#include "import/import.h"
#include "integrate/integrator.h"
#include "io/output_files.h"
#include "results/refusal.h"

namespace cartan::api {
namespace {

std::string read_whole(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The text of a model file; a file of another tool becomes one.
std::string text_of_file(const ModelArguments& source, const Watch& watch) {
  if (!is_foreign_model(source.path)) return read_whole(source.path);
  Diagnostics problems(source.path);
  const auto imported = import_model_file(source.path, import_options(source, watch), problems);
  if (!imported) refuse(problems);
  return imported->text;
}

Model make_public(ModelArguments source, const Watch& watch) {
  auto inside = std::make_shared<Model::Inside>();
  Diagnostics problems;
  inside->model = load_model(source, watch, problems, CodeUse::names);
  inside->warnings = problems_of(problems);
  const model::Model& model = *inside->model;
  inside->name =
      model.name.empty() ? std::filesystem::path(source.path).stem().string() : model.name;
  // what was read is what is used, whatever becomes of the file
  if (!source.text) source.text = text_of_file(source, watch);
  inside->text = *source.text;
  source.quiet = true;
  inside->source = std::move(source);
  return Model(std::move(inside));
}

void tell_warnings(const Model& model, const Watch& watch) {
  if (!watch.message) return;
  for (const Problem& p : model.warnings())
    watch.message(p.line > 0 ? fmt::format("{}:{}:{}: {}", p.file, p.line, p.column, p.message)
                             : fmt::format("{}: {}", p.file, p.message));
}

std::string suggest_column(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(std::string(name), known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

}  // namespace

ModelArguments make_source(const std::string& path, const LoadOptions& options) {
  ModelArguments source;
  source.path = path;
  source.sets = options.set;
  source.trust = options.trust;
  source.allowed = options.allow_path;
  source.inputs = {options.input, options.input_file, options.input_kind};
  source.base = options.base;
  source.packages = options.package;
  source.limits = options.limits;
  return source;
}

const ModelArguments& source_of(const Model& model) {
  return model.inside().source;
}

Model::Model(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

const std::string& Model::name() const {
  return inside_->name;
}
const std::string& Model::file() const {
  return inside_->source.path;
}
const std::string& Model::text() const {
  return inside_->text;
}
LoadOptions Model::options() const {
  const ModelArguments& source = inside_->source;
  LoadOptions options;
  options.set = source.sets;
  options.trust = source.trust;
  options.allow_path = source.allowed;
  options.input = source.inputs.values;
  options.input_file = source.inputs.file;
  options.input_kind = source.inputs.kind;
  options.base = source.base;
  options.package = source.packages;
  options.limits = source.limits;
  return options;
}
bool Model::is_mechanism() const {
  return inside_->model->is_mechanism();
}
std::vector<std::string> Model::bodies() const {
  return names_in_order(inside_->model->bodies);
}
std::vector<std::string> Model::joints() const {
  return names_in_order(inside_->model->joints);
}
std::vector<std::string> Model::forces() const {
  return names_in_order(inside_->model->forces);
}
std::vector<std::string> Model::constraints() const {
  return names_in_order(inside_->model->constraints);
}
std::vector<std::string> Model::variables() const {
  return names_in_order(inside_->model->variables);
}
std::vector<std::string> Model::inputs() const {
  const model::Model& model = *inside_->model;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    if (model.is_input(static_cast<int>(i))) names.push_back(model.parameters[i].name);
  return names;
}
std::vector<std::string> Model::outputs() const {
  return names_in_order(inside_->model->outputs);
}
std::vector<std::string> Model::events() const {
  return names_in_order(inside_->model->events);
}
const std::vector<Problem>& Model::warnings() const {
  return inside_->warnings;
}

std::vector<NamedNumber> Model::parameters() const {
  const std::vector<double> values = parameter_values(*inside_->model);
  std::vector<NamedNumber> list;
  const std::vector<std::string> inputs = names_in_order(inside_->model->inputs);
  for (std::size_t p = 0; p < values.size(); ++p) {
    const std::string& name = inside_->model->parameters[p].name;
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      list.emplace_back(name, values[p]);
  }
  return list;
}

double Model::parameter(std::string_view name) const {
  const int index = inside_->model->find_parameter(name);
  if (index < 0)
    refuse_at(file(),
              fmt::format("there is no parameter '{}'{}", name,
                          suggest_column(name, names_in_order(inside_->model->parameters))));
  return parameter_values(*inside_->model)[index];
}

Model Model::with(std::string_view parameter, double value) const {
  if (!std::isfinite(value))
    refuse_at(file(),
              fmt::format("parameter '{}': expected a finite number, got {}", parameter, value));
  return with(parameter, fmt::format("{:.17g}", value));
}

Model Model::with(std::string_view parameter, std::string_view expression) const {
  this->parameter(parameter);  // refuses a name that is not known
  ModelArguments source = inside_->source;
  source.sets.push_back(fmt::format("{}={}", parameter, expression));
  return make_public(std::move(source), {});
}

void Model::save(const std::string& path, bool force) const {
  std::string problem;
  if (!write_whole_file(path, text(), force ? Replace::yes : Replace::no, problem))
    refuse("save", problem);
}

Model load(const std::string& path, const LoadOptions& options) {
  Model model = make_public(make_source(path, options), options.watch);
  tell_warnings(model, options.watch);
  return model;
}

Model load_text(const std::string& text, const LoadOptions& options, const std::string& file) {
  ModelArguments source = make_source(file, options);
  source.text = text;
  Model model = make_public(std::move(source), options.watch);
  tell_warnings(model, options.watch);
  return model;
}

const char* version() {
  return CARTAN_VERSION;
}

const char* built_for() {
  return CARTAN_MARCH_NAME;
}

std::vector<std::pair<std::string, std::string>> formulations() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const FormulationInfo& row : formulation_table()) list.emplace_back(row.name, row.summary);
  return list;
}

std::vector<std::pair<std::string, std::string>> integrators() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const IntegratorInfo& row : integrator_table()) list.emplace_back(row.name, row.description);
  return list;
}

// ------------------------------------------------------------------------------- states and tables

std::array<double, 3> public_vector(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}

std::vector<std::vector<double>> public_rows(const Eigen::MatrixXd& matrix) {
  std::vector<std::vector<double>> rows(matrix.rows());
  for (int i = 0; i < matrix.rows(); ++i)
    for (int j = 0; j < matrix.cols(); ++j) rows[i].push_back(matrix(i, j));
  return rows;
}

State public_state(const model::Model& model, const Observation& now) {
  State state;
  state.t = now.t;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    state.joints.push_back({model.joints[j].name, now.q[j], now.v[j]});
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyState& body = now.bodies[b];
    const Quat<double>& u = body.orientation;
    state.bodies.push_back({model.bodies[b].name,
                            public_vector(body.position),
                            {u.w, u.x, u.y, u.z},
                            public_vector(body.angular),
                            public_vector(body.linear)});
  }
  return state;
}

State public_state(const model::Model& model, const system::System& system,
                   const system::State& at) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system)) {
    Observation now;
    mechanism->observe(at, now, *mechanism->make_workspace());
    return public_state(model, now);
  }
  State state;
  state.t = at.t;
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    state.variables.emplace_back(model.variables[i].name, at.x[i]);
  return state;
}

const Column* Table::find(std::string_view column) const {
  const std::string wanted = column_spelling(column);
  for (const std::string& name : {std::string(column), wanted, wanted + "0"})
    for (const Column& one : columns)
      if (one.name == name) return &one;
  return nullptr;
}

std::span<const double> Table::operator[](std::string_view column) const {
  if (const Column* found = find(column)) return found->values;
  refuse_at(name, fmt::format("there is no column '{}'{}", column,
                              suggest_column(column, names_in_order(columns))));
}

}  // namespace cartan::api
