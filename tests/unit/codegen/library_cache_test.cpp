// The folder of compiled libraries: what was not used for longest goes first, what is in use stays.
#include "core/library_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "work_folder.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

fs::path file_of(const fs::path& folder, const std::string& name, int bytes, int hours_ago) {
  std::ofstream(folder / name) << std::string(bytes, 'x');
  fs::last_write_time(folder / name, fs::file_time_type::clock::now() - hours(hours_ago));
  return folder / name;
}

TEST(LibraryCache, KeepsWhatWasUsedLast) {
  const WorkFolder work;
  const fs::path oldest = file_of(work.path(), "a.so", 400, 9),
                 old = file_of(work.path(), "b.so", 400, 8),
                 recent = file_of(work.path(), "c.so", 400, 7);
  const fs::path other = file_of(work.path(), "notes.txt", 5000, 99);
  prune_library_cache(work.path(), "", 1200);
  EXPECT_TRUE(fs::exists(oldest)) << "1200 bytes are not more than 1200";
  touch_library(oldest);
  prune_library_cache(work.path(), "", 1199);
  EXPECT_TRUE(fs::exists(oldest)) << "it was used just now";
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(recent)) << "half of the limit is left";
  EXPECT_TRUE(fs::exists(other)) << "not a library of ours";
}

TEST(LibraryCache, NeverRemovesTheLibraryJustMade) {
  const WorkFolder work;
  const fs::path made = file_of(work.path(), "a.so", 900, 9),
                 other = file_of(work.path(), "b.so", 10, 1);
  prune_library_cache(work.path(), made, 100);
  EXPECT_TRUE(fs::exists(made));
  EXPECT_FALSE(fs::exists(other));
}

TEST(LibraryCache, RemovesWorkOfCompilationsThatWereKilled) {
  const WorkFolder work;
  for (const char* name : {"killed", "running"}) {
    fs::create_directory(work.path() / name);
    std::ofstream(work.path() / name / "code.c") << "int x;";
  }
  fs::last_write_time(work.path() / "killed", fs::file_time_type::clock::now() - hours(25));
  prune_library_cache(work.path(), "");
  EXPECT_FALSE(fs::exists(work.path() / "killed"));
  EXPECT_TRUE(fs::exists(work.path() / "running"));
}

TEST(LibraryCache, AnAbsentFolderIsNoError) {
  EXPECT_NO_THROW(prune_library_cache("/nowhere/at/all", ""));
}

}  // namespace
}  // namespace cartan::test
