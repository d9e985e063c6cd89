#include "results/orbits/swap.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "results/refusal.h"

namespace cartan::results {
namespace {

// Every occurrence of one word becomes the other.
std::string exchange_words(const std::string& text, const std::string& a, const std::string& b) {
  std::string result;
  for (std::size_t k = 0; k < text.size();) {
    const bool is_a = text.compare(k, a.size(), a) == 0, is_b = text.compare(k, b.size(), b) == 0;
    // of words that begin alike the longer one counts
    const bool first = is_a && !(is_b && b.size() > a.size());
    if (is_a || is_b) {
      result += first ? b : a;
      k += first ? a.size() : b.size();
    } else {
      result += text[k++];
    }
  }
  return result;
}

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

struct ExchangedWords {
  std::string written, a, b;
  bool good() const { return !a.empty() && !b.empty() && a != b; }
};

std::vector<ExchangedWords> split_swap(const std::string& text) {
  std::vector<ExchangedWords> pairs;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    const std::string pair = text.substr(first, end - first);
    first = end + 1;
    const std::size_t equals = pair.find('=');
    pairs.push_back({pair, without_blanks(pair.substr(0, std::min(equals, pair.size()))),
                     equals == std::string::npos ? "" : without_blanks(pair.substr(equals + 1))});
  }
  return pairs;
}

}  // namespace

std::string swapped_name(std::string name, const std::string& text) {
  for (const ExchangedWords& words : split_swap(text))
    name = exchange_words(name, words.a, words.b);
  return name;
}

std::vector<int> read_swap(const std::string& command, const System& system,
                           const std::string& text, const std::string& called) {
  const int n = system.space().size() - system.quadratures();
  for (const ExchangedWords& words : split_swap(text))
    if (!words.good())
      refuse(command, fmt::format("{} '{}': expected two names, such as \"left=right\"", called,
                                  words.written));
  std::vector<std::string> names(n), swapped;
  for (int i = 0; i < n; ++i) {
    names[i] = system.component_name(i);
    swapped.push_back(swapped_name(names[i], text));
  }
  std::vector<int> result(n);
  for (int i = 0; i < n; ++i) {
    const auto found = std::find(names.begin(), names.end(), swapped[i]);
    if (found == names.end())
      refuse(command, fmt::format("{} '{}': '{}' would become '{}', which there is not", called,
                                  text, names[i], swapped[i]));
    result[i] = static_cast<int>(found - names.begin());
  }
  std::vector<int> once = result;
  std::sort(once.begin(), once.end());
  if (std::adjacent_find(once.begin(), once.end()) != once.end())
    refuse(command, fmt::format("{} '{}': two names become the same", called, text));
  std::vector<int> nothing(n);
  std::iota(nothing.begin(), nothing.end(), 0);
  if (result == nothing)
    refuse(command, fmt::format("{} '{}': no joint or variable has such a name", called, text));
  return result;
}

}  // namespace cartan::results
