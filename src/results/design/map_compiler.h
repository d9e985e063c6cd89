// Functions that are given as expressions, compiled with their exact first and second derivatives
// (analysis/control/smooth_map.h). The compiler's results are kept, so that a second call is quick.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/control/smooth_map.h"
#include "codegen/code_unit.h"
#include "model/model.h"
#include "symbolic/expression.h"

namespace cartan::results {

using Expressions = std::vector<Expression>;

class MapCompiler {
 public:
  // `numbers`: what functions also depend on and are not differentiated by. `without_curvature`:
  // why there are no second derivatives; it is set once there are none.
  MapCompiler(const Model& model, ExpressionGraph& graph, Expressions numbers,
              std::string& without_curvature)
      : model_(model),
        graph_(graph),
        numbers_(std::move(numbers)),
        without_curvature_(without_curvature) {}

  // Null with a sentence where the functions need what is no argument of theirs.
  std::unique_ptr<SmoothMap> make(const std::string& name, const Expressions& z,
                                  const Expressions& f, std::string& problem);

 private:
  class CompiledMap;
  bool load(const CodeUnit& unit, CompiledMap& map, std::string& problem);

  const Model& model_;
  ExpressionGraph& graph_;
  Expressions numbers_;
  std::string& without_curvature_;
};

}  // namespace cartan::results
