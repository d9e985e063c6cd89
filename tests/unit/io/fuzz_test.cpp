// Mutated model files: whatever the text, reading and checking it ends soon with a model or
// findings.
#include <gtest/gtest.h>

#include <chrono>

#include "support/text_mutator.h"
#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

// One to six changes to a file, small ones more likely.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : mutator_(seed) {
    for (const char* folder : {"examples", "tests/good", "tests/bad"})
      for (const std::string& file : model_files(folder)) seeds_.push_back(file_content(file));
  }

  std::string next() {
    std::string text = mutator_.pick(seeds_);
    for (std::size_t changes = 1 + mutator_.below(6); changes > 0; --changes)
      mutator_.damage(text, seeds_);
    return text;
  }
  std::size_t seed_count() const { return seeds_.size(); }

 private:
  TextMutator mutator_;
  std::vector<std::string> seeds_;
};

void run_campaign(unsigned seed, int cases) {
  using Clock = std::chrono::steady_clock;
  Mutator mutator(seed);
  ASSERT_GT(mutator.seed_count(), 100u);
  int accepted = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < cases; ++i) {
    const std::string text = mutator.next();
    const Loaded loaded = load_model_text(text);
    accepted += loaded.model.has_value();
    ASSERT_EQ(loaded.model.has_value(), !loaded.problems.has_errors()) << text;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  EXPECT_LT(seconds / cases, 0.05);  // a mean: a single case may meet a busy machine
  EXPECT_GT(accepted, 0);            // the mutations do not all stop at the first bracket
  EXPECT_LT(accepted, cases);
}

TEST(Fuzz, MutatedFiles) {
  run_campaign(1, 3000);
}
TEST(LongFuzz, MutatedFiles) {
  run_campaign(2, 100000);
}

}  // namespace
}  // namespace cartan::test
