#include "report/viewer_page.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <dlfcn.h>

namespace cartan::report {
namespace fs = std::filesystem;
namespace {

// Stands in the page where data go; viewer/index.html has it.
constexpr std::string_view place_of_data = "<!--CARTAN-DATA-->";

// The page of the installation a program or library stands in: share/cartan beside one of the
// folders above it (bin, lib, lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3, ..).
fs::path installed_page(fs::path folder) {
  std::error_code ignored;
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    const fs::path page = folder / "share" / "cartan" / "viewer.html";
    if (fs::exists(page, ignored)) return page;
  }
  return {};
}

// Beside the program; or, where this is part of a library (the Python module), beside it or two
// folders above, where a build has it; or where an installation has it.
fs::path page_path() {
  if (const char* chosen = std::getenv("CARTAN_VIEWER"); chosen && *chosen) return chosen;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path usual = program / "viewer.html";
  if (fs::exists(usual, ignored)) return usual;
  Dl_info library{};
  fs::path folder = program;
  if (dladdr(place_of_data.data(), &library) && library.dli_fname)
    folder = fs::absolute(library.dli_fname, ignored).parent_path();
  for (const fs::path& place : {folder, folder.parent_path().parent_path()})
    if (fs::exists(place / "viewer.html", ignored)) return place / "viewer.html";
  for (const fs::path& place : {program, fs::weakly_canonical(folder, ignored)})  // /lib: /usr/lib
    if (const fs::path installed = installed_page(place); !installed.empty()) return installed;
  return usual;
}

}  // namespace

std::optional<std::string> read_viewer_page(std::string& problem) {
  const fs::path path = page_path();
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) {
    problem = "the viewer's page is missing (" + path.string() +
              "); in a checkout `./cartan view` builds it where npm is installed";
    return std::nullopt;
  }
  std::string page = content.str();
  if (page.find(place_of_data) == std::string::npos) {
    problem = path.string() + ": this is not the viewer's page";
    return std::nullopt;
  }
  return page;
}

std::string page_with_data(const std::string& page, const std::string& data) {
  const std::size_t place = page.find(place_of_data);
  std::string result = page.substr(0, place);
  result += "<script type=\"application/json\" id=\"cartan-data\">";
  // Inside JSON a `<` stands only in texts; written as \u003c it cannot end the script.
  for (const char c : data) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  result += "</script>";
  result += page.substr(place + place_of_data.size());
  return result;
}

}  // namespace cartan::report
