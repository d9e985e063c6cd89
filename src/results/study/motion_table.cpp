#include "results/study/motion_table.h"

#include <cmath>

#include "io/csv.h"
#include "results/run/recorder.h"

namespace cartan::results {
namespace {

class MotionTable final : public MotionLog {
 public:
  MotionTable(const System& system, std::size_t hidden, std::size_t hidden_count)
      : sampler_(make_sampler(system, {})) {
    text_ = "t";
    std::size_t output = 0;
    std::vector<RunTable> tables = sampler_->tables();
    for (RunColumn& column : tables.front().columns) {
      const bool is_output = column.kind == api::ColumnKind::output;
      const bool is_hidden = is_output && output >= hidden && output < hidden + hidden_count;
      output += is_output;
      if (is_hidden) continue;
      text_ += "," + column.name;
      columns_.push_back(std::move(column));
    }
    text_ += '\n';
  }

  void take(const State& state) override {
    sample_.at = state;
    sampler_->fill(state, sample_);
    append_number(text_, state.t);
    for (const RunColumn& column : columns_) {
      text_ += ',';
      if (const double value = column.value(sample_); std::isfinite(value))
        append_number(text_, value);
    }
    text_ += '\n';
  }
  std::string take_text() override { return std::move(text_); }

 private:
  std::unique_ptr<RunSampler> sampler_;
  std::vector<RunColumn> columns_;
  Sample sample_;
  std::string text_;
};

}  // namespace

MotionLogMaker make_motion_tables(std::size_t hidden, std::size_t hidden_count) {
  return [=](const System& system) -> std::unique_ptr<MotionLog> {
    return std::make_unique<MotionTable>(system, hidden, hidden_count);
  };
}

}  // namespace cartan::results
