#include "support/text_mutator.h"

#include <algorithm>
#include <cctype>

namespace cartan::test {

std::size_t TextMutator::length(const std::string& text, std::size_t from) {
  return below(std::min<std::size_t>(text.size() - from, chance(4) ? 400 : 12) + 1);
}

void TextMutator::damage(std::string& text, const std::vector<std::string>& others) {
  static const std::vector<std::string> words = {"nan",         "-inf",
                                                 "1e999",       "-1e308",
                                                 "0",           "true",
                                                 "[",           "]",
                                                 "{",           "}",
                                                 "\"",          "'",
                                                 "\"\"\"",      "=",
                                                 ".",           "\n",
                                                 "\\u0000",     "9223372036854775808",
                                                 "1979-05-27",  "[[body]]",
                                                 "[variables]", "world",
                                                 "t",           "q",
                                                 "pi",          "((((",
                                                 "^^",          "table('x.csv','y',t)",
                                                 "if(",         ",",
                                                 "name",        "\xff",
                                                 "\xc3\xa4",    "#"};
  const std::size_t at = below(text.size() + 1);
  switch (below(6)) {
    case 0:  // flip a bit
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1:
      text.erase(at, length(text, at));
      break;
    case 2:
      text.insert(below(text.size() + 1), text.substr(at, length(text, at)));
      break;
    case 3: {  // splice with another file
      const std::string& other = pick(others);
      const std::size_t from = below(other.size());
      text = text.substr(0, at) + other.substr(from, 4000);
      break;
    }
    case 4:
      text.insert(at, pick(words));
      break;
    case 5:  // swap two letters
      if (!text.empty()) std::swap(text[below(text.size())], text[below(text.size())]);
      break;
  }
}

std::string TextMutator::odd_number() {
  static const std::vector<std::string> numbers = {
      "0",    "-1",   "1",       "2",     "0.5",   "-0.25", "1e-9", "1e-300", "1e300", "1e6",
      "3.14", "1000", "1000000", "1e-16", "-1e-3", "10",    "7",    "0.1",    "-3",    "1e17"};
  return pick(numbers);
}

std::vector<std::pair<std::size_t, std::size_t>> TextMutator::numbers_in(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = std::isdigit(static_cast<unsigned char>(text[i])) &&
                        (i == 0 || (!std::isalnum(static_cast<unsigned char>(text[i - 1])) &&
                                    text[i - 1] != '_' && text[i - 1] != '.'));
    if (!begins) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.' ||
            text[end] == 'e' || (text[end] == '-' && text[end - 1] == 'e')))
      ++end;
    found.emplace_back(i, end);
    i = end;
  }
  return found;
}

void TextMutator::disturb(std::string& text) {
  static const std::vector<std::string> expressions = {
      "\"sin(3*t)\"",
      "\"if(t > 0.01, 1, 0)\"",
      "\"abs(t - 0.02)\"",
      "\"table('data.csv', 'y', t)\"",
      "\"table('data.csv', 'y', 100*t, 'linear', 'hold')\"",
      "\"table('data.csv', 'z', t, 'steps', 'periodic')\"",
      "\"table('data.csv', 'y', t, 'spline', 'extrapolate')\"",
      "\"sqrt(0.01 - t)\"",
      "\"1/(t - 0.02)\"",
      "\"max(0, 0.3 - t)\"",
      "\"pi/3\""};
  const std::size_t kind = below(8);
  if (kind < 5) {
    const auto numbers = numbers_in(text);
    if (numbers.empty()) return;
    const auto [begin, end] = pick(numbers);
    text.replace(begin, end - begin, kind < 4 ? odd_number() : pick(expressions));
    return;
  }
  const std::size_t at = below(text.size());
  const std::size_t begin =
      text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  if (end <= begin) return;
  const std::string line = text.substr(begin, end - begin);
  if (kind == 5)
    text.erase(begin, end - begin);
  else if (kind == 6)
    text.insert(begin, line + "\n");
  else  // the value of another line of the same key
    for (std::size_t other = 0;
         (other = text.find(line.substr(0, line.find('=')), other)) != std::string::npos; ++other) {
      if (other == begin || chance(2)) continue;
      const std::size_t other_end = std::min(text.find('\n', other), text.size());
      const std::string value = text.substr(other, other_end - other);
      text.replace(begin, end - begin, value);
      return;
    }
}

}  // namespace cartan::test
