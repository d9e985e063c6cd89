#include "study/study_text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "io/toml_reader.h"
#include "io/toml_section.h"
#include "io/toml_sections.h"
#include "study/study_words.h"

namespace cartan::study {
namespace {

using TomlKind = TomlNode::Kind;

const std::vector<KeyRule> study_keys = {{"model"},    {"runs"}, {"indices"},
                                         {"sampling"}, {"seed"}, {"vary"},
                                         {"simulate"}, {"keep"}, {"format"}};
const std::vector<KeyRule> table_keys = {{"file"}, {"column"}};

void read_count(const TomlSection& section, const std::string& key, std::optional<double>& count,
                Location& place) {
  const TomlNode* node = section.find(key);
  if (!node) return;
  place = node->where;
  if (!expect(*node, TomlKind::number, "a whole number", section.problems())) return;
  if (node->number == std::floor(node->number) && std::fabs(node->number) <= 0x1p53)
    count = node->number;
  else
    section.problems().error(
        place, fmt::format("expected a whole number for '{}', got {:g}", key, node->number));
}

// grid = "log(0.01, 1, 20)" or a list of values
void read_grid(const TomlNode& node, InputText& input, Diagnostics& problems) {
  if (node.is(TomlKind::array)) {
    input.kind = Distribution::Kind::list;
    input.numbers = read_values(node, problems);
    return;
  }
  if (!expect(node, TomlKind::text, "\"lin(A, B, N)\", \"log(A, B, N)\" or a list of values",
              problems))
    return;
  std::string problem;
  if (!read_grid_words(node.text, input, problem)) problems.error(node.where, problem);
  for (Value& value : input.numbers) value.where = node.where;
  input.numbers.where = node.where;
}

void read_table_source(const TomlNode& node, InputText& input, Diagnostics& problems) {
  if (!expect(node, TomlKind::table, "{ file = \"samples.csv\", column = \"NAME\" }", problems))
    return;
  const TomlSection section(node, problems);
  input.kind = Distribution::Kind::table;
  for (const char* key : {"file", "column"})
    if (!section.has(key))
      problems.error(node.where, fmt::format("missing key '{}' of a table of samples", key));
  section.read("file", input.file);
  section.read("column", input.column);
  section.finish(table_keys);
}

std::optional<InputText> read_input(const TomlEntry& entry, Diagnostics& problems) {
  InputText input;
  input.name = entry.key;
  input.name_where = entry.where;
  input.where = entry.value.where;
  if (!expect(entry.value, TomlKind::table,
              "a distribution such as { uniform = [0.9, 1.1] } or { grid = \"lin(0, 1, 11)\" }",
              problems))
    return std::nullopt;
  if (entry.value.entries.size() != 1) {
    problems.error(entry.value.where, fmt::format("'{}': expected one distribution, got {} keys",
                                                  entry.key, entry.value.entries.size()));
    return std::nullopt;
  }
  const TomlEntry& law = entry.value.entries[0];
  if (law.key == "grid") {
    read_grid(law.value, input, problems);
    return input;
  }
  if (law.key == "table") {
    read_table_source(law.value, input, problems);
    return input;
  }
  const std::optional<Distribution::Kind> kind = sampled_kind(law.key);
  if (!kind) {
    std::vector<std::string> known = sampled_kind_names();
    known.insert(known.end(), {"table", "grid"});
    const std::string near = nearest_name(law.key, known);
    problems.error(law.where, fmt::format("unknown distribution '{}'; {}", law.key,
                                          near.empty() ? "expected one of: " + join(known, ", ")
                                                       : "did you mean '" + near + "'?"));
    return std::nullopt;
  }
  input.kind = *kind;
  input.numbers = read_values(law.value, problems);
  return input;
}

// { final = "EXPR" }, { at = [TIME, "EXPR"] }, { event = "NAME", take = "EXPR" }, { count = "NAME"
// }
std::optional<KeepText> read_keep(const TomlEntry& entry, Diagnostics& problems) {
  KeepText keep;
  keep.name = entry.key;
  keep.where = entry.where;
  if (!expect(entry.value, TomlKind::table, "how it is taken, such as { final = \"EXPR\" }",
              problems))
    return std::nullopt;
  const TomlEntry* how = nullptr;
  const TomlNode* take = nullptr;
  for (const TomlEntry& item : entry.value.entries) {
    if (item.key == "take") {
      take = &item.value;
      continue;
    }
    const std::optional<KeepKind> kind = keep_kind_from_name(item.key);
    if (!kind) {
      std::vector<std::string> known = keep_kind_names();
      known.push_back("take");
      const std::string near = nearest_name(item.key, known);
      problems.error(item.where, fmt::format("unknown key '{}'; {}", item.key,
                                             near.empty() ? "expected one of: " + join(known, ", ")
                                                          : "did you mean '" + near + "'?"));
      return std::nullopt;
    }
    if (how) {
      problems.error(item.where, fmt::format("'{}' is taken in two ways, '{}' and '{}'; expected "
                                             "one, with another name for the other",
                                             entry.key, how->key, item.key));
      return std::nullopt;
    }
    how = &item;
    keep.kind = *kind;
  }
  if (!how) {
    problems.error(entry.value.where, fmt::format("'{}': expected one of: {}", entry.key,
                                                  join(keep_kind_names(), ", ")));
    return std::nullopt;
  }
  if (take && keep.kind != KeepKind::event)
    problems.error(take->where, "'take' belongs to 'event'");
  switch (keep.kind) {
    case KeepKind::at:
      if (!how->value.is(TomlKind::array) || how->value.items.size() != 2) {
        problems.error(how->value.where, "expected [TIME, \"EXPR\"], got " + describe(how->value));
        return std::nullopt;
      }
      keep.time = read_value(how->value.items[0], problems);
      keep.expression = read_value(how->value.items[1], problems);
      break;
    case KeepKind::event:
    case KeepKind::count:
      if (!expect(how->value, TomlKind::text, "the name of an event", problems))
        return std::nullopt;
      keep.event.name = how->value.text;
      keep.event.where = how->value.where;
      if (keep.kind == KeepKind::event)
        keep.expression = take ? read_value(*take, problems) : Value("t");
      break;
    default:
      keep.expression = read_value(how->value, problems);
  }
  if (keep.expression.reported || keep.time.reported) return std::nullopt;
  return keep;
}

void read_vary(const TomlSection& section, StudyText& study) {
  const TomlNode* table = section.find("vary");
  if (!table) return;
  study.vary_where = table->where;
  if (!expect(*table, TomlKind::table, "a table: [vary]", section.problems())) return;
  for (const TomlEntry& entry : table->entries)
    if (std::optional<InputText> input = read_input(entry, section.problems()))
      study.inputs.push_back(std::move(*input));
}

void read_keeps(const TomlSection& section, StudyText& study) {
  const TomlNode* table = section.find("keep");
  if (!table) return;
  study.keep_where = table->where;
  if (!expect(*table, TomlKind::table, "a table: [keep]", section.problems())) return;
  for (const TomlEntry& entry : table->entries) {
    if (entry.key == "trajectories" && entry.value.is(TomlKind::number)) {
      read_count(TomlSection(*table, section.problems()), "trajectories", study.trajectories,
                 study.trajectories_where);
      continue;
    }
    if (std::optional<KeepText> keep = read_keep(entry, section.problems()))
      study.keeps.push_back(std::move(*keep));
  }
}

}  // namespace

std::optional<StudyText> read_study_text(std::string_view text, Diagnostics& problems) {
  const std::optional<TomlNode> root = parse_toml(text, problems);
  if (!root || !check_format(*root, problems)) return std::nullopt;
  const TomlSection section(*root, problems);
  StudyText study;
  section.read("model", study.model, study.model_where);
  if (!section.has("model"))
    problems.error({1, 1}, "missing key 'model': the model file the study is about");
  read_count(section, "runs", study.runs, study.runs_where);
  if (const TomlNode* node = section.find("indices")) {
    study.indices_where = node->where;
    if (expect(*node, TomlKind::boolean, "true or false", problems)) study.indices = node->flag;
  }
  section.read("sampling", study.sampling, study.sampling_where);
  read_count(section, "seed", study.seed, study.seed_where);
  read_vary(section, study);
  if (const TomlNode* node = section.find("simulate"))
    if (expect(*node, TomlKind::table, "a table: [simulate]", problems))
      study.simulate = read_simulate(*node, problems);
  read_keeps(section, study);
  section.finish(study_keys);
  return study;
}

// At most one byte more than allowed is read, so that a device that never ends does no harm.
static std::optional<std::string> read_study_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text;
  char block[1 << 14];
  while (text.size() <= max_model_file_size && stream) {
    stream.read(block, sizeof block);
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

std::optional<StudyText> read_study_file(const std::string& path, Diagnostics& problems) {
  const std::optional<std::string> text = read_study_bytes(path);
  if (!text) {
    problems.error({}, "the file cannot be opened; expected a readable study file");
    return std::nullopt;
  }
  if (text->size() > max_model_file_size) {
    problems.error({1, 1}, "the file is larger than 16 MB; samples belong into a table");
    return std::nullopt;
  }
  std::optional<StudyText> study = read_study_text(*text, problems);
  if (!study) return std::nullopt;
  study->file = path;
  study->folder = std::filesystem::path(path).parent_path().string();
  return study;
}

bool looks_like_study(const std::string& path) {
  const std::optional<std::string> text = read_study_bytes(path);
  if (!text || text->size() > max_model_file_size) return false;
  Diagnostics ignored;
  const std::optional<TomlNode> root = parse_toml(*text, ignored);
  if (!root) return false;
  return std::any_of(root->entries.begin(), root->entries.end(), [](const TomlEntry& entry) {
    return entry.key == "model" || entry.key == "vary" || entry.key == "keep" ||
           entry.key == "runs";
  });
}

}  // namespace cartan::study
