#include "import/xml_tree.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <expat.h>

#include "core/source_files.h"

namespace cartan::import {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Line and column (in characters) of a byte of the text.
class TextPlaces {
 public:
  explicit TextPlaces(std::string_view text) : text_(text) {
    lines_.push_back(text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
  }
  Location of(std::size_t byte) const {
    byte = std::min(byte, text_.size());
    const auto after = std::upper_bound(lines_.begin(), lines_.end(), byte);
    const std::size_t line = after == lines_.begin() ? 0 : after - lines_.begin() - 1;
    int column = 1;
    for (std::size_t i = lines_[line]; i < byte; ++i)
      column += (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80;
    return {static_cast<int>(line) + 1, column};
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> lines_;
};

// Blanks and comments before <?xml ..?> are no XML, but the tools of these formats take them: the
// declaration is blanked out.
std::string hide_late_declaration(std::string text) {
  std::size_t i = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
  const std::size_t first = i;
  for (;;) {
    while (i < text.size() && is_blank(text[i])) ++i;
    if (text.compare(i, 4, "<!--") != 0) break;
    const std::size_t end = text.find("-->", i);
    if (end == std::string::npos) return text;
    i = end + 3;
  }
  if (i == first || text.compare(i, 5, "<?xml") != 0) return text;
  const std::size_t end = text.find("?>", i);
  for (; end != std::string::npos && i < end + 2; ++i)
    if (!is_blank(text[i])) text[i] = ' ';
  return text;
}

class XmlBuilder {
 public:
  XmlBuilder(std::string text, int file, Diagnostics& problems)
      : own_(std::move(text)), text_(own_), places_(text_), file_(file), problems_(problems) {}
  ~XmlBuilder() {
    if (parser_) XML_ParserFree(parser_);
  }
  XmlBuilder(const XmlBuilder&) = delete;
  XmlBuilder& operator=(const XmlBuilder&) = delete;

  std::optional<XmlElement> build() {
    parser_ = XML_ParserCreate(nullptr);
    if (!parser_) {
      problems_.error({}, "no memory for the XML parser");
      return std::nullopt;
    }
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(parser_, on_start, on_end);
    XML_SetCharacterDataHandler(parser_, on_text);
    XML_SetEntityDeclHandler(parser_, on_entity);
    const XML_Status status =
        XML_Parse(parser_, text_.data(), static_cast<int>(text_.size()), XML_TRUE);
    if (refused_) return std::nullopt;
    if (status != XML_STATUS_OK) {
      problems_.error(here(),
                      std::string("not valid XML: ") + XML_ErrorString(XML_GetErrorCode(parser_)));
      return std::nullopt;
    }
    return std::move(root_);
  }

 private:
  static XmlBuilder& self(void* data) { return *static_cast<XmlBuilder*>(data); }
  static void on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
    self(data).start(name, attributes);
  }
  static void on_end(void* data, const XML_Char*) { self(data).end(); }
  static void on_text(void* data, const XML_Char* text, int length) {
    XmlBuilder& builder = self(data);
    if (!builder.open_.empty()) builder.open_.back().text.append(text, length);
  }
  static void on_entity(void* data, const XML_Char* name, int, const XML_Char*, int,
                        const XML_Char*, const XML_Char*, const XML_Char*, const XML_Char*) {
    self(data).refuse(std::string("the document declares the entity '") + name +
                      "'; entities may grow without bound and are not expanded: write the text "
                      "itself");
  }

  Location here() const { return place(XML_GetCurrentByteIndex(parser_)); }
  Location place(long byte) const {
    return place_in_file(places_.of(byte < 0 ? text_.size() : static_cast<std::size_t>(byte)),
                         file_);
  }
  void refuse(const std::string& message) {
    if (!refused_) problems_.error(here(), message);
    refused_ = true;
    XML_StopParser(parser_, XML_FALSE);
  }

  void start(const char* name, const char** attributes) {
    if (refused_) return;
    if (open_.size() >= static_cast<std::size_t>(max_xml_depth))
      return refuse("elements are nested more than " + std::to_string(max_xml_depth) + " deep");
    if (++count_ > max_xml_elements)
      return refuse("the document has more than " + std::to_string(max_xml_elements) + " elements");
    XmlElement element;
    element.name = name;
    element.where = here();
    for (; attributes[0]; attributes += 2)
      element.attributes.push_back({attributes[0], attributes[1], element.where});
    locate(element);
    open_.push_back(std::move(element));
  }
  void end() {
    if (refused_ || open_.empty()) return;
    XmlElement done = std::move(open_.back());
    open_.pop_back();
    if (open_.empty())
      root_ = std::move(done);
    else
      open_.back().children.push_back(std::move(done));
  }

  // The parser tells where a tag begins; its attributes are found in its text, in their order.
  void locate(XmlElement& element) {
    const long first = XML_GetCurrentByteIndex(parser_);
    const int length = XML_GetCurrentByteCount(parser_);
    if (first < 0 || first + length > static_cast<long>(text_.size())) return;
    const std::string_view tag = text_.substr(first, length);
    std::size_t i = 0;
    while (i < tag.size() && !is_blank(tag[i])) ++i;  // <name
    for (XmlAttribute& attribute : element.attributes) {
      while (i < tag.size() && is_blank(tag[i])) ++i;
      attribute.where = place(first + static_cast<long>(i));
      while (i < tag.size() && tag[i] != '"' && tag[i] != '\'') ++i;
      if (i >= tag.size()) return;
      i = tag.find(tag[i], i + 1);
      if (i == std::string_view::npos) return;
      ++i;
    }
  }

  std::string own_;
  std::string_view text_;
  TextPlaces places_;
  int file_;
  Diagnostics& problems_;
  XML_Parser parser_ = nullptr;
  std::vector<XmlElement> open_;
  std::optional<XmlElement> root_;
  std::size_t count_ = 0;
  bool refused_ = false;
};

}  // namespace

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute) return &a;
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view element) const {
  for (const XmlElement& c : children)
    if (c.name == element) return &c;
  return nullptr;
}

std::string XmlElement::get(std::string_view attribute) const {
  const XmlAttribute* a = find(attribute);
  return a ? a->value : "";
}

std::optional<XmlElement> parse_xml(std::string_view text, int file, Diagnostics& problems) {
  if (text.size() > max_xml_size) {
    problems.error(place_in_file({1, 1}, file), "the file is larger than 16 MB");
    return std::nullopt;
  }
  const std::string_view begin = text.substr(0, 2);
  if (begin == "\xFF\xFE" || begin == "\xFE\xFF") {
    problems.error(place_in_file({1, 1}, file), "the file is in UTF-16; expected UTF-8");
    return std::nullopt;
  }
  return XmlBuilder(hide_late_declaration(std::string(text)), file, problems).build();
}

std::optional<std::string> read_xml_text(const std::string& path, Location asked_at,
                                         Diagnostics& problems) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    problems.error(asked_at, "'" + path + "' is a folder; expected a model file");
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    problems.error(asked_at, "the file '" + path + "' cannot be opened");
    return std::nullopt;
  }
  std::string text;
  char block[1 << 14];
  while (text.size() <= max_xml_size && stream) {
    stream.read(block, sizeof block);
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

}  // namespace cartan::import
