// How findings are shown and how near a mistyped name must be to be recognised.
#include "core/diagnostics.h"

#include <gtest/gtest.h>

namespace cartan::test {
namespace {

TEST(Diagnostics, TextIsSortedByPlace) {
  Diagnostics diagnostics("top.toml");
  diagnostics.error({12, 4}, "last");
  diagnostics.warning({3, 10}, "second");
  diagnostics.error({3, 2}, "first");
  diagnostics.error({}, "whole file");
  diagnostics.error({12, 4}, "same place, told later");
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.text(),
            "top.toml: whole file\n"
            "top.toml:3:2: first\n"
            "top.toml:3:10: warning: second\n"
            "top.toml:12:4: last\n"
            "top.toml:12:4: same place, told later\n");
  EXPECT_EQ(Diagnostics().text(), "");
}

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string> keys{"mass", "inertia", "com", "shape", "density", "name"};
  EXPECT_EQ(nearest_name("mas", keys), "mass");
  EXPECT_EQ(nearest_name("amss", keys), "mass");  // neighbours swapped: one edit
  EXPECT_EQ(nearest_name("MASS", keys), "mass");
  EXPECT_EQ(nearest_name("intertia", keys), "inertia");
  EXPECT_EQ(nearest_name("densiti", keys), "density");
  EXPECT_EQ(nearest_name("colour", keys), "");
  EXPECT_EQ(nearest_name("x", keys), "");
  EXPECT_EQ(nearest_name("", keys), "");
  EXPECT_EQ(nearest_name("mass", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), {std::string(100000, 'b')}), "");
}

TEST(NearestName, CaseDecidesBetweenEquallyNearNames) {
  EXPECT_EQ(nearest_name("Link", {"link", "Links", "LINK"}), "link");
  EXPECT_EQ(nearest_name("T", {"x", "t"}), "t");
  EXPECT_EQ(nearest_name("Arm1", {"arm2", "Arm2"}), "Arm2");
}

}  // namespace
}  // namespace cartan::test
