// Spellings of components, cut texts, notes about failures.
#include <gtest/gtest.h>

#include "core/column_name.h"
#include "core/diagnostics.h"
#include "core/failure_note.h"
#include "core/text_cut.h"

namespace cartan::test {
namespace {

TEST(ColumnName, BracketsOfCoordinatesAreLeftOut) {
  EXPECT_EQ(column_spelling("tilt.q[1]"), "tilt.q1");
  EXPECT_EQ(column_spelling("a b.c.v[12]"), "a b.c.v12");
  EXPECT_EQ(column_spelling("tilt.a[0]"), "tilt.a0");
  for (const char* same : {"tilt.q1", "force[1]", "tilt.x[1]", "tilt.q[]", "tilt.q[01]", "q[1]",
                           "tilt.q[1", "tilt.q[x]", "", "]", "tilt.q[1][2]", "tilt.q[99999999]"})
    EXPECT_EQ(column_spelling(same), same);
}

TEST(ColumnName, ComponentsAreSplitOff) {
  EXPECT_EQ(split_component("tilt.q1"), std::pair(std::string("tilt.q"), 1));
  EXPECT_EQ(split_component("link12.v10"), std::pair(std::string("link12.v"), 10));
  for (const char* none : {"tilt.q", "", "12", "tilt.q01", "tilt.q[1]", "q12345678901"})
    EXPECT_FALSE(split_component(none)) << none;
}

TEST(TextCut, KeepsBothEndsAndWholeLetters) {
  EXPECT_EQ(cut_middle("short"), "short");
  const std::string text = "begin" + std::string(1000, 'x') + "end";
  const std::string cut = cut_middle(text, 100);
  EXPECT_LT(cut.size(), 140u);
  EXPECT_TRUE(cut.starts_with("begin"));
  EXPECT_TRUE(cut.ends_with("end"));
  EXPECT_NE(cut.find("908 bytes"), std::string::npos) << cut;
  std::string umlauts;
  for (int k = 0; k < 500; ++k) umlauts += "\xc3\xa4";
  for (std::size_t most = 90; most < 110; ++most) {
    const std::string kept = cut_middle("a" + umlauts, most);
    int letters = 0, heads = 0;
    for (const unsigned char c : kept) letters += (c & 0xC0) == 0x80, heads += c == 0xC3;
    EXPECT_EQ(letters, heads) << most;
  }
}

TEST(Names, ARepeatedOneIsFound) {
  EXPECT_EQ(repeated_name({"a", "b", "c"}), "");
  EXPECT_EQ(repeated_name({"a", "b", "c", "b", "a"}), "b");
}

TEST(FailureNote, TheFirstStaysUntilItIsTaken) {
  clear_failure_note();
  note_failure("first");
  note_failure("second");
  EXPECT_TRUE(has_failure_note());
  EXPECT_EQ(take_failure_note(), "first");
  EXPECT_EQ(take_failure_note(), "");
}

TEST(Diagnostics, FiftyAreToldErrorsBeforeWarnings) {
  Diagnostics problems("file");
  for (int k = 0; k < 60; ++k) problems.warning({k + 1, 1}, "w");
  problems.error({100, 1}, "the error");
  const std::string text = problems.text();
  EXPECT_NE(text.find("file:100:1: the error"), std::string::npos);
  EXPECT_NE(text.find("11 more findings, 61 in all (1 errors)"), std::string::npos) << text;
}

}  // namespace
}  // namespace cartan::test
