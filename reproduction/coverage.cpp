#include "reproduction/coverage.h"

#include <sstream>

#include <fmt/format.h>

namespace cartan::reproduction {
namespace {

// Whether a title names "figure 3.1", and not "figure 3.10".
bool names(const std::string& title, const std::string& what) {
  const std::size_t at = title.find(what);
  if (at == std::string::npos) return false;
  const std::size_t end = at + what.size();
  return end == title.size() || title[end] == ':' || title[end] == ',' || title[end] == ' ';
}

std::string items_for(const std::vector<Document>& documents, const std::string& document,
                      const std::string& what) {
  std::string list;
  for (const Document& d : documents)
    for (const Item& item : d.items)
      if (d.number == document && names(item.title, what))
        list += (list.empty() ? "" : ", ") + std::string(item.id);
  return list.empty() ? "missing" : list;
}

}  // namespace

std::string coverage_text(const std::vector<Document>& documents) {
  std::istringstream stream(
#include "reproduction/coverage_list.inc"
  );
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string document, kind, number, how;
    words >> document >> kind >> number >> how;
    const std::string what = kind + " " + number;
    const std::string which = how == "drawing" ? "a drawing, nothing computed"
                              : how == "given" ? "put in, not computed"
                                               : items_for(documents, document, what);
    text += fmt::format("{} {:<12} {}\n", document, what, which);
  }
  return text;
}

}  // namespace cartan::reproduction
