// All commands with damaged models, tables, states and options: each ends soon, with exit status 0,
// 1 or 2, a message where it failed, and no number that is none where it did not.
//
// A case is found again with CARTAN_FUZZ_SEED=seed CARTAN_FUZZ_CASE=number; its files and its
// command then stay in the folder named by CARTAN_FUZZ_KEEP. CARTAN_FUZZ_CASES changes how many
// there are, and with CARTAN_FUZZ_DESIGN all of them are ik, optimise or steer.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "cli/fuzz_cases.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

int setting(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : usual;
}

std::string quoted(const std::vector<std::string>& words) {
  std::string line = "cartan";
  for (const std::string& word : words) line += " '" + word + "'";
  return line;
}

void run_campaign(unsigned usual_seed, int usual_cases) {
  const unsigned seed = setting("CARTAN_FUZZ_SEED", static_cast<int>(usual_seed));
  const int only = setting("CARTAN_FUZZ_CASE", -1),
            cases = setting("CARTAN_FUZZ_CASES", usual_cases);
  const FuzzMaterial material;
  ASSERT_GT(material.models.size(), 30u);
  ASSERT_GE(material.results.size(), 6u);
  int failures = 0, tried = 0, successes = 0;
  for (int n = only < 0 ? 0 : only; n < (only < 0 ? cases : only + 1) && failures < 50; ++n) {
    const Scratch scratch;
    const char* keep = std::getenv("CARTAN_FUZZ_KEEP");
    const fs::path folder = keep ? fs::path(keep) : fs::path(scratch.path(""));
    if (keep) fs::create_directories(folder);
    const FuzzCase one = make_fuzz_case(material, seed, n, folder);
    if (keep) std::ofstream(folder / "command.txt") << quoted(one.words) << "\n";
    bool done = false;
    const std::string problem = run_fuzz_case(one, folder, done);
    ++tried, successes += done;
    if (problem.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ", case " << n << ": " << problem << "\n"
                  << quoted(one.words);
  }
  // Neither are all refused nor is everything accepted.
  if (only < 0) EXPECT_GT(successes, tried / 10);
  if (only < 0) EXPECT_LT(successes, tried);
}

TEST(FuzzCommands, AFewCases) {
  run_campaign(1, 60);
}

class LongFuzzCommands : public testing::TestWithParam<unsigned> {};
TEST_P(LongFuzzCommands, FiveThousandCases) {
  run_campaign(GetParam(), 5000);
}
INSTANTIATE_TEST_SUITE_P(LongSeeds, LongFuzzCommands, testing::Range(11u, 21u));

}  // namespace
}  // namespace cartan::test
