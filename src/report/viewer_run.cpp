// Reading and checking the folder of a run.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "io/result_folder.h"
#include "report/viewer_data.h"

namespace cartan {
namespace fs = std::filesystem;
namespace {

using PlainJson = nlohmann::json;

constexpr const char* pose_suffixes[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

bool read_text(const fs::path& path, std::string& text) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return false;
  std::ostringstream content;
  content << stream.rdbuf();
  text = content.str();
  return true;
}

class RunReader {
 public:
  RunReader(const std::string& folder, const ViewerLimits& limits, ViewerRun& run,
            std::string& problem)
      : folder_(folder), limits_(limits), run_(run), problem_(problem) {}

  bool read() {
    std::error_code ignored;
    if (!fs::exists(folder_, ignored)) return refuse("there is no such folder");
    if (!fs::is_directory(folder_, ignored))
      return refuse("this is a file; expected the folder of a run or a model file (.toml)");
    result_ = ResultFolder::open(folder_.string(), problem_);
    if (!result_) return false;
    if (!result_->partial().empty()) run_.label += " (partial)";
    return read_model() && read_summary() && read_tables() && read_events() &&
           result_->is_unchanged(problem_);
  }

 private:
  bool refuse(const std::string& why) {
    problem_ = fmt::format("{}: {}", folder_.string(), why);
    return false;
  }
  bool damaged(const std::string& name, const std::string& why) {
    problem_ = fmt::format("{}: damaged: {}", (folder_ / name).string(), why);
    return false;
  }
  // As it was written.
  bool is_good(const std::string& name) {
    return !result_->has(name) || result_->check(name, problem_);
  }

  bool read_model() {
    if (!is_good("model.json")) return false;
    if (!read_text(folder_ / "model.json", run_.model))
      return refuse(
          "there is no result of a run here (no model.json); "
          "`cartan run MODEL --out DIR` writes one");
    const PlainJson model = PlainJson::parse(run_.model, nullptr, false);
    if (!model.is_object()) return damaged("model.json", "it is not one JSON object");
    if (!model.contains("bodies")) return true;
    if (!model["bodies"].is_array()) return damaged("model.json", "'bodies' is not a list");
    for (const PlainJson& body : model["bodies"]) {
      if (!body.is_object() || !body.contains("name") || !body["name"].is_string())
        return damaged("model.json", "a body without a name");
      run_.bodies.push_back(body["name"]);
    }
    return true;
  }

  bool read_summary() {
    if (!is_good("summary.json")) return false;
    if (!read_text(folder_ / "summary.json", run_.summary))
      return refuse("the result is incomplete: there is no summary.json");
    if (!PlainJson::parse(run_.summary, nullptr, false).is_object())
      return damaged("summary.json", "it is not one JSON object");
    return true;
  }

  bool read_table(const std::string& name, std::size_t most) {
    if (!is_good(name)) return false;
    Diagnostics problems((folder_ / name).string());
    std::optional<SampledCsv> rows = read_csv_sampled((folder_ / name).string(), most, problems);
    if (!rows) {
      std::string text = problems.text();
      while (!text.empty() && text.back() == '\n') text.pop_back();
      problem_ = text;
      return false;
    }
    if (rows->recorded == 0) return damaged(name, "it has no rows");
    const std::vector<double>* t = rows->table.find("t");
    if (!t) return damaged(name, "it has no column t");
    for (std::size_t k = 1; k < t->size(); ++k)
      if ((*t)[k] < (*t)[k - 1]) return damaged(name, "time runs backwards");
    run_.tables.push_back({name, std::move(*rows)});
    return true;
  }

  bool read_tables() {
    if (!run_.bodies.empty() && !read_bodies()) return false;
    if (!read_table("trajectory.csv", limits_.samples)) return false;
    for (const char* name : {"reactions.csv", "forces.csv", "power.csv", "constraints.csv",
                             "multipliers.csv", "cuts.csv"})
      if (result_->has(name) && !read_table(name, limits_.samples)) return false;
    const ViewerTable& first = run_.tables.front();
    for (const ViewerTable& table : run_.tables)
      if (table.rows.recorded != first.rows.recorded)
        return damaged(table.name, fmt::format("it has {} rows, {} has {}", table.rows.recorded,
                                               first.name, first.rows.recorded));
    return true;
  }

  bool read_bodies() {
    const std::size_t numbers = run_.bodies.size() * std::size(pose_suffixes);
    const std::size_t most =
        std::max<std::size_t>(2, std::min(limits_.frames, limits_.pose_numbers / numbers));
    if (!read_table("bodies.csv", most)) return false;
    for (const std::string& body : run_.bodies)
      for (const char* suffix : pose_suffixes)
        if (!run_.tables.back().rows.table.find(body + "." + suffix))
          return damaged("bodies.csv", fmt::format("it has no column '{}.{}'", body, suffix));
    return true;
  }

  // t, event, direction, then numbers nobody needs here.
  bool read_events() {
    if (!is_good("events.csv")) return false;
    std::ifstream stream(folder_ / "events.csv");
    std::string line;
    std::getline(stream, line);
    for (int number = 2; std::getline(stream, line); ++number) {
      if (line.starts_with(partial_mark)) break;
      const std::size_t first = line.find(','), second = line.find(',', first + 1);
      ViewerEvent event;
      const char* begin = line.data();
      const char* end = begin + line.size();
      if (second == std::string::npos ||
          std::from_chars(begin, begin + first, event.t).ptr != begin + first ||
          std::from_chars(begin + second + 1, end, event.direction).ec != std::errc())
        return damaged("events.csv",
                       fmt::format("line {}: expected time, name and direction", number));
      event.name = line.substr(first + 1, second - first - 1);
      run_.events.push_back(std::move(event));
    }
    return true;
  }

  fs::path folder_;
  std::optional<ResultFolder> result_;
  const ViewerLimits& limits_;
  ViewerRun& run_;
  std::string& problem_;
};

}  // namespace

const std::vector<std::string>& run_file_names() {
  static const std::vector<std::string> names = {
      "model.json", "summary.json",  "trajectory.csv",  "bodies.csv",      "events.csv",
      "power.csv",  "reactions.csv", "constraints.csv", "multipliers.csv", "forces.csv"};
  return names;
}

bool read_viewer_run(const std::string& folder, const ViewerLimits& limits, ViewerRun& run,
                     std::string& problem) {
  const fs::path path = fs::path(folder).lexically_normal();
  run = {};
  run.label = (path.has_filename() ? path : path.parent_path()).filename().string();
  return RunReader(folder, limits, run, problem).read();
}

}  // namespace cartan
