// What an FMU is made of: an archive, and descriptions in XML.
#include <expat.h>
#include <gtest/gtest.h>

#include "cli/fmu_importer.h"

namespace cartan::test {
namespace {

std::uint64_t little(const std::string& bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int k = count - 1; k >= 0; --k)
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(k)));
  return value;
}

// Bit by bit, from the polynomial.
std::uint32_t slow_crc(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const unsigned char byte : bytes)
    for (int k = 0; k < 8; ++k) {
      const bool odd = (crc ^ (byte >> k)) & 1u;
      crc >>= 1;
      if (odd) crc ^= 0xedb88320u;
    }
  return ~crc;
}

struct XmlReading {
  std::vector<XmlElement> elements;
  std::vector<std::string> open;
};

void begin_xml(void* data, const char* name, const char** attributes) {
  auto& reading = *static_cast<XmlReading*>(data);
  XmlElement element{name, reading.open.empty() ? "" : reading.open.back(), {}};
  for (int k = 0; attributes[k]; k += 2) element.attributes[attributes[k]] = attributes[k + 1];
  reading.elements.push_back(std::move(element));
  reading.open.emplace_back(name);
}
void end_xml(void* data, const char*) {
  static_cast<XmlReading*>(data)->open.pop_back();
}

}  // namespace

std::map<std::string, std::string> read_archive(const std::string& bytes) {
  std::map<std::string, std::string> files;
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(bytes.substr(end, 4), "PK\5\6");
  const auto count = little(bytes, end + 10, 2);
  std::size_t at = little(bytes, end + 16, 4);
  EXPECT_EQ(at + little(bytes, end + 12, 4), end);
  for (std::uint64_t k = 0; k < count; ++k) {
    EXPECT_EQ(bytes.substr(at, 4), "PK\1\2");
    EXPECT_LE(little(bytes, at + 6, 2), 20u);             // version needed
    EXPECT_EQ(little(bytes, at + 8, 2) & ~0x800ull, 0u);  // no flags but UTF-8
    EXPECT_EQ(little(bytes, at + 10, 2), 0u);             // stored
    const auto crc = little(bytes, at + 16, 4), size = little(bytes, at + 24, 4);
    const auto name_size = little(bytes, at + 28, 2), local = little(bytes, at + 42, 4);
    const std::string name = bytes.substr(at + 46, name_size);
    EXPECT_EQ(bytes.substr(local, 4), "PK\3\4");
    EXPECT_EQ(bytes.substr(local + 30, name_size), name);
    const std::string content = bytes.substr(local + 30 + name_size, size);
    EXPECT_EQ(slow_crc(content), crc) << name;
    EXPECT_TRUE(files.emplace(name, content).second) << name;
    at += 46 + name_size;
  }
  return files;
}

std::vector<XmlElement> read_xml(const std::string& text) {
  XmlReading reading;
  XML_Parser parser = XML_ParserCreate(nullptr);
  XML_SetUserData(parser, &reading);
  XML_SetElementHandler(parser, begin_xml, end_xml);
  EXPECT_EQ(XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1), XML_STATUS_OK)
      << XML_ErrorString(XML_GetErrorCode(parser)) << " in line "
      << XML_GetCurrentLineNumber(parser);
  XML_ParserFree(parser);
  return reading.elements;
}

}  // namespace cartan::test
