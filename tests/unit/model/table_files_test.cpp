#include "model/table_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cartan::test {
namespace {

class TableFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::shared_ptr<const TableFunction> find(const std::string& content, const std::string& column,
                                            Interpolation interpolation = Interpolation::spline,
                                            Outside outside = Outside::error) {
    std::ofstream(folder_ / "data.csv", std::ios::binary) << content;
    return TableFiles(folder_.string()).find("data.csv", column, interpolation, outside, problem_);
  }

  std::filesystem::path folder_;
  std::string problem_;
};

TEST_F(TableFilesTest, TheFirstColumnIsTheAbscissa) {
  const auto spline = find("angle,moment\n0,1\n1,3\n2,5\n", "moment");
  ASSERT_TRUE(spline) << problem_;
  EXPECT_NEAR(spline->value(1.5), 4, 1e-14);
}
TEST_F(TableFilesTest, AColumnOfTimeIsPreferred) {
  const auto spline = find("moment,time\n1,0\n3,1\n5,2\n", "moment");
  ASSERT_TRUE(spline) << problem_;
  EXPECT_NEAR(spline->value(1.5), 4, 1e-14);
}
TEST_F(TableFilesTest, BlanksQuotesAndWindowsLineEndsAreAccepted) {
  const auto spline = find("\"t\" , \"a b\"\r\n 0 , +1\r\n\r\n1e0, 3.0\r\n", "a b");
  ASSERT_TRUE(spline) << problem_;
  EXPECT_NEAR(spline->value(0.5), 2, 1e-14);
}
TEST_F(TableFilesTest, OneTableForAllUses) {
  std::ofstream(folder_ / "data.csv") << "t,y\n0,1\n1,2\n";
  TableFiles files(folder_.string());
  const auto found = [&](Interpolation interpolation, Outside outside) {
    return files.find("data.csv", "y", interpolation, outside, problem_);
  };
  const auto linear = found(Interpolation::linear, Outside::hold);
  EXPECT_EQ(linear, found(Interpolation::linear, Outside::hold));
  EXPECT_NE(linear, found(Interpolation::pchip, Outside::hold));
  EXPECT_FALSE(files.has_bounded());
  EXPECT_NE(linear, found(Interpolation::linear, Outside::error));
  EXPECT_TRUE(files.has_bounded());
}
TEST_F(TableFilesTest, RefusesFoldersAndOddNumbers) {
  EXPECT_FALSE(
      TableFiles(folder_.string()).find(".", "y", Interpolation::pchip, Outside::error, problem_));
  EXPECT_NE(problem_.find("does not exist"), std::string::npos);
  EXPECT_FALSE(find("t,y\n0,1\n1,nan\n", "y"));
  EXPECT_FALSE(find("t,y\n0,1\n1,2x\n", "y"));
  EXPECT_FALSE(find("", "y"));
  EXPECT_FALSE(find("t,y\n", "y"));
}
TEST_F(TableFilesTest, RefusesTwoColumnsOfOneName) {
  EXPECT_FALSE(find("t,y,y\n0,1,2\n1,2,3\n", "y"));
  EXPECT_NE(problem_.find("two columns 'y'"), std::string::npos) << problem_;
}
TEST_F(TableFilesTest, ATableThatRepeatsEndsAsItBegins) {
  const std::string open = "t,y\n0,1\n1,2\n2,5\n", closed = "t,y\n0,1\n1,2\n2,1\n";
  EXPECT_FALSE(find(open, "y", Interpolation::pchip, Outside::periodic));
  EXPECT_NE(problem_.find("repeat the first"), std::string::npos) << problem_;
  problem_.clear();
  EXPECT_TRUE(find(open, "y", Interpolation::steps, Outside::periodic)) << problem_;
  EXPECT_TRUE(find(closed, "y", Interpolation::linear, Outside::periodic)) << problem_;
}

}  // namespace
}  // namespace cartan::test
