#include "model/model.h"
#include "core/mixed.h"
#include "symbolic/expression.h"

#include <algorithm>
#include <cassert>

namespace cartan::model {

Model::Model() = default;
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

ModelDescription::ModelDescription() = default;
ModelDescription::ModelDescription(const ModelDescription&) = default;
ModelDescription::ModelDescription(ModelDescription&&) noexcept = default;
ModelDescription& ModelDescription::operator=(const ModelDescription&) = default;
ModelDescription& ModelDescription::operator=(ModelDescription&&) noexcept = default;
ModelDescription::~ModelDescription() = default;
namespace {

template <class T>
int find_named(const std::vector<T>& list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace

int Model::find_body(std::string_view body) const {
  if (body == "world") return world;
  const int index = find_named(bodies, body);
  return index < 0 ? -2 : index;
}
int Model::find_joint(std::string_view joint) const {
  return find_named(joints, joint);
}
int Model::find_parameter(std::string_view parameter) const {
  return find_named(parameters, parameter);
}
bool Model::is_input(int parameter) const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Input& input) { return input.parameter == parameter; });
}

std::vector<double> parameter_values(const Model& model) {
  std::vector<double> values(model.parameters.size());
  for (int i : model.parameter_order)
    values[i] = evaluate<double>(model.parameters[i].value, values)[0];
  return values;
}

std::vector<double> parameter_values(const Model& model, std::span<const int> which,
                                     std::span<const double> values) {
  std::vector<double> result(model.parameters.size());
  for (int i : model.parameter_order) {
    const auto listed = std::find(which.begin(), which.end(), i);
    result[i] = listed != which.end() ? values[listed - which.begin()]
                                      : evaluate<double>(model.parameters[i].value, result)[0];
  }
  return result;
}

template <class S>
std::vector<S> evaluate(const Formula& formula, std::span<const S> parameters) {
  const Program& program = formula.program;
  std::vector<S> inputs, scratch(program.scratch_size()), outputs(program.outputs.size());
  for (const Symbol& symbol : program.inputs) {
    assert(symbol.quantity == Quantity::parameter);
    inputs.push_back(parameters[symbol.index]);
  }
  evaluate<S>(program, std::span<const S>(inputs), std::span<S>(scratch), std::span<S>(outputs));
  return outputs;
}

#define CARTAN_INSTANTIATE(S) \
  template std::vector<S> evaluate<S>(const Formula&, std::span<const S>);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::model
