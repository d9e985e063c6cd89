// Checksums of 128 bits, to notice files that were cut off, damaged or mixed up. No defence against
// forgery: who can write the file can write its checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/folders.h"

namespace cartan::core {

class Checksum {
 public:
  void add(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }
  std::string text() const;  // 32 hexadecimal digits

 private:
  void mix(std::uint64_t word);

  std::uint64_t state_[2] = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
  std::uint64_t bytes_ = 0;
  unsigned char rest_[8] = {};  // bytes that do not fill a word yet
};

std::string checksum_of(std::string_view text);

struct Fingerprint {
  std::uint64_t bytes = 0;
  std::string checksum;
  bool operator==(const Fingerprint&) const = default;
};
// Of an ordinary file; nothing where it cannot be read.
std::optional<Fingerprint> calc_fingerprint(const std::string& path);

}  // namespace cartan::core
