// Studies under mpirun: the same tables whoever computes them, and what happens when processes die.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "core/child_process.h"
#include "support/random.h"

namespace cartan::test {
namespace {

constexpr const char* ranks_model = R"toml(
name = "oscillator"
[parameters]
w = 2
v0 = 3
[variables]
x = { initial = 0, rate = "v" }
v = { initial = "v0", rate = "-w^2*sin(x)" }
[simulate]
duration = 4
step = 0.01
integrator = "gl4"
)toml";

// With sanitizers: what OpenMPI itself never frees is none of our leaks.
std::vector<std::string> under_mpirun(int ranks, std::vector<std::string> words) {
  words.insert(words.begin(), {"mpirun", "--allow-run-as-root", "--oversubscribe", "-x",
                               "ASAN_OPTIONS=detect_leaks=0", "-n", std::to_string(ranks),
                               CARTAN_COMMAND, "study"});
  return words;
}

class StudyRanks : public testing::Test {
 protected:
  void SetUp() override {
    if (!run_child({"mpirun", "--version"}).started) GTEST_SKIP() << "mpirun is missing";
    model_ = scratch_.write("model.toml", ranks_model);
  }
  std::vector<std::string> words(const std::string& folder, int runs) const {
    return {model_,
            "--vary",
            "w=uniform(1,3)",
            "--vary",
            "v0=normal(3,0.5)",
            "--indices",
            "off",
            "--runs",
            std::to_string(runs),
            "--keep",
            "x=final(x)",
            "--keep",
            "top=max(v)",
            "--out",
            folder,
            "--quiet"};
  }
  // runs.csv of one process.
  std::string expected(int runs) {
    std::vector<std::string> all = words(scratch_.path("alone"), runs);
    all.insert(all.begin(), "study");
    const CommandResult result = run_cartan(all);
    EXPECT_EQ(result.status, 0) << result.err;
    return read_file(scratch_.path("alone/runs.csv"));
  }
  // Processes of the study, those of mpirun not among them; what has ended has no command line.
  std::vector<int> find_processes() const {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::string line(4096, '\0');  // of a process that ends meanwhile nothing can be read
      std::FILE* file = std::fopen((entry.path() / "cmdline").c_str(), "rb");
      line.resize(file ? std::fread(line.data(), 1, line.size(), file) : 0);
      if (file) std::fclose(file);
      if (line.starts_with(CARTAN_COMMAND) && line.find(model_) != std::string::npos)
        found.push_back(std::stoi(name));
    }
    return found;
  }
  // Waits for the end of mpirun. Where a process was killed while it joined the others, mpirun
  // of OpenMPI 4.1 ends the rest and may then wait forever for a lock that died with it
  // (PMIx_server_finalize). All of ours must be gone by then, and mpirun is ended.
  void await_mpirun(int group) const {
    int status = 0;
    for (int k = 0; k < 100; ++k) {
      if (waitpid(group, &status, WNOHANG) == group) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    for (int k = 0; k < 600 && !find_processes().empty(); ++k)
      if (waitpid(group, &status, WNOHANG) == group)
        return;
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(find_processes().empty()) << "processes outlive one that was killed";
    kill(-group, SIGKILL);
    waitpid(group, &status, 0);
  }
  // Kills a process of a study under mpirun a while after there is one; true when it was there.
  bool kill_one(const std::vector<std::string>& all, int milliseconds, std::uint64_t choice) const {
    const int group = start_child(all, -1, -1, -1);
    EXPECT_GT(group, 0);
    for (int k = 0; k < 1000 && find_processes().empty(); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    const std::vector<int> found = find_processes();
    const bool hit = !found.empty() && kill(found[choice % found.size()], SIGKILL) == 0;
    await_mpirun(group);
    return hit;
  }
  // Processes are killed at `times` random moments of studies that go on with what was there. A
  // study that comes to its end first is compared and begun again.
  void kill_and_resume(int times, int runs) {
    const std::string whole = expected(runs), folder = scratch_.path("killed");
    Random random(20);
    const auto words_to_go_on = [&] {
      std::vector<std::string> all = words(folder, runs);
      if (std::filesystem::exists(folder + "/blocks/study.json")) all.emplace_back("--resume");
      return all;
    };
    int killed = 0, tries = 0;
    for (; killed < times && tries < 4 * times; ++tries) {
      const int wait = random.integer(0, 900);
      killed += kill_one(under_mpirun(2 + tries % 3, words_to_go_on()), wait,
                         static_cast<std::uint64_t>(random.integer(0, 1000)));
      if (!std::filesystem::exists(folder + "/summary.json")) continue;
      EXPECT_TRUE(read_file(folder + "/runs.csv") == whole) << tries;
      std::filesystem::remove_all(folder);
    }
    EXPECT_EQ(killed, times) << "of " << tries;
    const ChildResult last = run_child(under_mpirun(2, words_to_go_on()));
    EXPECT_EQ(last.status, 0) << last.output();
    EXPECT_TRUE(read_file(folder + "/runs.csv") == whole);
  }

  Scratch scratch_;
  std::string model_;
};

TEST_F(StudyRanks, TablesAreThoseOfOneProcess) {
  const std::string whole = expected(700);
  ASSERT_GT(whole.size(), 10000u);
  for (const int ranks : {1, 2, 4}) {
    const std::string folder = scratch_.path("ranks" + std::to_string(ranks));
    const ChildResult result = run_child(under_mpirun(ranks, words(folder, 700)));
    ASSERT_EQ(result.status, 0) << result.output();
    EXPECT_TRUE(read_file(folder + "/runs.csv") == whole) << ranks;
    const auto summary = nlohmann::json::parse(read_file(folder + "/summary.json"));
    EXPECT_EQ(summary["ranks"], ranks);
    const auto alone = nlohmann::json::parse(read_file(scratch_.path("alone/summary.json")));
    EXPECT_EQ(summary["quantities"], alone["quantities"]);
  }
}

TEST_F(StudyRanks, KilledProcessesCostTheirBlocksOnly) {
  kill_and_resume(3, 3000);
}

// Complaints come once, from the first process.
TEST_F(StudyRanks, RefusalsComeOnce) {
  const auto times = [](const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  std::vector<std::string> all = words(scratch_.path("x"), 10);
  std::vector<std::string> without_out(all.begin(), all.end() - 3);
  const ChildResult no_folder = run_child(under_mpirun(3, without_out));
  EXPECT_NE(no_folder.status, 0);
  EXPECT_EQ(times(no_folder.output(), "need --out"), 1) << no_folder.output();
  all.insert(all.end(), {"--part", "1/2"});
  const ChildResult part = run_child(under_mpirun(2, all));
  EXPECT_NE(part.status, 0);
  EXPECT_EQ(times(part.output(), "use one of them"), 1) << part.output();
  std::vector<std::string> unknown = words(scratch_.path("y"), 10);
  unknown[2] = "nothing=uniform(0,1)";
  const ChildResult bad = run_child(under_mpirun(2, unknown));
  EXPECT_NE(bad.status, 0);
  EXPECT_EQ(times(bad.output(), "'nothing'"), 1) << bad.output();
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("y/runs.csv")));
}

class LongStudyRanks : public StudyRanks {};

TEST_F(LongStudyRanks, KilledFiftyTimes) {
  kill_and_resume(50, 6000);
}

}  // namespace
}  // namespace cartan::test
