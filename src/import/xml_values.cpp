#include "import/xml_values.h"

#include <charconv>
#include <cmath>

namespace cartan::import {
namespace {

bool is_gap(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string count_text(int least, int most) {
  if (least == most) return std::to_string(least) + (least == 1 ? " number" : " numbers");
  return std::to_string(least) + " to " + std::to_string(most) + " numbers";
}

}  // namespace

std::string trimmed(const std::string& text) {
  std::size_t first = 0, last = text.size();
  while (first < last && is_gap(text[first])) ++first;
  while (last > first && is_gap(text[last - 1])) --last;
  return text.substr(first, last - first);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && is_gap(text[i])) ++i;
    const std::size_t first = i;
    while (i < text.size() && !is_gap(text[i])) ++i;
    if (i > first) words.push_back(text.substr(first, i - first));
  }
  return words;
}

std::optional<std::vector<double>> parse_numbers(const std::string& text, const std::string& what,
                                                 Location where, Diagnostics& problems) {
  std::vector<double> numbers;
  for (const std::string& word : words_of(text)) {
    const char* first = word.data();
    const char* last = first + word.size();
    if (first != last && *first == '+') ++first;
    double x = 0;
    const auto [end, error] = std::from_chars(first, last, x);
    const bool underflow =
        error == std::errc::result_out_of_range && end == last &&
        (word.find("e-") != std::string::npos || word.find("E-") != std::string::npos);
    if (underflow) x = 0;
    if ((error != std::errc() && !underflow) || end != last || !std::isfinite(x)) {
      problems.error(where, what + ": expected numbers, got '" + word + "'");
      return std::nullopt;
    }
    numbers.push_back(x);
  }
  return numbers;
}

std::vector<double> read_numbers(const XmlElement& element, const char* attribute, int least,
                                 int most, Diagnostics& problems) {
  const XmlAttribute* a = element.find(attribute);
  if (!a) return {};
  const std::string what = "attribute '" + std::string(attribute) + "' of <" + element.name + ">";
  const auto numbers = parse_numbers(a->value, what, a->where, problems);
  if (!numbers) return {};
  const int count = static_cast<int>(numbers->size());
  if (count < least || count > most) {
    problems.error(a->where, what + ": expected " + count_text(least, most) + ", got " +
                                 std::to_string(count));
    return {};
  }
  return *numbers;
}

double read_number(const XmlElement& element, const char* attribute, double otherwise,
                   Diagnostics& problems) {
  const std::vector<double> x = read_numbers(element, attribute, 1, 1, problems);
  return x.empty() ? otherwise : x[0];
}

Vec3<double> read_triple(const XmlElement& element, const char* attribute,
                         const Vec3<double>& otherwise, Diagnostics& problems) {
  const std::vector<double> x = read_numbers(element, attribute, 3, 3, problems);
  return x.empty() ? otherwise : triple(x);
}

bool read_flag(const std::string& text, bool otherwise) {
  const std::string word = trimmed(text);
  if (word == "true" || word == "1" || word == "True" || word == "enable") return true;
  if (word == "false" || word == "0" || word == "False" || word == "disable") return false;
  return otherwise;
}

double text_number(const XmlElement& element, double otherwise, Diagnostics& problems) {
  const auto x = parse_numbers(element.text, "<" + element.name + ">", element.where, problems);
  if (!x) return otherwise;
  if (x->size() == 1) return (*x)[0];
  problems.error(element.where,
                 "<" + element.name + ">: expected 1 number, got " + std::to_string(x->size()));
  return otherwise;
}

Vec3<double> text_triple(const XmlElement& element, const Vec3<double>& otherwise,
                         Diagnostics& problems) {
  const auto x = parse_numbers(element.text, "<" + element.name + ">", element.where, problems);
  if (!x) return otherwise;
  if (x->size() == 3) return triple(*x);
  problems.error(element.where,
                 "<" + element.name + ">: expected 3 numbers, got " + std::to_string(x->size()));
  return otherwise;
}

}  // namespace cartan::import
