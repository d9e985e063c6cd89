#include "results/plot/programs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

namespace cartan::results {
namespace fs = std::filesystem;

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path file = fs::path(folders.substr(begin, end - begin)) / name;
    if (access(file.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

std::string find_browser() {
  for (const char* name : {"chromium", "google-chrome", "chromium-browser"})
    if (has_program(name)) return name;
  return "";
}

}  // namespace cartan::results
