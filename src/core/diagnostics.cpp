#include "core/diagnostics.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/printable.h"
#include "core/source_files.h"
#include "core/text_cut.h"

namespace cartan::core {
namespace {

// Nobody mistypes a longer word; comparing such words would only cost time.
constexpr std::size_t longest_compared_word = 100;
// Nobody reads more; the first ones often explain the rest.
constexpr std::size_t most_told = 50;

std::string line_of(const std::string& file, const Finding& finding) {
  std::string line = place_text(file, finding.where) + ": ";
  if (finding.severity == Severity::warning) line += "warning: ";
  return printable(line + cut_middle(finding.message), Lines::kept) + '\n';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string word) {
  for (char& c : word) c = lower(c);
  return word;
}

// Damerau-Levenshtein: least number of insertions, deletions, replacements and swaps of neighbours
// that make a into b (no part edited twice). Three rows of the table of all prefixes suffice.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Diagnostics::text() const {
  std::vector<Finding> sorted = findings_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  // The copies of a repeated table have their places and their mistakes in common.
  const auto same = [](const Finding& a, const Finding& b) {
    return a.where.line > 0 && a.where.line == b.where.line && a.where.column == b.where.column &&
           a.severity == b.severity && a.message == b.message;
  };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  // Errors first where not all are told: a warning must not push out why a file is refused.
  std::size_t errors = std::count_if(sorted.begin(), sorted.end(), [](const Finding& finding) {
    return finding.severity == Severity::error;
  });
  std::size_t errors_left = std::min(errors, most_told), warnings_left = most_told - errors_left;
  std::string all;
  for (const Finding& finding : sorted) {
    std::size_t& left = finding.severity == Severity::error ? errors_left : warnings_left;
    if (left == 0) continue;
    --left;
    all += line_of(file_, finding);
  }
  if (sorted.size() > most_told)
    all += file_ + ": " + std::to_string(sorted.size() - most_told) + " more findings, " +
           std::to_string(sorted.size()) + " in all (" + std::to_string(errors) + " errors)\n";
  return all;
}

// Close enough: at most one edit for every three letters. Case is ignored in this, and decides only
// between words equally near.
std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > longest_compared_word) return "";
  const std::string lower_word = lower(word);
  std::string best;
  std::pair<int, int> best_distance;
  for (const std::string& candidate : known) {
    if (candidate.empty() || candidate.size() > longest_compared_word) continue;
    const int distance = edit_distance(lower_word, lower(candidate));
    const int allowed = static_cast<int>(std::max(word.size(), candidate.size()) + 1) / 3;
    if (distance > allowed) continue;
    const std::pair<int, int> measured(distance, edit_distance(word, candidate));
    if (!best.empty() && measured >= best_distance) continue;
    best = candidate;
    best_distance = measured;
  }
  return best;
}

std::string repeated_name(const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) return name;
  return "";
}

}  // namespace cartan::core
