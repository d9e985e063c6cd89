// Mutated model files: whatever the text, reading and checking it ends soon with a model or
// findings.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "unit/io/model_files.h"

namespace cartan {
namespace {

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {
    for (const char* folder : {"examples", "tests/good", "tests/bad"})
      for (const std::string& file : model_files(folder)) seeds_.push_back(file_content(file));
  }

  // One to six changes to a file, small ones more likely.
  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (std::size_t changes = 1 + below(6); changes > 0; --changes) mutate(text);
    return text;
  }
  std::size_t seed_count() const { return seeds_.size(); }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  std::size_t length(const std::string& text, std::size_t from) {
    return below(std::min<std::size_t>(text.size() - from, below(4) == 0 ? 400 : 12) + 1);
  }

  void mutate(std::string& text) {
    static const char* const words[] = {"nan",         "-inf",
                                        "1e999",       "-1e308",
                                        "0",           "true",
                                        "[",           "]",
                                        "{",           "}",
                                        "\"",          "'",
                                        "\"\"\"",      "=",
                                        ".",           "\n",
                                        "\\u0000",     "9223372036854775808",
                                        "1979-05-27",  "[[body]]",
                                        "[variables]", "world",
                                        "t",           "q",
                                        "pi",          "((((",
                                        "^^",          "table('x.csv','y',t)",
                                        "if(",         ",",
                                        "name",        "\xff",
                                        "\xc3\xa4",    "#"};
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:  // flip a bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.erase(at, length(text, at));
        break;
      case 2:
        text.insert(below(text.size() + 1), text.substr(at, length(text, at)));
        break;
      case 3: {  // splice with another file
        const std::string& other = seeds_[below(seeds_.size())];
        const std::size_t from = below(other.size());
        text = text.substr(0, at) + other.substr(from, 4000);
        break;
      }
      case 4:
        text.insert(at, words[below(std::size(words))]);
        break;
      case 5:  // swap two characters
        if (!text.empty()) std::swap(text[below(text.size())], text[below(text.size())]);
        break;
    }
  }

  std::mt19937 random_;
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
    const Loaded loaded = load_text(text);
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
}  // namespace cartan
