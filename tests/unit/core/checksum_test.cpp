#include "core/checksum.h"

#include <random>

#include <gtest/gtest.h>

#include "core/printable.h"

namespace cartan::test {
namespace {

std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, ' ');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(Checksum, PiecesGiveTheSameAsTheWhole) {
  const std::string text = random_bytes(1000, 1);
  for (const std::size_t piece : {1, 3, 7, 8, 9, 64, 999}) {
    Checksum sum;
    for (std::size_t at = 0; at < text.size(); at += piece)
      sum.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(sum.text(), checksum_of(text)) << piece;
    EXPECT_EQ(sum.bytes(), text.size());
  }
}

TEST(Checksum, EveryByteAndTheLengthCount) {
  const std::string text = random_bytes(67, 2), whole = checksum_of(text);
  EXPECT_EQ(whole.size(), 32u);
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[at] = static_cast<char>(other[at] ^ (1 << bit));
      EXPECT_NE(checksum_of(other), whole);
    }
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(checksum_of(text.substr(0, length)), whole);
  EXPECT_NE(checksum_of(std::string(8, '\0')), checksum_of(std::string(9, '\0')));
  EXPECT_NE(checksum_of(""), checksum_of(std::string(1, '\0')));
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b[31m\x7f"), "a\\x1b[31m\\x7f");
  EXPECT_EQ(printable("two\nlines\tand a return\r", Lines::kept), "two\nlines\tand a return\\x0d");
  EXPECT_EQ(printable("two\nlines"), "two\\x0alines");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f \xe2\x88\x9e"), "gr\xc3\xbc\xc3\x9f \xe2\x88\x9e");
  EXPECT_TRUE(is_printable("gr\xc3\xbc\xc3\x9f"));
  EXPECT_FALSE(is_printable("a\tb"));
  EXPECT_FALSE(is_printable("\xc2\x80"));
}

}  // namespace
}  // namespace cartan::test
