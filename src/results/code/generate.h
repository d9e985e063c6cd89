// The equations of a model as code: the work of `generate`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "codegen/emit.h"
#include "codegen/model_unit.h"
#include "results/json_values.h"
#include "results/load/load.h"

namespace cartan::results {

struct GeneratedModel {
  std::unique_ptr<const Model> model;
  std::unique_ptr<Derivation> derivation;  // the unit points into it
  std::unique_ptr<CodeUnit> unit;
  std::vector<GeneratedFile> files;
  double seconds = 0;
};

// Whether an FMU is asked for.
bool is_fmu(const api::GenerateOptions& options);

// Refuses languages and forms that do not exist.
void check_generate(const api::GenerateOptions& options);

// The files are written where options.out names a folder.
GeneratedModel generate_model(const ModelArguments& model, const api::GenerateOptions& options);

// All results of a function, to be counted.
std::vector<Expression> results_of(const CodeFunction& function);

Json generated_json(const GeneratedModel& generated, const api::GenerateOptions& options);

}  // namespace cartan::results
