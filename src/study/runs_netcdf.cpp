#include "study/runs_netcdf.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "study/netcdf_file.h"
#include "study/study_statistics.h"

namespace cartan::study {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

// The motions that are kept, as a table each; found in a first pass over the blocks.
struct MotionShape {
  std::uint64_t motions = 0, failures = 0;
  std::size_t longest = 0;
  std::vector<std::string> columns;
};

std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

MotionShape measure(const BlockStore& store, bool& read, std::string& problem) {
  MotionShape shape;
  read = for_each_block(
      store,
      [&](const Block& block) {
        shape.failures += block.messages.size();
        for (const auto& [place, text] : block.trajectories) {
          ++shape.motions;
          if (shape.columns.empty()) shape.columns = split_line(text.substr(0, text.find('\n')));
          const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
          shape.longest = std::max(shape.longest, lines - 1);
        }
      },
      problem);
  return shape;
}

class RunsNetcdf {
 public:
  RunsNetcdf(const Study& study, NetcdfFile& file, const MotionShape& shape,
             const std::string& record)
      : study_(study), file_(file), shape_(shape) {
    const Model& model = *study.model;
    file.add_text(-1, "title", fmt::format("study of {}", model.name));
    file.add_text(-1, "source", fmt::format("cartan {}", CARTAN_VERSION));
    file.add_text(-1, "sampling", to_string(study.design.sampling()));
    file.add_number(-1, "seed", static_cast<double>(study.design.seed()));
    file.add_text(-1, "study", record);
    define_runs();
    define_failures();
    if (shape.motions > 0) define_motions();
    file.end_definitions();
  }

  void write(const Block& block) {
    const std::size_t runs = block.count, start = block.first;
    std::vector<double> column(runs), inputs(study_.inputs.size()), all(runs * inputs.size());
    for (std::size_t i = 0; i < runs; ++i)
      study_.design.fill(start + i, std::span(all).subspan(i * inputs.size(), inputs.size()));
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      for (std::size_t i = 0; i < runs; ++i) column[i] = all[i * inputs.size() + k];
      file_.put(inputs_[k], {start}, {runs}, column.data());
    }
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      for (std::size_t i = 0; i < runs; ++i)
        column[i] = block.value(static_cast<std::uint32_t>(i), k);
      file_.put(kept_[k], {start}, {runs}, column.data());
    }
    std::vector<signed char> status(runs);
    for (std::size_t i = 0; i < runs; ++i) status[i] = static_cast<signed char>(block.outcomes[i]);
    file_.put(status_, start, status);
    for (const auto& [place, message] : block.messages) {
      const long long run = static_cast<long long>(start + place);
      file_.put(failure_run_, failures_, std::span(&run, 1));
      file_.put(failure_message_, failures_++, message);
    }
    for (const auto& [place, text] : block.trajectories) write_motion(start + place, text);
  }

 private:
  // Of variables: a name that is taken gets an underscore.
  std::string own_name(const std::string& name) {
    std::string own = netcdf_name(name);
    while (!names_.insert(own).second) own += '_';
    return own;
  }

  void define_runs() {
    const int run = file_.add_dimension("run", study_.design.runs());
    for (std::size_t k = 0; k < study_.inputs.size(); ++k) {
      const int v = file_.add_variable(own_name(study_.inputs[k].name), NetcdfType::real, {run});
      file_.add_text(v, "role", "input");
      std::string law = text_of(study_.design.inputs()[k]);
      if (law.size() > 200) law = to_string(study_.design.inputs()[k].kind);
      file_.add_text(v, "distribution", law);
      inputs_.push_back(v);
    }
    for (const KeptQuantity& kept : study_.kept) {
      const int v = file_.add_variable(own_name(kept.name), NetcdfType::real, {run});
      file_.add_text(v, "role", "quantity");
      file_.add_text(v, "expression", kept.text);
      file_.add_number(v, "_FillValue", gap);
      kept_.push_back(v);
    }
    status_ = file_.add_variable("status", NetcdfType::byte, {run});
    std::vector<signed char> values;
    std::string meanings;
    for (int k = 0; k < run_outcome_count; ++k) {
      values.push_back(static_cast<signed char>(k));
      for (const char c : std::string(to_string(static_cast<RunOutcome>(k))))
        meanings += c == ' ' ? '_' : c;
      if (k + 1 < run_outcome_count) meanings += ' ';
    }
    file_.add_bytes(status_, "flag_values", values);
    file_.add_text(status_, "flag_meanings", meanings);
  }

  void define_failures() {
    if (shape_.failures == 0) return;
    const int failure = file_.add_dimension("failure", shape_.failures);
    failure_run_ = file_.add_variable("failure_run", NetcdfType::whole, {failure});
    failure_message_ = file_.add_variable("failure_message", NetcdfType::words, {failure});
  }

  void define_motions() {
    const int trajectory = file_.add_dimension("trajectory", shape_.motions);
    const int sample = file_.add_dimension("sample", std::max<std::size_t>(1, shape_.longest));
    motion_run_ = file_.add_variable("trajectory_run", NetcdfType::whole, {trajectory});
    for (const std::string& column : shape_.columns) {
      const int v = file_.add_variable(own_name("trajectory_" + column), NetcdfType::real,
                                       {trajectory, sample});
      file_.add_number(v, "_FillValue", gap);
      motion_.push_back(v);
    }
  }

  void write_motion(std::uint64_t run, const std::string& text) {
    const std::size_t columns = motion_.size();
    std::vector<std::vector<double>> table(columns, std::vector<double>(shape_.longest, gap));
    std::istringstream stream(text);
    std::string line;
    std::getline(stream, line);
    for (std::size_t row = 0; std::getline(stream, line); ++row) {
      const std::vector<std::string> cells = split_line(line);
      for (std::size_t c = 0; c < std::min(columns, cells.size()); ++c)
        if (!cells[c].empty())
          std::from_chars(cells[c].data(), cells[c].data() + cells[c].size(), table[c][row]);
    }
    const long long number = static_cast<long long>(run);
    file_.put(motion_run_, motions_, std::span(&number, 1));
    for (std::size_t c = 0; c < columns; ++c)
      if (shape_.longest > 0)
        file_.put(motion_[c], {motions_, 0}, {1, shape_.longest}, table[c].data());
    ++motions_;
  }

  const Study& study_;
  NetcdfFile& file_;
  const MotionShape& shape_;
  std::vector<int> inputs_, kept_, motion_;
  int status_ = -1, failure_run_ = -1, failure_message_ = -1, motion_run_ = -1;
  std::size_t failures_ = 0, motions_ = 0;
  std::set<std::string> names_ = {"run",         "status",          "failure",        "trajectory",
                                  "failure_run", "failure_message", "trajectory_run", "sample"};
};

}  // namespace

bool write_runs_netcdf(const Study& study, const BlockStore& store, const std::string& record,
                       const std::string& path, std::string& problem) {
  bool read = false;
  const MotionShape shape = measure(store, read, problem);
  if (!read) return false;
  const std::unique_ptr<NetcdfFile> file = NetcdfFile::create(path, problem);
  if (!file) return false;
  RunsNetcdf runs(study, *file, shape, record);
  read = for_each_block(
      store, [&](const Block& block) { runs.write(block); }, problem);
  return file->close(problem) && read;
}

}  // namespace cartan::study
