// The same motion every way: the work of `compare`.
#pragma once

#include <memory>

#include <cartan/options.h>

#include "results/compare/comparison.h"
#include "results/load/load.h"

namespace cartan::results {

struct ComparedModel {
  std::unique_ptr<const Model> model;
  ComparisonPlan plan;
  Comparison comparison;
};

ComparedModel compare_model(const ModelArguments& model, const api::CompareOptions& options);

}  // namespace cartan::results
