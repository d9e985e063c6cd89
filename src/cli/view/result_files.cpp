#include "cli/view/result_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/result_folder.h"
#include "report/viewer_data.h"

namespace cartan::cli {
namespace fs = std::filesystem;

bool read_result_file(const std::string& folder, const std::string& name, std::string& content) {
  const std::vector<std::string>& names = run_file_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  std::error_code error;
  const fs::path home = fs::canonical(folder, error);
  if (error) return false;
  const fs::path path = fs::canonical(home / name, error);
  if (error || path.parent_path() != home || !fs::is_regular_file(path, error)) return false;
  std::string damage;
  if (!check_result_file(path.string(), damage)) return false;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  content = text.str();
  return static_cast<bool>(stream);
}

}  // namespace cartan::cli
