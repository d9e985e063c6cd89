#include "study/study_tables.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "io/csv.h"

namespace cartan::study {
namespace fs = std::filesystem;
namespace {

// In quotes where it has commas, quotes or line ends.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c == '\n' || c == '\r' ? ' ' : c;
  }
  return cell + '"';
}

// Those of an earlier study.
void remove_trajectories(const fs::path& folder) {
  std::error_code end, ignored;
  for (fs::directory_iterator at(folder, end); !end && at != fs::directory_iterator();
       at.increment(end)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("run_") && name.ends_with(".csv")) fs::remove(at->path(), ignored);
  }
}

void write_csv_header(const Study& study, CsvWriter& csv) {
  csv.text("run");
  for (const StudyInput& input : study.inputs) csv.text(csv_cell(input.name));
  for (const KeptQuantity& kept : study.kept) csv.text(csv_cell(kept.name));
  csv.text("status");
  csv.text("message");
  csv.end_row();
}

}  // namespace

bool write_runs_csv(const Study& study, const BlockStore& store, OutputFolder& output,
                    std::string& problem) {
  const std::uint64_t per_run = 1 + study.inputs.size() + study.kept.size();
  const std::uint64_t runs = study.design.runs();
  const bool whole = runs <= most_csv_numbers / per_run;
  const std::uint64_t every =
      whole ? 1 : (runs * per_run + most_csv_numbers / 10 - 1) / (most_csv_numbers / 10);
  const std::string name = whole ? "runs.csv" : "runs_thinned.csv";
  CsvWriter csv(output.add(name));
  write_csv_header(study, csv);
  std::vector<double> inputs(study.inputs.size());
  const bool read = for_each_block(
      store,
      [&](const Block& block) {
        std::size_t message = 0;
        for (std::uint32_t place = 0; place < block.count; ++place) {
          const std::uint64_t run = block.first + place;
          if (run % every != 0) continue;
          csv.text(std::to_string(run));
          study.design.fill(run, inputs);
          for (const double x : inputs) csv.number(x);
          for (std::size_t k = 0; k < block.columns; ++k) csv.number(block.value(place, k));
          csv.text(to_string(block.outcomes[place]));
          while (message < block.messages.size() && block.messages[message].first < place)
            ++message;
          const bool has =
              message < block.messages.size() && block.messages[message].first == place;
          csv.text(has ? csv_cell(block.messages[message].second) : "");
          csv.end_row();
        }
      },
      problem);
  std::string why;
  const bool closed = csv.close(why);
  if (!closed) problem = fmt::format("cannot write '{}': {}", name, why);
  return read && closed;
}

bool write_trajectories(const BlockStore& store, const std::string& folder, std::uint64_t& count,
                        std::string& problem) {
  const fs::path place = fs::path(folder) / "trajectories";
  std::error_code error;
  remove_trajectories(place);
  fs::create_directories(place, error);
  if (error) {
    problem = fmt::format("{}: {}", place.string(), error.message());
    return false;
  }
  count = 0;
  bool written = true;
  const bool read = for_each_block(
      store,
      [&](const Block& block) {
        for (const auto& [offset, text] : block.trajectories) {
          const std::string path =
              (place / fmt::format("run_{}.csv", block.first + offset)).string();
          written = written && write_whole_file(path, text, Replace::yes, problem);
          ++count;
        }
      },
      problem);
  return read && written;
}

}  // namespace cartan::study
