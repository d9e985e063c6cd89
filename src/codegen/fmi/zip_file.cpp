#include "codegen/fmi/zip_file.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace cartan::codegen {
namespace {

// Polynomial 0x04c11db7 with bits reversed, as ZIP has it.
std::uint32_t calc_crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      made[i] = c;
    }
    return made;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (const unsigned char byte : bytes) crc = table[(crc ^ byte) & 255] ^ (crc >> 8);
  return ~crc;
}

void append_number(std::string& to, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) to += static_cast<char>(value >> (8 * k) & 255);
}

// What the header of a file and its entry in the directory share: version 2.0, no flags but names
// in UTF-8, stored, 1980-01-01 00:00.
void append_facts(std::string& to, const ZipEntry& entry) {
  append_number(to, 20, 2);
  append_number(to, 0x0800, 2);
  append_number(to, 0, 2);
  append_number(to, 0, 2);
  append_number(to, 1 << 5 | 1, 2);
  append_number(to, calc_crc32(entry.content), 4);
  append_number(to, entry.content.size(), 4);
  append_number(to, entry.content.size(), 4);
  append_number(to, entry.name.size(), 2);
  append_number(to, 0, 2);  // no extra field
}

}  // namespace

std::string make_zip(const std::vector<ZipEntry>& entries) {
  std::string archive, directory;
  for (const ZipEntry& entry : entries) {
    directory += "PK\1\2";
    append_number(directory, 3 << 8 | 20, 2);  // made on Unix
    append_facts(directory, entry);
    append_number(directory, 0, 2);                 // no comment
    append_number(directory, 0, 4);                 // first disk, no attributes
    append_number(directory, 0100644ull << 16, 4);  // an ordinary file
    append_number(directory, archive.size(), 4);
    directory += entry.name;
    archive += "PK\3\4";
    append_facts(archive, entry);
    archive += entry.name + entry.content;
  }
  const std::size_t begin = archive.size();
  archive += directory + "PK\5\6";
  append_number(archive, 0, 4);
  append_number(archive, entries.size(), 2);
  append_number(archive, entries.size(), 2);
  append_number(archive, directory.size(), 4);
  append_number(archive, begin, 4);
  append_number(archive, 0, 2);
  return archive;
}

}  // namespace cartan::codegen
