#include "io/output_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace cartan::test {
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

  std::unique_ptr<OutputFolder> open(const std::string& folder, Replace replace = Replace::no,
                                     const std::string& command = "run") {
    return OutputFolder::open(folder, command, replace, problem_);
  }
  // A whole result of some files.
  void put(const std::vector<std::pair<std::string, std::string>>& files,
           const std::string& command = "run") {
    const auto output = open(root_.string(), Replace::no, command);
    ASSERT_TRUE(output) << problem_;
    for (const auto& [name, content] : files) ASSERT_TRUE(output->write(name, content, problem_));
    ASSERT_TRUE(output->commit(problem_)) << problem_;
  }

  fs::path root_ = fs::path(testing::TempDir()) /
                   (std::string("cartan_output_") +
                    testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string problem_;
};

TEST_F(OutputFiles, AppearTogetherAtTheEnd) {
  const auto output = open(path("a/b/"));
  ASSERT_TRUE(output) << problem_;
  ASSERT_TRUE(output->write("one.txt", "1", problem_));
  std::ofstream(output->add("two.txt")) << "2";
  EXPECT_FALSE(fs::exists(path("a/b/one.txt")));
  EXPECT_FALSE(fs::exists(path("a/b/two.txt")));
  ASSERT_TRUE(output->commit(problem_)) << problem_;
  EXPECT_EQ(read(path("a/b/one.txt")), "1");
  EXPECT_EQ(read(path("a/b/two.txt")), "2");
  const auto result = ResultFolder::open(path("a/b"), problem_);
  ASSERT_TRUE(result) << problem_;
  EXPECT_TRUE(result->check("one.txt", problem_) && result->check("two.txt", problem_)) << problem_;
}

TEST_F(OutputFiles, WithoutCommitNothingChanges) {
  put({{"one.txt", "old"}});
  {
    const auto output = open(root_.string());
    ASSERT_TRUE(output->write("one.txt", "new", problem_));
  }
  EXPECT_EQ(read(path("one.txt")), "old");
  EXPECT_EQ(count(root_.string()), 2u) << "and the manifest";
  { ASSERT_TRUE(open(path("x/y/z"))); }
  EXPECT_FALSE(fs::exists(path("x"))) << "folders made for nothing are removed";
}

// What an earlier result of the same command had goes, and what a killed one left; nothing else.
TEST_F(OutputFiles, OnlyOwnFilesGo) {
  put({{"one.txt", "1"}, {"extra.csv", "of an earlier run"}, {"edited.csv", "as it was"}});
  put({{"modes.json", "of another command"}}, "linearize");
  std::ofstream(path("edited.csv")) << "the user's work";
  std::ofstream(path("report.html")) << "the user's";
  std::ofstream(path(".notes.tmp-draft")) << "the user's";
  fs::create_directory(path(".cartan-writing-999999999"));
  std::ofstream(path(".cartan-writing-999999999/one.txt")) << "of a run that died";
  fs::create_directory(path(".cartan-writing-notes"));
  put({{"one.txt", "2"}});
  EXPECT_EQ(read(path("one.txt")), "2");
  EXPECT_FALSE(fs::exists(path("extra.csv")));
  EXPECT_FALSE(fs::exists(path(".cartan-writing-999999999")));
  EXPECT_EQ(read(path("edited.csv")), "the user's work");
  EXPECT_EQ(read(path("report.html")), "the user's");
  EXPECT_EQ(read(path(".notes.tmp-draft")), "the user's");
  EXPECT_TRUE(fs::exists(path(".cartan-writing-notes")));
  const auto result = ResultFolder::open(root_.string(), problem_);
  ASSERT_TRUE(result) << problem_;
  EXPECT_TRUE(result->has("one.txt") && result->has("modes.json"));
  EXPECT_FALSE(result->has("edited.csv") || result->has("report.html")) << "they only lie there";
}

TEST_F(OutputFiles, FilesOfOthersAreNotReplaced) {
  fs::create_directories(root_);
  std::ofstream(path("forces.csv")) << "the user's";
  {
    const auto output = open(root_.string());
    ASSERT_TRUE(output->write("forces.csv", "new", problem_));
    EXPECT_NE(output->find_conflict().find("forces.csv' exists already"), std::string::npos);
    EXPECT_FALSE(output->commit(problem_));
    EXPECT_NE(problem_.find("let it be replaced"), std::string::npos) << problem_;
  }
  EXPECT_EQ(read(path("forces.csv")), "the user's");
  EXPECT_EQ(count(root_.string()), 1u);
  {
    const auto output = open(root_.string(), Replace::yes);
    ASSERT_TRUE(output->write("forces.csv", "new", problem_));
    EXPECT_TRUE(output->commit(problem_)) << problem_;
  }
  EXPECT_EQ(read(path("forces.csv")), "new");
  // a folder is never replaced
  fs::create_directory(path("summary.json"));
  const auto output = open(root_.string(), Replace::yes);
  ASSERT_TRUE(output->write("forces.csv", "newer", problem_));
  ASSERT_TRUE(output->write("summary.json", "{}", problem_));
  EXPECT_FALSE(output->commit(problem_));
  EXPECT_NE(problem_.find("is a folder and in the way"), std::string::npos) << problem_;
  EXPECT_EQ(read(path("forces.csv")), "new");
}

TEST_F(OutputFiles, ReadersNoticeWhatIsNotAsWritten) {
  put({{"a.csv", "t,x\n0,1\n"}, {"b.csv", "t,y\n0,2\n"}});
  const auto result = ResultFolder::open(root_.string(), problem_);
  ASSERT_TRUE(result);
  fs::resize_file(path("a.csv"), 5);
  EXPECT_FALSE(result->check("a.csv", problem_));
  EXPECT_NE(problem_.find("cut off"), std::string::npos) << problem_;
  EXPECT_FALSE(check_result_file(path("a.csv"), problem_));
  std::ofstream(path("b.csv")) << "t,y\n0,3\n";
  EXPECT_FALSE(result->check("b.csv", problem_));
  EXPECT_NE(problem_.find("changed or damaged"), std::string::npos) << problem_;
  fs::remove(path("b.csv"));
  EXPECT_FALSE(result->check("b.csv", problem_));
  EXPECT_TRUE(result->is_unchanged(problem_));
  put({{"a.csv", "t,x\n0,1\n"}});
  EXPECT_FALSE(result->is_unchanged(problem_));
  std::ofstream(path(manifest_name)) << "{";
  EXPECT_FALSE(ResultFolder::open(root_.string(), problem_));
  EXPECT_NE(problem_.find("damaged"), std::string::npos) << problem_;
}

TEST_F(OutputFiles, APartIsMarked) {
  {
    const auto output = open(root_.string());
    ASSERT_TRUE(output->write("a.csv", "t\n", problem_));
    output->mark_partial("stopped at t = 1");
    ASSERT_TRUE(output->commit(problem_));
  }
  EXPECT_EQ(partial_reason(root_.string()), "stopped at t = 1");
  EXPECT_EQ(partial_reason(path("a.csv")), "stopped at t = 1");
  put({{"a.csv", "t\n"}});
  EXPECT_EQ(partial_reason(root_.string()), "");
}

TEST_F(OutputFiles, OneWriterAtATime) {
  auto first = open(root_.string());
  ASSERT_TRUE(first);
  ASSERT_TRUE(first->write("one.txt", "1", problem_));
  EXPECT_FALSE(open(root_.string()));
  EXPECT_NE(problem_.find("another run is writing there"), std::string::npos) << problem_;
  EXPECT_TRUE(first->commit(problem_)) << "the second one took nothing away: " << problem_;
  first.reset();
  EXPECT_TRUE(open(root_.string()));
}

TEST_F(OutputFiles, Refusals) {
  fs::create_directories(root_);
  std::ofstream(path("file")) << "x";
  for (const std::string& folder :
       {path("file"), path("file/sub"), std::string(), std::string("/proc/none")}) {
    EXPECT_FALSE(open(folder)) << folder;
    EXPECT_NE(problem_.find("cannot write to the folder"), std::string::npos) << problem_;
  }
}

TEST_F(OutputFiles, SingleFile) {
  fs::create_directories(root_);
  ASSERT_TRUE(write_whole_file(path("a.txt"), "1", Replace::no, problem_)) << problem_;
  EXPECT_FALSE(write_whole_file(path("a.txt"), "2", Replace::no, problem_));
  EXPECT_NE(problem_.find("exists already"), std::string::npos) << problem_;
  EXPECT_NE(refuse_existing(path("a.txt"), Replace::no), "");
  EXPECT_EQ(refuse_existing(path("a.txt"), Replace::yes), "");
  EXPECT_EQ(refuse_existing("/dev/null", Replace::no), "");
  EXPECT_EQ(read(path("a.txt")), "1");
  ASSERT_TRUE(write_whole_file(path("a.txt"), "2", Replace::yes, problem_)) << problem_;
  EXPECT_EQ(read(path("a.txt")), "2");
  EXPECT_EQ(count(root_.string()), 1u);
  EXPECT_FALSE(write_whole_file(root_.string(), "x", Replace::yes, problem_)) << "a folder";
  EXPECT_FALSE(write_whole_file(path("none/a.txt"), "x", Replace::yes, problem_));
  EXPECT_TRUE(write_whole_file("/dev/null", "x", Replace::no, problem_));
  EXPECT_TRUE(fs::is_character_file("/dev/null")) << "a device stays what it is";
  EXPECT_FALSE(write_whole_file("/dev/full", "x", Replace::no, problem_));
}

}  // namespace
}  // namespace cartan::test
