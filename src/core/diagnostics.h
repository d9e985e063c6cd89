// Findings about an input: where, what is wrong, what was expected. Bad input never throws; it is
// collected here so that all problems are told at once.
#pragma once

#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::core {

struct Location {
  int line = 0;    // from 1; 0: not from a file (a model built in C++)
  int column = 0;  // from 1
};

enum class Severity { warning, error };

struct Finding {
  Severity severity = Severity::error;
  Location where;
  std::string message;  // "what is wrong, and what was expected"
};

class Diagnostics {
 public:
  explicit Diagnostics(std::string file = "model") : file_(std::move(file)) {}

  void error(Location where, std::string message) {
    findings_.push_back({Severity::error, where, std::move(message)});
  }
  void warning(Location where, std::string message) {
    findings_.push_back({Severity::warning, where, std::move(message)});
  }
  bool has_errors() const {
    for (const Finding& f : findings_)
      if (f.severity == Severity::error) return true;
    return false;
  }
  const std::vector<Finding>& findings() const { return findings_; }
  const std::string& file() const { return file_; }

  // FILE:LINE:COLUMN: message, sorted by place, one line per finding
  std::string text() const;

 private:
  std::string file_;
  std::vector<Finding> findings_;
};

// The known word nearest to `word` by edit distance, or "" when none is close enough to be meant.
std::string nearest_name(const std::string& word, const std::vector<std::string>& known);

// A name that stands in the list more than once, or "".
std::string repeated_name(const std::vector<std::string>& names);

}  // namespace cartan::core
