// What stands behind the handles of the public headers, and the way from our records to theirs.
// Inside namespace cartan our names go without a prefix, the public ones have `api::`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cartan/eval.h>
#include <cartan/model.h>

#include "mechanics/machine/mechanism_system.h"
#include "results/load/load.h"

namespace cartan {

struct api::Model::Inside {
  ModelArguments source;
  std::unique_ptr<const cartan::Model> model;
  std::string name, text;
  std::vector<Problem> warnings;
};

// Where commands read the model from: the same text, warnings told already.
const ModelArguments& source_of(const api::Model& model);
// A file with what options say of it.
ModelArguments make_source(const std::string& path, const api::LoadOptions& options);

api::State public_state(const Model& model, const Observation& now);
api::State public_state(const Model& model, const System& system, const State& state);
std::array<double, 3> public_vector(const Vec3<double>& a);
std::vector<std::vector<double>> public_rows(const Eigen::MatrixXd& matrix);

// Names of things that have one.
template <class T>
std::vector<std::string> names_in_order(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& item : list) names.push_back(item.name);
  return names;
}

}  // namespace cartan
