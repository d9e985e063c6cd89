#include "io/toml_expand.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/source_files.h"
#include "io/toml_numbers.h"
#include "io/toml_rename.h"
#include "io/toml_section.h"
#include "io/toml_text.h"
#include "io/toml_units.h"

namespace cartan::io {
namespace fs = std::filesystem;
namespace {

using Kind = TomlNode::Kind;

constexpr double most_copies = 100000;
constexpr std::size_t most_tables = 1000000, deepest_part = 16, most_parts = 10000;

const std::vector<KeyRule> part_keys = {{"file"}, {"name"}, {"at"},     {"rotate"},
                                        {"on"},   {"set"},  {"repeat"}, {"first"}};

TomlNode* find_entry(TomlNode& table, const std::string& key) {
  for (TomlEntry& entry : table.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

TomlNode text_node(const std::string& text, Location where) {
  TomlNode node;
  node.kind = Kind::text;
  node.text = text;
  node.where = where;
  return node;
}

void move_places(TomlNode& node, int file) {
  node.where = place_in_file(node.where, file);
  if (node.text_where.line > 0) node.text_where = place_in_file(node.text_where, file);
  for (TomlNode& item : node.items) move_places(item, file);
  for (TomlEntry& entry : node.entries) {
    entry.where = place_in_file(entry.where, file);
    move_places(entry.value, file);
  }
}

class Expander {
 public:
  Expander(const ExpandOptions& options, Diagnostics& problems)
      : options_(options), problems_(problems) {
    if (!options.file.empty()) open_.push_back(real(options.file));
  }

  // `given`: values of parameters that the file's own give way to. `folder`: of this file.
  bool expand(TomlNode& root, const std::map<std::string, double>& given, const fs::path& folder) {
    const EarlyNumbers numbers(find_entry(root, "parameters"), given);
    for (TomlEntry& section : root.entries)
      if (section.value.is(Kind::array) && !repeat_section(section.value, numbers)) return false;
    TomlNode* parts = find_entry(root, "part");
    if (!parts) return true;
    if (!expect(*parts, Kind::array, "a list of tables: [[part]]", problems_)) return false;
    const std::vector<TomlNode> list = std::move(parts->items);
    std::erase_if(root.entries, [](const TomlEntry& entry) { return entry.key == "part"; });
    std::map<std::string, Location> names;
    for (const TomlNode& part : list) {
      for (const TomlEntry& entry : part.entries) {
        if (entry.key != "name" || !entry.value.is(Kind::text)) continue;
        const auto [first, is_new] = names.try_emplace(entry.value.text, entry.value.where);
        if (is_new) continue;
        problems_.error(entry.value.where, "duplicate part name '" + entry.value.text +
                                               "'; the first is in " + line_text(first->second));
        return false;
      }
      const EarlyNumbers now(find_entry(root, "parameters"), given);
      if (!add_part(root, part, now, given, folder)) return false;
    }
    return true;
  }

 private:
  static std::string real(const fs::path& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path.string() : canonical.string();
  }

  // ------------------------------------------------------------------------------- repetition

  bool repeat_section(TomlNode& list, const EarlyNumbers& numbers) {
    const bool any = std::any_of(list.items.begin(), list.items.end(), [](TomlNode& item) {
      return item.is(Kind::table) && (find_entry(item, "repeat") || find_entry(item, "first"));
    });
    if (!any) return true;
    std::vector<TomlNode> result;
    for (TomlNode& item : list.items) {
      if (!item.is(Kind::table) || !find_entry(item, "repeat")) {
        if (item.is(Kind::table))
          if (const TomlNode* first = find_entry(item, "first"))
            problems_.error(first->where, "'first' belongs to a table with 'repeat'");
        result.push_back(std::move(item));
      } else if (!repeat(item, numbers, result)) {
        return false;
      }
    }
    list.items = std::move(result);
    return true;
  }

  bool repeat(TomlNode& item, const EarlyNumbers& numbers, std::vector<TomlNode>& result) {
    const TomlNode& count_node = *find_entry(item, "repeat");
    std::string problem;
    const std::optional<double> count = numbers.value(count_node, problem);
    if (!count || !(*count >= 0 && *count <= most_copies) || *count != std::floor(*count)) {
      problems_.error(count_node.where,
                      problem.empty() ? "'repeat' must be a whole number from 0 to 100000, got " +
                                            std::to_string(*count)
                                      : "'repeat': " + problem);
      return false;
    }
    const TomlNode* first = find_entry(item, "first");
    if (first && !expect(*first, Kind::table, "a table of keys: first = { .. }", problems_))
      return false;
    TomlNode base = item;
    std::erase_if(base.entries, [](const TomlEntry& entry) {
      return entry.key == "repeat" || entry.key == "first";
    });
    for (int i = 1; i <= static_cast<int>(*count); ++i) {
      if (++tables_ > most_tables) {
        problems_.error(count_node.where, "repetitions make more than a million tables");
        return false;
      }
      TomlNode copy = base;
      if (i == 1 && first)
        for (const TomlEntry& entry : first->entries) {
          if (TomlNode* old = find_entry(copy, entry.key))
            *old = entry.value;
          else
            copy.entries.push_back(entry);
        }
      if (!number(copy, i, "", numbers)) return false;
      result.push_back(std::move(copy));
    }
    return true;
  }

  // Puts the number of a copy into all texts: {i-1} everywhere, i in expressions.
  bool number(TomlNode& node, int i, const std::string& key, const EarlyNumbers& numbers) {
    for (TomlEntry& entry : node.entries)
      if (!number(entry.value, i, entry.key, numbers)) return false;
    for (std::size_t k = 0; k < node.items.size(); ++k) {
      TomlNode& item = node.items[k];
      const bool term = key == "term" && k == 0;
      if (!number(item, i, term ? "name" : key == "terms" ? "term" : key, numbers)) return false;
    }
    if (!node.is(Kind::text)) return true;
    std::string text;
    if (!fill_braces(node, i, numbers, text)) return false;
    if (!is_word_key(key))
      text = rename_in_expression(text, [&](const ExpressionName& name) {
        return name.first == "i" && !name.dotted && !name.called ? std::to_string(i) : name.first;
      });
    if (text != node.text) node.text_where = {};
    node.text = text;
    return true;
  }

  bool fill_braces(const TomlNode& node, int i, const EarlyNumbers& numbers, std::string& text) {
    for (std::size_t k = 0; k < node.text.size(); ++k) {
      if (node.text[k] != '{') {
        text += node.text[k];
        continue;
      }
      const std::size_t end = node.text.find('}', k);
      const std::string inside =
          end == std::string::npos ? "" : node.text.substr(k + 1, end - k - 1);
      std::string problem;
      const std::optional<double> value =
          numbers.value(inside, problem, {{"i", static_cast<double>(i)}});
      if (!value || *value != std::floor(*value) || std::abs(*value) > 1e9) {
        problems_.error(node.where, "'{" + inside +
                                        "}' must be a whole number of i and parameters" +
                                        (problem.empty() ? "" : ": " + problem));
        return false;
      }
      text += std::to_string(static_cast<long>(*value));
      k = end;
    }
    return true;
  }

  // ------------------------------------------------------------------------------------ parts

  bool add_part(TomlNode& root, const TomlNode& node, const EarlyNumbers& numbers,
                const std::map<std::string, double>& given, const fs::path& folder) {
    if (!expect(node, Kind::table, "a table: [[part]]", problems_)) return false;
    const TomlSection section(node, problems_);
    std::string file, name, on = "world";
    Location file_where, name_where, on_where;
    section.read("file", file, file_where);
    section.read("name", name, name_where);
    section.read("on", on, on_where);
    section.finish(part_keys);
    for (const auto& [key, text] : {std::pair("file", &file), std::pair("name", &name)})
      if (text->empty() && !section.has(key))
        problems_.error(node.where, std::string("missing key '") + key + "' of a part");
    if (file.empty() || name.empty()) return false;
    if (++parts_ > most_parts || open_.size() > deepest_part) {
      problems_.error(node.where,
                      "more than 10000 parts, or parts more than 16 deep in each other");
      return false;
    }
    std::optional<TomlNode> part = read_part(file, file_where, folder);
    if (!part) return false;
    const fs::path inner_folder = (folder / file).parent_path();

    std::map<std::string, double> inner;
    if (!take_settings(section.find("set"), *part, numbers, inner)) return false;
    for (const auto& [key, value] : given)  // --set left_length=..
      if (key.starts_with(name + "_")) inner[key.substr(name.size() + 1)] = value;
    open_.push_back(real(folder / file));
    const bool good = expand(*part, inner, inner_folder);
    open_.pop_back();
    if (!good) return false;

    const bool mounted = section.has("on") || section.has("at") || section.has("rotate");
    rename(*part, name, mounted ? name : "world", inner_folder, section.find("set"));
    if (mounted) mount(root, section, name, on, node.where);
    merge(root, std::move(*part));
    return true;
  }

  std::optional<TomlNode> read_part(const std::string& file, Location where,
                                    const fs::path& folder) {
    const fs::path path = folder / file;
    const std::string top = options_.folder.empty() ? "." : options_.folder;
    const std::string from_top =
        fs::path(file).is_absolute() ? file : path.lexically_relative(top).string();
    if (const std::string refusal = refuse_path(options_.consent, top, from_top);
        !refusal.empty()) {
      problems_.error(where, refusal);
      return std::nullopt;
    }
    const std::string identity = real(path);
    if (std::find(open_.begin(), open_.end(), identity) != open_.end()) {
      problems_.error(where, "'" + file + "' is a part of itself, directly or by way of others");
      return std::nullopt;
    }
    Diagnostics own(path.string());
    const int number = intern_source_file(path.string());
    std::optional<TomlNode> part;
    if (const std::optional<std::string> text = read_toml_text(path.string(), own))
      part = parse_toml(*text, own);
    if (part) apply_units(*part, own);
    if (part && !check_format(*part, own)) part.reset();
    for (const Finding& finding : own.findings())
      problems_.error(
          finding.where.line > 0 ? place_in_file(finding.where, number) : where,
          finding.where.line > 0 ? finding.message : "'" + file + "': " + finding.message);
    if (part) move_places(*part, number);
    return part;
  }

  // `set` replaces parameters of the part; its expressions are those of the file it stands in.
  bool take_settings(const TomlNode* set, TomlNode& part, const EarlyNumbers& numbers,
                     std::map<std::string, double>& inner) {
    if (!set) return true;
    if (!expect(*set, Kind::table, "values of parameters: set = { length = 0.4 }", problems_))
      return false;
    TomlNode* parameters = find_entry(part, "parameters");
    for (const TomlEntry& entry : set->entries) {
      TomlNode* old = parameters ? find_entry(*parameters, entry.key) : nullptr;
      if (!old) {
        std::vector<std::string> known;
        if (parameters)
          for (const TomlEntry& each : parameters->entries) known.push_back(each.key);
        const std::string near = nearest_name(entry.key, known);
        problems_.error(entry.where, "the part has no parameter '" + entry.key + "'" +
                                         (near.empty() ? "" : "; did you mean '" + near + "'?"));
        return false;
      }
      std::string problem;
      if (const auto value = numbers.value(entry.value, problem)) inner[entry.key] = *value;
      *old = entry.value;
    }
    return true;
  }

  void rename(TomlNode& part, const std::string& name, const std::string& world,
              const fs::path& inner_folder, const TomlNode* set) {
    PartNames names;
    names.prefix = name + "_";
    names.world = world;
    const fs::path top = options_.folder.empty() ? fs::path(".") : fs::path(options_.folder);
    const std::string relative =
        (inner_folder.empty() ? fs::path(".") : inner_folder).lexically_relative(top).string();
    names.folder = relative == "." ? "" : relative;
    for (const TomlEntry& section : part.entries) {
      const std::string& key = section.key;
      if (key == "parameters" || key == "definitions" || key == "variables" || key == "inputs" ||
          key == "speeds")
        for (const TomlEntry& entry : section.value.entries) names.plain.insert(entry.key);
      else if (key == "functions")
        for (const TomlEntry& entry : section.value.entries) names.functions.insert(entry.key);
      else if (section.value.is(Kind::array))
        for (const TomlNode& item : section.value.items)
          for (const TomlEntry& entry : item.entries)
            if (entry.key == "name" && entry.value.is(Kind::text))
              names.things.insert(entry.value.text);
    }
    rename_part(part, names);
    // What `set` says has the names of the outer file.
    if (TomlNode* parameters = find_entry(part, "parameters"); parameters && set)
      for (const TomlEntry& each : set->entries)
        if (TomlNode* entry = find_entry(*parameters, names.prefix + each.key)) *entry = each.value;
  }

  // The part's world: a body without mass, fixed where the part is put.
  void mount(TomlNode& root, const TomlSection& section, const std::string& name,
             const std::string& on, Location where) {
    TomlNode body, joint, parent, child;
    body.where = joint.where = parent.where = child.where = where;
    body.entries.push_back({"name", where, text_node(name, where)});
    TomlNode zero;
    zero.kind = Kind::number;
    zero.where = where;
    body.entries.push_back({"mass", where, zero});
    parent.entries.push_back({"body", where, text_node(on, where)});
    for (const char* key : {"at", "rotate"})
      if (const TomlNode* value = section.find(key)) parent.entries.push_back({key, where, *value});
    child.entries.push_back({"body", where, text_node(name, where)});
    joint.entries.push_back({"name", where, text_node(name, where)});
    joint.entries.push_back({"type", where, text_node("fixed", where)});
    joint.entries.push_back({"parent", where, parent});
    joint.entries.push_back({"child", where, child});
    list_of(root, "body", where).items.push_back(std::move(body));
    list_of(root, "joint", where).items.push_back(std::move(joint));
  }

  static TomlNode& list_of(TomlNode& root, const std::string& key, Location where) {
    if (TomlNode* list = find_entry(root, key)) return *list;
    TomlNode list;
    list.kind = Kind::array;
    list.where = where;
    root.entries.push_back({key, where, list});
    return root.entries.back().value;
  }

  // Lists are joined, tables of names too. Name, gravity and the defaults of runs are the model's.
  void merge(TomlNode& root, TomlNode part) {
    for (TomlEntry& section : part.entries) {
      const std::string& key = section.key;
      if (key == "name" || key == "format" || key == "gravity" || key == "gravity_frame" ||
          key == "simulate")
        continue;
      TomlNode* own = find_entry(root, key);
      if (!own) {
        root.entries.push_back(std::move(section));
      } else if (own->kind == section.value.kind) {
        for (TomlNode& item : section.value.items) own->items.push_back(std::move(item));
        for (TomlEntry& entry : section.value.entries) own->entries.push_back(std::move(entry));
      } else {
        problems_.error(section.where, "'" + key + "' is " + describe(section.value) +
                                           " here and " + describe(*own) + " in " +
                                           line_text(own->where));
      }
    }
  }

  const ExpandOptions& options_;
  Diagnostics& problems_;
  std::vector<std::string> open_;  // files being read
  std::size_t tables_ = 0, parts_ = 0;
};

}  // namespace

bool expand_model(TomlNode& root, const ExpandOptions& options, Diagnostics& problems) {
  std::map<std::string, double> given;
  const EarlyNumbers numbers(find_entry(root, "parameters"), {});
  for (const auto& [name, text] : options.sets) {
    std::string ignored;  // a wrong --set is told by the check
    if (const auto value = numbers.value(text, ignored)) given[name] = *value;
  }
  return Expander(options, problems).expand(root, given, options.folder);
}

}  // namespace cartan::io
