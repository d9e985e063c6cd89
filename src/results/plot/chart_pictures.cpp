#include "results/plot/chart_pictures.h"

#include <filesystem>
#include <fstream>

#include <fmt/core.h>
#include <unistd.h>

#include "core/base64.h"
#include "core/child_process.h"
#include "io/output_files.h"
#include "results/plot/programs.h"

namespace cartan::results {
namespace fs = std::filesystem;
namespace {

// A page that draws its images on canvases and leaves their PNGs as its text, one in a line.
std::string page_of(const std::vector<ChartPicture>& pictures) {
  std::string page = "<!doctype html><html><body>\n";
  for (const ChartPicture& picture : pictures)
    page += fmt::format("<img src=\"data:image/svg+xml;base64,{}\">\n", to_base64(picture.svg));
  return page + R"(<script>
window.onload = () => {
  const lines = [...document.images].map((image) => {
    const canvas = document.createElement('canvas');
    canvas.width = 2 * image.naturalWidth;
    canvas.height = 2 * image.naturalHeight;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/png');
  });
  document.body.textContent = lines.join('\n');
};
</script></body></html>
)";
}

// A folder for the browser's own files, gone afterwards.
class BrowserFolder {
 public:
  BrowserFolder() : path_((fs::temp_directory_path() / "cartan-browser-XXXXXX").string()) {
    made_ = mkdtemp(path_.data()) != nullptr;
  }
  ~BrowserFolder() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  bool made() const { return made_; }
  fs::path path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace

bool write_pictures(const std::vector<ChartPicture>& pictures, const std::atomic<bool>* stop,
                    std::string& problem) {
  const std::string browser = find_browser();
  if (browser.empty()) {
    problem =
        "PNG needs a browser without a window, which is not installed (Debian package "
        "chromium); SVG needs nothing";
    return false;
  }
  const BrowserFolder folder;
  if (!folder.made()) {
    problem = "there is no room for temporary files";
    return false;
  }
  const fs::path page = folder.path() / "page.html";
  std::ofstream(page) << page_of(pictures);
  const ChildResult child =
      run_child({browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update",
                 "--user-data-dir=" + (folder.path() / "profile").string(), "--dump-dom",
                 "file://" + page.string()},
                60 + static_cast<double>(pictures.size()), stop);
  static constexpr std::string_view mark = "data:image/png;base64,";
  std::vector<std::string> drawn;
  for (std::size_t at = child.out.find(mark); at != std::string::npos;
       at = child.out.find(mark, at + 1))
    drawn.push_back(from_base64(std::string_view(child.out).substr(at + mark.size())));
  if (drawn.size() != pictures.size()) {
    problem = fmt::format("the browser ({}) drew no picture", browser);
    return false;
  }
  for (std::size_t k = 0; k < drawn.size(); ++k)
    if (!write_whole_file(pictures[k].file, drawn[k], Replace::yes, problem)) return false;
  return true;
}

}  // namespace cartan::results
