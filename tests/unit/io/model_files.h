// Reading and checking models in tests, and the folders of good and wrong ones.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "io/toml_reader.h"
#include "model/model.h"

namespace cartan::test {

struct Loaded {
  Diagnostics problems;
  std::optional<Model> model;
};

inline Loaded load_model_text(const std::string& text, const Overrides& overrides = {}) {
  Loaded result;
  if (const auto description = read_model_text(text, "", result.problems))
    result.model = check_model(*description, result.problems, overrides);
  return result;
}

inline Loaded load_file(const std::string& path) {
  Loaded result{Diagnostics(path), std::nullopt};
  if (const auto description = read_model_file(path, result.problems))
    result.model = check_model(*description, result.problems, {}, Consent::full());
  return result;
}

inline std::string test_folder(const std::string& name) {
  return std::string(CARTAN_ROOT) + "/" + name;
}

// All model files of a folder, sorted; none when the folder is missing.
inline std::vector<std::string> model_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(test_folder(folder), missing))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string file_content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

}  // namespace cartan::test
