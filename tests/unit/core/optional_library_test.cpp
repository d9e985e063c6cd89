// Libraries that are loaded when asked for: the first file that is there, the one the environment
// names, and what is said where a function is missing.
#include "core/optional_library.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace cartan::test {
namespace {

TEST(OptionalLibrary, TheFirstThatIsThere) {
  OptionalLibrary library({"libno-such-library.so.7", "libm.so.6"});
  ASSERT_TRUE(library.is_loaded());
  double (*hypotenuse)(double, double) = nullptr;
  library.find("hypot", hypotenuse);
  ASSERT_TRUE(library.is_whole());
  EXPECT_EQ(hypotenuse(3, 4), 5);
}

TEST(OptionalLibrary, OneThatLacksAFunctionIsNotWhole) {
  OptionalLibrary library({"libm.so.6"});
  int (*nothing)() = nullptr;
  double (*hypotenuse)(double, double) = nullptr;
  library.find("no_such_function", nothing);
  library.find("hypot", hypotenuse);
  EXPECT_TRUE(library.is_loaded());
  EXPECT_FALSE(library.is_whole());
  EXPECT_EQ(nothing, nullptr);
  EXPECT_NE(hypotenuse, nullptr);
}

TEST(OptionalLibrary, NoneIsThere) {
  OptionalLibrary library({"libno-such-library.so.7"});
  void* data = &library;
  library.find("anything", data);
  EXPECT_FALSE(library.is_loaded());
  EXPECT_FALSE(library.is_whole());
  EXPECT_EQ(data, nullptr);
}

TEST(OptionalLibrary, TheEnvironmentChoosesAlone) {
  setenv("CARTAN_TEST_LIBRARY", "/no/such/file.so", 1);
  EXPECT_FALSE(OptionalLibrary({"libm.so.6"}, "CARTAN_TEST_LIBRARY").is_loaded());
  setenv("CARTAN_TEST_LIBRARY", "libm.so.6", 1);
  EXPECT_TRUE(OptionalLibrary({"libno-such-library.so.7"}, "CARTAN_TEST_LIBRARY").is_loaded());
  unsetenv("CARTAN_TEST_LIBRARY");
  EXPECT_TRUE(OptionalLibrary({"libm.so.6"}, "CARTAN_TEST_LIBRARY").is_loaded());
}

}  // namespace
}  // namespace cartan::test
