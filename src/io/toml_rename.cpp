#include "io/toml_rename.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <type_traits>
#include <variant>

#include "model/type_names.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}
bool is_simple_name(const std::string& text) {
  if (text.empty() || !begins_name(text[0])) return false;
  for (char c : text)
    if (!continues_name(c)) return false;
  return true;
}

// Walks through a part's tree, section by section.
class PartRenamer {
 public:
  explicit PartRenamer(const PartNames& names) : names_(names) {}

  void run(TomlNode& root) {
    for (TomlEntry& section : root.entries) {
      const std::string& key = section.key;
      if (key == "parameters" || key == "definitions" || key == "variables" || key == "inputs" ||
          key == "functions" || key == "speeds") {
        for (TomlEntry& entry : section.value.entries) {
          if (entry.key == "equations" && entry.value.is(Kind::array)) continue;
          entry.key = names_.prefix + entry.key;
        }
        if (key == "functions")
          rename_functions(section.value);
        else
          walk(section.value, false);
      } else if (section.value.is(Kind::array)) {
        for (TomlNode& item : section.value.items)
          if (item.is(Kind::table))
            rename_item(item, key);
          else
            walk_value(item, "", false);
      }
    }
  }

 private:
  void rename_item(TomlNode& item, const std::string& section) {
    const std::string type = text_of(item, "type");
    complete(item, section, type);
    for (TomlEntry& entry : item.entries)
      if (entry.key == "name" && entry.value.is(Kind::text))
        entry.value.text = names_.prefix + entry.value.text;
    walk(item, section == "force" && type == "joint");
  }

  // What is the world by default becomes the part's.
  void complete(TomlNode& item, const std::string& section, const std::string& type) {
    if (names_.world == "world") return;
    const auto add = [&](TomlNode& table, const char* key) {
      for (const TomlEntry& entry : table.entries)
        if (entry.key == key) return;
      TomlNode text;
      text.kind = Kind::text;
      text.where = table.where;
      text.text = "world";
      table.entries.push_back({key, table.where, text});
    };
    const auto complete_key = [&](const ElementKey& key) {
      if (!key.world) return;
      if (std::string_view(key.world) == key.key) return add(item, key.key);
      for (TomlEntry& entry : item.entries)
        if (entry.key == key.key && entry.value.is(Kind::table)) add(entry.value, key.world);
    };
    const auto complete_as = [&]<class... Law>(const std::variant<Law...>*) {
      const auto keys_of = [&]<class L>(std::type_identity<L>) {
        if (type == L::type) std::for_each(std::begin(L::keys), std::end(L::keys), complete_key);
      };
      (keys_of(std::type_identity<Law>()), ...);
    };
    if (section == "force") complete_as(static_cast<const ForceLaw*>(nullptr));
    if (section == "constraint") complete_as(static_cast<const ConstraintLaw*>(nullptr));
  }

  void walk(TomlNode& table, bool of_joint) {
    for (TomlEntry& entry : table.entries) walk_value(entry.value, entry.key, of_joint);
  }
  void walk_value(TomlNode& value, const std::string& key, bool of_joint) {
    if (value.is(Kind::table)) return walk(value, of_joint);
    if (value.is(Kind::array)) {
      for (std::size_t k = 0; k < value.items.size(); ++k) {
        TomlNode& item = value.items[k];
        if (key == "terms" && item.is(Kind::array) && !item.items.empty() &&
            item.items[0].is(Kind::text)) {
          item.items[0].text = names_.prefix + item.items[0].text;
          for (std::size_t j = 1; j < item.items.size(); ++j)
            walk_value(item.items[j], "", of_joint);
        } else {
          walk_value(item, key, of_joint);
        }
      }
      return;
    }
    if (!value.is(Kind::text)) return;
    if (key == "body" || key == "bodies" || key == "on" || key == "joint")
      value.text = value.text == "world" ? names_.world : names_.prefix + value.text;
    else if (key == "mesh" && !names_.folder.empty() && !value.text.starts_with('/') &&
             value.text.find("://") == std::string::npos)
      value.text = names_.folder + "/" + value.text;
    else if (key == "frame" && value.text != "body")
      value.text = value.text == "world" ? names_.world : names_.prefix + value.text;
    else if (!is_word_key(key))
      rename_text(value, of_joint && key == "value");
  }
  void rename_text(TomlNode& node, bool own_coordinates) {
    const std::string renamed =
        rename_in_expression(move_tables(node.text), [&](const ExpressionName& name) {
          const bool own = own_coordinates && (name.first == "q" || name.first == "v");
          if (name.called)
            return names_.functions.count(name.first) ? names_.prefix + name.first : name.first;
          if (name.dotted)
            return names_.things.count(name.first) ? names_.prefix + name.first : name.first;
          return !own && names_.plain.count(name.first) ? names_.prefix + name.first : name.first;
        });
    if (renamed != node.text) node.text_where = {};
    node.text = renamed;
  }

  // table('file', ..: files lie beside the part
  std::string move_tables(const std::string& text) const {
    if (names_.folder.empty()) return text;
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      result += text[i];
      if (text.compare(i, 6, "table(") != 0 || (i > 0 && continues_name(text[i - 1]))) continue;
      std::size_t j = i + 6;
      while (j < text.size() && text[j] == ' ') ++j;
      if (j < text.size() && (text[j] == '\'' || text[j] == '"')) {
        result += text.substr(i + 1, j - i) + names_.folder + "/";
        i = j;
      }
    }
    return result;
  }

  void rename_functions(TomlNode& functions) {
    for (TomlEntry& function : functions.entries)
      for (TomlEntry& entry : function.value.entries) {
        if (!entry.value.is(Kind::text)) continue;
        if ((entry.key == "source" || entry.key == "library") && !names_.folder.empty())
          entry.value.text = names_.folder + "/" + entry.value.text;
        if (entry.key == "value") rename_formula(function.value, entry.value);
      }
  }
  // A formula knows its arguments and other functions only.
  void rename_formula(const TomlNode&, TomlNode& value) {
    value.text = rename_in_expression(move_tables(value.text), [&](const ExpressionName& name) {
      return name.called && names_.functions.count(name.first) ? names_.prefix + name.first
                                                               : name.first;
    });
  }

  static std::string text_of(const TomlNode& table, const char* key) {
    for (const TomlEntry& entry : table.entries)
      if (entry.key == key && entry.value.is(Kind::text)) return entry.value.text;
    return "";
  }

  const PartNames& names_;
};

}  // namespace

bool is_word_key(const std::string& key) {
  static const std::array words = {"name",   "type",  "body",    "joint", "on",        "frame",
                                   "color",  "group", "measure", "law",   "action",    "file",
                                   "source", "mesh",  "library", "by",    "direction", "bodies"};
  for (const char* word : words)
    if (key == word) return true;
  return false;
}

std::string rename_in_expression(const std::string& text,
                                 const std::function<std::string(const ExpressionName&)>& rename) {
  std::string result;
  std::size_t i = 0;
  const auto skip_rest = [&] {  // .segment, .'segment'
    while (i < text.size() && text[i] == '.') {
      result += text[i++];
      if (i < text.size() && text[i] == '\'') {
        const std::size_t end = text.find('\'', i + 1);
        const std::size_t stop = end == std::string::npos ? text.size() : end + 1;
        result += text.substr(i, stop - i);
        i = stop;
      } else {
        while (i < text.size() && continues_name(text[i])) result += text[i++];
      }
    }
  };
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t end = text.find('"', i + 1);
      const std::size_t stop = end == std::string::npos ? text.size() : end + 1;
      result += text.substr(i, stop - i);
      i = stop;
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      while (i < text.size() &&
             (continues_name(text[i]) || text[i] == '.' ||
              ((text[i] == '+' || text[i] == '-') && (text[i - 1] == 'e' || text[i - 1] == 'E'))))
        result += text[i++];
    } else if (begins_name(c) || c == '\'') {
      ExpressionName name;
      const bool was_quoted = c == '\'';
      if (was_quoted) {
        const std::size_t end = text.find('\'', i + 1);
        if (end == std::string::npos) return result + text.substr(i);
        name.first = text.substr(i + 1, end - i - 1);
        i = end + 1;
        // A quoted text that no dot follows is an argument of table(..).
        if (i >= text.size() || text[i] != '.') {
          result += "'" + name.first + "'";
          continue;
        }
      } else {
        while (i < text.size() && continues_name(text[i])) name.first += text[i++];
      }
      std::size_t next = i;
      while (next < text.size() && text[next] == ' ') ++next;
      name.dotted = i < text.size() && text[i] == '.';
      name.called = !was_quoted && next < text.size() && text[next] == '(';
      const std::string renamed = rename(name);
      const bool number = !renamed.empty() && std::isdigit(static_cast<unsigned char>(renamed[0]));
      result += is_simple_name(renamed) || number ? renamed : "'" + renamed + "'";
      skip_rest();
      if (i < text.size() && text[i] == '\'') result += text[i++];  // x', a rate
    } else {
      result += text[i++];
    }
  }
  return result;
}

void rename_part(TomlNode& root, const PartNames& names) {
  PartRenamer(names).run(root);
}

}  // namespace cartan::io
