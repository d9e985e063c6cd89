// An XML document as a plain tree with the place of every element and attribute. Only one file of
// the project sees the parser library (expat). What a document must not do is refused here: declare
// entities (which may grow without bound), nest without end, be larger than 16 MB.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.h"

namespace cartan::import {

struct XmlAttribute {
  std::string name, value;
  Location where;
};

struct XmlElement {
  std::string name;  // with its prefix: drake:rotor_inertia
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  std::string text;  // characters between the tags, those of the children not
  Location where;

  const XmlAttribute* find(std::string_view attribute) const;
  const XmlElement* child(std::string_view element) const;  // the first of this name
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  // "" where it is absent
  std::string get(std::string_view attribute) const;
};

inline constexpr std::size_t max_xml_size = std::size_t{16} << 20;
inline constexpr int max_xml_depth = 400;
inline constexpr std::size_t max_xml_elements = 1000000;

// `file`: index of the file in places (core/source_files.h), 0 for the model file.
std::optional<XmlElement> parse_xml(std::string_view text, int file, Diagnostics& problems);

// The text of a file, at most `max_xml_size` bytes and one more.
std::optional<std::string> read_xml_text(const std::string& path, Location asked_at,
                                         Diagnostics& problems);

}  // namespace cartan::import
