#include "model/explained.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace cartan::model {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What stands in quotes after `phrase`, "" where the phrase does not occur.
std::string quoted_after(const std::string& text, const std::string& phrase) {
  const std::size_t at = text.find(phrase + "'");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + phrase.size() + 1, end = text.find('\'', begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

bool before(const Location& a, const Location& b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

class Explanations {
 public:
  explicit Explanations(const std::vector<Finding>& findings) : findings_(findings) {
    for (const Finding& finding : findings)
      if (finding.severity == Severity::error) collect(finding);
  }

  bool explain(const Finding& finding) const {
    if (finding.severity != Severity::error) return false;
    const std::string& text = finding.message;
    if (is_repeated(finding)) return true;
    if (const std::string key = quoted_after(text, "missing key "); !key.empty())
      if (was_meant(key, finding.where) || (key == "mass" && meant_.count("density"))) return true;
    if (has(text, "needs at least one shape") && meant_.count("shape")) return true;
    const bool body = has(text, "unknown body '"), joint = has(text, "unknown joint '");
    const bool name = has(text, "unknown name '");
    if (has(text, "is not connected to the world")) return lost("joint");
    if (has(text, "the model is empty")) return lost("body") || lost("variables");
    if (body) return lost("body") || lost_names_;
    if (joint) return lost("joint") || lost_names_;
    if (!name) return false;
    return lost_names_ || stray_keys_.count(quoted_after(text, "unknown name ")) ||
           std::any_of(std::begin(declaring), std::end(declaring),
                       [&](const char* section) { return lost(section); });
  }

 private:
  static constexpr const char* declaring[] = {"body",      "joint",     "parameters", "definitions",
                                              "variables", "functions", "speeds"};

  void collect(const Finding& finding) {
    const std::string& text = finding.message;
    if (const std::string key = quoted_after(text, "unknown key "); !key.empty()) {
      stray_keys_.insert(key);
      if (const std::string meant = quoted_after(text, "did you mean "); !meant.empty())
        meant_.emplace(meant, finding.where);
    }
    lost_names_ |= has(text, "missing key 'name'") || has(text, "expected a text in quotes, got");
    if (const std::string unknown = unknown_thing(text); !unknown.empty()) {
      const auto [first, is_new] = first_.try_emplace(unknown, &finding);
      if (!is_new && before(finding.where, first->second->where)) first->second = &finding;
    }
  }

  // "unknown name 'm'", "" where the message is about something else.
  static std::string unknown_thing(const std::string& text) {
    for (const char* kind : {"unknown name ", "unknown body ", "unknown joint "})
      if (const std::string what = quoted_after(text, kind); !what.empty())
        return kind + ("'" + what + "'");
    return "";
  }

  bool is_repeated(const Finding& finding) const {
    const auto first = first_.find(unknown_thing(finding.message));
    return first != first_.end() && first->second != &finding;
  }

  // A section was misspelled.
  bool lost(const char* section) const { return meant_.count(section) > 0; }

  // A key below the head of the table, and below no later head that misses the same key.
  bool was_meant(const std::string& key, const Location& table) const {
    const auto [begin, end] = meant_.equal_range(key);
    return std::any_of(begin, end, [&](const auto& entry) {
      const Location& place = entry.second;
      if (before(place, table)) return false;
      return std::none_of(findings_.begin(), findings_.end(), [&](const Finding& other) {
        return quoted_after(other.message, "missing key ") == key && before(table, other.where) &&
               before(other.where, place);
      });
    });
  }

  const std::vector<Finding>& findings_;
  std::multimap<std::string, Location> meant_;   // keys that misspelled ones were meant to be
  std::set<std::string> stray_keys_;             // unknown keys
  std::map<std::string, const Finding*> first_;  // where each unknown thing occurs first
  bool lost_names_ = false;                      // a name is missing or unreadable
};

}  // namespace

std::vector<Finding> without_explained(const std::vector<Finding>& findings) {
  const Explanations explanations(findings);
  std::vector<Finding> kept;
  for (const Finding& finding : findings)
    if (!explanations.explain(finding)) kept.push_back(finding);
  return kept;
}

}  // namespace cartan::model
