// Studies of more runs than memory holds: they are streamed to their folder.
#include <chrono>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "cli/command_line.h"
#include "core/child_process.h"
#include "support/sanitized.h"

namespace cartan::test {
namespace {

constexpr const char* falling_weight = R"(
name = "weight"
[parameters]
h = 2
[variables]
x = { initial = "h", rate = "v" }
v = { initial = 0, rate = "-9.81" }
[simulate]
duration = 0.1
step = 0.1
integrator = "rk4"
)";

// The most memory a process has had, in megabytes.
double peak_of(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

// 1e9 runs with --out: blocks appear one after the other while memory stays. Kept in memory each
// would add half a megabyte. What was written is there to go on from.
TEST(StudyLarge, AThousandMillionRunsAreStreamed) {
  const Scratch scratch;
  const std::string model = scratch.write("weight.toml", falling_weight);
  const std::string out = scratch.path("out"), blocks = out + "/blocks";
  const auto start = [&](bool resume) {
    std::vector<std::string> words = {
        CARTAN_COMMAND, "study",      model,   "--vary", "h=uniform(1,3)", "--runs", "1e9",
        "--keep",       "x=final(x)", "--out", out,      "--backend",      "cpu",    "--quiet",
        "--threads",    "1"};
    if (resume) words.emplace_back("--resume");
    return start_child(words, -1, -1, -1);
  };
  const auto count = [&] {  // blocks that are whole
    std::size_t all = 0;
    if (std::filesystem::exists(blocks))
      for (const std::string& name : list_folder(blocks))
        all += name.find_first_not_of("0123456789") == std::string::npos;
    return all;
  };
  const auto wait_for = [&](std::size_t wanted) {
    for (int k = 0; k < 6000 && count() < wanted; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return count() >= wanted;
  };
  const auto interrupt = [&](int process) {
    kill(process, SIGINT);
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const int first = start(false);
  ASSERT_GT(first, 0);
  ASSERT_TRUE(wait_for(3));
  const double early = peak_of(first);
  ASSERT_TRUE(wait_for(15));
  const double late = peak_of(first);
  EXPECT_GT(early, 5);
  if (!sanitized) EXPECT_LT(late, early + 3);  // twelve blocks are 7 MB
  EXPECT_EQ(interrupt(first), 1);
  const std::size_t before = count();
  const int second = start(true);
  ASSERT_TRUE(wait_for(before + 2));
  EXPECT_EQ(interrupt(second), 1);
  EXPECT_FALSE(std::filesystem::exists(out + "/runs.nc"));
}

}  // namespace
}  // namespace cartan::test
