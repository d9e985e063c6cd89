// A run that is interrupted or killed leaves what was there before.
#include <chrono>
#include <map>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using namespace std::chrono_literals;

std::map<std::string, std::string> visible_files(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& name : list_folder(folder))
    if (name[0] != '.') files[name] = read_file(folder + "/" + name);
  return files;
}

std::size_t hidden_bytes(const std::string& folder) {
  std::size_t bytes = 0;
  for (const std::string& name : list_folder(folder))
    if (name[0] == '.')
      for (const std::string& file : list_folder(folder + "/" + name))
        bytes += read_file(folder + "/" + name + "/" + file).size();
  return bytes;
}

// Until the run is in the middle of its work: data lie aside, and more than the buffers hold.
bool wait_for_data(const std::string& folder) {
  for (int k = 0; k < 1000; ++k) {
    if (hidden_bytes(folder) > 100000) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

class Interrupt : public testing::Test {
 protected:
  void SetUp() override {
    model_ = scratch_.write_template({"pendulum"});
    out_ = scratch_.path("out");
    ASSERT_EQ(run_cartan({"run", model_, "--duration", "1", "--out", out_}).status, 0);
    before_ = visible_files(out_);
    ASSERT_EQ(before_.size(), 6u);
  }
  std::vector<std::string> endless() const {
    return {"run", model_, "--duration", "1e7", "--out", out_};
  }

  Scratch scratch_;
  std::string model_, out_;
  std::map<std::string, std::string> before_;
};

TEST_F(Interrupt, KillLeavesTheOldResultAndTheNextRunCleansUp) {
  RunningCommand run(endless());
  ASSERT_TRUE(wait_for_data(out_));
  run.send(SIGKILL);
  EXPECT_EQ(run.wait().status, -SIGKILL);
  EXPECT_EQ(visible_files(out_), before_);
  EXPECT_GT(hidden_bytes(out_), 0u);
  ASSERT_EQ(run_cartan({"run", model_, "--duration", "2", "--out", out_}).status, 0);
  EXPECT_EQ(list_folder(out_).size(), 6u);
  EXPECT_EQ(last_row(out_ + "/trajectory.csv")["t"], 2);
}

TEST_F(Interrupt, SignalsStopTheRunAndLeaveTheOldResult) {
  for (int signal : {SIGINT, SIGTERM}) {
    RunningCommand run(endless());
    ASSERT_TRUE(wait_for_data(out_));
    run.send(signal);
    const CommandResult result = run.wait();
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("stopped on request at t = "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("nothing was written"), std::string::npos) << result.err;
    EXPECT_EQ(visible_files(out_), before_);
    EXPECT_EQ(hidden_bytes(out_), 0u);
  }
}

TEST_F(Interrupt, TwoRunsDoNotMixInOneFolder) {
  RunningCommand run(endless());
  ASSERT_TRUE(wait_for_data(out_));
  expect_refusal(run_cartan({"run", model_, "--out", out_}), "another run is writing there");
  run.send(SIGINT);
  EXPECT_EQ(run.wait().status, 1);
  EXPECT_EQ(visible_files(out_), before_);
}

// Where a large matrix is taken apart in one go, nobody looks at the signal meanwhile.
TEST(InterruptOrbit, EndsSoon) {
  RunningCommand run({"orbit", std::string(CARTAN_ROOT) + "/examples/roessler.toml", "--section",
                      "y", "--period", "6", "--shooting", "200"});
  std::this_thread::sleep_for(4s);
  const auto begin = std::chrono::steady_clock::now();
  run.send(SIGINT);
  const CommandResult result = run.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "cartan orbit: interrupted\n");
}

// One step of the variations of 64 links, one point of a branch of orbits take longer than anybody
// waits.
TEST(InterruptAnalyses, EndSoonAndLeaveNothing) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  const std::string examples = std::string(CARTAN_ROOT) + "/examples/";
  const std::vector<std::vector<std::string>> commands = {
      {"continue", examples + "roessler.toml", "--of", "orbit", "--section", "y", "--period", "6",
       "--shooting", "150", "--parameter", "a", "--from", "0.3", "--to", "0.36"},
      {"lyapunov", examples + "sixtyfour_link.toml", "--duration", "1e5", "--section", "t - 1"}};
  for (std::vector<std::string> words : commands) {
    SCOPED_TRACE(words[0]);
    words.insert(words.end(), {"--out", out});
    RunningCommand run(words);
    std::this_thread::sleep_for(4s);
    const auto begin = std::chrono::steady_clock::now();
    run.send(SIGINT);
    const CommandResult result = run.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("interrupted"), std::string::npos) << result.err;
    EXPECT_EQ(list_folder(out), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace cartan::test
