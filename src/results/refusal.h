// How results are refused: one exception that programs catch as an Error, and whose text on the
// terminal is exactly what `shown` says.
#pragma once

#include <string>
#include <vector>

#include <cartan/error.h>

#include "core/diagnostics.h"

namespace cartan::results {

class Refusal : public api::Error {
 public:
  Refusal(Kind kind, const std::string& text, std::string shown, bool remedies,
          std::vector<api::Problem> problems);
  ~Refusal() override;

  std::string shown;      // lines of the terminal
  bool remedies = false;  // they may name options of the command line (option_names.h)
};

// Bad input: "cartan COMMAND: MESSAGE".
[[noreturn]] void refuse(const std::string& command, const std::string& message);
// No result: the same.
[[noreturn]] void fail(const std::string& command, const std::string& message);
// Bad input: "PREFIX: MESSAGE", as it stands.
[[noreturn]] void refuse_at(const std::string& prefix, const std::string& message);
// No result: the same.
[[noreturn]] void fail_at(const std::string& prefix, const std::string& message);
// Bad input: "FILE:LINE:COLUMN: MESSAGE".
[[noreturn]] void refuse_at(const std::string& file, Location where, const std::string& message);
// Bad input: a whole line.
[[noreturn]] void refuse_line(const std::string& line);
// Bad input: all findings, and further lines after them.
[[noreturn]] void refuse(const Diagnostics& problems, const std::string& more = "");

std::vector<api::Problem> problems_of(const Diagnostics& problems);

}  // namespace cartan::results
