#include "model/consent.h"

#include <algorithm>
#include <filesystem>

namespace cartan::model {
namespace fs = std::filesystem;
namespace {

// Without links, dots and a slash at the end; empty where that cannot be found out.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::absolute(path.empty() ? fs::path(".") : path, error);
  if (!error) real = fs::weakly_canonical(real, error).lexically_normal();
  if (error) return "";
  return real.has_filename() ? real : real.parent_path();
}

}  // namespace

bool lies_in(const std::string& path, const std::string& folder) {
  const fs::path inner = real_path(path), outer = real_path(folder);
  if (inner.empty() || outer.empty()) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

std::string refuse_path(const Consent& consent, const std::string& folder,
                        const std::string& file) {
  if (consent.any_path) return "";
  const std::string path = (fs::path(folder) / file).string();
  if (lies_in(path, folder)) return "";
  for (const std::string& allowed : consent.folders)
    if (lies_in(path, allowed)) return "";
  return "'" + file + "' lies outside the folder of this file; to read it " + consent_phrase;
}

FoundPath find_path(const Consent& consent, const std::string& folder, const std::string& file) {
  FoundPath found;
  std::string named = file;
  for (const char* scheme : {"package://", "model://"}) {
    if (!file.starts_with(scheme)) continue;
    named = file.substr(std::string(scheme).size());
    const std::size_t slash = std::min(named.find('/'), named.size());
    const std::string package = named.substr(0, slash);
    for (const auto& [name, place] : consent.packages) {
      if (name != package) continue;
      found.path = place + named.substr(slash);
      Consent inside = consent;
      inside.folders.push_back(place);
      found.problem = refuse_path(inside, folder, fs::absolute(found.path).string());
      return found;
    }
    found.unknown_package = true;
    found.problem = "'" + file + "' lies in the package '" + package +
                    "'; say in which folder that is (package " + package + "=DIR)";
    return found;
  }
  if (file.starts_with("file://")) named = file.substr(7);
  const std::string own = folder.empty() ? "." : folder;
  found.problem = refuse_path(consent, own, named);
  found.path = (fs::path(own) / named).string();
  return found;
}

}  // namespace cartan::model
