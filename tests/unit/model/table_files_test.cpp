#include "model/table_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cartan {
namespace {

class TableFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::shared_ptr<const Spline> find(const std::string& content, const std::string& column) {
    std::ofstream(folder_ / "data.csv", std::ios::binary) << content;
    return TableFiles(folder_.string()).find("data.csv", column, problem_);
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
TEST_F(TableFilesTest, OneSplineForAllUses) {
  std::ofstream(folder_ / "data.csv") << "t,y\n0,1\n1,2\n";
  TableFiles files(folder_.string());
  EXPECT_EQ(files.find("data.csv", "y", problem_), files.find("data.csv", "y", problem_));
}
TEST_F(TableFilesTest, RefusesFoldersAndOddNumbers) {
  EXPECT_FALSE(TableFiles(folder_.string()).find(".", "y", problem_));
  EXPECT_NE(problem_.find("does not exist"), std::string::npos);
  EXPECT_FALSE(find("t,y\n0,1\n1,nan\n", "y"));
  EXPECT_FALSE(find("t,y\n0,1\n1,2x\n", "y"));
  EXPECT_FALSE(find("", "y"));
  EXPECT_FALSE(find("t,y\n", "y"));
}

}  // namespace
}  // namespace cartan
