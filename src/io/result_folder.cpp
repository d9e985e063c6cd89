#include "io/result_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

namespace cartan::io {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_key = "cartan_manifest";
constexpr std::size_t longest_manifest = std::size_t{16} << 20;

std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool fill(const Json& json, Manifest& manifest) {
  if (!json.is_object() || json.value(format_key, 0) != 1 || !json.contains("complete") ||
      !json["complete"].is_boolean() || !json.contains("files") || !json["files"].is_object())
    return false;
  manifest.complete = json["complete"];
  for (const auto& [name, file] : json["files"].items()) {
    if (!file.is_object()) return false;
    Manifest::File& entry = manifest.files[name];
    entry.command = file.value("command", "");
    entry.content.bytes = file.value("bytes", std::uint64_t{0});
    entry.content.checksum = file.value("checksum", "");
  }
  if (json.contains("partial"))
    for (const auto& [command, reason] : json["partial"].items())
      manifest.partial[command] = reason.get<std::string>();
  return true;
}

std::string sentence(const fs::path& place, const std::string& what) {
  return place.string() + ": " + what;
}

const char* const mixed =
    "a command was stopped while it exchanged the files here, which now belong to two results; "
    "compute them again";

}  // namespace

std::string Manifest::text() const {
  Json json = {{format_key, 1}, {"complete", complete}, {"files", Json::object()}};
  for (const auto& [name, file] : files)
    json["files"][name] = {{"command", file.command},
                           {"bytes", file.content.bytes},
                           {"checksum", file.content.checksum}};
  for (const auto& [command, reason] : partial) json["partial"][command] = reason;
  return dump(json);
}

std::optional<Manifest> Manifest::read(const std::string& folder, std::string& problem) {
  const fs::path path = fs::path(folder.empty() ? "." : folder) / manifest_name;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) > longest_manifest) {
    problem = sentence(path, "damaged: expected the list of the files that a command wrote here");
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  Manifest manifest;
  bool good = false;
  try {
    good = fill(Json::parse(text), manifest);
  } catch (const Json::exception&) {
  }
  if (good) return manifest;
  problem = sentence(path, "damaged: expected the list of the files that a command wrote here");
  return std::nullopt;
}

std::optional<ResultFolder> ResultFolder::open(const std::string& folder, std::string& problem) {
  ResultFolder result;
  result.folder_ = folder;
  std::string damage;
  result.manifest_ = Manifest::read(folder, damage);
  if (!damage.empty())
    problem = damage;
  else if (result.manifest_ && !result.manifest_->complete)
    problem = sentence(folder, mixed);
  else
    return result;
  return std::nullopt;
}

bool ResultFolder::has(const std::string& name) const {
  std::error_code ignored;
  return manifest_ ? manifest_->files.contains(name)
                   : fs::exists(fs::path(folder_) / name, ignored);
}

bool ResultFolder::check(const std::string& name, std::string& problem) const {
  const fs::path path = fs::path(folder_) / name;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    problem = sentence(path, "the file is missing; compute the result again");
    return false;
  }
  if (!manifest_) return true;
  const auto entry = manifest_->files.find(name);
  if (entry == manifest_->files.end()) return true;
  std::uintmax_t size = fs::file_size(path, ignored);
  if (size == entry->second.content.bytes)
    if (const auto now = calc_fingerprint(path.string()); now && *now == entry->second.content)
      return true;
  problem =
      sentence(path, size < entry->second.content.bytes
                         ? "the file is shorter than it was written; it was cut off"
                         : "the file is not what was written here; it was changed or damaged");
  return false;
}

bool ResultFolder::is_unchanged(std::string& problem) const {
  std::string damage;
  const std::optional<Manifest> now = Manifest::read(folder_, damage);
  const auto text = [](const std::optional<Manifest>& m) { return m ? m->text() : ""; };
  if (damage.empty() && text(now) == text(manifest_)) return true;
  problem = sentence(folder_, "another command wrote here while this one was reading; try again");
  return false;
}

std::string ResultFolder::partial(const std::string& command) const {
  if (!manifest_) return "";
  const auto found = manifest_->partial.find(command);
  return found == manifest_->partial.end() ? "" : found->second;
}

bool check_result_file(const std::string& path, std::string& problem) {
  std::string damage;
  const fs::path folder = fs::path(path).parent_path(), name = fs::path(path).filename();
  const std::optional<Manifest> manifest = Manifest::read(folder.string(), damage);
  if (!manifest || !manifest->files.contains(name.string())) return true;
  const auto result = ResultFolder::open(folder.empty() ? "." : folder.string(), problem);
  return result && result->check(name.string(), problem);
}

std::string partial_reason(const std::string& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  std::string damage;
  const std::optional<Manifest> manifest =
      Manifest::read(folder ? path : fs::path(path).parent_path().string(), damage);
  if (!manifest) return "";
  std::string command = "run";
  if (!folder) {
    const auto file = manifest->files.find(fs::path(path).filename().string());
    if (file == manifest->files.end()) return "";
    command = file->second.command;
  }
  const auto found = manifest->partial.find(command);
  return found == manifest->partial.end() ? "" : found->second;
}

}  // namespace cartan::io
