// The tables of a [variables] file's run.
#include "mechanics/variables/variables.h"
#include "results/run/recorder.h"
#include "results/run/run_result.h"

namespace cartan {
namespace {

class VariablesRecorder final : public Recorder {
 public:
  VariablesRecorder(const VariablesSystem& system, OutputFolder* output)
      : Recorder(output),
        system_(system),
        workspace_(system.make_workspace()),
        outputs_(system.model().outputs.size()) {
    std::vector<std::string> columns;
    for (const Variable& variable : system.model().variables) columns.push_back(variable.name);
    for (const Output& item : system.model().outputs) columns.push_back(item.name);
    open_main_tables(columns);
  }

  void describe(StateView at_end, RunResult& result) override {
    fill_variables(at_end, result.variables);
    system_.calc_outputs(at_end, outputs_, *workspace_);
    result.outputs = outputs_;
  }

 private:
  void fill_row(StateView at, std::vector<double>& row) override {
    fill_variables(at, row);
    system_.calc_outputs(at, outputs_, *workspace_);
    row.insert(row.end(), outputs_.begin(), outputs_.end());
  }

  void fill_variables(StateView at, std::vector<double>& row) const {
    row.insert(row.end(), at.x.begin(), at.x.begin() + system_.model().variables.size());
  }

  const VariablesSystem& system_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<double> outputs_;
};

}  // namespace

std::unique_ptr<Recorder> make_variables_recorder(const VariablesSystem& system,
                                                  OutputFolder* output) {
  return std::make_unique<VariablesRecorder>(system, output);
}

}  // namespace cartan
