#include "results/refusal.h"

#include <fmt/format.h>

cartan::api::Error::~Error() = default;

namespace cartan::results {

Refusal::~Refusal() = default;

Refusal::Refusal(Kind kind, const std::string& text, std::string shown, bool remedies,
                 std::vector<api::Problem> problems)
    : Error(kind, text, std::move(problems)), shown(std::move(shown)), remedies(remedies) {}

namespace {

using ErrorKind = api::Error::Kind;

[[noreturn]] void throw_line(ErrorKind kind, const std::string& prefix, const std::string& message,
                             bool remedies) {
  const std::string shown = fmt::format("{}: {}", prefix, message);
  const bool file = !prefix.starts_with("cartan");
  throw Refusal(kind, file ? shown : message, shown + "\n", remedies,
                {{.file = file ? prefix : "", .message = message}});
}

}  // namespace

void refuse(const std::string& command, const std::string& message) {
  throw_line(ErrorKind::bad_input, "cartan " + command, message, true);
}

void fail(const std::string& command, const std::string& message) {
  throw_line(ErrorKind::failed, "cartan " + command, message, true);
}

void refuse_at(const std::string& prefix, const std::string& message) {
  throw_line(ErrorKind::bad_input, prefix, message, false);
}

void fail_at(const std::string& prefix, const std::string& message) {
  throw_line(ErrorKind::failed, prefix, message, false);
}

void refuse_at(const std::string& file, Location where, const std::string& message) {
  const std::string shown = fmt::format("{}:{}:{}: {}", file, where.line, where.column, message);
  throw Refusal(ErrorKind::bad_input, shown, shown + "\n", false,
                {{file, where.line, where.column, message}});
}

void refuse_line(const std::string& line) {
  throw Refusal(ErrorKind::bad_input, line, line + "\n", false, {{.message = line}});
}

void refuse(const Diagnostics& problems, const std::string& more) {
  const std::string text = problems.text();
  throw Refusal(ErrorKind::bad_input, text.substr(0, text.find_last_not_of('\n') + 1), text + more,
                false, problems_of(problems));
}

std::vector<api::Problem> problems_of(const Diagnostics& problems) {
  std::vector<api::Problem> list;
  for (const Finding& finding : problems.findings())
    list.push_back({problems.file(), finding.where.line, finding.where.column, finding.message,
                    finding.severity == Severity::warning});
  return list;
}

}  // namespace cartan::results
