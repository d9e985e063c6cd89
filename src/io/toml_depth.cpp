#include "io/toml_depth.h"

namespace cartan::io {
namespace {

// Walks over the text as TOML divides it: strings and comments are jumped over, so that dots in
// them do not count. Text that is not TOML may be divided wrongly, but only behind the point where
// the parser stops.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::optional<Location> find() {
    int dots = 0;
    while (i_ < text_.size()) {
      const char c = text_[i_];
      if (c == '#') {
        skip_comment();
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        if (c == '.' && ++dots >= max_key_parts) return here();
        if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
        ++i_;
      }
    }
    return std::nullopt;
  }

 private:
  void skip_comment() {
    while (i_ < text_.size() && text_[i_] != '\n') ++i_;
  }
  void skip_string(char quote) {
    const bool many_lines =
        text_.substr(i_, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
    const std::size_t length = many_lines ? 3 : 1;
    const std::string_view delimiter = text_.substr(i_, length);
    for (i_ += length; i_ < text_.size(); ++i_) {
      if (text_[i_] == '\\' && quote == '"') {
        ++i_;
      } else if (text_.substr(i_, length) == delimiter) {
        i_ += length;
        while (many_lines && i_ < text_.size() && text_[i_] == quote)
          ++i_;  // """a"""" ends in a quote
        return;
      } else if (text_[i_] == '\n' && !many_lines) {
        return;
      }
    }
  }
  Location here() const {
    Location place{1, 1};
    for (std::size_t k = 0; k < i_; ++k) {
      if (text_[k] == '\n') {
        ++place.line;
        place.column = 1;
      } else if ((static_cast<unsigned char>(text_[k]) & 0xC0) != 0x80) {
        ++place.column;
      }
    }
    return place;
  }

  std::string_view text_;
  std::size_t i_ = 0;
};

}  // namespace

std::optional<Location> find_too_deep_key(std::string_view text) {
  return Walk(text).find();
}

}  // namespace cartan::io
