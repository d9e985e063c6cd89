#include "io/toml_reader.h"

#include <filesystem>
#include <fstream>

#include "io/toml_expand.h"
#include "io/toml_section.h"
#include "io/toml_sections.h"
#include "io/toml_text.h"
#include "io/toml_units.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> model_keys = {
    {"name"},     {"gravity"},   {"gravity_frame"}, {"parameters"}, {"definitions"}, {"body"},
    {"joint"},    {"force"},     {"constraint"},    {"event"},      {"output"},      {"variables"},
    {"simulate"}, {"functions"}, {"equations"},     {"format"},     {"inputs"},      {"point"},
    {"contact"},  {"part"},      {"cut"},           {"contacts"},   {"speeds"}};

// [[key]] tables, each by its own reader
template <class T>
void read_list(const TomlSection& section, const std::string& key,
               T (*read_one)(const TomlNode&, Diagnostics&), std::vector<T>& result) {
  const TomlNode* node = section.find(key);
  if (!node) return;
  if (!expect(*node, Kind::array, "a list of tables: [[" + key + "]]", section.problems())) return;
  for (const TomlNode& item : node->items)
    if (expect(item, Kind::table, "a table: [[" + key + "]]", section.problems()))
      result.push_back(read_one(item, section.problems()));
}

// One [key] table
template <class T>
void read_table(const TomlSection& section, const std::string& key,
                T (*read_one)(const TomlNode&, Diagnostics&), T& result) {
  const TomlNode* node = section.find(key);
  if (node && expect(*node, Kind::table, "a table: [" + key + "]", section.problems()))
    result = read_one(*node, section.problems());
}

void read_equations_of(const TomlSection& section, Values& equations) {
  const TomlNode* list = section.find("equations");
  if (const TomlNode* variables = section.find("variables"))
    for (const TomlEntry& entry : variables->entries)
      if (is_equations(entry)) {
        if (list)
          section.problems().error(entry.where,
                                   "`equations` twice: here and at the head of the file");
        list = &entry.value;
      }
  if (list) equations = read_equations(*list, section.problems());
}

ModelDescription describe_model(const TomlNode& root, Diagnostics& problems) {
  const TomlSection section(root, problems);
  ModelDescription model;
  model.where = {1, 1};
  section.read("name", model.name);
  section.read("gravity", model.gravity);
  section.read("gravity_frame", model.gravity_frame);
  read_table(section, "parameters", read_named_values, model.parameters);
  read_table(section, "inputs", read_named_values, model.inputs);
  read_table(section, "definitions", read_named_values, model.definitions);
  read_table(section, "speeds", read_speeds, model.speeds);
  read_list(section, "body", read_body, model.bodies);
  read_list(section, "joint", read_joint, model.joints);
  read_list(section, "point", read_point, model.points);
  read_list(section, "cut", read_cut, model.cuts);
  read_list(section, "force", read_force, model.forces);
  read_list(section, "constraint", read_constraint, model.constraints);
  read_list(section, "contact", read_contact, model.contacts);
  if (const TomlNode* groups = section.find("contacts"))
    read_contact_groups(*groups, model, problems);
  read_list(section, "event", read_event, model.events);
  read_list(section, "output", read_output, model.outputs);
  read_table(section, "variables", read_variables, model.variables);
  read_table(section, "functions", read_functions, model.functions);
  read_equations_of(section, model.equations);
  read_table(section, "simulate", read_simulate, model.simulate);
  section.finish(model_keys);
  return model;
}

}  // namespace

// At most one byte more than allowed is read, so that a device that never ends does no harm.
std::optional<std::string> read_toml_text(const std::string& path, Diagnostics& problems) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    problems.error({}, "this is a folder; expected a model file");
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    problems.error({}, "the file cannot be opened; expected a readable model file");
    return std::nullopt;
  }
  std::string text;
  char block[1 << 14];
  while (text.size() <= max_model_file_size && stream) {
    stream.read(block, sizeof block);
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

std::optional<ModelDescription> read_model_text(std::string_view text, std::string folder,
                                                Diagnostics& problems) {
  return read_model_text(text, std::move(folder), problems, {}, {});
}

std::optional<ModelDescription> read_model_text(std::string_view text, std::string folder,
                                                Diagnostics& problems,
                                                const std::vector<Location>& places,
                                                const ReadOptions& options) {
  if (text.size() > max_model_file_size) {
    problems.error({1, 1}, "the file is larger than 16 MB; long data belongs into a table file");
    return std::nullopt;
  }
  std::optional<TomlNode> root = parse_toml(text, problems);
  if (root && !places.empty()) relocate(*root, places);
  if (!root || !check_format(*root, problems)) return std::nullopt;
  apply_units(*root, problems);
  const ExpandOptions expansion{options.file, folder, options.consent, options.sets};
  if (!expand_model(*root, expansion, problems)) return std::nullopt;
  ModelDescription model = describe_model(*root, problems);
  model.folder = std::move(folder);
  return model;
}

std::optional<ModelDescription> read_model_file(const std::string& path, Diagnostics& problems,
                                                const ReadOptions& options) {
  const std::optional<std::string> text = read_toml_text(path, problems);
  if (!text) return std::nullopt;
  ReadOptions own = options;
  own.file = path;
  std::optional<ModelDescription> model =
      read_model_text(*text, std::filesystem::path(path).parent_path().string(), problems, {}, own);
  if (model) model->file = path;
  return model;
}

}  // namespace cartan::io
