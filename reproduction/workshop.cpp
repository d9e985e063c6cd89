#include "reproduction/workshop.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/child_process.h"
#include "io/output_files.h"

namespace cartan::reproduction {
namespace fs = std::filesystem;
namespace {

constexpr double longest = 1500;  // seconds of one command

void note(std::vector<std::string>& list, const std::string& entry) {
  for (const std::string& known : list)
    if (known == entry) return;
  list.push_back(entry);
}

void write_or_fail(const std::string& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  std::string problem;
  if (!write_whole_file(path, text, Replace::yes, problem)) throw ItemFailure(problem);
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::better:
      return "smaller here";
    case Verdict::order:
      return "same order";
    case Verdict::differs:
      return "differs";
    case Verdict::silent:
      return "not printed";
    case Verdict::shorter:
      return "run too short to compare";
    case Verdict::own:
      return "own check";
  }
  return "";
}

Verdict compare_errors(double printed, double computed) {
  if (computed > 5 * printed) return Verdict::differs;
  return computed < printed / 5 ? Verdict::better : Verdict::order;
}

Verdict compare_alike(double a, double b) {
  const double ratio = a > b ? a / b : b / a;
  return ratio < 3 ? Verdict::agrees : ratio < 10 ? Verdict::order : Verdict::differs;
}

std::string Workshop::model(const std::string& name) {
  const fs::path path = fs::path(settings_.examples) / (name + ".toml");
  std::ifstream stream(path);
  if (!stream) throw ItemFailure(path.string() + ": there is no such model file");
  std::error_code ignored;
  fs::create_directories(fs::path(out()) / "models", ignored);
  fs::copy_file(path, fs::path(out()) / "models" / path.filename(),
                fs::copy_options::overwrite_existing, ignored);
  if (record_) note(record_->models, path.filename().string());
  return path.string();
}

std::string Workshop::write_model(const std::string& name, const std::string& text) {
  const std::string path = (fs::path(out()) / "models" / (name + ".toml")).string();
  write_or_fail(path, text);
  if (record_) note(record_->models, name + ".toml");
  return path;
}

std::string Workshop::data(const std::string& name) const {
  return (fs::path(out()) / "data" / name).string();
}

std::string Workshop::write_data(const std::string& name, const std::string& text) {
  write_or_fail(data(name), text);
  return data(name);
}

// Paths as they are from the repository or the report.
std::string Workshop::shown(const std::vector<std::string>& words) const {
  std::string line = "cartan";
  for (std::string word : words) {
    if (word.starts_with(settings_.examples))
      word = "examples" + word.substr(settings_.examples.size());
    if (word.starts_with(out() + "/")) word = word.substr(out().size() + 1);
    const bool quoted = word.find_first_of(" *()<>|&;\"'") != std::string::npos;
    line += quoted ? fmt::format(" '{}'", word) : " " + word;
  }
  return line;
}

std::string Workshop::command(const std::vector<std::string>& words, bool may_fail) {
  const std::string line = shown(words);
  if (record_) note(record_->commands, line);
  if (const auto known = answers_.find(line); known != answers_.end()) return known->second;
  return answers_[line] = call(words, may_fail).out;
}

ChildResult Workshop::call(const std::vector<std::string>& words, bool may_fail) const {
  std::vector<std::string> all = {settings_.program};
  all.insert(all.end(), words.begin(), words.end());
  const ChildResult child = run_child(all, longest, settings_.interrupted);
  if (interrupted()) throw ItemFailure("interrupted");
  if (child.status != 0 && !(may_fail && child.status == 1))
    throw ItemFailure(fmt::format("{}: exit status {}: {}", shown(words), child.status, child.err));
  return child;
}

double Workshop::memory(const std::vector<std::string>& words) {
  if (record_) note(record_->commands, shown(words));
  return call(words, false).peak_megabytes;
}

Json Workshop::json(std::vector<std::string> words, bool may_fail) {
  words.push_back("--json");
  const Json result = Json::parse(command(words, may_fail), nullptr, false);
  if (result.is_discarded()) throw ItemFailure(shown(words) + ": the answer is not JSON");
  return result;
}

std::string Workshop::folder_of(const std::vector<std::string>& words) {
  const std::string key = shown(words);
  auto known = folder_names_.find(key);
  if (known == folder_names_.end())
    known = folder_names_.emplace(key, data(fmt::format("{:03}", ++folders_))).first;
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--out", known->second});
  command(all);
  return known->second;
}

Workshop::Run Workshop::run(const std::vector<std::string>& words) {
  std::vector<std::string> all = {"run"};
  all.insert(all.end(), words.begin(), words.end());
  all.push_back("--quiet");
  Run result;
  result.folder = folder_of(all);
  std::ifstream stream(fs::path(result.folder) / "summary.json");
  result.summary = Json::parse(stream, nullptr, false);
  if (!result.summary.is_object()) throw ItemFailure(result.folder + ": there is no summary");
  return result;
}

ResultTable Workshop::Run::table(const std::string& file) const {
  std::string problem;
  auto table = read_result_table((fs::path(folder) / file).string(), problem);
  if (!table) throw ItemFailure(problem);
  return std::move(*table);
}

void Workshop::add_animation(const Run& run, const std::string& name, const std::string& words) {
  const std::string file = "animations/" + name + ".html";
  std::error_code ignored;
  fs::create_directories(fs::path(out()) / "animations", ignored);
  try {
    command({"view", run.folder, "--frames", "601", "--force", "--export",
             (fs::path(out()) / file).string()});
    record_->pages.push_back({file, words});
  } catch (const ItemFailure& failure) {
    record_->notes.push_back(
        fmt::format("The animation is missing here: {}. ./cartan view builds the viewer's page, "
                    "once; the motion itself was computed.",
                    failure.what()));
  }
}

const std::vector<double>& column(const ResultTable& table, const std::string& name) {
  const std::vector<double>* found = table.column(name);
  if (!found) throw ItemFailure("there is no column " + name);
  return *found;
}

std::string few_digits(double value, int digits) {
  return value == 0 ? "0" : fmt::format("{:.{}g}", value, digits);
}

}  // namespace cartan::reproduction
