// Numbers and words out of XML attributes and texts. What has the wrong form is complained about at
// its place; the caller goes on with a default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/vec3.h"
#include "import/xml_tree.h"

namespace cartan::import {

// Numbers separated by blanks; nothing, after a complaint, if there is anything else. `what` is for
// the message: "attribute 'xyz' of <origin>".
std::optional<std::vector<double>> parse_numbers(const std::string& text, const std::string& what,
                                                 Location where, Diagnostics& problems);

// Of an attribute. `least`, `most`: how many there may be. Empty: absent, or reported.
std::vector<double> read_numbers(const XmlElement& element, const char* attribute, int least,
                                 int most, Diagnostics& problems);
double read_number(const XmlElement& element, const char* attribute, double otherwise,
                   Diagnostics& problems);
Vec3<double> read_triple(const XmlElement& element, const char* attribute,
                         const Vec3<double>& otherwise, Diagnostics& problems);
// true, false, 1, 0
bool read_flag(const std::string& text, bool otherwise);

// Of the text between the tags.
double text_number(const XmlElement& element, double otherwise, Diagnostics& problems);
Vec3<double> text_triple(const XmlElement& element, const Vec3<double>& otherwise,
                         Diagnostics& problems);
std::string trimmed(const std::string& text);

// "a b c"
std::vector<std::string> words_of(const std::string& text);

inline Vec3<double> triple(const std::vector<double>& x) {
  return {x[0], x[1], x[2]};
}

}  // namespace cartan::import
