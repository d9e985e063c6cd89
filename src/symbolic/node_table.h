// A set of node numbers found by what the nodes are: open addressing, one int per slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cartan {

class NodeTable {
 public:
  NodeTable() : slots_(64, empty) {}

  // The number for which is_it(number) holds among those entered with this hash, or -1.
  template <class IsIt>
  int find(std::uint64_t hash, IsIt&& is_it) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const int number = slots_[at];
      if (number == empty || is_it(number)) return number;
    }
  }

  // Enters a number that is not there. hash_of(number) gives the hash of any number entered.
  template <class HashOf>
  void insert(std::uint64_t hash, int number, HashOf&& hash_of) {
    if (3 * ++count_ > 2 * slots_.size()) grow(hash_of);
    put(hash, number);
  }

 private:
  static constexpr int empty = -1;
  std::size_t mask() const { return slots_.size() - 1; }

  void put(std::uint64_t hash, int number) {
    std::size_t at = hash & mask();
    while (slots_[at] != empty) at = (at + 1) & mask();
    slots_[at] = number;
  }

  template <class HashOf>
  void grow(HashOf&& hash_of) {
    std::vector<int> old(4 * slots_.size(), empty);
    old.swap(slots_);
    for (const int number : old)
      if (number != empty) put(hash_of(number), number);
  }

  std::vector<int> slots_;  // a power of two
  std::size_t count_ = 0;
};

}  // namespace cartan
