// Random damage to texts, for fuzz tests: the same seed gives the same damage.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace cartan::test {

class TextMutator {
 public:
  explicit TextMutator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  bool chance(int in) { return below(in) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  // One change of letters: flipped, left out, doubled, spliced with one of `others`, swapped, or a
  // word of the trade put in. Most results are no model any more.
  void damage(std::string& text, const std::vector<std::string>& others);

  // One change that leaves most files readable: another number, another line's value, a line left
  // out or doubled, an expression in place of a number.
  void disturb(std::string& text);

  // A number a user would not expect.
  std::string odd_number();

 private:
  std::size_t length(const std::string& text, std::size_t from);
  // Where numbers stand: begin and end.
  static std::vector<std::pair<std::size_t, std::size_t>> numbers_in(const std::string& text);

  std::mt19937 random_;
};

}  // namespace cartan::test
