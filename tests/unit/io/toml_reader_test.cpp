#include <gtest/gtest.h>

#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

const std::string body = "[[body]]\nname = \"a\"\nmass = 1\n";
const std::string joint =
    "[[joint]]\nname = \"j\"\ntype = \"free\"\nparent = { body = \"world\" }\nchild = { body = "
    "\"a\" }\n";

std::string place(const Loaded& loaded) {
  const auto& findings = loaded.problems.findings();
  if (findings.size() != 1) return loaded.problems.text();
  return std::to_string(findings[0].where.line) + ":" + std::to_string(findings[0].where.column);
}

TEST(TomlReader, PointsIntoExpressions) {
  EXPECT_EQ(place(load_model_text("[parameters]\nx = \"1 + y\"\n" + body + joint)), "2:10");
  EXPECT_EQ(place(load_model_text("[parameters]\nx = '1 + y'\n" + body + joint)), "2:10");
}
TEST(TomlReader, PointsIntoExpressionsBehindOtherLetters) {
  EXPECT_EQ(place(load_model_text("[parameters]\n\"x\" = \"1 + y\" # \xC3\xA4\n" + body + joint)),
            "2:12");
  EXPECT_EQ(place(load_model_text(
                "name = \"\xC3\xA4\xC3\xB6\"\ngravity = ['t', \"\xC3\xA4\", 0]\n" + body + joint)),
            "2:18");
}
TEST(TomlReader, PointsToTheStartOfStringsWhoseColumnsDiffer) {
  EXPECT_EQ(place(load_model_text("[parameters]\nx = \"1\\u0020+ y\"\n" + body + joint)), "2:5");
  EXPECT_EQ(place(load_model_text("[parameters]\nx = \"\"\"\n1 + y\"\"\"\n" + body + joint)),
            "2:5");
}
TEST(TomlReader, AcceptsAByteOrderMarkAndWindowsLineEnds) {
  EXPECT_EQ(load_model_text("\xEF\xBB\xBF" + body + joint).problems.text(), "");
  std::string windows;
  for (char c : body + joint) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(load_model_text(windows).problems.text(), "");
}

TEST(TomlReader, AcceptsLettersBehindAContinuedLine) {
  const Loaded loaded = load_model_text("name = \"\"\"a\\\n   \xC3\xA4\"\"\"\n" + body + joint);
  ASSERT_TRUE(loaded.model) << loaded.problems.text();
  EXPECT_EQ(loaded.model->name, "a\xC3\xA4");
}

TEST(TomlReader, OneValueStandsForAListOfOne) {
  const std::string revolute =
      "[[joint]]\nname = \"j\"\ntype = \"revolute\"\naxis = [0, 0, 1]\nparent = { body = \"world\" "
      "}\n"
      "child = { body = \"a\" }\n";
  for (const char* velocity : {"2", "[2]", "\"1 + 1\"", "[\"1 + 1\"]"}) {
    const Loaded loaded = load_model_text(body + revolute + "velocity = " + velocity + "\n");
    ASSERT_TRUE(loaded.model) << velocity;
    EXPECT_EQ(evaluate<double>(loaded.model->joints[0].velocity, {})[0], 2) << velocity;
  }
}
TEST(TomlReader, ShapesAreOneTableOrAList) {
  const Loaded one = load_model_text(body + "shape = { sphere = 1 }\n" + joint);
  const Loaded two =
      load_model_text(body + "shape = [{ sphere = 1 }, { box = [1, 2, 3] }]\n" + joint);
  ASSERT_TRUE(one.model && two.model);
  EXPECT_EQ(one.model->bodies[0].shapes.size(), 1u);
  EXPECT_EQ(two.model->bodies[0].shapes.size(), 2u);
}
TEST(TomlReader, DottedKeysAndSubTablesAreTheSameTable) {
  const Loaded loaded = load_model_text(body +
                                        "[[joint]]\nname = \"j\"\ntype = \"free\"\nparent.body = "
                                        "\"world\"\n[joint.child]\nbody = \"a\"\n");
  EXPECT_TRUE(loaded.model) << loaded.problems.text();
}

TEST(TomlReader, RefusesFilesThatAreTooLarge) {
  const std::string large(max_model_file_size + 1, '\n');
  const Loaded loaded = load_model_text(large);
  EXPECT_NE(loaded.problems.text().find("larger than 16 MB"), std::string::npos);
}
TEST(TomlReader, RefusesWhatIsNotAFile) {
  EXPECT_NE(load_file(test_folder("tests")).problems.text().find("a folder"), std::string::npos);
  EXPECT_NE(load_file("no/such/file.toml").problems.text().find("cannot be opened"),
            std::string::npos);
}
TEST(TomlReader, SurvivesDeepNesting) {
  const int depth = 200000;
  std::string keys = "a", lists = "a = ", tables = "a = ", headers = "[a";
  for (int i = 0; i < depth; ++i) {
    keys += ".a";
    headers += ".\"a\"";
    lists += "[";
    tables += "{a=";
  }
  for (const std::string& text : {keys + " = 1", headers + "]", lists, tables})
    EXPECT_TRUE(load_model_text(text).problems.has_errors());
}
TEST(TomlReader, DotsInTextsAndCommentsAreNoKeys) {
  const std::string dots =
      "# a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a\nname = \"a.a.a.a.a.a.a.a.a.a."
      "a.a.a.a.a.a.a.a.a.a.a.a.a\"\n";
  EXPECT_EQ(load_model_text(dots + body + joint).problems.text(), "");
}

}  // namespace
}  // namespace cartan::test
