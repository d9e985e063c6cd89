// What stands behind the handles of the public headers, and the way from our records to theirs.
// In this namespace a name is the public one; ours of the same name has its folder before it
// (model::Model).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cartan/eval.h>
#include <cartan/model.h>

#include "mechanics/machine/mechanism_system.h"
#include "results/load/load.h"

namespace cartan::api {

struct Model::Inside {
  ModelArguments source;
  std::unique_ptr<const model::Model> model;
  std::string name, text;
  std::vector<Problem> warnings;
};

// Where commands read the model from: the same text, warnings told already.
const ModelArguments& source_of(const Model& model);
// A file with what options say of it.
ModelArguments make_source(const std::string& path, const LoadOptions& options);

State public_state(const model::Model& model, const Observation& now);
State public_state(const model::Model& model, const system::System& system,
                   const system::State& state);
std::array<double, 3> public_vector(const Vec3<double>& a);
std::vector<std::vector<double>> public_rows(const Eigen::MatrixXd& matrix);

// Names of things that have one.
template <class T>
std::vector<std::string> names_in_order(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& item : list) names.push_back(item.name);
  return names;
}

}  // namespace cartan::api
