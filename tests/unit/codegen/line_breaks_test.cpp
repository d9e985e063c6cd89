// Long equations on several lines.
#include "codegen/languages/line_breaks.h"

#include <gtest/gtest.h>

namespace cartan::test {
namespace {

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

TEST(LineBreaks, PiecesAreTheWholeText) {
  const std::string text = "a*(b + c*(d - e)) + f - g*(h + i + j + k + l + m)";
  for (const std::size_t width : {5, 10, 20, 200}) {
    const auto pieces = breakable_pieces(text, width, false);
    EXPECT_EQ(joined(pieces), text);
    if (width == 200) EXPECT_EQ(pieces.size(), 3u);
    if (width == 20) EXPECT_GT(pieces.size(), 3u);  // inside of the last brackets
  }
}

TEST(LineBreaks, TextFitsIntoTheWidth) {
  std::string sum = "x1";
  for (int k = 2; k < 60; ++k) sum += " + x" + std::to_string(k);
  const std::string text = text_equation("y", sum, 60, "      ");
  std::size_t longest = 0, lines = 1, at = 0, end;
  for (; (end = text.find('\n', at)) != std::string::npos; at = end + 1, ++lines)
    longest = std::max(longest, end - at);
  EXPECT_LE(longest, 62u);
  EXPECT_GE(lines, 5u);
  EXPECT_EQ(text_equation("y", "a + b", 60, "  "), "y = a + b");
}

// Brackets that are opened on one line and closed on another must not be \\left and \\right; no
// break inside of a fraction.
TEST(LineBreaks, LatexStaysWhole) {
  std::string sum = "x_{1}";
  for (int k = 2; k < 90; ++k) sum += " + x_{" + std::to_string(k) + "}";
  const std::string broken = latex_display({{"y", "a \\, \\left(" + sum + "\\right)"}});
  EXPECT_NE(broken.find("\\\\\n"), std::string::npos);
  EXPECT_EQ(broken.find("\\left("), std::string::npos);
  EXPECT_NE(broken.find("\\bigl("), std::string::npos);
  const std::string fraction = latex_display({{"y", "\\frac{" + sum + "}{2}"}});
  EXPECT_EQ(fraction.find("\\\\\n"), std::string::npos);
  const std::string small = latex_display({{"y", "\\left(a + b\\right)"}, {"z", "c"}});
  EXPECT_NE(small.find("y &= \\left(a + b\\right)"), std::string::npos);
}

TEST(LineBreaks, LengthOnPaper) {
  EXPECT_EQ(length_on_paper("\\dot{q}_{1}"), 2u);
  EXPECT_EQ(length_on_paper("\\sin{q_{2}}"), 5u);
  EXPECT_EQ(length_on_paper("a + b"), 5u);
}

}  // namespace
}  // namespace cartan::test
