#include "study/study_words.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cartan::study {
namespace {

using SampledKind = Distribution::Kind;

constexpr SampledKind sampled_kinds[] = {SampledKind::uniform, SampledKind::normal,
                                         SampledKind::lognormal, SampledKind::triangular,
                                         SampledKind::values};
constexpr KeepKind keep_kinds[] = {KeepKind::final, KeepKind::max,   KeepKind::min,
                                   KeepKind::mean,  KeepKind::rms,   KeepKind::integral,
                                   KeepKind::at,    KeepKind::event, KeepKind::count};

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// HEAD(PART, PART, ..): commas inside of brackets and quotes do not separate.
struct Call {
  std::string head;
  std::vector<std::string> parts;
};
std::optional<Call> read_call(const std::string& words) {
  const std::string text = without_blanks(words);
  const std::size_t open = text.find('(');
  if (open == std::string::npos || open == 0 || text.back() != ')') return std::nullopt;
  Call call{without_blanks(text.substr(0, open)), {""}};
  int depth = 0;
  char quote = 0;
  for (std::size_t i = open + 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else {
      depth += c == '(' || c == '[';
      depth -= c == ')' || c == ']';
      if (depth < 0) return std::nullopt;
    }
    if (c == ',' && depth == 0 && !quote)
      call.parts.emplace_back();
    else
      call.parts.back() += c;
  }
  if (depth != 0 || quote) return std::nullopt;
  for (std::string& part : call.parts) part = without_blanks(part);
  if (call.parts.size() == 1 && call.parts[0].empty()) call.parts.clear();
  if (std::find(call.parts.begin(), call.parts.end(), "") != call.parts.end()) return std::nullopt;
  return call;
}

Values values_of(const std::vector<std::string>& parts) {
  Values values;
  for (const std::string& part : parts) values.push_back(Value(part));
  return values;
}

std::string unquoted(const std::string& text) {
  const bool quoted =
      text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.front() == text.back();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::optional<Distribution::Kind> sampled_kind(const std::string& name) {
  for (const SampledKind kind : sampled_kinds)
    if (name == to_string(kind)) return kind;
  return std::nullopt;
}

std::vector<std::string> sampled_kind_names() {
  std::vector<std::string> names;
  for (const SampledKind kind : sampled_kinds) names.push_back(to_string(kind));
  return names;
}

const char* to_string(KeepKind kind) {
  switch (kind) {
    case KeepKind::final:
      return "final";
    case KeepKind::max:
      return "max";
    case KeepKind::min:
      return "min";
    case KeepKind::mean:
      return "mean";
    case KeepKind::rms:
      return "rms";
    case KeepKind::integral:
      return "integral";
    case KeepKind::at:
      return "at";
    case KeepKind::event:
      return "event";
    case KeepKind::count:
      break;
  }
  return "count";
}

std::optional<KeepKind> keep_kind_from_name(const std::string& name) {
  for (const KeepKind kind : keep_kinds)
    if (name == to_string(kind)) return kind;
  return std::nullopt;
}

std::vector<std::string> keep_kind_names() {
  std::vector<std::string> names;
  for (const KeepKind kind : keep_kinds) names.push_back(to_string(kind));
  return names;
}

bool read_grid_words(const std::string& words, InputText& input, std::string& problem) {
  const std::optional<Call> call = read_call(words);
  if (!call || (call->head != "lin" && call->head != "log") || call->parts.size() != 3) {
    problem = fmt::format("expected lin(A, B, N) or log(A, B, N), got '{}'", words);
    return false;
  }
  input.kind = call->head == "lin" ? Distribution::Kind::lin : Distribution::Kind::log;
  input.numbers = values_of(call->parts);
  return true;
}

void read_vary_words(const std::string& words, StudyText& study, Diagnostics& problems) {
  const std::string expected =
      "expected NAME=uniform(LOW,HIGH), normal(MEAN,DEVIATION), lognormal(..), triangular(..), "
      "values(..), table(FILE,COLUMN), lin(A,B,N) or log(A,B,N)";
  const std::size_t open = words.find('(');
  const std::size_t equals = words.rfind('=', open);
  if (open == std::string::npos || equals == std::string::npos || equals == 0)
    return problems.error({}, fmt::format("vary {}: {}", words, expected));
  InputText input;
  input.name = without_blanks(words.substr(0, equals));
  const std::optional<Call> call = read_call(words.substr(equals + 1));
  if (!call || input.name.empty())
    return problems.error({}, fmt::format("vary {}: {}", words, expected));
  if (const auto kind = sampled_kind(call->head)) {
    input.kind = *kind;
    input.numbers = values_of(call->parts);
  } else if (call->head == "table") {
    if (call->parts.size() != 2)
      return problems.error({}, fmt::format("vary {}: expected table(FILE,COLUMN)", words));
    input.kind = Distribution::Kind::table;
    input.file = unquoted(call->parts[0]);
    input.column = unquoted(call->parts[1]);
  } else if (call->head == "grid") {
    input.kind = Distribution::Kind::list;
    input.numbers = values_of(call->parts);
  } else if (call->head == "lin" || call->head == "log") {
    std::string problem;
    if (!read_grid_words(words.substr(equals + 1), input, problem))
      return problems.error({}, fmt::format("vary {}: {}", words, problem));
  } else {
    std::vector<std::string> known = sampled_kind_names();
    known.insert(known.end(), {"table", "grid", "lin", "log"});
    const std::string near = nearest_name(call->head, known);
    return problems.error({},
                          fmt::format("vary {}: unknown distribution '{}'; {}", words, call->head,
                                      near.empty() ? expected : "did you mean '" + near + "'?"));
  }
  study.inputs.push_back(std::move(input));
}

void read_keep_words(const std::string& words, StudyText& study, Diagnostics& problems) {
  const std::string expected = fmt::format(
      "expected NAME=final(EXPR), with one of {}; at(TIME, EXPR), event(NAME, EXPR), count(NAME)",
      fmt::join(keep_kind_names(), ", "));
  const std::size_t open = words.find('(');
  if (open == std::string::npos)
    return problems.error({}, fmt::format("keep {}: {}", words, expected));
  const std::size_t equals = words.rfind('=', open);
  const bool named = equals != std::string::npos && equals > 0;
  const std::string body = named ? words.substr(equals + 1) : words;
  const std::optional<Call> call = read_call(body);
  const std::optional<KeepKind> kind = call ? keep_kind_from_name(call->head) : std::nullopt;
  if (!kind) {
    const std::string near = call ? nearest_name(call->head, keep_kind_names()) : "";
    return problems.error({},
                          fmt::format("keep {}: {}", words,
                                      near.empty() ? expected : "did you mean '" + near + "'?"));
  }
  KeepText keep;
  keep.name = without_blanks(named ? words.substr(0, equals) : words);
  keep.kind = *kind;
  const std::size_t count = call->parts.size();
  // An expression may have commas of its own, in brackets; what is behind the first part is one.
  const bool fits = keep.kind == KeepKind::at      ? count == 2
                    : keep.kind == KeepKind::event ? count == 1 || count == 2
                                                   : count == 1;
  if (!fits) return problems.error({}, fmt::format("keep {}: {}", words, expected));
  if (keep.kind == KeepKind::at) {
    keep.time = Value(call->parts[0]);
    keep.expression = Value(call->parts[1]);
  } else if (keep.kind == KeepKind::event || keep.kind == KeepKind::count) {
    keep.event.name = unquoted(call->parts[0]);
    if (keep.kind == KeepKind::event) keep.expression = Value(count == 2 ? call->parts[1] : "t");
  } else {
    keep.expression = Value(call->parts[0]);
  }
  study.keeps.push_back(std::move(keep));
}

}  // namespace cartan::study
