// The tables of a [variables] file's run.
#include "cli/recorder.h"
#include "cli/run_result.h"
#include "expr/expression.h"

namespace cartan {
namespace {

class VariablesRecorder final : public Recorder {
 public:
  VariablesRecorder(const Model& model, OutputFolder* output)
      : Recorder(output), model_(model), parameters_(parameter_values(model)) {
    std::vector<std::string> columns;
    for (const Variable& variable : model.variables) columns.push_back(variable.name);
    for (const Output& item : model.outputs) columns.push_back(item.name);
    open_main_tables(columns);
    for (const char* name :
         {"bodies.csv", "reactions.csv", "multipliers.csv", "constraints.csv", "power.csv"})
      drop_table(name);
  }

  void describe(StateView at_end, RunResult& result) override {
    result.variables.assign(at_end.x.begin(), at_end.x.begin() + model_.variables.size());
    for (const Output& item : model_.outputs) result.outputs.push_back(value(item.value, at_end));
  }

 private:
  void fill_row(StateView at, std::vector<double>& row) override {
    row.insert(row.end(), at.x.begin(), at.x.begin() + model_.variables.size());
    for (const Output& item : model_.outputs) row.push_back(value(item.value, at));
  }

  double value(const Formula& formula, StateView at) {
    const Program& program = formula.program;
    inputs_.clear();
    for (const Symbol& symbol : program.inputs)
      inputs_.push_back(symbol.quantity == Quantity::time        ? at.t
                        : symbol.quantity == Quantity::parameter ? parameters_[symbol.index]
                                                                 : at.x[symbol.index]);
    scratch_.resize(program.scratch_size());
    double result = 0;
    evaluate<double>(program, inputs_, scratch_, std::span(&result, 1));
    return result;
  }

  const Model& model_;
  std::vector<double> parameters_, inputs_, scratch_;
};

}  // namespace

std::unique_ptr<Recorder> make_variables_recorder(const Model& model, OutputFolder* output) {
  return std::make_unique<VariablesRecorder>(model, output);
}

}  // namespace cartan
