#include "io/output_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace cartan {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() { fs::remove_all(root_); }
  ~OutputFiles() override { fs::remove_all(root_); }
  std::string path(const std::string& name) const { return (root_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static std::size_t count(const std::string& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path root_ = fs::path(testing::TempDir()) /
                   (std::string("cartan_output_") +
                    testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string problem_;
};

TEST_F(OutputFiles, AppearTogetherAtTheEnd) {
  const auto output = OutputFolder::open(path("a/b/"), problem_);
  ASSERT_TRUE(output) << problem_;
  ASSERT_TRUE(output->write("one.txt", "1", problem_));
  std::ofstream(output->add("two.txt")) << "2";
  EXPECT_FALSE(fs::exists(path("a/b/one.txt")));
  EXPECT_FALSE(fs::exists(path("a/b/two.txt")));
  ASSERT_TRUE(output->commit(problem_)) << problem_;
  EXPECT_EQ(read(path("a/b/one.txt")), "1");
  EXPECT_EQ(read(path("a/b/two.txt")), "2");
  EXPECT_EQ(count(path("a/b")), 2u);
}

TEST_F(OutputFiles, WithoutCommitNothingChanges) {
  fs::create_directories(root_);
  std::ofstream(path("one.txt")) << "old";
  {
    const auto output = OutputFolder::open(root_.string(), problem_);
    ASSERT_TRUE(output->write("one.txt", "new", problem_));
    output->drop("one.txt");
  }
  EXPECT_EQ(read(path("one.txt")), "old");
  EXPECT_EQ(count(root_.string()), 1u);
  { ASSERT_TRUE(OutputFolder::open(path("x/y/z"), problem_)); }
  EXPECT_FALSE(fs::exists(path("x"))) << "folders made for nothing are removed";
}

TEST_F(OutputFiles, DroppedFilesGoAndLeftoversToo) {
  fs::create_directories(root_);
  std::ofstream(path("extra.csv")) << "of an earlier run";
  std::ofstream(path(".one.txt.tmp-999999999")) << "of a run that died";
  std::ofstream(path(".hidden")) << "the user's";
  const auto output = OutputFolder::open(root_.string(), problem_);
  EXPECT_FALSE(fs::exists(path(".one.txt.tmp-999999999")));
  EXPECT_TRUE(fs::exists(path("extra.csv")));
  output->drop("extra.csv");
  output->drop("never there");
  ASSERT_TRUE(output->commit(problem_));
  EXPECT_FALSE(fs::exists(path("extra.csv")));
  EXPECT_TRUE(fs::exists(path(".hidden")));
}

TEST_F(OutputFiles, OneWriterAtATime) {
  auto first = OutputFolder::open(root_.string(), problem_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(OutputFolder::open(root_.string(), problem_));
  EXPECT_NE(problem_.find("another run is writing there"), std::string::npos) << problem_;
  first.reset();
  EXPECT_TRUE(OutputFolder::open(root_.string(), problem_));
}

TEST_F(OutputFiles, Refusals) {
  fs::create_directories(root_);
  std::ofstream(path("file")) << "x";
  for (const std::string& folder :
       {path("file"), path("file/sub"), std::string(), std::string("/proc/none")}) {
    EXPECT_FALSE(OutputFolder::open(folder, problem_)) << folder;
    EXPECT_NE(problem_.find("cannot write to the folder"), std::string::npos) << problem_;
  }
}

TEST_F(OutputFiles, SingleFile) {
  fs::create_directories(root_);
  ASSERT_TRUE(write_whole_file(path("a.txt"), "1", problem_));
  ASSERT_TRUE(write_whole_file(path("a.txt"), "2", problem_));
  EXPECT_EQ(read(path("a.txt")), "2");
  EXPECT_EQ(count(root_.string()), 1u);
  EXPECT_FALSE(write_whole_file(root_.string(), "x", problem_)) << "a folder";
  EXPECT_FALSE(write_whole_file(path("none/a.txt"), "x", problem_));
  EXPECT_TRUE(write_whole_file("/dev/null", "x", problem_));
  EXPECT_TRUE(fs::is_character_file("/dev/null")) << "a device stays what it is";
  EXPECT_FALSE(write_whole_file("/dev/full", "x", problem_));
}

}  // namespace
}  // namespace cartan
