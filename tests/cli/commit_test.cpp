// A run that is killed while it exchanges files: readers see the old result, the new one, or
// refuse.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "support/sanitized.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

// Kills the process before its n-th change of a name in the folder of results.
const char* const killer_code = R"(
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void count(const char* path) {
  static int calls = 0;
  const char* folder = getenv("KILL_FOLDER");
  if (!folder || !path || strncmp(path, folder, strlen(folder)) != 0) return;
  if (++calls == atoi(getenv("KILL_AT"))) kill(getpid(), SIGKILL);
}
int rename(const char* from, const char* to) {
  count(to);
  return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int remove(const char* path) {
  count(path);
  return ((int (*)(const char*))dlsym(RTLD_NEXT, "remove"))(path);
}
int unlink(const char* path) {
  count(path);
  return ((int (*)(const char*))dlsym(RTLD_NEXT, "unlink"))(path);
}
)";

class Commit : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "the sanitizer wants to be loaded first";
    model_ = scratch_.write_template({"pendulum"});
    library_ = scratch_.path("killer.so");
    const std::string source = scratch_.write("killer.c", killer_code);
    ASSERT_EQ(std::system(("cc -shared -fPIC -o " + library_ + " " + source + " -ldl").c_str()), 0);
  }
  void write_old(const std::string& out) const {
    const CommandResult old = run_cartan(
        {"run", model_, "--duration", "1", "--record", "reactions,power", "--out", out, "--quiet"});
    ASSERT_EQ(old.status, 0) << old.err;
  }
  CommandResult write_new(const std::string& out, int kill_at) const {
    setenv("LD_PRELOAD", library_.c_str(), 1);
    setenv("KILL_FOLDER", out.c_str(), 1);
    setenv("KILL_AT", std::to_string(kill_at).c_str(), 1);
    const CommandResult result =
        run_cartan({"run", model_, "--duration", "2", "--out", out, "--quiet"});
    unsetenv("LD_PRELOAD");
    return result;
  }

  Scratch scratch_;
  std::string model_, library_;
};

TEST_F(Commit, KilledAnywhereItLeavesTheOldTheNewOrASentence) {
  int olds = 0, news = 0, refusals = 0, k = 1;
  for (;; ++k) {
    SCOPED_TRACE("killed before change " + std::to_string(k));
    const std::string out = scratch_.path("out" + std::to_string(k));
    write_old(out);
    const CommandResult killed = write_new(out, k);
    if (killed.status == 0) break;  // there are no more changes
    ASSERT_EQ(killed.status, -SIGKILL) << killed.err;
    ASSERT_LT(k, 60);

    const CommandResult from =
        run_cartan({"run", model_, "--from", out, "--duration", "0", "--json"});
    const CommandResult plot = run_cartan({"plot", out, "--out", scratch_.path("plots")});
    const std::string page = scratch_.path("page" + std::to_string(k) + ".html");
    const CommandResult view = run_cartan({"view", out, "--export", page});
    if (from.status == 0) {
      const auto json = nlohmann::json::parse(from.out);
      const bool is_new = json["t_initial"] == 2.0;
      EXPECT_TRUE(is_new || json["t_initial"] == 1.0);
      ++(is_new ? news : olds);
      EXPECT_EQ(plot.status, 0) << plot.err;
      EXPECT_EQ(view.status, 0) << view.err;
      EXPECT_EQ(nlohmann::json::parse(read_file(out + "/summary.json"))["t_final"],
                json["t_initial"]);
      EXPECT_EQ(read_file(page).find(R"("name":"reactions.csv")") != std::string::npos, !is_new)
          << "the old result has that table, the new one has not";
    } else {
      ++refusals;
      for (const CommandResult* reader : {&from, &plot, &view}) {
        EXPECT_EQ(reader->status, 2);
        EXPECT_NE(reader->err.find("belong to two results"), std::string::npos) << reader->err;
      }
    }
    // whatever happened, the next run puts it right
    const CommandResult again =
        run_cartan({"run", model_, "--duration", "3", "--out", out, "--quiet"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(run_cartan({"run", model_, "--from", out, "--duration", "0"}).status, 0);
  }
  EXPECT_GT(olds, 0);
  EXPECT_GT(refusals, 3) << "between the first and the last renaming";
  EXPECT_GE(k, 8) << "five files, two tables that go, the manifest twice";
}

// Files are checked one by one against what the last command said about them.
TEST_F(Commit, FilesOfTwoRunsAreNotTakenForOne) {
  const std::string out = scratch_.path("out"), other = scratch_.path("other");
  write_old(out);
  ASSERT_EQ(run_cartan({"run", model_, "--duration", "2", "--out", other, "--quiet"}).status, 0);
  fs::copy_file(other + "/trajectory.csv", out + "/trajectory.csv",
                fs::copy_options::overwrite_existing);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", model_, "--from", out, "--duration", "0"},
        {"run", model_, "--from", out + "/trajectory.csv", "--duration", "0"},
        {"plot", out, "--out", scratch_.path("plots")},
        {"view", out, "--export", scratch_.path("page.html")},
        {"inverse", model_, "--motion", out + "/trajectory.csv"}})
    expect_refusal(run_cartan(words), "the file is not what was written here");
}

// Of the same length: the content counts.
TEST_F(Commit, AChangedDigitIsNoticed) {
  const std::string out = scratch_.path("out");
  write_old(out);
  std::string text = read_file(out + "/trajectory.csv");
  const std::size_t digit = text.find_last_of("12345678");
  text[digit] = static_cast<char>(text[digit] + 1);
  scratch_.write("out/trajectory.csv", text);
  expect_refusal(run_cartan({"run", model_, "--from", out, "--duration", "0"}),
                 "the file is not what was written here");
}

TEST_F(Commit, WhatTheRunDidNotWriteStays) {
  const std::string out = scratch_.path("out");
  write_old(out);
  const std::string report = scratch_.write("out/report.html", "mine"),
                    draft = scratch_.write("out/.notes.tmp-draft", "mine"),
                    forces = scratch_.write("out/forces.csv", "mine\n1\n");
  ASSERT_EQ(run_cartan({"run", model_, "--duration", "2", "--out", out, "--quiet"}).status, 0);
  for (const std::string& file : {report, draft, forces})
    EXPECT_EQ(read_file(file).substr(0, 4), "mine") << file;
  EXPECT_FALSE(fs::exists(out + "/reactions.csv")) << "of the earlier run";
  // its own table of that name is asked for
  expect_refusal(run_cartan({"run", model_, "--record", "forces", "--out", out}),
                 "forces.csv' exists already and is no result");
  EXPECT_EQ(read_file(forces), "mine\n1\n");
  const CommandResult forced =
      run_cartan({"run", model_, "--record", "forces", "--out", out, "--force", "--quiet"});
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_NE(read_file(forces), "mine\n1\n");
}

}  // namespace
}  // namespace cartan::test
